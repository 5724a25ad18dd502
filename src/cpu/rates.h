// rates.h: nanoseconds that pieces of work take on one thread, a row an instruction set, of AVX-512 one for
// AMD's: what expected times are made of. The figures are texts in src/cpu/figures/.
//
// Made of measured times of seeded jobs on a Zen 3 (AVX2), a Sapphire Rapids (AVX-512) and a Zen 4, all by
// two threads; `halation tune --figures` makes new ones. What sums in f64 take counts twice.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "halation/pixel.h"

namespace halation::cpu_backend {

/// A sample that becomes a sum, or is made of one.
struct ConvertedRates {
  double integer, f16, other;
  double of(Pixel pixel) const { return pixel == Pixel::f16 ? f16 : is_float(pixel) ? other : integer; }
};

/// Lines of f32. `_tap`: for each tap of an output; without: for each output, whatever the taps.
struct LineRates {
  double row, staged_row, pass;  ///< of each row of a tile, each row that one stages, and each sum over one
  double row_alone;    ///< of each row whose taps lie in it alone
  double shared_line;  ///< of each row that goes past the caches and shares a cache line with the next
  double direct_tap, direct;
  double column_tap, column;
  double row_tap, row_sum;
};

/// Boxes over lines of f32. `_doubling`: for each doubling of the window.
struct LineBoxRates {
  double row;
  double low_column_tap, low_column, low_row_doubling, low_row;  ///< columns first
  double doubling, sum, column_tap, column, block;               ///< rows first; block: high columns
};

struct RunningBoxRates {
  double slid_row, slide_doubling, slide;         ///< columns first, in bytes
  double row, byte_doubling, byte, sum16, sum32;  ///< rows first, bytes of their sums
  double integer, other;                          ///< an output
  double begun;                                   ///< a sample of a tile's first row
};

struct Int8Rates {
  double row;
  double sums16_column, sums16_row, sums16_direct;
  double column_pair, column, row_pair, row_sum, direct_pair, direct,
      paired;        ///< sums of 32 bits; `_pair`: for each pair of taps
  double row_apart;  ///< beside row_sum, where other channels lie between the taps
  double windows;    ///< of sums16 where all weights are equal, as a share
  double matrix, matrices, grouped;  ///< an output of each product of 16 groups by AMX, and beside that; a sample of a plane
};

/// A pass along one axis (axis_pass.h).
struct AxisRates {
  double multiply_add, single, box, copied_sample, outside_sample, gathered_sample, call;
};

/// Transforms (fft/lengths.cpp), of each complex number: a pass of each radix, one way.
struct TransformRates {
  double radix2, radix3, radix4, radix5, radix8;
  double turned, folded, product;  ///< rows to columns or back; the roots between folded columns and rows; times the spectrum
  double staged;                   ///< a sample, beside its conversion,
  double strided;                  ///< and beside that, where channels lie between
  double row, tile;
  double l2_bytes, beyond_l2;  ///< tiles as large as a cache, and how many times as long passes take beyond it
  double l3_bytes, beyond_l3;
  /// Multiply-adds by taps that take as long as a transform of a tile does for each of its samples: of
  /// outputs, and of outliers, many at once.
  double outputs_by_taps, outliers;
  double marks;  ///< what marks take of a transform, where samples that are no outliers are 0
};

struct Rates {
  std::string_view name;
  std::int64_t vector_bytes;
  double cached_bytes;      ///< of one thread, where memory begins to count,
  double all_cached_bytes;  ///< and of all together
  double softness;          ///< of where a cache ends, as a share of its bytes
  double memory_byte;       ///< read or written by one thread,
  double all_memory_byte;   ///< and by all together
  double threads_from;      ///< work that takes less is done by one thread
  double start;             ///< of work that threads share
  double run;               ///< beside that
  double outside_sample;
  ConvertedRates load, store;
  LineRates lines;
  LineBoxRates line_boxes;
  RunningBoxRates running;
  Int8Rates int8;
  double axis_start;   ///< of each pass over an image
  double axis_sample;  ///< of each pass, beside that
  AxisRates axis;        ///< by which it chooses its way, and so the order of its sums: others would give other bits
  AxisRates axis_takes;  ///< what it takes then
  TransformRates transforms;
};

/// Of a text as the files have it, a line a figure: "lines.row; 59.5". Throws `Error{invalid_argument}` that
/// names the line, or the figure that is missing.
Rates rates_from(std::string_view name, std::string_view text);

/// The rows that halation comes with: avx2, avx512, zen4.
std::span<const Rates> all_rates();
/// One of them; null where none has the name.
const Rates* rates_named(std::string_view name);

/// Of the instruction set that this process uses; of AVX-512 by the maker of the CPU; or what `use_rates` was
/// given.
const Rates& rates();

/// The row of another machine's, or this one's, with what the text says of pieces of work, "lines.row; 59.5"
/// a line; figures that decide how sums are done stay. Throws `Error{invalid_argument}` that names the line.
Rates with(Rates rates, std::string_view text);
/// Nobody may ask for prices meanwhile.
void use_rates(const Rates& rates);
/// Whether it has been called.
bool are_measured_here();

/// Whether a figure says what a piece of work takes, and no more: others decide how sums are done, and so
/// their last bits.
bool is_piece(std::string_view name);

}  // namespace halation::cpu_backend
