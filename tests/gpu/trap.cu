// trap.cu: a kernel after which the process has lost its device.
#include "trap.h"

namespace halation::gpu_test {
namespace {

__global__ void trap() { asm volatile("trap;"); }

}  // namespace

void launch_trap() { trap<<<1, 1>>>(); }

}  // namespace halation::gpu_test
