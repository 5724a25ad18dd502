// costs.h: what launches of each family of kernels take: fitted figures, a row an architecture.
//
// A family counts terms of a job (blocks, steps, taps; in its own file), a row has a figure for each. Some
// are waited for whatever else the GPU does: the start of a launch. A block walks its way, one after another
// in the same place, while each multiprocessor does its share of all blocks' work, and memory brings and
// takes away what is read and written; the longest of the three hides most of the others.
#pragma once

#include <array>
#include <cstddef>

namespace halation::cuda_backend {

/// What a family counts of a job.
template <std::size_t Waited, std::size_t Walked, std::size_t Shared>
struct Terms {
  std::array<double, Waited> waited;
  std::array<double, Walked> walked;  ///< by the blocks that follow one another in one place
  std::array<double, Shared> shared;  ///< by the multiprocessor that has most
};

/// Microseconds of each term.
template <std::size_t Waited, std::size_t Walked, std::size_t Shared>
struct Cost : Terms<Waited, Walked, Shared> {
  double memory = 4;                  ///< terabytes a second that the family reaches,
  double cached = 6;                  ///< and where the caches hold all
};

/// A term where it counts.
constexpr double if_is(bool is, double value) { return is ? value : 0.0; }

struct Costs {
  Cost<1, 7, 14> shared_tile_f32, shared_tile_f64;
  Cost<1, 5, 13> factored_f32, factored_f64;
  Cost<1, 2, 8> long_rows;
  Cost<3, 0, 4> long_rows_in_bulk;
  Cost<2, 2, 11> warp_strip, warp_strip_aligned;
  Cost<3, 0, 12> register_tile;
  Cost<1, 1, 3> whole_images;
  Cost<1, 1, 4> sparse;
  Cost<1, 1, 4> narrow_rows_f32, narrow_rows_f64;
  Cost<1, 3, 9> movers, streaming;
  Cost<2, 2, 2> fft_tiles_f32, fft_tiles_f64, fft_lines_f32, fft_lines_f64;
  Cost<2, 0, 1> fft_passes_f32, fft_passes_f64;
  Cost<1, 0, 1> fft_columns_f32, fft_columns_f64;
  Cost<1, 4, 5> banded;
  Cost<1, 2, 5> banded_passes;
  Cost<1, 2, 5> banded_floats;
  Cost<1, 0, 1> box_x, box_y;
  Cost<1, 0, 2> box_y_reread;
  Cost<1, 0, 2> multirate;
  Cost<1, 0, 1> convert, combine;
  /// Times as long as the sum of the parts, each of which is the least of several estimates.
  double two_passes;
  /// As much longer for each further channel, where interleaved ones become planes.
  double channels_apart;
};

/// Of the architecture (10 · major + minor): Hopper's, the only one measured, stands for all (Gpu::slower_*).
const Costs& costs_of(int capability);

}  // namespace halation::cuda_backend
