// multiplier-inl.h: a Multiplier on vectors, for each instruction set. Included within the namespace of a target.

/// Sums of 16 bits as 8-bit pixels, in lanes of 16.
template <class D, class V>
HWY_INLINE V multiplied(D d, V sums, const Multiplier& by) {
  const auto product = hn::MulHigh(hn::ShiftLeftSame(sums, by.left), hn::Set(d, by.multiplier));
  return hn::ShiftRightSame(hn::Add(product, hn::Set(d, by.bias)), by.right);
}
