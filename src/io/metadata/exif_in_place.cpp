// exif_in_place.cpp: Exif changed where it lies.
#include "io/metadata/exif_in_place.h"

#include <algorithm>

#include "io/metadata/exif.h"
#include "io/metadata/orientation.h"

namespace halation::io {
namespace {

constexpr std::size_t entry_bytes = 12;
constexpr std::uint16_t interoperability_tag = 40965;

/// Bytes from `begin` up to `end`.
struct Range {
  std::size_t begin = 0, end = 0;

  bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
};

/// How many entries the directory has that lie in the bytes.
std::size_t entries_of(Bytes exif, std::size_t directory) {
  if (directory < 8 || directory > exif.size() || exif.size() - directory < 2) return 0;
  return std::min<std::size_t>(exif_number(exif, directory, 2), (exif.size() - directory - 2) / entry_bytes);
}

/// The place of the directory behind this one; none where that has no room for it.
std::optional<std::size_t> link_of(Bytes exif, std::size_t directory) {
  const std::size_t entries = entries_of(exif, directory);
  if (entries == 0 || entries != exif_number(exif, directory, 2)) return {};
  const std::size_t at = directory + 2 + entries * entry_bytes;
  return at + 4 <= exif.size() ? std::optional(at) : std::nullopt;
}

/// The only number of an entry; none where it has others.
std::optional<std::size_t> value_of(Bytes exif, std::size_t directory, std::uint16_t tag) {
  const auto entry = find_entry(exif, directory, tag);
  if (!entry || exif_number(exif, *entry + 4, 4) != 1) return {};
  const std::uint32_t type = exif_number(exif, *entry + 2, 2);
  if (type != short_type && type != long_type) return {};
  return exif_number(exif, *entry + 8, type == short_type ? 2 : 4);
}

/// Adds where a directory and its values lie.
void add_ranges(Bytes exif, std::size_t directory, std::vector<Range>& ranges) {
  const std::size_t entries = entries_of(exif, directory);
  if (entries == 0) return;
  ranges.push_back({directory, directory + 2 + entries * entry_bytes + 4});
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * entry_bytes;
    const std::size_t bytes =
        bytes_of_exif_type(static_cast<std::uint16_t>(exif_number(exif, entry + 2, 2))) * exif_number(exif, entry + 4, 4);
    const std::size_t at = exif_number(exif, entry + 8, 4);
    if (bytes > 4) ranges.push_back({at, at + bytes});
  }
}

/// All but the thumbnail's own.
std::vector<Range> ranges_beside_thumbnail(Bytes exif) {
  std::vector<Range> ranges = {{0, 8}};
  const std::size_t first = first_directory(exif);
  add_ranges(exif, first, ranges);
  for (const std::uint16_t tag : {photo_directory_tag, place_directory_tag}) {
    const auto directory = value_of(exif, first, tag);
    if (!directory) continue;
    add_ranges(exif, *directory, ranges);
    if (const auto inner = value_of(exif, *directory, interoperability_tag)) add_ranges(exif, *inner, ranges);
  }
  return ranges;
}

/// The samples or the JPEG of the thumbnail.
std::optional<Range> thumbnail_in(Bytes exif, std::size_t directory) {
  constexpr std::pair<std::uint16_t, std::uint16_t> place_and_size[] = {{0x0201, 0x0202}, {0x0111, 0x0117}};
  for (const auto& [place, size] : place_and_size) {
    const auto begin = value_of(exif, directory, place), bytes = value_of(exif, directory, size);
    if (begin && bytes && *bytes > 0 && *begin <= exif.size() && *bytes <= exif.size() - *begin) return Range{*begin, *begin + *bytes};
  }
  return {};
}

/// Has the entries' types, counts and values change places.
void swap_entries(std::vector<std::byte>& exif, std::size_t directory, std::uint16_t a, std::uint16_t b) {
  const auto first = find_entry(exif, directory, a), second = find_entry(exif, directory, b);
  if (!first || !second) return;
  const auto value = [&](std::size_t entry) { return exif.begin() + static_cast<std::ptrdiff_t>(entry); };
  std::swap_ranges(value(*first + 2), value(*first + entry_bytes), value(*second + 2));
}

void set_short(std::vector<std::byte>& exif, std::size_t position, std::int64_t value) {
  const std::size_t low = exif[0] == std::byte{'I'} ? 0 : 1;
  exif[position + low] = static_cast<std::byte>(value);
  exif[position + 1 - low] = static_cast<std::byte>(value >> 8);
}

}  // namespace

std::uint32_t exif_number(Bytes exif, std::size_t position, std::size_t bytes) {
  const bool little = exif[0] == std::byte{'I'};
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value = value << 8 | std::to_integer<std::uint32_t>(exif[position + (little ? bytes - 1 - i : i)]);
  }
  return value;
}

std::size_t first_directory(Bytes exif) {
  return exif.size() >= 14 && (begins_with(exif, "II") || begins_with(exif, "MM")) ? exif_number(exif, 4, 4) : 0;
}

std::optional<std::size_t> find_entry(Bytes exif, std::size_t directory, std::uint16_t tag) {
  for (std::size_t i = 0; i < entries_of(exif, directory); ++i) {
    const std::size_t entry = directory + 2 + i * entry_bytes;
    if (exif_number(exif, entry, 2) == tag) return entry;
  }
  return {};
}

void remove_thumbnail(std::vector<std::byte>& exif) {
  const auto link = link_of(exif, first_directory(exif));
  const std::size_t directory = link ? exif_number(exif, *link, 4) : 0;
  if (directory == 0) return;
  const auto place = [&](std::size_t at) { return exif.begin() + static_cast<std::ptrdiff_t>(at); };
  const std::optional<Range> picture = thumbnail_in(exif, directory);
  const std::vector<Range> others = ranges_beside_thumbnail(exif);
  std::fill_n(place(*link), 4, std::byte{0});
  if (!picture || std::any_of(others.begin(), others.end(), [&](const Range& other) { return picture->meets(other); })) return;
  std::fill(place(picture->begin), place(picture->end), std::byte{0});
  if (picture->end + 1 >= exif.size()) exif.resize(picture->begin);  // a byte may follow that makes the number even
}

void swap_sides(std::vector<std::byte>& exif) {
  constexpr std::uint16_t pixel_x_tag = 0xA002, pixel_y_tag = 0xA003, focal_plane_x_tag = 0xA20E, focal_plane_y_tag = 0xA20F;
  const std::size_t first = first_directory(exif);
  swap_entries(exif, first, x_resolution_tag, y_resolution_tag);
  const auto photo = value_of(exif, first, photo_directory_tag);
  if (!photo) return;
  swap_entries(exif, *photo, pixel_x_tag, pixel_y_tag);
  swap_entries(exif, *photo, focal_plane_x_tag, focal_plane_y_tag);
}

void turn_subject(std::vector<std::byte>& exif, int orientation, const Shape& stored) {
  constexpr std::uint16_t area_tag = 0x9214, location_tag = 0xA214;
  const auto photo = value_of(exif, first_directory(exif), photo_directory_tag);
  if (!photo) return;
  for (const std::uint16_t tag : {area_tag, location_tag}) {
    const auto entry = find_entry(exif, *photo, tag);
    if (!entry || exif_number(exif, *entry + 2, 2) != short_type) continue;
    const std::size_t count = exif_number(exif, *entry + 4, 4);  // x, y; with a circle's diameter, or a rectangle's width and height
    const std::size_t at = count == 2 ? *entry + 8 : exif_number(exif, *entry + 8, 4);
    if (count < 2 || count > 4 || at > exif.size() || 2 * count > exif.size() - at) continue;
    const auto x = static_cast<std::int64_t>(exif_number(exif, at, 2)), y = static_cast<std::int64_t>(exif_number(exif, at + 2, 2));
    if (x >= stored.width || y >= stored.height) continue;  // of another size of the picture
    set_short(exif, at, mirrors_columns(orientation) ? stored.width - 1 - x : x);
    set_short(exif, at + 2, mirrors_rows(orientation) ? stored.height - 1 - y : y);
    for (std::size_t first = 0; first + 1 < count && swaps_sides(orientation); first += 2) {
      const auto bytes = exif.begin() + static_cast<std::ptrdiff_t>(at + 2 * first);
      std::swap_ranges(bytes, bytes + 2, bytes + 2);
    }
  }
}

}  // namespace halation::io
