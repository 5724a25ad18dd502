// job_case.cpp: the values of every axis of the sweep, and how points are drawn and made concrete.
#include "job_case.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "weights.h"

namespace halation::sweep {
namespace {

constexpr std::int64_t widths[] = {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 129, 260, 1031, 5003};
constexpr std::int64_t heights[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 70, 131};
constexpr std::int64_t depths[] = {1, 2, 3, 5, 8};
constexpr std::int64_t batches[] = {1, 2, 3};
constexpr std::int64_t channel_counts[] = {1, 2, 3, 4, 5};
constexpr std::int64_t taps_wide[] = {1, 2, 3, 4, 5, 6, 7, 9, 15, 16, 31, 63, 129};
constexpr std::int64_t taps_deep[] = {1, 2, 3, 4, 7};
constexpr Border::Mode modes[] = {Border::Mode::constant, Border::Mode::replicate, Border::Mode::reflect,
                                  Border::Mode::reflect101, Border::Mode::wrap};
constexpr double constants[] = {0, 1.5, -3, 200, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
constexpr double scales[] = {1, 0.5, -1.25, 1.0 / 3};
constexpr double offsets[] = {0, 10, -0.5, 128};
constexpr int thread_counts[] = {0, 1, 3};
constexpr Method methods[] = {Method::automatic, Method::direct, Method::separable, Method::box,
                              Method::fft, Method::banded, Method::low_rank, Method::multirate};
constexpr std::int64_t most_equal_taps = 310;
constexpr std::string_view value_names[] = {"noise", "extremes", "some_not_finite", "smooth", "least_normal", "near_largest", "one_nan",
                                            "one_infinity", "one_minus_infinity", "many_infinities", "all_nan", "all_infinite",
                                            "one_outlier", "few_ones", "dim_half", "nodata_patches"};
static_assert(std::size(value_names) == static_cast<std::size_t>(Values::count));

struct AxisInfo {
  const char* name;
  std::size_t count;
};

constexpr AxisInfo axes[axis_count] = {
    {"width", std::size(widths)},
    {"height", std::size(heights)},
    {"depth", std::size(depths)},
    {"batch", std::size(batches)},
    {"channels", std::size(channel_counts)},
    {"pixel", 6},
    {"output", 7},
    {"taps_x", std::size(taps_wide)},
    {"taps_y", std::size(taps_wide)},
    {"taps_z", std::size(taps_deep)},
    {"anchor", 4},
    {"border_x", std::size(modes)},
    {"border_y", std::size(modes)},
    {"border_z", std::size(modes)},
    {"constant", std::size(constants)},
    {"extent", 3},
    {"operation", 3},
    {"scale", std::size(scales)},
    {"offset", std::size(offsets)},
    {"rounding", 2},
    {"sum", 4},  // f64 one time in four
    {"method", std::size(methods)},
    {"weights", weight_kinds},
    {"filters", 4},
    {"in_layout", 2},
    {"out_layout", 2},
    {"in_strides", 8},
    {"out_strides", 6},
    {"values", std::size(value_names)},
    {"threads", std::size(thread_counts)},
};

Anchor make_anchor(std::size_t kind, const FilterSize& size, Random& random) {
  const auto pick = [&](std::int64_t n) -> std::int64_t {
    switch (kind) {
      case 0: return n / 2;
      case 1: return 0;
      case 2: return n - 1;
      default: return static_cast<std::int64_t>(below(random, static_cast<std::size_t>(n)));
    }
  };
  return {.z = pick(size.depth), .y = pick(size.height), .x = pick(size.width)};
}

}  // namespace

std::size_t value_count(std::size_t axis) { return axes[axis].count; }
const char* axis_name(std::size_t axis) { return axes[axis].name; }
std::string_view name_of(Values values) { return value_names[static_cast<std::size_t>(values)]; }

Point random_point(std::uint64_t seed, std::uint64_t index) {
  Random random(seed * 0x9e3779b97f4a7c15 + index);
  Point point{};
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    point[axis] = static_cast<std::uint8_t>(below(random, value_count(axis)));
  }
  // What chance seldom brings together: plain jobs over bytes, thin images, and weights that the method asked for takes.
  const auto choose = [&](std::size_t axis, std::initializer_list<std::size_t> list) {
    point[axis] = static_cast<std::uint8_t>(*(list.begin() + below(random, list.size())));
  };
  if (below(random, 8) == 0) {
    for (const std::size_t axis : {pixel, scale, offset, constant, sum, filters}) point[axis] = 0;
    choose(output, {0, 0, 1, 3});
    if (below(random, 2) == 0) {
      for (const std::size_t axis : {taps_x, taps_y}) point[axis] = 2;
      point[taps_z] = 0;
    }
  }
  switch (below(random, 16)) {  // thin: signals, and columns
    case 0:
      for (const std::size_t axis : {height, depth, taps_y, taps_z}) point[axis] = 0;
      choose(width, {15, 16, 17});
      break;
    case 1:
      for (const std::size_t axis : {depth, taps_z}) point[axis] = 0;
      choose(width, {0, 1, 2});
      choose(height, {10, 11, 12});
      choose(taps_x, {0, 0, 2});
      break;
    default: break;
  }
  if (below(random, 3) == 0) return point;
  switch (methods[point[method]]) {
    case Method::box: choose(weights, {first_equal_kind, first_equal_kind + 1}); break;
    case Method::low_rank:
      point[weights] = low_rank_kind;
      point[taps_z] = 0;
      choose(pixel, {0, 1, 2});
      break;
    case Method::multirate:
      point[weights] = smooth_kind;
      for (const std::size_t axis : {taps_x, taps_y}) choose(axis, {0, 10, 11, 12, 12});
      break;
    default: break;
  }
  return point;
}

JobCase random_case(std::uint64_t seed, std::uint64_t index, double most_work) {
  const Special special = index % 100 == 0 ? Special::large : index % 25 == 0 ? Special::longer_than_axis : Special::none;
  return make_case(random_point(seed, index), seed + index, most_work, special);
}

JobCase make_case(const Point& point, std::uint64_t seed, double most_work, Special special) {
  Random random(seed);
  JobCase made;
  made.seed = seed;
  PlanSpec& spec = made.spec;
  Shape shape{batches[point[batch]], depths[point[depth]], heights[point[height]], widths[point[width]],
              channel_counts[point[channels]]};
  FilterSize size{.depth = taps_deep[point[taps_z]], .height = taps_wide[point[taps_y]], .width = taps_wide[point[taps_x]]};
  if (has_equal_weights(point[weights])) {  // windows of any size cost the same
    for (std::int64_t* taps : {&size.height, &size.width}) {
      if (below(random, 2) == 0) *taps = 1 + static_cast<std::int64_t>(below(random, most_equal_taps));
    }
    most_work *= 4;
  }
  const bool is_large = special == Special::large;
  const bool is_longer = special == Special::longer_than_axis;
  if (is_large || is_longer) most_work *= 50;
  if (is_large) {
    size = {.height = 15 + static_cast<std::int64_t>(below(random, 17)), .width = 15 + static_cast<std::int64_t>(below(random, 17))};
    if (shape.height == 1) size = {.width = 129};
  }
  if (is_longer) {  // but not so much that it would be folded
    size = {.height = 60 + static_cast<std::int64_t>(below(random, 120))};
    shape.height = size.height - static_cast<std::int64_t>(below(random, static_cast<std::size_t>(size.height) / 2));
    shape.depth = shape.batch = 1;
    if (below(random, 4) != 0) shape.channels = 1;
    shape.width = 16 + static_cast<std::int64_t>(below(random, below(random, 4) == 0 ? 700 : 60));
  }
  const auto work = [&] {
    const bool full = point[extent] == 2;
    const auto out = [&](std::int64_t n, std::int64_t k) { return static_cast<double>(full ? n + k - 1 : n); };
    return out(shape.depth, size.depth) * out(shape.height, size.height) * out(shape.width, size.width) *
           static_cast<double>(shape.batch * shape.channels * size.taps());
  };
  if (point[extent] == 1 && below(random, 4) != 0) {  // else there may be no output
    size.depth = std::min(size.depth, shape.depth);
    size.height = std::min(size.height, shape.height);
    size.width = std::min(size.width, shape.width);
  }
  // Halves what is largest, so that thin and wide shapes stay what they are; of half of the cases extents only, so that filters are
  // longer than what they filter.
  const bool keeps_taps = below(random, 2) == 0;
  while (work() > most_work) {
    std::int64_t* const all[] = {&shape.batch, &shape.depth, &shape.height, &shape.width, &size.depth, &size.height, &size.width};
    std::int64_t* const without_width[] = {&shape.depth, &shape.height, &size.depth, &size.height, &size.width, &shape.batch};
    const auto less = [](auto* a, auto* b) { return *a < *b; };
    std::int64_t* cut = keeps_taps ? *std::max_element(all, all + 4, less)
                                   : *std::max_element(std::begin(without_width), std::end(without_width), less);
    if (*cut == 1) cut = *std::max_element(std::begin(all), std::end(all), less);
    *cut = (*cut + 1) / 2;
  }

  spec.shape = shape;
  spec.pixel = native_pixels[is_longer && below(random, 2) == 0 ? 4 : point[pixel]];
  Options& options = spec.options;
  if (point[output] > 0) options.output = native_pixels[point[output] - 1];
  const double value = constants[point[constant]];
  const auto border = [&](std::size_t axis) {
    const Border::Mode mode = modes[point[axis]];
    return Border{mode, mode == Border::Mode::constant ? value : 0};
  };
  options.border = {.z = border(border_z), .y = border(border_y), .x = border(border_x)};
  options.extent = static_cast<Extent>(point[extent]);
  options.operation = point[operation] == 1 ? Operation::correlation : Operation::convolution;
  options.scale = scales[point[scale]];
  options.offset = offsets[point[offset]];
  options.rounding = static_cast<Rounding>(point[rounding]);
  options.sum = point[sum] == 3 ? Sum::f64 : Sum::automatic;
  options.method = is_large && below(random, 2) == 0 ? Method::automatic : methods[point[method]];
  const bool over_floats = spec.pixel == Pixel::f32 || spec.pixel == Pixel::f16;
  const bool only_fast = options.method == Method::multirate || (options.method == Method::banded && over_floats);
  const bool may_be_fast = options.method == Method::automatic || options.method == Method::fft;
  if (only_fast || (may_be_fast && below(random, 4) == 0)) options.accuracy = Accuracy::fast;
  options.threads = thread_counts[point[threads]];

  // One filter; two outputs of filters of two sizes (of one size where the extent asks for it); a magnitude; one that is a correlation.
  const std::size_t kind = is_large && below(random, 2) == 0 ? 2 : point[weights];
  made.integer_weights = has_integer_weights(kind);
  const std::size_t count = point[filters] == 1 || point[filters] == 2 ? 2 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    FilterSize own = size;
    if (i == 1 && options.extent == Extent::same) std::swap(own.width, own.height);
    Filter filter = make_filter_of(kind, own, random).with_anchor(make_anchor(point[anchor], own, random));
    if (point[operation] == 2) filter = filter.as_correlation();
    spec.filters.push_back(std::move(filter));
  }
  if (point[filters] == 2) spec.combine = Combine::magnitude;

  made.in_layout = static_cast<Layout>(point[in_layout]);
  made.out_layout = static_cast<Layout>(point[out_layout]);
  made.in_arrangement = static_cast<Arrangement>(point[in_strides]);
  made.out_arrangement = static_cast<Arrangement>(point[out_strides]);
  made.values = static_cast<Values>(point[values]);
  if (is_longer && below(random, 2) == 0) options.threads = 1;
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    made.text += std::string(axis_name(axis)) + "=" + std::to_string(point[axis]) + " ";
  }
  made.text += "| " + to_string(shape) + " " + std::string(name_of(spec.pixel)) + ", filter " + std::to_string(size.depth) + "x" +
               std::to_string(size.height) + "x" + std::to_string(size.width) + ", " + std::string(name_of(made.values)) +
               (options.accuracy == Accuracy::fast ? ", fast" : "");
  return made;
}

namespace {

/// Pictures of the bench's sweep, but the largest: extents, then channels, pixels and sizes; dense weights, packed rows.
JobCase bench_case(std::uint64_t index) {
  const auto next = [&index](std::size_t count) {
    const std::size_t place = index % count;
    index /= count;
    return place;
  };
  JobCase made;
  PlanSpec& spec = made.spec;
  const auto k = static_cast<std::int64_t>(3 + 2 * next(7));
  constexpr Pixel pixels[] = {Pixel::u8, Pixel::u16, Pixel::f16, Pixel::f32};
  spec.pixel = pixels[next(std::size(pixels))];
  constexpr std::int64_t channel_choices[] = {1, 3, 4};
  spec.shape.channels = channel_choices[next(std::size(channel_choices))];
  constexpr std::int64_t extents[][2] = {{512, 512}, {2048, 2048}, {4099, 8191}};
  const auto& [height, width] = extents[next(std::size(extents))];
  spec.shape.height = height;
  spec.shape.width = width;
  Random random(static_cast<std::uint64_t>(k));
  spec.filters.push_back(make_filter_of(1, {.height = k, .width = k}, random));
  made.text = to_string(spec.shape) + " " + std::string(name_of(spec.pixel)) + ", bench, " + std::to_string(k) + "x" + std::to_string(k);
  return made;
}

/// Extents of about so many samples: few are multiples of 4, and some are long and thin.
void draw_extents(Random& random, std::size_t dimensions, double pixels, Shape& shape) {
  const auto extent_of = [&](double wanted) {
    const auto whole = std::max<std::int64_t>(1, std::llround(wanted));
    return below(random, 2) == 0 ? (whole + 15) / 16 * 16 : whole;
  };
  const double thin = std::exp(uniform(random, -1.5, 1.5));
  if (dimensions == 1) {
    shape.width = extent_of(pixels);
  } else if (dimensions == 2) {
    shape.width = extent_of(std::sqrt(pixels) * thin);
    shape.height = extent_of(std::sqrt(pixels) / thin);
  } else {
    shape.width = extent_of(std::cbrt(pixels) * thin);
    shape.height = extent_of(std::cbrt(pixels));
    shape.depth = extent_of(std::cbrt(pixels) / thin);
  }
}

std::string text_of(const JobCase& made, std::size_t kind, Border::Mode mode) {
  const PlanSpec& spec = made.spec;
  const FilterSize size = spec.filters.front().size();
  return to_string(spec.shape) + " " + std::string(name_of(spec.pixel)) +
         (spec.options.output ? " -> " + std::string(name_of(*spec.options.output)) : "") + ", filter " + std::to_string(size.depth) + "x" +
         std::to_string(size.height) + "x" + std::to_string(size.width) + " kind " + std::to_string(kind) + ", border " +
         std::string(name_of(mode)) + (made.in_layout == Layout::planar ? ", planar" : "") + ", rows " +
         std::to_string(static_cast<int>(made.in_arrangement)) + " -> " + std::to_string(static_cast<int>(made.out_arrangement));
}

}  // namespace

JobCase usual_case(std::uint64_t seed, std::uint64_t index) {
  if (seed == 0) return bench_case(index);
  Random random(seed * 0x9e3779b97f4a7c15 + index);
  JobCase made;
  made.seed = seed + index;
  PlanSpec& spec = made.spec;
  const auto one_of = [&]<class T>(std::initializer_list<T> list) { return *(list.begin() + below(random, list.size())); };
  constexpr std::int64_t channel_choices[] = {1, 1, 1, 3, 4, 2};
  spec.shape.channels = channel_choices[below(random, std::size(channel_choices))];
  const double pixels = std::exp(uniform(random, std::log(1e5), std::log(2e7))) / static_cast<double>(spec.shape.channels);
  const std::size_t dimensions = one_of({std::size_t{1}, std::size_t{2}, std::size_t{2}, std::size_t{2}, std::size_t{2}, std::size_t{3}});
  draw_extents(random, dimensions, pixels, spec.shape);
  spec.pixel = one_of({Pixel::u8, Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32, Pixel::f32, Pixel::f32, Pixel::f64});
  if (below(random, 3) == 0) spec.options.output = one_of({Pixel::f32, Pixel::u8, Pixel::i16});
  const Border::Mode mode = modes[below(random, std::size(modes))];
  spec.options.border = Border{mode, 0};

  const std::int64_t most = dimensions == 3 ? 9 : 65;
  const auto odd = [&] { return 3 + 2 * static_cast<std::int64_t>(std::exp(uniform(random, 0, std::log(static_cast<double>(most - 1) / 2))) - 1); };
  const std::int64_t k = odd();
  FilterSize size{.depth = dimensions == 3 ? k : 1, .height = dimensions == 1 ? 1 : k, .width = k};
  switch (below(random, 6)) {  // along one axis, or of different lengths
    case 0: size.height = size.depth = 1; break;
    case 1: size.width = dimensions == 1 ? k : 1; break;
    case 2: size.width = odd(); break;
    default: break;
  }
  const std::size_t kind = one_of({std::size_t{1}, std::size_t{0}, std::size_t{4}, std::size_t{4}, std::size_t{8}});
  if (kind < 4 && size.taps() > 2000) size = {.depth = 1, .height = std::min<std::int64_t>(size.height, 15), .width = std::min<std::int64_t>(size.width, 15)};
  spec.filters.push_back(make_filter_of(kind, size, random));
  made.integer_weights = kind == 0;
  if (spec.shape.channels > 1 && below(random, 4) == 0) made.in_layout = made.out_layout = Layout::planar;
  made.in_arrangement = one_of({Arrangement::packed, Arrangement::packed, Arrangement::packed, Arrangement::pitched, Arrangement::sub_rectangle});
  made.out_arrangement = one_of({Arrangement::packed, Arrangement::packed, Arrangement::packed, Arrangement::pitched});
  made.text = text_of(made, kind, mode);
  return made;
}

JobCase large_case(std::uint64_t seed, std::uint64_t index, double times) {
  Random random(seed * 0x9e3779b97f4a7c15 + index);
  JobCase made;
  made.seed = seed + index;
  PlanSpec& spec = made.spec;
  const auto one_of = [&]<class T>(std::initializer_list<T> list) { return *(list.begin() + below(random, list.size())); };
  const auto grown = [&](double least, double most) { return std::exp(uniform(random, std::log(least), std::log(most))); };
  spec.shape.channels = one_of({std::int64_t{1}, std::int64_t{1}, std::int64_t{1}, std::int64_t{3}, std::int64_t{4}, std::int64_t{2}});
  const double pixels = times * grown(3e3, 4e6) / static_cast<double>(spec.shape.channels);
  const auto dimensions = one_of({std::size_t{1}, std::size_t{2}, std::size_t{2}, std::size_t{2}, std::size_t{3}, std::size_t{3}});
  draw_extents(random, dimensions, pixels, spec.shape);
  spec.pixel = one_of({Pixel::u8, Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32, Pixel::f32, Pixel::f32, Pixel::f64});
  if (below(random, 3) == 0) spec.options.output = one_of({Pixel::f32, Pixel::u8, Pixel::i16});
  const Border::Mode mode = modes[below(random, std::size(modes))];
  spec.options.border = Border{mode, 0};

  const double most = dimensions == 3 ? 40 : 512;
  const auto length = [&] { return static_cast<std::int64_t>(grown(1, most)); };
  const std::int64_t k = length();
  FilterSize size{.depth = dimensions == 3 ? k : 1, .height = dimensions == 1 ? 1 : k, .width = k};
  switch (below(random, 6)) {
    case 0: size.height = size.depth = 1; break;
    case 1: size.width = dimensions == 1 ? k : 1; break;
    case 2: size.width = length(); break;
    case 3: size.height = dimensions == 1 ? 1 : length(); break;
    default: break;
  }
  const auto kind = one_of({std::size_t{1}, std::size_t{1}, std::size_t{2}, std::size_t{0}, std::size_t{4}, std::size_t{4}, std::size_t{8}});
  spec.filters.push_back(make_filter_of(kind, size, random));
  made.integer_weights = kind == 0;
  if (below(random, kind == 4 ? 2 : 3) == 0) spec.options.accuracy = Accuracy::fast;
  if (spec.shape.channels > 1 && below(random, 4) == 0) made.in_layout = made.out_layout = Layout::planar;
  made.text = text_of(made, kind, mode) + (spec.options.accuracy == Accuracy::fast ? ", fast" : "");
  return made;
}

JobCase beside_case(std::uint64_t seed, std::uint64_t index, double times) {
  Random random(seed * 0x9e3779b97f4a7c15 + index);
  JobCase made;
  made.seed = seed + index;
  PlanSpec& spec = made.spec;
  Shape& shape = spec.shape;
  const auto one_of = [&]<class T>(std::initializer_list<T> list) { return *(list.begin() + below(random, list.size())); };
  const auto grown = [&](double least, double most) { return std::exp(uniform(random, std::log(least), std::log(most))); };
  const auto whole = [&](double least, double most) { return static_cast<std::int64_t>(grown(least, most)); };
  double samples = times * grown(1e5, 2e7);
  shape.channels = one_of({std::int64_t{1}, std::int64_t{1}, std::int64_t{3}, std::int64_t{4}});
  spec.pixel = one_of({Pixel::u8, Pixel::u16, Pixel::i16, Pixel::f16, Pixel::f32, Pixel::f32});
  const Border::Mode mode = modes[below(random, std::size(modes))];
  spec.options.border = Border{mode, 0};
  FilterSize size{.height = 3 + 2 * static_cast<std::int64_t>(below(random, 3))};
  size.width = size.height;
  std::size_t kind = 1, rank = 0;
  switch (below(random, 7)) {
    case 0:  // many small images
      shape.height = whole(6, 100);
      shape.width = below(random, 2) == 0 ? (shape.height + 3) / 4 * 4 : whole(6, 100);
      shape.batch = std::max<std::int64_t>(1, static_cast<std::int64_t>(samples) / (shape.height * shape.width * shape.channels));
      break;
    case 1:  // volumes
      shape.channels = 1;
      draw_extents(random, 3, samples, shape);
      shape.width = (shape.width + 3) / 4 * 4;
      kind = one_of({std::size_t{1}, std::size_t{4}});
      size.height = size.width = size.depth = 3 + 2 * static_cast<std::int64_t>(below(random, kind == 4 ? 4 : 3));
      break;
    case 2:  // long factors over bytes
      spec.pixel = Pixel::u8;
      draw_extents(random, 2, samples / static_cast<double>(shape.channels), shape);
      kind = 4;
      size.height = whole(5, 97);
      size.width = below(random, 3) == 0 ? whole(5, 97) : size.height;
      break;
    case 3:  // f64
      spec.pixel = Pixel::f64;
      draw_extents(random, 2, samples / static_cast<double>(shape.channels), shape);
      break;
    case 4:  // ranks
      shape.channels = one_of({std::int64_t{1}, std::int64_t{1}, std::int64_t{3}});
      draw_extents(random, 2, samples / static_cast<double>(shape.channels), shape);
      size.height = whole(5, 64);
      size.width = below(random, 3) == 0 ? whole(5, 64) : size.height;
      rank = 2 + below(random, 7);
      break;
    case 5:  // thin
      shape.height = whole(1, 9);
      shape.width = std::max<std::int64_t>(1, static_cast<std::int64_t>(samples) / (shape.height * shape.channels));
      if (below(random, 2) == 0) std::swap(shape.height, shape.width);
      size.height = size.width = whole(3, 32);
      kind = one_of({std::size_t{1}, std::size_t{4}});
      break;
    default:  // odd rows
      shape.height = std::llround(std::sqrt(samples / static_cast<double>(shape.channels)));
      shape.width = shape.height | 1;
      size.height = size.width = 3 + 2 * static_cast<std::int64_t>(below(random, 4));
      break;
  }
  spec.filters.push_back(rank > 0 ? filter_of_rank(rank, size, random) : make_filter_of(kind, size, random));
  made.text = text_of(made, kind, mode) + (rank > 0 ? ", rank " + std::to_string(rank) : "");
  return made;
}

std::optional<Filters> filters_named(std::string_view name) {
  if (name == "usual") return Filters::usual;
  if (name == "large") return Filters::large;
  if (name == "beside") return Filters::beside;
  return std::nullopt;
}

JobCase case_of(Filters filters, std::uint64_t seed, std::uint64_t index, double times) {
  switch (filters) {
    case Filters::usual: return usual_case(seed, index);
    case Filters::large: return large_case(seed, index, times);
    case Filters::beside: return beside_case(seed, index, times);
  }
  throw std::logic_error("no such filters");
}

}  // namespace halation::sweep
