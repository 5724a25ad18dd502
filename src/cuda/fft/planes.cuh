// planes.cuh: volumes between the two passes along z: a plane of a tile's numbers forth along y and x, times the filter's spectrum, and back,
// all in shared memory.
//
//   block → numbers   16 · A rows of 16 · B numbers, where they lie; blockIdx.x: one plane of all tiles of a group after the other
//   traffic           8 bytes a sample of a tile, and 4 of the spectrum, which the tiles of a group share (f64 twice that)
#pragma once

#include "cuda/fft/pass_rounds.cuh"
#include "cuda/fft/steps/tile_steps.cuh"

namespace halation::cuda_backend {

template <int A, int B, bool IsSpectrum, class T>
__device__ __forceinline__ void filter_plane(const FftPassArguments<T>& job, unsigned tile, unsigned plane, Complex<T>* numbers,
                                             [[maybe_unused]] Complex<T>* spectrum) {
  using Size = FftTileSize<T, A, B>;
  constexpr int columns = Size::columns, all = Size::rows * columns;
  const FftTileThread<Size> me;
  Complex<T>* const at = job.numbers + (std::int64_t{tile} * job.outer + plane) * all + me.column;
  tile_columns_forth<A, B, false>(numbers, me, [&](int n, Complex<T>(&v)[16]) {
#pragma unroll
    for (int i = 0; i < 16; ++i) v[i] = at[(n + A * i) * columns];
  }, [] {});
  const std::int64_t bins = std::int64_t{plane} * all;
  if constexpr (IsSpectrum) {
    tile_rows_spectrum<A, B>(numbers, me, spectrum + bins, T(1) / (static_cast<T>(job.outer) * all));
  } else {
    const int skipped = job.skipped[2], before = job.skipped[1];
    tile_rows<A, B>(numbers, me, job.spectrum + bins, skipped);
    tile_columns_back<A, B, false>(numbers, me, me.column >= skipped, true, [&](int n, Complex<T>(&v)[16]) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        if (n + A * i >= before) at[(n + A * i) * columns] = v[i];
      }
    });
  }
}

template <class T, int A, int B, FftPurpose Purpose>
__global__ void __launch_bounds__(FftTileSize<T, A, B>::threads, FftTileSize<T, A, B>::blocks)
    fft_planes_kernel(const __grid_constant__ FftPassArguments<T> job, Complex<T>* spectrum) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  if constexpr (Purpose != FftPurpose::again) {
    const unsigned plane = blockIdx.x / job.tiles_here, tile = blockIdx.x - plane * job.tiles_here;
    filter_plane<A, B, Purpose == FftPurpose::spectrum>(job, tile, plane, numbers, spectrum);
  } else {
    const FftTilesToDo<T> tiles(job);
#pragma unroll 1
    for (unsigned work = blockIdx.x; work < static_cast<unsigned>(job.outer) * tiles.count; work += gridDim.x) {
      const unsigned plane = work / tiles.count, tile = tiles.tile(work - plane * tiles.count);
      if (!tiles.has_work(tile)) continue;
      filter_plane<A, B, false>(job, tile, plane, numbers, spectrum);
      __syncthreads();
    }
  }
}

template <class T, int A, int B>
FftPlaneKernels<T> fft_planes() {
  using Size = FftTileSize<T, A, B>;
  return {.second = {A, B}, .rows = Size::rows, .columns = Size::columns, .threads = Size::threads, .shared_bytes = Size::shared_bytes,
          .filter = {fft_planes_kernel<T, A, B, FftPurpose::filter>, fft_planes_kernel<T, A, B, FftPurpose::again>},
          .spectrum = fft_planes_kernel<T, A, B, FftPurpose::spectrum>};
}

}  // namespace halation::cuda_backend
