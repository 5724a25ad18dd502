// best_instruction_set.cpp: prints Highway's name of the best instruction set that this machine has and builds do not leave out.
#include <hwy/targets.h>

#include <cstdint>
#include <cstdio>

int main() {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  std::printf("%s", hwy::TargetName(usable & -usable));
}
