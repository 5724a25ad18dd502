// library.cpp: the library on the GPU, called as any program would call it.
//
// Idea      Up to radius 3, the steps below taken together: rows of a patch of outputs in registers, so that
//           one read serves many taps; weights as operands; outputs at the border by blocks of their own. From
//           radius 4 on, rows and columns in one pass. `Plan::explain` tells which.
// Traffic   From DRAM the image is read and written once, 8 bytes an output.
// Limits    None of its own; radius up to 256 here. The weights travel with the plan: there is nothing to
//           upload.
// Source    docs/architecture.md, "The road of one filter".
#include <cstddef>
#include <memory>
#include <vector>

#include "halation/halation.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

class Library final : public GpuRun {
 public:
  explicit Library(const Problem& problem)
      : shape_{.height = problem.height, .width = problem.width},
        plan_(
            {.shape = shape_,
             .pixel = Pixel::f32,
             .filters = {filter_of(problem)},
             .device = cuda(0),
             .options = {.border = Border::constant(problem.outside), .operation = Operation::correlation}}) {
  }

  void upload_filter(Stream) override {}

  void run(const float* in, float* out, Stream stream) override {
    const Strides packed = strides_of(shape_, Pixel::f32);
    const ConstView from{reinterpret_cast<const std::byte*>(in), shape_, packed, Pixel::f32, cuda(0)};
    const View to{reinterpret_cast<std::byte*>(out), shape_, packed, Pixel::f32, cuda(0)};
    plan_.run(from, to, {.stream = stream});
  }

  /// The library's kernels are its own affair.
  std::vector<KernelLaunch> launches() const override { return {}; }

 private:
  static Filter filter_of(const Problem& problem) {
    const auto doubles = [](const std::vector<float>& list) {
      return std::vector<double>(list.begin(), list.end());
    };
    const std::int64_t side = 2 * problem.radius + 1;
    const bool factored = !problem.factors[1].empty() && !problem.factors[2].empty();
    return factored ? Filter::separable({.y = doubles(problem.factors[1]), .x = doubles(problem.factors[2])})
                    : Filter::dense({1, side, side}, doubles(problem.weights));
  }

  Shape shape_;
  Plan plan_;
};

}  // namespace

std::unique_ptr<GpuRun> library_2d(const Problem& problem) { return std::make_unique<Library>(problem); }

}  // namespace halation::ladder
