// sum_taps.h: the sums of a filter whose taps lie anywhere in memory.
#pragma once

#include <cstdint>

namespace halation::python {

/// Elements that may be read and written behind the last one.
inline constexpr std::int64_t sum_slack = 8 * 8;

/// out[i] = Σ_k weights[k] · in[offsets[k] + i] for i in [0, n), in f64. Cost: a multiply-add for each tap and element, a vector of
/// them at a time.
void sum_taps(const double* in, const double* weights, const std::int64_t* offsets, std::int64_t taps, double* out, std::int64_t n);

}  // namespace halation::python
