// output-inl.h: how rows of sums go to memory, for each instruction set. Included by parts/kernels.cpp once a target.
//
// Large outputs go past the caches, whole cache lines of 64 bytes at a time: a line that is written in parts is read first. Rows that
// begin on no cache line are shifted in registers: each line is made of the last sums of the vectors before and the first of those
// that follow, so that what was just summed stays behind until the next block.

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Whether vectors are shifted by any number of elements in an instruction or two.
inline constexpr bool shifts_rows = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2;

/// Elements of a cache line.
template <class T>
inline constexpr std::int64_t line_elements = 64 / static_cast<std::int64_t>(sizeof(T));

template <class T>
std::int64_t elements_behind_line(const T* to) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % 64 / sizeof(T));
}

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

/// Elements [begin, end) of lines that go to `target`: whole lines past the caches. Part of the first one is another's where `begin` is
/// not 0, and part of the last one where `end` is within it.
template <class T>
HWY_NOINLINE void put_lines(const T* lines, T* target, std::int64_t begin, std::int64_t end) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr std::int64_t line = line_elements<T>;
  std::int64_t at = begin;
  while (at < end) {
    const std::int64_t next = std::min(end, at / line * line + line);
    if (next - at == line) {
      for (std::int64_t i = at; i < next; i += lanes) hn::Stream(hn::Load(d, lines + i), d, target + i);
    } else {
      std::copy(lines + at, lines + next, target + at);
    }
    at = next;
  }
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
