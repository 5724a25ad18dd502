// seeded.h: what every tool over seeded cases is asked for.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "halation/device.h"

namespace halation::sweep {

struct Seeded {
  std::uint64_t cases;
  Device device = cpu();
  std::uint64_t seed = 1;

  /// Whether the option is one of these, and so taken.
  bool take(std::string_view name, const char* value) {
    if (name == "--device")
      device = device_named(value);
    else if (name == "--cases")
      cases = std::strtoull(value, nullptr, 10);
    else if (name == "--seed")
      seed = std::strtoull(value, nullptr, 10);
    else
      return false;
    return true;
  }
};

}  // namespace halation::sweep
