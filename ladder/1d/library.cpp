// library.cpp: the library itself, called and not copied.
//
// Idea      Say what to compute and leave the how to a plan: it analyses the weights, takes the cheapest of
//           its methods for them on this device and is ready for any number of runs. `plan.explain()` tells
//           what it took and why.
// Map       The method's own; the files of src/cuda draw it.
// Traffic   The memory must see 4 bytes read and 4 written an output; the rest is the method's.
// Limits    None of its own; radius up to 65,536 here. The weights travel with the launch: nothing to upload
//           before.
// Source    include/halation/plan.h.
#include "halation/plan.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

PlanSpec spec_of(const Problem& problem) {
  return {.shape = {.width = problem.width},
          .pixel = Pixel::f32,
          .filters = {Filter({problem.weights.begin(), problem.weights.end()})},
          .device = cuda(),
          .options = {.border = Border::constant(problem.outside), .operation = Operation::correlation}};
}

class Library final : public GpuRun {
 public:
  explicit Library(const Problem& problem) : plan_(spec_of(problem)) {}

  void upload_filter(Stream) override {}

  void run(const float* in, float* out, Stream stream) override {
    ConstView signal = view_of(in, plan_.output_shape());
    View result = view_of(out, plan_.output_shape());
    signal.device = result.device = cuda();
    plan_.run(signal, result, {.stream = stream});
  }

  std::vector<KernelLaunch> launches() const override { return {}; }  // they are the plan's own

 private:
  Plan plan_;
};

}  // namespace

std::unique_ptr<GpuRun> library_1d(const Problem& problem) { return std::make_unique<Library>(problem); }

}  // namespace halation::ladder
