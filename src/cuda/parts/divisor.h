// divisor.h: division by a number that a launch knows, without dividing.
#pragma once

#include <cstdint>

#include "cuda/device/runtime.h"

namespace halation::cuda_backend {

/// n / d for 0 ≤ n < 2^31 and 1 ≤ d < 2^31: with s = ⌈log2 d⌉ and m = ⌈2^(31 + s) / d⌉ < 2^32, n · m >> (31 + s) is exact (Granlund and
/// Montgomery, Division by Invariant Integers using Multiplication, 1994).
struct Divisor {
  std::uint32_t by = 1;
  std::uint32_t multiplier = std::uint32_t{1} << 31;
  int shift = 31;

  Divisor() = default;
  explicit Divisor(std::int64_t d) : by(static_cast<std::uint32_t>(d)) {
    while (std::int64_t{1} << (shift - 31) < d) ++shift;
    multiplier = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + static_cast<std::uint64_t>(d) - 1) / static_cast<std::uint64_t>(d));
  }
  __host__ __device__ std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(n) * multiplier) >> shift);
  }
};

}  // namespace halation::cuda_backend
