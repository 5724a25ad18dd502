// sums16_point.h: filters of up to three taps along y and x over 8 bits whose sums 16 bits hold.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/job.h"
#include "cpu/int8/sums16/kernels.h"

namespace halation::cpu_backend {

/// Weights as numbers of 16 bits. Sums are off by `error` levels of the output at most, before they are rounded.
struct Sums16Point {
  bool by_columns = false;
  Sums16Weights columns = {};  ///< along y, or of the whole filter
  Sums16Weights row = {};      ///< along x, after columns
  Sums16Finish finish = {};
  double error = 0;
};

/// None where the job or the filter does not allow it, and where it would put sums off by more than 1/16 of a level, or, if they are
/// truncated, off at all. Weights that are whole numbers, factors that are so times a power of two, and windows of equal weights are
/// summed exactly.
std::optional<Sums16Point> sums16_point(const Job& job, const Taps& taps);

}  // namespace halation::cpu_backend
