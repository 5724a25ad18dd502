// rows_in_bulk.cuh: filters along x where rows are f32 on 16-byte boundaries: each warp brings and takes away tiles of its own.
#pragma once

#include "cuda/bulk.cuh"
#include "cuda/lines.cuh"
#include "cuda/rows.cuh"

namespace halation::cuda_backend {

/// What a warp sums at a time: a stretch of one line.
struct Tile {
  int index;            // in its line
  const std::byte* in;  // the line's first element
  std::int64_t out;     // bytes from the output's first element to the line's

  template <int Capacity>
  __device__ __forceinline__ Tile(const RowsArguments<Capacity>& job, int tile) {
    const Lines& lines = job.lines;
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
  __device__ __forceinline__ bool inner(const RowsArguments<Capacity>& job) const {
    return static_cast<unsigned>(index - job.first_inner) < static_cast<unsigned>(job.inner);
  }
  __device__ __forceinline__ std::int64_t first(const Lines& lines) const {
    return std::int64_t{index} * lines.width;
  }
  template <int Capacity>
  __device__ __forceinline__ int pixels(const RowsArguments<Capacity>& job) const {
    return index + 1 < static_cast<int>(job.lines.blocks_x.by) ? job.lines.width : job.last_pixels;
  }
};

/// By one lane: the inputs that a part of the taps meets in an inner tile, by one bulk copy of whole words of
/// 16 bytes.
template <int Capacity>
__device__ __forceinline__ void bring_inner(const RowsArguments<Capacity>& job, const Tile& tile, int part,
                                            float* to, Arrival& arrival) {
  const int bytes = job.inner_bytes[is_last(job, part) ? 1 : 0];
  arrival.announce(bytes);
  copy_bulk(to + job.inner_to,
            tile.in + job.inner_low + (std::int64_t{tile.index} * warp_pixels + part * job.part) * 4, bytes,
            arrival);
}

/// By one warp: the same of any tile. What lies beyond the image's sides comes one by one.
template <int Capacity>
__device__ __forceinline__ void bring(const RowsArguments<Capacity>& job, const Tile& tile, int part,
                                      float* to, Arrival& arrival) {
  const Cut& cut = is_last(job, part) ? job.last : job.whole;
  const Lines& lines = job.lines;
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
  arrival.await_copies();
  __syncwarp();
  if (lane != 0) return;
  const int bytes = static_cast<int>(end - begin) * 4;
  arrival.announce(bytes);
  if (bytes > 0) copy_bulk(line + (begin - low), tile.in + begin * 4, bytes, arrival);
}

/// A warp's sums, from shared memory, where they are no whole words of f32.
template <class T, int Capacity>
__device__ __forceinline__ void put_tile_as(const RowsArguments<Capacity>& job, const Tile& tile,
                                            const float* sums) {
  constexpr int size = static_cast<int>(sizeof(T));
  const Lines& lines = job.lines;
  const int pixels = tile.pixels(job);
  std::byte* const row = job.out + tile.out + tile.first(lines) * lines.out_strides.width;
#pragma unroll 1
  for (int own = 4 * static_cast<int>(threadIdx.x); own < pixels; own += 128) {
    const float4 four = *reinterpret_cast<const float4*>(sums + own);
    const float values[4] = {four.x, four.y, four.z, four.w};
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
__device__ __forceinline__ void put_tile(const RowsArguments<Capacity>& job, const Tile& tile,
                                         const float* sums) {
  const auto as = [&](auto element) { put_tile_as<decltype(element)>(job, tile, sums); };
  switch (job.lines.out_pixel) {
    case Pixel::u8:
      as(std::uint8_t{});
      break;
    case Pixel::u16:
      as(std::uint16_t{});
      break;
    case Pixel::i16:
      as(std::int16_t{});
      break;
    case Pixel::f16:
      as(f16{});
      break;
    case Pixel::f32:
      as(float{});
      break;
    case Pixel::f64:
      break;  // sums are in f64
  }
}

/// A warp's sums on their way out, whatever the tile.
template <int Capacity>
__device__ __forceinline__ void take_away(const RowsArguments<Capacity>& job, const Tile& tile,
                                          const float* sums) {
  const int pixels = tile.pixels(job);
  if (!job.stores_words || pixels % 4 != 0) {
    put_tile(job, tile, sums);
  } else if (threadIdx.x == 0) {
    store_bulk(job.out + tile.out + tile.first(job.lines) * 4, sums, pixels * 4);
  }
}

template <int Capacity>
__global__ void __launch_bounds__(32 * bulk_warps, 3)
    rows_in_bulk(const __grid_constant__ RowsArguments<Capacity> job) {
  extern __shared__ __align__(128) std::byte shared_memory[];
  const int warp = static_cast<int>(threadIdx.y);
  const int lane = static_cast<int>(threadIdx.x);
  // A warp's own: where its tiles arrive, its sums on their way out, and its tiles.
  float* const own = reinterpret_cast<float*>(shared_memory) + job.weights_shared +
                     warp * (arrivals + warp_pixels + job.stages * job.row_pitch);
  auto* const there = reinterpret_cast<Arrival*>(own);
  float* const sums_out = own + arrivals;
  float* const buffers = sums_out + warp_pixels;
  if (lane == 0) {
    for (int s = 0; s < job.stages; ++s) there[s].start(1);
  }
  const float* const weights = share_weights(job, reinterpret_cast<float*>(shared_memory));
  __syncthreads();

  const int apart = static_cast<int>(gridDim.x) * bulk_warps;
  int tile = static_cast<int>(blockIdx.x) * bulk_warps + warp;
  int coming = tile;  // which is to be brought,
  int coming_part = 0;
  const auto brought = [&] {
    if (!is_last(job, coming_part++)) return;
    coming_part = 0;
    coming += apart;
  };
#pragma unroll 1
  for (int s = 0; s < job.stages && coming < job.tiles; ++s, brought())
    bring(job, Tile(job, coming), coming_part, buffers + s * job.row_pitch, there[s]);

  int s = 0;     // which of the stages,
  int time = 0;  // and how often each has been used
#pragma unroll 1
  for (; tile < job.tiles; tile += apart) {
    float sums[run] = {};
    bool complete = false;
#pragma unroll 1
    for (int part = 0; !complete; ++part, brought()) {
      complete = is_last(job, part);
      const Cut& cut = complete ? job.last : job.whole;
      float* const buffer = buffers + s * job.row_pitch;
      there[s].wait(time);
      add_part(cut, buffer + lane * run + step_taps, weights + part * job.part + cut.head, sums);
      if (complete) {
        scale_sums(job, sums);
        if (lane == 0) stored_bulk();
        __syncwarp();
        write_run(sums, sums_out + lane * run);
      }
      before_bulk();
      __syncwarp();
      const bool comes = coming < job.tiles;
      const Tile done(job, tile);
      const Tile next(job, coming);
      if (complete && comes && job.stores_words && done.inner(job) && next.inner(job)) {
        if (lane == 0) {
          store_bulk(job.out + done.out + std::int64_t{done.index} * (warp_pixels * 4), sums_out,
                     warp_pixels * 4);
          bring_inner(job, next, coming_part, buffer, there[s]);
        }
      } else {
        if (complete) take_away(job, done, sums_out);
        if (comes) {
          if (!next.inner(job)) {
            bring(job, next, coming_part, buffer, there[s]);
          } else if (lane == 0) {
            bring_inner(job, next, coming_part, buffer, there[s]);
          }
        }
      }
      if (++s == job.stages) {
        s = 0;
        ++time;
      }
    }
  }
  if (lane == 0) stored_bulk();
}

}  // namespace halation::cuda_backend
