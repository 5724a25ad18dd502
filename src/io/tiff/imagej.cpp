// imagej.cpp: ImageJ's own tags of a TIFF.
#include "io/tiff/imagej.h"

#include <algorithm>
#include <bit>

namespace halation::io {
namespace {

constexpr std::uint32_t kind_named(const char (&name)[5]) {
  std::uint32_t kind = 0;
  for (int i = 0; i < 4; ++i) kind = kind << 8 | static_cast<unsigned char>(name[i]);
  return kind;
}

/// Bytes of the numbers that data of a kind are made of: characters of UTF-16, doubles, or bytes.
std::size_t number_bytes(std::uint32_t kind) {
  switch (kind) {
    case kind_named("info"):
    case kind_named("labl"):
    case kind_named("prop"):
      return 2;
    case kind_named("rang"):
      return 8;
    default:  // tables of colours, regions, which ImageJ writes in one order only
      return 1;
  }
}

/// Pieces of the data, one after the other, each as long as the list of sizes says.
class Pieces {
 public:
  Pieces(const ExifEntry& sizes, std::vector<std::byte>& data) : sizes_(sizes), data_(data) {}

  /// Turns the numbers of the next piece; false where there is none.
  bool turn(std::size_t bytes) {
    const auto size = number_in<std::uint32_t>(sizes_, 4 * next_);
    if (next_ >= sizes_.count || size % bytes != 0 || size > data_.size() - at_) return false;
    for (const std::size_t end = at_ + size; at_ < end; at_ += bytes) std::reverse(place(at_), place(at_ + bytes));
    ++next_;
    return true;
  }
  std::size_t at() const { return at_; }

 private:
  std::vector<std::byte>::iterator place(std::size_t at) { return data_.begin() + static_cast<std::ptrdiff_t>(at); }

  const ExifEntry& sizes_;
  std::vector<std::byte>& data_;
  std::size_t next_ = 0, at_ = 0;
};

/// The first piece is a list: a mark, and of each kind its name and how many pieces have it.
bool turn(const ExifEntry& sizes, ExifEntry& data) {
  constexpr std::size_t number = 4, kind_bytes = 8;
  Pieces pieces(sizes, data.value);
  if (sizes.type != long_type || !pieces.turn(number)) return false;
  const std::size_t end = pieces.at();
  for (std::size_t at = number; at + kind_bytes <= end; at += kind_bytes) {
    const std::size_t bytes = number_bytes(number_in<std::uint32_t>(data, at));
    for (auto count = number_in<std::uint32_t>(data, at + number); count > 0; --count) {
      if (!pieces.turn(bytes)) return false;
    }
  }
  return pieces.at() == data.value.size();
}

}  // namespace

void turn_imagej_data(ExifDirectory& entries, bool file_is_little) {
  const auto find = [&](std::uint16_t tag) {
    return std::find_if(entries.begin(), entries.end(), [&](const ExifEntry& entry) { return entry.tag == tag; });
  };
  const auto sizes = find(imagej_sizes_tag), data = find(imagej_data_tag);
  if (sizes == entries.end() && data == entries.end()) return;
  const bool is_whole = sizes != entries.end() && data != entries.end();
  const bool lies_right = file_is_little == (std::endian::native == std::endian::little);
  if (!is_whole || (!lies_right && !turn(*sizes, *data))) std::erase_if(entries, is_imagej);
}

}  // namespace halation::io
