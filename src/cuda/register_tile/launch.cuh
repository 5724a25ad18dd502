// launch.cuh: jobs for the kernels of register_tile.cuh, instantiated a file a pixel, so that they compile side by side.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/convert.h"
#include "core/job.h"
#include "cuda/parts/dp4a.h"
#include "cuda/parts/placed_taps.h"
#include "cuda/register_tile/launch.h"
#include "cuda/register_tile/register_tile.cuh"

namespace halation::cuda_backend {

namespace register_tile_steps {

/// An element's bits.
template <class T>
std::uint32_t bits_of(double value) {
  const T element = to_element<T>(value, Rounding::half_even);
  if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(element);
  else if constexpr (sizeof(T) == 2) return std::bit_cast<std::uint16_t>(element);
  else return element;
}

/// The element in place of coordinate c, as DeviceBorder::source has it.
inline int source_of(const BorderTable& border, std::int64_t c) {
  return static_cast<int>(border.source(std::clamp(c, border.low(), border.high() - 1)));
}

}  // namespace register_tile_steps

/// Of views on 16-byte boundaries whose rows hold C channels.
template <class In, int K, int C>
void launch_register_tile(const Job& asked, const ConstView& in, const View& out, cudaStream_t stream) {
  constexpr int V = RegisterTile<In, K, C>::columns;
  constexpr int R = RegisterTile<In, K, C>::rows;
  const Taps& taps = asked.filters.front();
  RegisterTileArguments<K> job{};
  set_views(job, in, out);
  job.border_y = DeviceBorder(asked.borders[1]);
  job.border_x = DeviceBorder(asked.borders[2]);
  job.columns = static_cast<int>(out.shape.width * C);
  job.rows = static_cast<int>(out.shape.height);
  job.depth = Divisor(in.shape.depth);
  job.batch = static_cast<int>(in.shape.batch);
  job.offset = static_cast<float>(asked.offset);
  job.rounding = asked.rounding;
  const std::int64_t centre_y = centre_of(taps.lead[1], taps.size[1], K);
  job.shift_y = static_cast<int>(centre_y);
  const PlacedWeights weights = placed(taps, taps.lead[1] - centre_y + K / 2, taps.lead[2] + K / 2);
  double factor = asked.scale;
  job.scale = 1;
  if constexpr (RegisterTile<In, K, C>::integer_weights) {
    factor = *to_integers(taps.weights);
    job.scale = static_cast<float>(asked.scale / factor);
    set_words(job.words, weights, K, factor);
  }
  for (std::size_t i = 0; i < K * K; ++i) job.weights[i] = static_cast<float>(factor * weights[i / K][i % K]);
  // Tiles where all that they load is there.
  constexpr int beside = (RegisterTile<In, K, C>::Row::reach + V - 1) / V * V;
  const int in_columns = static_cast<int>(in.shape.width * C);
  const auto within = [](int value, int low, int high) { return std::min(std::max(value, low), high); };
  job.first_x = beside;
  job.end_x = beside + std::max(in_columns - RegisterTile<In, K, C>::Row::reach - beside, 0) / V * V;
  if constexpr (RegisterTile<In, K, C>::full_rows) {
    const BorderTable& border = asked.borders[2];
    if (border.mode() != Border::Mode::constant || sizeof(In) == 4 ||
        static_cast<double>(to_element<In>(border.constant(), Rounding::half_even)) == border.constant()) {
      job.first_x = 0;
      job.end_x = in_columns / V * V;
    }
    job.beyond_constant = register_tile_steps::bits_of<In>(border.constant());
    for (int i = 0; i < K - 1; ++i)
      job.beyond[i] = register_tile_steps::source_of(border, i < K / 2 ? i - K / 2 : in_columns + i - K / 2);
  }
  job.first_y = within(K / 2 - job.shift_y, 0, job.rows);
  job.end_y = within(static_cast<int>(in.shape.height) - K / 2 - job.shift_y, job.first_y, job.rows);
  if (job.end_x == job.first_x || job.end_y - job.first_y < R) {
    job.first_y = job.end_y = 0;
    job.first_x = job.end_x = 0;
  }
  const auto blocks = [](std::int64_t count, std::int64_t per_block) { return (count + per_block - 1) / per_block; };
  const std::int64_t across = blocks(job.end_x - job.first_x, 32 * V);
  const std::int64_t down = blocks(job.end_y - job.first_y, register_tile_warps * R);
  job.blocks_x = Divisor(std::max<std::int64_t>(across, 1));
  job.blocks_y = Divisor(std::max<std::int64_t>(down, 1));
  const int inner_rows = job.end_y - job.first_y;
  const int beside_tiles = job.columns - (job.end_x - job.first_x);
  const std::int64_t frame =
      static_cast<std::int64_t>(job.rows - inner_rows) * job.columns + static_cast<std::int64_t>(inner_rows) * beside_tiles;
  job.frame_across = Divisor(job.columns);
  job.frame_beside = Divisor(std::max(beside_tiles, 1));
  job.frame = Divisor(std::max<std::int64_t>(frame, 1));
  const std::int64_t planes = in.shape.depth * in.shape.batch;
  job.frame_blocks = static_cast<int>(blocks(frame * planes, 32 * register_tile_warps));
  const auto grid = static_cast<unsigned>(job.frame_blocks + planes * across * down);
  job.frame_every = Divisor(job.frame_blocks == 0 ? 1 : std::max(1U, grid / (2 * static_cast<unsigned>(job.frame_blocks))));
  register_tile_kernel<In, K, C><<<grid, dim3(32, register_tile_warps), 0, stream>>>(job);
  HALATION_CUDA_LAUNCHED("register tile", stream);
}

template <class In>
RegisterTileLaunch register_tile_launch(int size, int channels) {
  const auto with_channels = [&]<int K>() -> RegisterTileLaunch {
    switch (channels) {
      case 1: return launch_register_tile<In, K, 1>;
      case 2: return launch_register_tile<In, K, 2>;
      case 3: return launch_register_tile<In, K, 3>;
      default: return launch_register_tile<In, K, 4>;
    }
  };
  if constexpr (sizeof(In) == 1) {
    if (size == 5) return launch_register_tile<In, 5, 1>;
    return with_channels.template operator()<3>();
  } else {
    switch (size) {
      case 3: return with_channels.template operator()<3>();
      case 5: return with_channels.template operator()<5>();
      default: return with_channels.template operator()<7>();
    }
  }
}

}  // namespace halation::cuda_backend
