// fft.h: filters as products of spectra, tile by tile: at a cost that hardly grows with their size.
#pragma once

#include "core/transform.h"
#include "cuda/families.h"

namespace halation::cuda_backend {

/// One dense filter along x and y that fits a tile of 256 × 192 samples (f64 256 × 96) with 8 outputs a row and more.
extern const Family fft_tiles;

/// Filters of any size along any axes, in tiles beyond shared memory.
extern const Family fft_passes;
/// One filter along y alone.
extern const Family fft_along_y;

/// Of the tiles that each cuts for a job of one filter; of none, 0 samples.
TransformFacts facts_of_tiles(const Job& job);
TransformFacts facts_of_passes(const Job& job, const Gpu& gpu);
TransformFacts facts_of_columns(const Job& job, const Gpu& gpu);

}  // namespace halation::cuda_backend
