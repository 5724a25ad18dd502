// correlate-inl.h: sums of weighted lines, for each instruction set. Included by kernels.cpp once a target.
//
// Every method ends here: a direct filter sums over planes, lines and taps; a separable one calls it once an axis. A block of
// `rows` × `vectors` sums stays in registers; each loaded vector serves all rows whose filter covers its line, so that
// rows · vectors multiply-adds cost vectors loads and rows broadcasts.

HWY_BEFORE_NAMESPACE();
namespace halation::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Sums that fit in registers beside the loaded vectors and a weight: 32 registers with AVX-512 and NEON, else 16.
inline constexpr int vectors_in_registers = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON ? 4 : 2;

/// Adds one line to rows First…Last; `weights` are those of row First, and each further row's stand one filter line before.
template <int First, int Last, int Vectors, class D, class Sums, class T>
HWY_INLINE void add_line(D d, const T* HWY_RESTRICT line, const T* HWY_RESTRICT weights, std::int64_t taps,
                         std::int64_t tap_stride, Sums& sums) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t k = 0; k < taps; ++k) {
    hn::Vec<D> values[Vectors];
    for (int v = 0; v < Vectors; ++v) values[v] = hn::LoadU(d, line + k * tap_stride + v * lanes);
    for (int row = First; row <= Last; ++row) {
      const auto weight = hn::Set(d, weights[k - (row - First) * taps]);
      for (int v = 0; v < Vectors; ++v) sums[row][v] = hn::MulAdd(weight, values[v], sums[row][v]);
    }
  }
}

/// Picks the rows First…Last, known only at run time where the filter begins or ends, out of the Rows × Rows combinations.
template <int Rows, int Vectors, int Choice, class D, class Sums, class T>
HWY_INLINE void add_line_to(int choice, D d, const T* line, const T* weights, std::int64_t taps,
                            std::int64_t tap_stride, Sums& sums) {
  if constexpr (Choice < Rows * Rows) {
    constexpr int first = Choice / Rows;
    constexpr int last = Choice % Rows;
    if constexpr (first <= last) {
      if (choice == Choice) {
        add_line<first, last, Vectors>(d, line, weights, taps, tap_stride, sums);
        return;
      }
    }
    add_line_to<Rows, Vectors, Choice + 1>(choice, d, line, weights, taps, tap_stride, sums);
  }
}

template <int Rows, int Vectors, class T>
HWY_INLINE void correlate_at(const Correlation<T>& job, std::int64_t at) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sums[Rows][Vectors];
  for (int row = 0; row < Rows; ++row) {
    for (int v = 0; v < Vectors; ++v) sums[row][v] = hn::Zero(d);
  }
  const std::int64_t lines = job.taps_y + Rows - 1;
  for (std::int64_t plane = 0; plane < job.planes; ++plane) {
    for (std::int64_t j = 0; j < lines; ++j) {
      const int first = static_cast<int>(std::max<std::int64_t>(0, j - job.taps_y + 1));
      const int last = static_cast<int>(std::min<std::int64_t>(Rows - 1, j));
      const T* line = job.lines[plane * lines + j] + at;
      const T* weights = job.weights + (plane * job.taps_y + j - first) * job.taps_x;
      if (first == 0 && last == Rows - 1) {
        add_line<0, Rows - 1, Vectors>(d, line, weights, job.taps_x, job.tap_stride, sums);
      } else {
        add_line_to<Rows, Vectors, 0>(first * Rows + last, d, line, weights, job.taps_x, job.tap_stride, sums);
      }
    }
  }
  for (int row = 0; row < Rows; ++row) {
    for (int v = 0; v < Vectors; ++v) hn::StoreU(sums[row][v], d, job.out[row] + at + v * lanes);
  }
}

template <int Rows, int Vectors, class T>
void correlate(const Correlation<T>& job) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  std::int64_t at = 0;
  for (; at + Vectors * lanes <= job.n; at += Vectors * lanes) correlate_at<Rows, Vectors>(job, at);
  for (; at < job.n; at += lanes) correlate_at<Rows, 1>(job, at);  // the last may run into the lines' slack
}

}  // namespace halation::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
