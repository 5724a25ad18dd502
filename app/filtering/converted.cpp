// converted.cpp: pixels of one type become pixels of another, by the filter that changes nothing.
#include "converted.h"

#include "halation/convolve.h"

namespace halation::app {

Image converted(ConstView image, Pixel pixel, double scale, double offset) {
  return convolve(image, Filter{{1.0}}, {.output = pixel, .scale = scale, .offset = offset, .sum = Sum::f64});
}

}  // namespace halation::app
