// exif.cpp: Exif as a piece of bytes, and as the directories of a TIFF file.
#include "io/metadata/exif.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace halation::io {
namespace {

constexpr bool machine_is_little = std::endian::native == std::endian::little;
constexpr std::uint16_t last_classic_type = 13;  // those of 8 bytes belong to BigTIFF
/// Document, description, maker, model, page, software, date, artist, host computer, copyright: what libtiff
/// writes as texts.
constexpr std::array<std::uint16_t, 10> text_tags = {269, 270, 271, 272, 285, 305, 306, 315, 316, 33432};
/// Title, comment, author, keywords and subject by Windows, UTF-16 in bytes.
constexpr std::array<std::uint16_t, 5> windows_tags = {0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F};
constexpr std::array<std::uint16_t, 3> resolution_tags = {x_resolution_tag, y_resolution_tag, resolution_unit_tag};
template <std::size_t count>
bool is_among(const std::array<std::uint16_t, count>& tags, std::uint16_t tag) {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}
constexpr std::uint16_t interoperability_tag = 40965;  // yet another directory, which says "R98"

/// Bytes of a value of each type, and of the numbers that it is made of; 0 where a type is not known.
struct Element {
  std::size_t bytes = 0, number = 1;
};

Element element_of(std::uint16_t type) {
  constexpr std::array<Element, 19> elements = {{{},
                                                 {1},
                                                 {1},
                                                 {2, 2},
                                                 {4, 4},
                                                 {8, 4},
                                                 {1},
                                                 {1},
                                                 {2, 2},
                                                 {4, 4},
                                                 {8, 4},
                                                 {4, 4},
                                                 {8, 8},
                                                 {4, 4},
                                                 {},
                                                 {},
                                                 {8, 8},
                                                 {8, 8},
                                                 {8, 8}}};
  return type < elements.size() ? elements[type] : Element{};
}

/// Reads a TIFF of either byte order, classic or big.
class TiffReader {
 public:
  explicit TiffReader(Bytes file) : file_(file) {
    if (file.size() < 8) return;
    little_ = begins_with(file, "II");
    const std::uint64_t version = number(2, 2);
    big_ = version == 43;
    readable_ =
        (little_ || begins_with(file, "MM")) && (version == 42 || big_) && (!big_ || file.size() >= 16);
    left_ = file.size();
  }

  std::uint64_t first() const { return !readable_ ? 0 : big_ ? number(8, 8) : number(4, 4); }

  enum class Order { machine, file };
  ExifDirectory directory(std::uint64_t at, Order order = Order::machine) {
    ExifDirectory entries;
    const std::size_t count_bytes = big_ ? 8 : 2;
    const std::size_t offset_bytes = big_ ? 8 : 4;
    if (!readable_ || at == 0 || !inside(at, count_bytes)) return entries;
    const std::uint64_t count = number(at, count_bytes);
    at += count_bytes;
    for (std::uint64_t i = 0; i < count && inside(at, 4 + 2 * offset_bytes);
         ++i, at += 4 + 2 * offset_bytes) {
      ExifEntry entry{.tag = static_cast<std::uint16_t>(number(at, 2)),
                      .type = static_cast<std::uint16_t>(number(at + 2, 2)),
                      .count = number(at + 4, offset_bytes),
                      .value = {}};
      const Element element = element_of(entry.type);
      // All values together are no larger than the file, or many entries that share one could fill the
      // memory.
      if (element.bytes == 0 || entry.count > left_ / element.bytes) continue;
      const std::size_t bytes = element.bytes * entry.count;
      const std::uint64_t place =
          bytes <= offset_bytes ? at + 4 + offset_bytes : number(at + 4 + offset_bytes, offset_bytes);
      if (!inside(place, bytes)) continue;
      left_ -= bytes;
      entry.value = bytes_at(file_.data() + place, bytes);
      if (order == Order::machine && little_ != machine_is_little) {
        for (auto value = entry.value.begin(); value != entry.value.end();
             value += static_cast<std::ptrdiff_t>(element.number)) {
          std::reverse(value, value + static_cast<std::ptrdiff_t>(element.number));
        }
      }
      entries.push_back(std::move(entry));
    }
    return entries;
  }

 private:
  bool inside(std::uint64_t at, std::uint64_t bytes) const {
    return at <= file_.size() && bytes <= file_.size() - at;
  }
  std::uint64_t number(std::uint64_t at, std::size_t bytes) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value = value << 8 | std::to_integer<std::uint64_t>(file_[at + (little_ ? bytes - 1 - i : i)]);
    }
    return value;
  }

  Bytes file_;
  bool little_ = false, big_ = false, readable_ = false;
  std::uint64_t left_ = 0;
};

std::uint64_t offset_of(const ExifEntry& entry) {
  std::uint32_t offset = 0;
  std::uint64_t big_offset = 0;
  if (entry.value.size() == sizeof offset) std::memcpy(&offset, entry.value.data(), sizeof offset);
  if (entry.value.size() == sizeof big_offset)
    std::memcpy(&big_offset, entry.value.data(), sizeof big_offset);
  return offset + big_offset;
}

class Writer {
 public:
  /// In the machine's byte order.
  void number(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
      written.push_back(static_cast<std::byte>(value >> 8 * (machine_is_little ? i : bytes - 1 - i)));
    }
  }
  void bytes(Bytes value) { written.insert(written.end(), value.begin(), value.end()); }
  void fill(std::size_t size) { written.resize(std::max(size, written.size())); }

  std::vector<std::byte> written;
};

ExifEntry pointer(std::uint16_t tag, std::uint64_t at) {
  Writer offset;
  offset.number(at, 4);
  return {tag, long_type, 1, offset.written};
}

}  // namespace

std::size_t bytes_of_exif_type(std::uint16_t type) { return element_of(type).bytes; }

bool is_windows_text(const ExifEntry& entry) { return is_among(windows_tags, entry.tag) && entry.type == byte_type && entry.count > 0; }

bool Exif::is_only_resolution() const {
  return photo.empty() && place.empty() &&
         std::all_of(own.begin(), own.end(), [](const ExifEntry& entry) { return is_among(resolution_tags, entry.tag); });
}

Exif exif_in(Bytes tiff, std::uint64_t at) {
  TiffReader reader(tiff);
  Exif exif;
  for (ExifEntry& entry : reader.directory(at != 0 ? at : reader.first())) {
    if (entry.tag == photo_directory_tag && exif.photo.empty())
      exif.photo = reader.directory(offset_of(entry));
    if (entry.tag == place_directory_tag && exif.place.empty())
      exif.place = reader.directory(offset_of(entry));
    if (is_among(text_tags, entry.tag) && entry.type == text_type && !entry.value.empty()) {
      if (entry.value.back() != std::byte{0}) entry.value.push_back(std::byte{0});
      entry.count = entry.value.size();
      exif.own.push_back(std::move(entry));
    } else if (is_among(resolution_tags, entry.tag) || is_windows_text(entry)) {
      exif.own.push_back(std::move(entry));
    }
  }
  const auto is_foreign = [](const ExifEntry& entry) {
    return entry.tag == interoperability_tag || entry.type > last_classic_type;
  };
  std::erase_if(exif.photo, is_foreign);
  std::erase_if(exif.place, is_foreign);
  return exif;
}

ExifDirectory directory_in(Bytes tiff, std::uint64_t at) {
  TiffReader reader(tiff);
  return reader.directory(at != 0 ? at : reader.first());
}

std::vector<std::byte> stored_value(Bytes tiff, std::uint64_t at, std::uint16_t tag) {
  for (ExifEntry& entry : TiffReader(tiff).directory(at, TiffReader::Order::file)) {
    if (entry.tag == tag) return std::move(entry.value);
  }
  return {};
}

std::vector<std::byte> directory_bytes(const ExifDirectory& directory, std::uint64_t at, bool big_tiff) {
  const std::size_t offset_bytes = big_tiff ? 8 : 4;
  const std::size_t count_bytes = big_tiff ? 8 : 2;
  const std::uint64_t end = count_bytes + directory.size() * (4 + 2 * offset_bytes) + offset_bytes;
  Writer head, values;
  head.number(directory.size(), count_bytes);
  for (const ExifEntry& entry : directory) {
    head.number(entry.tag, 2);
    head.number(entry.type, 2);
    head.number(entry.count, offset_bytes);
    const std::size_t entry_end = head.written.size() + offset_bytes;
    if (entry.value.size() <= offset_bytes) {
      head.bytes(entry.value);
      head.fill(entry_end);
    } else {
      head.number(at + end + values.written.size(), offset_bytes);
      values.bytes(entry.value);
      values.fill((values.written.size() + 1) / 2 * 2);  // values begin at even places
    }
  }
  head.number(0, offset_bytes);
  head.bytes(values.written);
  return head.written;
}

std::vector<std::byte> exif_bytes(const Exif& exif) {
  if (exif.empty()) return {};
  constexpr std::uint64_t begin = 8;
  const auto with_pointers = [&](std::uint64_t photo_at, std::uint64_t place_at) {
    ExifDirectory all = exif.own;
    if (!exif.photo.empty()) all.push_back(pointer(photo_directory_tag, photo_at));
    if (!exif.place.empty()) all.push_back(pointer(place_directory_tag, place_at));
    std::stable_sort(all.begin(), all.end(),
                     [](const ExifEntry& a, const ExifEntry& b) { return a.tag < b.tag; });
    return directory_bytes(all, begin, false);
  };
  const std::uint64_t photo_at = begin + with_pointers(0, 0).size();
  const std::vector<std::byte> photo =
      exif.photo.empty() ? std::vector<std::byte>{} : directory_bytes(exif.photo, photo_at, false);
  const std::uint64_t place_at = photo_at + photo.size();
  Writer file;
  file.bytes(bytes_at(machine_is_little ? "II" : "MM", 2));
  file.number(42, 2);
  file.number(begin, 4);
  file.bytes(with_pointers(photo_at, place_at));
  file.bytes(photo);
  if (!exif.place.empty()) file.bytes(directory_bytes(exif.place, place_at, false));
  return file.written;
}

}  // namespace halation::io
