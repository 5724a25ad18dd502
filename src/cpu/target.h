// target.h: the instruction set that the environment names.
#pragma once

namespace halation::cpu_backend {

/// Makes Highway choose the instruction set called `name`, the value of HALATION_TARGET ("AVX2"); the best that the machine has where
/// it is null or empty. Throws `invalid_argument` where this machine or build lacks it.
void use_target(const char* name);

}  // namespace halation::cpu_backend
