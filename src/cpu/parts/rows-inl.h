// rows-inl.h: pixels to lines of sums and back, for each instruction set. Included by parts/kernels.cpp once a target.

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Half precision is exact in hardware only; Highway's emulation cuts off instead of rounding, and knows no NaN and infinity.
template <class T>
constexpr bool converts_exactly = !std::is_same_v<T, f16> || HWY_TARGET <= HWY_AVX2 || HWY_TARGET == HWY_NEON;

/// Whether sums become elements of type T a vector at a time: half precision of f64 would be rounded twice.
template <class T, class Sum>
constexpr bool by_vectors = std::is_same_v<Sum, float> ? converts_exactly<T> : !std::is_same_v<T, f16>;

/// One vector of elements of type T as sums.
template <class T, class Sum>
HWY_INLINE void promote_vector(const T* from, Sum* to) {
  const hn::ScalableTag<Sum> d;
  if constexpr (std::is_same_v<T, f16>) {
    const hn::Rebind<hwy::float16_t, decltype(d)> d_half;
    const hn::Rebind<float, decltype(d)> d_single;
    const auto single = hn::PromoteTo(d_single, hn::LoadU(d_half, reinterpret_cast<const hwy::float16_t*>(from)));
    if constexpr (std::is_same_v<Sum, double>) {
      hn::StoreU(hn::PromoteTo(d, single), d, to);
    } else {
      hn::StoreU(single, d, to);
    }
  } else {
    const hn::Rebind<T, decltype(d)> d_narrow;
    const hn::Rebind<std::int32_t, decltype(d)> d_int;
    const auto elements = hn::LoadU(d_narrow, from);
    if constexpr (std::is_same_v<T, float>) {
      hn::StoreU(hn::PromoteTo(d, elements), d, to);
    } else if constexpr (std::is_same_v<Sum, double>) {
      hn::StoreU(hn::PromoteTo(d, hn::PromoteTo(d_int, elements)), d, to);
    } else {
      hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(d_int, elements)), d, to);
    }
  }
}

/// n elements of type T, one after another, as sums.
template <class T, class Sum>
void promote(const T* from, Sum* to, std::int64_t n) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<Sum>()));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) promote_vector(from + i, to + i);
  if constexpr (std::is_same_v<T, f16>) {  // one by one they take a function each
    if (i == n) return;
    std::array<f16, line_slack> part{};
    std::array<Sum, line_slack> sums;
    std::copy_n(from + i, n - i, part.data());
    promote_vector(part.data(), sums.data());
    std::copy_n(sums.data(), n - i, to + i);
  } else {
    for (; i < n; ++i) to[i] = static_cast<Sum>(from[i]);
  }
}

template <class T, class Sum>
void load(const std::byte* from, std::int64_t stride_bytes, Sum* to, std::int64_t n) {
  const auto element = [&](std::int64_t i) { return *reinterpret_cast<const T*>(from + i * stride_bytes); };
  if (stride_bytes == static_cast<std::int64_t>(sizeof(T))) {
    const auto* packed = reinterpret_cast<const T*>(from);
    if constexpr (std::is_same_v<T, Sum>) {
      copy_bytes(packed, to, n * static_cast<std::int64_t>(sizeof(T)));
    } else if constexpr (converts_exactly<T>) {
      promote(packed, to, n);
    } else {
      for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<Sum>(packed[i]);
    }
  } else if constexpr (std::is_same_v<T, f16> && converts_exactly<T>) {
    std::array<f16, 4 * line_slack> part;
    constexpr auto size = static_cast<std::int64_t>(part.size());
    for (std::int64_t begin = 0; begin < n; begin += size) {
      const std::int64_t count = std::min(size, n - begin);
      for (std::int64_t i = 0; i < count; ++i) part[static_cast<std::size_t>(i)] = element(begin + i);
      promote(part.data(), to + begin, count);
    }
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<Sum>(element(i));
  }
}

#if HWY_TARGET == HWY_AVX3
/// Whole numbers without a sign as elements of type T, the largest where they are larger.
template <class T>
HWY_INLINE void put_saturated(__m512i whole, T* to) {
  if constexpr (sizeof(T) == 1) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtusepi32_epi8(whole));
  } else {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtusepi32_epi16(whole));
  }
}
template <class T>
HWY_INLINE void put_saturated(__m256i whole, T* to) {
  if constexpr (sizeof(T) == 1) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm256_cvtusepi32_epi8(whole));
  } else {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtusepi32_epi16(whole));
  }
}

/// Rounded to whole numbers without a sign; 0 where negative or NaN (of which _max_ takes the other), the largest where larger.
HWY_INLINE __m512i rounded(hn::Vec512<float> value, Rounding rounding) {
  const __m512 positive = _mm512_max_ps(value.raw, _mm512_setzero_ps());
  return rounding == Rounding::half_even ? _mm512_cvtps_epu32(positive) : _mm512_cvttps_epu32(positive);
}
HWY_INLINE __m256i rounded(hn::Vec512<double> value, Rounding rounding) {
  const __m512d positive = _mm512_max_pd(value.raw, _mm512_setzero_pd());
  return rounding == Rounding::half_even ? _mm512_cvtpd_epu32(positive) : _mm512_cvttpd_epu32(positive);
}
#endif

/// One vector of sums, scaled, as elements of type T.
template <class T, class D, class V>
HWY_INLINE void demote(D d, V value, Rounding rounding, T* to) {
  using Sum = hn::TFromD<D>;
  if constexpr (std::is_same_v<T, Sum>) {
    hn::StoreU(value, d, to);
  } else if constexpr (std::is_same_v<T, float>) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
    // DemoteTo makes the largest number of what is infinite, or becomes so.
    HWY_ALIGN Sum sums[hn::MaxLanes(D())];
    hn::Store(value, d, sums);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) to[i] = static_cast<float>(sums[i]);
#else
    const hn::Rebind<float, D> d_narrow;
    hn::StoreU(hn::DemoteTo(d_narrow, value), d_narrow, to);
#endif
  } else if constexpr (std::is_same_v<T, f16>) {
    const hn::Rebind<hwy::float16_t, D> d_half;
    hn::StoreU(hn::DemoteTo(d_half, value), d_half, reinterpret_cast<hwy::float16_t*>(to));
#if HWY_TARGET == HWY_AVX3
  } else if constexpr (std::is_unsigned_v<T>) {
    put_saturated(rounded(value, rounding), to);
#endif
  } else {
    const hn::Rebind<T, D> d_narrow;
    if constexpr (std::is_unsigned_v<T>) {
      value = hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), value);  // NaN becomes 0 as well
    } else {
      value = hn::IfThenElseZero(hn::Eq(value, value), value);  // NaN becomes 0
      value = hn::Max(value, hn::Set(d, static_cast<Sum>(std::numeric_limits<T>::min())));
    }
    value = hn::Min(value, hn::Set(d, static_cast<Sum>(std::numeric_limits<T>::max())));
    if constexpr (std::is_same_v<Sum, double>) {
      if (rounding == Rounding::half_even) value = hn::Round(value);
      hn::StoreU(hn::DemoteTo(d_narrow, hn::DemoteTo(hn::Rebind<std::int32_t, D>(), value)), d_narrow, to);
    } else {
      const hn::RebindToSigned<D> d_int;
      const auto whole = rounding == Rounding::half_even ? hn::NearestInt(value) : hn::ConvertTo(d_int, value);
      hn::StoreU(hn::DemoteTo(d_narrow, whole), d_narrow, to);
    }
  }
}

template <class T, class Sum>
void store(const Sum* from, const Finish& finish, std::byte* to, std::int64_t stride_bytes, std::int64_t n) {
  if constexpr (std::is_same_v<T, Sum>) {
    if (finish.scale == 1 && finish.offset == 0) {  // bits as they are, also of numbers that sums take as 0
      if (stride_bytes == static_cast<std::int64_t>(sizeof(T))) return copy_bytes(from, to, n * static_cast<std::int64_t>(sizeof(T)));
      for (std::int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(to + i * stride_bytes) = from[i];
      return;
    }
  }
  if constexpr (by_vectors<T, Sum>) {
    const hn::ScalableTag<Sum> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto scale = hn::Set(d, static_cast<Sum>(finish.scale));
    const auto offset = hn::Set(d, static_cast<Sum>(finish.offset));
    const auto value_at = [&](std::int64_t i) { return hn::MulAdd(scale, hn::LoadU(d, from + i), offset); };
    std::int64_t i = 0;
    if (stride_bytes == static_cast<std::int64_t>(sizeof(T))) {
      auto* packed = reinterpret_cast<T*>(to);
      // A loop for each rounding, without a test in it.
      if (finish.rounding == Rounding::half_even) {
        for (; i + lanes <= n; i += lanes) demote(d, value_at(i), Rounding::half_even, packed + i);
      } else {
        for (; i + lanes <= n; i += lanes) demote(d, value_at(i), Rounding::truncate, packed + i);
      }
    }
    for (; i < n; i += lanes) {
      std::array<T, line_slack> part;
      demote(d, value_at(i), finish.rounding, part.data());  // may read the line's slack
      for (std::int64_t k = 0; k < std::min(lanes, n - i); ++k) {
        *reinterpret_cast<T*>(to + (i + k) * stride_bytes) = part[static_cast<std::size_t>(k)];
      }
    }
  } else {
    const auto scale = static_cast<Sum>(finish.scale);
    const auto offset = static_cast<Sum>(finish.offset);
    for (std::int64_t i = 0; i < n; ++i) {
      const Sum value = scale * from[i] + offset;
      *reinterpret_cast<T*>(to + i * stride_bytes) = to_element<T>(static_cast<double>(value), finish.rounding);
    }
  }
}

/// By products with 0, which are NaN where a number is not finite.
template <class Sum>
bool all_finite(const Sum* from, std::int64_t n) {
  const hn::ScalableTag<Sum> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  auto first = zero, second = zero;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    first = hn::MulAdd(hn::LoadU(d, from + i), zero, first);
    second = hn::MulAdd(hn::LoadU(d, from + i + lanes), zero, second);
  }
  if (!hn::AllTrue(d, hn::Eq(hn::Add(first, second), zero))) return false;
  return std::all_of(from + i, from + n, [](Sum number) { return std::isfinite(number); });
}

template <class Sum>
void add_squares(const Sum* from, double* squares, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto value = static_cast<double>(from[i]);
    squares[i] += value * value;
  }
}

template <class Sum>
void roots(const double* squares, Sum* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<Sum>(std::sqrt(squares[i]));
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
