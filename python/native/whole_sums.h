// whole_sums.h: sums of products along a row: of whole numbers modulo 2^32 or 2^64, and of floats in their own precision.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halation::python {

/// A row of an array, and the row of taps that it meets.
template <class T>
struct WholeRow {
  const T* from;
  const T* weights;
};

/// Elements of a vector at most.
inline constexpr std::int64_t whole_lanes = 16;
/// Elements that are read before and behind a row, which are 0, and written behind the outputs.
inline constexpr std::int64_t whole_slack = 4 * whole_lanes;

/// out[i] = Σ_rows Σ_k weights[k] · from[first + i − k] for i in [0, outputs), the rows being 0 outside [0,
/// n). Cost: a product for each output and each tap that meets the row there, a vector of them at a time.
void sum_row(const WholeRow<std::uint32_t>* rows, std::size_t count, std::int64_t first, std::int64_t n,
             std::int64_t taps, std::uint32_t* out, std::int64_t outputs);
void sum_row(const WholeRow<std::uint64_t>* rows, std::size_t count, std::int64_t first, std::int64_t n,
             std::int64_t taps, std::uint64_t* out, std::int64_t outputs);
void sum_row(const WholeRow<float>* rows, std::size_t count, std::int64_t first, std::int64_t n,
             std::int64_t taps, float* out, std::int64_t outputs);
void sum_row(const WholeRow<double>* rows, std::size_t count, std::int64_t first, std::int64_t n,
             std::int64_t taps, double* out, std::int64_t outputs);

}  // namespace halation::python
