// correlate-inl.h: sums of weighted lines, for each instruction set. Included by parts/kernels.cpp once a target.
//
// Every method ends here: a direct filter sums over planes, lines and taps; a separable one calls it once an axis. Sums stay in
// registers, and what binds is loads: those that lie across two cache lines, as nearly all taps along a line do, cost two. So
// each loaded vector serves several sums.
// - Several rows: a block of `rows` × `vectors` sums; a vector serves all rows whose filter covers its line, so that rows · vectors
//   multiply-adds cost vectors loads and rows broadcasts; with AVX-512 taps side by side cost one load each, the other vectors
//   being shifted out of those of the tap before. Which rows a line is part of is known to the code: lines above and below
//   those that are part of all have code of their own, as have all lines of filters with fewer rows than a block.
// - One row: taps that stand a vector apart read the same vectors, so that a vector serves a sum for each of them; and with
//   AVX-512 every other tap is not loaded but shifted out of two vectors that are, which leaves half of the loads and shuffles no
//   more than other ports have room for.

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Sums that fit in registers beside the loaded vectors and a weight: 32 registers with AVX-512 and NEON, else 16.
inline constexpr int vectors_in_registers = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON ? 4 : 2;

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
  constexpr int count = TapsY == all_lines ? 0 : TapsY > 0 ? TapsY + Rows - 1 : Rows - 1;
  if constexpr (J < count) {
    constexpr int first = TapsY > 0 ? (J < TapsY ? 0 : J - TapsY + 1) : Top ? 0 : J + 1;
    constexpr int last = TapsY > 0 ? (J < Rows ? J : Rows - 1) : Top ? J : Rows - 1;
    if constexpr (TapsY > 0 && J >= TapsY - 1) fetch_ahead<Vectors, T>(d, ahead, J - TapsY + 1, at);
    if constexpr (TapsY == 0 && !Top) fetch_ahead<Vectors, T>(d, ahead, J + 1, at);
    add_line<Rows, first, last, TapsX, Vectors>(d, job, lines[J] + at, weights + J * job.taps_x * Rows, sums);
    add_edges<Rows, TapsY, TapsX, Vectors, Top, J + 1>(d, job, lines, ahead, weights, at, sums);
  }
}

template <int Rows, int TapsY, int TapsX, int Vectors, class T>
HWY_INLINE void correlate_at(const Correlation<T>& job, std::int64_t at) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sums[Rows][Vectors];
  for (int row = 0; row < Rows; ++row) {
    for (int v = 0; v < Vectors; ++v) sums[row][v] = hn::Zero(d);
  }
  const std::int64_t line_weights = job.taps_x * Rows;
  const T* weights = job.weights;
  const T* const* line = job.lines;
  const std::byte* const* ahead = job.ahead;
  if constexpr (TapsY == all_lines) {
    for (std::int64_t j = 0; j < job.taps_y; ++j) add_line<Rows, 0, Rows - 1, 1, Vectors>(d, job, line[j] + at, weights + j * Rows, sums);
  }
  for (std::int64_t plane = 0; TapsY != all_lines && plane < job.planes; ++plane) {
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
    constexpr int edges = TapsY > 0 ? TapsY + Rows - 1 : Rows - 1;
    line += edges;
    weights += edges * line_weights;
    if (ahead != nullptr) ahead += Rows;
  }
  for (int row = 0; row < Rows; ++row) {
    T* to = job.out[row] + at;
    if (job.streams && reinterpret_cast<std::uintptr_t>(to) % (lanes * sizeof(T)) == 0) {
      for (int v = 0; v < Vectors; ++v) hn::Stream(sums[row][v], d, to + v * lanes);
    } else {
      for (int v = 0; v < Vectors; ++v) hn::StoreU(sums[row][v], d, to + v * lanes);
    }
  }
}

/// From `at` on a vector at a time; what is left then is the last whole vector once more, or, of less than one, a part of what the
/// lines' slack allows to read. One place that makes all of these, since compilers take seconds for each, and a function of its own,
/// which leaves registers of the larger blocks alone.
template <int Rows, int TapsY, int TapsX, class T>
HWY_NOINLINE void correlate_rest(const Correlation<T>& job, std::int64_t at) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  HWY_ALIGN T part[Rows][line_slack];
  T* parts[Rows];
  Correlation<T> few;
  const Correlation<T>* rest = &job;
  if (job.n < lanes) {
    for (int row = 0; row < Rows; ++row) parts[row] = part[row];
    few = job;
    few.out = parts;
    few.n = lanes;
    few.streams = false;
    rest = &few;
  }
  for (; at < rest->n; at += lanes) {
    at = std::min(at, rest->n - lanes);
    correlate_at<Rows, TapsY, TapsX, 1>(*rest, at);
  }
  if (rest == &job) return;
  for (int row = 0; row < Rows; ++row) std::copy_n(part[row], job.n, job.out[row]);
}

template <int Rows, int TapsY, int TapsX, int Vectors, class T>
void correlate_all(const Correlation<T>& job) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  std::int64_t at = 0;
  for (; at + Vectors * lanes <= job.n; at += Vectors * lanes) correlate_at<Rows, TapsY, TapsX, Vectors>(job, at);
  if constexpr (Vectors % 4 == 0 && Vectors > 4) {
    for (; at + Vectors / 4 * lanes <= job.n; at += Vectors / 4 * lanes) correlate_at<Rows, TapsY, TapsX, Vectors / 4>(job, at);
  }
  if constexpr (Rows == 1) {  // little code, and short rows would notice the call
    for (; at + lanes <= job.n; at += lanes) correlate_at<Rows, TapsY, TapsX, 1>(job, at);
    if (at < job.n && job.n >= lanes) return correlate_at<Rows, TapsY, TapsX, 1>(job, job.n - lanes);
  }
  if (at < job.n) correlate_rest<Rows, TapsY, TapsX>(job, at);
}

/// One row.
template <int Vectors, class T>
void correlate_one(const Correlation<T>& job) {
  if (job.taps_x == 1) return correlate_all<1, 0, 1, Vectors>(job);
  if constexpr (most_shifted > 0) {
    switch (job.tap_stride) {
      case 1: return correlate_all<1, 0, -1, Vectors>(job);
      case 2: return correlate_all<1, 0, -2, Vectors>(job);
      case 3: return correlate_all<1, 0, -3, Vectors>(job);
      case 4: return correlate_all<1, 0, -4, Vectors>(job);
      default: break;
    }
  }
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  if (job.taps_x * job.tap_stride > lanes && lanes % job.tap_stride == 0) return correlate_all<1, 0, shared_taps, Vectors>(job);
  correlate_all<1, 0, 0, Vectors>(job);
}

/// Several rows, each of which all lines are part of.
template <int Rows, int Vectors, class T>
void mix_all(const Correlation<T>& job) {
  correlate_all<Rows, all_lines, 1, Vectors>(job);
}

/// Several: the fewer the filter's rows, the more of its code is of lines that not all of them are part of.
template <int Rows, int Vectors, class T>
void correlate_many(const Correlation<T>& job) {
  const bool columns = job.taps_x == 1;
  // Taps that are known to be neighbours, where those are shifted.
  constexpr auto taps = [](int known) { return most_shifted > 0 ? (known > 0 ? -known : any_neighbours) : known; };
  const bool neighbours = job.tap_stride == 1 && most_shifted > 0;
  if (job.taps_y >= Rows) {
    if (columns) return correlate_all<Rows, 0, 1, Vectors>(job);
    return neighbours ? correlate_all<Rows, 0, taps(0), Vectors>(job) : correlate_all<Rows, 0, 0, Vectors>(job);
  }
  static_assert(Rows == 6);
  switch (job.taps_y) {
    case 2: return correlate_all<Rows, 2, 0, Vectors>(job);
    case 3:
      if (columns) return correlate_all<Rows, 3, 1, Vectors>(job);
      if (job.taps_x == 3 && neighbours) return correlate_all<Rows, 3, taps(3), Vectors>(job);
      return job.taps_x == 3 ? correlate_all<Rows, 3, 3, Vectors>(job) : correlate_all<Rows, 3, 0, Vectors>(job);
    case 4: return correlate_all<Rows, 4, 0, Vectors>(job);
    default:
      if (columns) return correlate_all<Rows, 5, 1, Vectors>(job);
      if (job.taps_x == 5 && neighbours) return correlate_all<Rows, 5, taps(5), Vectors>(job);
      return job.taps_x == 5 ? correlate_all<Rows, 5, 5, Vectors>(job) : correlate_all<Rows, 5, 0, Vectors>(job);
  }
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
