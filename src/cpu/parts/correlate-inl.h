// correlate-inl.h: sums of weighted lines, for each instruction set. Included by parts/kernels.cpp once a target.
//
// Every method ends here: a direct filter sums over planes, lines and taps; a separable one calls it once an axis. Sums stay in
// registers, and what binds is loads: those that lie across two cache lines, as nearly all taps along a line do, cost two. So
// each loaded vector serves several sums.
// - Several rows: a block of `rows` × `vectors` sums; a vector serves all rows whose filter covers its line. Filters of few rows go
//   column by column: the weights of a column stay in registers while all lines pass, two vectors at a time, so that rows · vectors multiply-adds
//   cost vectors loads. Of others lines pass one by one: with AVX-512 taps side by side cost one load each, the other vectors being
//   shifted out of those of the tap before. Which rows a line is part of is known to the code: lines above and below those that are
//   part of all have code of their own.
// - One row: taps that stand a vector apart read the same vectors, so that a vector serves a sum for each of them; and with
//   AVX-512 every other tap is not loaded but shifted out of two vectors that are, which leaves half of the loads and shuffles no
//   more than other ports have room for.

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Holds a vector in a register: compilers otherwise load it anew for each multiply-add.
template <class V>
HWY_INLINE void hold(V& vector) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
  asm("" : "+v"(vector.raw));
#else
  (void)vector;
#endif
}

/// Asks for the part of the image that is wanted next, while this is summed. Into the second-level cache: rows of an image whose
/// pitch is near a power of two have few places in the first.
template <int Vectors, class T, class D>
HWY_INLINE void fetch_ahead(D d, const std::byte* const* ahead, int row, std::int64_t at) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
  if (ahead == nullptr || ahead[row] == nullptr) return;
  const auto first = reinterpret_cast<std::uintptr_t>(ahead[row]) + static_cast<std::uintptr_t>(at) * sizeof(T);
  for (std::size_t b = 0; b < Vectors * hn::Lanes(d) * sizeof(T); b += 64) {
    __builtin_prefetch(reinterpret_cast<const void*>(first + b), 0, 2);  // NOLINT(performance-no-int-to-ptr): may lie outside
  }
#else
  (void)d, (void)ahead, (void)row, (void)at;
#endif
}

/// Taps along a line that are known to the code only as so many that taps a vector apart share what they load; minus n: those n
/// samples apart whose neighbours are shifted out of what they load.
inline constexpr int shared_taps = -16;
/// Of several rows minus so many taps, this one any number: taps side by side, of which the first is loaded and the others are
/// shifted out of what it has loaded, but for the last vector.
inline constexpr int any_neighbours = -16;
#if HWY_TARGET == HWY_AVX3
inline constexpr int most_shifted = 4;
#else
inline constexpr int most_shifted = 0;
#endif
/// Taps that share one vector.
inline constexpr int most_shared = 4;
/// Of lines that are each part of all rows, with weights of their own.
inline constexpr int all_lines = -1;

/// Vectors from the U-th on, each for `Shared` taps of one row: vector u is that of tap g for sum u − g.
template <int Shared, int Vectors, int U, class D, class V, class T>
HWY_INLINE void add_vectors(D d, const T* HWY_RESTRICT line, const V* weights, V* sums) {
  if constexpr (U < Vectors + Shared - 1) {
    V value = hn::LoadU(d, line + U * static_cast<std::int64_t>(hn::Lanes(d)));
    hold(value);
    for (int g = 0; g < Shared; ++g) {
      if (U - g >= 0 && U - g < Vectors) sums[U - g] = hn::MulAdd(weights[g], value, sums[U - g]);
    }
    add_vectors<Shared, Vectors, U + 1>(d, line, weights, sums);
  }
}

#if HWY_TARGET == HWY_AVX3
/// Two taps of one row, `Shift` samples apart: vectors from the U-th on, which is `value`, for the first, and shifted out of two of
/// them, for the second.
template <int Vectors, int Shift, int U, class D, class V, class T>
HWY_INLINE void add_neighbours(D d, const T* HWY_RESTRICT line, V first, V second, V value, V* sums) {
  if constexpr (U < Vectors) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    V next = value;
    V neighbour;
    if constexpr (U + 1 < Vectors) {
      next = hn::LoadU(d, line + (U + 1) * lanes);
      hold(next);
      neighbour = shifted<Shift>(next, value);
    } else {
      neighbour = hn::LoadU(d, line + U * lanes + Shift);  // nothing may be read behind a row
    }
    sums[U] = hn::MulAdd(first, value, sums[U]);
    sums[U] = hn::MulAdd(second, neighbour, sums[U]);
    add_neighbours<Vectors, Shift, U + 1>(d, line, first, second, next, sums);
  }
}
#endif

/// Adds taps [begin, end) of a line to one row, each with the `Shared` − 1 taps that stand 1, 2, … vectors behind it. With a
/// `Shift`, two at a time where they share nothing: else loads do not bind.
template <int Shared, int Vectors, int Shift, class D, class V, class T>
HWY_INLINE void add_shared(D d, const Correlation<T>& job, const T* line, const T* weights, std::int64_t begin, std::int64_t end,
                           V* sums) {
  const std::int64_t apart = static_cast<std::int64_t>(hn::Lanes(d)) / job.tap_stride;
  std::int64_t k = begin;
#if HWY_TARGET == HWY_AVX3
  if constexpr (Shift > 0 && Shared == 1) {
    for (; k + 1 < end; k += 2) {
      const T* from = line + k * job.tap_stride;
      V value = hn::LoadU(d, from);
      hold(value);
      add_neighbours<Vectors, Shift, 0>(d, from, hn::Set(d, weights[k]), hn::Set(d, weights[k + 1]), value, sums);
    }
  }
#endif
  for (; k < end; ++k) {
    V own[Shared];
    for (int g = 0; g < Shared; ++g) own[g] = hn::Set(d, weights[k + g * apart]);
    add_vectors<Shared, Vectors, 0>(d, line + k * job.tap_stride, own, sums);
  }
}

/// Adds `taps` taps of a line to one row, no more than `Shared` vectors full.
template <int Shared, int Vectors, int Shift, class D, class V, class T>
HWY_INLINE void add_taps(D d, const Correlation<T>& job, const T* line, const T* weights, std::int64_t taps, V* sums) {
  const std::int64_t apart = static_cast<std::int64_t>(hn::Lanes(d)) / job.tap_stride;
  if constexpr (Shared > 1) {
    if (taps <= (Shared - 1) * apart) return add_taps<Shared - 1, Vectors, Shift>(d, job, line, weights, taps, sums);
    add_shared<Shared - 1, Vectors, Shift>(d, job, line, weights, taps - (Shared - 1) * apart, apart, sums);
  }
  add_shared<Shared, Vectors, Shift>(d, job, line, weights, 0, taps - (Shared - 1) * apart, sums);
}

/// Adds one line to rows First…Last of `Rows`, as many weights a tap. `TapsX` taps; 0: any number; less: as shared_taps says.
template <int Rows, int First, int Last, int TapsX, int Vectors, class D, class Sums, class T>
HWY_INLINE void add_line(D d, const Correlation<T>& job, const T* HWY_RESTRICT line, const T* HWY_RESTRICT weights, Sums& sums) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (TapsX < 0 && Rows > 1) {
#if HWY_TARGET == HWY_AVX3
    const std::int64_t taps = TapsX > any_neighbours ? -TapsX : job.taps_x;
    hn::Vec<D> values[Vectors];
    for (int v = 0; v < Vectors; ++v) {
      values[v] = hn::LoadU(d, line + v * lanes);
      hold(values[v]);
    }
    for (std::int64_t k = 0;;) {
      for (int row = First; row <= Last; ++row) {
        const auto weight = hn::Set(d, weights[row]);
        for (int v = 0; v < Vectors; ++v) sums[row][v] = hn::MulAdd(weight, values[v], sums[row][v]);
      }
      if (++k == taps) break;
      ++line, weights += Rows;
      for (int v = 0; v + 1 < Vectors; ++v) values[v] = shifted<1>(values[v + 1], values[v]);
      values[Vectors - 1] = hn::LoadU(d, line + (Vectors - 1) * lanes);
      hold(values[Vectors - 1]);
    }
#endif
  } else if constexpr (TapsX < 0) {
    constexpr int shift = TapsX == shared_taps ? 0 : -TapsX;
    if constexpr (shift > 0 && HWY_LANES(T) % std::max(shift, 1) != 0) {
      add_shared<1, Vectors, shift>(d, job, line, weights, 0, job.taps_x, sums[0]);
    } else {
      const std::int64_t most = most_shared * (lanes / job.tap_stride);
      for (std::int64_t k = 0; k < job.taps_x; k += most) {
        add_taps<most_shared, Vectors, shift>(d, job, line + k * job.tap_stride, weights + k, std::min(most, job.taps_x - k), sums[0]);
      }
    }
  } else {
    const std::int64_t taps = TapsX > 0 ? TapsX : job.taps_x;
    for (std::int64_t k = 0; k < taps; ++k, line += job.tap_stride, weights += Rows) {
      hn::Vec<D> values[Vectors];
      for (int v = 0; v < Vectors; ++v) {
        values[v] = hn::LoadU(d, line + v * lanes);
        if (First != Last) hold(values[v]);
      }
      for (int row = First; row <= Last; ++row) {
        const auto weight = hn::Set(d, weights[row]);
        for (int v = 0; v < Vectors; ++v) sums[row][v] = hn::MulAdd(weight, values[v], sums[row][v]);
      }
    }
  }
}

/// The lines of a plane from the J-th on that not all rows are part of: those above the filter's last row where `Top`, else those
/// below its first. Of a filter of `TapsY` rows, fewer than `Rows`, all lines.
template <int Rows, int TapsY, int TapsX, int Vectors, bool Top, int J, class D, class Sums, class T>
HWY_INLINE void add_edges(D d, const Correlation<T>& job, const T* const* lines, const std::byte* const* ahead, const T* weights,
                          std::int64_t at, Sums& sums) {
  constexpr int count = std::max(TapsY, 0) + Rows - 1;
  if constexpr (J < count) {
    constexpr int first = TapsY > 0 ? (J < TapsY ? 0 : J - TapsY + 1) : Top ? 0 : J + 1;
    constexpr int last = TapsY > 0 ? (J < Rows ? J : Rows - 1) : Top ? J : Rows - 1;
    if constexpr (TapsY > 0 && J >= TapsY - 1) fetch_ahead<Vectors, T>(d, ahead, J - TapsY + 1, at);
    if constexpr (TapsY == 0 && !Top) fetch_ahead<Vectors, T>(d, ahead, J + 1, at);
    add_line<Rows, first, last, TapsX, Vectors>(d, job, lines[J] + at, weights + J * job.taps_x * Rows, sums);
    add_edges<Rows, TapsY, TapsX, Vectors, Top, J + 1>(d, job, lines, ahead, weights, at, sums);
  }
}

/// Blocks of a filter of `TapsY` rows, or of at least `Rows` where it is 0, or of all_lines.
template <int Rows, int TapsY, int TapsX, class T>
struct LineByLine {
  static constexpr int rows = Rows;
  static constexpr bool may_take_turns = false;
  static constexpr bool fills_registers = vectors_in_registers > 2;
  const Correlation<T>& job;
  const T* const* lines;  ///< the job's, or those of its sides

  template <int Vectors, class D, class Sums>
  HWY_INLINE void add(D d, std::int64_t at, Sums& sums) const {
    const std::int64_t line_weights = job.taps_x * Rows;
    const T* weights = job.weights;
    const T* const* line = lines;
    const std::byte* const* ahead = job.ahead;
    if constexpr (TapsY == all_lines) {
      for (std::int64_t j = 0; j < job.taps_y; ++j) add_line<Rows, 0, Rows - 1, 1, Vectors>(d, job, line[j] + at, weights + j * Rows, sums);
      return;
    }
    for (std::int64_t plane = 0; plane < job.planes; ++plane) {
      add_edges<Rows, TapsY, TapsX, Vectors, true, 0>(d, job, line, ahead, weights, at, sums);
      if constexpr (TapsY == 0) {
        line += Rows - 1;
        weights += (Rows - 1) * line_weights;
        for (std::int64_t j = Rows - 1; j < job.taps_y; ++j, ++line, weights += line_weights) {
          if (j == job.taps_y - 1) fetch_ahead<Vectors, T>(d, ahead, 0, at);
          add_line<Rows, 0, Rows - 1, TapsX, Vectors>(d, job, *line + at, weights, sums);
        }
        add_edges<Rows, TapsY, TapsX, Vectors, false, 0>(d, job, line, ahead, weights, at, sums);
      }
      constexpr int edges = std::max(TapsY, 0) + Rows - 1;
      line += edges;
      weights += edges * line_weights;
      if (ahead != nullptr) ahead += Rows;
    }
  }
};

/// Adds one column of a filter, whose weights are in registers, to all rows: its lines from the J-th on, downwards, else upwards.
template <int Rows, int TapsY, int Vectors, bool Down, int J, class D, class V, class T>
HWY_INLINE void add_column(D d, const T* const* lines, const V (&weights)[TapsY], std::int64_t at, V (&sums)[Rows][Vectors]) {
  constexpr int count = TapsY + Rows - 1;
  if constexpr (J < count) {
    constexpr int line = Down ? J : count - 1 - J;
    constexpr int first = line < TapsY ? 0 : line - TapsY + 1;
    constexpr int last = line < Rows ? line : Rows - 1;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    HALATION_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      V value = hn::LoadU(d, lines[line] + at + v * lanes);
      hold(value);
      HALATION_UNROLL
      for (int row = first; row <= last; ++row) sums[row][v] = hn::MulAdd(weights[line - row], value, sums[row][v]);
    }
    add_column<Rows, TapsY, Vectors, Down, J + 1>(d, lines, weights, at, sums);
  }
}

/// Column `k` of a plane.
template <int Rows, int WeightRows, int TapsY, int Vectors, bool Down, class D, class V, class T>
HWY_INLINE void add_column_of(D d, const T* const* lines, const T* weights, std::int64_t taps_x, std::int64_t k, std::int64_t at,
                              V (&sums)[Rows][Vectors]) {
  V column[TapsY];
  HALATION_UNROLL
  for (int j = 0; j < TapsY; ++j) {
    column[j] = hn::Set(d, weights[(j * taps_x + k) * WeightRows]);
    hold(column[j]);
  }
  add_column<Rows, TapsY, Vectors, Down, 0>(d, lines, column, at, sums);
}

/// The columns of a plane from the K-th on, of `TapsX`. Every other one goes upwards: of lines that lie multiples of 4,096 bytes apart
/// the first-level cache keeps eight or so, and those that were read last are still there.
template <int Rows, int WeightRows, int TapsY, int TapsX, int Vectors, int K, class D, class V, class T>
HWY_INLINE void add_columns(D d, const T* const* lines, const T* weights, std::int64_t tap_stride, std::int64_t at,
                            V (&sums)[Rows][Vectors]) {
  if constexpr (K < TapsX) {
    add_column_of<Rows, WeightRows, TapsY, Vectors, K % 2 == 0>(d, lines, weights, TapsX, K, at + K * tap_stride, sums);
    add_columns<Rows, WeightRows, TapsY, TapsX, Vectors, K + 1>(d, lines, weights, tap_stride, at, sums);
  }
}

/// Blocks of a filter of `TapsY` rows, of each of which `TapsX` taps, or any number where it is 0. Weights are those for `WeightRows` rows.
template <int Rows, int WeightRows, int TapsY, int TapsX, bool OnePlane, class T>
struct ColumnByColumn {
  static constexpr int rows = Rows;
  static constexpr bool fills_registers = false;
  static constexpr bool may_take_turns = Rows > 1;  ///< each line is read many times a block, soon after rows are written
  static constexpr int lines_of_plane = TapsY + Rows - 1;
  const T* const weights;
  const std::int64_t taps_x, tap_stride;
  const std::int64_t planes;
  const T* const* const all_lines;
  const std::byte* const* const ahead;
  const T* lines[lines_of_plane];

  ColumnByColumn(const Correlation<T>& job, const T* const* all)
      : weights(job.weights),
        taps_x(TapsX > 0 ? TapsX : job.taps_x),
        tap_stride(job.tap_stride),
        planes(OnePlane ? 1 : job.planes),
        all_lines(all),
        ahead(job.ahead) {
    std::copy_n(all, lines_of_plane, lines);
  }

  template <int Vectors, class D, class V>
  HWY_INLINE void add(D d, std::int64_t at, V (&sums)[Rows][Vectors]) const {
    for (std::int64_t plane = 0; plane < (OnePlane ? 1 : planes); ++plane) {
      const T* const* of_plane = OnePlane ? lines : all_lines + plane * lines_of_plane;
      const T* plane_weights = weights + plane * (TapsY + WeightRows - 1) * taps_x * WeightRows;
      if (ahead != nullptr) {
        HALATION_UNROLL
        for (int row = 0; row < Rows; ++row) fetch_ahead<Vectors, T>(d, ahead, static_cast<int>(plane) * Rows + row, at);
      }
      if constexpr (TapsX > 0) {
        add_columns<Rows, WeightRows, TapsY, TapsX, Vectors, 0>(d, of_plane, plane_weights, tap_stride, at, sums);
      } else {
        for (std::int64_t k = 0; k < taps_x; k += 2) {
          add_column_of<Rows, WeightRows, TapsY, Vectors, true>(d, of_plane, plane_weights, taps_x, k, at + k * tap_stride, sums);
          if (k + 1 == taps_x) break;
          add_column_of<Rows, WeightRows, TapsY, Vectors, false>(d, of_plane, plane_weights, taps_x, k + 1, at + (k + 1) * tap_stride, sums);
        }
      }
    }
  }
};

/// A filter of a few rows, as far as the code knows how many taps each has.
template <int Rows, int WeightRows, int TapsY, int Vectors, class T>
void correlate_columns(const Correlation<T>& job) {
  const auto by = [&]<int TapsX, bool OnePlane>() {
    put_all<Vectors, ColumnByColumn<Rows, WeightRows, TapsY, TapsX, OnePlane, T>>(job);
  };
  if constexpr (Rows > 1 && TapsY % 2 == 1) {
    if (job.taps_x == 1 && job.planes == 1) return by.template operator()<1, true>();
    if (job.taps_x == TapsY) return job.planes == 1 ? by.template operator()<TapsY, true>() : by.template operator()<TapsY, false>();
  }
  job.planes == 1 ? by.template operator()<0, true>() : by.template operator()<0, false>();
}

/// Blocks of half of the rows, and then those of the others.
template <int Rows, int TapsY, class T>
void correlate_halves(const Correlation<T>& job) {
  constexpr int half = Rows / 2;
  Correlation<T> of_half = job;
  for (int row = 0; row < Rows; row += half) {
    of_half.after_row = job.after_row || row > 0;
    of_half.before_row = job.before_row || row + half < Rows;
    put_all<3, ColumnByColumn<half, Rows, TapsY, 0, true, T>>(of_half);
    of_half.lines += half;
    if (job.side_lines != nullptr) of_half.side_lines += half;
    of_half.out += half;
    if (job.ahead != nullptr) of_half.ahead += half;
  }
}

/// Filters of so few rows may go column by column.
inline constexpr std::int64_t most_few = most_shifted > 0 ? 3 : 5;
/// Whether one does: with three rows of several planes only where taps are no shifted vectors. Column by column a line is read once a tap,
/// and of so many lines at like places of pages few are still in the first-level cache.
template <class T>
bool goes_by_columns(const Correlation<T>& job) {
  return job.taps_y <= (most_shifted > 0 && job.planes > 1 ? 2 : most_few);
}

template <int Rows, int Vectors, class T>
void correlate_few(const Correlation<T>& job) {
  if (job.taps_y == 2) return correlate_columns<Rows, Rows, 2, Vectors>(job);
  if constexpr (most_few > 3) {
    if constexpr (Rows > 1) {
      if (job.by_halves && job.planes == 1 && job.taps_y > 3) {
        return job.taps_y == 4 ? correlate_halves<Rows, 4>(job) : correlate_halves<Rows, 5>(job);
      }
    }
    if (job.taps_y == 4) return correlate_columns<Rows, Rows, 4, Vectors>(job);
    if (job.taps_y == 5) return correlate_columns<Rows, Rows, 5, Vectors>(job);
  }
  correlate_columns<Rows, Rows, 3, Vectors>(job);
}

/// One row. Filters of few lines add in the order of several rows, so that leftover rows get the same bits; wide ones share loads instead.
template <int Vectors, class T>
void correlate_one(const Correlation<T>& job) {
  const auto by = [&]<int TapsX>() { put_all<Vectors, LineByLine<1, 0, TapsX, T>>(job); };
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const bool shares = job.taps_x * job.tap_stride > lanes && lanes % job.tap_stride == 0;
  if (job.taps_y > 1 && goes_by_columns(job) && !shares) return correlate_few<1, Vectors>(job);
  if (job.taps_x == 1) return by.template operator()<1>();
  if constexpr (most_shifted > 0) {
    switch (job.tap_stride) {
      case 1: return by.template operator()<-1>();
      case 2: return by.template operator()<-2>();
      case 3: return by.template operator()<-3>();
      case 4: return by.template operator()<-4>();
      default: break;
    }
  }
  shares ? by.template operator()<shared_taps>() : by.template operator()<0>();
}

/// Several rows, each of which all lines are part of.
template <int Rows, int Vectors, class T>
void mix_all(const Correlation<T>& job) {
  put_all<Vectors, LineByLine<Rows, all_lines, 1, T>>(job);
}

/// Several rows of a filter of `TapsY`, or of at least as many rows where it is 0.
template <int Rows, int TapsY, int Vectors, class T>
void correlate_lines(const Correlation<T>& job) {
  const auto by = [&]<int TapsX>() { put_all<Vectors, LineByLine<Rows, TapsY, TapsX, T>>(job); };
  if (job.taps_x == 1) return by.template operator()<1>();
  if constexpr (most_shifted > 0) {  // taps that are neighbours are shifted
    if constexpr (TapsY > 0) {
      if (job.tap_stride == 1 && job.taps_x == TapsY) return by.template operator()<-TapsY>();
    }
    if (job.tap_stride == 1) return by.template operator()<any_neighbours>();
  }
  by.template operator()<0>();
}

template <int Rows, int Vectors, class T>
void correlate_many(const Correlation<T>& job) {
  static_assert(Rows == 6);
  if (goes_by_columns(job)) return correlate_few<Rows, 2>(job);
  if constexpr (most_few < 5) {
    if (job.taps_y == 3) return correlate_lines<Rows, 3, Vectors>(job);
    if (job.taps_y == 4) return correlate_lines<Rows, 4, Vectors>(job);
    if (job.taps_y == 5) return correlate_lines<Rows, 5, Vectors>(job);
  }
  correlate_lines<Rows, 0, Vectors>(job);
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
