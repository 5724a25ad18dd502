// other_pixels.h: jobs over pixels that no kernel takes, drawn at random, whose results are exact: a device's are the reference's
// to the bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/convert.h"
#include "halation/halation.h"
#include "numbers.h"

namespace halation {

inline constexpr Pixel other_pixels[] = {Pixel::i8, Pixel::u32, Pixel::i32, Pixel::u64, Pixel::i64};

struct OtherJob {
  PlanSpec spec;
  Image in;
};

/// Integers over the whole range of an integer pixel, and of other ones small.
inline void fill(const View& view, Numbers& numbers) {
  visit_number(part_of(view.pixel), [&](auto like) {
    using T = decltype(like);
    const std::int64_t count = view.shape.elements() * (is_complex(view.pixel) ? 2 : 1);
    for (std::int64_t i = 0; i < count; ++i) {
      T& to = reinterpret_cast<T*>(view.data)[i];
      if constexpr (std::is_integral_v<T>) {
        const auto low = static_cast<std::uint64_t>(0x1p32 * numbers.next());
        const auto high = static_cast<std::uint64_t>(0x1p32 * numbers.next());
        to = static_cast<T>(numbers.below(4) == 0 ? low % 128 : high << 32 | low);
      } else {
        to = static_cast<T>(std::floor(512 * numbers.next()) - 256);
      }
    }
  });
}

/// One of the two pixels is another than native ones, or what does not fit wraps. `shape`: instead of a drawn
/// one.
inline OtherJob other_job(std::uint64_t seed, const std::optional<Shape>& shape = {}) {
  Numbers numbers(seed);
  const auto one_of = [&](auto&& list) { return list[numbers.below(std::size(list))]; };
  const auto extent = [&](std::size_t most) { return static_cast<std::int64_t>(1 + numbers.below(most)); };
  OtherJob job;
  PlanSpec& spec = job.spec;
  Options& options = spec.options;
  options.overflow = numbers.below(2) == 0 ? Overflow::wrap : Overflow::saturate;
  spec.shape = {.batch = extent(2), .depth = numbers.below(3) == 0 ? extent(6) : 1, .height = extent(40),
                .width = extent(numbers.below(8) == 0 ? 3000 : 70), .channels = extent(4)};
  if (shape) spec.shape = *shape;
  const std::size_t which = numbers.below(4);
  spec.pixel = which == 0 ? one_of(native_pixels) : one_of(other_pixels);
  options.output = which == 0 || numbers.below(2) == 0 ? one_of(other_pixels) : one_of(native_pixels);
  const bool wide = is_wide(spec.pixel);
  constexpr Border::Mode modes[] = {Border::Mode::constant, Border::Mode::replicate, Border::Mode::reflect,
                                    Border::Mode::reflect101, Border::Mode::wrap};
  const auto border = [&] {
    const Border::Mode mode = one_of(modes);
    return Border{mode, mode == Border::Mode::constant ? std::floor(2000 * numbers.next()) - 1000 : 0.0};
  };
  options.border = {.z = border(), .y = border(), .x = border()};
  const FilterSize size{.depth = spec.shape.depth > 1 ? extent(3) : 1, .height = extent(6), .width = extent(9)};
  std::vector<double> weights;
  for (std::int64_t i = 0; i < size.taps(); ++i)
    weights.push_back(std::floor((wide ? 4000 : 20) * numbers.next()) - (wide ? 2000 : 10));
  const Extent extents[] = {Extent::same, Extent::full};
  options.extent = one_of(extents);
  options.rounding = numbers.below(2) == 0 ? Rounding::truncate : Rounding::half_even;
  options.operation = numbers.below(2) == 0 ? Operation::correlation : Operation::convolution;
  if (!wide) options.scale = numbers.below(2) == 0 ? 0.125 : 1;
  if (numbers.below(2) == 0) options.offset = wide ? -1000000007 : -20.5;
  options.threads = numbers.below(2) == 0 ? 1 : 3;
  options.method = Method::direct;  // transforms could decide otherwise about halves
  spec.filters = {Filter::dense(size, weights)};
  if (numbers.below(3) == 0) spec.filters.push_back(Filter::dense(size, {weights.rbegin(), weights.rend()}));
  job.in = Image(spec.shape, spec.pixel, numbers.below(2) == 0 ? Layout::planar : Layout::interleaved);
  fill(job.in.view(), numbers);
  return job;
}

inline std::string text(const PlanSpec& spec) {
  const Options& options = spec.options;
  return to_string(spec.shape) + " " + std::string(name_of(spec.pixel)) + " to " + std::string(name_of(*options.output)) +
         (options.overflow == Overflow::wrap ? ", wraps" : "") + (options.rounding == Rounding::truncate ? ", truncates" : "") +
         ", scale " + std::to_string(options.scale) + ", offset " + std::to_string(options.offset);
}

/// For packed host images.
inline bool are_same(const ConstView& a, const ConstView& b) {
  return a.shape == b.shape && a.pixel == b.pixel &&
         std::memcmp(a.data, b.data, static_cast<std::size_t>(a.shape.elements()) * bytes_of(a.pixel)) == 0;
}

/// What the reference makes of a host image, of each filter.
inline std::vector<Image> by_reference(const OtherJob& job) {
  PlanSpec spec = job.spec;
  spec.device = reference();
  const Plan plan(spec);
  std::vector<Image> outs;
  std::vector<View> views;
  views.reserve(plan.outputs());
  for (std::size_t i = 0; i < plan.outputs(); ++i) outs.emplace_back(plan.output_shape(), plan.output_pixel());
  for (Image& out : outs) views.push_back(out.view());
  plan.run(job.in, views);
  return outs;
}

}  // namespace halation
