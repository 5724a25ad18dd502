// values.cpp: each kind as a function of an element's place and of chance; single elements are put in behind.
#include "values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/convert.h"

namespace halation::sweep {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void write(std::byte* p, Pixel pixel, double value) {
  visit_pixel(pixel, [p, value](auto element) {
    element = to_element<decltype(element)>(value, Rounding::half_even);
    std::memcpy(p, &element, sizeof element);
  });
}

double least_normal(Pixel pixel) { return pixel == Pixel::f16 ? 0x1p-14 : pixel == Pixel::f32 ? 0x1p-126 : 0x1p-1022; }

/// Draws the elements of one image, in the order of `Arena::for_each`.
class Elements {
 public:
  Elements(const Shape& shape, Pixel pixel, Values values, Random& random)
      : shape_(shape), pixel_(pixel), values_(values), random_(random) {
    floats_ = is_float(pixel);
    high_ = floats_ ? 1 : largest(pixel);
    low_ = floats_ ? (below(random, 2) == 0 ? -1 : 0) : smallest(pixel);
    outlier_ = !floats_ ? largest(pixel) : pixel == Pixel::f16 ? 6e4 : 1e30;
    if (floats_ && below(random, 2) == 0) outlier_ = -outlier_;
    nodata_ = pixel == Pixel::i16 || (floats_ && below(random, 2) == 0) ? -9999
              : !floats_                                               ? largest(pixel)
              : pixel == Pixel::f16                                    ? -65504
                                                                       : -3.4e38;
    along_height_ = shape.height > 1 && below(random, 2) == 0;
    for (std::int64_t* extent : {&patch_height_, &patch_width_}) *extent = 1 + static_cast<std::int64_t>(below(random, 40));
    patches_ = random();
  }

  double next() {
    const std::int64_t pixel_index = index_++ / shape_.channels;
    x_ = pixel_index % shape_.width;
    y_ = pixel_index / shape_.width % shape_.height;
    z_ = pixel_index / shape_.width / shape_.height;
    return at(static_cast<double>(random_() >> 11) * 0x1p-53);
  }

  /// What stands in a few places only, over what `next` gave.
  std::vector<double> single() {
    switch (values_) {
      case Values::one_nan: return {floats_ ? nan : high_};
      case Values::one_infinity: return {floats_ ? infinity : high_};
      case Values::one_minus_infinity: return {floats_ ? -infinity : low_};
      case Values::one_outlier: return {outlier_};
      case Values::few_ones: return std::vector<double>(1 + below(random_, 4), 1);
      default: return {};
    }
  }

 private:
  double noise(double u) const { return low_ + (high_ - low_) * u; }

  double at(double u) {
    switch (values_) {
      case Values::noise: return noise(u);
      case Values::extremes: return u < 0.5 ? low_ : high_;
      case Values::some_not_finite:
        if (!floats_ || u >= 0.01) return noise(u);
        return u < 0.004 ? nan : std::copysign(infinity, u - 0.007);
      case Values::smooth: return noise(0.5 + 0.5 * std::sin(phase_ += 0.05));
      case Values::least_normal: return noise(u) * (floats_ ? 4 * least_normal(pixel_) : 1);
      case Values::near_largest:  // of any sign where there are signs
        return largest(pixel_) * (low_ < 0 && below(random_, 2) == 0 ? -0.99 : 0.99) * (floats_ ? 0.2 + 0.8 * u : 0.9 + 0.1 * u);
      case Values::one_nan:
      case Values::one_infinity:
      case Values::one_minus_infinity: return floats_ ? noise(u) : std::floor(10 * u);
      case Values::many_infinities:
        if (u < 0.3) return std::copysign(floats_ ? infinity : high_, u - 0.15);
        return noise(u) / (floats_ ? 1 : high_);
      case Values::all_nan: return floats_ ? nan : high_;
      case Values::all_infinite: return floats_ ? outlier_ * infinity : low_;
      case Values::one_outlier: return floats_ ? noise(u) : std::floor(3 * u);
      case Values::few_ones: return 0;
      case Values::dim_half: {
        const bool dim = along_height_ ? 2 * y_ < shape_.height : 2 * x_ < shape_.width;
        return noise(u) * (dim ? 1e-4 : 1);
      }
      case Values::nodata_patches: {
        // A fifth of the blocks, by a hash of where they lie.
        std::uint64_t hash = patches_;
        for (const std::int64_t part : {z_, y_ / patch_height_, x_ / patch_width_}) {
          hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15;
          hash ^= hash >> 29;
        }
        return hash % 5 == 0 ? nodata_ : floats_ ? 300 * noise(u) : noise(u) / 4;
      }
      case Values::count: break;
    }
    throw std::logic_error("no such values");
  }

  const Shape shape_;
  Pixel pixel_;
  Values values_;
  Random& random_;
  bool floats_, along_height_;
  double low_, high_, outlier_, nodata_;
  std::int64_t patch_height_ = 1, patch_width_ = 1;
  std::uint64_t patches_ = 0;
  double phase_ = 0;
  std::int64_t index_ = 0, x_ = 0, y_ = 0, z_ = 0;
};

}  // namespace

double read(const std::byte* p, Pixel pixel) {
  return visit_pixel(pixel, [p](auto element) {
    std::memcpy(&element, p, sizeof element);
    return static_cast<double>(element);
  });
}

Filled fill(const Arena& arena, Values values, Random& random) {
  const Pixel pixel = arena.view.pixel;
  Elements elements(arena.view.shape, pixel, values, random);
  arena.for_each([&](std::byte* p) { write(p, pixel, elements.next()); });
  const auto count = static_cast<std::size_t>(arena.view.shape.elements());
  for (const double value : elements.single()) {
    // The ends, where borders repeat it, more often than chance would.
    const std::size_t place = below(random, 3);
    const std::size_t chosen = place == 0 ? 0 : place == 1 ? count - 1 : below(random, count);
    std::size_t index = 0;
    arena.for_each([&](std::byte* p) {
      if (index++ == chosen) write(p, pixel, value);
    });
  }
  Filled filled;
  arena.for_each([&](const std::byte* p) {
    const double value = read(p, pixel);
    filled.finite = filled.finite && std::isfinite(value);
    filled.positive = filled.positive && !(value < 0);
    filled.negative = filled.negative && !(value > 0);
    if (std::isfinite(value)) filled.greatest = std::max(filled.greatest, std::fabs(value));
  });
  return filled;
}

}  // namespace halation::sweep
