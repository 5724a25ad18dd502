// exif.h: Exif as a piece of bytes, and as the directories of a TIFF file.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "io/codec.h"

namespace halation::io {

/// An entry of a directory of TIFF 6.0. Its value has the machine's byte order.
struct ExifEntry {
  std::uint16_t tag = 0;
  std::uint16_t type = 0;
  std::uint64_t count = 0;
  std::vector<std::byte> value;
};
using ExifDirectory = std::vector<ExifEntry>;

/// What is kept of Exif on its way into a TIFF file and out of one. Maker's notes stay as they are.
struct Exif {
  ExifDirectory own;    ///< of the page's own directory: maker, model, software, description, date, artist,
                        ///< host, copyright, …, Windows' texts; and beside others resolution
  ExifDirectory photo;  ///< the Exif directory
  ExifDirectory place;  ///< the GPS directory

  bool empty() const { return own.empty() && photo.empty() && place.empty(); }
  /// Which every TIFF says.
  bool is_only_resolution() const;
};

constexpr std::uint16_t x_resolution_tag = 282;
constexpr std::uint16_t y_resolution_tag = 283;
constexpr std::uint16_t resolution_unit_tag = 296;
constexpr std::uint16_t byte_type = 1, text_type = 2, short_type = 3, long_type = 4;
constexpr std::uint16_t photo_directory_tag = 34665;
constexpr std::uint16_t place_directory_tag = 34853;

/// Bytes of one number of a type of TIFF's; 0 where it is not known.
std::size_t bytes_of_exif_type(std::uint16_t type);

/// Whether it is one of the texts that Windows keeps beside TIFF's own, XPTitle and its kin.
bool is_windows_text(const ExifEntry& entry);

/// The unsigned number at a place of an entry's value; 0 where there is none.
template <class T>
T number_in(const ExifEntry& entry, std::size_t at) {
  T number = 0;
  if (entry.value.size() >= at + sizeof number) std::memcpy(&number, entry.value.data() + at, sizeof number);
  return number;
}

/// The first number of an entry of short or long ones; 0 of any other.
inline std::int64_t integer_in(const ExifEntry& entry) {
  return entry.type == short_type  ? number_in<std::uint16_t>(entry, 0)
         : entry.type == long_type ? number_in<std::uint32_t>(entry, 0)
                                   : 0;
}

/// From a TIFF or BigTIFF in memory, as Exif itself is one: from the directory at `at`, 0: the first. What is
/// damaged is left out.
Exif exif_in(Bytes tiff, std::uint64_t at = 0);

/// The directory at `at`, 0: the first, without what is damaged.
ExifDirectory directory_in(Bytes tiff, std::uint64_t at = 0);

/// The value of a tag in the directory at `at` as its bytes lie in the file, whatever its type; empty where there is none.
std::vector<std::byte> stored_value(Bytes tiff, std::uint64_t at, std::uint16_t tag);

/// As a piece of bytes that begins with its TIFF header.
std::vector<std::byte> exif_bytes(const Exif& exif);

/// One directory as it lies in a file at `at`, in the machine's byte order.
std::vector<std::byte> directory_bytes(const ExifDirectory& directory, std::uint64_t at, bool big_tiff);

}  // namespace halation::io
