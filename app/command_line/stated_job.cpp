// stated_job.cpp: a filter's job without a file: the image is stated by its size and pixels.
#include "stated_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "arguments.h"
#include "halation/error.h"

namespace halation::app {
namespace {

Shape shape_of(std::string_view size) {
  const std::vector<std::string_view> parts = split(size, 'x');
  if (parts.size() < 2 || parts.size() > 3)
    throw Error{ErrorCode::invalid_argument,
                fmt::format("--size must be HEIGHTxWIDTH or DEPTHxHEIGHTxWIDTH, got '{}'", size)};
  std::vector<std::int64_t> extents;
  extents.reserve(parts.size());
  for (const std::string_view part : parts)
    extents.push_back(whole_number_from("--size: each extent", part, 1, std::int64_t{1} << 31));
  Shape shape;
  if (extents.size() == 3) shape.depth = extents.front();
  shape.height = extents[extents.size() - 2];
  shape.width = extents.back();
  return shape;
}

/// The filter, with a --size of its own where one was given.
FilterSet filter_of(const std::string& name, const FilterOptions& options, const std::string& own_size,
                    int dims) {
  if (own_size.empty()) return options.make(name, dims);
  if (name == custom_name)
    throw Error{ErrorCode::invalid_argument,
                fmt::format("{}: no parameter --size; it has --weights", custom_name)};
  const NamedFilter& filter = filter_named(name);
  const auto parameter = std::find_if(filter.parameters.begin(), filter.parameters.end(),
                                      [](const Parameter& known) { return known.name == "size"; });
  if (parameter == filter.parameters.end())
    throw Error{ErrorCode::invalid_argument,
                fmt::format("{}: no parameter --size; the image's is typed HEIGHTxWIDTH, got '{}'",
                            filter.name, own_size)};
  Arguments arguments = options.arguments_for(filter);
  arguments[parameter->name] = values_from(filter, *parameter, own_size);
  return make_filter(filter.name, arguments, dims);
}

/// Those of the image where the filter has a meaning in them, else 0: its own.
int dims_of_image(const std::string& filter, const Shape& shape) {
  if (!is_filter(filter)) return 0;
  const std::vector<int>& possible = filter_named(filter).dims;
  return std::find(possible.begin(), possible.end(), shape.dims()) != possible.end() ? shape.dims() : 0;
}

}  // namespace

StatedJobOptions::StatedJobOptions(Command& command, const std::string& heading, const std::string& sizes) {
  OptionGroup options = command.group(heading);
  options.texts("--size", sizes_, "HxW",
                fmt::format("the image, HEIGHTxWIDTH or DEPTHxHEIGHTxWIDTH [{}]; without an x the filter's "
                            "own, as in apply box --size 9",
                            sizes),
                OptionGroup::Several::one_each);
  options.text("--pixel", pixel_, "u8|u16|i16|f16|f32|f64|i8|u32|i32|u64|i64|c64|c128",
               "pixels of image and result [f32]");
  options.text("--channels", channels_, "N", "channels of the image [1]");
  options.text("--border", border_, "constant|replicate|reflect|reflect101|wrap",
               "what lies outside the image, one for all axes, or one each for height,width or depth,height,width [reflect101]");
  options.text("--border-value", border_value_, "V", "the value of the border constant [0]");
  options.text("--accuracy", accuracy_, "exact|fast",
               "whether methods may approximate, by up to 1/1024 of the largest pixel [exact]");
}

StatedJob StatedJobOptions::job(const std::string& filter, const FilterOptions& filter_options,
                                int dims) const {
  StatedJob job;
  std::string own_size, image_size;
  for (const std::string& size : sizes_) (size.find('x') == std::string::npos ? own_size : image_size) = size;
  if (image_size.empty()) image_size = dims == 3 ? "256x256x256" : dims == 1 ? "1x16777216" : "4096x4096";
  job.shape = shape_of(image_size);
  if (channels_) job.shape.channels = whole_number_from("--channels", *channels_, 1, 65536);
  if (pixel_) job.pixel = pixel_named(*pixel_);
  job.filter =
      filter_of(filter, filter_options, own_size, dims > 0 ? dims : dims_of_image(filter, job.shape));
  for (Filter& each : job.filter.filters) each = each.with_dims(job.shape.dims());

  const double value = border_value_ ? number_from("--border-value", *border_value_) : 0;
  const std::vector<Border> borders = borders_from(border_.value_or("reflect101"), value);
  const bool is_constant = std::any_of(borders.begin(), borders.end(), [](const Border& border) {
    return border.mode == Border::Mode::constant;
  });
  if (border_value_ && !is_constant)
    throw Error{ErrorCode::invalid_argument, "--border-value goes with --border constant"};
  const Border& height = borders.size() == 3 ? borders[1] : borders.front();
  job.options.border = {.z = borders.front(), .y = height, .x = borders.back()};
  if (accuracy_) job.options.accuracy = accuracy_named(*accuracy_);
  return job;
}

}  // namespace halation::app
