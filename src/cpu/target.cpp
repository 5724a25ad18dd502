// target.cpp: narrows what Highway chooses from to one instruction set.
#include "cpu/target.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <hwy/targets.h>

#include "halation/error.h"

namespace halation::cpu_backend {

void use_target(const char* name) {
  const std::string_view wanted = name == nullptr ? "" : name;
  if (wanted.empty()) return;
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  std::string known;
  for (std::int64_t target = 1; target > 0 && target <= HWY_SCALAR; target <<= 1) {
    if ((usable & target) == 0) continue;
    const std::string_view its_name = hwy::TargetName(target);
    if (its_name == wanted) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(target);
      return;
    }
    known += (known.empty() ? "" : ", ") + std::string(its_name);
  }
  throw Error(ErrorCode::invalid_argument,
              "HALATION_TARGET must be an instruction set of this machine and build (" + known + "), got '" + std::string(wanted) + "'");
}

std::string target_not_built() {
#if HWY_ARCH_X86
  const std::int64_t here = hwy::SupportedTargets() & (HWY_AVX3 | HWY_AVX2 | HWY_SSSE3);
  const std::int64_t best = here & -here;  // better ones have lower bits
  if ((best & ~HWY_TARGETS) != 0) return hwy::TargetName(best);
#endif
  return "";
}

}  // namespace halation::cpu_backend
