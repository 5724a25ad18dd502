// passes.cuh: tiles beyond shared memory: transforms along one axis after the other, numbers in device memory between.
//
//   passes           forth along the outer axis (of pixels; packed as in fft.cu), [forth along the middle one,] rows forth, times the
//                    filter's spectrum and back, [back along the middle one,] back along the outer one into pixels
//   outer axis       z of volumes, else y; of signals every `width`-th sample: then row r, column c is sample r · width + c, and numbers are
//                    turned between columns and rows by e^(−2πi · c · (k − 1/4) / samples)
//   traffic          24 bytes a sample of a tile (f64 48), 40 with a middle axis, and the spectrum, which the tiles of a group share
//   own box          the pass forth checks its tiles; those whose sums are not all good are done again, those only (reach.cuh)
//   source           D. H. Bailey, FFTs in External or Hierarchical Memory, 1990 (rows, columns and turns between)
#pragma once

#include "cuda/fft/pass_rounds.cuh"
#include "cuda/fft/steps/columns.cuh"
#include "cuda/fft/steps/line_steps.cuh"

namespace halation::cuda_backend {

/// A tile of a group, and where a block's columns lie in it: blockIdx.x tells which along x, blockIdx.z the row along the middle axis.
template <class T>
struct FftPassPlace {
  FftPlace tile;
  int middle = 0, x = 0;  ///< row along the middle axis and sample of it

  FftPassPlace() = default;
  __device__ FftPassPlace(const FftPassArguments<T>& job, unsigned tile_of_group, int sample)
      : tile(place_of_tile(job, job.first_tile + tile_of_group)), middle(static_cast<int>(blockIdx.z)), x(sample) {}
};

/// Where the samples of a column come from, as complex numbers.
template <class T>
struct FftColumnInput : TileSamples<T> {
  using TileSamples<T>::from, TileSamples<T>::stride, TileSamples<T>::first, TileSamples<T>::axis, TileSamples<T>::beyond_axis, TileSamples<T>::beyond_others;

  __device__ FftColumnInput(const FftPassArguments<T>& job, const FftPassPlace<T>& place)
      : TileSamples<T>(job, place.tile, job.split ? 2 : job.outer_axis, job.outer_axis == 0 ? place.middle : 0, place.x) {}

  /// Samples first + begin + step · i and, as imaginary parts, those `far` further.
  template <int Count>
  __device__ __forceinline__ void load(Pixel pixel, std::int64_t begin, std::int64_t step, std::int64_t far, Complex<T> (&to)[Count]) const {
    const std::int64_t at = first + begin;
    const bool is_inside = from != nullptr && at >= 0 && at + step * (Count - 1) + far < axis.n;
    if (!is_inside && !NearBorder(axis).holds) {
      load_one_by_one(to, [&](int i, bool is_far) { return this->at(begin + i * step + (is_far ? far : 0)); });
      return;
    }
    with_bytes<T>(element_bytes(pixel), [&]<int Bytes>() {
      Bits<T> real[Count], imaginary[Count];
      unsigned real_outside = 0, imaginary_outside = 0;
      if (is_inside) {
        // Pointers that walk on: a product for each place costs four instructions, and registers.
        const std::byte* here = from + at * stride;
        const std::byte* there = here + far * stride;
        const std::int64_t each = step * stride;
#pragma unroll
        for (int i = 0; i < Count; ++i, here += each, there += each) {
          real[i] = load_plain<Bytes, T>(here);
          imaginary[i] = load_plain<Bytes, T>(there);
        }
      } else {
        const NearBorder near(axis);
        const int near_at = static_cast<int>(at), near_step = static_cast<int>(step), near_far = static_cast<int>(far);
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          const int r = near.source(near_at + i * near_step), m = near.source(near_at + i * near_step + near_far);
          load_bits<Bytes>(real[i], from + r * stride, from != nullptr && r >= 0);
          load_bits<Bytes>(imaginary[i], from + m * stride, from != nullptr && m >= 0);
          real_outside |= (r < 0 ? 1U : 0U) << i;
          imaginary_outside |= (m < 0 ? 1U : 0U) << i;
        }
      }
      with_element<Bytes>(pixel, [&](auto element) {
#pragma unroll
        for (int i = 0; i < Count; ++i) to[i] = {number_of<decltype(element), T>(real[i]), number_of<decltype(element), T>(imaginary[i])};
      });
      if (from != nullptr && (real_outside | imaginary_outside) == 0) return;
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        to[i].x = (real_outside >> i & 1) != 0 ? beyond_axis : from == nullptr ? beyond_others : to[i].x;
        to[i].y = (imaginary_outside >> i & 1) != 0 ? beyond_axis : from == nullptr ? beyond_others : to[i].y;
      }
    });
  }
};

/// Keeps the compiler from computing ahead of a loop, in registers that are short in it, what depends on the place.
template <class Size>
__device__ __forceinline__ void forget([[maybe_unused]] FftColumn<Size>& place) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(place.column), "+r"(place.n));
#endif
}

/// Which of a block's samples outputs need (own_box.cuh), in shared memory, as registers are short: z, y and x.
struct FftNeeded {
  NeededSamples along[3];

  /// One thread calls it; the others wait.
  template <class T>
  __device__ void find(const FftPassArguments<T>& job, const FftPlace& tile) {
    const std::int64_t begins[3]{tile.z, tile.y, tile.x};
    for (int axis = 0; axis < 3; ++axis)
      along[axis] = NeededSamples(job.borders[axis], begins[axis] + job.lead[axis], job.inside_only[axis]);
  }
};

/// The least sum over a group of the block's samples, of column `x`.
template <class Size, bool Signal, class T>
__device__ __forceinline__ T least_of_block_groups(const FftPassArguments<T>& job, const FftNeeded& needed, FftColumn<Size> place, int x,
                                                   const Complex<T> (&v)[Size::first]) {
  const FftGroups& groups = job.groups[0];
  if (groups.lanes == 0) return 0;
  const int first_of_group = x & -groups.lanes;
  const bool is_volume = !Signal && job.outer_axis == 0;
  const bool is_held = Signal || (needed.along[2].hold(first_of_group, groups.lanes) && (!is_volume || needed.along[1].hold(static_cast<int>(blockIdx.z), 1)));
  const auto counts = [&](int row) {
    return Signal ? needed.along[2].hold(row * job.width + first_of_group, groups.lanes) : is_held && needed.along[is_volume ? 0 : 1].hold(row, 1);
  };
  // Of every fourth row, as neighbours take turns, or of all.
  T least = static_cast<T>(INFINITY);
#pragma unroll 1
  for (int turn = 0; turn < (groups.all_turns ? 4 : 1); ++turn) {
    const int taken = (place.n + turn) % 4;
    T q[8];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      q[2 * j] = q[2 * j + 1] = static_cast<T>(INFINITY);
      if (4 * j >= Size::first) continue;
      const Complex<T> low = taken % 2 == 0 ? v[4 * j] : v[4 * j + 1], high = taken % 2 == 0 ? v[4 * j + 2] : v[4 * j + 3];
      const Complex<T> one = taken < 2 ? low : high;
      const int row = place.n + Size::part * (4 * j + taken);
      if (counts(row)) q[2 * j] = one.x * one.x;
      if (counts(row + Size::length)) q[2 * j + 1] = one.y * one.y;
    }
    least = fmin(least, least_of_groups(q, groups));
  }
  return least;
}

/// What all threads of the block found of its tile, as one. All call it.
template <class T, int Warps>
__device__ __forceinline__ void leave_check(const FftPassArguments<T>& job, unsigned tile, TileNorms<T> norms, T least, FftCheck<T> (&of_warps)[Warps]) {
  norms.join_lanes();
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) least = fmin(least, __shfl_xor_sync(~0U, least, apart));
  if (threadIdx.x % 32 == 0) {
    if (norms.bits != 0) job.facts[tile].negative = 1;
    of_warps[threadIdx.x / 32] = {norms.squares, least};
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  FftCheck<T> all{0, static_cast<T>(INFINITY)};
  for (const FftCheck<T>& of_warp : of_warps) all = {all.squares + of_warp.squares, fmin(all.least, of_warp.least)};
  job.checks[std::int64_t{tile} * job.checks_of_tile + blockIdx.z * gridDim.x + blockIdx.x] = all;
}

/// A turn e^(−2πi · column · (k − 1/4) / numbers) of a signal's numbers between columns and rows, for k = `first` + step · i.
template <int Sign, class T, int Count>
__device__ __forceinline__ void turn_signal(Complex<T> (&w)[Count], int column, int first, int step, std::int64_t numbers) {
  // Powers of two: all angles are exact.
  const T unit = T(0.5) / static_cast<T>(numbers);  // half turns of a quarter
  const auto root = [&](int quarters) { return root_of_half_turns(Sign * unit * static_cast<T>(quarters)); };
  Complex<T> now = root(column * (4 * first - 1));
  const Complex<T> each = root(column * 4 * step);
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    w[i] = w[i] * now;
    if (i + 1 < Count) now = now * each;
  }
}

/// Frequency of the first of the last step's values of a column, from its row, and how far apart they are.
template <class Size>
__device__ __forceinline__ int frequency_of(int row) {
  if constexpr (Size::third == 1) return row / Size::second;
  const int group = row / Size::third;
  return group / Size::second + Size::first * (group % Size::second);
}
template <class Size>
constexpr int frequency_step = Size::third == 1 ? Size::first : Size::first * Size::second;

/// One tile's columns forth: with their check, or, of tiles that are done `Again`, the samples of the round.
template <class Size, bool Signal, bool Again, class T>
__device__ __forceinline__ void columns_of_tile_forth(const FftPassArguments<T>& job, unsigned tile, Complex<T>* numbers) {
  FftColumn<Size> place;
  if constexpr (Again) forget(place);
  const int x = static_cast<int>(blockIdx.x) * Size::columns + place.column;
  const int column = static_cast<int>(blockIdx.z) * job.width + x;
  __shared__ FftCheck<T> of_warps[Size::threads / 32];
  __shared__ FftNeeded needed;
  const bool checks = !Again && job.facts != nullptr;
  Complex<T> v[Size::first];
  {
    const FftPassPlace<T> where(job, tile, x);
    if (checks && threadIdx.x == 0) needed.find(job, where.tile);
    const FftColumnInput<T> input(job, where);
    const std::int64_t row = Signal ? job.width : 1;
    input.load(job.in_pixel, place.n * row, Size::part * row, Size::length * row, v);
  }
  TileNorms<T> norms;
  T least = 0;
  if (checks) {
    __syncthreads();
    norms.add_bits(v);
    least = least_of_block_groups<Size, Signal>(job, needed, place, x, v);
  }
  if constexpr (Again) {
    const RoundOfTile<T> round = round_of(job, tile);
#pragma unroll
    for (int i = 0; i < Size::first; ++i) v[i] = {round(v[i].x), round(v[i].y)};
  }
  turn_packed<1>(v);
  const std::int64_t pitch = std::int64_t{job.middle} * job.width;
  Complex<T>* const to = job.numbers + tile * (Size::length * pitch) + column;
  columns_forth(v, numbers, job.turns[0], place, [&](int row, Complex<T>* at) {
    Complex<T> w[last_step<Size>];
    last_step_forth<Size>(w, at);
    if constexpr (!Again) norms.add_squares(w);  // of the column's transform, `length` times those of its samples: here registers are free
    if constexpr (Signal) turn_signal<-1>(w, column, frequency_of<Size>(row), frequency_step<Size>, pitch * Size::length);
#pragma unroll
    for (int i = 0; i < last_step<Size>; ++i) to[(row + i) * pitch] = w[i];
  });
  norms.squares *= T(1) / Size::length;
  if (checks) leave_check(job, tile, norms, least, of_warps);
}

template <class T, class Size, bool Signal, bool Again>
__global__ void __launch_bounds__(Size::threads, Size::blocks) fft_forth_kernel(const __grid_constant__ FftPassArguments<T> job) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  take_tiles<Again>(job, [&](unsigned tile) { columns_of_tile_forth<Size, Signal, Again>(job, tile, numbers); });
}

/// Numbers of a column from memory, after their first step back, in shared memory.
template <class Size, class T, class Turn>
__device__ __forceinline__ void fetch_back(Complex<T>* numbers, const Complex<T>* from, std::int64_t pitch, FftColumn<Size> place, const Turn& turn) {
  constexpr int rows = last_step<Size>;
  constexpr int steps = Size::length / rows;  // of a column, for part threads
  if constexpr (steps % Size::part == 0) {
    constexpr int each = steps / Size::part;
    Complex<T> w[each][rows];
#pragma unroll
    for (int j = 0; j < each; ++j) {
#pragma unroll
      for (int i = 0; i < rows; ++i) w[j][i] = from[(rows * (place.n + Size::part * j) + i) * pitch];
    }
#pragma unroll
    for (int j = 0; j < each; ++j) {
      const int row = rows * (place.n + Size::part * j);
      turn(w[j], row);
      first_step_back<Size>(w[j], numbers + row * Size::columns + place.column);
    }
  } else {
#pragma unroll 1
    for (int step = place.n; step < steps; step += Size::part) {
      Complex<T> w[rows];
#pragma unroll
      for (int i = 0; i < rows; ++i) w[i] = from[(rows * step + i) * pitch];
      turn(w, rows * step);
      first_step_back<Size>(w, numbers + rows * step * Size::columns + place.column);
    }
  }
}

/// One tile's columns back, and out: of tiles that are done `Again` the outputs of the round.
template <class Size, bool Signal, bool Again, class T>
__device__ __forceinline__ void columns_of_tile_back(const FftPassArguments<T>& job, unsigned tile, Complex<T>* numbers) {
  FftColumn<Size> place;
  if constexpr (Again) forget(place);
  const int x_of_tile = static_cast<int>(blockIdx.x) * Size::columns + place.column;
  const int column = static_cast<int>(blockIdx.z) * job.width + x_of_tile;
  const FftPassPlace<T> where(job, tile, x_of_tile);
  // A block's columns share their row along the middle axis, and the last is the one that may be put out.
  const std::int64_t y = where.tile.y + where.middle - job.skipped[1];
  if (job.outer_axis == 0 && (where.middle < job.skipped[1] || where.middle >= job.skipped[1] + job.kept_y || y >= job.shape.height)) return;
  if (!Signal && where.x - place.column + Size::columns <= job.skipped[2]) return;

  const std::int64_t pitch = std::int64_t{job.middle} * job.width;
  fetch_back<Size>(numbers, job.numbers + tile * (Size::length * pitch) + column, pitch, place,
                   [&](Complex<T>(&w)[last_step<Size>], int row) {
                     if constexpr (Signal) turn_signal<1>(w, column, frequency_of<Size>(row), frequency_step<Size>, pitch * Size::length);
                   });
  Complex<T> v[Size::first];
  columns_back(v, numbers, job.turns[0], place);
  turn_packed<-1>(v);
  if (job.whole) round_to_whole(v);
  if (shows_no_negative(job, tile)) keep_from_below_zero(v);
  const RoundOfTile<T> round = Again ? round_of(job, tile) : RoundOfTile<T>{};
  const FftFinish<T> finish{job, 1 / round.scale, Again};
  // Samples of the axis n + part · i and those `length` further: where they are put out, and which.
  const std::int64_t row = Signal ? job.width : 1;
  const std::int64_t sample = place.n * row + (Signal ? column : 0);
  const int axis = Signal ? 2 : job.outer_axis;
  const std::int64_t begin = axis == 0 ? where.tile.z : axis == 1 ? where.tile.y : where.tile.x;
  const std::int64_t extent = axis == 0 ? job.shape.depth : axis == 1 ? job.shape.height : job.shape.width;
  const std::int64_t stride = axis == 0 ? job.out_strides.depth : axis == 1 ? job.out_strides.height : job.out_strides.width;
  const std::int64_t kept = axis == 0 ? job.kept_z : axis == 1 ? job.kept_y : job.kept_x;
  const std::int64_t first = job.skipped[axis];
  const std::int64_t end = first + min(kept, extent - begin);
  std::byte* out = where.tile.out + (sample - first) * stride;
  if (axis == 0) out += y * job.out_strides.height;
  else out += where.tile.y * job.out_strides.height;
  if (!Signal) {
    const std::int64_t x = where.tile.x + where.x - job.skipped[2];
    if (where.x < job.skipped[2] || x >= job.shape.width) return;
    out += x * job.out_strides.width;
  } else {
    out += where.tile.x * job.out_strides.width;
  }
  const auto* const map = map_of<T>(job, tile, 2 * Size::length * pitch) + column;
  const auto takes = [&](int n) { return !Again || round.takes(map[n * pitch]); };
  with_pixel(job.out_pixel, [&](auto element) {
    using Out = decltype(element);
#pragma unroll
    for (int i = 0; i < Size::first; ++i) {
      const std::int64_t here = i * Size::part * row, far = Size::length * row;
      const int n = place.n + i * Size::part;
      if (sample + here >= first && sample + here < end && takes(n)) store_as<Out>(out + here * stride, finish(v[i].x), job.rounding);
      if (sample + here + far >= first && sample + here + far < end && takes(n + Size::length))
        store_as<Out>(out + (here + far) * stride, finish(v[i].y), job.rounding);
    }
  });
}

template <class T, class Size, bool Signal, bool Again>
__global__ void __launch_bounds__(Size::threads, Size::blocks) fft_back_kernel(const __grid_constant__ FftPassArguments<T> job) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  take_tiles<Again>(job, [&](unsigned tile) { columns_of_tile_back<Size, Signal, Again>(job, tile, numbers); });
}

/// Along the middle axis, in place: rows of one number along the outer axis, blockIdx.z.
template <class T, class Size, int Sign, bool Again>
__global__ void __launch_bounds__(Size::threads, Size::blocks) fft_middle_kernel(const __grid_constant__ FftPassArguments<T> job) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  take_tiles<Again>(job, [&](unsigned tile) {
    FftColumn<Size> place;
    if constexpr (Again) forget(place);
    const std::int64_t pitch = job.width;
    Complex<T>* const at = job.numbers + (std::int64_t{tile} * job.outer + blockIdx.z) * (Size::length * pitch) +
                           static_cast<int>(blockIdx.x) * Size::columns + place.column;
    Complex<T> v[Size::first];
    if constexpr (Sign < 0) {
#pragma unroll
      for (int i = 0; i < Size::first; ++i) v[i] = at[(place.n + Size::part * i) * pitch];
      columns_forth(v, numbers, job.turns[1], place, [&](int row, Complex<T>* from) {
        Complex<T> w[last_step<Size>];
        last_step_forth<Size>(w, from);
#pragma unroll
        for (int i = 0; i < last_step<Size>; ++i) at[(row + i) * pitch] = w[i];
      });
    } else {
      fetch_back<Size>(numbers, at, pitch, place, [](Complex<T>(&)[last_step<Size>], int) {});
      columns_back(v, numbers, job.turns[1], place);
#pragma unroll
      for (int i = 0; i < Size::first; ++i) at[(place.n + Size::part * i) * pitch] = v[i];
    }
  });
}

/// Rows where they lie, from `first` on of those of one row of the tiles after the other: a row for each of the block's y.
template <int First, int Third, FftPurpose Purpose, class T>
__device__ __forceinline__ void rows_of_tiles(const FftPassArguments<T>& job, const FftTilesToDo<T>& tiles, unsigned first, Complex<T>* numbers,
                                              [[maybe_unused]] Complex<T>* spectrum) {
  using Size = FftLineSize<T, Third, First>;
  const unsigned all = static_cast<unsigned>(job.outer * job.middle), count = Purpose == FftPurpose::again ? tiles.count : job.tiles_here;
  const unsigned work = first + threadIdx.y;
  const unsigned row = work / count, n = work - row * count;
  const unsigned tile = Purpose == FftPurpose::again ? tiles.tile(n) : n;
  // Threads beyond the last row, and of tiles that are done, wait with the others.
  bool is_there = row < all;
  if constexpr (Purpose == FftPurpose::again) {
    is_there = is_there && tiles.has_work(tile);
    if (__syncthreads_or(is_there ? 1 : 0) == 0) return;
  }
  Complex<T>* const at = job.numbers + (std::int64_t{tile} * all + row) * Size::length + threadIdx.x;
  Complex<T> v[First];
  if (is_there) {
#pragma unroll
    for (int i = 0; i < First; ++i) v[i] = at[Size::threads * i];
  }
  line_forth<T, Third>(v, numbers, job.turns[2]);
  const std::int64_t place = std::int64_t{row} * Size::length + threadIdx.x;
  if constexpr (Purpose == FftPurpose::spectrum) {
    const T one_of = T(1) / (static_cast<T>(all) * Size::length);
    if (!is_there) return;
#pragma unroll
    for (int i = 0; i < First; ++i) spectrum[place + Size::threads * i] = {v[i].x * one_of, v[i].y * one_of};
  } else {
    if (is_there) {
#pragma unroll
      for (int i = 0; i < First; ++i) v[i] = v[i] * ldg(job.spectrum + place + Size::threads * i);
    }
    line_back<T, Third>(v, numbers, job.turns[2]);
    if (!is_there) return;
#pragma unroll
    for (int i = 0; i < First; ++i) at[Size::threads * i] = v[i];
  }
}

template <class T, int First, int Third, FftPurpose Purpose>
__global__ void __launch_bounds__(First * Third < 128 ? 192 : First * Third)
    fft_rows_kernel(const __grid_constant__ FftPassArguments<T> job, Complex<T>* spectrum) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared + threadIdx.y * FftLineSize<T, Third, First>::shared_bytes);
  const FftTilesToDo<T> tiles(job);
  unsigned first = blockIdx.x * blockDim.y;
  if constexpr (Purpose != FftPurpose::again) {
    rows_of_tiles<First, Third, Purpose>(job, tiles, first, numbers, spectrum);
  } else {
#pragma unroll 1
    for (const unsigned all = static_cast<unsigned>(job.outer * job.middle) * tiles.count; first < all; first += gridDim.x * blockDim.y) {
      rows_of_tiles<First, Third, Purpose>(job, tiles, first, numbers, spectrum);
      __syncthreads();
    }
  }
}

template <class T, int First, int Second, int Third>
FftColumnKernels<T> fft_columns() {
  using Size = FftColumnSize<T, First, Second, Third>;
  FftColumnKernels<T> kernels{.first = First, .second = Second, .third = Third, .length = Size::length, .columns = Size::columns,
                              .threads = Size::threads, .shared_bytes = Size::shared_bytes};
  kernels.forth = {fft_forth_kernel<T, Size, false, false>, fft_forth_kernel<T, Size, false, true>};
  kernels.back = {fft_back_kernel<T, Size, false, false>, fft_back_kernel<T, Size, false, true>};
  kernels.middle_forth = {fft_middle_kernel<T, Size, -1, false>, fft_middle_kernel<T, Size, -1, true>};
  kernels.middle_back = {fft_middle_kernel<T, Size, 1, false>, fft_middle_kernel<T, Size, 1, true>};
  if constexpr ((Size::length & (Size::length - 1)) == 0) {
    kernels.signal_forth = {fft_forth_kernel<T, Size, true, false>, fft_forth_kernel<T, Size, true, true>};
    kernels.signal_back = {fft_back_kernel<T, Size, true, false>, fft_back_kernel<T, Size, true, true>};
  }
  return kernels;
}

template <class T, int First, int Third>
FftRowKernels<T> fft_rows() {
  using Size = FftLineSize<T, Third, First>;
  constexpr int together = Size::threads < 128 ? 192 / Size::threads : 1;
  FftRowKernels<T> kernels{.first = First, .third = Third, .length = Size::length, .threads = Size::threads, .together = together,
                           .shared_bytes = Size::shared_bytes};
  kernels.filter = {fft_rows_kernel<T, First, Third, FftPurpose::filter>, fft_rows_kernel<T, First, Third, FftPurpose::again>};
  kernels.spectrum = fft_rows_kernel<T, First, Third, FftPurpose::spectrum>;
  return kernels;
}

}  // namespace halation::cuda_backend
