// numbers.h: numbers that look random and are the same every time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halation {

/// Numbers in [0, 1) from a seed.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  double next() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(next() * static_cast<double>(count));
  }

 private:
  std::uint64_t state_;
};

}  // namespace halation
