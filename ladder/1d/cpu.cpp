// cpu.cpp: the plain loop, baseline of the 1D rungs.
//
// Idea      Follow the formula: for each output, walk over the filter; a tap beside the signal meets a ghost
//           cell.
// Map       One thread computes out[0], out[1], …
//
//             signal, radius 2     . . a b c d e f g h i . .     . is a ghost cell: no memory is read,
//             A                    └── A ──┘                       it counts as `outside`
//             D                          └── D ──┘               D = w0·b + w1·c + w2·d + w3·e + w4·f
//
// Traffic   2·K operations an output, K = 2r + 1. The filter and 2r of the elements stay in the cache: about
//           8 bytes an output.
// Limits    Any width; radius up to 65,536. Sums are f32 in the order of the taps, as in every other rung.
// Source    Kirk, Hwu, El Hajj, Programming Massively Parallel Processors, 4th ed., section 7.1: the
//           sequential code with which every text on the subject begins.
#include "ladder/list.h"

namespace halation::ladder {

// By the library:  correlate(signal, Filter(weights), {.border = Border::constant(outside)})

void cpu_1d(const Problem& problem, const float* in, float* out) {
  for (std::int64_t x = 0; x < problem.width; ++x) {
    float sum = 0;
    for (int i = 0; i <= 2 * problem.radius; ++i) {
      const std::int64_t in_x = x + i - problem.radius;
      const bool inside = 0 <= in_x && in_x < problem.width;
      sum += problem.weights[static_cast<std::size_t>(i)] * (inside ? in[in_x] : problem.outside);
    }
    out[x] = sum;
  }
}

}  // namespace halation::ladder
