// cpu.h: the CPU backend: SIMD chosen at run time, threads by oneTBB.
#pragma once

#include <string>

#include "core/backend.h"

namespace halation::cpu_backend {

const Backend& backend();

/// What times depend on, on one line: model of the CPU, instruction set in use, threads that the process may
/// have.
std::string identity();

}  // namespace halation::cpu_backend
