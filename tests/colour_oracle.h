// colour_oracle.h: plain loops that say what filtering a photograph with alpha, linear light or gray gives, and images to try it on.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "halation/colour.h"
#include "halation/filters.h"

namespace halation {

using Place = std::array<std::int64_t, 3>;  // z, y, x

template <class T>
Image image_of(const Shape& shape, const std::vector<double>& values, Layout layout = Layout::interleaved) {
  Image image(shape, PixelOf<T>::value, layout);
  const View view = image.view();
  std::size_t i = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t z = 0; z < shape.depth; ++z) {
      for (std::int64_t y = 0; y < shape.height; ++y) {
        for (std::int64_t x = 0; x < shape.width; ++x) {
          for (std::int64_t c = 0; c < shape.channels; ++c)
            view.at<T>({.b = b, .z = z, .y = y, .x = x, .c = c}) = static_cast<T>(values.at(i++));
        }
      }
    }
  }
  EXPECT_EQ(i, values.size());
  return image;
}

inline double value_at(const ConstView& view, const Place& at, std::int64_t c, std::int64_t b = 0) {
  const auto [z, y, x] = at;
  switch (view.pixel) {
    case Pixel::u8:
      return view.at<std::uint8_t>({.b = b, .z = z, .y = y, .x = x, .c = c});
    case Pixel::u16:
      return view.at<std::uint16_t>({.b = b, .z = z, .y = y, .x = x, .c = c});
    case Pixel::i16:
      return view.at<std::int16_t>({.b = b, .z = z, .y = y, .x = x, .c = c});
    case Pixel::f16:
      return static_cast<double>(view.at<f16>({.b = b, .z = z, .y = y, .x = x, .c = c}));
    case Pixel::f32:
      return view.at<float>({.b = b, .z = z, .y = y, .x = x, .c = c});
    case Pixel::f64:
      return view.at<double>({.b = b, .z = z, .y = y, .x = x, .c = c});
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

inline std::vector<double> values_of(const ConstView& view) {
  std::vector<double> values;
  const Shape& n = view.shape;
  for (std::int64_t b = 0; b < n.batch; ++b) {
    for (std::int64_t z = 0; z < n.depth; ++z) {
      for (std::int64_t y = 0; y < n.height; ++y) {
        for (std::int64_t x = 0; x < n.width; ++x) {
          for (std::int64_t c = 0; c < n.channels; ++c) values.push_back(value_at(view, {z, y, x}, c, b));
        }
      }
    }
  }
  return values;
}

inline std::vector<double> random_values(const Shape& shape, double least, double most, bool whole) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> draw(least, most);
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  for (double& value : values) value = whole ? std::nearbyint(draw(random)) : draw(random);
  return values;
}

inline double full_scale(Pixel pixel) {
  switch (pixel) {
    case Pixel::u8:
      return 255;
    case Pixel::u16:
      return 65535;
    case Pixel::i16:
      return 32767;
    default:
      return 1;
  }
}

// IEC 61966-2-1, mirrored for negative values.
inline double light_of(double v) {
  if (v < 0) return -light_of(-v);
  return v > 0.04045 ? std::pow((v + 0.055) / 1.055, 2.4) : v / 12.92;
}
inline double encoding_of(double v) {
  if (v < 0) return -encoding_of(-v);
  return v > 0.0031308 ? 1.055 * std::pow(v, 1 / 2.4) - 0.055 : v * 12.92;
}

/// Plain loops over one image, extent same: what the documentation of `convolve_colour` says, in double,
/// before rounding.
class Oracle {
 public:
  Oracle(ConstView in, ColourOptions colour, Border border, Pixel out)
      : in_(in),
        colour_(colour),
        border_(border),
        out_(out),
        colours_(in.shape.channels - (colour.alpha ? 1 : 0)) {}

  /// For one filter that is a correlation and whose sum is not 0, at a place of the output.
  std::vector<double> blended(const Filter& filter, const Place& at) const {
    double alpha = 1;
    if (colour_.alpha)
      alpha = sum(
                  filter, at, [this](const Place& p) { return alpha_at(p); }, 1) /
              filter.sum();
    return pixel(alpha,
                 [&](std::int64_t c) { return alpha > 0 ? premultiplied_sum(filter, at, c) / alpha : 0; });
  }

  /// For the magnitude of filters.
  std::vector<double> magnitude(const std::vector<Filter>& filters, const Place& at) const {
    const double alpha = alpha_at(at);
    return pixel(alpha, [&](std::int64_t c) {
      double squares = 0;
      for (const Filter& filter : filters) squares += std::pow(premultiplied_sum(filter, at, c), 2);
      return alpha > 0 ? std::sqrt(squares) : 0;
    });
  }

 private:
  double alpha_at(const Place& p) const {
    return colour_.alpha ? value_at(in_, p, colours_) / full_scale(in_.pixel) : 1;
  }

  double light(double value) const {
    return colour_.linear ? light_of(value / full_scale(in_.pixel)) : value;
  }

  double colour_at(const Place& p, std::int64_t c) const {
    if (!colour_.gray) return light(value_at(in_, p, c));
    return 0.299 * light(value_at(in_, p, 0)) + 0.587 * light(value_at(in_, p, 1)) +
           0.114 * light(value_at(in_, p, 2));
  }

  double premultiplied_sum(const Filter& filter, const Place& at, std::int64_t c) const {
    const auto value = [this, c](const Place& p) { return colour_at(p, c) * alpha_at(p); };
    return sum(filter, at, value, light(border_.value));
  }

  std::vector<double> pixel(double alpha, const std::function<double(std::int64_t)>& colour) const {
    std::vector<double> channels;
    for (std::int64_t c = 0; c < (colour_.gray ? 1 : colours_); ++c) {
      channels.push_back(colour_.linear ? encoding_of(colour(c)) * full_scale(out_) : colour(c));
    }
    if (colour_.alpha) channels.push_back(alpha * full_scale(out_));
    return channels;
  }

  /// Place in the image that stands for coordinate i of an axis of n; nothing where the constant does.
  std::optional<std::int64_t> inside(std::int64_t i, std::int64_t n) const {
    if (i >= 0 && i < n) return i;
    if (border_.mode == Border::Mode::constant) return {};
    if (border_.mode == Border::Mode::replicate) return i < 0 ? 0 : n - 1;
    while (i < 0 || i >= n) i = n == 1 ? 0 : i < 0 ? -i : 2 * n - 2 - i;  // reflect101
    return i;
  }

  double sum(const Filter& filter, const Place& at, const std::function<double(const Place&)>& value,
             double constant) const {
    const std::array<std::int64_t, 3> n = in_.shape.space();
    const FilterSize k = filter.size();
    const Anchor a = filter.anchor();
    const std::vector<double> weights = filter.weights();
    double total = 0;
    std::size_t i = 0;
    for (std::int64_t z = 0; z < k.depth; ++z) {
      for (std::int64_t y = 0; y < k.height; ++y) {
        for (std::int64_t x = 0; x < k.width; ++x) {
          const auto pz = inside(at[0] + z - a.z, n[0]);
          const auto py = inside(at[1] + y - a.y, n[1]);
          const auto px = inside(at[2] + x - a.x, n[2]);
          total += weights[i++] * (pz && py && px ? value({*pz, *py, *px}) : constant);
        }
      }
    }
    return total;
  }

  ConstView in_;
  ColourOptions colour_;
  Border border_;
  Pixel out_;
  std::int64_t colours_;
};

/// Compares each output pixel with the oracle's, clamped to what the pixel holds; `slack` is what sums in f32
/// may lose, relative to full scale, beside the rounding of the pixel.
void expect_equal(const Image& out, double slack,
                  const std::function<std::vector<double>(const Place&)>& expected) {
  const double unit = full_scale(out.pixel());
  const Shape& n = out.shape();
  for (std::int64_t z = 0; z < n.depth; ++z) {
    for (std::int64_t y = 0; y < n.height; ++y) {
      for (std::int64_t x = 0; x < n.width; ++x) {
        const std::vector<double> pixel = expected({z, y, x});
        ASSERT_EQ(static_cast<std::int64_t>(pixel.size()), n.channels);
        for (std::int64_t c = 0; c < n.channels; ++c) {
          const double value = std::clamp(pixel[c], smallest(out.pixel()), largest(out.pixel()));
          double rounding = 0;
          if (!is_float(out.pixel())) rounding = 0.5;
          if (out.pixel() == Pixel::f16) rounding = std::abs(value) * 0x1p-11 + 0x1p-25;
          ASSERT_NEAR(value_at(out, {z, y, x}, c), value, rounding + slack * unit)
              << "z " << z << " y " << y << " x " << x << " channel " << c;
        }
      }
    }
  }
}

}  // namespace halation
