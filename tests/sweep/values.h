// values.h: what the pixels of a case hold, from noise to all that is not finite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "arena.h"
#include "weights.h"

namespace halation::sweep {

double read(const std::byte* p, Pixel pixel);

/// What was filled in, border constants apart.
struct Filled {
  double greatest = 0;  ///< magnitude of finite elements
  bool finite = true;   ///< all elements
  bool positive = true, negative = true;  ///< no element is below zero, above it
};

/// Fills the view. Integers get the counterparts of what only floats can hold.
Filled fill(const Arena& arena, Values values, Random& random);

}  // namespace halation::sweep
