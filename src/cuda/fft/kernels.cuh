// kernels.cuh: the kernels over tiles of one size, whatever its shape, as the host launches them.
#pragma once

#include "cuda/fft/arguments.cuh"

namespace halation::cuda_backend {

template <class T, class Tile, int Bytes>
__global__ void __launch_bounds__(Tile::Size::threads, Tile::Size::blocks) fft_kernel(const __grid_constant__ FftArguments<T> job) {
  extern __shared__ __align__(16) std::byte shared[];
  Tile::template filter<Bytes, FftPurpose::filter>(job, blockIdx.x, shared, nullptr);
}

/// What the first kernel left of tiles, whichever they are: all threads look which of the block's share they are.
template <class Arguments, class Tile>
__global__ void __launch_bounds__(Tile::Size::threads, Tile::Size::blocks) fft_resolve_kernel(const __grid_constant__ Arguments job) {
  constexpr unsigned threads = Tile::Size::threads;
  for (unsigned first = blockIdx.x; first < job.tiles; first += gridDim.x * threads) {
    const unsigned mine = first + gridDim.x * threadIdx.x;
    if (__syncthreads_or(mine < job.tiles && job.odd_tiles[mine] != 0 ? 1 : 0) == 0) continue;
    for (unsigned tile = first; tile < job.tiles && tile < first + gridDim.x * threads; tile += gridDim.x) {
      if (job.odd_tiles[tile] == 0) continue;
      Tile::resolve(job, tile);
      __syncthreads();
    }
  }
}

/// Of weights as a tile of T with nothing outside: one block.
template <class T, class Tile>
__global__ void __launch_bounds__(Tile::Size::threads, Tile::Size::blocks)
    fft_spectrum_kernel(const __grid_constant__ FftArguments<T> job, Complex<T>* spectrum) {
  extern __shared__ __align__(16) std::byte shared[];
  Tile::template filter<sizeof(T), FftPurpose::spectrum>(job, 0, shared, spectrum);
}

template <class T, class Tile>
FftTileKernels<T> fft_kernels() {
  using Size = typename Tile::Size;
  FftTileKernels<T> kernels{.height = Tile::height, .width = Tile::width, .threads = Size::threads, .blocks = Size::blocks,
                            .shared_bytes = Size::shared_bytes, .groups_apart = Tile::apart,
                            .map_bytes = Tile::Again::samples * sizeof(typename Tile::Again::Map::Code)};
  kernels.filter = {fft_kernel<T, Tile, 1>, fft_kernel<T, Tile, 2>, fft_kernel<T, Tile, 4>};
  if constexpr (sizeof(T) == 8) kernels.filter[3] = fft_kernel<T, Tile, 8>;
  kernels.resolve = fft_resolve_kernel<FftArguments<T>, Tile>;
  kernels.spectrum = fft_spectrum_kernel<T, Tile>;
  return kernels;
}

}  // namespace halation::cuda_backend
