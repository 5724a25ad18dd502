// store-inl.h: a vector of pixels to memory, for each instruction set. Included within the namespace of a target.

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
