// main.cpp: runs GPU tests, or says why it cannot and leaves with 77, which CTest reports as skipped.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "halation/device.h"

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  const auto devices = halation::devices();
  const bool found = std::any_of(devices.begin(), devices.end(), [](const halation::DeviceInfo& info) {
    return info.device.kind == halation::Device::Kind::cuda;
  });
  if (!found) {
    std::cout << "skipped: this machine has no CUDA device\n";
    return 77;
  }
  return RUN_ALL_TESTS();
}
