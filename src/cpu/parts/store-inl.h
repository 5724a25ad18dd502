// store-inl.h: vectors of pixels, and how they go to memory, for each instruction set. Included within the namespace of a target.

/// Past the caches if it may go there, and fills the 16 bytes that Highway writes there at least.
template <class D, class V>
HWY_INLINE void put(D d, V pixels, hn::TFromD<D>* to, bool streams) {
  const std::size_t bytes = hn::Lanes(d) * sizeof(*to);
  if (bytes >= 16 && streams && reinterpret_cast<std::uintptr_t>(to) % bytes == 0) {
    hn::Stream(pixels, d, to);
  } else {
    hn::StoreU(pixels, d, to);
  }
}

#if HWY_TARGET == HWY_AVX3
/// Two vectors of whole numbers of 16 bits as one of bytes: joined within blocks of 128 bits, which are put in order then.
HWY_INLINE hn::Vec512<std::uint8_t> joined_bytes(hn::Vec512<std::int16_t> low, hn::Vec512<std::int16_t> high) {
  const __m512i mixed = _mm512_packus_epi16(low.raw, high.raw);
  return hn::Vec512<std::uint8_t>{_mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), mixed)};
}
#endif
