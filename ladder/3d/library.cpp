// library.cpp: the library itself, called and not copied.
//
// Idea      Say what to compute and leave the how to a plan: it analyses the weights, takes the cheapest of
//           its methods for them on this device and is ready for any number of runs. `plan.explain()` tells
//           what it took and why.
// Map       The method's own; the files of src/cuda draw it.
// Traffic   The memory must see 4 bytes read and 4 written an output; the rest is the method's.
// Limits    None of its own; radius up to 32 here. The weights travel with the launch: nothing to upload
//           before.
// Source    include/halation/plan.h.
#include "halation/plan.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

PlanSpec spec_of(const Problem& problem) {
  const std::int64_t side = 2 * problem.radius + 1;
  const std::vector<double> weights(problem.weights.begin(), problem.weights.end());
  return {.shape = {.depth = problem.depth, .height = problem.height, .width = problem.width},
          .pixel = Pixel::f32,
          .filters = {Filter::dense({side, side, side}, weights)},
          .device = cuda(),
          .options = {.border = Border::constant(problem.outside), .operation = Operation::correlation}};
}

class Library final : public GpuRun {
 public:
  explicit Library(const Problem& problem) : plan_(spec_of(problem)) {}

  void upload_filter(Stream) override {}

  void run(const float* in, float* out, Stream stream) override {
    ConstView volume = view_of(in, plan_.output_shape());
    View result = view_of(out, plan_.output_shape());
    volume.device = result.device = cuda();
    plan_.run(volume, result, {.stream = stream});
  }

  std::vector<KernelLaunch> launches() const override { return {}; }  // they are the plan's own

 private:
  Plan plan_;
};

}  // namespace

std::unique_ptr<GpuRun> library_3d(const Problem& problem) { return std::make_unique<Library>(problem); }

}  // namespace halation::ladder
