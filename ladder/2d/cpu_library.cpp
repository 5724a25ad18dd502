// cpu_library.cpp: the library on the CPU: vectors, all cores, and a method chosen for the weights.
//
// Idea      A plan looks at the weights once (are they a column times a row? symmetric?) and takes the
//           method that costs least. Then every core filters tiles that fit its cache, several outputs an
//           instruction.
// Traffic   The image is read and written once, 8 bytes an output; arithmetic as the method needs it, which
//           `halation explain` tells.
// Limits    None of its own; radius up to 256 here.
// Source    docs/architecture.md, "The road of one filter".
#include <vector>

#include "halation/halation.h"
#include "ladder/list.h"

namespace halation::ladder {

void cpu_library_2d(const Problem& problem, const float* in, float* out) {
  const auto doubles = [](const std::vector<float>& list) {
    return std::vector<double>(list.begin(), list.end());
  };
  const std::int64_t side = 2 * problem.radius + 1;
  const bool factored = !problem.factors[1].empty() && !problem.factors[2].empty();
  const Filter filter = factored ? Filter::separable({.y = doubles(problem.factors[1]), .x = doubles(problem.factors[2])})
                                 : Filter::dense({1, side, side}, doubles(problem.weights));
  const Shape shape{.height = problem.height, .width = problem.width};
  const Plan plan(
      {.shape = shape,
       .pixel = Pixel::f32,
       .filters = {filter},
       .options = {.border = Border::constant(problem.outside), .operation = Operation::correlation}});
  plan.run(view_of(in, shape), view_of(out, shape));
}

}  // namespace halation::ladder
