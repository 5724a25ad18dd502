// weights.h: weights as whole numbers of 16 bits, and what that does to sums over 8-bit pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/job.h"

namespace halation::cpu_backend {

/// A filter over u8 in fixed point. Sums are off by `error` levels of the output at most, before they are rounded.
///
/// Direct filters (z, y and x together): Σ whole · pixel, times `factor`. Others, products of y and x: the sums of columns, Σ
/// integer_y · pixel, lose their last `shift` bits, rounded, and are numbers of 16 bits then; Σ whole · such a number, times
/// `factor`.
struct FixedPoint {
  bool by_columns = false;
  std::vector<std::int32_t> integer_y;
  std::vector<std::int32_t> whole;
  int shift = 0;
  double factor = 1;
  double error = 0;
  /// Where that rounds as well as `factor`, `offset` and `rounding` of the job do: (Σ + bias) >> final_shift.
  std::optional<int> final_shift;
  std::int32_t bias = 0;
};

/// Whether pixels are u8 in and u8 or i16 out, constants of borders are pixels, and sums neither in f64 nor combined.
bool allows_fixed_point(const Job& job);

/// None where the job does not allow it, where sums leave 32 bits, and where weights of 16 bits would put them off by more than
/// 1/16 of a level, or, if they are truncated, off at all.
std::optional<FixedPoint> fixed_point(const Job& job, const Taps& taps);

}  // namespace halation::cpu_backend
