// output-inl.h: how rows of sums go to memory, for each instruction set. Included by parts/kernels.cpp once a target.
//
// Large outputs go past the caches, whole cache lines of 64 bytes at a time: a line that is written in parts is read first. Several
// rows of which some begin on no cache line are shifted in registers: each line is made of the last sums of the vectors before and the
// first of those that follow, so that what was just summed stays behind until the next block.
//
// A block of sums (correlate-inl.h) knows its number of rows and `add`s its sums of some vectors of columns.

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Sums that fit in registers beside the loaded vectors and a weight: 32 registers with AVX-512 and NEON, else 16.
inline constexpr int vectors_in_registers = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON ? 4 : 2;
/// Of blocks of several rows.
inline constexpr int most_block_vectors = std::max(vectors_in_registers, 3);

/// Whether vectors are shifted by any number of elements in an instruction or two.
inline constexpr bool shifts_rows = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2;

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
/// `Rows` rows that begin anywhere. Blocks of sums, from the first column on, become whole lines, of which the first one begins before
/// the row does.
template <int Rows, class T>
class ShiftedRows {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  explicit ShiftedRows(T* const* out) {
    constexpr std::int64_t words = sizeof(T) / 4;  // what is shifted are words of 4 bytes
    constexpr std::int64_t words_of_vector = HWY_MAX_BYTES / 4;
    HALATION_UNROLL
    for (int row = 0; row < Rows; ++row) {
      const std::int64_t behind = elements_behind_line(out[row]);
      target_[row] = out[row] - behind;
      index_[row] = places + words_of_vector - behind * words % words_of_vector;
      is_half_[row] = behind * words >= words_of_vector;
    }
  }

  /// Begins again, as if zeros came before.
  void forget() { std::memset(kept_, 0, sizeof(kept_)); }

  /// Where line 0 of a row belongs.
  T* target(int row) const { return target_[row]; }

  /// The next `Vectors` vectors of a row as lines.
  template <int Vectors>
  HWY_INLINE void shift(int row, const V (&sums)[Vectors], V (&lines)[Vectors]) {
    const D d;
#if HWY_TARGET == HWY_AVX3
    const __m512i index = _mm512_loadu_si512(index_[row]);
    V before = hn::Load(d, kept_[row]);
    HALATION_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      lines[v] = joined(before, index, sums[v]);
      before = sums[v];
    }
    hn::Store(before, d, kept_[row]);
#else
    // A line is two vectors, so that rows that begin in the second half of one are a whole vector behind as well.
    static_assert(Vectors >= 2);
    const __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index_[row]));
    const V last = hn::Load(d, kept_[row] + lanes);
    V turned[Vectors];
    HALATION_UNROLL
    for (int v = 0; v < Vectors; ++v) turned[v] = turned_by(index, sums[v]);
    if (is_half_[row]) {
      lines[0] = joined(hn::Load(d, kept_[row]), index, last);
      lines[1] = joined(last, index, turned[0]);
      HALATION_UNROLL
      for (int v = 2; v < Vectors; ++v) lines[v] = joined(turned[v - 2], index, turned[v - 1]);
      hn::Store(turned[Vectors - 2], d, kept_[row]);
    } else {
      lines[0] = joined(last, index, turned[0]);
      HALATION_UNROLL
      for (int v = 1; v < Vectors; ++v) lines[v] = joined(turned[v - 1], index, turned[v]);
    }
    hn::Store(turned[Vectors - 1], d, kept_[row] + lanes);
#endif
  }

 private:
  static constexpr std::int64_t lanes = HWY_MAX_BYTES / sizeof(T);
#if HWY_TARGET == HWY_AVX3
  /// Words of two vectors that follow one another, from one of the first on.
  alignas(64) static constexpr std::int32_t places[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  static HWY_INLINE hn::Vec512<float> joined(hn::Vec512<float> before, __m512i index, hn::Vec512<float> next) {
    return hn::Vec512<float>{_mm512_permutex2var_ps(before.raw, index, next.raw)};
  }
  static HWY_INLINE hn::Vec512<double> joined(hn::Vec512<double> before, __m512i index, hn::Vec512<double> next) {
    const __m512 both = _mm512_permutex2var_ps(_mm512_castpd_ps(before.raw), index, _mm512_castpd_ps(next.raw));
    return hn::Vec512<double>{_mm512_castps_pd(both)};
  }
#else
  /// Words of a vector as it is turned, negative where a line takes those of the vector before.
  alignas(64) static constexpr std::int32_t places[] = {-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};
  static HWY_INLINE hn::Vec256<float> turned_by(__m256i index, hn::Vec256<float> sums) {
    return hn::Vec256<float>{_mm256_permutevar8x32_ps(sums.raw, index)};
  }
  static HWY_INLINE hn::Vec256<double> turned_by(__m256i index, hn::Vec256<double> sums) {
    return hn::Vec256<double>{_mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(sums.raw), index))};
  }
  static HWY_INLINE hn::Vec256<float> joined(hn::Vec256<float> before, __m256i index, hn::Vec256<float> next) {
    return hn::Vec256<float>{_mm256_blendv_ps(next.raw, before.raw, _mm256_castsi256_ps(index))};
  }
  static HWY_INLINE hn::Vec256<double> joined(hn::Vec256<double> before, __m256i index, hn::Vec256<double> next) {
    return hn::Vec256<double>{_mm256_blendv_pd(next.raw, before.raw, _mm256_castsi256_pd(index))};
  }
#endif

  alignas(64) T kept_[Rows][line_elements<T>] = {};
  T* target_[Rows];
  const std::int32_t* index_[Rows];
  bool is_half_[Rows];
};
#endif

/// Blocks of so many bytes of a row in half a page.
template <std::int64_t Bytes>
inline constexpr std::int64_t half_page = std::max<std::int64_t>(1, 2048 / Bytes);

/// Elements [begin, end) of lines that go to `target`: whole lines past the caches.
template <class T>
HWY_NOINLINE void put_lines(const T* lines, T* target, std::int64_t begin, std::int64_t end) {
  if (begin < end) copy_past_caches(lines + begin, target + begin, (end - begin) * static_cast<std::int64_t>(sizeof(T)));
}

template <class D, class V>
HWY_INLINE void put(D d, V sums, hn::TFromD<D>* to, bool streams) {
  streams ? hn::Stream(sums, d, to) : hn::StoreU(sums, d, to);
}

/// Sums of columns [at, at + Vectors · lanes).
template <int Vectors, class Block, class D, class V>
HWY_INLINE void sum_block(D d, const Block& block, std::int64_t at, V (&sums)[Block::rows][Vectors]) {
  HALATION_UNROLL
  for (int row = 0; row < Block::rows; ++row) {
    HALATION_UNROLL
    for (int v = 0; v < Vectors; ++v) sums[row][v] = hn::Zero(d);
  }
  block.template add<Vectors>(d, at, sums);
}

/// Columns [begin, n) a vector at a time, to `out[row] + column`; what is left then is the last whole vector once more, or, of less than
/// one, a part of what the lines' slack allows to read. One place that makes all of these, since compilers take seconds for each, and a
/// function of its own, which takes no registers from the larger blocks.
template <class Block, class T>
HWY_NOINLINE void put_rest(const Block& block, std::int64_t begin, std::int64_t n, T* const* out, bool streams) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  HWY_ALIGN T part[Block::rows][line_slack];
  T* parts[Block::rows];
  for (int row = 0; row < Block::rows; ++row) parts[row] = part[row];
  T* const* to = n < lanes ? parts : out;
  const std::int64_t last = std::max<std::int64_t>(0, n - lanes);
  for (std::int64_t i = begin; i < n; i += lanes) {
    const std::int64_t at = std::min(i, last);
    hn::Vec<decltype(d)> sums[Block::rows][1];
    sum_block(d, block, at, sums);
    for (int row = 0; row < Block::rows; ++row) put(d, sums[row][0], to[row] + at, streams && at == i && n >= lanes);
  }
  if (n >= lanes) return;
  for (int row = 0; row < Block::rows; ++row) std::copy_n(part[row], n, out[row]);
}

/// Columns [begin, end) of a job, which read the same lines.
template <class T>
struct Part {
  std::int64_t begin, end;
  const T* const* lines;
};

/// The first `stop` columns, whole blocks of `width`: those at the left, those that read no side lines, and those at the right.
template <class T>
HWY_INLINE std::array<Part<T>, 3> parts_of(const Correlation<T>& job, std::int64_t stop, std::int64_t width) {
  const std::int64_t left = std::min(stop, (job.left + width - 1) / width * width);
  const std::int64_t right = std::max(left, std::min(stop, (job.n - job.right) / width * width));
  return {{{0, left, job.side_lines}, {left, right, job.lines}, {right, stop, job.right > 0 ? job.side_lines : job.lines}}};
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
/// The next lines of all rows.
template <int Vectors, class Block, class T>
HWY_INLINE void put_shifted_block(const Block& block, std::int64_t at, ShiftedRows<Block::rows, T>& shifted, T* const* to, bool streams) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  V sums[Block::rows][Vectors];
  sum_block(d, block, at, sums);
  HALATION_UNROLL
  for (int row = 0; row < Block::rows; ++row) {
    V lines[Vectors];
    shifted.shift(row, sums[row], lines);
    HALATION_UNROLL
    for (int v = 0; v < Vectors; ++v) put(d, lines[v], to[row] + v * static_cast<std::int64_t>(hn::Lanes(d)), streams);
  }
}

/// By a function of its own, for blocks that need all registers: within a loop compilers keep some for what they know of it.
template <int Vectors, class Block, class T>
HWY_NOINLINE void put_shifted_block_apart(const Block& block, std::int64_t at, ShiftedRows<Block::rows, T>& shifted, T* const* to,
                                          bool streams) {
  put_shifted_block<Vectors>(block, at, shifted, to, streams);
}

/// Pairs of blocks from column `at` on: one of the first half of a page and one of the second take turns. The second half begins as if
/// zeros came before, and what is left of the first goes in their place at the end.
template <int Vectors, class Block, class T>
HWY_NOINLINE ShiftedRows<Block::rows, T> put_shifted_by_turns(const Block& block, std::int64_t at, std::int64_t pairs,
                                                              ShiftedRows<Block::rows, T> shifted) {
  constexpr int rows = Block::rows;
  constexpr std::int64_t width = Vectors * HWY_MAX_BYTES / sizeof(T);
  const hn::ScalableTag<T> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  using V = hn::Vec<decltype(d)>;
  ShiftedRows<rows, T> later = shifted;
  alignas(64) T seam[rows][width];
  while (pairs > 0) {
    const std::int64_t turns = std::min(pairs, half_page<std::int64_t{Vectors} * HWY_MAX_BYTES>);
    const std::int64_t middle = at + turns * width;
    later.forget();
    for (std::int64_t i = 0; i < 2 * turns; ++i) {
      const bool second = i % 2 != 0;
      const std::int64_t column = (second ? middle : at) + i / 2 * width;
      T* to[rows];
      for (int row = 0; row < rows; ++row) to[row] = i == 1 ? seam[row] : shifted.target(row) + column;
      put_shifted_block<Vectors>(block, column, second ? later : shifted, to, i != 1);
    }
    for (int row = 0; row < rows; ++row) {
      V zeros[Vectors];
      V lines[Vectors];
      for (auto& zero : zeros) zero = hn::Zero(d);
      shifted.shift(row, zeros, lines);
      for (int v = 0; v < Vectors; ++v) {
        const std::int64_t i = v * static_cast<std::int64_t>(hn::Lanes(d));
        const auto both = hn::Or(hn::BitCast(bits, lines[v]), hn::BitCast(bits, hn::Load(d, seam[row] + i)));
        hn::Stream(hn::BitCast(d, both), d, shifted.target(row) + middle + i);
      }
    }
    shifted = later;
    pairs -= turns;
    at = middle + turns * width;
  }
  return shifted;
}

/// All columns, eight lines and more, to rows that begin differently far behind cache lines: whole lines past the caches.
template <int Vectors, class Block, class T>
void put_shifted(const Correlation<T>& job) {
  constexpr int rows = Block::rows;
  constexpr int vectors = Vectors % 2 == 0 ? Vectors : 2;  // of whole lines
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr std::int64_t line = line_elements<T>;
  constexpr std::int64_t width = vectors * HWY_MAX_BYTES / sizeof(T);
  static_assert(width % line == 0);
  ShiftedRows<rows, T> shifted(job.out);
  // Elements from where line 0 of a row begins: what this job writes, but for lines that are others', and what it has sums for.
  const auto behind = [&](int row) { return elements_behind_line(job.out[row]); };
  const auto begin = [&](int row) {
    if (job.joins_previous(row)) return std::int64_t{0};
    return job.follows && behind(row) > 0 ? line : behind(row);
  };
  const auto end = [&](int row) {
    const std::int64_t all = behind(row) + job.n;
    if (job.joins_next(row, rows)) return all / line * line;
    return job.beyond == 0 ? all : std::min(all, (all - job.beyond + line - 1) / line * line);
  };
  std::int64_t most = 0;
  for (int row = 0; row < rows; ++row) {
    most = std::max(most, end(row));
    // Lines that are written in part are read: soon enough.
    if (!job.follows && !job.joins_previous(row) && behind(row) > 0) __builtin_prefetch(job.out[row], 1, 3);
    if (job.beyond == 0 && !job.joins_next(row, rows)) __builtin_prefetch(job.out[row] + job.n - 1, 1, 3);
  }
  // Whole blocks make all lines where there are sums enough behind them.
  const std::int64_t whole = (most + width - 1) / width * width;
  const bool has_all = whole <= job.n && job.joint == nullptr;
  const std::int64_t stop = has_all ? whole : job.n / width * width;
  alignas(64) T first[rows][width];
  alignas(64) T last[rows][2 * width];
  const auto parts = parts_of(job, stop, width);
  for (const Part<T>& part : parts) {
    if (part.begin == part.end) continue;
    const Block block{job, part.lines};  // of which nobody else knows, so that its members may stay in registers
    const std::int64_t streamed = std::min(part.end, has_all ? stop - width : stop);
    const std::int64_t pairs = job.takes_turns ? (streamed - std::max(part.begin, width)) / width / 2 : 0;
    const std::int64_t first_turn = pairs > 0 ? std::max(part.begin, width) : -1;
    for (std::int64_t at = part.begin; at < part.end; at += width) {
      if constexpr (Block::may_take_turns) {
        if (at == first_turn) {
          shifted = put_shifted_by_turns<vectors>(block, at, pairs, shifted);
          at += (2 * pairs - 1) * width;
          continue;
        }
      }
      T* to[rows];
      const bool streams = at > 0 && (at + width < stop || !has_all);
      for (int row = 0; row < rows; ++row) to[row] = streams ? shifted.target(row) + at : at == 0 ? first[row] : last[row];
      if constexpr (Block::fills_registers) {
        put_shifted_block_apart<vectors>(block, at, shifted, to, streams);
      } else {
        put_shifted_block<vectors>(block, at, shifted, to, streams);
      }
    }
  }
  for (int row = 0; row < rows; ++row) {
    if (!job.joins_previous(row)) put_lines(first[row], shifted.target(row), begin(row), width);
  }
  if (has_all) {
    for (int row = 0; row < rows; ++row)
      put_lines(last[row], shifted.target(row) + stop - width, std::int64_t{0}, end(row) - (stop - width));
    return;
  }
  // The last columns, after room for the vector that may be made once more; then zeros, which push out what `shifted` still keeps.
  alignas(64) T rest[rows][width + line];
  T* to[rows];
  for (int row = 0; row < rows; ++row) to[row] = rest[row] + line - stop;
  if (stop < job.n) put_rest(Block{job, parts[2].lines}, stop, job.n, to, false);
  for (int row = 0; row < rows; ++row) {
    for (int half = 0; half < 2; ++half) {
      V sums[vectors];
      V lines[vectors];
      for (int v = 0; v < vectors; ++v) sums[v] = half == 0 ? hn::Load(d, rest[row] + line + v * lanes) : hn::Zero(d);
      shifted.shift(row, sums, lines);
      for (int v = 0; v < vectors; ++v) hn::Store(lines[v], d, last[row] + half * width + v * lanes);
    }
    if (job.joins_previous(row)) {
      std::copy_n(job.joint, behind(row), first[row]);
      put_lines(first[row], shifted.target(row), std::int64_t{0}, width);
    }
    put_lines(last[row], shifted.target(row) + stop, std::int64_t{0}, end(row) - stop);
    if (job.joins_next(row, rows)) std::copy_n(last[row] + end(row) - stop, line, job.joint);
  }
}
#endif

/// All columns, `Vectors` vectors at a time.
template <int Vectors, class Block, class T>
void put_all(const Correlation<T>& job) {
  constexpr int rows = Block::rows;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  T* out[rows];
  std::copy_n(job.out, rows, out);
  const bool streams = job.streams && std::all_of(out, out + rows, [](const T* to) { return elements_behind_line(to) == 0; });
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  if constexpr (rows > 1) {
    if (job.streams && !streams) return put_shifted<Vectors, Block>(job);
  }
#endif
  const std::int64_t width = Vectors * lanes;
  // Of one row, which short rows would notice, fewer vectors where they are fewer: that is little code.
  constexpr int fewer = rows == 1 ? Vectors / 4 : Vectors;
  static_assert(fewer <= most_block_vectors);
  // Blocks of the first and of the second half of a page take turns, or each comes after the one beside it.
  constexpr std::int64_t half = half_page<std::int64_t{Vectors} * HWY_MAX_BYTES>;
  const auto parts = parts_of(job, job.n / (fewer * lanes) * (fewer * lanes), fewer * lanes);
  for (const Part<T>& part : parts) {
    if (part.begin == part.end) continue;
    const Block block{job, part.lines};  // of which nobody else knows, so that its members may stay in registers
    const std::int64_t blocks = (part.end - part.begin) / width;
    for (std::int64_t i = 0; i < blocks; ++i) {
      std::int64_t place = i;
      if (Block::may_take_turns && job.takes_turns) {
        const std::int64_t page = i / (2 * half) * (2 * half);
        const std::int64_t of_half = std::min(half, (blocks - page) / 2);
        if (i - page < 2 * of_half) place = page + (i - page) % 2 * of_half + (i - page) / 2;
      }
      const std::int64_t at = part.begin + place * width;
      V sums[rows][Vectors];
      sum_block(d, block, at, sums);
      HALATION_UNROLL
      for (int row = 0; row < rows; ++row) {
        T* const to = out[row] + at;
        if (streams) {
          HALATION_UNROLL
          for (int v = 0; v < Vectors; ++v) hn::Stream(sums[row][v], d, to + v * lanes);
        } else {
          HALATION_UNROLL
          for (int v = 0; v < Vectors; ++v) hn::StoreU(sums[row][v], d, to + v * lanes);
        }
      }
    }
    if constexpr (rows == 1) {
      for (std::int64_t at = part.begin + blocks * width; at < part.end; at += fewer * lanes) {
        V sums[1][fewer];
        sum_block(d, block, at, sums);
        for (int v = 0; v < fewer; ++v) put(d, sums[0][v], out[0] + at + v * lanes, streams);
      }
    }
  }
  std::int64_t at = parts[2].end;
  if (at == job.n) return;
  const Block block{job, parts[2].lines};
  if constexpr (rows == 1) {
    for (; at + lanes <= job.n; at += lanes) {
      V sums[1][1];
      sum_block(d, block, at, sums);
      put(d, sums[0][0], out[0] + at, streams);
    }
  }
  if (at < job.n) put_rest(block, at, job.n, out, streams);
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
