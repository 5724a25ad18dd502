// trap.h: a kernel after which the process has lost its device.
#pragma once

namespace halation::gpu_test {

/// Queues, on the default stream of the present device, a kernel that ends in a trap.
void launch_trap();

}  // namespace halation::gpu_test
