// shift-inl.h: vectors shifted out of two, for each instruction set that does so in one instruction. Included once a target.

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
#endif

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
