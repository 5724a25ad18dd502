// rates.h: nanoseconds that pieces of work take on one thread, a row an instruction set: what expected times are made of.
//
// Fitted to 867 jobs each on a Zen 3 (AVX2) and a Sapphire Rapids (AVX-512): arrays of one to three axes of 1 to 100,000 pixels,
// filters and windows of 9 to 9,261 taps, u8, f32 and f64. On the Zen 3 95 of 100 take 0.5 to 2.5 times what is expected. Samples and
// multiply-adds of f64 count twice.
#pragma once

namespace halation::cpu_backend {

/// Filters by rows of tiles: sums of lines, fixed point, running boxes.
struct RowRates {
  double multiply_add;  ///< where several rows share what is loaded
  double single;        ///< of one row at a time; of boxes, for each doubling of the window
  double plane;         ///< of boxes: for each plane of the window
  double sample;        ///< beside that
};

struct Rates {
  RowRates direct, separable, box;                    ///< f32
  RowRates sums32_direct, sums32_separable, box_integer;  ///< integers
  double byte;                                        ///< read or written, in the caches
  double staged_row, outside_sample, finished_row;
  // Passes along one axis (axis_pass.h).
  double axis_multiply_add, axis_single, axis_box, copied_sample, gathered_sample, converted_sample, call;
};

/// Memory beyond the caches.
inline constexpr double cached_bytes = 8e6;
inline constexpr double memory_byte = 0.125;

/// Of the instruction set that this process uses.
const Rates& rates();

}  // namespace halation::cpu_backend
