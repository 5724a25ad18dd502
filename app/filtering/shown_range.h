// shown_range.h: which values of a pixel a screen shows as black and as white.
#pragma once

#include "halation/pixel.h"

namespace halation::app {

struct ShownRange {
  double black, white;
};

/// The whole range of integers, 0 to 1 of floats.
inline ShownRange shown_range(Pixel pixel) {
  if (is_float(pixel)) return {0, 1};
  return {smallest(pixel), largest(pixel)};
}

}  // namespace halation::app
