// converted.h: pixels of one type become pixels of another.
#pragma once

#include "halation/image.h"

namespace halation::app {

/// A packed copy with  out = round(scale · in + offset), rounded half to even and saturated.
Image converted(ConstView image, Pixel pixel, double scale = 1, double offset = 0);

}  // namespace halation::app
