// forced_target.cpp: a test that this is linked to exits with 77 where this machine or build lacks the instruction set that the
// environment's HALATION_TARGET names, and fails where the CPU uses another one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include "halation/device.h"
#include "halation/error.h"

namespace halation {
namespace {

class ForcedTarget final : public testing::Environment {
 public:
  void SetUp() override {
    const char* name = std::getenv("HALATION_TARGET");
    if (name == nullptr) return;
    try {
      for (const DeviceInfo& info : devices()) {
        if (info.device == cpu() && !info.description.starts_with(std::string(name) + ","))
          throw std::logic_error("asked for " + std::string(name) + ", the CPU uses " + info.description);
      }
    } catch (const Error& error) {
      std::cout << "skipped: " << error.what() << std::endl;
      std::exit(77);
    }
  }
};

[[maybe_unused]] const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new ForcedTarget);

}  // namespace
}  // namespace halation
