// geotiff.cpp: where on earth the pixels of a TIFF lie, and what GDAL and ImageJ say of them.
#include "io/tiff/geotiff.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "io/tiff/imagej.h"

namespace halation::io {
namespace {

constexpr std::uint16_t width_tag = 256, height_tag = 257, gdal_metadata_tag = 42112;
constexpr std::uint16_t double_type = 12;

/// The type that a tag has in GeoTIFF 1.1, by GDAL or by ImageJ; 0 for all others.
std::uint16_t type_of(std::uint16_t tag) {
  switch (tag) {
    case 33550:  // ModelPixelScale
    case 33922:  // ModelTiepoint
    case 34264:  // ModelTransformation
    case 34736:  // GeoDoubleParams
      return double_type;
    case 34735:  // GeoKeyDirectory
      return short_type;
    case 34737:  // GeoAsciiParams
    case gdal_metadata_tag:
    case 42113:  // GDAL_NODATA
      return text_type;
    case imagej_sizes_tag:
      return long_type;
    case imagej_data_tag:
      return byte_type;
    default:
      return 0;
  }
}

bool is_kept(const ExifEntry& entry) { return entry.count > 0 && entry.type == type_of(entry.tag); }

/// Without the smallest and largest value, the mean and others, which were those of the pixels before.
std::vector<std::byte> without_statistics(const std::vector<std::byte>& xml) {
  constexpr std::string_view begin = "<Item name=\"STATISTICS_", end = "</Item>";
  std::string_view rest(reinterpret_cast<const char*>(xml.data()), xml.size());
  std::string kept;
  for (;;) {
    const std::size_t from = rest.find(begin), to = rest.find(end, from);
    if (from == std::string_view::npos || to == std::string_view::npos) break;
    kept += rest.substr(0, from);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \r\n", to + end.size()), rest.size()));
  }
  kept += rest;
  return bytes_at(kept.data(), kept.size());
}

bool fits(const ExifDirectory& entries, const Shape& shape) {
  return std::all_of(entries.begin(), entries.end(), [&](const ExifEntry& entry) {
    return (entry.tag != width_tag || integer_in(entry) == shape.width) && (entry.tag != height_tag || integer_in(entry) == shape.height);
  });
}

}  // namespace

std::vector<std::byte> geotiff_in(Bytes file, std::uint64_t at) {
  ExifDirectory entries = directory_in(file, at);
  std::erase_if(entries, [](const ExifEntry& entry) { return entry.tag != width_tag && entry.tag != height_tag && !is_kept(entry); });
  turn_imagej_data(entries, begins_with(file, "II"));
  if (std::none_of(entries.begin(), entries.end(), is_kept)) return {};
  for (ExifEntry& entry : entries) {
    if (entry.tag == gdal_metadata_tag) entry.value = without_statistics(entry.value);
    if (entry.type != text_type) continue;
    if (entry.value.empty() || entry.value.back() != std::byte{0}) entry.value.push_back(std::byte{0});
    entry.count = entry.value.size();
  }
  return exif_bytes({.own = std::move(entries), .photo = {}, .place = {}});
}

std::string_view title_of_geotiff(Bytes geotiff) {
  const ExifDirectory entries = directory_in(geotiff);
  const bool is_of_imagej = std::any_of(entries.begin(), entries.end(), is_imagej);
  const bool is_of_others = std::any_of(entries.begin(), entries.end(), [](const ExifEntry& entry) { return is_kept(entry) && !is_imagej(entry); });
  return is_of_imagej && !is_of_others ? "ImageJ tags (labels, ranges, regions)" : "GeoTIFF tags";
}

bool geotiff_fits(Bytes geotiff, const Shape& shape) { return fits(directory_in(geotiff), shape); }

ExifDirectory geotiff_for(Bytes geotiff, const Shape& shape) {
  ExifDirectory entries = directory_in(geotiff);
  if (!fits(entries, shape)) return {};
  std::erase_if(entries, [](const ExifEntry& entry) { return !is_kept(entry) || (entry.type == text_type && entry.value.back() != std::byte{0}); });
  return entries;
}

}  // namespace halation::io
