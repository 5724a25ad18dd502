// roll.cuh: small filters on small pixels: each warp rolls down a strip of columns, its sums of K rows of outputs in registers.
//
// Rows come into shared memory as they are, several ahead, 16 bytes a copy. A lane takes its own columns and those beside them from
// there, makes numbers of them, and adds what the row gives to all K outputs that it is part of: the first multiply-add of each
// writes to its neighbour's register, so that sums move up for nothing. What lies beyond a row's ends is set in shared memory by lanes
// of the warps there; rows above and below the image are other rows, or constants. A warp is a block: none waits for another, and
// what it shares lies in uniform registers.
//
//   warp → outputs     32 · V · G columns, V = 16 bytes of input (interleaved channels are columns, C apart), as many rows as a strip has
//   registers          K · V · G sums, and the numbers of a row around V columns: V + (K − 1) · C
//   shared memory      6 rows of 32 · G pieces of 16 bytes and those that the filter reaches on either side
//   operations         dense: K² multiply-adds an output; factored: 2 K; whole: K (3 taps) or 2 K products of four bytes
//   traffic            DRAM: each element once; L2: K − 1 rows above each strip and a piece beside each warp's columns again
//   limits             one filter, sums in f32, or in integers; rows on 16-byte boundaries; outputs over their inputs; constants that are
//                      pixels; K = 3, 5, 7 (and 9 factored): others are set into the next size with zeros, where 0 · input cannot be
//                      NaN; C = 1 to 4; dense and whole: u8 alone, for others patches (patch.cu) are faster
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/border.h"
#include "cuda/divisor.h"
#include "cuda/lines.cuh"
#include "cuda/window.cuh"

namespace halation::cuda_backend {

constexpr int roll_rows = 6;  // of a warp in shared memory
constexpr int roll_most = 9;   // K

/// What a launch gets by value. Columns are elements of a row; strides are bytes. Output (x, y) is centred on input (x, y + centre_y).
struct RollArguments {
  const std::byte* in;
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
    std::int32_t words[28];  // whole: 4 a row, see `Words`
  };
};

/// How a row's taps are summed.
enum class RollSums { dense, factored, whole };

using RollKernel = void (*)(RollArguments);

/// How one size is computed. Measured on an H200 (docs/performance.md).
template <class In, int K, int C, RollSums Sums>
struct Roll {
  static constexpr int size = static_cast<int>(sizeof(In));
  static constexpr int columns = 16 / size;  // V, of a lane
  static constexpr int reach = K / 2 * C;    // H, on either side
  static constexpr int groups = K * columns <= 48 && Sums != RollSums::dense ? 2 : 1;  // G
  using Row = Window<In, columns, reach>;
  static constexpr int beside = (reach * size + 15) / 16;  // pieces on either side of a warp's
  static constexpr int warp_columns = 32 * columns * groups;
  static constexpr int pieces = 32 * groups;
  static constexpr int row_bytes = 16 * (pieces + 2 * beside);
  static constexpr int registers = groups * K * columns + columns + 2 * reach + (Sums == RollSums::factored ? columns : 0) +
                                   (Sums == RollSums::dense && K == 3 ? 30 : 44);
  static constexpr int blocks = std::min(32, 65536 / 32 / ((registers + 7) / 8 * 8));
  static_assert(2 * reach <= 32);  // a lane sets one element
  using Sum = std::conditional_t<Sums == RollSums::whole, std::int32_t, float>;
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

/// What a lane brings of each row: pieces of the warp's own, 32 apart; the first few, one beside them as well.
template <class R>
class Share {
 public:
  __device__ __forceinline__ Share(const RollArguments& job, const Way& way) {
    const int lane = static_cast<int>(threadIdx.x);
    const int row_bytes = job.columns * R::size;
    const int first = way.column * R::size;
    const int piece = lane < R::beside ? lane - R::beside : lane + R::pieces - R::beside;
    const bool has_other = lane < 2 * R::beside;
    int other = first + 16 * piece;
    if (job.wraps && has_other) other += other < 0 ? row_bytes : other >= row_bytes ? -row_bytes : 0;
    own_bytes_ = row_bytes - (first + 16 * lane);
    other_bytes_ = has_other && other >= 0 ? row_bytes - other : 0;
    other_ = other - (first + 16 * lane);
    other_to_ = 16 * (piece - lane);
    // Bytes are counted where not all pieces are whole.
    whole_ = __all_sync(0xffffffff, own_bytes_ >= 512 * (R::groups - 1) + 16 && (!has_other || other_bytes_ >= 16)) != 0;
  }

  /// From and to a lane's first piece of a row.
  __device__ __forceinline__ void bring(const std::byte* from, unsigned to) const {
    if (whole_) {
#pragma unroll
      for (int g = 0; g < R::groups; ++g) copy_16(to + 512 * g, from + 512 * g);
      if (threadIdx.x < 2 * R::beside) copy_16(to + other_to_, from + other_);
    } else {
#pragma unroll
      for (int g = 0; g < R::groups; ++g) {
        if (own_bytes_ > 512 * g) copy_16(to + 512 * g, from + 512 * g, min(16, own_bytes_ - 512 * g));
      }
      if (other_bytes_ > 0) copy_16(to + other_to_, from + other_, min(16, other_bytes_));
    }
  }
  /// A row of constants, by words.
  __device__ __forceinline__ void fill(std::uint32_t word, unsigned to) const {
#pragma unroll
    for (int g = 0; g < R::groups; ++g) fill_16(to + 512 * g, word);
    if (threadIdx.x < 2 * R::beside) fill_16(to + other_to_, word);
  }

 private:
  static __device__ __forceinline__ void fill_16([[maybe_unused]] unsigned to, [[maybe_unused]] std::uint32_t word) {
#if defined(__CUDA_ARCH__)
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(to), "r"(word) : "memory");
#endif
  }

  bool whole_;                   // of the warp
  int own_bytes_, other_bytes_;  // to the row's end
  int other_, other_to_;         // from the lane's first piece
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
    constexpr int staged = R::beside * R::columns;  // columns in front of a warp's own
    beyond.any_ = !job.wraps && (way.column == 0 || way.column + R::warp_columns + R::reach > job.columns);
    beyond.own_ = beyond.any_ && lane < 2 * R::reach && (left ? way.column == 0 : column < way.column + R::warp_columns + staged);
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
__device__ __forceinline__ void add_row(const RollArguments& job, const Row& row, int g, float (&sums)[K][G][V]) {
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

/// sum + Σ byte · weight, of four unsigned bytes and four signed weights.
__device__ __forceinline__ std::int32_t four_products([[maybe_unused]] std::uint32_t bytes, [[maybe_unused]] std::int32_t weights,
                                                      std::int32_t sum) {
#if defined(__CUDA_ARCH__)
  asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(bytes), "r"(weights));
#endif
  return sum;
}

/// Which bytes an output's products of four bytes are of: a row's words w, or those that lie half a word later, t.
struct Product {
  int word;     // w[word], counted from the output's own
  bool later;   // t[word] instead
  int weights;  // which of a filter row's four words
};

/// The taps a, b, … of a filter row, by words: what each of four neighbouring outputs is multiplied with. Windows of 3 taps lie in one
/// word, others in two.
///   3 taps   abc·  ·abc
///   5 taps   abcd  bcde  ··e·  ·a··
///   7 taps   ·abc  defg  abcd  efg·
template <int K>
struct Words {
  static constexpr int products = K == 3 ? 1 : 2;
  static constexpr Product of(int byte, int i) {
    if constexpr (K == 3) {
      constexpr Product list[4] = {{-1, true, 1}, {0, false, 0}, {0, false, 1}, {0, true, 0}};
      return list[byte];
    } else if constexpr (K == 5) {
      constexpr Product list[4][2] = {{{-1, true, 0}, {0, false, 2}},
                                      {{0, false, 1}, {-1, true, 3}},
                                      {{0, false, 0}, {0, true, 2}},
                                      {{0, true, 1}, {0, false, 3}}};
      return list[byte][i];
    } else {
      constexpr Product list[4][2] = {{{-1, false, 0}, {0, false, 1}},
                                      {{-1, true, 2}, {0, true, 3}},
                                      {{-1, true, 0}, {0, true, 1}},
                                      {{0, false, 2}, {1, false, 3}}};
      return list[byte][i];
    }
  }
};

/// The same in integers.
template <int K, int C, RollSums Sums, class Row, int G, int V>
__device__ __forceinline__ void add_row(const RollArguments& job, const Row& row, int g, std::int32_t (&sums)[K][G][V]) {
  static_assert(C == 1 && V == 16 && Row::halo_words == 1);
  std::uint32_t later[V / 4 + 1];  // half a word after word i − 1
#pragma unroll
  for (int i = 0; i <= V / 4; ++i) later[i] = __byte_perm(row.word[i], row.word[i + 1], 0x5432);
#pragma unroll
  for (int m = 0; m < K; ++m) {
#pragma unroll
    for (int i = 0; i < Words<K>::products; ++i) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        const Product product = Words<K>::of(v % 4, i);
        const int at = v / 4 + product.word + 1;
        const std::int32_t sum = i > 0 ? sums[m][g][v] : m + 1 < K ? sums[m + 1 < K ? m + 1 : m][g][v] : 0;
        sums[m][g][v] = four_products(product.later ? later[at] : row.word[at], job.words[4 * (K - 1 - m) + product.weights], sum);
      }
    }
  }
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

template <int G, int V>
__device__ __forceinline__ void put_row(const RollArguments& job, std::byte* to, int count, const float (&sums)[G][V]) {
  if (job.offset == 0) return put_numbers(job, to, count, sums);
  float values[G][V];
#pragma unroll
  for (int g = 0; g < G; ++g) {
#pragma unroll
    for (int v = 0; v < V; ++v) values[g][v] = sums[g][v] + job.offset;
  }
  put_numbers(job, to, count, values);
}

template <int G, int V>
__device__ __forceinline__ void put_row(const RollArguments& job, std::byte* to, int count, const std::int32_t (&sums)[G][V]) {
  float values[G][V];
#pragma unroll
  for (int g = 0; g < G; ++g) {
#pragma unroll
    for (int v = 0; v < V; ++v) values[g][v] = static_cast<float>(sums[g][v]) * job.scale + job.offset;
  }
  put_numbers(job, to, count, values);
}

}  // namespace roll_steps

template <class In, int K, int C, RollSums Sums, class R = Roll<In, K, C, Sums>>
__global__ void __launch_bounds__(32, R::blocks) roll(const __grid_constant__ RollArguments job) {
  using namespace roll_steps;
  __shared__ __align__(16) std::byte rows[roll_rows * R::row_bytes];
  const int lane = static_cast<int>(threadIdx.x);
  const int out_size = element_bytes(job.out_pixel);
  const Way way = Way::of<R>(job, blockIdx.x, out_size);
  const Share<R> share(job, way);
  const auto beyond = Beyond<In, R>::template of<C>(job, way);
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(rows)) + 16 * (R::beside + lane);
  const int all_rows = way.count + K - 1;
  const int first_row = way.row + job.centre_y - K / 2;
  const auto exists = [&](int y) { return static_cast<unsigned>(y) < static_cast<unsigned>(job.in_rows); };
  const std::byte* from = way.in + first_row * job.in_row + (way.column * R::size + 16 * lane);
  const int own_columns = job.columns - way.column - lane * R::columns;
  std::byte* to = way.out + lane * R::columns * out_size;
  typename R::Sum sums[K][R::groups][R::columns] = {};
  const auto next_place = [](int place) { return place == (roll_rows - 1) * R::row_bytes ? 0 : place + R::row_bytes; };
  int coming_at = 0;
  int staged_at = 0;
  // At each step a row is asked for and the one that was `ahead` steps before is filtered.
#pragma unroll 1
  for (int j = -ahead; j < all_rows; ++j) {
    if (j + ahead < all_rows) {
      const int y = first_row + j + ahead;
      const std::byte* row = from;
      bool constants = false;
      if (!exists(y)) {
        const int source = source_of(job.border_y, y);
        constants = source < 0;
        row += (source - y) * job.in_row;
      }
      if (constants) share.fill(job.constant_y, own + coming_at);
      else share.bring(row, own + coming_at);
    }
    from += job.in_row;
    coming_at = next_place(coming_at);
    staged_but<ahead>();
    __syncwarp();
    if (j < 0) continue;
    if (beyond.any()) {
      if (exists(first_row + j) || job.border_y.mode != Border::Mode::constant) beyond.set(job, rows + staged_at);
      __syncwarp();
    }
#pragma unroll
    for (int g = 0; g < R::groups; ++g) {
      typename R::Row row;
      row.take(own + staged_at + 512 * g);
      add_row<K, C, Sums>(job, row, g, sums);
    }
    staged_at = next_place(staged_at);
    if (j < K - 1) continue;
    if (own_columns > 0) put_row(job, to, own_columns, sums[0]);
    to += job.out_row;
  }
}

/// A kernel with the columns of its warps; null where there is none.
struct RollSize {
  RollKernel kernel = nullptr;
  int columns = 0;
};

template <class In>
RollSize roll_size_of(int size, int channels, RollSums sums) {
  const auto with_channels = [&]<int K, RollSums Sums>() -> RollSize {
    switch (channels) {
      case 1: return {roll<In, K, 1, Sums>, Roll<In, K, 1, Sums>::warp_columns};
      case 2: return {roll<In, K, 2, Sums>, Roll<In, K, 2, Sums>::warp_columns};
      case 3: return {roll<In, K, 3, Sums>, Roll<In, K, 3, Sums>::warp_columns};
      default: return {roll<In, K, 4, Sums>, Roll<In, K, 4, Sums>::warp_columns};
    }
  };
  const auto with_sums = [&]<int K>() -> RollSize {
    if (sums == RollSums::factored) return with_channels.template operator()<K, RollSums::factored>();
    if constexpr (sizeof(In) == 1 && K < roll_most) {
      if (sums == RollSums::dense) return with_channels.template operator()<K, RollSums::dense>();
      if (channels == 1) return {roll<In, K, 1, RollSums::whole>, Roll<In, K, 1, RollSums::whole>::warp_columns};
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

}  // namespace halation::cuda_backend
