// cpu.cpp: the plain loops, baseline of the 3D rungs.
//
// Idea      Follow the formula: for each output, walk over the filter; a tap beside the volume meets a ghost
//           cell.
// Map       One thread computes row after row, plane after plane.
//
//             radius 1:   plane z − 1     plane z     plane z + 1
//                          · · · · ·     · · · · ·     · · · · ·
//                          · w w w ·     · w w w ·     · w w w ·      27 elements for the output O;
//                          · w w w ·     · w O w ·     · w w w ·      beside the volume each is a ghost cell
//                          · w w w ·     · w w w ·     · w w w ·      and counts as `outside`
//
// Traffic   2·K³ operations an output, K = 2r + 1. About 8 bytes an output while 2r + 1 planes fit a cache,
//           more beyond.
// Limits    Any size; radius up to 32. Sums are f32 in the order of the taps, as in every other rung.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.1, with one
//           more axis.
#include "ladder/list.h"

namespace halation::ladder {

// By the library:
//   correlate(volume, Filter::dense({K, K, K}, weights), {.border = Border::constant(outside)})

void cpu_3d(const Problem& problem, const float* in, float* out) {
  const std::int64_t side = 2 * problem.radius + 1;
  for (std::int64_t z = 0; z < problem.depth; ++z) {
    for (std::int64_t y = 0; y < problem.height; ++y) {
      for (std::int64_t x = 0; x < problem.width; ++x) {
        float sum = 0;
        for (std::int64_t k = 0; k < side; ++k) {
          for (std::int64_t j = 0; j < side; ++j) {
            for (std::int64_t i = 0; i < side; ++i) {
              const std::int64_t in_z = z + k - problem.radius;
              const std::int64_t in_y = y + j - problem.radius;
              const std::int64_t in_x = x + i - problem.radius;
              const bool inside = 0 <= in_z && in_z < problem.depth && 0 <= in_y && in_y < problem.height &&
                                  0 <= in_x && in_x < problem.width;
              const float value =
                  inside ? in[(in_z * problem.height + in_y) * problem.width + in_x] : problem.outside;
              sum += problem.weights[static_cast<std::size_t>((k * side + j) * side + i)] * value;
            }
          }
        }
        out[(z * problem.height + y) * problem.width + x] = sum;
      }
    }
  }
}

}  // namespace halation::ladder
