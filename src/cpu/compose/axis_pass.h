// axis_pass.h: one pass of a filter along one axis over packed sums, whatever the shape: long axes and short, thin ones and wide.
//
// An array of packed sums, seen along one of its axes, is `outer` blocks of n lines of `inner` samples each: n pixels along the
// axis, and inside of it all that varies faster. Three ways lead through it:
// - columns: lines of many samples are summed where they lie, a few outputs at a time, as rows of an image are;
// - rows: lines of few samples, many to a block: the block is one long row, whose taps stand `inner` samples apart;
// - gathered: lines of few samples and few to a block: as many blocks as fill a line are turned so that their samples lie side by
//   side, summed as columns, and turned back.
// Taps are summed in one of three ways:
// - taps: one multiply-add each;
// - matrix: where an axis is shorter than the filter, the weights that a pixel gets by way of the border are one weight: n
//   multiply-adds, however many taps. Weights that cancel must not hide NaN and infinity, nor weights of 0 spread them to outputs
//   whose filter does not reach them: lines that hold any are summed by taps;
// - box: equal weights share their sums, three additions for any number of them.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/parts/arranged_weights.h"
#include "cpu/parts/box/kernels.h"
#include "cpu/parts/box/sum.h"
#include "cpu/parts/sum_rows.h"
#include "cpu/rates.h"

namespace halation::cpu_backend {

/// What a pass has to do, enough to tell how and in what time.
struct AxisJob {
  std::int64_t outer = 1;
  std::int64_t n_in = 1;
  std::int64_t n_out = 1;
  std::int64_t inner = 1;
  std::int64_t taps = 1;
  std::int64_t lead = 0;
  bool equal_weights = false;  ///< that may be summed as a box
  bool finite_constant = true;
  int sample_bytes = 4;
};

enum class AxisWay { columns, rows, gathered };
enum class AxisSums { taps, matrix, box };

struct AxisChoice {
  AxisWay way = AxisWay::columns;
  AxisSums sums = AxisSums::taps;
};
AxisChoice choose_axis_pass(const AxisJob& job, const AxisRates& rates);
/// What a pass by such a choice takes on one thread.
double axis_pass_nanoseconds(const AxisJob& job, const AxisChoice& choice, const AxisRates& rates);

template <class Sum>
class AxisPass {
 public:
  /// `outside` stands for samples outside, where the border is a constant. Weights are used as they are.
  AxisPass(const AxisJob& job, const std::vector<double>& weights, const BorderTable& border, double outside);

  /// Scratch of one worker.
  std::int64_t scratch_bytes() const;
  std::int64_t tasks(std::int64_t outer) const;
  /// One of `tasks` parts of the outputs, from packed sums to packed sums. Neither is read or written behind
  /// its end.
  void run(std::int64_t task, std::int64_t outer, const Sum* in, Sum* out, Scratch scratch) const;

  const AxisChoice& choice() const { return choice_; }

 private:
  /// Outputs [begin, end) along the axis.
  struct Range {
    std::int64_t begin, end;
  };

  Range outputs_of(std::int64_t segment) const;

  void run_columns(std::int64_t task, const Sum* in, Sum* out, Scratch scratch) const;
  void run_row(std::int64_t task, const Sum* in, Sum* out, Scratch scratch) const;
  void run_gathered(std::int64_t task, std::int64_t outer, const Sum* in, Sum* out, Scratch scratch) const;

  /// Sums over lines of n samples: output o from lines at in + source · in_pitch to out + o · out_pitch.
  void sum_lines(const Sum* in, std::int64_t in_pitch, Sum* out, std::int64_t out_pitch, std::int64_t n,
                 Range outputs, Scratch scratch) const;
  template <class LineAt>
  void sum_taps(const LineAt& line_at, Sum* out, std::int64_t out_pitch, std::int64_t n, Range outputs,
                Scratch scratch) const;
  /// False where a sum is not finite.
  bool sum_matrix(const Sum* in, std::int64_t in_pitch, const Sum* constant, Sum* out, std::int64_t out_pitch,
                  std::int64_t n, Range outputs, Scratch scratch) const;
  template <class LineAt>
  void sum_low_box(const LineAt& line_at, Sum* out, std::int64_t out_pitch, std::int64_t n, Range outputs,
                   Scratch scratch) const;
  template <class LineAt>
  void sum_box(const LineAt& line_at, Sum* out, std::int64_t out_pitch, std::int64_t n, Range outputs,
               Scratch scratch) const;
  std::int64_t lines_scratch_bytes(std::int64_t n) const;

  void fold(const std::vector<double>& weights);
  void cut();

  AxisJob job_;
  AxisChoice choice_;
  const BorderTable& border_;
  Sum outside_;
  Sum weight_ = 1;  ///< of a box
  const Kernels<Sum>& kernels_;
  const BoxKernels<Sum>& box_;
  BoxSum box_sum_;
  ArrangedWeights<Sum> weights_;
  std::vector<Sum> matrix_;    ///< `rows_at_once` outputs after another: line j's weight for output r at j · rows_at_once + r
  std::int64_t parts_ = 1;     ///< of a line
  std::int64_t segments_ = 1;  ///< of the outputs along the axis
  std::int64_t blocks_ = 1;    ///< that are gathered at once, or rows of a task
};

}  // namespace halation::cpu_backend
