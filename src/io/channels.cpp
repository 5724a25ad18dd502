// channels.cpp: changes between the meanings that channels have in files.
#include "io/channels.h"

#include <type_traits>

#include "core/convert.h"
#include "halation/error.h"

namespace halation::io {
namespace {

template <class T>
constexpr double full() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::max();
  return 1;
}

/// Calls `each(from, to)` with pointers to corresponding pixels.
template <class T, class Each>
void for_each_pixel(const ConstView& from, const View& to, Each each) {
  for (std::int64_t y = 0; y < from.shape.height; ++y) {
    for (std::int64_t x = 0; x < from.shape.width; ++x) each(&from.at<T>({.y = y, .x = x}), &to.at<T>({.y = y, .x = x}));
  }
}

template <class T>
T rounded(double value) {
  return to_element<T>(value, Rounding::half_even);
}

}  // namespace

void divide_by_alpha(View pixels) {
  visit_pixel(pixels.pixel, [&]<class T>(T) {
    const std::int64_t step = pixels.strides.channels / static_cast<std::int64_t>(sizeof(T));
    const std::int64_t alpha_at = (pixels.shape.channels - 1) * step;
    for_each_pixel<T>(pixels, pixels, [&](const T*, T* pixel) {
      const auto alpha = static_cast<double>(pixel[alpha_at]);
      if (alpha == 0 || alpha == full<T>()) return;
      for (std::int64_t c = 0; c < alpha_at; c += step) {
        pixel[c] = rounded<T>(static_cast<double>(pixel[c]) * full<T>() / alpha);
      }
    });
  });
}

Image multiplied_by_alpha(ConstView pixels) {
  Image result(pixels.shape, pixels.pixel);
  visit_pixel(pixels.pixel, [&]<class T>(T) {
    const std::int64_t colours = pixels.shape.channels - 1;
    for_each_pixel<T>(pixels, result, [&](const T* from, T* to) {
      const auto alpha = static_cast<double>(from[colours]);
      for (std::int64_t c = 0; c < colours; ++c) {
        to[c] = rounded<T>(static_cast<double>(from[c]) * alpha / full<T>());
      }
      to[colours] = from[colours];
    });
  });
  return result;
}

Image rgb_from_cmyk(ConstView pixels) {
  Shape shape = pixels.shape;
  shape.channels -= 1;
  Image result(shape, pixels.pixel);
  visit_pixel(pixels.pixel, [&]<class T>(T) {
    for_each_pixel<T>(pixels, result, [&](const T* from, T* to) {
      const double white = full<T>() - static_cast<double>(from[3]);
      for (std::int64_t c = 0; c < 3; ++c) {
        to[c] = rounded<T>((full<T>() - static_cast<double>(from[c])) * white / full<T>());
      }
      if (shape.channels == 4) to[3] = from[4];
    });
  });
  return result;
}

bool profile_fits(Bytes icc, ColourModel colour) {
  constexpr std::size_t header_bytes = 128;
  if (icc.size() < header_bytes) return false;
  const Bytes space = icc.subspan(16, 4);
  switch (colour) {
    case ColourModel::gray:
      return begins_with(space, "GRAY");
    case ColourModel::rgb:
      return begins_with(space, "RGB ");
    case ColourModel::cmyk:
      return begins_with(space, "CMYK");
    case ColourModel::other:
      return true;
  }
  throw Error(ErrorCode::invalid_argument, "not a colour model");
}

}  // namespace halation::io
