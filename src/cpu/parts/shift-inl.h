// shift-inl.h: vectors shifted out of two, for each instruction set that does so in one instruction or few. Included once a target.

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_AVX3
/// The vector that begins at sample `Shift` of the lower one and ends in the upper one.
template <int Shift>
HWY_INLINE hn::Vec512<float> shifted(hn::Vec512<float> upper, hn::Vec512<float> lower) {
  const __m512i both = _mm512_alignr_epi32(_mm512_castps_si512(upper.raw), _mm512_castps_si512(lower.raw), Shift);
  return hn::Vec512<float>{_mm512_castsi512_ps(both)};
}
template <int Shift>
HWY_INLINE hn::Vec512<double> shifted(hn::Vec512<double> upper, hn::Vec512<double> lower) {
  const __m512i both = _mm512_alignr_epi64(_mm512_castpd_si512(upper.raw), _mm512_castpd_si512(lower.raw), Shift);
  return hn::Vec512<double>{_mm512_castsi512_pd(both)};
}
/// Odd shifts go by blocks of 128 bits first, which those of one pair of vectors share.
template <int Shift>
HWY_INLINE hn::Vec512<std::uint16_t> shifted(hn::Vec512<std::uint16_t> upper, hn::Vec512<std::uint16_t> lower) {
  if constexpr (Shift % 2 == 0) {
    return hn::Vec512<std::uint16_t>{_mm512_alignr_epi32(upper.raw, lower.raw, Shift / 2)};
  } else {
    constexpr int blocks = Shift / 8;
    const __m512i low = blocks == 0 ? lower.raw : _mm512_alignr_epi64(upper.raw, lower.raw, 2 * blocks);
    const __m512i high = blocks == 3 ? upper.raw : _mm512_alignr_epi64(upper.raw, lower.raw, (2 * blocks + 2) % 8);
    return hn::Vec512<std::uint16_t>{_mm512_alignr_epi8(high, low, 2 * (Shift % 8))};
  }
}
#elif HWY_TARGET == HWY_AVX2
/// From byte `Shift` of the lower one on, by way of the two halves in the middle, which all shifts of one pair of vectors share.
template <int Shift>
HWY_INLINE __m256i shifted_bytes(__m256i upper, __m256i lower) {
  const __m256i middle = _mm256_permute2x128_si256(lower, upper, 0x21);
  if constexpr (Shift < 16) return _mm256_alignr_epi8(middle, lower, Shift);
  return _mm256_alignr_epi8(upper, middle, Shift % 16);
}
template <int Shift>
HWY_INLINE hn::Vec256<float> shifted(hn::Vec256<float> upper, hn::Vec256<float> lower) {
  const __m256i both = shifted_bytes<4 * Shift>(_mm256_castps_si256(upper.raw), _mm256_castps_si256(lower.raw));
  return hn::Vec256<float>{_mm256_castsi256_ps(both)};
}
template <int Shift>
HWY_INLINE hn::Vec256<double> shifted(hn::Vec256<double> upper, hn::Vec256<double> lower) {
  const __m256i both = shifted_bytes<8 * Shift>(_mm256_castpd_si256(upper.raw), _mm256_castpd_si256(lower.raw));
  return hn::Vec256<double>{_mm256_castsi256_pd(both)};
}
#endif

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
