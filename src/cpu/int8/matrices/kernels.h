// kernels.h: the innermost loops of filters over 8 bits as products of matrices, as a table of functions: by AMX, or by plain loops that
// compute the same.
//
// Pixels stand in groups of 64 bytes, 16 samples of each of four rows, a group at every eighth sample, so that a group holds what 8 outputs
// of each of two rows take of its rows: up to 9 taps, and as many more as groups two further hold. Sixteen groups are a matrix of 16 × 64
// bytes. It is multiplied by one of 64 × 16 weights, whose columns are the 16 outputs and which hold the filter's taps along a band, to 16 ×
// 16 sums of 32 bits. Weights of 16 bits are two such matrices, of their upper bytes with a sign and of their lower ones without.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cpu/int8/sums32/kernels.h"

namespace halation::cpu_backend {

inline constexpr std::int64_t group_rows = 4, group_samples = 16, group_bytes = group_rows * group_samples;
/// Outputs of a group: so many samples of each of two rows.
inline constexpr std::int64_t group_outputs = 8, group_output_rows = 2;
inline constexpr std::int64_t matrix_bytes = 16 * group_bytes;
/// Groups whose outputs are made at once; lines have room for a multiple of them.
inline constexpr std::int64_t groups_at_once = 64;

/// Where weight (row r, sample s) of a group for output (row, sample) stands in a matrix of weights.
constexpr std::int64_t place_in_matrix(std::int64_t r, std::int64_t s, std::int64_t row, std::int64_t sample) {
  const std::int64_t k = group_samples * r + s;
  return k / 4 * 64 + 4 * (group_outputs * row + sample) + k % 4;
}

/// Two rows of n outputs: the sums over lines and pieces of groups 2 · piece further, finished.
struct MatrixRows {
  const std::uint8_t* const* lines;  ///< of groups, each of four rows
  std::int64_t count;                ///< of lines
  std::int64_t pieces;
  const std::uint8_t* weights;  ///< of each line each piece: a matrix of upper bytes, and where `has_lower` one of lower bytes
  bool has_lower;               ///< else the upper bytes are the weights
  std::array<std::byte*, group_output_rows> out;
  std::int64_t n;
  Sums32Finish finish;
  bool streams;
};

struct MatrixKernels {
  const char* instruction_set;
  /// Puts four rows of so many samples in groups; behind them there are zeros.
  void (*group)(const std::uint8_t* const* rows, std::int64_t samples, std::uint8_t* line, std::int64_t groups);
  ForPixels<MatrixRows> rows;
  /// Around all calls of `rows` of a tile, by its thread.
  void (*begin)();
  void (*end)();
};

/// By AMX where this machine has it and the system lets the process use it, else null.
const MatrixKernels* matrix_kernels();
/// Plain loops, which are slow.
const MatrixKernels& plain_matrix_kernels();
/// What `matrix_kernels` returns from now on, and new plans use whatever the rates say; null: as before. For tests.
void use_matrix_kernels(const MatrixKernels* kernels);
bool must_use_matrix_kernels();

}  // namespace halation::cpu_backend
