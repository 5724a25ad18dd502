// costs.h: what launches of each family of kernels take: figures fitted to measurements, a row an architecture.
//
// A family counts terms of a job (blocks, steps, taps; in its own file), a row has a figure for each. Some are waited for whatever
// else the GPU does: a start, the walk of one block. Of others all multiprocessors do their share, while memory brings and takes away
// what is read and written; the longer of the two hides most of the other.
#pragma once

#include <array>
#include <cstddef>

namespace halation::cuda_backend {

template <std::size_t Waited, std::size_t Shared>
struct Cost {
  static constexpr std::size_t waited_terms = Waited;
  static constexpr std::size_t shared_terms = Shared;
  std::array<double, Waited> waited;  ///< microseconds
  std::array<double, Shared> shared;  ///< microseconds of all multiprocessors
  double memory = 4;                  ///< terabytes a second that the family reaches,
  double cached = 6;                  ///< and where the caches hold all
};

struct Costs {
  Cost<8, 9> shared_tile_f32, shared_tile_f64;
  Cost<6, 9> factored_f32, factored_f64;
  Cost<3, 8> long_rows;
  Cost<3, 4> long_rows_in_bulk;
  Cost<3, 10> warp_strip, warp_strip_aligned;
  Cost<3, 7> register_tile;
  Cost<3, 7> movers, streaming;
  Cost<1, 1> box_x, box_y, box_y_reread;
  Cost<1, 1> convert, combine;
  double two_passes;  ///< times as long as the sum of the parts, each of which is the least of several estimates
};

/// Of the architecture (10 · major + minor): Hopper's, the only one measured, stands for all (Gpu::slower_*).
const Costs& costs_of(int capability);

}  // namespace halation::cuda_backend
