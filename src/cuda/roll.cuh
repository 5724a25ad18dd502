// roll.cuh: small filters on small pixels: each warp rolls down a strip of columns, its sums of K rows of outputs in registers.
//
// Rows come into shared memory as they are, several ahead, 16 bytes a copy. A lane takes its own columns and those beside them from
// there, makes numbers of them, and adds what the row gives to all K outputs that it is part of: the first multiply-add of each
// writes to its neighbour's register, so that sums move up for nothing. What lies beyond a row's ends is set in shared memory by lanes
// of the warps there; rows above and below the image are other rows, or constants. A warp is a block: none waits for another, and
// what it shares lies in uniform registers.
//
//   warp → outputs     32 · V · G columns, V = 16 bytes of input (interleaved channels are columns, C apart), all rows of a strip
//   registers          K · V · G sums, and the numbers of a row around V columns: V + (K − 1) · C
//   shared memory      6 rows of 32 · G pieces of 16 bytes and those that the filter reaches on either side
//   operations         dense: K² multiply-adds an output; factored: 2 K; whole: 3, 7 (5 taps) or 14 (7) products of four bytes
//   traffic            DRAM: each element once; L2: K − 1 rows above each strip and a piece beside each warp's columns again
//   limits             one filter, sums in f32, or in integers; outputs over their inputs; constants that are pixels; K = 3, 5, 7 (and 9
//                      factored): others are set into the next size with zeros, where 0 · input cannot be NaN; C = 1 to 4. Rows on
//                      16-byte boundaries: factors of small pixels, and of u8 all else but whole weights of 3 × 3 and 5 × 5; for
//                      others patches (patch.cuh) are faster
//   other rows         come as the whole pieces in which they lie, each row with its own shift, and windows are taken from any byte on;
//                      outputs leave by way of shared memory in whole words. Pixels out: as in, f32, and i16 from u8
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/border.h"
#include "cuda/divisor.h"
#include "cuda/lines.cuh"
#include "cuda/products.cuh"
#include "cuda/window.cuh"

namespace halation::cuda_backend {

constexpr int roll_rows = 6;  // of a warp in shared memory
constexpr int roll_most = 9;   // K

/// What a launch gets by value. Columns are elements of a row; strides are bytes. Output (x, y) is centred on input (x, y + centre_y).
struct RollArguments {
  const std::byte* in;
  const std::byte* in_end;  // behind the last row of all
  std::byte* out;
  std::int64_t in_row, in_plane, in_batch;
  std::int64_t out_row, out_plane, out_batch;
  DeviceBorder border_y, border_x;
  int columns, rows;  // of the output
  int in_rows;
  int last_column;    // where the last warp of a row begins
  int strip;          // rows of outputs in a warp
  Divisor across, strips, depth;  // warps side by side, one above the other; planes of a volume
  int centre_y;
  bool wraps;              // rows go on with pieces of their other end
  std::uint32_t constant_y, constant_x;  // outside, in all elements of a word
  float scale;         // of whole sums; others have it in their weights
  float offset;
  Pixel out_pixel;
  Rounding rounding;
  union {
    float weights[49];       // K · K; factored: K along y, then K along x
    std::int32_t words[28];  // whole: see products.h
  };
};

/// How a row's taps are summed.
enum class RollSums { dense, factored, whole };

/// Where rows begin: on 16-byte boundaries, or on any of their elements.
enum class RollRows { aligned, any };

using RollKernel = void (*)(RollArguments);

/// Sums of the K rows of outputs that the next row is part of; the first is complete with the row that is added.
template <class Sum, int K, int G, int V>
struct Running {
  Sum sums[K][G][V];
};

/// The same where stacks take their place (products.cuh).
template <int K, int C, int G, int V>
struct Stacked {
  Stacks<K, C, V> stacks[G];
  std::int32_t sums[1][G][V];
};

/// How one size is computed. Measured on an H200 (docs/performance.md).
template <class In, int K, int C, RollSums Sums, RollRows Rows>
struct Roll {
  static constexpr int size = static_cast<int>(sizeof(In));
  static constexpr int columns = 16 / size;  // V, of a lane
  static constexpr int reach = K / 2 * C;    // H, on either side
  static constexpr bool stacks = Sums == RollSums::whole && K <= 5;
  static constexpr int groups = K * columns <= 48 && Sums != RollSums::dense && !stacks ? 2 : 1;  // G
  static constexpr bool aligned = Rows == RollRows::aligned;
  using Row = Window<In, columns, reach>;
  static constexpr int before = (reach * size + 15) / 16;  // pieces in front of a warp's
  static constexpr int warp_columns = 32 * columns * groups;
  static constexpr int pieces = 32 * groups;
  static constexpr int behind = before + (aligned ? 0 : 1);
  static constexpr int row_bytes = 16 * (before + pieces + behind);
  static constexpr int of_sums = stacks ? columns + 2 * reach : groups * K * columns;
  static constexpr int of_row = columns + (stacks ? 0 : 2 * reach) + (Sums == RollSums::factored ? columns : 0);
  static constexpr int registers = of_sums + of_row + (stacks ? 38 : Sums == RollSums::dense && K == 3 ? 30 : 44);
  static constexpr int blocks = std::min(32, 65536 / 32 / ((registers + 7) / 8 * 8));
  static_assert(2 * reach <= 32);  // a lane sets one element
  using Sum = std::conditional_t<Sums == RollSums::whole, std::int32_t, float>;
  using State = std::conditional_t<stacks, Stacked<K, C, groups, columns>, Running<Sum, K, groups, columns>>;
};

namespace roll_steps {

/// Rows on their way, beside the one that is filtered and the one that lanes may still read.
constexpr int ahead = roll_rows - 2;

/// A warp's way down.
struct Way {
  const std::byte* in;  // the plane's first element
  std::byte* out;       // the warp's first output
  int column;
  int row;
  int count;  // of rows of outputs

  template <class R>
  static __device__ __forceinline__ Way of(const RollArguments& job, unsigned warp, int out_size) {
    const unsigned strip = job.across.quotient(warp);
    const unsigned plane = job.strips.quotient(strip);
    const unsigned batch = job.depth.quotient(plane);
    const unsigned depth = plane - batch * job.depth.by;
    Way way;
    // The last warp reaches back over its neighbour's columns rather than out of the image; both compute the same.
    way.column = min(static_cast<int>(warp - strip * job.across.by) * R::warp_columns, job.last_column);
    way.row = static_cast<int>(strip - plane * job.strips.by) * job.strip;
    way.count = min(job.strip, job.rows - way.row);
    way.in = job.in + batch * job.in_batch + depth * job.in_plane;
    way.out = job.out + batch * job.out_batch + depth * job.out_plane + way.row * job.out_row +
              static_cast<std::int64_t>(way.column) * out_size;
    return way;
  }
};

__device__ __noinline__ inline int source_of(const DeviceBorder& border, int c) { return border.source(c); }

/// What a lane brings of each row: pieces of the warp's own, 32 apart; the first few, one beside them as well. A row's pieces begin
/// `shift` bytes before the warp's first column.
template <class R>
class Share {
 public:
  __device__ __forceinline__ Share(const RollArguments& job, const Way& way) {
    const int lane = static_cast<int>(threadIdx.x);
    const int row_bytes = job.columns * R::size;
    const int first = way.column * R::size;
    const int piece = lane < R::before ? lane - R::before : lane + R::pieces - R::before;
    int other = first + 16 * piece;
    if (job.wraps && has_other()) other += other < 0 ? row_bytes : other >= row_bytes ? -row_bytes : 0;
    own_bytes_ = row_bytes - (first + 16 * lane);
    other_bytes_ = has_other() && other > -16 ? row_bytes - other : -16;
    other_ = other - (first + 16 * lane);
    other_end_ = other + 16;
    other_to_ = 16 * (piece - lane);
    // Bytes are counted where not all pieces are whole.
    const bool is_whole = own_bytes_ >= 512 * (R::groups - 1) + 16 && (!has_other() || (other >= 0 && other_bytes_ >= 16));
    whole_ = __all_sync(0xffffffff, is_whole) != 0;
  }

  /// From and to a lane's first piece of a row. Pieces at the ends of rows on no boundary bring what lies beside
  /// them.
  __device__ __forceinline__ void bring(const RollArguments& job, const std::byte* from, int shift, unsigned to) const {
    from -= shift;
    if (whole_) {
#pragma unroll
      for (int g = 0; g < R::groups; ++g) copy_16(to + 512 * g, from + 512 * g);
      if (has_other()) copy_16(to + other_to_, from + other_);
    } else {
#pragma unroll
      for (int g = 0; g < R::groups; ++g) {
        bring_piece(job, from + 512 * g, own_bytes_ + shift - 512 * g, to + 512 * g);
      }
      if (R::aligned || other_end_ > shift) bring_piece(job, from + other_, other_bytes_ + shift, to + other_to_);
    }
  }
  /// A row of constants, by words.
  __device__ __forceinline__ void fill(std::uint32_t word, unsigned to) const {
#pragma unroll
    for (int g = 0; g < R::groups; ++g) fill_16(to + 512 * g, word);
    if (has_other()) fill_16(to + other_to_, word);
  }

 private:
  static __device__ __forceinline__ void bring_piece(const RollArguments& job, const std::byte* from, int bytes, unsigned to) {
    if (bytes <= 0) return;
    if constexpr (R::aligned) copy_16(to, from, min(bytes, 16));
    else if (from + 16 <= job.in_end) copy_16(to, from);
    else copy_first(to, from, min(bytes, 16));
  }
  static __device__ __forceinline__ bool has_other() { return threadIdx.x < R::before + R::behind; }
  static __device__ __forceinline__ void fill_16([[maybe_unused]] unsigned to, [[maybe_unused]] std::uint32_t word) {
#if defined(__CUDA_ARCH__)
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(to), "r"(word) : "memory");
#endif
  }

  bool whole_;                   // of the warp
  int own_bytes_, other_bytes_;  // to the row's end
  int other_, other_to_;         // from the lane's first piece
  int other_end_;                // from the row's beginning
};

/// The element beyond a row's ends that a lane sets in each staged row.
template <class In, class R>
class Beyond {
 public:
  template <int C>
  static __device__ __forceinline__ Beyond of(const RollArguments& job, const Way& way) {
    Beyond beyond;
    const int lane = static_cast<int>(threadIdx.x);
    const bool left = lane < R::reach;
    const int column = left ? lane - R::reach : job.columns + lane - R::reach;
    const int pixel = (column + R::reach) / C - R::reach / C;  // reach is a multiple of C
    const int source = source_of(job.border_x, pixel);
    constexpr int staged = R::before * R::columns;  // columns in front of a warp's own
    beyond.any_ = !job.wraps && (way.column < R::reach || way.column + R::warp_columns + R::reach > job.columns);
    beyond.own_ = beyond.any_ && lane < 2 * R::reach &&
                  (left ? column >= way.column - R::reach : column < way.column + R::warp_columns + staged);
    beyond.to_ = (column - way.column + staged) * R::size;
    beyond.constant_ = source < 0;
    beyond.from_ = (source * C + (column - pixel * C) - way.column + staged) * R::size;
    return beyond;
  }

  /// Whether there are such in the warp.
  __device__ __forceinline__ bool any() const { return any_; }
  /// In a row of the image, when it is there for all lanes; after it, they must meet.
  __device__ __forceinline__ void set(const RollArguments& job, std::byte* row) const {
    if (!own_) return;
    *reinterpret_cast<In*>(row + to_) =
        *reinterpret_cast<const In*>(constant_ ? reinterpret_cast<const std::byte*>(&job.constant_x) : row + from_);
  }

 private:
  bool any_;   // of the warp
  bool own_;   // of the lane
  bool constant_;
  int to_, from_;  // bytes from the staged row's first
};

/// What a row gives to the outputs of a group that it is part of; `sums[0]` is complete with it.
template <int K, int C, RollSums Sums, class Row, int G, int V>
__device__ __forceinline__ void add_row(const RollArguments& job, const Row& row, int g, Running<float, K, G, V>& state) {
  auto& sums = state.sums;
  const auto column = [&](int v, int kx) { return row[v + (kx - K / 2) * C]; };
  if constexpr (Sums == RollSums::factored) {
    float across[V];
#pragma unroll
    for (int kx = 0; kx < K; ++kx) {
#pragma unroll
      for (int v = 0; v < V; ++v) across[v] = (kx == 0 ? 0.0F : across[v]) + job.weights[K + kx] * column(v, kx);
    }
#pragma unroll
    for (int m = 0; m < K; ++m) {
#pragma unroll
      for (int v = 0; v < V; ++v)
        sums[m][g][v] = (m + 1 < K ? sums[m + 1 < K ? m + 1 : m][g][v] : 0.0F) + job.weights[K - 1 - m] * across[v];
    }
  } else {
#pragma unroll
    for (int m = 0; m < K; ++m) {
#pragma unroll
      for (int kx = 0; kx < K; ++kx) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          const float sum = kx > 0 ? sums[m][g][v] : m + 1 < K ? sums[m + 1 < K ? m + 1 : m][g][v] : 0.0F;
          sums[m][g][v] = sum + job.weights[(K - 1 - m) * K + kx] * column(v, kx);
        }
      }
    }
  }
}

/// The same in integers.
template <int K, int C, RollSums Sums, class Row, int G, int V>
__device__ __forceinline__ void add_row(const RollArguments& job, const Row& row, int g, Running<std::int32_t, K, G, V>& state) {
  static_assert(C == 1);
  auto& sums = state.sums;
  const RowBytes<Row, V> bytes(row);
#pragma unroll
  for (int m = 0; m < K; ++m) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        const std::int32_t sum = i > 0 ? sums[m][g][v] : m + 1 < K ? sums[m + 1 < K ? m + 1 : m][g][v] : 0;
        sums[m][g][v] = bytes.template add<K>(v, i, job.words + 4 * (K - 1 - m), sum);
      }
    }
  }
}

template <int K, int C, RollSums Sums, class Row, int G, int V>
__device__ __forceinline__ void add_row(const RollArguments& job, const Row& row, int g, Stacked<K, C, G, V>& state) {
  state.stacks[g].add(row, job.words, state.sums[0][g]);
}

/// `count` of a lane's outputs, one by one.
template <int V>
__device__ __noinline__ void put_some(Pixel pixel, Rounding rounding, std::byte* to, int count, const float* values) {
  for (int v = 0; v < count; ++v) store(to + v * element_bytes(pixel), values[v], pixel, rounding);
}

/// A lane's outputs of a row, of which `count` lie at its first group or behind it inside the image.
template <int G, int V>
__device__ __forceinline__ void put_numbers(const RollArguments& job, std::byte* to, int count, const float (&values)[G][V]) {
  if (count < (32 * (G - 1) + 1) * V) {
#pragma unroll 1
    for (int g = 0; g < G; ++g) {
      float some[V];
#pragma unroll
      for (int i = 0; i < G; ++i) {
#pragma unroll
        for (int v = 0; v < V; ++v) {
          if (i == g) some[v] = values[i][v];
        }
      }
      put_some<V>(job.out_pixel, job.rounding, to + 32 * g * V * element_bytes(job.out_pixel), min(V, count - 32 * g * V), some);
    }
    return;
  }
  switch (job.out_pixel) {
    case Pixel::u8: return store_runs<std::uint8_t, G, V>(to, values, job.rounding);
    case Pixel::u16: return store_runs<std::uint16_t, G, V>(to, values, job.rounding);
    case Pixel::i16: return store_runs<std::int16_t, G, V>(to, values, job.rounding);
    case Pixel::f16: return store_runs<f16, G, V>(to, values, job.rounding);
    case Pixel::f32: return store_runs<float, G, V>(to, values, job.rounding);
    case Pixel::f64: return store_runs<double, G, V>(to, values, job.rounding);
  }
}

/// The first `count` of a warp's outputs of a row, from any element on, by way of `staged`: whole words, and what lies before and
/// behind them.
template <class T, int G, int V>
__device__ __forceinline__ void put_anywhere(std::byte* to, int count, const float (&values)[G][V], Rounding rounding,
                                             std::byte* staged) {
  constexpr int size = static_cast<int>(sizeof(T));
  const int lane = static_cast<int>(threadIdx.x);
  __syncwarp();  // until all have taken the row before
  store_runs<T, G, V>(staged + lane * V * size, values, rounding);
  __syncwarp();
  const int bytes = min(count, 32 * G * V) * size;
  const int first = min(static_cast<int>(-reinterpret_cast<std::uintptr_t>(to) & 3U), bytes);
  const int words = (bytes - first) / 4;
  const auto* const word_from = reinterpret_cast<const std::uint32_t*>(staged) + lane;
  auto* const word_to = reinterpret_cast<std::uint32_t*>(to + first) + lane;
#pragma unroll
  for (int i = 0; i < 32 * G * V * size / 4; i += 32) {
    if (i + lane < words) word_to[i] = size == 4 ? word_from[i] : __funnelshift_r(word_from[i], word_from[i + 1], 8 * first);
  }
  if constexpr (size < 4) {
    const int last = first + 4 * words;
    const int at = lane * size < first ? lane * size : last + lane * size - first;  // bytes, of an element that is in no word
    if (lane * size < first + bytes - last) *reinterpret_cast<T*>(to + at) = *reinterpret_cast<const T*>(staged + at);
  }
}

/// The same, to the job's pixel.
template <class In, int G, int V>
__device__ __forceinline__ void put_numbers_anywhere(const RollArguments& job, std::byte* to, int count,
                                                     const float (&values)[G][V], std::byte* staged) {
  if constexpr (!std::is_same_v<In, float>) {
    if (job.out_pixel == Pixel::f32) return put_anywhere<float>(to, count, values, job.rounding, staged);
  }
  if constexpr (sizeof(In) == 1) {
    if (job.out_pixel == Pixel::i16) return put_anywhere<std::int16_t>(to, count, values, job.rounding, staged);
  }
  put_anywhere<In>(to, count, values, job.rounding, staged);
}

/// Hands sums as the numbers that pixels are made of to `put`: two copies of it rather than one behind an addition, which takes
/// registers.
template <int G, int V, class Put>
__device__ __forceinline__ void finish(const RollArguments& job, const float (&sums)[G][V], const Put& put) {
  if (job.offset == 0) return put(sums);
  float values[G][V];
#pragma unroll
  for (int g = 0; g < G; ++g) {
#pragma unroll
    for (int v = 0; v < V; ++v) values[g][v] = sums[g][v] + job.offset;
  }
  put(values);
}

template <int G, int V, class Put>
__device__ __forceinline__ void finish(const RollArguments& job, const std::int32_t (&sums)[G][V], const Put& put) {
  float values[G][V];
#pragma unroll
  for (int g = 0; g < G; ++g) {
#pragma unroll
    for (int v = 0; v < V; ++v) values[g][v] = static_cast<float>(sums[g][v]) * job.scale + job.offset;
  }
  put(values);
}

}  // namespace roll_steps

template <class In, int K, int C, RollSums Sums, RollRows Rows, class R = Roll<In, K, C, Sums, Rows>>
__global__ void __launch_bounds__(32, R::blocks) roll(const __grid_constant__ RollArguments job) {
  using namespace roll_steps;
  __shared__ __align__(16) std::byte rows[roll_rows * R::row_bytes];
  const int lane = static_cast<int>(threadIdx.x);
  const int out_size = element_bytes(job.out_pixel);
  const Way way = Way::of<R>(job, blockIdx.x, out_size);
  const Share<R> share(job, way);
  const auto beyond = Beyond<In, R>::template of<C>(job, way);
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(rows)) + 16 * (R::before + lane);
  const int all_rows = way.count + K - 1;
  const int first_row = way.row + job.centre_y - K / 2;
  const auto exists = [&](int y) { return static_cast<unsigned>(y) < static_cast<unsigned>(job.in_rows); };
  const std::byte* from = way.in + first_row * job.in_row + (way.column * R::size + 16 * lane);
  const int columns = job.columns - way.column;
  std::byte* to = way.out + (R::aligned ? lane * R::columns * out_size : 0);
  typename R::State state = {};
  const auto next_place = [](int place) { return place == (roll_rows - 1) * R::row_bytes ? 0 : place + R::row_bytes; };
  int coming_at = 0;
  int staged_at = 0;
  [[maybe_unused]] std::uint32_t shifts = 0;  // of the rows on their way, four bits each, the last one lowest
  // At each step a row is asked for and the one that was `ahead` steps before is filtered.
#pragma unroll 1
  for (int j = -ahead; j < all_rows; ++j) {
    if constexpr (!R::aligned) shifts <<= 4;
    if (j + ahead < all_rows) {
      const int y = first_row + j + ahead;
      const std::byte* row = from;
      bool constants = false;
      if (!exists(y)) {
        const int source = source_of(job.border_y, y);
        constants = source < 0;
        row += (source - y) * job.in_row;
      }
      if (constants) {
        share.fill(job.constant_y, own + coming_at);
      } else {
        const int shift = R::aligned ? 0 : static_cast<int>(reinterpret_cast<std::uintptr_t>(row) & 15U);
        share.bring(job, row, shift, own + coming_at);
        if constexpr (!R::aligned) shifts |= static_cast<unsigned>(shift);
      }
    }
    from += job.in_row;
    coming_at = next_place(coming_at);
    staged_but<ahead>();
    __syncwarp();
    if (j < 0) continue;
    const int first = R::aligned ? staged_at : staged_at + static_cast<int>(shifts >> 4 * ahead & 15U);
    if (beyond.any()) {
      if (exists(first_row + j) || job.border_y.mode != Border::Mode::constant) beyond.set(job, rows + first);
      __syncwarp();
    }
#pragma unroll
    for (int g = 0; g < R::groups; ++g) {
      typename R::Row row;
      if constexpr (R::aligned) row.take(own + first + 512 * g);
      else row.take_from_any(own + first + 512 * g);
      add_row<K, C, Sums>(job, row, g, state);
    }
    staged_at = next_place(staged_at);
    if (j < K - 1) continue;
    if constexpr (R::aligned) {
      const int own_columns = columns - lane * R::columns;
      if (own_columns > 0) finish(job, state.sums[0], [&](const auto& values) { put_numbers(job, to, own_columns, values); });
    } else {
      __shared__ __align__(16) std::byte outputs[4 * R::warp_columns + 16];
      finish(job, state.sums[0], [&](const auto& values) { put_numbers_anywhere<In>(job, to, columns, values, outputs); });
    }
    to += job.out_row;
  }
}

/// A kernel with the columns of its warps; null where there is none.
struct RollSize {
  RollKernel kernel = nullptr;
  int columns = 0;
};

template <class In, int K, int C, RollSums Sums, RollRows Rows>
RollSize roll_of() {
  return {roll<In, K, C, Sums, Rows>, Roll<In, K, C, Sums, Rows>::warp_columns};
}

template <class In, RollRows Rows>
RollSize roll_size_of(int size, int channels, RollSums sums) {
  const auto with_channels = [&]<int K, RollSums Sums>() -> RollSize {
    switch (channels) {
      case 1: return roll_of<In, K, 1, Sums, Rows>();
      case 2: return roll_of<In, K, 2, Sums, Rows>();
      case 3: return roll_of<In, K, 3, Sums, Rows>();
      default: return roll_of<In, K, 4, Sums, Rows>();
    }
  };
  const auto with_sums = [&]<int K>() -> RollSize {
    if (sums == RollSums::factored) return with_channels.template operator()<K, RollSums::factored>();
    if constexpr ((sizeof(In) == 1 || Rows == RollRows::any) && K < roll_most) {
      if (sums == RollSums::dense) return with_channels.template operator()<K, RollSums::dense>();
    }
    if constexpr (sizeof(In) == 1 && Rows == RollRows::any && K == 3) {
      return with_channels.template operator()<K, RollSums::whole>();
    } else if constexpr (sizeof(In) == 1 && ((Rows == RollRows::any && K == 5) || K == 7)) {
      if (channels == 1) return roll_of<In, K, 1, RollSums::whole, Rows>();
    }
    return {};
  };
  switch (size) {
    case 3: return with_sums.template operator()<3>();
    case 5: return with_sums.template operator()<5>();
    case 7: return with_sums.template operator()<7>();
    case 9: return with_sums.template operator()<9>();
    default: return {};
  }
}

RollSize roll_u8(int size, int channels, RollSums sums);
RollSize roll_u16(int size, int channels, RollSums sums);
RollSize roll_i16(int size, int channels, RollSums sums);
RollSize roll_f16(int size, int channels, RollSums sums);

RollSize roll_any_u8(int size, int channels, RollSums sums);
RollSize roll_any_u16(int size, int channels, RollSums sums);
RollSize roll_any_i16(int size, int channels, RollSums sums);
RollSize roll_any_f16(int size, int channels, RollSums sums);
RollSize roll_any_f32(int size, int channels, RollSums sums);

}  // namespace halation::cuda_backend
