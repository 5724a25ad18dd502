// measure_no_gpu.cpp: what measuring on a GPU says in a build without CUDA.
#include "halation/error.h"
#include "ladder/measure_gpu.h"

namespace halation::ladder {
namespace {

constexpr const char* why_not = "this build has no CUDA";

[[noreturn]] void refuse() { throw Error{ErrorCode::device, std::string("ladder: ") + why_not}; }

}  // namespace

Gpu present_gpu() {
  Gpu gpu;
  gpu.why_not = why_not;
  return gpu;
}

double device_copy_bytes_per_s() { refuse(); }

void run_once_on_gpu(const Rung&, const Problem&, HostImages&) { refuse(); }

double kernel_s_on_gpu(const Rung&, const Problem&, HostImages&, double) { refuse(); }

Timings measure_on_gpu(const Rung&, const Problem&, HostImages&, double) { refuse(); }

}  // namespace halation::ladder
