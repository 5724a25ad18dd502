// row-inl.h: sums of windows along a row in one pass, which stay in registers: each vector of samples is loaded once, and
// what a window reads of the next vectors is shifted out of two. For instruction sets that do so in one instruction or two (shift-inl.h).
// Included once a target.

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "cpu/parts/store-inl.h"

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
/// The vector from sample `Offset` of vectors one after another on.
template <int Offset, class V>
HWY_INLINE V window_at(const V* vectors) {
  constexpr int lanes = static_cast<int>(HWY_MAX_BYTES / sizeof(hn::TFromV<V>));
  if constexpr (Offset % lanes == 0) {
    return vectors[Offset / lanes];
  } else {
    return shifted<Offset % lanes>(vectors[Offset / lanes + 1], vectors[Offset / lanes]);
  }
}

/// Shorter windows that one of so many taps is joined from; none up to 4 taps, which are added one by one.
constexpr int windows_of(int taps) {
  if (taps <= 4) return 0;
  const auto additions = [](auto self, int k) -> int {
    if (k <= 4) return k - 1;
    return std::min(self(self, k / 2) + 1 + k % 2, self(self, k / 3) + 2 + k % 3);
  };
  return additions(additions, taps / 2) + 1 + taps % 2 < additions(additions, taps / 3) + 2 + taps % 3 ? 2 : 3;
}

/// Sums of windows of `Taps` samples, a vector at a time, some vectors behind the samples that are handed in.
template <int Taps, class V>
class SlidingSum {
  static constexpr int lanes = static_cast<int>(HWY_MAX_BYTES / sizeof(hn::TFromV<V>));
  static constexpr int windows = windows_of(Taps);
  static constexpr int shorter = windows > 0 ? Taps / windows : 1;
  static constexpr int joined = windows * shorter;
  static constexpr int singles = Taps - joined;
  static constexpr int vectors_ahead(int offset) { return (offset + lanes - 1) / lanes; }
  using Shorter = SlidingSum<windows == 0 ? 1 : shorter, V>;
  static constexpr int lag_of_windows = windows > 0 ? Shorter::lag + vectors_ahead(joined - shorter) : 0;
  static constexpr int lag_of_singles = singles > 0 ? vectors_ahead(Taps - 1) : 0;

 public:
  /// Vectors of samples that are needed beyond the vector whose sums are made.
  static constexpr int lag = std::max(lag_of_windows, lag_of_singles);

  HWY_INLINE V next(V samples) {
    V sum = samples;
    if constexpr (windows > 0) {
      push<lag - Shorter::lag>(shorter_sums_, shorter_.next(samples));
      sum = hn::Add(shorter_sums_[0], window_at<shorter>(shorter_sums_));
      if constexpr (windows == 3) sum = hn::Add(sum, window_at<2 * shorter>(shorter_sums_));
    }
    if constexpr (singles > 0) {
      push<lag>(samples_, samples);
      sum = windows > 0 ? hn::Add(sum, window_at<joined>(samples_)) : samples_[0];
      if constexpr (singles > 1) sum = hn::Add(sum, window_at<joined + 1>(samples_));
      if constexpr (singles > 2) sum = hn::Add(sum, window_at<joined + 2>(samples_));
      if constexpr (singles > 3) sum = hn::Add(sum, window_at<joined + 3>(samples_));
    }
    return sum;
  }

 private:
  /// Indices known to the code keep the vectors in registers.
  template <int Last, int At = 0>
  static HWY_INLINE void push(V* vectors, V vector) {
    if constexpr (At < Last) {
      vectors[At] = vectors[At + 1];
      push<Last, At + 1>(vectors, vector);
    } else {
      vectors[Last] = vector;
    }
  }

  V samples_[lag + 1] = {};
  V shorter_sums_[lag + 1] = {};
  Shorter shorter_;
};

/// A sample is its own window.
template <class V>
class SlidingSum<1, V> {
 public:
  static constexpr int lag = 0;
  HWY_INLINE V next(V samples) { return samples; }
};

/// The first so many lanes, none or all where there are fewer or more.
template <class D>
HWY_INLINE hn::Mask<D> first_lanes(D d, std::int64_t count) {
  return hn::FirstN(d, static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, static_cast<std::int64_t>(hn::Lanes(d)))));
}

template <int Taps, class T>
void box_row(const BoxRow<T>& job) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const V weight = hn::Set(d, job.weight);
  const T* HWY_RESTRICT samples = job.samples;
  T* HWY_RESTRICT out = job.out;
  const std::int64_t count = job.n + Taps - 1;
  // Past the caches go whole cache lines: of one that is written half so and half not the first half has to be there before the other.
  constexpr std::int64_t line = line_elements<T>;
  const std::int64_t first = (line - elements_behind_line(out)) % line;
  const std::int64_t last = job.streams ? first + (job.n - first) / line * line : 0;
  constexpr auto lag = SlidingSum<Taps, V>::lag;
  SlidingSum<Taps, V> window;
  std::int64_t from = 0;
  const auto next_of_some = [&]() HWY_ATTR {
    const V some = hn::MaskedLoad(first_lanes(d, count - from), d, samples + from);
    from += lanes;
    return window.next(hn::Mul(weight, some));
  };
  for (int i = 0; i < lag; ++i) next_of_some();
  std::int64_t i = 0;
  for (; i + lanes <= job.n && from + lanes <= count; i += lanes, from += lanes) {
    put(d, window.next(hn::Mul(weight, hn::LoadU(d, samples + from))), out + i, i >= first && i < last);
  }
  for (; i < job.n; i += lanes) {
    const V sums = next_of_some();
    if (i + lanes <= job.n) {
      put(d, sums, out + i, i >= first && i < last);
    } else {
      hn::BlendedStore(sums, first_lanes(d, job.n - i), d, out + i);
    }
  }
}

template <class T, int... Taps>
std::array<void (*)(const BoxRow<T>&), most_row_taps + 1> box_rows_of(std::integer_sequence<int, Taps...>) {
  return {nullptr, nullptr, box_row<Taps + 2, T>...};
}
#endif

/// By taps; null where there is none.
template <class T>
std::array<void (*)(const BoxRow<T>&), most_row_taps + 1> make_box_rows() {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return box_rows_of<T>(std::make_integer_sequence<int, most_row_taps - 1>());
#else
  return {};
#endif
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
