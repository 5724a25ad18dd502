// transform-inl.h: transforms of columns, pass by pass in place, for each instruction set. Included within the namespace of a target.

/// Blocks of so many points are transformed whole before the next one: they stay in the first-level cache.
inline constexpr std::int64_t cached_points = 256;

/// One pass over `blocks` blocks: R points of each, `part` apart, become R sums; what they are multiplied by comes before the sums on the
/// way back, and after them on the way forth. The way back is the way forth with real and imaginary parts in each other's place.
template <int R, bool forth, bool twisted, class T>
HWY_INLINE void pass_over(const typename TransformAxis<T>::Pass& pass, Columns<T> at, std::int64_t blocks) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::int64_t part = pass.block / R;
  const std::int64_t apart = part * at.stride;
  for (std::int64_t block = 0; block < blocks; ++block) {
    const T* root = pass.roots;
    for (std::int64_t j = 0; j < part; ++j, root += 2 * (R - 1)) {
      T* re = at.re + (block * pass.block + j) * at.stride;
      T* im = at.im + (block * pass.block + j) * at.stride;
      V x[R], y[R];
      for (int p = 0; p < R; ++p) {
        x[p] = hn::LoadU(d, re + p * apart);
        y[p] = hn::LoadU(d, im + p * apart);
      }
      const auto by_roots = [&] {
        if (j == 0) return;
        for (int q = 1; q < R; ++q) multiply_by(d, x[q], y[q], root + 2 * (q - 1));
      };
      const auto by_twist = [&] {
        for (int p = 0; p < R; ++p) multiply_by(d, x[p], y[p], at.twist + 2 * (j + p * part));
      };
      if constexpr (!forth) by_roots();
      if constexpr (forth && twisted) by_twist();
      butterfly<R>(d, x, y);
      if constexpr (forth) by_roots();
      if constexpr (!forth && twisted) by_twist();
      for (int p = 0; p < R; ++p) {
        hn::StoreU(x[p], d, re + p * apart);
        hn::StoreU(y[p], d, im + p * apart);
      }
    }
  }
}

template <bool forth, bool twisted, class T>
void pass_by_radix(const typename TransformAxis<T>::Pass& pass, const Columns<T>& at, std::int64_t blocks) {
  switch (pass.radix) {
    case 2: return pass_over<2, forth, twisted, T>(pass, at, blocks);
    case 3: return pass_over<3, forth, twisted, T>(pass, at, blocks);
    case 4: return pass_over<4, forth, twisted, T>(pass, at, blocks);
    case 5: return pass_over<5, forth, twisted, T>(pass, at, blocks);
    default: return pass_over<8, forth, twisted, T>(pass, at, blocks);
  }
}

/// The passes from `index` on, over one block of points, or on the way back down to `index`.
template <bool forth, class T>
void transform_from(const TransformAxis<T>& axis, std::size_t index, const Columns<T>& at) {
  if (index == axis.passes.size()) return;
  const auto pass_at = [&](std::size_t i, std::int64_t blocks) {
    if (at.twist != nullptr && i == 0) {
      pass_by_radix<forth, true>(axis.passes[i], at, blocks);
    } else {
      pass_by_radix<forth, false>(axis.passes[i], at, blocks);
    }
  };
  const auto& pass = axis.passes[index];
  if (pass.block <= cached_points) {
    const auto blocks = [&](std::size_t i) { return pass.block / axis.passes[i].block; };
    if constexpr (forth) {
      for (std::size_t i = index; i < axis.passes.size(); ++i) pass_at(i, blocks(i));
    } else {
      for (std::size_t i = axis.passes.size(); i-- > index;) pass_at(i, blocks(i));
    }
    return;
  }
  const std::int64_t apart = pass.block / pass.radix * at.stride;
  const auto parts = [&] {
    for (int q = 0; q < pass.radix; ++q) transform_from<forth>(axis, index + 1, Columns<T>{at.re + q * apart, at.im + q * apart, at.stride});
  };
  if constexpr (!forth) parts();
  pass_at(index, 1);
  if constexpr (forth) parts();
}

template <class T>
void forward(const TransformAxis<T>& axis, const Columns<T>& at, std::int64_t vectors) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  for (std::int64_t v = 0; v < vectors; ++v) {
    transform_from<true>(axis, 0, Columns<T>{at.re + v * lanes, at.im + v * lanes, at.stride, at.twist});
  }
}

template <class T>
void inverse(const TransformAxis<T>& axis, const Columns<T>& at, std::int64_t vectors) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  for (std::int64_t v = 0; v < vectors; ++v) {
    transform_from<false>(axis, 0, Columns<T>{at.im + v * lanes, at.re + v * lanes, at.stride, at.twist});
  }
}
