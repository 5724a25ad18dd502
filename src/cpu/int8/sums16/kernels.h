// sums16_kernels.h: the innermost loops of filters of three taps over 8 bits whose sums 16 bits hold, as a table of functions for one
// instruction set: a vector has twice as many sums of 16 bits as of 32, and they become pixels in one step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cpu/int8/sums32/kernels.h"
#include "cpu/parts/multiplier.h"

namespace halation::cpu_backend {

/// How pixels or sums are multiplied by weights.
enum class Sums16Product {
  none,        ///< all weights are 1
  whole,       ///< value · weight
  smoothing,   ///< of three weights: 1, 2, 1
  rise,        ///< of three: −1, 0, 1
  fall,        ///< of three: 1, 0, −1
  fixed_point  ///< (value · weight + 2^14) >> 15
};

/// Three weights, or three times three; taps that a filter lacks have weight 0, or do not count where all are 1.
struct Sums16Weights {
  Sums16Product product = Sums16Product::whole;
  std::array<std::int16_t, 9> weights{};
  int left = 0;  ///< of pixels, which are shifted by so many bits before they are multiplied
};

/// (saturated(sum + bias) + odd) >> right as a pixel, with odd the lowest bit that stays where `half_even`; or where there is a
/// multiplier, that.
struct Sums16Finish {
  std::int16_t bias = 0;
  int right = 0;
  bool half_even = false;
  Multiplier multiplier = {};
};

/// out[i] = pixels[i] << left   for i in [0, n).
struct Sums16Widen {
  const std::uint8_t* pixels;
  std::int16_t* out;
  std::int64_t n;
  int left;
};

/// out[r][i] = Σ_j weights[j] · rows[r + j][i]   for i in [0, n), r in [0, int8_rows_at_once).
struct Sums16Columns {
  const std::uint8_t* const* rows;  ///< int8_rows_at_once + 2
  Sums16Weights weights;
  std::int16_t* const* out;
  std::int64_t n;
};

/// out[i] = finished Σ_k weights[k] · line[i + k · tap_stride]   for i in [0, n).
struct Sums16Row {
  const std::int16_t* line;
  Sums16Weights weights;
  std::int64_t tap_stride;
  std::byte* out;
  std::int64_t n;
  Sums16Finish finish;
  bool streams;
  const std::uint8_t* ahead = nullptr;  ///< as Sums32Row has it
};

/// int8_rows_at_once output rows of n pixels, and what is asked for meanwhile.
struct Sums16Outputs {
  std::int64_t tap_stride;
  std::byte* const* out;
  std::int64_t n;
  Sums16Finish finish;
  bool streams;
  std::array<const std::uint8_t*, int8_rows_at_once> ahead = {};
};

/// Both factors at once: out[r][i] = finished Σ_j y[j] · Σ_k x[k] · rows[r + j][i + k · tap_stride]   for i in [0, n), r in
/// [0, int8_rows_at_once); n is sums16_least_row or more.
struct Sums16Factors : Sums16Outputs {
  const std::uint8_t* const* rows;  ///< int8_rows_at_once + 2
  Sums16Product along_x, along_y;   ///< a pair of which can_multiply_at_once
};
inline constexpr std::int64_t sums16_least_row = 64;

/// Sobel's factors, 1 2 1 twice, and windows of equal weights.
inline bool can_multiply_at_once(Sums16Product x, Sums16Product y) {
  using enum Sums16Product;
  const auto differs = [](Sums16Product product) { return product == rise || product == fall; };
  if (x == none) return y == none;
  return x == smoothing ? y == smoothing || differs(y) : differs(x) && y == smoothing;
}

/// out[r][i] = finished Σ_j Σ_k weights[3 j + k] · lines[r + j][i + k · tap_stride]   for i in [0, n), r in [0, int8_rows_at_once).
struct Sums16Direct : Sums16Outputs {
  const std::int16_t* const* lines;  ///< int8_rows_at_once + 2
  Sums16Weights weights;
};

/// Kernels may write a vector behind n of lines in scratch memory, and read int8_slack samples behind their end; rows of pixels
/// have int8_least_row samples at least.
struct Sums16Kernels {
  void (*widen)(const Sums16Widen&);
  void (*columns)(const Sums16Columns&);
  ForPixels<Sums16Row> row;
  ForPixels<Sums16Factors> factors;
  ForPixels<Sums16Direct> direct;
};

/// The table for the best instruction set of this machine.
const Sums16Kernels& best_sums16_kernels();

}  // namespace halation::cpu_backend
