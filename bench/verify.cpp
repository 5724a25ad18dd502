// verify.cpp: compares results with the reference on parts of an image, before anything is timed.
#include "bench/verify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <future>
#include <limits>
#include <set>
#include <stdexcept>

#include "halation/convolve.h"
#include "halation/transfer.h"

namespace halation::bench {
namespace {

constexpr std::int64_t most_side = 64;

// Products that the reference makes for one window; it does about 10⁸ a second.
constexpr double most_products = 4e6;

/// Where a position beyond an axis of n pixels is read; -1 is the constant.
std::int64_t source_of(std::int64_t i, std::int64_t n, Border::Mode mode) {
  if (i >= 0 && i < n) return i;
  const auto modulo = [](std::int64_t a, std::int64_t b) { return (a % b + b) % b; };
  switch (mode) {
    case Border::Mode::constant:
      return -1;
    case Border::Mode::replicate:
      return std::clamp<std::int64_t>(i, 0, n - 1);
    case Border::Mode::wrap:
      return modulo(i, n);
    case Border::Mode::reflect: {
      const std::int64_t at = modulo(i, 2 * n);
      return at < n ? at : 2 * n - 1 - at;
    }
    case Border::Mode::reflect101: {
      if (n == 1) return 0;
      const std::int64_t at = modulo(i, 2 * n - 2);
      return at < n ? at : 2 * n - 2 - at;
    }
  }
  throw std::logic_error("no such border");
}

template <class T>
double value_at(const std::byte* element) {
  return static_cast<double>(*reinterpret_cast<const T*>(element));
}

using Load = double (*)(const std::byte*);

Load loader(Pixel pixel) {
  switch (pixel) {
    case Pixel::u8:
      return value_at<std::uint8_t>;
    case Pixel::u16:
      return value_at<std::uint16_t>;
    case Pixel::i16:
      return value_at<std::int16_t>;
    case Pixel::f16:
      return value_at<f16>;
    case Pixel::f32:
      return value_at<float>;
    case Pixel::f64:
      return value_at<double>;
    default:
      throw std::logic_error("not a native pixel");
  }
}

/// Half the distance from `value` to its neighbours in a float pixel, and a little for values near 0.
double half_step(Pixel pixel, double value) {
  switch (pixel) {
    case Pixel::f16:
      return std::ldexp(std::fabs(value), -11) + 0x1p-25;
    case Pixel::f32:
      return std::ldexp(std::fabs(value), -24) + 0x1p-150;
    default:
      return 0;
  }
}

/// Beginnings of windows along an axis: at both ends and in the middle.
std::vector<std::int64_t> places(std::int64_t extent, std::int64_t side) {
  const std::set<std::int64_t> distinct = {0, (extent - side) / 2, extent - side};
  return {distinct.begin(), distinct.end()};
}

struct Axis {
  std::int64_t begin = 0, extent = 1;  ///< of the window
  std::int64_t taps = 1, before = 0;   ///< of the filter, and how many positions it reaches before an output
};

/// The window with all that the filter sees around it, in f64.
Image surroundings(ConstView in, const std::array<Axis, 3>& axes, Border border) {
  std::array<std::vector<std::int64_t>, 3> sources;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::int64_t i = 0; i < axes[a].extent + axes[a].taps - 1; ++i)
      sources[a].push_back(source_of(axes[a].begin - axes[a].before + i, in.shape.space()[a], border.mode));
  }
  Image patch({.depth = static_cast<std::int64_t>(sources[0].size()),
               .height = static_cast<std::int64_t>(sources[1].size()),
               .width = static_cast<std::int64_t>(sources[2].size()),
               .channels = in.shape.channels},
              Pixel::f64);
  const Load load = loader(in.pixel);
  auto* value = reinterpret_cast<double*>(patch.view().data);
  for (const std::int64_t z : sources[0]) {
    for (const std::int64_t y : sources[1]) {
      for (const std::int64_t x : sources[2]) {
        for (std::int64_t c = 0; c < in.shape.channels; ++c) {
          *value++ = std::min({z, y, x}) < 0 ? border.value
                                             : load(in.data + z * in.strides.depth + y * in.strides.height +
                                                    x * in.strides.width + c * in.strides.channels);
        }
      }
    }
  }
  return patch;
}

/// Σ|w| · max|x|.
double largest_sum(const Job& job, const Filter& filter) {
  double magnitudes = 0;
  for (const double weight : filter.weights()) magnitudes += std::fabs(weight);
  return magnitudes * largest_input(job.pixel);
}

bool sums_are_exact(const Job& job, const Filter& filter) {
  const std::vector<double> weights = filter.weights();
  const auto whole = [](double weight) { return weight == std::round(weight); };
  return !is_float(job.pixel) && std::all_of(weights.begin(), weights.end(), whole) &&
         largest_sum(job, filter) <= 0x1p24;
}

}  // namespace

std::string Verdict::sentence() const {
  char text[160];
  std::snprintf(
      text, sizeof text, "%lld of %lld outputs are wrong, the largest by %.3g where %.3g is allowed at most",
      static_cast<long long>(wrong), static_cast<long long>(outputs), largest_error, largest_allowed);
  return text;
}

Expected::Expected(const Job& job, const Filter& filter, ConstView host_in)
    : job_(job),
      reach_(reach_of(filter)),
      exact_sums_(sums_are_exact(job, filter)),
      peer_tolerance_((job.output == Pixel::f16 ? 4e-3 : 1e-4) * largest_sum(job, filter)) {
  const auto extents = job.shape.space();
  const auto taps = filter.size().space();
  const Anchor anchor = filter.anchor();
  const std::array<std::int64_t, 3> anchors = {anchor.z, anchor.y, anchor.x};
  const double taps_of_one = static_cast<double>(filter.size().taps() * job.shape.channels);
  const int dims = job.dims();
  // A signal's window may be as long as an image's has outputs.
  const double side = std::pow(most_products / taps_of_one, 1.0 / dims);
  const auto most = static_cast<std::int64_t>(
      std::clamp(side, 1.0, std::pow(static_cast<double>(most_side), dims == 1 ? 2 : 1)));

  std::array<std::vector<std::int64_t>, 3> begins;
  std::array<std::int64_t, 3> sides{};
  for (std::size_t a = 0; a < 3; ++a) {
    sides[a] = std::min(extents[a], most);
    begins[a] = places(extents[a], sides[a]);
  }
  std::vector<std::future<Window>> pending;
  for (const std::int64_t batch : std::set<std::int64_t>{0, job.shape.batch - 1}) {
    for (const std::int64_t z : begins[0]) {
      for (const std::int64_t y : begins[1]) {
        for (const std::int64_t x : begins[2]) {
          std::array<Axis, 3> axes;
          for (std::size_t a = 0; a < 3; ++a) {
            axes[a] = {std::array{z, y, x}[a], sides[a], taps[a],
                       filter.is_correlation() ? anchors[a] : taps[a] - 1 - anchors[a]};
          }
          const Region region{
              .z = z, .y = y, .x = x, .depth = sides[0], .height = sides[1], .width = sides[2]};
          pending.push_back(std::async(std::launch::async, [this, batch, region, axes, &filter, host_in] {
            const Image patch = surroundings(host_in.batch(batch), axes, job_.border);
            const Options options{.extent = Extent::valid, .output = Pixel::f64};
            return Window{batch, region, convolve(patch, filter, options, reference())};
          }));
        }
      }
    }
  }
  for (auto& window : pending) windows_.push_back(window.get());
}

template <class Judge>
Verdict Expected::compare(ConstView out, Judge&& judge) const {
  Verdict verdict;
  const Load load = loader(job_.output);
  for (const Window& window : windows_) {
    const ConstView part = out.batch(window.batch).crop(window.region);
    Image got(part.shape, part.pixel);
    copy(part, got, Stream{});
    synchronise(part.device);
    const std::byte* element = got.view().data;
    const auto* sum = reinterpret_cast<const double*>(window.sums.view().data);
    for (std::int64_t z = 0; z < part.shape.depth; ++z) {
      for (std::int64_t y = 0; y < part.shape.height; ++y) {
        for (std::int64_t x = 0; x < part.shape.width; ++x) {
          for (std::int64_t c = 0; c < part.shape.channels; ++c, ++sum, element += bytes_of(job_.output))
            judge(verdict, window.region, std::array{z, y, x}, load(element), *sum);
        }
      }
    }
  }
  return verdict;
}

namespace {

/// Counts one output; the negated test is true of what is not a number as well.
void count(Verdict& verdict, double error, double allowed) {
  ++verdict.outputs;
  if (!(error <= allowed)) ++verdict.wrong;
  if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
  verdict.largest_error = std::max(verdict.largest_error, error);
  verdict.largest_allowed = std::max(verdict.largest_allowed, allowed);
}

/// Half to even, saturated.
double level_of(double sum, Pixel pixel) {
  return std::clamp(std::nearbyint(sum), smallest(pixel), largest(pixel));
}

}  // namespace

Verdict Expected::judge(const Plan& plan, ConstView out) const {
  const double bound = plan.error_bound(largest_input(job_.pixel));
  const Pixel pixel = job_.output;
  return compare(
      out, [&](Verdict& verdict, const Region&, const std::array<std::int64_t, 3>&, double got, double sum) {
        if (is_float(pixel)) {
          count(verdict, std::fabs(got - sum), bound + half_step(pixel, std::fabs(sum) + bound));
          return;
        }
        // Distance from where rounding changes: 0 half way between two levels.
        const double from_boundary = std::fabs(std::fabs(sum - std::trunc(sum)) - 0.5);
        const bool may_differ = !exact_sums_ && from_boundary <= std::max(1.0 / 16, bound);
        count(verdict, std::fabs(got - level_of(sum, pixel)), may_differ ? 1 : 0);
      });
}

Verdict Expected::judge_peer(ConstView out) const {
  const Pixel pixel = job_.output;
  const auto extents = job_.shape.space();
  return compare(out, [&](Verdict& verdict, const Region& region, const std::array<std::int64_t, 3>& at,
                          double got, double sum) {
    const std::array<std::int64_t, 3> place = {region.z + at[0], region.y + at[1], region.x + at[2]};
    for (std::size_t a = 0; a < 3; ++a) {
      if (extents[a] > 1 && (place[a] < reach_ || place[a] >= extents[a] - reach_)) return;
    }
    if (is_float(pixel)) {
      count(verdict, std::fabs(got - sum), peer_tolerance_);
    } else {
      count(verdict, std::fabs(got - level_of(sum, pixel)), 1);
    }
  });
}

}  // namespace halation::bench
