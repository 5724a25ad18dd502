// lines.cuh: rows of an image on their way into shared memory, as numbers with their borders, and back out as pixels.
//
// Everything that differs between pixels, strides, borders, channels and alignments is settled here, so that the filters which work
// between the two ends see lines of numbers alone. A warp moves a row at a time, its lanes side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/parts/async_copy.cuh"
#include "cuda/parts/border.h"
#include "cuda/parts/divisor.h"
#include "cuda/parts/neighbours.cuh"
#include "cuda/parts/pixels.cuh"
#include "cuda/parts/with_pixel.cuh"
#include "halation/view.h"

namespace halation::cuda_backend {

/// What a launch filters, by value. A block takes `channels` channels of `width` pixels a row (its plane of numbers a channel),
/// which are cut into groups of 4 pixels, one or more a lane.
struct LineArguments {
  const std::byte* in;
  Strides in_strides;
  Strides out_strides;
  Shape out;
  DeviceBorder borders[3];  // z, y, x
  double scale;
  double offset;
  Divisor blocks_x;
  Divisor blocks_y;
  Divisor depth;
  Divisor batch;
  Pixel in_pixel;
  Pixel out_pixel;
  Rounding rounding;
  int channels;
  int width;
  int by_channels;  // (2^16 + channels − 1) / channels: e · by_channels >> 16 = e / channels below 2^14
  bool out_packed;  // elements of a row lie side by side
  bool long_strides;  // places within a block's row do not fit 32 bits
  bool folded;  // a signal, whose pixels follow each other from row to row of a block
};

/// Where a block works: its first output, and the first elements of its image and channels.
struct Place {
  std::int64_t x, y, z;
  const std::byte* in;
  std::int64_t out;  // bytes from the output's first element
  int warp, warps;   // which this one is of those that stage rows, by turns: all of the block, but where a kernel says otherwise
  int lift;          // numbers further from the warps' rows to the next of each, beside their pitch: none, but where a kernel says otherwise
};

/// Block `block` of a launch whose blocks hold `rows` output rows.
__device__ __forceinline__ Place place_of(const LineArguments& job, unsigned block, std::int64_t rows) {
  Place place;
  const auto next = [&](const Divisor& divisor) {
    const unsigned quotient = divisor.quotient(block);
    const unsigned rest = block - quotient * divisor.by;
    block = quotient;
    return rest;
  };
  place.x = static_cast<std::int64_t>(next(job.blocks_x)) * job.width;
  place.y = next(job.blocks_y) * rows;
  place.z = next(job.depth);
  const std::int64_t batch = next(job.batch);
  const std::int64_t channel = static_cast<std::int64_t>(block) * job.channels;
  place.in = job.in + batch * job.in_strides.batch + channel * job.in_strides.channels;
  place.out = batch * job.out_strides.batch + channel * job.out_strides.channels + place.z * job.out_strides.depth;
  place.warp = static_cast<int>(threadIdx.y);
  place.warps = static_cast<int>(blockDim.y);
  place.lift = 0;
  return place;
}

/// The commonest case, rows that all exist and whose elements lie side by side: a lane's first element of the first row is `from`,
/// others are 32 apart, and element i goes to `to` + at(i). f32 gets into shared memory without passing through registers where the
/// GPU can; of others, several rows are under way before the first is stored.
template <int Bytes, int Count, class Sum, class At>
__device__ __forceinline__ void stage_neighbours(Pixel pixel, const Place& place, const std::byte* from, std::int64_t row_bytes,
                                                 int elements, Sum* to, int row_pitch, int rows, const At& at) {
  const int warp = place.warp;
  const int warps = place.warps;
  const int turn = warps * row_pitch + place.lift;  // numbers from a row of this warp to its next
  from += warp * row_bytes;
  to += warp * row_pitch;
  if constexpr (copies_async && Bytes == 4 && std::is_same_v<Sum, float>) {
    const bool whole = elements > 32 * (Count - 2);  // most rows are, and need no questions but the last
    for (int r = warp; r < rows; r += warps, from += warps * row_bytes, to += turn) {
      if (whole) {
#pragma unroll
        for (int i = 0; i < Count - 1; ++i) copy_async(to + at(i), from + 32 * i * Bytes);
        if (elements > 32 * (Count - 1)) copy_async(to + at(Count - 1), from + 32 * (Count - 1) * Bytes);
        continue;
      }
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        if (elements > 32 * i) copy_async(to + at(i), from + 32 * i * Bytes);
      }
    }
  } else {
    constexpr int together = Count > 6 ? 2 : 4;
    for (int r = warp; r < rows; r += warps * together, from += warps * together * row_bytes, to += together * turn) {
      Bits<Sum> bits[together][Count];
#pragma unroll
      for (int t = 0; t < together; ++t) {
        const std::byte* row = from + (r + t * warps < rows ? t : 0) * warps * row_bytes;
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          load_bits<Bytes>(bits[t][i], row + 32 * i * Bytes, elements > 32 * i);
        }
      }
      with_element<Bytes>(pixel, [&](auto element) {
#pragma unroll
        for (int t = 0; t < together; ++t) {
          if (r + t * warps >= rows) break;
          Sum* line = to + t * turn;
#pragma unroll
          for (int i = 0; i < Count; ++i) {
            if (elements > 32 * i) line[at(i)] = number_of<decltype(element), Sum>(bits[t][i]);
          }
        }
      });
    }
  }
}

/// A lane's elements of a row: where each comes from in the row, in bytes, and goes to in the line. `Count` of them at most.
template <int Count>
struct Shares {
  int count;  // element i exists where i < count
  int from[Count];
  int to[Count];
};

constexpr int nowhere = -0x7fffffff - 1;

/// Elements of all of a warp's rows; `row_at(r)` is where places in row r count from, null where it is all `outside`. Elements from
/// nowhere are `outside_x`. f32 gets into shared memory without passing through registers where the GPU can; of others, several
/// rows are under way before the first is stored.
template <int Bytes, class Sum, int Count, class RowAt>
__device__ __forceinline__ void stage_shares(Pixel pixel, const Place& place, const Shares<Count>& mine, Sum* to, int row_pitch,
                                             int rows, Sum outside, Sum outside_x, const RowAt& row_at) {
  const int warp = place.warp;
  const int warps = place.warps;
  const int turn = warps * row_pitch + place.lift;  // numbers from a row of this warp to its next
  to += warp * row_pitch;
  if constexpr (copies_async && std::is_same_v<Sum, float>) {
    if constexpr (Bytes == 4) {
      for (int r = warp; r < rows; r += warps, to += turn) {
        const std::byte* row = row_at(r);
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          if (i >= mine.count) continue;
          if (row != nullptr && mine.from[i] != nowhere) copy_async(to + mine.to[i], row + mine.from[i]);
          else to[mine.to[i]] = row != nullptr ? outside_x : outside;
        }
      }
      return;
    }
  }
  constexpr int together = Count > 6 ? 2 : 4;
  for (int r = warp; r < rows; r += warps * together, to += together * turn) {
    Bits<Sum> bits[together][Count];
    bool exists[together];
#pragma unroll
    for (int t = 0; t < together; ++t) {
      const std::byte* row = r + t * warps < rows ? row_at(r + t * warps) : nullptr;
      exists[t] = row != nullptr;
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        load_bits<Bytes>(bits[t][i], row + mine.from[i], i < mine.count && exists[t] && mine.from[i] != nowhere);
      }
    }
    with_element<Bytes>(pixel, [&](auto element) {
#pragma unroll
      for (int t = 0; t < together; ++t) {
        if (r + t * warps >= rows) break;
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          if (i >= mine.count) continue;
          const Sum value = number_of<decltype(element), Sum>(bits[t][i]);
          to[t * turn + mine.to[i]] = !exists[t] ? outside : mine.from[i] == nowhere ? outside_x : value;
        }
      }
    });
  }
}

/// Rows y … y + rows − 1 of plane z, pixels x … x + columns − 1 of each channel, as numbers: those of row r and channel c from
/// to[r · row_pitch + c · plane_pitch] on. Coordinates outside are looked up; those that no output needs, beyond the borders'
/// reach, are any. A lane has `Count` elements of a row at a time. Loads are compiled once for each number of bytes, and
/// numbers from bits for each pixel: inlined in every kernel, they take most of the compiler's time.
template <int Count, class Sum>
__device__ __forceinline__ void stage(const LineArguments& job, const Place& place, std::int64_t z, std::int64_t y, std::int64_t x,
                                      int rows, int columns, Sum* to, int row_pitch, int plane_pitch) {
  const int lane = static_cast<int>(threadIdx.x);
  const int channels = job.channels;
  const Pixel in_pixel = job.in_pixel;
  const int size = element_bytes(in_pixel);
  const std::int64_t source_z = job.borders[0].source(z);
  const std::int64_t n = job.borders[2].n;
  const auto outside = static_cast<Sum>(job.borders[source_z < 0 ? 0 : 1].constant);
  const auto outside_x = static_cast<Sum>(job.borders[2].constant);
  const std::byte* const plane = place.in + source_z * job.in_strides.depth;

  if (job.long_strides || (job.folded && (x < 0 || x + columns + static_cast<std::int64_t>(rows - 1) * job.width > n))) {
    // The first and the last rows of a signal, and strides that need 64 bits: one by one.
#pragma unroll 1
    for (int r = place.warp; r < rows; r += place.warps) {
      const std::int64_t source_y = job.borders[1].source(job.folded ? 0 : y + r);
#pragma unroll 1
      for (int e = lane; e < columns * channels; e += 32) {
        const int pixel = e * job.by_channels >> 16;
        const int channel = e - pixel * channels;
        const std::int64_t row_begin = job.folded ? static_cast<std::int64_t>(r) * job.width : 0;
        const std::int64_t source_x = job.borders[2].source(x + pixel + row_begin);
        Sum value = source_z < 0 || source_y < 0 ? outside : outside_x;
        if (source_z >= 0 && source_y >= 0 && source_x >= 0) {
          const std::byte* from =
              plane + source_y * job.in_strides.height + source_x * job.in_strides.width + channel * job.in_strides.channels;
          with_bytes<Sum>(size, [&]<int Bytes>() {
            Bits<Sum> bits{};
            load_bits<Bytes>(bits, from, true);
            with_element<Bytes>(in_pixel, [&](auto element) { value = number_of<decltype(element), Sum>(bits); });
          });
        }
        to[r * row_pitch + r / place.warps * place.lift + channel * plane_pitch + pixel] = value;
      }
    }
    return;
  }

  // Pixels from `low` to `high` lie inside, others come from somewhere else in the row.
  const int low = static_cast<int>(min(max(-x, std::int64_t{0}), static_cast<std::int64_t>(columns)));
  const int high = static_cast<int>(min(max(n - x, static_cast<std::int64_t>(low)), static_cast<std::int64_t>(columns)));
  const bool inside_y = job.folded || (y >= 0 && y + rows <= job.borders[1].n);
  const std::int64_t row_bytes = job.folded ? job.width * job.in_strides.width : job.in_strides.height;
  const auto width_bytes = static_cast<int>(job.in_strides.width);
  const auto channel_bytes = static_cast<int>(job.in_strides.channels);
  const auto row_at = [&](int r, std::int64_t first) -> const std::byte* {
    const std::int64_t source_y = job.folded ? r : inside_y ? y + r : job.borders[1].source(y + r);
    return source_y < 0 || source_z < 0 ? nullptr : plane + source_y * row_bytes + first * width_bytes;
  };
  int inner = (high - low) * channels;
  const bool side_by_side = width_bytes == size * channels && (channels == 1 || channel_bytes == size);
  if (side_by_side && inside_y && source_z >= 0) {
    int first = lane;  // of the lane's elements, 32 apart, as many at a time as it may have
    const auto bring = [&](Sum* line, const auto& at) {
      with_bytes<Sum>(size, [&]<int Bytes>() {
        const std::byte* from = plane + (job.folded ? 0 : y) * row_bytes + (x + low) * width_bytes + first * Bytes;
        stage_neighbours<Bytes, Count>(in_pixel, place, from, row_bytes, inner - first, line, row_pitch, rows, at);
      });
    };
    if (channels == 1) {
#pragma unroll 1
      for (; first - lane < inner; first += 32 * Count) bring(to + low + first, [](int i) { return 32 * i; });
    } else {
#pragma unroll 1
      for (; first - lane < inner; first += 32 * Count) {
        int places[Count];
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          const int e = first + 32 * i;
          const int pixel = e * job.by_channels >> 16;
          places[i] = (e - pixel * channels) * plane_pitch + pixel;
        }
        bring(to + low, [&](int i) { return places[i]; });
      }
    }
    inner = 0;
  }
#pragma unroll 1
  for (int first = lane; first - lane < inner; first += 32 * Count) {
    Shares<Count> mine;
    mine.count = (inner - first + 31) / 32;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const int e = first + 32 * i;
      const int pixel = channels == 1 ? e : e * job.by_channels >> 16;
      const int channel = e - pixel * channels;
      mine.from[i] = pixel * width_bytes + channel * channel_bytes;
      mine.to[i] = channel * plane_pitch + low + pixel;
    }
    with_bytes<Sum>(size, [&]<int Bytes>() {
      stage_shares<Bytes>(in_pixel, place, mine, to, row_pitch, rows, outside, outside_x, [&](int r) { return row_at(r, x + low); });
    });
  }
  const int outer = (columns - high + low) * channels;
#pragma unroll 1
  for (int e = lane; e < outer; e += 32) {
    const int index = e * job.by_channels >> 16;
    const int pixel = index < low ? index : index - low + high;
    const int channel = e - index * channels;
    const std::int64_t source = job.borders[2].source(x + pixel);
    const Shares<1> mine{1, {source < 0 ? nowhere : channel * channel_bytes}, {channel * plane_pitch + pixel}};
    with_bytes<Sum>(size, [&]<int Bytes>() {
      stage_shares<Bytes>(in_pixel, place, mine, to, row_pitch, rows, outside, outside_x,
                          [&](int r) { return row_at(r, source < 0 ? 0 : source); });
    });
  }
}

/// The group of 4 pixels that a lane owns: `index` counts those of all channels.
struct Group {
  int channel;
  int pixel;  // the first of the 4, in the block's row
  bool exists;

  __device__ __forceinline__ Group(const LineArguments& job, int index) {
    const int groups = job.width / 4;
    channel = index / groups;
    pixel = index % groups * 4;
    exists = channel < job.channels;
    if (!exists) channel = pixel = 0;
  }
};

/// How many pixels of a block's row there are.
__device__ __forceinline__ int pixels_left(const LineArguments& job, std::int64_t x) {
  const std::int64_t left = job.out.width - x;
  return static_cast<int>(left < job.width ? left : job.width);
}

/// Where a lane's group of sums waits in its warp's row on the way out, which has all channels of a pixel side by side.
template <class Sum>
__device__ __forceinline__ void set_sums(const LineArguments& job, const Group& group, const Sum (&sums)[4], Sum* row) {
  if (!group.exists) return;
  if (std::is_same_v<Sum, float> && job.channels == 1) {
    *reinterpret_cast<float4*>(row + group.pixel) = make_float4(sums[0], sums[1], sums[2], sums[3]);
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) row[(group.pixel + i) * job.channels + group.channel] = sums[i];
}

/// Adds the squares of sums to what `set_sums` has left there.
template <class Sum>
__device__ __forceinline__ void add_squares(const LineArguments& job, const Group& group, Sum (&sums)[4], const Sum* row) {
  if (!group.exists) return;
#pragma unroll
  for (int i = 0; i < 4; ++i) sums[i] = add_square(row[(group.pixel + i) * job.channels + group.channel], sums[i]);
}

template <class Sum, class T>
__device__ __forceinline__ void put_rows_as(const LineArguments& job, const Place& place, std::byte* out, std::int64_t first,
                                            std::int64_t end, int rows, const Sum* from, int row_pitch) {
  constexpr int size = static_cast<int>(sizeof(T));
  const int lane = static_cast<int>(threadIdx.x);
  std::int64_t x = job.folded ? first * job.width : place.x;
  std::byte* to = out + place.out + (job.folded ? 0 : first * job.out_strides.height) + x * job.out_strides.width;
  const std::int64_t row_bytes = job.folded ? job.width * job.out_strides.width : job.out_strides.height;
  if (!job.folded && first + rows > end) rows = end > first ? static_cast<int>(end - first) : 0;
  for (int r = 0; r < rows; ++r, from += row_pitch, to += row_bytes, x += job.folded ? job.width : 0) {
    if (x >= job.out.width) break;
    const int elements = pixels_left(job, x) * job.channels;
    if (!job.out_packed) {
      for (int e = lane; e < elements; e += 32) {
        const int pixel = e * job.by_channels >> 16;
        store_as<T>(to + pixel * job.out_strides.width + (e - pixel * job.channels) * job.out_strides.channels, from[e],
                    job.rounding);
      }
      continue;
    }
    int done = 0;
    if constexpr (std::is_same_v<Sum, float>) {
      if (reinterpret_cast<std::uintptr_t>(to) % (size < 4 ? 4 * size : 16) == 0) {
        done = elements / 4 * 4;
#pragma unroll 2
        for (int e = lane * 4; e < done; e += 128) {
          const float4 four = *reinterpret_cast<const float4*>(from + e);
          float values[4] = {four.x, four.y, four.z, four.w};
          store_four<T>(to + e * size, values, job.rounding);
        }
      }
    }
    for (int e = done + lane; e < elements; e += 32) store_as<T>(to + e * size, from[e], job.rounding);
  }
}

/// A warp's rows of finished sums, which it has set in shared memory, as pixels. Row r becomes output row first + r, up to `end`;
/// of a folded signal, its pixels from (first + r) · width on.
template <class Sum>
__device__ __forceinline__ void put_rows(const LineArguments& job, const Place& place, std::byte* out, std::int64_t first,
                                         std::int64_t end, int rows, const Sum* from, int row_pitch) {
  with_pixel(job.out_pixel, [&](auto element) {  // a branch between stores would keep the compiler from overlapping anything
    put_rows_as<Sum, decltype(element)>(job, place, out, first, end, rows, from, row_pitch);
  });
}

}  // namespace halation::cuda_backend
