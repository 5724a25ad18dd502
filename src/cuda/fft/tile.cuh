// tile.cuh: a tile of pixels in, its transform, times the filter's, back, its outputs out.
#pragma once

#include <limits>

#include "cuda/fft/kernels.cuh"
#include "cuda/fft/own_box.cuh"
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

  /// Whether all of them are the image's.
  __device__ bool is_inside() const { return inside_; }
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

/// A tile's outputs, by the sample that their filter ends at.
template <class T, int A, int B>
struct FftOutput {
  using Size = FftTileSize<T, A, B>;
  static constexpr int rows = Size::rows, columns = Size::columns;
  const FftArguments<T>& job;
  int begin_y, end_y, begin_x, end_x;
  std::byte* out;  ///< of the tile's first sample
  std::int64_t row_bytes, column_bytes;

  __device__ FftOutput(const FftArguments<T>& arguments, const FftPlace& place)
      : job(arguments), begin_y(job.taps_y - 1), begin_x(columns - job.kept_x), row_bytes(job.out_strides.height), column_bytes(job.out_strides.width) {
    const std::int64_t down = job.shape.height - place.y, across = job.shape.width - place.x;
    end_y = begin_y + (down < job.kept_y ? static_cast<int>(down) : job.kept_y);
    end_x = begin_x + (across < job.kept_x ? static_cast<int>(across) : job.kept_x);
    out = place.out + (place.y - begin_y) * job.out_strides.height + (place.x - begin_x) * job.out_strides.width;
  }
  /// Rows n + A · i of a column and those `rows` below, where is_wanted(row).
  template <class IsWanted>
  __device__ __forceinline__ void put(int column, int n, const Complex<T> (&v)[16], const FftFinish<T>& finish, const IsWanted& is_wanted) const {
    std::byte* const first = out + n * job.out_strides.height + column * job.out_strides.width;
    with_pixel(job.out_pixel, [&](auto element) {
      using Out = decltype(element);
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        const int row = n + A * i, far = row + rows;
        if (row >= begin_y && row < end_y && is_wanted(row)) store_as<Out>(first + A * i * job.out_strides.height, finish(v[i].x), job.rounding);
        if (far >= begin_y && far < end_y && is_wanted(far)) store_as<Out>(first + (A * i + rows) * job.out_strides.height, finish(v[i].y), job.rounding);
      }
    });
  }
};

/// A tile as own_box.cuh looks at it again.
template <class T, int A, int B>
struct FftTileAgain {
  using Number = T;
  using Size = FftTileSize<T, A, B>;
  static constexpr int rows = 2 * Size::rows, columns = Size::columns, samples = rows * columns, threads = Size::threads;
  using Map = MagnitudeMap<T, rows, columns, threads>;
  using Code = typename Map::Code;
  const FftArguments<T>& job;
  FftPlace place;
  FftTileThread<Size> me;
  TileSamples<T> column;
  FftOutput<T, A, B> output;

  __device__ FftTileAgain(const FftArguments<T>& arguments, unsigned tile)
      : job(arguments), place(place_of_tile(job, tile)), column(job, place, 1, 0, me.column), output(job, place) {}

  __device__ Code* outputs() const { return reinterpret_cast<Code*>(job.maps) + std::int64_t{blockIdx.x} * samples; }
  template <class Use>
  __device__ __forceinline__ void for_each_sample(const Use& use) const {
    column.template for_each<rows / Size::column_threads>(me.first_of_column, Size::column_threads, [&](int row, T x) { use(row * columns + me.column, x); });
  }
  __device__ void spread() const {
    Map::spread(job.taps_x, false);
    Map::spread(job.taps_y, true);
  }
  __device__ void join(RoundNorms<T>& norms) const { join_block<threads>(norms); }
  __device__ int least(int magnitude) const { return least_of_block(magnitude); }
  template <class Use>
  __device__ __forceinline__ void for_each_place(const Use& use) const {
    constexpr int rows_each = threads / columns;
    const int x = static_cast<int>(threadIdx.x) % columns;
    int row = static_cast<int>(threadIdx.x) / columns;
    const bool is_across = x >= output.begin_x && x < output.end_x;
    std::byte* to = output.out + row * output.row_bytes + x * output.column_bytes;
    for (int place = static_cast<int>(threadIdx.x); place < samples; place += threads, row += rows_each, to += rows_each * output.row_bytes)
      use(place, is_across && row >= output.begin_y && row < output.end_y, to);
  }
  template <class Product>
  __device__ T sum_of(int place, const Product& product) const {
    const int row = place / columns - job.taps_y + 1, first = place % columns - job.taps_x + 1;
    T sum = 0;
    int tap = 0;
#pragma unroll 1
    for (int y = 0; y < job.taps_y; ++y) {
#pragma unroll 1
      for (int x = 0; x < job.taps_x; ++x, ++tap) sum += product(number_at<T>(job, this->place, 0, row + y, first + x), tap);
    }
    return sum;
  }
  __device__ void transform(const RoundOfTile<T>& round) const {
    const FftFinish<T> finish{job, 1 / round.scale, true};
    const Code* const magnitudes = outputs() + me.column;
    auto* const numbers = reinterpret_cast<Complex<T>*>(block_memory());
    __syncthreads();
    tile_columns_forth<A, B, true>(numbers, me, [&](int n, Complex<T>(&v)[16]) {
      column.template for_each<rows / A>(n, A, [&](int row, T x) {
        Complex<T>& to = numbers[row % Size::rows * Size::pitch + me.column];
        (row < Size::rows ? to.x : to.y) = round(x);
      });
#pragma unroll
      for (int i = 0; i < 16; ++i) v[i] = numbers[(n + A * i) * Size::pitch + me.column];
      turn_packed<1>(v);
    }, [] {});
    tile_rows<A, B>(numbers, me, job.spectrum, output.begin_x);
    tile_columns_back<A, B, true>(numbers, me, me.column >= output.begin_x, me.column < output.end_x, [&](int n, Complex<T>(&v)[16]) {
      turn_packed<-1>(v);
      if (job.whole) round_to_whole(v);
      if (round.no_negative) keep_from_below_zero(v);
      output.put(me.column, n, v, finish, [&](int row) { return round.takes(magnitudes[row * columns]); });
    });
    __syncthreads();
  }
};

/// Which of a tile's samples are added up to groups (own_box.cuh): of each turn, in which a thread loads 16 rows and those `rows` below, every
/// fourth row, another one than the threads beside it, so that all add up as many.
template <class T, int A, int B>
struct FftTileGroups {
  using Size = FftTileSize<T, A, B>;
  static constexpr int turns = A / Size::column_threads;
  static_assert((turns == 1 && Size::column_threads == 4) || (turns == 2 && Size::column_threads >= 2));

  /// Of rows n + A · i, i is 4 · j and so many.
  __device__ __forceinline__ static int first_of(int n) {
    const int of_column = n % Size::column_threads;
    return Size::column_threads == 4 ? of_column : 2 * of_column + n / Size::column_threads;
  }
  /// Rows of which one is added up, by the first turn and by all: 9 · f and 9 · f + 4 of 32, or 5 · f of 16; 9 · f and 9 · f + 6 of 16.
  static constexpr FftGroupsApart apart{turns == 1 ? 5 : 9, Size::column_threads == 4 ? 5 : 6};
};

/// One tile, or weights as a tile of their own. What is left to the second launch is noted.
template <class T, int A, int B, int Bytes, FftPurpose Purpose>
__device__ __forceinline__ void filter_tile(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum_out) {
  using Size = FftTileSize<T, A, B>;
  using Groups = FftTileGroups<T, A, B>;
  constexpr int rows = Size::rows, columns = Size::columns, warps = Size::threads / 32;
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  auto* const places = reinterpret_cast<std::int64_t*>(shared + Size::shared_bytes - Size::places);
  const FftTileThread<Size> me;

  const FftPlace place = place_of_tile(job, tile);
  const FftInput<T, rows, columns, Bytes> input(job, place, places, me.column);
  if constexpr (Purpose == FftPurpose::spectrum) {
    tile_columns_forth<A, B, true>(numbers, me, [&](int n, Complex<T>(&v)[16]) {
      input.load_column(n, A, v);
      turn_packed<1>(v);
    }, [] {});
    tile_rows_spectrum<A, B>(numbers, me, spectrum_out, T(1) / (rows * columns));
  } else {
    __shared__ TileNorms<T> of_warps[warps];
    __shared__ bool uneven;
    TileNorms<T> norms;
    const FftGroups& groups = job.groups[input.is_inside() ? 0 : 1];
    T least = groups.lanes > 0 ? static_cast<T>(INFINITY) : T(0);  // of the sums over groups
    tile_columns_forth<A, B, true>(numbers, me, [&](int n, Complex<T>(&v)[16]) {
      input.load_column(n, A, v);
      if (job.notes_odd) {
        norms.add(v);
        if (groups.lanes > 0 && (n < Size::column_threads || groups.all_turns)) {
          const int first = Groups::first_of(n);
          T q[8];
#pragma unroll
          for (int part = 0; part < 4; ++part) {
            if (first != part) continue;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
              q[2 * j] = v[4 * j + part].x * v[4 * j + part].x;
              q[2 * j + 1] = v[4 * j + part].y * v[4 * j + part].y;
            }
          }
          if (!input.is_inside()) {
            const NeededSamples along_y(job.borders[1], place.y + job.lead[1], job.inside_only[1]);
            const NeededSamples along_x(job.borders[2], place.x + job.lead[2], job.inside_only[2]);
            const bool holds_column = along_x.hold(me.column & -groups.lanes, groups.lanes);
#pragma unroll
            for (int k = 0; k < 8; ++k) {
              const int row = n + A * (k / 2 * 4 + first) + k % 2 * rows;
              if (!holds_column || !along_y.hold(row, 1)) q[k] = static_cast<T>(INFINITY);
            }
          }
          least = fmin(least, least_of_groups(q, groups));
        }
      }
      turn_packed<1>(v);
    }, [&] {
      prefetch_tile<2 * rows, columns, Bytes>(job, tile);
      if (!job.notes_odd) return;
      norms.join_lanes();
      if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = norms;
      if (threadIdx.x == 0) uneven = false;
    });
    bool no_negative = false;
    if (job.notes_odd) {
      const TileNorms<T> all = TileNorms<T>::of_block(of_warps);
      if (!all.are_usable(job)) {
        if (threadIdx.x == 0) note_tile(job, tile, TileState::odd);
        return;
      }
      no_negative = all.show_no_negative(job);
      if (!all.are_even(least, 2 * rows * columns)) uneven = true;
    }
    tile_rows<A, B>(numbers, me, job.spectrum, columns - job.kept_x);
    if (job.notes_odd && threadIdx.x == 0) note_tile(job, tile, job.own_box && uneven ? TileState::good_where_strong : TileState::good);
    const FftOutput<T, A, B> output(job, place);  // here, since registers are short before
    tile_columns_back<A, B, true>(numbers, me, me.column >= output.begin_x, me.column < output.end_x, [&](int n, Complex<T>(&v)[16]) {
      turn_packed<-1>(v);
      if (job.whole) round_to_whole(v);
      if (no_negative) keep_from_below_zero(v);
      output.put(me.column, n, v, FftFinish<T>{job, T(1), false}, [](int) { return true; });
    });
  }
}

/// The size and what its kernels do.
template <class T, int A, int B>
struct FftTile {
  using Size = FftTileSize<T, A, B>;
  static constexpr int height = 2 * Size::rows, width = Size::columns;
  using Again = FftTileAgain<T, A, B>;
  static constexpr FftGroupsApart apart = FftTileGroups<T, A, B>::apart;

  template <int Bytes, FftPurpose Purpose>
  __device__ __forceinline__ static void filter(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum) {
    filter_tile<T, A, B, Bytes, Purpose>(job, tile, shared, spectrum);
  }
  __device__ __forceinline__ static void resolve(const FftArguments<T>& job, unsigned tile) {
    cuda_backend::resolve(FftTileAgain<T, A, B>(job, tile), job.odd_tiles[tile] == static_cast<std::uint8_t>(TileState::good_where_strong));
  }
};

template <class T, int A, int B>
FftTileKernels<T> fft_tile() {
  return fft_kernels<T, FftTile<T, A, B>>();
}

}  // namespace halation::cuda_backend
