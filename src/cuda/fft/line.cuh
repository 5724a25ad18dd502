// line.cuh: a stretch of a row in, its transform, times the filter's, back, its outputs out.
#pragma once

#include <type_traits>

#include "cuda/fft/kernels.cuh"
#include "cuda/fft/own_box.cuh"
#include "cuda/fft/samples.cuh"
#include "cuda/fft/steps/line_steps.cuh"

namespace halation::cuda_backend {

/// Where samples of a stretch of a row come from.
template <class T, int A, int Bytes>
class FftLineInput {
 public:
  __device__ FftLineInput(const FftArguments<T>& job, const FftPlace& place) : axis_(job.borders[2]), pixel_(job.in_pixel), step_(job.in_strides.width) {
    const std::int64_t z = job.borders[0].source(place.z + job.lead[0]);
    const std::int64_t y = job.borders[1].source(place.y + job.lead[1]);
    first_ = place.x + job.lead[2] + static_cast<int>(threadIdx.x);
    outside_ = static_cast<T>(z < 0 ? job.borders[0].constant : y < 0 ? job.borders[1].constant : axis_.constant);
    row_ = z < 0 || y < 0 ? nullptr : place.in + z * job.in_strides.depth + y * job.in_strides.height;
    const std::int64_t begin = place.x + job.lead[2];
    inside_ = row_ != nullptr && begin >= 0 && begin + 2 * FftLineSize<T, A>::length <= axis_.n;
  }

  /// Whether all samples are the image's.
  __device__ bool is_inside() const { return inside_; }
  /// Samples 16 · A apart from the thread's first on and, as imaginary parts, those `length` further.
  __device__ __forceinline__ void load(Complex<T> (&to)[16]) const {
    constexpr int step = 16 * A, half = FftLineSize<T, A>::length;
    if (!inside_ && !NearBorder(axis_).holds) {
      load_one_by_one(to, [&](int i, bool is_far) {
        return sample_at(row_, step_, pixel_, axis_, first_ + i * step + (is_far ? half : 0), outside_, outside_);
      });
      return;
    }
    Bits<T> real[16], imaginary[16];
    unsigned outside = 0;
    if (inside_) {
      const std::byte* const from = row_ + first_ * step_;
      const auto load_all = [&](auto bytes) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
          real[i] = load_plain<Bytes, T>(from + i * step * bytes);
          imaginary[i] = load_plain<Bytes, T>(from + (i * step + half) * bytes);
        }
      };
      // Places that the compiler knows take neither instructions nor registers.
      if (step_ == Bytes) load_all(std::integral_constant<int, Bytes>{});
      else load_all(step_);
    } else {
      const NearBorder near(axis_);
      const int first = static_cast<int>(first_);
      int places[32];
#pragma unroll
      for (int i = 0; i < 32; ++i) places[i] = row_ == nullptr ? -1 : near.source(first + i % 16 * step + i / 16 * half);
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        load_bits<Bytes>(real[i], row_ + places[i] * step_, places[i] >= 0);
        load_bits<Bytes>(imaginary[i], row_ + places[i + 16] * step_, places[i + 16] >= 0);
        outside |= (places[i] < 0 ? 1U : 0U) << i | (places[i + 16] < 0 ? 1U : 0U) << (i + 16);
      }
    }
    with_element<Bytes>(pixel_, [&](auto element) {
#pragma unroll
      for (int i = 0; i < 16; ++i) to[i] = {number_of<decltype(element), T>(real[i]), number_of<decltype(element), T>(imaginary[i])};
    });
    if (outside == 0) return;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if ((outside >> i & 1) != 0) to[i].x = outside_;
      if ((outside >> (i + 16) & 1) != 0) to[i].y = outside_;
    }
  }

 private:
  DeviceBorder axis_;
  Pixel pixel_;
  std::int64_t step_, first_;
  const std::byte* row_;
  T outside_;
  bool inside_;
};

/// A stretch's transform times the filter's, and back.
template <class T, int A>
__device__ __forceinline__ void line_back_of_product(const FftArguments<T>& job, Complex<T> (&v)[16], Complex<T>* numbers) {
  const int t = thread_now();
#pragma unroll
  for (int i = 0; i < 16; ++i) v[i] = v[i] * ldg(job.spectrum + FftLineSize<T, A>::threads * i + t);
  line_back<T, A>(v, numbers, job.roots);
  turn_packed<-1>(v);
}

/// A stretch's outputs, by the sample that their filter ends at.
template <class T, int A>
struct FftLineOutput {
  static constexpr int samples = 2 * FftLineSize<T, A>::length;
  const FftArguments<T>& job;
  int begin, end;
  std::byte* out;  ///< of the stretch's first sample
  std::int64_t bytes;

  __device__ FftLineOutput(const FftArguments<T>& arguments, const FftPlace& place) 
      : job(arguments), begin(samples - job.kept_x), bytes(job.out_strides.width) {
    const std::int64_t left = job.shape.width - place.x;
    end = begin + (left < job.kept_x ? static_cast<int>(left) : job.kept_x);
    out = place.out + place.y * job.out_strides.height + (place.x - begin) * job.out_strides.width;
  }
  /// Those of the thread, where is_wanted(sample).
  template <class IsWanted>
  __device__ __forceinline__ void put(const Complex<T> (&v)[16], const FftFinish<T>& finish, const IsWanted& is_wanted) const {
    const int t = thread_now();
    const auto kept = static_cast<unsigned>(end - begin);
    std::byte* const first = out + t * job.out_strides.width;
    const std::int64_t width = job.out_strides.width;
    with_pixel(job.out_pixel, [&](auto element) {
      using Out = decltype(element);
      const auto put_all = [&](auto bytes) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
          constexpr int half = samples / 2;
          const int n = 16 * A * i, far = n + half;
          if (static_cast<unsigned>(t + n - begin) < kept && is_wanted(t + n)) store_as<Out>(first + n * bytes, finish(v[i].x), job.rounding);
          if (static_cast<unsigned>(t + far - begin) < kept && is_wanted(t + far)) store_as<Out>(first + far * bytes, finish(v[i].y), job.rounding);
        }
      };
      if (width == static_cast<std::int64_t>(sizeof(Out))) put_all(std::integral_constant<int, static_cast<int>(sizeof(Out))>{});
      else put_all(width);
    });
  }
};

/// A stretch as own_box.cuh looks at it again.
template <class T, int A>
struct FftLineAgain {
  using Number = T;
  using Size = FftLineSize<T, A>;
  static constexpr int samples = 2 * Size::length;
  static constexpr int threads = Size::threads;
  using Map = MagnitudeMap<T, 1, samples, threads>;
  using Code = typename Map::Code;
  const FftArguments<T>& job;
  FftPlace place;
  TileSamples<T> row;
  FftLineOutput<T, A> output;

  __device__ FftLineAgain(const FftArguments<T>& arguments, unsigned tile)
      : job(arguments), place(place_of_tile(job, tile)), row(job, place, 2, 0, 0), output(job, place) {}

  __device__ Code* outputs() const { return reinterpret_cast<Code*>(job.maps) + std::int64_t{blockIdx.x} * samples; }
  template <class Use>
  __device__ __forceinline__ void for_each_sample(const Use& use) const {
    row.template for_each<samples / Size::threads>(static_cast<int>(threadIdx.x), Size::threads, use);
  }
  __device__ void spread() const { Map::spread(job.taps_x, false); }
  __device__ void join(RoundNorms<T>& norms) const { join_block<threads>(norms); }
  __device__ int least(int magnitude) const { return least_of_block(magnitude); }
  template <class Use>
  __device__ __forceinline__ void for_each_place(const Use& use) const {
    std::byte* to = output.out + static_cast<int>(threadIdx.x) * output.bytes;
    for (int place = static_cast<int>(threadIdx.x); place < samples; place += threads, to += threads * output.bytes)
      use(place, place >= output.begin && place < output.end, to);
  }
  template <class Product>
  __device__ T sum_of(int place, const Product& product) const {
    T sum = 0;
#pragma unroll 1
    for (int tap = 0; tap < job.taps_x; ++tap) sum += product(row.at(place - job.taps_x + 1 + tap), tap);
    return sum;
  }
  __device__ void transform(const RoundOfTile<T>& round) const {
    __syncthreads();
    auto* const numbers = reinterpret_cast<Complex<T>*>(block_memory());
    for_each_sample([&](int n, T x) {
      Complex<T>& to = numbers[n % Size::length];
      (n < Size::length ? to.x : to.y) = round(x);
    });
    Complex<T> v[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) v[i] = numbers[Size::threads * i + static_cast<int>(threadIdx.x)];
    __syncthreads();  // transforms pad the numbers in shared memory
    turn_packed<1>(v);
    line_forth<T, A>(v, numbers, job.roots);
    line_back_of_product<T, A>(job, v, numbers);
    if (job.whole) round_to_whole(v);
    if (round.no_negative) keep_from_below_zero(v);
    const Code* const magnitudes = outputs();
    output.put(v, FftFinish<T>{job, 1 / round.scale, true}, [&](int n) { return round.takes(magnitudes[n]); });
    __syncthreads();
  }
};

/// One stretch, or weights as a stretch of their own. What is left to the second launch is noted.
template <class T, int A, int Bytes, FftPurpose Purpose>
__device__ __forceinline__ void filter_line(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum_out) {
  using Size = FftLineSize<T, A>;
  constexpr int warps = Size::threads / 32;
  auto* const numbers = reinterpret_cast<Complex<T>*>(shared);
  const int t = static_cast<int>(threadIdx.x);
  const FftPlace place = place_of_tile(job, tile);
  const FftLineInput<T, A, Bytes> input(job, place);
  Complex<T> v[16];
  input.load(v);
  if constexpr (Purpose == FftPurpose::spectrum) {
    turn_packed<1>(v);
    line_forth<T, A>(v, numbers, job.roots);
    constexpr T one_of = T(1) / Size::length;
#pragma unroll
    for (int i = 0; i < 16; ++i) spectrum_out[Size::threads * i + t] = {v[i].x * one_of, v[i].y * one_of};
  } else {
    __shared__ TileNorms<T> of_warps[warps];
    __shared__ bool uneven;
    const FftGroups& groups = job.groups[input.is_inside() ? 0 : 1];
    T least = groups.lanes > 0 ? static_cast<T>(INFINITY) : T(0);  // of the sums over groups
    if (job.notes_odd) {
      TileNorms<T> norms;
      norms.add(v);
      if (groups.lanes > 0) {
        // Every fourth or second of a thread's samples, others than those of the warps beside it, so that all add up as many.
        const int warp = t / 32, first_part = warps > 2 ? warp % 4 : 2 * warp % 4;
#pragma unroll
        for (int part = 0; part < 4; ++part) {
          if (part != first_part && !(groups.all_turns && part == (first_part ^ 2))) continue;
          T q[8];
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            q[2 * j] = v[4 * j + part].x * v[4 * j + part].x;
            q[2 * j + 1] = v[4 * j + part].y * v[4 * j + part].y;
          }
          if (!input.is_inside()) {
            const NeededSamples needed(job.borders[2], place.x + job.lead[2], job.inside_only[2]);
#pragma unroll
            for (int k = 0; k < 8; ++k) {
              const int first = (t & -groups.lanes) + Size::threads * (k / 2 * 4 + part) + k % 2 * Size::length;
              if (!needed.hold(first, groups.lanes)) q[k] = static_cast<T>(INFINITY);
            }
          }
          least = fmin(least, least_of_groups(q, groups));
        }
      }
      norms.join_lanes();
      if (t % 32 == 0) of_warps[t / 32] = norms;
      if (t == 0) uneven = false;
    }
    turn_packed<1>(v);
    line_forth<T, A>(v, numbers, job.roots);
    bool no_negative = false;
    if (job.notes_odd) {
      const TileNorms<T> all = TileNorms<T>::of_block(of_warps);
      if (!all.are_usable(job)) {
        if (t == 0) note_tile(job, tile, TileState::odd);
        return;
      }
      no_negative = all.show_no_negative(job);
      if (!all.are_even(least, 2 * Size::length)) uneven = true;
    }
    line_back_of_product<T, A>(job, v, numbers);
    if (job.whole) round_to_whole(v);
    if (no_negative) keep_from_below_zero(v);
    if (job.notes_odd && t == 0) note_tile(job, tile, job.own_box && uneven ? TileState::good_where_strong : TileState::good);
    FftLineOutput<T, A>(job, place).put(v, FftFinish<T>{job, T(1), false}, [](int) { return true; });
  }
}

/// The size and what its kernels do.
template <class T, int A>
struct FftLine {
  using Size = FftLineSize<T, A>;
  static constexpr int height = 1, width = 2 * Size::length;
  using Again = FftLineAgain<T, A>;
  // Stretches of 32 samples begin 160 apart at most, or 96.
  static constexpr FftGroupsApart apart{143, 79};

  template <int Bytes, FftPurpose Purpose>
  __device__ __forceinline__ static void filter(const FftArguments<T>& job, unsigned tile, std::byte* shared, Complex<T>* spectrum) {
    filter_line<T, A, Bytes, Purpose>(job, tile, shared, spectrum);
  }
  __device__ __forceinline__ static void resolve(const FftArguments<T>& job, unsigned tile) {
    cuda_backend::resolve(FftLineAgain<T, A>(job, tile), job.odd_tiles[tile] == static_cast<std::uint8_t>(TileState::good_where_strong));
  }
};

template <class T, int A>
FftTileKernels<T> fft_line() {
  return fft_kernels<T, FftLine<T, A>>();
}

}  // namespace halation::cuda_backend
