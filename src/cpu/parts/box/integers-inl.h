// integers-inl.h: running sums of whole numbers and the pixels that they become, for each instruction set. Included once a
// target, after floats-inl.h.
//
// Sums of 16 bits are as many as a vector has, twice those of 32. Where they must be wider, for the sums or for the product
// with the factor, even and odd ones go separate ways, which takes a mask and a shift, and come together as 16 bits again.

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "cpu/parts/multiplier-inl.h"

template <class In, class Row>
void add_pixels(const In* from, Row* sums, std::int64_t n) {
  const hn::ScalableTag<Row> d;
  for (std::int64_t i = 0; i < n; i += static_cast<std::int64_t>(hn::Lanes(d))) {
    hn::Store(hn::Add(hn::Load(d, sums + i), load_as(d, from + i)), d, sums + i);
  }
}

#if HWY_TARGET == HWY_SCALAR

template <class T, class Row, class Sum>
void slide(const Slide<Row, Sum>& job) {
  auto* out = reinterpret_cast<T*>(job.out);
  for (std::int64_t i = 0; i < job.n; ++i) {
    const auto sum = static_cast<Sum>(job.sums[i] + job.newer[i]);
    job.sums[i] = static_cast<Sum>(sum - job.older[i]);
    if (out != nullptr) out[i] = to_element<T>(job.finish.factor * sum + job.finish.offset, job.finish.rounding);
  }
}

#else

/// factor · sum + offset, and as the whole number that T holds.
template <class D>
struct Finisher {
  D d{};
  hn::RebindToSigned<D> d_int{};
  hn::Vec<D> factor, offset;
  bool rounds;

  explicit Finisher(const IntegerFinish& finish)
      : factor(hn::Set(d, static_cast<float>(finish.factor))),
        offset(hn::Set(d, static_cast<float>(finish.offset))),
        rounds(finish.rounding == Rounding::half_even) {}

  /// f32.
  template <class V>
  HWY_INLINE hn::Vec<D> value(V sums) const {
    return hn::MulAdd(factor, hn::ConvertTo(d, sums), offset);
  }
  template <class T, class V>
  HWY_INLINE auto integer(V sums) const {
    auto clamped = hn::Max(value(sums), hn::Set(d, static_cast<float>(std::numeric_limits<T>::min())));
    clamped = hn::Min(clamped, hn::Set(d, static_cast<float>(std::numeric_limits<T>::max())));
    return rounds ? hn::NearestInt(clamped) : hn::ConvertTo(d_int, clamped);
  }
};

/// As whole numbers of 16 bits, to memory.
template <class T, class D, class V>
HWY_INLINE void put_sums16(D d, V values, T* to, bool streams) {
  if constexpr (sizeof(T) == 1) {
    const hn::Rebind<T, D> d_narrow;
    put(d_narrow, hn::DemoteTo(d_narrow, hn::BitCast(hn::RebindToSigned<D>(), values)), to, streams);
  } else {
    const hn::Rebind<T, D> d_same;
    put(d_same, hn::BitCast(d_same, values), to, streams);
  }
}

/// Sums at even and at odd places.
template <class T, class Finish, class V>
HWY_INLINE void put_pairs(const Finish& finish, V even, V odd, T* to, bool streams) {
  if constexpr (std::is_same_v<T, float>) {
    hn::StoreInterleaved2(finish.value(even), finish.value(odd), finish.d, to);
  } else {
    const auto low = finish.template integer<T>(even);
    const auto high = finish.template integer<T>(odd);
    const hn::Repartition<std::uint16_t, hn::DFromV<V>> d;
    const hn::RebindToUnsigned<hn::DFromV<V>> d_pair;
    const auto low_half = hn::And(hn::BitCast(d_pair, low), hn::Set(d_pair, 0xffff));
    put_sums16(d, hn::BitCast(d, hn::Or(low_half, hn::ShiftLeft<16>(hn::BitCast(d_pair, high)))), to, streams);
  }
}

template <class T, class V>
HWY_INLINE void put_pairs_f64(double factor, V even, V odd, T* to) {
  const hn::DFromV<V> d;
  HWY_ALIGN std::int32_t sums[2][line_slack];
  hn::Store(even, d, sums[0]);
  hn::Store(odd, d, sums[1]);
  for (std::size_t i = 0; i < 2 * hn::Lanes(d); ++i) {
    const std::int32_t sum = sums[i % 2][i / 2];
    to[i] = factor * sum;
  }
}

/// One vector of rows of 16 bits.
template <class T, class Finish, class D, class Sum>
HWY_INLINE void slide_pairs(const Slide<std::uint16_t, Sum>& job, const Finish& finish, D d, std::int64_t i, T* to) {
  const hn::Repartition<std::uint32_t, D> d_pair;
  const hn::RebindToSigned<decltype(d_pair)> d_int;
  const auto evens = [&](auto v) { return hn::BitCast(d_int, hn::And(hn::BitCast(d_pair, v), hn::Set(d_pair, 0xffff))); };
  const auto odds = [&](auto v) { return hn::BitCast(d_int, hn::ShiftRight<16>(hn::BitCast(d_pair, v))); };
  const auto newer = hn::Load(d, job.newer + i);
  const auto older = hn::Load(d, job.older + i);
  const auto put_both = [&](auto even, auto odd) {
    if constexpr (std::is_same_v<T, double>) {
      put_pairs_f64(job.finish.factor, even, odd, to);
    } else {
      put_pairs(finish, even, odd, to, job.streams);
    }
  };
  if constexpr (std::is_same_v<Sum, std::uint16_t>) {
    const auto sum = hn::Add(hn::Load(d, job.sums + i), newer);
    hn::Store(hn::Sub(sum, older), d, job.sums + i);
    if (to == nullptr) return;
    if constexpr (sizeof(T) == 1) {
      if (const Multiplier& by = job.finish.multiplier; by.multiplier != 0) {
        return put_sums16(d, multiplied(d, sum, by), to, job.streams);
      }
    }
    put_both(evens(sum), odds(sum));
  } else {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d_int));
    const auto even = hn::Add(hn::Load(d_int, job.sums + i), evens(newer));
    const auto odd = hn::Add(hn::Load(d_int, job.sums + i + lanes), odds(newer));
    hn::Store(hn::Sub(even, evens(older)), d_int, job.sums + i);
    hn::Store(hn::Sub(odd, odds(older)), d_int, job.sums + i + lanes);
    if (to != nullptr) put_both(even, odd);
  }
}

/// One vector of rows of 32 bits.
template <class T, class Finish, class D>
HWY_INLINE void slide_wide(const Slide<std::int32_t, std::int32_t>& job, const Finish& finish, D d, std::int64_t i, T* to) {
  const auto sum = hn::Add(hn::Load(d, job.sums + i), hn::Load(d, job.newer + i));
  hn::Store(hn::Sub(sum, hn::Load(d, job.older + i)), d, job.sums + i);
  if (to == nullptr) return;
  if constexpr (std::is_same_v<T, double>) {
    HWY_ALIGN std::int32_t sums[line_slack];
    hn::Store(sum, d, sums);
    for (std::size_t k = 0; k < hn::Lanes(d); ++k) to[k] = job.finish.factor * sums[k];
  } else if constexpr (std::is_same_v<T, float>) {
    hn::StoreU(finish.value(sum), finish.d, to);
  } else {
    const hn::Rebind<T, D> d_narrow;
    put(d_narrow, hn::DemoteTo(d_narrow, finish.template integer<T>(sum)), to, job.streams);
  }
}

template <class T, class Row, class Sum>
void slide(const Slide<Row, Sum>& job) {
  const hn::ScalableTag<Row> d;
  const Finisher<hn::ScalableTag<float>> finish(job.finish);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto at = [&](const Slide<Row, Sum>& part, std::int64_t i, T* to) {
    if constexpr (sizeof(Row) == 2) {
      slide_pairs(part, finish, d, i, to);
    } else {
      slide_wide(part, finish, d, i, to);
    }
  };
  auto* out = reinterpret_cast<T*>(job.out);
  std::int64_t i = 0;
  if (out == nullptr) {
    for (; i < job.n; i += lanes) at(job, i, nullptr);
    return;
  }
  for (; i + lanes <= job.n; i += lanes) at(job, i, out + i);
  if (i == job.n) return;
  HWY_ALIGN T part[2 * line_slack];
  Slide<Row, Sum> last = job;
  last.streams = false;
  at(last, i, part);
  std::copy_n(part, job.n - i, out + i);
}

#endif  // HWY_TARGET

#if HWY_TARGET == HWY_AVX3
/// Two vectors of sums at a time, which are one of bytes.
template <int Taps>
void slide_row(const SlideRow& job) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::Half<hn::ScalableTag<std::uint8_t>> d_in;
  const hn::ScalableTag<std::uint8_t> d_out;
  const hn::RebindToSigned<decltype(d)> d_signed;
  using V = hn::Vec<decltype(d)>;
  constexpr std::int64_t lanes = 32;
  constexpr auto lag = SlidingSum<Taps, V>::lag;
  const std::uint8_t* HWY_RESTRICT newer = job.newer;
  const std::uint8_t* HWY_RESTRICT older = job.older;
  std::uint16_t* HWY_RESTRICT columns = job.columns;
  std::uint8_t* HWY_RESTRICT out = job.out;
  const Multiplier by = job.by;
  const std::int64_t count = job.n + Taps - 1;
  SlidingSum<Taps, V> window;
  std::int64_t from = 0;
  const auto next = [&](auto load) HWY_ATTR {
    const V sums = hn::Add(hn::Load(d, columns + from), hn::PromoteTo(d, load(newer + from)));
    hn::Store(hn::Sub(sums, hn::PromoteTo(d, load(older + from))), d, columns + from);
    from += lanes;
    return window.next(sums);
  };
  const auto next_of_all = [&]() HWY_ATTR { return next([&](const std::uint8_t* at) HWY_ATTR { return hn::LoadU(d_in, at); }); };
  const auto next_of_some = [&]() HWY_ATTR {
    const auto some = first_lanes(d_in, count - from);
    return next([&](const std::uint8_t* at) HWY_ATTR { return hn::MaskedLoad(some, d_in, at); });
  };
  const auto bytes = [&](V low, V high) HWY_ATTR {
    return joined_bytes(hn::BitCast(d_signed, multiplied(d, low, by)), hn::BitCast(d_signed, multiplied(d, high, by)));
  };
  for (int i = 0; i < lag; ++i) next_of_some();
  std::int64_t i = 0;
  for (; i + 2 * lanes <= job.n && from + 2 * lanes <= count; i += 2 * lanes) {
    const V low = next_of_all();
    const V high = next_of_all();
    put(d_out, bytes(low, high), out + i, job.streams);
  }
  for (; i < job.n; i += 2 * lanes) {
    const V low = next_of_some();
    const V high = next_of_some();
    hn::BlendedStore(bytes(low, high), first_lanes(d_out, job.n - i), d_out, out + i);
  }
}

template <int... Taps>
std::array<void (*)(const SlideRow&), most_row_taps + 1> slide_rows_of(std::integer_sequence<int, Taps...>) {
  return {nullptr, slide_row<Taps + 1>...};
}
#endif

/// By taps; null where there is none.
template <class In, class Sum>
std::array<void (*)(const SlideRow&), most_row_taps + 1> make_slide_rows() {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(In) == 1 && sizeof(Sum) == 2) return slide_rows_of(std::make_integer_sequence<int, most_row_taps>());
#endif
  return {};
}

template <class In, class Row, class Sum>
BoxIntegerKernels<In, Row, Sum> make_box_integer_kernels() {
  return {.steps = make_box_steps<In, Row>(),
          .steps_of_sums = make_box_steps<Row, Row>(),
          .add = add_pixels<In, Row>,
          .slide = {slide<std::uint8_t, Row, Sum>, slide<std::uint16_t, Row, Sum>, slide<std::int16_t, Row, Sum>, nullptr,
                    slide<float, Row, Sum>, slide<double, Row, Sum>},
          .slide_rows = make_slide_rows<In, Sum>()};
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
