// multiplier.h: a factor, an offset and a rounding as whole numbers of 16 bits.
#pragma once

#include <cstdint>
#include <optional>

#include "halation/plan.h"

namespace halation::cpu_backend {

/// ((((sum << left) · multiplier) >> 16) + bias) >> right, all of 16 bits without sign; where `multiplier` is 0, nothing.
struct Multiplier {
  int left = 0;
  int right = 0;
  std::uint16_t multiplier = 0;
  std::uint16_t bias = 0;
};

/// One that gives for every sum from 0 to `most` the 8-bit pixel that f64 gives for factor · sum + offset; none where there is none.
/// Cost: microseconds.
std::optional<Multiplier> find_multiplier(double factor, double offset, Rounding rounding, std::int64_t most);

}  // namespace halation::cpu_backend
