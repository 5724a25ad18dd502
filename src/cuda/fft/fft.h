// fft.h: filters as products of spectra, tile by tile: at a cost that hardly grows with their size.
#pragma once

#include "core/transform.h"
#include "cuda/families.h"

namespace halation::cuda_backend {

/// One dense filter along x and y that fits a tile of 256 × 192 samples (f64 256 × 96) with 8 outputs a row and more.
extern const Family fft_tiles;

/// Of the largest tiles that it takes for a job with such sums.
TransformFacts transform_facts_of(const Job& job);

}  // namespace halation::cuda_backend
