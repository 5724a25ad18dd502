// device.h: which GPUs there are, and which one calls of this thread go to.
#pragma once

#include <optional>
#include <string>

#include "halation/device.h"

namespace halation::cuda_backend {

/// How many GPUs the driver offers; 0 without a driver, without delay, and in a child of a process that had asked. The first call
/// starts the driver, no context.
int device_count();

/// Why there is none, on one line; empty where there is one.
std::string why_none();

/// One line: model, compute capability, memory, multiprocessors, driver.
std::string describe(int index);

/// While it lives, calls of this thread go to `device`; afterwards to the one before, which is left alone where it is the same: choosing a
/// device starts it. Throws `Error{device}` where it does not exist.
class UseDevice {
 public:
  explicit UseDevice(Device device);
  ~UseDevice();
  UseDevice(const UseDevice&) = delete;
  UseDevice& operator=(const UseDevice&) = delete;

 private:
  std::optional<int> before_;  ///< where it was another
};

}  // namespace halation::cuda_backend
