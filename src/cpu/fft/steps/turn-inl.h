// turn-inl.h: blocks of rows as columns and back, in registers, for each instruction set. Included within the namespace of a target.

/// Vectors as many as lanes become the columns of what they were.
template <class D, class V, std::size_t N>
HWY_INLINE void turn([[maybe_unused]] D d, [[maybe_unused]] V (&v)[N]) {
#if HWY_TARGET != HWY_SCALAR
  // Within blocks of 128 bits first, groups of as many rows as such a block has elements; then blocks among groups.
  constexpr std::size_t in_block = 16 / sizeof(hn::TFromD<D>);
  constexpr std::size_t blocks = N / in_block;
  for (std::size_t g = 0; g < N; g += in_block) {
    if constexpr (in_block == 4) {
      const V a = hn::InterleaveLower(d, v[g], v[g + 2]), b = hn::InterleaveUpper(d, v[g], v[g + 2]);
      const V c = hn::InterleaveLower(d, v[g + 1], v[g + 3]), e = hn::InterleaveUpper(d, v[g + 1], v[g + 3]);
      v[g] = hn::InterleaveLower(d, a, c), v[g + 1] = hn::InterleaveUpper(d, a, c);
      v[g + 2] = hn::InterleaveLower(d, b, e), v[g + 3] = hn::InterleaveUpper(d, b, e);
    } else {
      const V a = hn::InterleaveLower(d, v[g], v[g + 1]);
      v[g + 1] = hn::InterleaveUpper(d, v[g], v[g + 1]);
      v[g] = a;
    }
  }
  for (std::size_t i = 0; i < in_block; ++i) {
    if constexpr (blocks == 2) {
      const V a = hn::ConcatLowerLower(d, v[in_block + i], v[i]);
      v[in_block + i] = hn::ConcatUpperUpper(d, v[in_block + i], v[i]);
      v[i] = a;
    } else if constexpr (blocks == 4) {
      V &u0 = v[i], &u1 = v[in_block + i], &u2 = v[2 * in_block + i], &u3 = v[3 * in_block + i];
      const V a = hn::ConcatLowerLower(d, u2, u0), b = hn::ConcatLowerLower(d, u3, u1);
      const V c = hn::ConcatUpperUpper(d, u2, u0), e = hn::ConcatUpperUpper(d, u3, u1);
      u0 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a), u1 = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
      u2 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(e), c), u3 = hn::OddEvenBlocks(e, hn::SwapAdjacentBlocks(c));
    }
  }
#endif
}

template <class T>
void turned(const T* from, std::int64_t from_apart, std::int64_t from_next, T* to, std::int64_t to_apart, std::int64_t to_next, std::int64_t n) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
  hn::Vec<decltype(d)> v[lanes];
  for (std::int64_t i = 0; i < n; i += static_cast<std::int64_t>(lanes)) {
    for (std::size_t k = 0; k < lanes; ++k) v[k] = hn::LoadU(d, from + static_cast<std::int64_t>(k) * from_apart);
    turn(d, v);
    for (std::size_t k = 0; k < lanes; ++k) hn::StoreU(v[k], d, to + static_cast<std::int64_t>(k) * to_apart);
    from += from_next;
    to += to_next;
  }
}

template <class T>
void to_columns(const T* rows, std::int64_t pitch, std::int64_t n, T* columns, std::int64_t stride) {
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  turned(rows, pitch, lanes, columns, stride, lanes * stride, n);
}

template <class T>
void to_rows(const T* columns, std::int64_t stride, std::int64_t n, T* rows, std::int64_t pitch) {
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
  turned(columns, stride, lanes * stride, rows, pitch, lanes, n);
}
