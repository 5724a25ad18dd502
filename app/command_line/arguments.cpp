// arguments.cpp: texts from the command line become numbers, borders, anchors and weights.
#include "arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/filtering/converted.h"
#include "core/nearest.h"
#include "halation/device.h"
#include "halation/error.h"
#include "halation/filters.h"
#include "halation/io.h"
#include "io/file.h"

namespace halation::app {
namespace {

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

std::string text_of_file(const std::string& path) {
  try {
    const io::Input file(path);
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
  } catch (const Error& error) {
    throw Error{error.code(), path + ": " + error.what()};
  }
}

Filter filter_of_array(const std::string& path) {
  const std::vector<Page> pages = read_pages(path);
  const Shape& shape = pages.front().image.shape();
  if (shape.channels != 1)
    throw Error{ErrorCode::invalid_argument,
                fmt::format("{}: an array of weights has 1 to 3 axes, got 4", path)};
  const Image weights = converted(pages.front().image, Pixel::f64);
  const auto* first = reinterpret_cast<const double*>(weights.view().data);
  return Filter::dense({shape.depth, shape.height, shape.width}, {first, first + shape.elements()});
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

double number_from(std::string_view option, std::string_view text) {
  double number = 0;
  if (!parse_whole(text, number) || !std::isfinite(number))
    throw Error{ErrorCode::invalid_argument,
                fmt::format("{} must be a finite number, got '{}'", option, text)};
  return number;
}

std::int64_t whole_number_from(std::string_view option, std::string_view text, std::int64_t least,
                               std::int64_t most) {
  std::int64_t number = 0;
  if (!parse_whole(text, number) || number < least || number > most)
    throw Error{ErrorCode::invalid_argument,
                fmt::format("{} must be a whole number from {} to {}, got '{}'", option, least, most, text)};
  return number;
}

std::size_t bytes_from(std::string_view option, std::string_view text) {
  constexpr std::string_view units = "KMGT";
  const std::size_t unit = text.empty() ? std::string_view::npos : units.find(text.back());
  const int powers = unit == std::string_view::npos ? 0 : static_cast<int>(unit) + 1;
  double number = 0;
  const bool parsed = parse_whole(text.substr(0, text.size() - (powers > 0 ? 1 : 0)), number);
  const double bytes = std::ldexp(number, 10 * powers);
  if (!parsed || !(bytes >= 1) || bytes > std::ldexp(1.0, 60))
    throw Error{ErrorCode::invalid_argument,
                fmt::format("{} must be a size such as 512M or 1.5G, got '{}'", option, text)};
  return static_cast<std::size_t>(bytes);
}

std::vector<Border> borders_from(std::string_view text, double value) {
  std::vector<Border> borders;
  for (const std::string_view part : split(text, ',')) borders.push_back({border_named(part), value});
  if (borders.size() > 3)
    throw Error{ErrorCode::invalid_argument,
                fmt::format("--border takes one mode, height,width or depth,height,width, got {} modes",
                            borders.size())};
  return borders;
}

std::vector<std::int64_t> anchor_from(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ',');
  if (parts.size() > 3)
    throw Error{ErrorCode::invalid_argument,
                fmt::format("--anchor takes X, Y,X or Z,Y,X, got {} numbers", parts.size())};
  std::vector<std::int64_t> anchor;
  anchor.reserve(parts.size());
  for (const std::string_view part : parts)
    anchor.push_back(whole_number_from("--anchor", part, 0, std::int64_t{1} << 31));
  return anchor;
}

Rounding rounding_from(std::string_view text) {
  if (text == "half_even") return Rounding::half_even;
  if (text == "truncate") return Rounding::truncate;
  refuse_unknown("rounding", text, {"half_even", "truncate"});
}

ArrayLayout layout_from(std::string_view text) {
  const std::vector<std::string> names{"w", "hw", "hwc", "dhw", "dhwc"};  // by_rank is what holds without --layout
  if (std::find(names.begin(), names.end(), text) == names.end()) refuse_unknown("layout", text, names);
  return array_layout_named(text);
}

Sum sum_from(std::string_view text) {
  if (text == "automatic") return Sum::automatic;
  if (text == "f64") return Sum::f64;
  refuse_unknown("sum", text, {"automatic", "f64"});
}

std::optional<Device> device_from(std::string_view text) {
  if (text == "auto") return {};
  return device_named(text);
}

std::vector<Device> devices_from(std::string_view text) {
  std::vector<Device> found;
  if (text == "auto") return found;
  if (text == "cuda:all") {
    for (const DeviceInfo& info : devices()) {
      if (info.device.kind == Device::Kind::cuda) found.push_back(info.device);
    }
    if (found.empty()) throw Error{ErrorCode::device, "--device cuda:all: there is no GPU that this program can use"};
    return found;
  }
  const std::vector<std::string_view> names = split(text, ',');
  for (const std::string_view name : names) {
    const Device device = device_named(name);
    if (names.size() > 1 && device.kind != Device::Kind::cuda)
      throw Error{ErrorCode::invalid_argument, fmt::format("--device takes one device, or several GPUs, got {} among {}", name, names.size())};
    if (std::find(found.begin(), found.end(), device) != found.end())
      throw Error{ErrorCode::invalid_argument, fmt::format("--device names {} twice", name_of(device))};
    found.push_back(device);
  }
  return found;
}

Filter weights_from(std::string_view text_or_file) {
  const std::string path(text_or_file);
  if (path.ends_with(".npy")) return filter_of_array(path).with_name("custom");
  return parse_weights(path.ends_with(".txt") ? text_of_file(path) : path).with_name("custom");
}

}  // namespace halation::app
