// tile.cuh: a tile of pixels in, its transform, times the filter's, back, its outputs out.
#pragma once

#include <limits>

#include "cuda/fft/kernels.cuh"
#include "cuda/fft/own_box.cuh"
#include "cuda/fft/samples.cuh"
#include "cuda/fft/steps/tile_steps.cuh"

namespace halation::cuda_backend {

/// How numbers of a tile come in: from the image, or from outside of it.
template <class T, int Rows, int Columns>
class FftInput {
 public:
  /// `places` is shared memory for where the tile's 2 · Rows rows lie. All threads of the block call it.
  __device__ FftInput(const FftArguments<T>& job, const FftPlace& place, std::int64_t* places, int column)
      : row_bytes_(job.in_strides.height), pixel_(job.in_pixel), places_(places) {
    const std::int64_t y = place.y + job.lead[1];
    const std::int64_t x = place.x + job.lead[2];
    const std::int64_t z = job.borders[0].source(place.z + job.lead[0]);
    inside_ = z >= 0 && y >= 0 && x >= 0 && y + 2 * Rows <= job.borders[1].n && x + Columns <= job.borders[2].n;
    const std::byte* plane = place.in + z * job.in_strides.depth;
    if (inside_) {
      from_ = plane + y * row_bytes_ + (x + column) * job.in_strides.width;
      return;
    }
    for (int row = static_cast<int>(threadIdx.x); row < 2 * Rows; row += static_cast<int>(blockDim.x)) {
      const std::int64_t source = z < 0 ? -1 : job.borders[1].source(y + row);
      places[row] = source < 0 ? outside_image : source * row_bytes_;
    }
    __syncthreads();
    const std::int64_t source = job.borders[2].source(x + column);
    from_ = source < 0 ? nullptr : plane + source * job.in_strides.width;
    outside_row_ = static_cast<T>(z < 0 ? job.borders[0].constant : job.borders[1].constant);
    outside_ = static_cast<T>(job.borders[2].constant);
  }

  /// Rows first + step · i of this thread's column and, as imaginary parts, those `Rows` below, of elements of so many bytes.
  template <int Bytes, int Count>
  __device__ void load_column(int first, int step, Complex<T> (&to)[Count]) const {
    Bits<T> real[Count], imaginary[Count];
    if (inside_) {
      const std::byte* from = from_ + first * row_bytes_;
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        real[i] = load_plain<Bytes, T>(from + i * step * row_bytes_);
        imaginary[i] = load_plain<Bytes, T>(from + (i * step + Rows) * row_bytes_);
      }
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        load_bits<Bytes>(real[i], from_ + places_[first + i * step], is_there(first + i * step));
        load_bits<Bytes>(imaginary[i], from_ + places_[first + i * step + Rows], is_there(first + i * step + Rows));
      }
    }
    with_element<Bytes>(pixel_, [&](auto element) {
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        to[i] = {number_of<decltype(element), T>(real[i]), number_of<decltype(element), T>(imaginary[i])};
      }
    });
    if (inside_) return;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      put_outside(first + i * step, to[i].x);
      put_outside(first + i * step + Rows, to[i].y);
    }
  }

 private:
  static constexpr std::int64_t outside_image = std::numeric_limits<std::int64_t>::min();  // offsets of rows may be negative

  __device__ bool is_there(int row) const { return from_ != nullptr && places_[row] != outside_image; }
  __device__ void put_outside(int row, T& number) const {
    if (places_[row] == outside_image) number = outside_row_;
    else if (from_ == nullptr) number = outside_;
  }

  std::int64_t row_bytes_;
  Pixel pixel_;
  const std::int64_t* places_;
  const std::byte* from_;
  T outside_row_ = 0, outside_ = 0;
  bool inside_;
};

/// As load_column; compiled once, for what few tiles need.
template <int A, class Input, class T>
__device__ __noinline__ void load_again(const Input& input, Pixel pixel, int n, Complex<T> (&v)[16]) {
  with_bytes<T>(element_bytes(pixel), [&]<int Bytes>() { input.template load_column<Bytes>(n, A, v); });
}

/// Puts out what numbers that are not finite make of the outputs that they reach, in the place of the tile in shared memory: along
/// rows, then down columns, a window of the filter's size tells whether it holds any; only infinities ask for the weights. `column` and
/// `first`: the thread's column, and the first of the rows that it loads of it.
template <class T, int A, int B>
__device__ void put_not_finite(const FftArguments<T>& job, const FftPlace& place, const FftInput<T, 16 * A, 16 * B>& input, int column,
                               int first, std::byte* shared) {
  using Size = FftTileSize<T, A, B>;
  constexpr int rows = 2 * Size::rows, columns = Size::columns;
  auto* kinds = reinterpret_cast<std::uint8_t*>(shared);
  auto* reached = kinds + rows * columns;
  __syncthreads();
  bool any = false;
#pragma unroll 1
  for (int n = first; n < A; n += Size::column_threads) {
    Complex<T> v[16];
    load_again<A>(input, job.in_pixel, n, v);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const std::uint8_t real = kind_of(v[i].x), imaginary = kind_of(v[i].y);
      kinds[(n + A * i) * columns + column] = real;
      kinds[(n + A * i + Size::rows) * columns + column] = imaginary;
      any = any || real != plain_number || imaginary != plain_number;
    }
  }
  if (__syncthreads_or(any ? 1 : 0) == 0) return;
  // How many numbers of either sort a window holds, as it moves by one: those that are none, and infinities times 2^16.
  constexpr int infinity = 1 << 16;
  const auto count_of = [](std::uint8_t kind) { return (kind & not_a_number) + ((kind & (plus_infinity | minus_infinity)) != 0 ? infinity : 0); };
  const auto kinds_in = [](int count) {
    return static_cast<std::uint8_t>((count % infinity != 0 ? not_a_number : 0) | (count >= infinity ? plus_infinity : 0));
  };
  for (int row = static_cast<int>(threadIdx.x); row < rows; row += static_cast<int>(blockDim.x)) {
    int window = 0;
    for (int c = 0; c < columns; ++c) {
      window += count_of(kinds[row * columns + c]);
      if (c >= job.taps_x) window -= count_of(kinds[row * columns + c - job.taps_x]);
      reached[row * columns + c] = kinds_in(window);
    }
  }
  __syncthreads();
  const int skipped = columns - job.kept_x;
  const std::int64_t x = place.x + column - skipped;
  if (first > 0 || column < skipped || x >= job.shape.width) return;
  int window = 0;
  for (int row = 0; row < rows; ++row) {
    window += count_of(reached[row * columns + column]);
    if (row >= job.taps_y) window -= count_of(reached[(row - job.taps_y) * columns + column]);
    const std::int64_t y = place.y + row - (job.taps_y - 1);
    if (row < job.taps_y - 1 || y >= job.shape.height || window == 0) continue;
    T sum = 0;
    if (window % infinity != 0) {
      sum = static_cast<T>(NAN);
    } else {
      for (int i = 0; i < job.taps_y; ++i) {
        for (int j = 0; j < job.taps_x; ++j) {
          const std::uint8_t kind = kinds[(row - job.taps_y + 1 + i) * columns + column - job.taps_x + 1 + j];
          if (kind == plain_number) continue;
          sum += odd_product<T>(kind, job.signs[i * job.taps_x + j]);
        }
      }
    }
    store(place.out + y * job.out_strides.height + x * job.out_strides.width, sum * job.scale + job.offset, job.out_pixel, job.rounding);
  }
}

/// Outputs of a column of sums: rows n + A · i and those `rows` below, as many as the tile keeps.
template <class T, int A, int B>
struct FftOutput {
  static constexpr int rows = FftTileSize<T, A, B>::rows;
  const FftArguments<T>& job;
  std::byte* out;  ///< where row 0 of the tile would go
  int begin, end;  ///< rows that outputs' filters end at

  __device__ FftOutput(const FftArguments<T>& arguments, const FftPlace& place, int column) : job(arguments) {
    const std::int64_t x = place.x + column - (FftTileSize<T, A, B>::columns - job.kept_x), left = job.shape.height - place.y;
    begin = job.taps_y - 1;
    end = (left < job.kept_y ? static_cast<int>(left) : job.kept_y) + begin;
    out = place.out + (place.y - begin) * job.out_strides.height + x * job.out_strides.width;
  }
  __device__ __forceinline__ void put_all(int n, const Complex<T> (&v)[16], const FftFinish<T>& finish) const {
    std::byte* const first = out + n * job.out_strides.height;
    with_pixel(job.out_pixel, [&](auto element) {
      using Out = decltype(element);
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        const int row = n + A * i;
        if (row >= begin && row < end) store_as<Out>(first + A * i * job.out_strides.height, finish(v[i].x), job.rounding);
        if (row + rows >= begin && row + rows < end) store_as<Out>(first + (A * i + rows) * job.out_strides.height, finish(v[i].y), job.rounding);
      }
    });
  }
  __device__ __forceinline__ void put_one(int row, T value) const {
    store(out + row * job.out_strides.height, value, job.out_pixel, job.rounding);
  }
};

/// One tile, or weights as a tile of their own. What is left to the second launch is noted.
template <class T, int A, int B, int Bytes, FftPurpose Purpose>
__device__ __forceinline__ void filter_tile(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum_out) {
  using Size = FftTileSize<T, A, B>;
  constexpr int rows = Size::rows, columns = Size::columns, warps = Size::threads / 32;
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  auto* const places = reinterpret_cast<std::int64_t*>(shared + Size::shared_bytes - Size::places);
  const FftTileThread<Size> me;

  const FftPlace place = place_of_tile(job, tile);
  const FftInput<T, rows, columns> input(job, place, places, me.column);
  if constexpr (Purpose == FftPurpose::spectrum) {
    tile_columns_forth<A, B, true>(numbers, me, [&](int n, Complex<T>(&v)[16]) {
      input.template load_column<Bytes>(n, A, v);
      turn_packed<1>(v);
    }, [] {});
    tile_rows_spectrum<A, B>(numbers, me, spectrum_out, T(1) / (rows * columns));
  } else {
    __shared__ TileNorms<T> of_warps[warps];
    __shared__ T lowest;
    __shared__ bool even;
    TileNorms<T> norms;
    T first_row[8];
    // Groups that lie in what outputs need: tiles at the end hold more.
    const std::int64_t down = job.shape.height - place.y, across = job.shape.width - place.x;
    const int needed_y = (down < job.kept_y ? static_cast<int>(down) : job.kept_y) + job.taps_y - 1;
    const bool is_needed = (me.column | (job.group_lanes - 1)) < (across < job.kept_x ? static_cast<int>(across) : job.kept_x) + columns - job.kept_x;
    tile_columns_forth<A, B, true>(numbers, me, [&](int n, Complex<T>(&v)[16]) {
      input.template load_column<Bytes>(n, A, v);
      if (job.own_box) {
        norms.add(v);
        if (job.group_lanes > 0 && (n == 0 || (n == A / 2 && job.group_pairs))) {
          T sums[8];
          group_squares(v, sums, [&](int i, bool imaginary) { return is_needed && n + A * i + (imaginary ? rows : 0) < needed_y; });
          if (n == 0 && job.group_pairs) {
#pragma unroll
            for (int i = 0; i < 8; ++i) first_row[i] = sums[i];
          } else {
#pragma unroll
            for (int i = 0; i < 8; ++i) sums[i] += n > 0 ? first_row[i] : 0;
            norms.least = least_group(sums, job.group_lanes);
          }
        }
      }
      turn_packed<1>(v);
    }, [&] {
      prefetch_tile<2 * rows, columns, Bytes>(job, tile);
      if (!job.own_box) return;
      norms.join_lanes();
      if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = norms;
    });
    if (threadIdx.x < 32) {
      TileNorms<T> all;
      if (job.own_box && threadIdx.x < warps) all = of_warps[threadIdx.x];
      all.join_lanes();
      if (threadIdx.x == 0) {
        even = !job.own_box || (job.group_lanes > 0 && is_even(all, static_cast<T>(2 * rows * columns)));
        lowest = job.own_box && job.not_negative && all.lowest >= 0 ? 0 : static_cast<T>(-INFINITY);
      }
    }
    const int skipped = columns - job.kept_x;
    tile_rows<A, B>(numbers, me, job.spectrum, skipped);
    const FftOutput<T, A, B> output(job, place, me.column);
    const FftFinish<T> finish{job, T(1), false, lowest};
    tile_columns_back<A, B, true>(numbers, me, me.column >= skipped, place.x + me.column - skipped < job.shape.width, [&](int n, Complex<T>(&v)[16]) {
      turn_packed<-1>(v);
      if (me.column == skipped && n == 0 && job.odd_tiles != nullptr)
        job.odd_tiles[tile] = !is_finite(v[0].x) || !is_finite(v[0].y) ? tile_is_not_finite : even ? tile_is_fine : tile_is_doubtful;
      if (job.whole) round_to_whole(v);
      output.put_all(n, v, finish);
    });
  }
}

/// What the first launch left of a tile (own_box.cuh): outputs whose box is empty become 0, and such whose box is too weak beside the tile are
/// filtered again without what they do not see. Last what numbers that are not finite make of those that they reach.
template <class T, int A, int B>
__device__ __forceinline__ void resolve_tile(const FftArguments<T>& job, unsigned tile, std::byte* shared) {
  using Size = FftTileSize<T, A, B>;
  constexpr int rows = 2 * Size::rows, columns = Size::columns, words = columns / 32;
  using Bits = TileBits<rows, words, Size::threads>;
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  auto* const places = reinterpret_cast<std::int64_t*>(shared + Size::shared_bytes - Size::places);
  auto* const bits = reinterpret_cast<std::uint32_t*>(shared + Size::shared_bytes);
  const Bits any{bits}, strong{bits + Bits::words}, done{bits + 2 * Bits::words};
  const FftTileThread<Size> me;
  const FftPlace place = place_of_tile(job, tile);
  const FftInput<T, rows / 2, columns> input(job, place, places, me.column);
  const int skipped = columns - job.kept_x;
  const std::int64_t beside = job.shape.width - place.x;
  const int end_x = (beside < job.kept_x ? static_cast<int>(beside) : job.kept_x) + skipped;

  const auto for_each = [&](const auto& use) {
#pragma unroll 1
    for (int n = me.first_of_column; n < A; n += Size::column_threads) {
      Complex<T> v[16];
      load_again<A>(input, job.in_pixel, n, v);
      use(v);
    }
  };
  const auto mark = [&](const Bits& map, const auto& is) {
#pragma unroll 1
    for (int n = me.first_of_column; n < A; n += Size::column_threads) {
      Complex<T> v[16];
      load_again<A>(input, job.in_pixel, n, v);
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        const std::uint32_t real = __ballot_sync(~0U, is(v[i].x)), imaginary = __ballot_sync(~0U, is(v[i].y));
        if (threadIdx.x % 32 != 0) continue;
        map.of[(n + A * i) * words + me.column_group] = real;
        map.of[(n + A * i + rows / 2) * words + me.column_group] = imaginary;
      }
    }
    __syncthreads();
    map.spread(job.taps_x, false);
    map.spread(job.taps_y, true);
  };
  const FftOutput<T, A, B> output(job, place, me.column);
  const auto put_at = [&](int row, int column, T value) { FftOutput<T, A, B>(job, place, column).put_one(row, value); };
  // Those of a word's samples that outputs' filters end at.
  const auto outputs_of = [&](int at) -> std::uint32_t {
    const int row = at / words, first = at % words * 32;
    if (row < output.begin || row >= output.end) return 0;
    const int low = max(skipped - first, 0), high = min(end_x - first, 32);
    if (low >= high) return 0;
    return (high == 32 ? ~0U : (1U << high) - 1) & (~0U << low);
  };

  bool mine = false;
  for_each([&](const Complex<T>(&v)[16]) {
#pragma unroll
    for (int i = 0; i < 16; ++i) mine = mine || v[i].x < 0 || v[i].y < 0;
  });
  const T lowest = __syncthreads_or(mine ? 1 : 0) == 0 && job.own_box && job.not_negative ? 0 : static_cast<T>(-INFINITY);
  const bool is_right = job.odd_tiles[tile] == tile_is_doubtful;
  mark(done, [](T x) { return !is_finite(x); });
  RoundOfTile<T> round;
  bool left = true;
  for (int r = 0; left && r < most_rounds; ++r) {
    const bool some = begin_round<16>(round, static_cast<T>(rows * columns), for_each);
    if (r == 0 && job.own_box) {
      mark(any, [](T x) { return x != 0; });
      any.for_each_word([&](std::uint32_t word, int at) {
        std::uint32_t empty = ~word & outputs_of(at);
        done.of[at] |= empty;
        for (; empty != 0; empty &= empty - 1) put_at(at / words, at % words * 32 + __ffs(static_cast<int>(empty)) - 1, job.offset);
      });
      __syncthreads();
    }
    if (!some && job.own_box) break;
    mark(strong, [&](T x) { return !job.own_box || (round.takes(x) && fabs(x) * round.scale >= round.strong); });
    bool more = false;
    strong.for_each_word([&](std::uint32_t word, int at) {
      const std::uint32_t open = outputs_of(at) & ~done.of[at];
      strong.of[at] = word & open;
      done.of[at] |= word & open;
      more = more || (open & ~word) != 0;
    });
    left = __syncthreads_or(more ? 1 : 0) != 0;
    if (r > 0 || !is_right) {
      tile_columns_forth<A, B, true>(numbers, me, [&](int n, Complex<T>(&v)[16]) {
        load_again<A>(input, job.in_pixel, n, v);
        round.keep(v);
        turn_packed<1>(v);
      }, [] {});
      tile_rows<A, B>(numbers, me, job.spectrum, skipped);
      const FftFinish<T> finish{job, 1 / round.scale, true, lowest};
      tile_columns_back<A, B, true>(numbers, me, me.column >= skipped, me.column < end_x, [&](int n, Complex<T>(&v)[16]) {
        turn_packed<-1>(v);
#pragma unroll 1
        for (int i = 0; i < 16; ++i) {
          const int row = n + A * i, far = row + rows / 2;
          if (strong.at(row, me.column)) output.put_one(row, finish(v[i].x));
          if (strong.at(far, me.column)) output.put_one(far, finish(v[i].y));
        }
      });
      __syncthreads();
    }
    round.limit = round.strong / round.scale;
  }
  if (left && job.own_box) {
    const FftFinish<T> finish{job, 1 / round.scale, true, lowest};
    done.for_each_word([&](std::uint32_t word, int at) {
      for (std::uint32_t open = ~word & outputs_of(at); open != 0; open &= open - 1) {
        const int row = at / words, column = at % words * 32 + __ffs(static_cast<int>(open)) - 1;
        const T* weight = job.weights + job.taps_y * job.taps_x;
        T sum = 0;
        for (int y = row - job.taps_y + 1; y <= row; ++y) {
          for (int x = column - job.taps_x + 1; x <= column; ++x) sum = fma(*--weight, number_at<T>(job, place, 0, y, x) * round.scale, sum);
        }
        put_at(row, column, finish(sum));
      }
    });
  }
  put_not_finite<T, A, B>(job, place, input, me.column, me.first_of_column, shared);
  __syncthreads();
}

/// The size and what its kernels do.
template <class T, int A, int B>
struct FftTile {
  using Size = FftTileSize<T, A, B>;
  static constexpr int height = 2 * Size::rows, width = Size::columns;
  static constexpr std::size_t odd_shared_bytes = Size::shared_bytes + 3 * TileBits<height, width / 32, Size::threads>::words * sizeof(std::uint32_t);
  // Row 0 of every A, and row A / 2 where the same thread has both.
  static constexpr int group_rows = A, pair_rows = A / 2 % Size::column_threads == 0 ? 3 * A / 2 : 0;

  template <int Bytes, FftPurpose Purpose>
  __device__ __forceinline__ static void filter(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum) {
    filter_tile<T, A, B, Bytes, Purpose>(job, tile, shared, spectrum);
  }
  __device__ __forceinline__ static void resolve(const FftArguments<T>& job, unsigned tile, std::byte* shared) {
    resolve_tile<T, A, B>(job, tile, shared);
  }
};

template <class T, int A, int B>
FftTileKernels<T> fft_tile() {
  return fft_kernels<T, FftTile<T, A, B>>();
}

}  // namespace halation::cuda_backend
