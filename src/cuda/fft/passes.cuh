// passes.cuh: tiles beyond shared memory: transforms along one axis after the other, numbers in device memory between.
//
//   passes           forth along the outer axis (of pixels; packed as in fft.cu), [forth along the middle one,] rows forth, times the
//                    filter's spectrum and back, [back along the middle one,] back along the outer one into pixels
//   outer axis       z of volumes, else y; of signals every `width`-th sample: then row r, column c is sample r · width + c, and numbers are
//                    turned between columns and rows by e^(−2πi · c · (k − 1/4) / samples)
//   traffic          24 bytes a sample of a tile (f64 48), 40 with a middle axis, and the spectrum, which the tiles of a group share
//   odd tiles        as in fft.cu: a pass forth notes what it meets, and a second round does such tiles alone (reach.cuh)
//   source           D. H. Bailey, FFTs in External or Hierarchical Memory, 1990 (rows, columns and turns between)
#pragma once

#include "cuda/fft/pass_arguments.cuh"
#include "cuda/fft/steps/columns.cuh"
#include "cuda/fft/steps/line_steps.cuh"

namespace halation::cuda_backend {

/// A tile of a group, and where a block's columns lie in it: blockIdx.x tells which along x, blockIdx.z the row along the middle axis.
template <class T>
struct FftPassPlace {
  FftPlace tile;
  int middle = 0, x = 0;  ///< row along the middle axis and sample of it

  FftPassPlace() = default;
  __device__ FftPassPlace(const FftPassArguments<T>& job, int sample)
      : tile(place_of_tile(job, job.first_tile + blockIdx.y)), middle(static_cast<int>(blockIdx.z)), x(sample) {}
};

/// Where the samples of a column come from: those along its axis from `first` on.
template <class T>
struct FftColumnInput {
  const std::byte* from = nullptr;  ///< sample 0 of the axis; null where all lie outside along another axis
  std::int64_t stride, first;
  DeviceBorder axis;
  T beyond_axis, beyond_others;  ///< what lies outside

  __device__ FftColumnInput(const FftPassArguments<T>& job, const FftPassPlace<T>& place) {
    const std::int64_t z = place.tile.z + job.lead[0];
    const std::int64_t y = place.tile.y + job.lead[1] + (job.outer_axis == 0 ? place.middle : 0);
    const std::int64_t x = place.tile.x + job.lead[2] + place.x;
    std::int64_t others[3]{0, 0, 0};
    const int along = job.split ? 2 : job.outer_axis;
    if (along != 0) others[0] = job.borders[0].source(z);
    if (along != 1) others[1] = job.borders[1].source(y);
    if (along != 2) others[2] = job.borders[2].source(x);
    axis = job.borders[along];
    first = along == 0 ? z : along == 1 ? y : x;
    stride = along == 0 ? job.in_strides.depth : along == 1 ? job.in_strides.height : job.in_strides.width;
    // The first axis outside gives the constant.
    const int outside = others[0] < 0 ? 0 : others[1] < 0 ? 1 : others[2] < 0 ? 2 : 3;
    beyond_others = static_cast<T>(outside < 3 ? job.borders[outside].constant : 0);
    beyond_axis = outside < along ? beyond_others : static_cast<T>(axis.constant);
    if (outside < 3) return;
    from = place.tile.in + others[0] * job.in_strides.depth + others[1] * job.in_strides.height + others[2] * job.in_strides.width;
  }

  /// Samples first + begin + step · i and, as imaginary parts, those `far` further.
  template <int Count>
  __device__ __forceinline__ void load(Pixel pixel, std::int64_t begin, std::int64_t step, std::int64_t far, Complex<T> (&to)[Count]) const {
    const std::int64_t at = first + begin;
    with_bytes<T>(element_bytes(pixel), [&]<int Bytes>() {
      Bits<T> real[Count], imaginary[Count];
      unsigned real_outside = 0, imaginary_outside = 0;
      if (from != nullptr && at >= 0 && at + step * (Count - 1) + far < axis.n) {
        // Pointers that walk on: a product for each place costs four instructions, and registers.
        const std::byte* here = from + at * stride;
        const std::byte* there = here + far * stride;
        const std::int64_t each = step * stride;
#pragma unroll
        for (int i = 0; i < Count; ++i, here += each, there += each) {
          real[i] = load_plain<Bytes, T>(here);
          imaginary[i] = load_plain<Bytes, T>(there);
        }
      } else if (const NearBorder near(axis); near.holds) {
        const int near_at = static_cast<int>(at), near_step = static_cast<int>(step), near_far = static_cast<int>(far);
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          const int r = near.source(near_at + i * near_step), m = near.source(near_at + i * near_step + near_far);
          load_bits<Bytes>(real[i], from + r * stride, from != nullptr && r >= 0);
          load_bits<Bytes>(imaginary[i], from + m * stride, from != nullptr && m >= 0);
          real_outside |= (r < 0 ? 1U : 0U) << i;
          imaginary_outside |= (m < 0 ? 1U : 0U) << i;
        }
      } else {
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          const std::int64_t r = axis.source(at + i * step), m = axis.source(at + i * step + far);
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

/// Notes numbers that are not plain; in the second round takes out those that are not finite, and scales.
template <class T, int Count>
__device__ __forceinline__ void note_odd(const FftPassArguments<T>& job, Complex<T> (&v)[Count]) {
  if (job.odd == nullptr) return;
  std::uint32_t* const word = job.odd + blockIdx.y;
  if (!job.again) {
    bool plain = true;
#pragma unroll
    for (int i = 0; i < Count; ++i) plain = plain && is_plain(v[i].x) && is_plain(v[i].y);
    if (plain) return;
    const T largest = largest_of(v);
    int exponent = 0;
    frexp(largest, &exponent);
    const std::uint32_t note = is_plain(largest) ? 1 : 1 + static_cast<std::uint32_t>(exponent);
    if (*word < note) atomicMax(word, note);
    return;
  }
  scale_finite(v, scale_of_odd<T>(*word));
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

template <class T, class Size, bool Signal>
__global__ void __launch_bounds__(Size::threads, Size::blocks) fft_forth_kernel(const __grid_constant__ FftPassArguments<T> job) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  if (job.again && job.odd[blockIdx.y] == 0) return;
  const FftColumn<Size> place;
  const int x = static_cast<int>(blockIdx.x) * Size::columns + place.column;
  const int column = static_cast<int>(blockIdx.z) * job.width + x;
  Complex<T> v[Size::first];
  {
    const FftPassPlace<T> where(job, x);
    const FftColumnInput<T> input(job, where);
    const std::int64_t row = Signal ? job.width : 1;
    input.load(job.in_pixel, place.n * row, Size::part * row, Size::length * row, v);
  }
  note_odd(job, v);
  turn_packed<1>(v);
  const std::int64_t pitch = std::int64_t{job.middle} * job.width;
  Complex<T>* const to = job.numbers + blockIdx.y * (Size::length * pitch) + column;
  columns_forth(v, numbers, job.turns[0], place, [&](int row, Complex<T>* at) {
    Complex<T> w[last_step<Size>];
    last_step_forth<Size>(w, at);
    if constexpr (Signal) turn_signal<-1>(w, column, frequency_of<Size>(row), frequency_step<Size>, pitch * Size::length);
#pragma unroll
    for (int i = 0; i < last_step<Size>; ++i) to[(row + i) * pitch] = w[i];
  });
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

template <class T, class Size, bool Signal>
__global__ void __launch_bounds__(Size::threads, Size::blocks) fft_back_kernel(const __grid_constant__ FftPassArguments<T> job) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  if (job.again && job.odd[blockIdx.y] == 0) return;
  const FftColumn<Size> place;
  const int x_of_tile = static_cast<int>(blockIdx.x) * Size::columns + place.column;
  const int column = static_cast<int>(blockIdx.z) * job.width + x_of_tile;
  const FftPassPlace<T> where(job, x_of_tile);
  // A block's columns share their row along the middle axis, and the last is the one that may be put out.
  const std::int64_t y = where.tile.y + where.middle - job.skipped[1];
  if (job.outer_axis == 0 && (where.middle < job.skipped[1] || where.middle >= job.skipped[1] + job.kept_y || y >= job.shape.height)) return;
  if (!Signal && where.x - place.column + Size::columns <= job.skipped[2]) return;

  const std::int64_t pitch = std::int64_t{job.middle} * job.width;
  fetch_back<Size>(numbers, job.numbers + blockIdx.y * (Size::length * pitch) + column, pitch, place,
                   [&](Complex<T>(&w)[last_step<Size>], int row) {
                     if constexpr (Signal) turn_signal<1>(w, column, frequency_of<Size>(row), frequency_step<Size>, pitch * Size::length);
                   });
  Complex<T> v[Size::first];
  columns_back(v, numbers, job.turns[0], place);
  turn_packed<-1>(v);
  if (job.whole) round_to_whole(v);
  const FftFinish<T> finish{job, job.again ? 1 / scale_of_odd<T>(job.odd[blockIdx.y]) : T(1), job.again};
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
  with_pixel(job.out_pixel, [&](auto element) {
    using Out = decltype(element);
#pragma unroll
    for (int i = 0; i < Size::first; ++i) {
      const std::int64_t here = i * Size::part * row, far = Size::length * row;
      if (sample + here >= first && sample + here < end) store_as<Out>(out + here * stride, finish(v[i].x), job.rounding);
      if (sample + here + far >= first && sample + here + far < end) store_as<Out>(out + (here + far) * stride, finish(v[i].y), job.rounding);
    }
  });
}

/// Along the middle axis, in place: rows of one number along the outer axis, blockIdx.z.
template <class T, class Size, int Sign>
__global__ void __launch_bounds__(Size::threads, Size::blocks) fft_middle_kernel(const __grid_constant__ FftPassArguments<T> job) {
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  if (job.again && job.odd[blockIdx.y] == 0) return;
  const FftColumn<Size> place;
  const std::int64_t pitch = job.width;
  Complex<T>* const at = job.numbers + (std::int64_t{blockIdx.y} * job.outer + blockIdx.z) * (Size::length * pitch) +
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
}

/// Rows where they lie: row blockIdx.x · blockDim.y + threadIdx.y of those of one row of the tiles after the other.
template <class T, int First, int Third, bool IsSpectrum>
__global__ void __launch_bounds__(First * Third < 128 ? 192 : First * Third)
    fft_rows_kernel(const __grid_constant__ FftPassArguments<T> job, Complex<T>* spectrum) {
  using Size = FftLineSize<T, Third, First>;
  extern __shared__ __align__(16) std::byte shared[];
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared + threadIdx.y * Size::shared_bytes);
  const unsigned all = static_cast<unsigned>(job.outer * job.middle);
  const unsigned work = blockIdx.x * blockDim.y + threadIdx.y;
  const unsigned row = work / job.tiles_here, tile = work - row * job.tiles_here;
  // Threads beyond the last row, and of tiles that are not odd, wait with the others.
  const bool is_there = row < all && !(job.again && job.odd[tile] == 0);
  if (job.again && __syncthreads_or(is_there ? 1 : 0) == 0) return;
  Complex<T>* const at = job.numbers + (std::int64_t{tile} * all + row) * Size::length + threadIdx.x;
  Complex<T> v[First];
  if (is_there) {
#pragma unroll
    for (int i = 0; i < First; ++i) v[i] = at[Size::threads * i];
  }
  line_forth<T, Third>(v, numbers, job.turns[2]);
  const std::int64_t place = std::int64_t{row} * Size::length + threadIdx.x;
  if constexpr (IsSpectrum) {
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

template <class T, int First, int Second, int Third>
FftColumnKernels<T> fft_columns() {
  using Size = FftColumnSize<T, First, Second, Third>;
  FftColumnKernels<T> kernels{.first = First, .second = Second, .third = Third, .length = Size::length, .columns = Size::columns,
                              .threads = Size::threads, .shared_bytes = Size::shared_bytes};
  kernels.forth = fft_forth_kernel<T, Size, false>;
  kernels.back = fft_back_kernel<T, Size, false>;
  kernels.middle_forth = fft_middle_kernel<T, Size, -1>;
  kernels.middle_back = fft_middle_kernel<T, Size, 1>;
  if constexpr ((Size::length & (Size::length - 1)) == 0) {
    kernels.signal_forth = fft_forth_kernel<T, Size, true>;
    kernels.signal_back = fft_back_kernel<T, Size, true>;
  }
  return kernels;
}

template <class T, int First, int Third>
FftRowKernels<T> fft_rows() {
  using Size = FftLineSize<T, Third, First>;
  constexpr int together = Size::threads < 128 ? 192 / Size::threads : 1;
  FftRowKernels<T> kernels{.first = First, .third = Third, .length = Size::length, .threads = Size::threads, .together = together,
                           .shared_bytes = Size::shared_bytes};
  kernels.filter = fft_rows_kernel<T, First, Third, false>;
  kernels.spectrum = fft_rows_kernel<T, First, Third, true>;
  return kernels;
}

}  // namespace halation::cuda_backend
