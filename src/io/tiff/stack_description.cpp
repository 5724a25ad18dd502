// stack_description.cpp: ImageJ's lines "images=3", OME's XML and tifffile's JSON, as far as they count pages and samples.
#include "io/tiff/stack_description.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <vector>

#include "io/metadata/exif.h"

namespace halation::io {
namespace {

constexpr std::uint16_t description_tag = 270;

/// The integer at the beginning of a text; 0 where there is none.
std::int64_t number_at(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

std::string_view type_in_ome(Pixel pixel) {
  switch (pixel) {
    case Pixel::u8: return "uint8";
    case Pixel::u16: return "uint16";
    case Pixel::i16: return "int16";
    case Pixel::f32: return "float";
    case Pixel::f64: return "double";
    default:
      return "";
  }
  return "";
}

/// Of one image: that of several lies in pages that are not told apart here.
bool ome_describes(std::string_view xml, std::int64_t samples, const PageView& page) {
  const std::string_view pixels = behind(xml, "<Pixels ");
  if (pixels.empty() || !behind(pixels, "<Pixels ").empty()) return false;
  const std::string_view tag = pixels.substr(0, pixels.find('>'));
  const auto attribute = [&](const std::string& name) { return behind(tag, name + "=\""); };
  const auto size = [&](const char* name) { return number_at(attribute(name)); };
  const std::string_view type = attribute("Type");
  const Shape& shape = page.pixels.shape;
  return size("SizeX") == shape.width && size("SizeY") == shape.height && type.substr(0, type.find('"')) == type_in_ome(page.pixels.pixel) &&
         static_cast<double>(size("SizeZ")) * static_cast<double>(size("SizeC")) * static_cast<double>(size("SizeT")) == static_cast<double>(samples);
}

bool tifffile_describes(std::string_view list, std::int64_t samples, const PageView& page) {
  double product = 1;
  bool has_size = false;
  std::int64_t before = 0;
  for (list = list.substr(0, list.find(']')); !list.empty();) {
    while (!list.empty() && std::isdigit(static_cast<unsigned char>(list.front())) == 0) list.remove_prefix(1);
    if (list.empty()) break;
    const std::int64_t extent = number_at(list);
    has_size = has_size || (before == page.pixels.shape.height && extent == page.pixels.shape.width);
    product *= static_cast<double>(extent);
    before = extent;
    while (!list.empty() && std::isdigit(static_cast<unsigned char>(list.front())) != 0) list.remove_prefix(1);
  }
  return has_size && product == static_cast<double>(samples) * static_cast<double>(page.pixels.shape.width) * static_cast<double>(page.pixels.shape.height);
}

}  // namespace

std::int64_t images_said_by_imagej(std::string_view description) {
  constexpr std::string_view name = "ImageJ=";
  if (!description.starts_with(name)) return 1;
  return std::max<std::int64_t>(1, number_at(behind(description, "\nimages=")));
}

std::string_view stack_program(std::string_view description) {
  if (description.starts_with("ImageJ=")) return "ImageJ";
  return description.find("<OME") != std::string_view::npos ? "OME" : "";
}

bool describes(std::string_view description, std::span<const PageView> pages) {
  const PageView& first = pages.front();
  const auto count = static_cast<std::int64_t>(pages.size());
  const std::int64_t samples = count * first.pixels.shape.channels;  // of a pixel, in all pages
  if (stack_program(description) == "ImageJ") return images_said_by_imagej(description) == count;
  if (stack_program(description) == "OME") return ome_describes(description, samples, first);
  constexpr std::string_view shape = "{\"shape\": [";
  if (description.starts_with(shape)) return tifffile_describes(description.substr(shape.size()), samples, first);
  return true;
}

std::string kept_description(std::span<const PageView> pages, const PageView& page) {
  for (const ExifEntry& entry : exif_in(page.exif).own) {
    const std::string text(reinterpret_cast<const char*>(entry.value.data()), entry.value.size());
    if (entry.tag == description_tag) return describes(text, pages) ? text : "";
  }
  return "";
}

bool keeps_stack_description(std::span<const PageFacts> pages) {
  std::vector<PageView> views;
  for (const PageFacts& page : pages) {
    ConstView pixels;
    pixels.shape = page.shape;
    pixels.pixel = page.pixel;
    views.push_back(PageView::of(pixels, page));
  }
  return stack_program(kept_description(views, views.front())) == pages.front().described_by;
}

}  // namespace halation::io
