// stretches.cuh: tiles of f32 rows on 16-byte boundaries, which the copy engine brings and takes away.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/parts/bulk.cuh"
#include "cuda/parts/line_arguments.h"
#include "cuda/parts/rows/arguments.cuh"
#include "cuda/parts/with_pixel.cuh"

namespace halation::cuda_backend {

/// What a warp sums at a time: a stretch of one line.
struct Stretch {
  int index;            // in its line
  const std::byte* in;  // the line's first element
  std::int64_t out;     // bytes from the output's first element to the line's

  template <int Capacity>
  __device__ __forceinline__ Stretch(const RowArguments<Capacity>& job, int tile) {
    const LineArguments& lines = job.lines;
    index = tile;
    in = lines.in;
    out = 0;
    if (job.one_line) return;
    const auto line = static_cast<int>(lines.blocks_x.quotient(static_cast<unsigned>(tile)));
    index = tile - line * static_cast<int>(lines.blocks_x.by);
    std::int64_t y = line;
    if (!job.one_plane) {
      const Place place = place_of(lines, static_cast<unsigned>(tile), 1);
      in = place.in + place.z * lines.in_strides.depth;
      out = place.out;
      y = place.y;
    }
    in += y * lines.in_strides.height;
    out += y * lines.out_strides.height;
  }
  template <int Capacity>
  __device__ __forceinline__ bool inner(const RowArguments<Capacity>& job) const {
    return static_cast<unsigned>(index - job.first_inner) < static_cast<unsigned>(job.inner);
  }
  __device__ __forceinline__ std::int64_t first(const LineArguments& lines) const {
    return std::int64_t{index} * lines.width;
  }
  template <int Capacity>
  __device__ __forceinline__ int pixels(const RowArguments<Capacity>& job) const {
    return index + 1 < static_cast<int>(job.lines.blocks_x.by) ? job.lines.width : job.last_pixels;
  }
};

/// By one lane: the inputs that a part of the taps meets in an inner tile, by one bulk copy of whole words of
/// 16 bytes.
template <int Capacity>
__device__ __forceinline__ void bring_inner(const RowArguments<Capacity>& job, const Stretch& tile, int part,
                                            float* to, Arrival& arrival) {
  const int bytes = job.inner_bytes[is_last(job, part) ? 1 : 0];
  arrival.announce(bytes);
  copy_bulk(to + job.inner_to, tile.in + job.inner_low + (tile.first(job.lines) + part * job.part) * 4, bytes,
            arrival);
}

/// By one warp: the same of any tile. What lies beyond the image's sides comes one by one.
template <int Capacity>
__device__ __forceinline__ void bring(const RowArguments<Capacity>& job, const Stretch& tile, int part,
                                      float* to, Arrival& arrival) {
  const TapSteps& cut = is_last(job, part) ? job.last : job.full;
  const LineArguments& lines = job.lines;
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t low =
      tile.first(lines) + (job.lead + part * job.part);  // the first coordinate that is read
  float* const line = to + step_taps - cut.head;         // where it goes
  // Coordinates: those read, up to `high`; of these, [begin, end) lie inside.
  const std::int64_t n = lines.borders[2].n;
  const auto floor_four = [](std::int64_t c) { return c & ~std::int64_t{3}; };
  const std::int64_t high = low + tile.pixels(job) + cut.taps - 1;
  const std::int64_t begin = max(floor_four(low), std::int64_t{0});
  const std::int64_t end = max(min(floor_four(high + 3), floor_four(n)), begin);
  const auto before = static_cast<int>(max(min(begin, high) - low, std::int64_t{0}));
  const std::int64_t after = min(max(end, low), high);
  const int outer = before + static_cast<int>(high - after);
  const auto outside = static_cast<float>(lines.borders[2].constant);
#pragma unroll 1
  for (int e = lane; e < outer; e += 32) {
    const std::int64_t c = e < before ? low + e : after + (e - before);
    const std::int64_t source = lines.borders[2].source(c);
    if (source < 0) {
      line[c - low] = outside;
    } else {
      copy_async(line + (c - low), tile.in + source * 4);
    }
  }
  __syncwarp();
  if (lane != 0) return;
  const int bytes = static_cast<int>(end - begin) * 4;
  arrival.announce(bytes);
  if (bytes > 0) copy_bulk(line + (begin - low), tile.in + begin * 4, bytes, arrival);
}

/// By one warp: the same, whichever way the tile can come.
template <int Capacity>
__device__ __forceinline__ void bring_either(const RowArguments<Capacity>& job, const Stretch& tile, int part,
                                             float* to, Arrival& arrival) {
  if (!tile.inner(job)) {
    bring(job, tile, part, to, arrival);
  } else if (threadIdx.x == 0) {
    bring_inner(job, tile, part, to, arrival);
  }
}

/// Until all of a tile is there, for all lanes: what the copy engine brings, and what lanes bring one by one.
__device__ __forceinline__ void await_tile(const Arrival& arrival, int time) {
  arrival.wait(time);
  staged();
  __syncwarp();
}

/// A warp's sums, from shared memory, where they are no whole words of f32: `pixels` of a tile, after the
/// first `skip`.
template <class T, int Capacity>
__device__ __forceinline__ void put_tile_as(const RowArguments<Capacity>& job, const Stretch& tile, int skip,
                                            int pixels, const float* sums) {
  constexpr int size = static_cast<int>(sizeof(T));
  const LineArguments& lines = job.lines;
  std::byte* const row = job.out + tile.out + (tile.first(lines) + skip) * lines.out_strides.width;
#pragma unroll 1
  for (int own = 4 * static_cast<int>(threadIdx.x); own < pixels; own += 128) {
    const float4 four = *reinterpret_cast<const float4*>(sums + own);
    float values[4] = {four.x, four.y, four.z, four.w};
    std::byte* const to = row + own * lines.out_strides.width;
    if (own + 4 <= pixels && lines.out_packed &&
        reinterpret_cast<std::uintptr_t>(to) % (size < 4 ? 4 * size : 16) == 0) {
      store_four<T>(to, values, lines.rounding);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (own + i < pixels) store_as<T>(to + i * lines.out_strides.width, values[i], lines.rounding);
      }
    }
  }
}

template <int Capacity>
__device__ __forceinline__ void put_tile(const RowArguments<Capacity>& job, const Stretch& tile, int skip,
                                         int pixels, const float* sums) {
  with_f32_pixel(job.lines.out_pixel,
                 [&](auto element) { put_tile_as<decltype(element)>(job, tile, skip, pixels, sums); });
}

/// A warp's sums on their way out, whatever the tile: all that there are after the first `skip`, up to 640.
template <int Capacity>
__device__ __forceinline__ void take_away(const RowArguments<Capacity>& job, const Stretch& tile, int skip,
                                          const float* sums) {
  const int pixels = min(tile.pixels(job) - skip, warp_pixels);
  if (!job.stores_words || pixels % 4 != 0) {
    put_tile(job, tile, skip, pixels, sums);
  } else if (threadIdx.x == 0) {
    store_bulk(job.out + tile.out + (tile.first(job.lines) + skip) * 4, sums, pixels * 4);
  }
}

inline bool lies_in_words(const ConstView& view) { return view.strides.width == 4 && begins_aligned16(view); }

/// Which tiles of rows of `width` pixels are inner ones, with all of their `whole` outputs, what these read,
/// and how many outputs the last tile has.
template <int Capacity>
void set_inner(RowArguments<Capacity>& job, std::int64_t width, int whole) {
  const std::int64_t tile = job.lines.width;
  const std::int64_t tiles = job.lines.blocks_x.by;
  const std::int64_t taps = std::int64_t{job.parts - 1} * job.part + job.last.taps;
  const std::int64_t n = job.lines.out.width;
  job.last_pixels = static_cast<int>(n - (tiles - 1) * tile);
  // AllWarps words are read: from `low` numbers behind a tile's first output to `high`.
  const std::int64_t low = job.lead & ~std::int64_t{3};
  const std::int64_t high = (job.lead + tile + taps + 2) & ~std::int64_t{3};
  const auto before = static_cast<int>(job.lead - low);
  const auto bytes = [&](const TapSteps& cut) { return ((before + whole + cut.taps + 2) & ~3) * 4; };
  job.inner_low = low * 4;
  job.inner_to = before > 0 ? 0 : step_taps;
  job.inner_bytes[0] = bytes(job.full);
  job.inner_bytes[1] = bytes(job.last);
  if (tile < whole) return;
  const std::int64_t first = low < 0 ? (-low + tile - 1) / tile : 0;
  const std::int64_t end = std::min(width < high ? 0 : (width - high) / tile + 1, n / tile);
  job.first_inner = static_cast<int>(std::min(first, tiles));
  job.inner = static_cast<int>(std::max(std::min(end, tiles) - job.first_inner, std::int64_t{0}));
}

/// What a launch is told of an image and its tiles of `pixels` outputs; `in` lies in words.
template <int Capacity>
void cut_into_tiles(RowArguments<Capacity>& job, const ConstView& in, const View& out, const Job& of,
                    int pixels) {
  job.out = out.data;
  job.lines = line_arguments(in, out, of, {.groups = pixels / 4, .rows = 1, .fold = false, .side_by_side = false});
  job.tiles = static_cast<int>(blocks_of(job.lines));
  job.stores_words = lies_in_words(out);
  const unsigned of_plane = job.lines.blocks_x.by * job.lines.blocks_y.by;
  job.one_plane = static_cast<unsigned>(job.tiles) == of_plane;
  job.one_line = job.one_plane && job.lines.blocks_y.by == 1;
  set_inner(job, in.shape.width, pixels);
}

/// A lane's finished sums to its place in `sums_out`, when what the warp had there is on its way.
template <int Capacity>
__device__ __forceinline__ void finish_run(const RowArguments<Capacity>& job, float (&sums)[run], float* sums_out) {
  const int lane = static_cast<int>(threadIdx.x);
  scale_sums(job, sums);
  if (lane == 0) stored_bulk();
  __syncwarp();
  write_run(sums, sums_out + lane * run);
}

}  // namespace halation::cuda_backend
