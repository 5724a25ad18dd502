// resolution.cpp: how large pixels are, in the units of files.
#include "io/metadata/resolution.h"

#include <algorithm>
#include <cmath>

#include "io/metadata/exif.h"

namespace halation::io {
namespace {

constexpr std::uint16_t rational_type = 5;
constexpr std::uint16_t exif_inch = 2, exif_centimetre = 3;

bool is_resolution(double x, double y) { return x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y); }
bool is_known(const PageView& page) { return is_resolution(page.dots_per_inch_x, page.dots_per_inch_y); }

double rational_in(const ExifEntry& entry) {
  return entry.type != rational_type
             ? 0
             : static_cast<double>(number_in<std::uint32_t>(entry, 0)) / static_cast<double>(number_in<std::uint32_t>(entry, 4));
}

/// To a thousandth where that can be held.
ExifEntry rational(std::uint16_t tag, double value) {
  const std::uint32_t unit = value < 4e6 ? 1000 : 1;
  const std::uint32_t parts[] = {static_cast<std::uint32_t>(std::min(std::round(value * unit), 4294967295.0)), unit};
  return {tag, rational_type, 1, bytes_at(parts, sizeof parts)};
}

}  // namespace

void set_resolution(Metadata& metadata, Density density, ResolutionUnit unit) {
  const double scale = unit == ResolutionUnit::centimetre ? centimetres_per_inch : 1;
  if (!is_resolution(density.x * scale, density.y * scale)) return;
  metadata.dots_per_inch_x = density.x * scale;
  metadata.dots_per_inch_y = density.y * scale;
  metadata.resolution_unit = unit;
}

bool has_named_resolution(const PageView& page) { return is_known(page) && page.resolution_unit != ResolutionUnit::unnamed; }
bool has_unnamed_resolution(const PageView& page) { return is_known(page) && page.resolution_unit == ResolutionUnit::unnamed; }

std::pair<std::uint32_t, std::uint32_t> ratio_of_density(const PageView& page, std::uint32_t most) {
  const double x = page.dots_per_inch_x, y = page.dots_per_inch_y, largest = std::max(x, y);
  if (x == y) return {1, 1};
  const bool are_whole = x == std::floor(x) && y == std::floor(y) && largest <= most;
  const auto whole = [&](double value) {
    return static_cast<std::uint32_t>(are_whole ? value : std::max(1.0, std::round(value / largest * most)));
  };
  return {whole(x), whole(y)};
}

void take_resolution_of_exif(Metadata& metadata) {
  if (metadata.dots_per_inch_x > 0 || metadata.dots_per_inch_y > 0 || metadata.exif.empty()) return;
  Density density;
  std::uint16_t unit = exif_inch;
  for (const ExifEntry& entry : exif_in(metadata.exif).own) {
    if (entry.tag == x_resolution_tag) density.x = rational_in(entry);
    if (entry.tag == y_resolution_tag) density.y = rational_in(entry);
    if (entry.tag == resolution_unit_tag && entry.type == short_type) unit = number_in<std::uint16_t>(entry, 0);
  }
  if (unit == exif_inch || unit == exif_centimetre)
    set_resolution(metadata, density, unit == exif_inch ? ResolutionUnit::inch : ResolutionUnit::centimetre);
}

std::vector<std::byte> exif_with_resolution(const PageView& page) {
  if (!page.exif.empty() || !has_named_resolution(page)) return {page.exif.begin(), page.exif.end()};
  const double scale = page.resolution_unit == ResolutionUnit::centimetre ? 1 / centimetres_per_inch : 1;
  const std::uint16_t unit = page.resolution_unit == ResolutionUnit::centimetre ? exif_centimetre : exif_inch;
  Exif exif;
  exif.own.push_back(rational(x_resolution_tag, page.dots_per_inch_x * scale));
  exif.own.push_back(rational(y_resolution_tag, page.dots_per_inch_y * scale));
  exif.own.push_back({resolution_unit_tag, short_type, 1, bytes_at(&unit, sizeof unit)});
  return exif_bytes(exif);
}

}  // namespace halation::io
