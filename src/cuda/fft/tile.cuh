// tile.cuh: a tile of pixels in, its transform, times the filter's, back, its outputs out.
#pragma once

#include <limits>

#include "cuda/fft/kernels.cuh"
#include "cuda/fft/samples.cuh"
#include "cuda/fft/steps/tile_steps.cuh"

namespace halation::cuda_backend {

/// How numbers of a tile come in: from the image, or from outside of it.
template <class T, int Rows, int Columns, int Bytes>
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

  /// Rows first + step · i of this thread's column and, as imaginary parts, those `Rows` below.
  template <int Count>
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

/// The largest finite magnitude of the block's tile.
template <class T, int A, int B, class Input>
__device__ T largest_of_tile(const Input& input, int first) {
  T largest = 0;
#pragma unroll 1
  for (int n = first; n < A; n += FftTileSize<T, A, B>::column_threads) {
    Complex<T> v[16];
    input.load_column(n, A, v);
    largest = max(largest, largest_of(v));
  }
  return largest_of_block(largest);
}

/// Puts out what numbers that are not finite make of the outputs that they reach, in the place of the tile in shared memory: along
/// rows, then down columns, a window of the filter's size tells whether it holds any; only infinities ask for the weights. `column` and
/// `first`: the thread's column, and the first of the rows that it loads of it.
template <class T, int A, int B, int Bytes>
__device__ void put_not_finite(const FftArguments<T>& job, const FftPlace& place, const FftInput<T, 16 * A, 16 * B, Bytes>& input, int column,
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
    input.load_column(n, A, v);
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

/// One tile. Those with odd numbers are noted for the second launch.
template <class T, int A, int B, int Bytes, FftPurpose Purpose>
__device__ __forceinline__ void filter_tile(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum_out) {
  using Size = FftTileSize<T, A, B>;
  constexpr int rows = Size::rows, columns = Size::columns;
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  auto* const places = reinterpret_cast<std::int64_t*>(shared + Size::shared_bytes - Size::places);
  const FftTileThread<Size> me;

  const FftPlace place = place_of_tile(job, tile);
  const FftInput<T, rows, columns, Bytes> input(job, place, places, me.column);
  T scale = 1, back = 1;
  if constexpr (Purpose == FftPurpose::odd_tiles) {
    scale = job.whole ? T(1) : scale_for(largest_of_tile<T, A, B>(input, me.first_of_column));
    back = 1 / scale;
  }
  tile_columns_forth<A, B, true>(numbers, me, [&](int n, Complex<T>(&v)[16]) {
    input.load_column(n, A, v);
    if constexpr (Purpose == FftPurpose::odd_tiles) scale_finite(v, scale);
    turn_packed<1>(v);
  }, [&] {
    if constexpr (Purpose == FftPurpose::filter) prefetch_tile<2 * rows, columns, Bytes>(job, tile);
  });
  if constexpr (Purpose == FftPurpose::spectrum) {
    tile_rows_spectrum<A, B>(numbers, me, spectrum_out, T(1) / (rows * columns));
    return;
  }
  const int skipped = columns - job.kept_x;
  tile_rows<A, B>(numbers, me, job.spectrum, skipped);
  const std::int64_t x = place.x + me.column - skipped;
  const std::int64_t left = job.shape.height - place.y;
  const int end = (left < job.kept_y ? static_cast<int>(left) : job.kept_y) + job.taps_y - 1;  // of the tile's rows
  const std::int64_t row_bytes = job.out_strides.height;
  tile_columns_back<A, B, true>(numbers, me, me.column >= skipped, x < job.shape.width, [&](int n, Complex<T>(&v)[16]) {
    turn_packed<-1>(v);
    if constexpr (Purpose == FftPurpose::filter) {
      if (me.column == skipped && n == 0) note_odd_tile(job, tile, v[0]);
    }
    if (job.whole) round_to_whole(v);
    std::byte* const out = place.out + (place.y + n - (job.taps_y - 1)) * row_bytes + x * job.out_strides.width;
    const FftFinish<T> finish{job, back, Purpose == FftPurpose::odd_tiles};
    with_pixel(job.out_pixel, [&](auto element) {
      using Out = decltype(element);
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        const int row = n + A * i;
        if (row >= job.taps_y - 1 && row < end) store_as<Out>(out + A * i * row_bytes, finish(v[i].x), job.rounding);
        if (row + rows >= job.taps_y - 1 && row + rows < end) store_as<Out>(out + (A * i + rows) * row_bytes, finish(v[i].y), job.rounding);
      }
    });
  });
  if constexpr (Purpose == FftPurpose::odd_tiles) {
    put_not_finite<T, A, B, Bytes>(job, place, input, me.column, me.first_of_column, shared);
    __syncthreads();
  }
}

/// The size and what its kernels do.
template <class T, int A, int B>
struct FftTile {
  using Size = FftTileSize<T, A, B>;
  static constexpr int height = 2 * Size::rows, width = Size::columns;

  template <int Bytes, FftPurpose Purpose>
  __device__ __forceinline__ static void filter(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum) {
    filter_tile<T, A, B, Bytes, Purpose>(job, tile, shared, spectrum);
  }
};

template <class T, int A, int B>
FftTileKernels<T> fft_tile() {
  return fft_kernels<T, FftTile<T, A, B>>();
}

}  // namespace halation::cuda_backend
