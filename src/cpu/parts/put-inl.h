// put-inl.h: whole numbers of 16 bits as pixels, for each instruction set. Included within the namespace of a target.

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::ScalableTag<std::int16_t>;
using Pairs = hn::Vec<D16>;

inline constexpr std::int64_t lanes16 = HWY_MAX_BYTES / 2;

#include "cpu/parts/store-inl.h"

/// One vector of whole numbers of 16 bits, as pixels.
HWY_INLINE void put_16(Pairs values, std::int16_t* to, bool streams) { put(D16(), values, to, streams); }
HWY_INLINE void put_16(Pairs values, std::uint8_t* to, bool streams) {
  const hn::Half<D8> d;
  put(d, hn::DemoteTo(d, values), to, streams);
}

/// Vectors of whole numbers of 16 bits that stand one after another, as pixels.
template <int Vectors, class T>
HWY_INLINE void put_halves(const Pairs (&halves)[Vectors], T* to, bool streams) {
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(T) == 1 && Vectors % 2 == 0) {
    for (int v = 0; v < Vectors; v += 2) put(D8(), joined_bytes(halves[v], halves[v + 1]), to + v * lanes16, streams);
    return;
  }
#endif
  for (int v = 0; v < Vectors; ++v) put_16(halves[v], to + v * lanes16, streams);
}

/// Asks for the cache lines of `count` pixels of a row of `n`, which are needed once or twice, soon: from the first-level cache, or the
/// second where so many rows do not stay in the first. Not as data that no cache is to keep (`prefetchnta`): on Intel's CPUs what the
/// first-level cache lets go then is read from memory once more.
HWY_INLINE void ask_for(const std::uint8_t* pixels, std::int64_t count, std::int64_t n) {
  constexpr std::int64_t asked_rows = 6;
  constexpr std::int64_t first_level_bytes = 32 << 10;
  if (n * asked_rows <= first_level_bytes) {
    for (std::int64_t i = 0; i < count; i += 64) __builtin_prefetch(pixels + i, 0, 3);
  } else {
    for (std::int64_t i = 0; i < count; i += 64) __builtin_prefetch(pixels + i, 0, 2);
  }
}
