// cpu.h: the CPU backend: SIMD chosen at run time, threads by oneTBB.
#pragma once

#include "core/backend.h"

namespace halation::cpu_backend {

const Backend& backend();

}  // namespace halation::cpu_backend
