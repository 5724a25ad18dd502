// cpu_naive.cpp: the loop that everything else is measured by, on one core.
//
// Idea      Four loops: over the outputs, and for each over the weights. Rows outside columns, so that
//           memory is read in its order; a ghost cell (outside the image) counts as `outside`.
//
//             for each output O           . . . . .
//               for each weight           . . . . .         radius 2: 25 reads, each of them tested
//                 sum += weight · .       . . O . .
//                                         . . . . .
//                                         . . . . .
//
// Traffic   2·K² operations an output, K = 2r + 1, for 8·K² bytes read from the first cache: 0.25
//           operations a byte.
// Limits    Radius up to 256. Sums are f32, in the order of the weights, as in the other rungs.
// Source    Slides on convolution by A. Abramov, 2011; xFilters by T. Gautam, which swaps rows and columns
//           and is right for squares alone.
#include <cstdint>

#include "ladder/list.h"

namespace halation::ladder {

// By the library:  correlate(image, Filter::dense({1, K, K}, weights), {.border = Border::constant(outside)})

void cpu_naive_2d(const Problem& problem, const float* in, float* out) {
  const std::int64_t radius = problem.radius;
  for (std::int64_t y = 0; y < problem.height; ++y) {
    for (std::int64_t x = 0; x < problem.width; ++x) {
      float sum = 0;
      const float* weight = problem.weights.data();
      for (std::int64_t in_y = y - radius; in_y <= y + radius; ++in_y) {
        for (std::int64_t in_x = x - radius; in_x <= x + radius; ++in_x) {
          const bool inside = in_y >= 0 && in_y < problem.height && in_x >= 0 && in_x < problem.width;
          sum += *weight++ * (inside ? in[in_y * problem.width + in_x] : problem.outside);
        }
      }
      out[y * problem.width + x] = sum;
    }
  }
}

}  // namespace halation::ladder
