// target.h: the instruction set that the environment names.
#pragma once

#include <string>

namespace halation::cpu_backend {

/// Makes Highway choose the instruction set called `name`, the value of HALATION_TARGET ("AVX2"); the best that the machine has where
/// it is null or empty. Throws `invalid_argument` where this machine or build lacks it.
void use_target(const char* name);

/// The best instruction set of this machine that halation has kernels for, where this build lacks it, as one built on another machine may;
/// else empty.
std::string target_not_built();

}  // namespace halation::cpu_backend
