// icc.cpp: what an ICC profile is called.
#include "io/metadata/icc.h"

#include <algorithm>

namespace halation::io {
namespace {

std::size_t number_at(Bytes bytes, std::size_t at) { return big_endian(bytes, at, 4); }

/// As much of it as there is.
Bytes piece(Bytes bytes, std::size_t at, std::size_t size) {
  at = std::min(at, bytes.size());
  return bytes.subspan(at, std::min(size, bytes.size() - at));
}

/// The data of the tag "desc", by ICC.1's table of tags.
Bytes description(Bytes icc) {
  constexpr std::size_t table = 128, entry_bytes = 12;
  const std::size_t count = std::min(number_at(icc, table), icc.size() / entry_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = table + 4 + i * entry_bytes;
    if (begins_with(piece(icc, entry, 4), "desc")) return piece(icc, number_at(icc, entry + 4), number_at(icc, entry + 8));
  }
  return {};
}

}  // namespace

std::string profile_name(Bytes icc) {
  const Bytes tag = description(icc);
  // Version 2 has a text of ASCII, version 4 a list of UTF-16 in several languages.
  const bool is_list = begins_with(tag, "mluc");
  const Bytes text = is_list                    ? piece(tag, number_at(tag, 24), number_at(tag, 20))
                     : begins_with(tag, "desc") ? piece(tag, 12, number_at(tag, 8))
                                                : Bytes();
  std::string name;
  for (std::size_t i = 0; i + (is_list ? 1 : 0) < text.size(); i += is_list ? 2 : 1) {
    const bool is_beyond = is_list && text[i] != std::byte{0};
    const auto character = std::to_integer<unsigned char>(text[i + (is_list ? 1 : 0)]);
    if (!is_beyond && character == 0) break;
    name += is_beyond || character > 126 || character < 32 ? '?' : static_cast<char>(character);
  }
  return name;
}

}  // namespace halation::io
