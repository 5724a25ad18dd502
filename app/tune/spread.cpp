// spread.cpp: jobs by which the figures of a device are measured.
#include "spread.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <utility>

#include "halation/filters.h"

namespace halation::app {
namespace {

/// Draws jobs at random, the same ones every time: images of so many elements, thin ones, many small ones and
/// volumes among them; filters of all kinds and up to 100 taps a side. One in three is plain: a square
/// picture by a square filter, or a cube by a cube.
class Draw {
 public:
  Draw(double fewest_elements, double most_elements, std::uint64_t seed)
      : fewest_elements_(fewest_elements), most_elements_(most_elements), random_(seed) {}

  PlanSpec job() {
    const bool is_plain = below(3) == 0;
    PlanSpec spec{
        .shape = is_plain ? plain_shape() : shape(), .pixel = pixel(), .filters = {}, .options = {}};
    spec.filters = {is_plain ? plain_filter(spec.shape.dims()) : filter(spec.shape.dims())};
    if (!is_plain && below(3) == 0) spec.options.output = pixel();
    spec.options.border = Border{all_border_modes[below(std::size(all_border_modes))]};
    if (spec.shape.channels > 1 && below(4) == 0) spec.layout = Layout::planar;
    return spec;
  }

 private:
  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  double share() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  /// Small ones as often as large ones.
  std::int64_t from_to(double low, double high) {
    return static_cast<std::int64_t>(std::floor(low * std::pow(high / low, share())));
  }

  Pixel pixel() { return native_pixels[below(std::size(native_pixels))]; }

  Shape shape() {
    const auto elements = static_cast<double>(from_to(fewest_elements_, most_elements_));
    Shape shape;
    if (below(3) == 0) shape.channels = 2 + static_cast<std::int64_t>(below(3));
    const double places = elements / static_cast<double>(shape.channels);
    const auto rest = [&](std::int64_t taken) {
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(places / static_cast<double>(taken)));
    };
    switch (below(8)) {
      case 0:
        shape.width = rest(1);
        break;
      case 1:
        shape.depth = from_to(8, 300);
        shape.height = from_to(16, 300);
        shape.width = rest(shape.depth * shape.height);
        break;
      case 2:
        shape.width = from_to(3, 64);
        shape.height = rest(shape.width);
        break;
      case 3:
        shape.height = from_to(8, 80);
        shape.width = from_to(8, 80);
        shape.batch = rest(shape.height * shape.width);
        break;
      default:
        shape.height = from_to(std::sqrt(places) / 4, std::sqrt(places) * 4);
        shape.width = rest(shape.height);
    }
    return shape;
  }

  /// Squares of 1, 3 or 4 channels; one in four is a cube.
  Shape plain_shape() {
    const auto elements = static_cast<double>(from_to(fewest_elements_, most_elements_));
    const auto whole = [](double side, std::int64_t multiple) {
      return std::max(multiple, static_cast<std::int64_t>(side) / multiple * multiple);
    };
    if (below(4) == 0) {
      const std::int64_t side = whole(std::cbrt(elements), 16);
      return {.depth = side, .height = side, .width = side};
    }
    constexpr std::int64_t channels[] = {1, 1, 3, 4};
    const std::int64_t side = whole(std::sqrt(elements), 64);
    return {.height = side, .width = side, .channels = channels[below(std::size(channels))]};
  }

  /// Squares and cubes of odd sizes; of integers as often as of reals.
  Filter plain_filter(int dims) {
    const std::int64_t radius = from_to(1, dims == 3 ? 4 : 16), taps = 2 * radius + 1;
    switch (below(4)) {
      case 0:
        return gaussian(
            {.sigma = static_cast<double>(taps) / 6, .radius = static_cast<double>(radius), .dims = dims});
      case 1:
        return box({.size = taps, .dims = dims});
      default: {
        const bool are_integers = below(2) == 0;
        const FilterSize size{.depth = dims == 3 ? taps : 1, .height = taps, .width = taps};
        std::vector<double> weights(static_cast<std::size_t>(size.taps()));
        for (double& weight : weights)
          weight = are_integers ? static_cast<double>(below(9)) - 4 : share() - 0.3;
        weights.front() = 1;
        return Filter::dense(size, std::move(weights));
      }
    }
  }

  Filter filter(int dims) {
    const double most = dims == 3 ? 12 : 100;
    const auto random_weights = [&](std::int64_t count) {
      std::vector<double> weights(static_cast<std::size_t>(count));
      for (double& weight : weights) weight = share() - 0.3;
      return weights;
    };
    const FilterSize size{.depth = dims == 3 ? from_to(2, 7) : 1,
                          .height = dims == 1 ? 1 : from_to(2, most / 3),
                          .width = from_to(2, most / 3)};
    switch (below(6)) {
      case 0:
        return Filter::dense(size, random_weights(size.taps()));
      case 1:
        return gaussian({.sigma = 0.5 + 0.01 * static_cast<double>(from_to(30, 20 * most)), .dims = dims});
      case 2: {
        const auto taps = static_cast<double>(from_to(3, most));
        if (dims == 2 && below(2) == 0)
          return box({.size = below(2) == 0 ? PerAxis{taps, 1.0} : PerAxis{1.0, taps}, .dims = dims});
        return box({.size = taps, .dims = dims});
      }
      case 3:
        return dims == 1 ? Filter::dense({.width = size.width}, random_weights(size.width))
                         : Filter::separable({.y = random_weights(from_to(3, most))});
      case 4:
        return Filter::separable({.x = random_weights(from_to(3, most))});
      default: {
        std::vector<double> sparse = random_weights(size.taps());
        for (double& weight : sparse) weight = below(8) == 0 ? weight : 0;
        sparse.front() = 1;
        return Filter::dense(size, std::move(sparse));
      }
    }
  }

  double fewest_elements_, most_elements_;
  std::mt19937_64 random_;
};

}  // namespace

std::vector<PlanSpec> spread_for(Device device, int threads, int count) {
  constexpr std::uint64_t seed = 1973;
  const bool is_gpu = device.kind == Device::Kind::cuda;
  Draw draw = is_gpu ? Draw(0x1p17, 0x1p26, seed) : Draw(0x1p14, 0x1p20, seed);
  std::vector<PlanSpec> jobs;
  if (count == 0) count = is_gpu ? 600 : 120;
  for (int i = 0; i < count; ++i) {
    PlanSpec job = draw.job();
    job.device = device;
    job.options.accuracy = Accuracy::fast;  // for multirate; others do not mind
    job.options.threads = threads;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace halation::app
