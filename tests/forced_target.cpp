// forced_target.cpp: a test that this is linked to uses the instruction set that the environment's HALATION_TARGET names, if it
// names one, and exits with 77 where this machine or build lacks it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "target.h"

namespace halation {
namespace {

class ForcedTarget final : public testing::Environment {
 public:
  void SetUp() override {
    const char* name = std::getenv("HALATION_TARGET");
    if (name == nullptr || use_target(name)) return;
    std::cout << "skipped: this machine or build has no " << name << std::endl;
    std::exit(77);
  }
};

[[maybe_unused]] const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new ForcedTarget);

}  // namespace
}  // namespace halation
