// pass_rounds.cuh: what kernels over tiles in memory read of the round that they are in (reach.cuh plans it).
#pragma once

#include "cuda/fft/own_box.cuh"
#include "cuda/fft/pass_arguments.cuh"

namespace halation::cuda_backend {

/// Whether a tile has outputs of magnitudes below a round's end. They may be an earlier round's.
template <class T>
__device__ __forceinline__ bool has_outputs(const FftTileFacts<T>& facts, const typename FftTileFacts<T>::Round& round) {
  return round.begin < round.end && round.end > Magnitude<T>::infinite - facts.below_infinite;
}

/// The group's tiles that a launch takes.
template <class T>
struct FftTilesToDo {
  const FftPassArguments<T>& job;
  unsigned count;

  __device__ __forceinline__ explicit FftTilesToDo(const FftPassArguments<T>& arguments)
      : job(arguments), count(job.again ? job.facts[job.tiles_here].state : job.tiles_here) {}
  __device__ __forceinline__ unsigned tile(unsigned n) const { return job.again ? job.facts[n].again : n; }
  /// Whether there is any of the round's work in it.
  __device__ __forceinline__ bool has_work(unsigned tile) const {
    return job.round_index < 0 || has_outputs(job.facts[tile], job.facts[tile].rounds[job.round_index]);
  }
};

/// body(tile) of those that are the block's, by blockIdx.y.
template <class T, class Body>
__device__ __forceinline__ void for_each_tile(const FftPassArguments<T>& job, const Body& body) {
  const FftTilesToDo<T> tiles(job);
#pragma unroll 1
  for (unsigned n = blockIdx.y; n < tiles.count; n += gridDim.y) {
    const unsigned tile = tiles.tile(n);
    if (!tiles.has_work(tile)) continue;
    body(tile);
    if (job.again) __syncthreads();
  }
}

template <class T>
__device__ __forceinline__ RoundOfTile<T> round_of(const FftPassArguments<T>& job, unsigned tile) {
  const auto& round = job.facts[tile].rounds[job.round_index];
  return {.begin = round.begin, .end = round.end, .scale = ldexp(T(1), -round.exponent)};
}

/// Whether no sum of a tile can be negative.
template <class T>
__device__ __forceinline__ bool shows_no_negative(const FftPassArguments<T>& job, unsigned tile) {
  return job.facts != nullptr && job.own_box && job.not_negative && job.facts[tile].negative == 0;
}

/// The same of those that are done `Again`; else the block's one, for a loop takes registers that the first
/// passes have not.
template <bool Again, class T, class Body>
__device__ __forceinline__ void take_tiles(const FftPassArguments<T>& job, const Body& body) {
  if constexpr (Again)
    for_each_tile(job, body);
  else
    body(blockIdx.y);
}

/// The largest magnitudes under its outputs' filters, of so many samples.
template <class T>
__device__ __forceinline__ const typename Magnitude<T>::Code* map_of(const FftPassArguments<T>& job,
                                                                     unsigned tile, std::int64_t samples) {
  return reinterpret_cast<const typename Magnitude<T>::Code*>(job.maps) + tile * samples;
}

}  // namespace halation::cuda_backend
