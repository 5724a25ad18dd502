// odd_npy.h: .npy files written out byte by byte.
#pragma once

#include <bit>
#include <string>
#include <vector>

namespace halation::test {

/// A file of the version given, with a header dictionary and elements as they are.
inline std::string array(const std::string& dictionary, const std::string& elements, int version = 1) {
  const std::size_t length = dictionary.size();
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), 0, static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  if (version > 1) bytes.append(2, '\0');
  return bytes + dictionary + elements;
}

inline std::string dictionary(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

template <class T>
std::string bytes_of_values(const std::vector<T>& values, bool big = false) {
  std::string bytes;
  for (const T& value : values) {
    std::string element(reinterpret_cast<const char*>(&value), sizeof value);
    if (big == (std::endian::native == std::endian::little)) element = {element.rbegin(), element.rend()};
    bytes += element;
  }
  return bytes;
}

}  // namespace halation::test
