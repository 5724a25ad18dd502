// sum_taps.h: the sums of a filter whose taps lie anywhere in memory, and of windows; and whether elements are finite.
#pragma once

#include <cstdint>

namespace halation::python {

/// Elements that may be read and written behind the last one.
inline constexpr std::int64_t sum_slack = 64;

/// out[i] = Σ_k weights[k] · in[offsets[k] + i] for i in [0, n), in f64. Cost: a multiply-add for each tap and element, a vector of
/// them at a time; the last one is written whole.
void sum_taps(const double* in, const double* weights, const std::int64_t* offsets, std::int64_t taps, double* out, std::int64_t n);

/// Whether none of n elements is infinite or no number. Cost: a vector operation for each vector of them, a fraction of a tap.
bool are_finite(const double* in, std::int64_t n);

/// Sums in windows, in `blocks` blocks of rows of n elements, each block `apart` elements behind the one before in both arrays: out row
/// r = weight · (in row r + … + in row r + taps − 1) for r in [0, rows). A window is the end of some `taps` rows and the beginning of the next as many,
/// and sums of both come from two walks. Nothing is subtracted, so no rounding error and no NaN outlives its window; whole numbers are
/// exact below 2^53 where the weight is a power of 2. It comes first, so that no sum overflows that does not have to. Cost: three additions for each element, whatever the taps.
void window_sums(const double* in, std::int64_t taps, double weight, double* out, std::int64_t rows, std::int64_t n,
                 std::int64_t blocks, std::int64_t apart);

}  // namespace halation::python
