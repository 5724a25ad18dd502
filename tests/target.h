// target.h: one instruction set for all that the CPU backend does, for tests.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <hwy/targets.h>

#include "halation/device.h"

namespace halation {

/// Makes Highway choose the instruction set called `name` ("AVX2", "SCALAR"); false where this machine or build lacks it. Throws
/// `std::logic_error` where the backend uses another one all the same.
inline bool use_target(const std::string& name) {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  for (std::int64_t target = 1; target > 0 && target <= HWY_SCALAR; target <<= 1) {
    if ((usable & target) == 0 || name != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    for (const DeviceInfo& info : devices()) {
      if (info.device == cpu() && !info.description.starts_with(name + ",")) {
        throw std::logic_error("asked for " + name + ", the CPU uses " + info.description);
      }
    }
    return true;
  }
  return false;
}

}  // namespace halation
