// launches.h: which kernels the GPU was given.
#pragma once

#include <string>

namespace halation::sweep {

/// Names, as the compiler mangles them, of the kernels launched since the last call, one after another; empty in builds without CUDA.
std::string launches_since();

}  // namespace halation::sweep
