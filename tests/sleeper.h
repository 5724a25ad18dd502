// sleeper.h: a runner of known duration, for backends of the tests' own.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <thread>

#include "core/backend.h"

namespace halation {

/// Runs that take as long as they are told to, and compute nothing.
class Sleeper final : public Runner {
 public:
  explicit Sleeper(double seconds) : seconds_(seconds) {}
  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override { return "sleeps"; }
  void run(ConstView, std::span<const View>, std::span<std::byte>, Stream) const override {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
  }

 private:
  double seconds_;
};

}  // namespace halation
