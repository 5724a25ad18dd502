// display.cpp: results as pictures: filtered to floats, counted where a pixel cannot hold them, and rounded
// by one linear tone.
#include "pipeline/colour/display.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/convert.h"
#include "core/nearest.h"
#include "core/threads.h"
#include "halation/error.h"
#include "halation/threads.h"
#include "pipeline/chain/prepared_chain.h"
#include "pipeline/colour/colour.h"
#include "pipeline/colour/srgb.h"

namespace halation {
namespace {

constexpr std::pair<std::string_view, Display> displays[] = {
    {"signed", Display::signed_values}, {"abs", Display::magnitude}, {"stretch", Display::stretched}};

Interval range_of(Pixel pixel) {
  return is_float(pixel) ? Interval{0, 1} : Interval{smallest(pixel), largest(pixel)};
}

double middle_of(Pixel pixel) {
  const Interval range = range_of(pixel);
  return is_float(pixel) ? 0.5 : (range.least + range.most + 1) / 2;
}

/// Sums of the positive and of the negative weights.
struct Signs {
  double up = 0;
  double down = 0;
};

Signs signs_of(std::span<const double> weights) {
  Signs signs;
  for (const double weight : weights) (weight > 0 ? signs.up : signs.down) += weight;
  return signs;
}

Signs signs_of(const Filter& filter) {
  if (!filter.factors()) return signs_of(filter.weights());
  Signs product{.up = 1, .down = 0};
  for (const std::span<const double> factor : filter.factors()->axes()) {
    const Signs signs = signs_of(factor);
    product = {product.up * signs.up + product.down * signs.down,
               product.up * signs.down + product.down * signs.up};
  }
  return product;
}

Interval results_of(const FilterSet& filter, Interval pixels) {
  Interval results;
  double squares = 0;
  for (const Filter& each : filter.filters) {
    const Signs signs = signs_of(each);
    results = {signs.up * pixels.least + signs.down * pixels.most,
               signs.up * pixels.most + signs.down * pixels.least};
    squares += std::pow(std::max(std::abs(results.least), std::abs(results.most)), 2);
  }
  return filter.combine == Combine::magnitude ? Interval{0, std::sqrt(squares)} : results;
}

/// `interval` and the constants of borders.
Interval with_borders(Interval interval, const Borders& borders) {
  for (const Border& border : borders.axes()) {
    if (border.mode != Border::Mode::constant) continue;
    interval = {std::min(interval.least, border.value), std::max(interval.most, border.value)};
  }
  return interval;
}

/// Calls fold(sum, row) for each row of `view`, in any order, each block of rows with a sum of its own, and
/// adds these. At most `threads` run at once, 0: as many as a call may use.
template <class Sum, class Fold>
Sum over_rows(const ConstView& view, int threads, const Fold& fold) {
  const Shape& shape = view.shape;
  const std::int64_t rows = shape.batch * shape.depth * shape.height;
  constexpr std::int64_t worth_threads = 1 << 16;  // elements, below which starting threads costs too much
  std::int64_t blocks = threads > 0 ? threads : 4 * available_threads();
  if (shape.elements() < worth_threads) blocks = 1;
  std::vector<Sum> sums(static_cast<std::size_t>(blocks));
  const auto run_block = [&](std::int64_t block) {
    Sum sum{};
    for (std::int64_t row = rows * block / blocks; row < rows * (block + 1) / blocks; ++row) {
      const std::int64_t plane = row / shape.height;
      fold(sum, view.data + plane / shape.depth * view.strides.batch +
                    plane % shape.depth * view.strides.depth + row % shape.height * view.strides.height);
    }
    sums[static_cast<std::size_t>(block)] = sum;
  };
  if (blocks == 1) {
    run_block(0);
  } else {
    in_threads(blocks, run_block);
  }
  Sum all{};
  for (const Sum& sum : sums) all += sum;
  return all;
}

/// Calls each(first, count) for the colours of a row, as many at once as lie side by side.
template <class T, class Each>
void for_runs(const ConstView& view, const std::byte* row, const Each& each) {
  constexpr auto element = static_cast<std::int64_t>(sizeof(T));
  const Shape& shape = view.shape;
  const auto at = [&](std::int64_t x, std::int64_t c) {
    return reinterpret_cast<const T*>(row + x * view.strides.width + c * view.strides.channels);
  };
  const bool pixels_packed = view.strides.channels == element;
  if (pixels_packed && view.strides.width == shape.channels * element)
    return each(at(0, 0), shape.width * shape.channels);
  for (std::int64_t x = 0; x < shape.width; ++x) {
    if (pixels_packed) {
      each(at(x, 0), shape.channels);
    } else {
      for (std::int64_t c = 0; c < shape.channels; ++c) each(at(x, c), 1);
    }
  }
}

/// How many elements pass a test. Sums as wide as the elements, which a compiler makes SIMD of, hold 255 of
/// them.
template <class T, class Test>
std::int64_t counted(const T* first, std::int64_t count, const Test& test) {
  using Few = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                 std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;
  std::int64_t all = 0;
  for (std::int64_t at = 0; at < count; at += 255) {
    Few few = 0;
    const T* const end = first + std::min(count, at + 255);
    for (const T* element = first + at; element < end; ++element)
      few = static_cast<Few>(few + (test(*element) ? 1 : 0));
    all += few;
  }
  return all;
}

/// The colours of an image whose last channel may be alpha.
ConstView colours_of(ConstView view, bool alpha) {
  if (alpha) --view.shape.channels;
  return view;
}

std::int64_t samples_at_ends(const ConstView& result, bool alpha, int threads) {
  return visit_pixel(result.pixel, [&]<class T>(T) {
    const ConstView colours = colours_of(result, alpha);
    return over_rows<std::int64_t>(colours, threads, [&](std::int64_t& sum, const std::byte* row) {
      for_runs<T>(colours, row, [&](const T* first, std::int64_t count) {
        if constexpr (std::is_integral_v<T>) {
          constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
          sum += counted(first, count, [](T element) { return (element == least) | (element == most); });
        }
      });
    });
  });
}

/// Values v become less than the range where v < low, and more where v >= high.
template <class T>
struct Limits {
  T low, high;
};

template <class T>
Limits<T> limits_of(const Interval& range, Rounding rounding) {
  if constexpr (std::is_integral_v<T>) {
    return {static_cast<T>(range.least), static_cast<T>(range.most + 1)};
  } else if (rounding == Rounding::truncate) {
    return {std::nextafter(static_cast<T>(range.least - 1), std::numeric_limits<T>::infinity()),
            static_cast<T>(range.most + 1)};
  } else {  // the least is even and the most odd, so that halves go into the range below and out of it above
    return {static_cast<T>(range.least - 0.5), static_cast<T>(range.most + 0.5)};
  }
}

/// `part` of an image by the filter that changes nothing, into the same part of another.
void convert(ConstView from, View to, const Tone& tone, const Options& options) {
  const FilterSet unit({Filter({1.0})}, tone.magnitude ? Combine::magnitude : Combine::none);
  convolve(from, to, unit,
           {.output = to.pixel,
            .scale = tone.scale,
            .offset = tone.offset,
            .rounding = options.rounding,
            .sum = Sum::f64,
            .threads = options.threads});
}

void check_memory(const ConstView& in) {
  if (shares_memory(in.device, cpu())) return;
  throw Error(ErrorCode::invalid_argument,
              "display needs an image in host memory, got one on " + name_of(in.device));
}

}  // namespace

Display display_named(std::string_view name) {
  for (const auto& [known, display] : displays) {
    if (known == name) return display;
  }
  std::vector<std::string> choices;
  for (const auto& [known, display] : displays) choices.emplace_back(known);
  refuse_unknown("view", name, choices);
}

std::string_view name_of(Display display) {
  for (const auto& [name, known] : displays) {
    if (known == display) return name;
  }
  throw Error(ErrorCode::invalid_argument, "not a display");
}

Clipped& Clipped::operator+=(const Clipped& more) {
  samples += more.samples;
  below += more.below;
  above += more.above;
  return *this;
}

Interval results_of(const Chain& chain, Pixel input, Pixel output, const Options& options, bool linear) {
  const auto decoded = [&](double value) { return srgb_decode(value / range_of(input).most); };
  Borders borders = options.border;
  if (linear) {
    for (Border* const border : {&borders.z, &borders.y, &borders.x}) border->value = decoded(border->value);
  }
  Interval results = range_of(input);
  if (linear) results = {decoded(results.least), decoded(results.most)};
  for (const FilterSet& stage : chain.stages) results = results_of(stage, with_borders(results, borders));
  const auto encoded = [&](double light) { return range_of(output).most * srgb_encode(light); };
  if (linear) results = {encoded(results.least), encoded(results.most)};
  const double a = options.scale * results.least + options.offset;
  const double b = options.scale * results.most + options.offset;
  return {std::min(a, b), std::max(a, b)};
}

Options unrounded(const Options& options, Pixel input, const ColourOptions& colour) {
  Options wide = options;
  const Pixel output = options.output.value_or(input);
  const bool in_f64 =
      input == Pixel::f64 || !is_native(input) || output == Pixel::f64 || options.sum == Sum::f64;
  wide.output = in_f64 ? Pixel::f64 : Pixel::f32;
  // Light is encoded to [0, 1] of a float, and to all of an integer's range.
  if (colour.linear) wide.scale *= range_of(output).most;
  return wide;
}

bool can_clip(const Chain& chain, Pixel input, Pixel output, const Options& options,
              const ColourOptions& colour) {
  if (is_float(output) || !is_native(output) || options.overflow == Overflow::wrap) return false;
  if (is_float(input)) return true;
  const Interval range = range_of(output);
  const Interval results = results_of(chain, input, output, options, colour.linear);
  constexpr double slack =
      0.25;  // for weights whose sum is 1 but for rounding: less than half a level is no clipping
  return results.least < range.least - slack || results.most > range.most + slack;
}

Tone signed_tone(Interval results, Pixel output) {
  const double largest = std::max(std::abs(results.least), std::abs(results.most));
  const double middle = middle_of(output);
  return {.scale = largest > 0 ? (range_of(output).most - middle) / largest : 0, .offset = middle};
}

Extremes& Extremes::operator+=(const Extremes& more) {
  least = std::min(least, more.least);
  most = std::max(most, more.most);
  return *this;
}

Extremes extremes_of(const ConstView& unrounded_image, bool alpha, int threads) {
  const ConstView colours = colours_of(unrounded_image, alpha);
  return visit_pixel(colours.pixel, [&]<class T>(T) {
    return over_rows<Extremes>(colours, threads, [&](Extremes& sum, const std::byte* row) {
      for_runs<T>(colours, row, [&](const T* first, std::int64_t count) {
        for (const T* element = first; element < first + count; ++element) {
          const auto value = static_cast<double>(*element);
          if (std::isfinite(value)) sum += {value, value};
        }
      });
    });
  });
}

Tone tone_of(Display display, const Chain& chain, Pixel input, Pixel output, const Options& options, bool linear,
             const Extremes& found) {
  switch (display) {
    case Display::signed_values: {
      Options plain = options;
      plain.scale = 1;
      plain.offset = 0;
      return signed_tone(results_of(chain, input, output, plain, linear), output);
    }
    case Display::magnitude:
      return {.magnitude = true};
    case Display::stretched: {
      const Interval range = range_of(output);
      if (!(found.least < found.most)) return {.scale = 0, .offset = middle_of(output)};
      const double scale = (range.most - range.least) / (found.most - found.least);
      return {.scale = scale, .offset = range.least - scale * found.least};
    }
  }
  throw Error(ErrorCode::invalid_argument, "not a display");
}

Clipped clipped(const ConstView& unrounded_image, const Tone& tone, Pixel output, const Options& options,
                bool alpha) {
  const ConstView colours = colours_of(unrounded_image, alpha);
  const auto clipped_of = [&]<class T, class Value>(const T* first, std::int64_t count,
                                                    const Value& value_of) {
    const auto limits = limits_of<decltype(value_of(*first))>(range_of(output), options.rounding);
    return Clipped{
        .below = counted(first, count, [&](T element) { return value_of(element) < limits.low; }),
        .above = counted(first, count, [&](T element) { return value_of(element) >= limits.high; })};
  };
  Clipped all;
  if (!is_float(output)) {
    all = visit_pixel(colours.pixel, [&]<class T>(T) {
      return over_rows<Clipped>(colours, options.threads, [&](Clipped& sum, const std::byte* row) {
        for_runs<T>(colours, row, [&](const T* first, std::int64_t count) {
          if constexpr (std::is_arithmetic_v<T>) {
            if (!tone.magnitude && tone.scale == 1 && tone.offset == 0) {
              sum += clipped_of(first, count, [](T element) { return element; });
              return;
            }
          }
          sum += clipped_of(first, count, [&](T element) {
            const auto value = static_cast<double>(element);
            return tone.scale * (tone.magnitude ? std::abs(value) : value) + tone.offset;
          });
        });
      });
    });
  }
  all.samples = colours.shape.elements();
  return all;
}

Image rounded(const ConstView& unrounded_image, const Tone& tone, Pixel output, const Options& options,
              bool alpha) {
  Image out(unrounded_image.shape, output);
  View colours = out.view();
  colours.shape.channels -= alpha ? 1 : 0;
  convert(colours_of(unrounded_image, alpha), colours, tone, options);
  if (alpha) {
    const std::int64_t last = out.shape().channels - 1;
    convert(unrounded_image.channel(last), out.view().channel(last), {.scale = range_of(output).most},
            {.threads = options.threads});
  }
  return out;
}

Clipped count_clipped_on(Device device, ConstView in, const Taken& taken, const Chain& chain, const Options& options,
                         const ColourOptions& colour, double least_share) {
  const ConstView& result = taken.result;
  Clipped none{.samples = colours_of(result, colour.alpha).shape.elements()};
  const Chain fitted = settled(chain, in.shape.dims());
  if (!can_clip(fitted, in.pixel, result.pixel, options, colour)) return none;
  const auto at_ends = static_cast<double>(samples_at_ends(result, colour.alpha, options.threads));
  if (at_ends <= least_share * static_cast<double>(none.samples)) return none;
  Options wide = unrounded(options, in.pixel, colour);
  // What was to be u8 is whole in i16, where that holds it: half of the memory and of the time that floats
  // take.
  const Interval possible = results_of(fitted, in.pixel, result.pixel, options, colour.linear);
  if (in.pixel == Pixel::u8 && result.pixel == Pixel::u8 && !colour.linear &&
      possible.least > smallest(Pixel::i16) && possible.most < largest(Pixel::i16)) {
    wide.output = Pixel::i16;
  }
  const Image again = convolve_colour_on(device, in, fitted, wide, colour);
  const bool is_all = taken.result.shape == again.shape();
  return clipped(is_all ? again.view() : part_of(again.view(), taken.skipped, taken.outputs), {}, result.pixel, options, colour.alpha);
}

Clipped count_clipped(ConstView in, ConstView result, const Chain& chain, const Options& options,
                      const ColourOptions& colour, double least_share, std::optional<Device> device) {
  check_memory(in);
  check_memory(result);
  return count_clipped_on(device.value_or(in.device), in, {result}, chain, options, colour, least_share);
}

Image convolve_display_on(Device device, ConstView in, const Chain& chain, Display display,
                          const Options& options, const ColourOptions& colour, TransferTimes* times,
                          Clipped* clipped_samples) {
  check_memory(in);
  const Pixel output = options.output.value_or(in.pixel);
  if (!is_native(output)) {
    throw Error(ErrorCode::invalid_argument,
                "views are of pixels u8, u16, i16, f16, f32 or f64, got " + std::string(name_of(output)));
  }
  check_saturates(options, "views");
  const Image wide =
      convolve_colour_on(device, in, chain, unrounded(options, in.pixel, colour), colour, times);
  const Extremes found = display == Display::stretched ? extremes_of(wide, colour.alpha, options.threads) : Extremes{};
  const Tone tone = tone_of(display, settled(chain, in.shape.dims()), in.pixel, output, options, colour.linear, found);
  if (clipped_samples != nullptr) *clipped_samples = clipped(wide, tone, output, options, colour.alpha);
  return rounded(wide, tone, output, options, colour.alpha);
}

Image convolve_display(ConstView in, const Chain& chain, Display display, const Options& options,
                       const ColourOptions& colour, std::optional<Device> device, Clipped* clipped) {
  return convolve_display_on(device.value_or(in.device), in, chain, display, options, colour, nullptr,
                             clipped);
}

}  // namespace halation
