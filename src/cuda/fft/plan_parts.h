// plan_parts.h: what plans of all tiles prepare: arguments of launches, roots of unity, weights, and what transforms round.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <vector>

#include "core/finite.h"
#include "core/own_box.h"
#include "core/transform.h"
#include "cuda/device/device.h"
#include "cuda/families.h"
#include "cuda/fft/arguments.cuh"

namespace halation::cuda_backend {

/// body(T{}) with the type of a job's sums.
template <class Body>
auto with_sum(const Job& job, const Body& body) {
  return job.sum_f64 ? body(double{}) : body(float{});
}

/// Roots of unity between the steps of a transform of first · second · third numbers, as columns.cuh and line.cuh want them; with the turns
/// of the packing where they are `packed`.
template <class T>
std::vector<Complex<T>> roots_of_steps(int first, int second, int third, bool packed) {
  std::vector<Complex<T>> roots;
  roots.reserve(static_cast<std::size_t>(first + 1) * static_cast<std::size_t>(second * third));
  const auto add = [&](int steps, int part, double shift) {
    for (int k = 0; k < steps; ++k) {
      for (int n = 0; n < part; ++n) {
        const double angle = -2 * std::numbers::pi * n * (k + shift) / (static_cast<double>(steps) * part);
        roots.push_back({static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))});
      }
    }
  };
  add(first, second * third, packed ? -0.25 : 0);
  add(second, third, 0);
  return roots;
}

/// −1 where no weight is positive and any is negative, else 1. Kernels take the weights times it and the scale times it: what must not be
/// above 0 becomes what must not be below 0.
inline int turned_by(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](double weight) { return weight <= 0; }) &&
                 std::any_of(weights.begin(), weights.end(), [](double weight) { return weight < 0; })
             ? -1
             : 1;
}

/// Weights times `turned_by` in reverse, so that sums of products with what follows become convolutions; and a power of two that sums are to be
/// multiplied by: 1, unless the magnitudes of the weights sum to a number far from 1.
template <class T>
struct FlippedWeights {
  std::vector<T> weights;
  std::vector<std::int8_t> signs;  ///< of the weights times `turned_by`, in their order
  T gain;

  FlippedWeights(const Taps& taps, bool whole) {
    double magnitudes = 0;
    for (const double weight : taps.weights) magnitudes += std::fabs(weight);
    int exponent = 0;
    std::frexp(magnitudes, &exponent);
    constexpr int far = 24;
    if (whole || std::abs(exponent) <= far) exponent = 0;
    gain = static_cast<T>(std::ldexp(1.0, exponent));
    const int turned = turned_by(taps.weights);
    weights.resize(taps.weights.size());
    std::transform(taps.weights.rbegin(), taps.weights.rend(), weights.begin(),
                   [&](double weight) { return static_cast<T>(std::ldexp(turned * weight, -exponent)); });
    signs.resize(taps.weights.size());
    std::transform(taps.weights.begin(), taps.weights.end(), signs.begin(),
                   [&](double weight) { return static_cast<std::int8_t>(turned * ((weight > 0) - (weight < 0))); });
  }
};

/// Neighbours along an axis, a power of two, of which a box of so many taps holds an aligned group whole;
/// fewer than 4 are none.
inline int group_along(std::int64_t taps, int most) {
  int group = most;
  while (group > 0 && 2 * group - 1 > taps) group /= 2;
  return group < 4 ? 0 : group;
}

/// So many of a filter's taps along an axis lie on samples of the image at least, whichever output they
/// belong to.
inline std::int64_t taps_on_image(const Job& job, std::size_t axis) {
  const BorderTable& border = job.borders[axis];
  const std::int64_t outside = std::max({-border.low(), border.high() - border.size(), std::int64_t{0}});
  return std::clamp<std::int64_t>(job.filters.front().size[axis] - outside, 0, border.size());
}

/// No axis: groups lie along columns of the tile that a signal is made of, or are stretches of a line.
inline constexpr std::size_t no_axis = 3;

/// Whether boxes are judged along an axis by samples of the image only (own_box.cuh). What is constant
/// outside says nothing. Where the border repeats the last sample, a group of neighbours may be that one
/// sample and faint: filters with taps enough on the image for groups of eight do without.
inline bool looks_inside_only(const Job& job, std::size_t axis, std::size_t axis_of_groups) {
  const Border::Mode mode = job.borders[axis].mode();
  return mode == Border::Mode::constant || (mode == Border::Mode::replicate && axis == axis_of_groups &&
                                            group_along(taps_on_image(job, axis), 8) == 8);
}
/// Taps that boxes are judged by.
inline std::int64_t taps_judged(const Job& job, std::size_t axis, std::size_t axis_of_groups) {
  return looks_inside_only(job, axis, axis_of_groups) ? taps_on_image(job, axis)
                                                      : job.filters.front().size[axis];
}

/// What a job says of a launch's arguments; `facts` are those of its tiles. Groups of neighbours lie along
/// `axis_of_groups`, or `no_axis`.
template <class T>
void describe(FftArguments<T>& to, const Job& job, const TransformFacts& facts, std::size_t axis_of_groups) {
  const Taps& taps = job.filters.front();
  to.taps_y = static_cast<int>(taps.size[1]);
  to.taps_x = static_cast<int>(taps.size[2]);
  std::copy(taps.lead.begin(), taps.lead.end(), to.lead);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    to.borders[axis] = DeviceBorder(job.borders[axis]);
    to.inside_only[axis] = looks_inside_only(job, axis, axis_of_groups);
  }
  const int turned = turned_by(taps.weights);
  to.scale = static_cast<T>(turned * job.scale);
  to.offset = static_cast<T>(job.offset);
  to.whole = sums_are_whole(job, taps.weights);
  to.rounding = job.rounding;
  to.own_box = is_bounded_by_own_box(job) && !whole_sums_are_exact(job, taps.weights, facts);
  to.notes_odd = to.own_box || may_be_non_finite(job);
  to.not_negative = std::all_of(taps.weights.begin(), taps.weights.end(), [&](double weight) { return turned * weight >= 0; });
}

/// What the images of a run say of them.
template <class T>
void place(FftArguments<T>& to, ConstView in, const View& out) {
  to.in = in.data;
  to.in_strides = in.strides;
  to.in_pixel = in.pixel;
  to.out = out.data;
  to.out_strides = out.strides;
  to.out_pixel = out.pixel;
  to.shape = out.shape;
}

/// Weights in place of an image: nothing outside, in the first corner of the only tile, which holds `samples` along each axis at most.
template <class T>
void place_weights(FftArguments<T>& to, const T* weights, const Taps& taps, std::int64_t samples) {
  const auto element = static_cast<std::int64_t>(sizeof(T));
  to.in = reinterpret_cast<const std::byte*>(weights);
  // One by one: nvcc 13.0 leaves out members of nested designated initialisers here.
  to.in_strides.width = element;
  to.in_strides.height = element * taps.size[2];
  to.in_strides.depth = element * taps.size[2] * taps.size[1];
  to.in_strides.batch = to.in_strides.channels = 0;
  to.out_strides = to.in_strides;
  to.out = nullptr;
  to.in_pixel = sizeof(T) == 8 ? Pixel::f64 : Pixel::f32;
  to.shape.height = taps.size[1];
  to.shape.width = taps.size[2];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t n = taps.size[axis];
    to.borders[axis] = DeviceBorder(BorderTable(0, n, n, Border::constant(0)));
    to.borders[axis].high = samples;
    to.lead[axis] = 0;
  }
  to.channels = to.across = to.down = to.depth = Divisor(1);
  to.tiles = 1;
}

/// Whether borders are asked for further outside than an axis is long: tiles there look up sample by sample,
/// but for what is constant.
inline bool has_far_borders(const Job& job) {
  const auto is_far = [](const BorderTable& border) {
    return border.mode() != Border::Mode::constant && (border.low() <= -border.size() || border.high() >= 2 * border.size());
  };
  return std::any_of(job.borders.begin(), job.borders.end(), is_far);
}

/// The record of a family of transforms. `Kind` says what it is: refuses(taps), why it does not take such filters; choose<T>(request), how
/// it cuts the job, with `seconds` and refuses(); and Run<T>, the runner.
template <class Kind>
constexpr Family family_of_transforms(std::string_view name) {
  return {.name = name,
          .refuses = [](const Request& request) -> const char* {
            const Job& job = request.job;
            const Taps& taps = request.taps();
            if (!is_one_filter(job) || taps.form != Form::spectrum) return "one filter by transforms alone";
            if (const char* reason = Kind::refuses(taps); reason != nullptr) return reason;
            if (job.in_pixel == Pixel::f64 && !job.sum_f64) return "f64 pixels in f64 sums alone";
            return with_sum(job, [&](auto sum) { return Kind::template choose<decltype(sum)>(request).refuses(); });
          },
          .shape =
              [](const Request& request) {
                return with_sum(request.job, [&](auto sum) {
                  return Kind::template choose<decltype(sum)>(request).shape;
                });
              },
          .make = [](const Request& request,
                     const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
            return with_sum(*job, [&](auto sum) -> std::unique_ptr<const Runner> {
              using T = decltype(sum);
              return std::make_unique<typename Kind::template Run<T>>(job, request.gpu, Kind::template choose<T>(request));
            });
          }};
}

/// Roundings that a number meets in a transform of so many in registers.
inline double roundings_of_registers(int length) {
  switch (length) {
    case 16: return 2 * roundings_of_pass(4) + roundings_of_twiddle;
    case 12: return roundings_of_pass(4) + roundings_of_pass(3) + roundings_of_twiddle;
    case 10: return roundings_of_pass(2) + roundings_of_pass(5) + roundings_of_twiddle;
    case 6: return roundings_of_pass(2) + roundings_of_pass(3) + roundings_of_twiddle;
    case 1: return 0;
    default: return roundings_of_pass(length);
  }
}
/// And in one by several such steps.
inline double roundings_of_steps(std::initializer_list<int> steps) {
  double roundings = 0, between = -roundings_of_twiddle;
  for (const int step : steps) {
    if (step == 1) continue;
    roundings += roundings_of_registers(step);
    between += roundings_of_twiddle;
  }
  return roundings + between;
}
/// Weights and samples there, their product, and back; turns of the packing.
inline double roundings_there_and_back(double once) { return 3 * once + 2 * roundings_of_twiddle; }

}  // namespace halation::cuda_backend
