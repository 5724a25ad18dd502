// axis_pass.cpp: how one axis is summed, and in what time.
#include "cpu/compose/axis_pass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "cpu/tiles/copy_bytes.h"

namespace halation::cpu_backend {
namespace {

/// Lines of fewer samples are no work for vectors.
constexpr std::int64_t least_line = line_slack;
/// Boxes of so many taps and more share suffixes and prefixes of blocks; lower ones the lines that outputs
/// made at once share.
constexpr std::int64_t least_block = 24;
/// Boxes of fewer taps cost no less than their taps.
constexpr std::int64_t least_box = 8;
/// The lines that are summed at a time should stay in the second-level cache.
constexpr std::int64_t cache_bytes = 192 << 10;
constexpr std::int64_t most_part = 1024;
constexpr std::int64_t least_part = 32;
/// Samples of a row, or of gathered blocks, that are worth a task.
constexpr std::int64_t task_samples = 8 << 10;
constexpr std::int64_t most_blocks = 256;
/// Weights of a matrix, and taps that are folded into it.
constexpr std::int64_t most_matrix = 1 << 16;
constexpr std::int64_t most_folded = 1 << 21;

std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

/// Whether a matrix of the axis is small, and soon made.
bool may_be_matrix(const AxisJob& job) {
  return job.finite_constant && job.n_in < job.taps && job.n_in * job.n_out <= most_matrix &&
         job.n_out * job.taps <= most_folded;
}

/// Nanoseconds for all outputs over lines of n samples, of one block.
double lines_time(const AxisJob& job, const AxisRates& r, AxisSums sums, std::int64_t n) {
  const double wide = job.sample_bytes == 8 ? 2 : 1;
  const auto samples = static_cast<double>(rounded_up(n, 32 / job.sample_bytes)) * wide;
  const auto n_out = static_cast<double>(job.n_out);
  const auto taps = static_cast<double>(job.taps);
  const bool several = job.n_out >= rows_at_once;
  switch (sums) {
    case AxisSums::taps:
      return n_out *
             ((several ? r.call / 3 : r.call) + samples * taps * (several ? r.multiply_add : r.single));
    case AxisSums::matrix:
      return std::ceil(n_out / rows_at_once) *
             (r.call + samples * rows_at_once * static_cast<double>(job.n_in) * r.multiply_add);
    case AxisSums::box:
      if (job.taps < least_block) return n_out * (r.call / 3 + samples * (taps / 4 + 2) * r.multiply_add * 2);
      return (n_out + taps) * (r.call + samples * r.box);
  }
  return 0;
}

/// The same of a row.
double row_time(const AxisJob& job, const AxisRates& r, AxisSums sums) {
  const double wide = job.sample_bytes == 8 ? 2 : 1;
  const auto samples = static_cast<double>(rounded_up(job.n_out * job.inner, 32 / job.sample_bytes)) * wide;
  const auto halo = static_cast<double>((job.taps - 1) * job.inner);
  const auto taps = static_cast<double>(job.taps);
  const double staged = 4 * r.call + samples * r.copied_sample + halo * r.outside_sample;
  if (sums == AxisSums::box)
    return staged + (samples + halo * wide) * (2 + std::log2(taps)) * r.copied_sample;
  return staged + samples * taps * r.single;
}

/// put(line, sample) for each sample of `count` blocks of n pixels, one after another, and its place in the
/// line of its pixel.
template <class Sample, class LineAt, class Put>
void turn(Sample* samples, std::int64_t n, std::int64_t count, std::int64_t inner, const LineAt& line_at,
          const Put& put) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t s = 0; s < inner; ++s) {
      auto* line = line_at(i, s);
      Sample* sample = samples + i * inner + s;
      for (std::int64_t block = 0; block < count; ++block, line += inner, sample += n * inner)
        put(line, sample);
    }
  }
}

}  // namespace

double axis_pass_nanoseconds(const AxisJob& job, const AxisChoice& choice, const AxisRates& rates) {
  const auto outer = static_cast<double>(job.outer);
  switch (choice.way) {
    case AxisWay::columns:
      return outer * lines_time(job, rates, choice.sums, job.inner);
    case AxisWay::rows:
      return outer * row_time(job, rates, choice.sums);
    case AxisWay::gathered: {
      const std::int64_t blocks = std::min(job.outer, most_blocks);
      const double turns = std::ceil(outer / static_cast<double>(blocks));
      const auto turned = static_cast<double>((job.n_in + job.n_out) * job.inner) * (job.sample_bytes == 8 ? 1.5 : 1);
      return outer * turned * rates.gathered_sample + turns * lines_time(job, rates, choice.sums, blocks * job.inner);
    }
  }
  throw std::logic_error("no such way along an axis");
}

AxisChoice choose_axis_pass(const AxisJob& job, const AxisRates& rates) {
  AxisChoice best;
  double least = std::numeric_limits<double>::infinity();
  const auto offer = [&](AxisWay way, AxisSums sums) {
    const AxisChoice choice{way, sums};
    const double nanoseconds = axis_pass_nanoseconds(job, choice, rates);
    if (nanoseconds >= least) return;
    least = nanoseconds;
    best = choice;
  };
  const auto offer_sums = [&](AxisWay way) {
    offer(way, AxisSums::taps);
    if (job.equal_weights && job.taps >= least_box) offer(way, AxisSums::box);
    if (way != AxisWay::rows && may_be_matrix(job)) offer(way, AxisSums::matrix);
  };
  if (job.inner >= least_line) {
    offer_sums(AxisWay::columns);
    return best;
  }
  offer_sums(AxisWay::rows);
  if ((job.n_in + job.n_out) * job.inner * job.sample_bytes <= 64 << 10) offer_sums(AxisWay::gathered);
  return best;
}

template <class Sum>
AxisPass<Sum>::AxisPass(const AxisJob& job, const std::vector<double>& weights, const BorderTable& border,
                        double outside)
    : job_(job),
      choice_(choose_axis_pass(job, rates().axis)),
      border_(border),
      outside_(static_cast<Sum>(outside)),
      kernels_(best_kernels<Sum>()),
      box_(best_box_kernels<Sum>()),
      box_sum_(job.taps) {
  if (choice_.sums == AxisSums::box) {
    weight_ = static_cast<Sum>(weights.front());
  } else {
    const bool along_rows = choice_.way == AxisWay::rows;
    weights_ = ArrangedWeights<Sum>(weights, along_rows ? Space{1, 1, job.taps} : Space{1, job.taps, 1}, kernels_, along_rows ? job.inner : 1);
  }
  if (choice_.sums == AxisSums::matrix) fold(weights);
  cut();
}

/// The weights of each pixel inside, and of the constant behind them, for each output.
template <class Sum>
void AxisPass<Sum>::fold(const std::vector<double>& weights) {
  const std::int64_t lines = job_.n_in + 1;
  matrix_.resize(static_cast<std::size_t>(rounded_up(job_.n_out, rows_at_once) * lines));
  std::vector<double> folded(static_cast<std::size_t>(lines));
  std::vector<Sum> rounded(folded.size());
  for (std::int64_t o = 0; o < job_.n_out; ++o) {
    std::fill(folded.begin(), folded.end(), 0.0);
    for (std::int64_t k = 0; k < job_.taps; ++k) {
      const std::int64_t source = border_.source(o + job_.lead + k);
      folded[static_cast<std::size_t>(source < 0 ? job_.n_in : source)] +=
          weights[static_cast<std::size_t>(k)];
    }
    std::transform(folded.begin(), folded.end(), rounded.begin(), [](double weight) { return static_cast<Sum>(weight); });
    // Kernels add up one line after the other.
    if (sum_up_to_1(folded)) keep_ones<Sum>(rounded, [&] { return std::accumulate(rounded.begin(), rounded.end(), Sum(0)); });
    Sum* group = matrix_.data() + o / rows_at_once * rows_at_once * lines;
    for (std::int64_t j = 0; j < lines; ++j) group[j * rows_at_once + o % rows_at_once] = rounded[static_cast<std::size_t>(j)];
  }
}

/// Parts that stay in the cache, and as many as threads can share.
template <class Sum>
void AxisPass<Sum>::cut() {
  const auto bytes = static_cast<std::int64_t>(sizeof(Sum));
  switch (choice_.way) {
    case AxisWay::columns: {
      const std::int64_t lines = choice_.sums == AxisSums::matrix ? job_.n_in : job_.taps + rows_at_once;
      const std::int64_t part = std::clamp(cache_bytes / (lines * bytes), least_part, most_part);
      parts_ = std::max<std::int64_t>(1, std::min((job_.inner + part - 1) / part, job_.inner / least_line));
      const std::int64_t part_samples = (job_.inner + parts_ - 1) / parts_;
      // Boxes begin each segment with a block of their own.
      const std::int64_t least = 4 * (choice_.sums == AxisSums::box ? job_.taps : std::int64_t{rows_at_once});
      segments_ = std::clamp<std::int64_t>(job_.n_out * part_samples / task_samples, 1,
                                           std::max<std::int64_t>(1, job_.n_out / least));
      break;
    }
    case AxisWay::rows: {
      const std::int64_t least = std::max(4 * job_.taps, task_samples / job_.inner);
      segments_ = std::max<std::int64_t>(1, job_.n_out / least);
      blocks_ = std::max<std::int64_t>(1, task_samples / (job_.n_out * job_.inner));
      break;
    }
    case AxisWay::gathered: {
      const std::int64_t fit = cache_bytes / ((job_.n_in + job_.n_out) * job_.inner * bytes);
      blocks_ = std::clamp<std::int64_t>(fit, least_line, most_blocks);
      break;
    }
  }
}

/// Segments of a matrix begin where a group of its outputs does: each output is made, and written, in one of them only.
template <class Sum>
typename AxisPass<Sum>::Range AxisPass<Sum>::outputs_of(std::int64_t segment) const {
  const std::int64_t group = choice_.sums == AxisSums::matrix ? std::int64_t{rows_at_once} : 1;
  const auto begin_of = [&](std::int64_t at) { return at == segments_ ? job_.n_out : job_.n_out * at / segments_ / group * group; };
  return {begin_of(segment), begin_of(segment + 1)};
}

template <class Sum>
std::int64_t AxisPass<Sum>::tasks(std::int64_t outer) const {
  switch (choice_.way) {
    case AxisWay::columns:
      return outer * parts_ * segments_;
    case AxisWay::rows:
      return (outer + blocks_ - 1) / blocks_ * segments_;
    case AxisWay::gathered:
      return (outer + blocks_ - 1) / blocks_;
  }
  return 0;
}

template <class Sum>
std::int64_t AxisPass<Sum>::lines_scratch_bytes(std::int64_t n) const {
  const std::int64_t line = line_pitch<Sum>(n);
  const std::int64_t constant = Scratch::bytes<Sum>(line);
  switch (choice_.sums) {
    case AxisSums::taps:
      return constant + Pointers<Sum>::bytes(1, job_.taps);
    case AxisSums::matrix:  // and where that fails, the taps
      return constant + std::max(constant + Scratch::bytes<const Sum*>(job_.n_in + 1), Pointers<Sum>::bytes(1, job_.taps));
    case AxisSums::box:
      break;
  }
  if (job_.taps < least_block) return constant + Scratch::bytes<const Sum*>(job_.taps + rows_at_once - 1);
  return constant + Scratch::bytes<Sum>((job_.taps + rows_at_once + 1) * line) +
         Scratch::bytes<Sum*>(job_.taps);
}

template <class Sum>
std::int64_t AxisPass<Sum>::scratch_bytes() const {
  switch (choice_.way) {
    case AxisWay::columns:
      return lines_scratch_bytes((job_.inner + parts_ - 1) / parts_);
    case AxisWay::rows: {
      const std::int64_t outputs = (job_.n_out + segments_ - 1) / segments_;
      const std::int64_t wide = line_pitch<Sum>((outputs + job_.taps - 1) * job_.inner);
      return Scratch::bytes<Sum>(4 * wide) + Pointers<Sum>::bytes(1, 1);
    }
    case AxisWay::gathered: {
      const std::int64_t n = blocks_ * job_.inner;
      return Scratch::bytes<Sum>((job_.n_in + job_.n_out) * line_pitch<Sum>(n)) + lines_scratch_bytes(n);
    }
  }
  return 0;
}

template <class Sum>
void AxisPass<Sum>::run(std::int64_t task, std::int64_t outer, const Sum* in, Sum* out,
                        Scratch scratch) const {
  switch (choice_.way) {
    case AxisWay::columns:
      return run_columns(task, in, out, scratch);
    case AxisWay::gathered:
      return run_gathered(task, outer, in, out, scratch);
    case AxisWay::rows:
      break;
  }
  const std::int64_t first = task / segments_ * blocks_;
  for (std::int64_t block = first; block < std::min(outer, first + blocks_); ++block) {
    run_row(block * segments_ + task % segments_, in, out, scratch);
  }
}

template <class Sum>
void AxisPass<Sum>::run_columns(std::int64_t task, const Sum* in, Sum* out, Scratch scratch) const {
  const std::int64_t part = task % parts_;
  const std::int64_t segment = task / parts_ % segments_;
  const std::int64_t block = task / parts_ / segments_;
  const std::int64_t begin = job_.inner * part / parts_;
  const std::int64_t end = job_.inner * (part + 1) / parts_;
  sum_lines(in + block * job_.n_in * job_.inner + begin, job_.inner,
            out + block * job_.n_out * job_.inner + begin, job_.inner, end - begin,
            outputs_of(segment), scratch);
}

template <class Sum>
void AxisPass<Sum>::run_row(std::int64_t task, const Sum* in, Sum* out, Scratch scratch) const {
  const std::int64_t segment = task % segments_;
  const std::int64_t block = task / segments_;
  const Range outputs = outputs_of(segment);
  const std::int64_t inner = job_.inner;
  const std::int64_t n = (outputs.end - outputs.begin) * inner;
  const std::int64_t wide =
      line_pitch<Sum>(((job_.n_out + segments_ - 1) / segments_ + job_.taps - 1) * inner);
  auto* line = scratch.take<Sum>(4 * wide);
  const Sum* from = in + block * job_.n_in * inner;
  Sum* to = out + (block * job_.n_out + outputs.begin) * inner;

  const std::int64_t low = outputs.begin + job_.lead;
  const std::int64_t high = outputs.end + job_.lead + job_.taps - 1;
  const std::int64_t inside_low = std::clamp<std::int64_t>(0, low, high);
  const std::int64_t inside_high = std::clamp<std::int64_t>(job_.n_in, inside_low, high);
  const auto outside = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      const std::int64_t source = border_.source(c);
      Sum* sample = line + (c - low) * inner;
      if (source < 0) {
        std::fill_n(sample, inner, outside_);
      } else {
        copy_pixel(from + source * inner, inner, sample);
      }
    }
  };
  outside(low, inside_low);
  copy_bytes(from + inside_low * inner, line + (inside_low - low) * inner,
             (inside_high - inside_low) * inner * static_cast<std::int64_t>(sizeof(Sum)));
  outside(inside_high, high);

  if (choice_.sums == AxisSums::box) {
    Sum* sums = line + 3 * wide;
    box_sum_.template sum<Sum, Sum>(box_.steps, line, inner, weight_, {line + wide, line + 2 * wide}, sums, n);
    std::copy_n(sums, n, to);
    return;
  }
  const Pointers<Sum> pointers(scratch, 1, 1);
  const Correlation<Sum> across{.lines = nullptr,
                                .weights = nullptr,
                                .planes = 1,
                                .taps_y = 1,
                                .taps_x = job_.taps,
                                .tap_stride = inner,
                                .out = nullptr,
                                .n = n};
  correlate(kernels_, across, weights_, 1, pointers, &to, [&](std::int64_t, std::int64_t) { return line; });
}

template <class Sum>
void AxisPass<Sum>::run_gathered(std::int64_t task, std::int64_t outer, const Sum* in, Sum* out,
                                 Scratch scratch) const {
  const std::int64_t first = task * blocks_;
  const std::int64_t count = std::min(blocks_, outer - first);
  const std::int64_t inner = job_.inner;
  const std::int64_t n = count * inner;
  const std::int64_t pitch = line_pitch<Sum>(blocks_ * inner);
  auto* samples = scratch.take<Sum>((job_.n_in + job_.n_out) * pitch);
  auto* sums = samples + job_.n_in * pitch;
  // Line i holds pixel i of all blocks, samples of a pixel one after another.
  turn(
      in + first * job_.n_in * inner, job_.n_in, count, inner,
      [&](std::int64_t i, std::int64_t at) { return samples + i * pitch + at; },
      [](Sum* line, const Sum* sample) { *line = *sample; });
  sum_lines(samples, pitch, sums, pitch, n, {0, job_.n_out}, scratch);
  turn(
      out + first * job_.n_out * inner, job_.n_out, count, inner,
      [&](std::int64_t o, std::int64_t at) { return sums + o * pitch + at; },
      [](const Sum* line, Sum* sample) { *sample = *line; });
}

template <class Sum>
void AxisPass<Sum>::sum_lines(const Sum* in, std::int64_t in_pitch, Sum* out, std::int64_t out_pitch,
                              std::int64_t n, Range outputs, Scratch scratch) const {
  auto* constant = scratch.take<Sum>(line_pitch<Sum>(n));
  std::fill_n(constant, n, outside_);
  // Line t of those that output 0 sees first.
  const auto line_at = [&](std::int64_t t) -> const Sum* {
    const std::int64_t source = border_.source(t + job_.lead);
    return source < 0 ? constant : in + source * in_pitch;
  };
  switch (choice_.sums) {
    case AxisSums::taps:
      return sum_taps(line_at, out, out_pitch, n, outputs, scratch);
    case AxisSums::matrix:
      if (!sum_matrix(in, in_pitch, constant, out, out_pitch, n, outputs, scratch))
        sum_taps(line_at, out, out_pitch, n, outputs, scratch);
      return;
    case AxisSums::box:
      break;
  }
  if (job_.taps < least_block) return sum_low_box(line_at, out, out_pitch, n, outputs, scratch);
  sum_box(line_at, out, out_pitch, n, outputs, scratch);
}

template <class Sum>
template <class LineAt>
void AxisPass<Sum>::sum_taps(const LineAt& line_at, Sum* out, std::int64_t out_pitch, std::int64_t n,
                             Range outputs, Scratch scratch) const {
  const Pointers<Sum> pointers(scratch, 1, job_.taps);
  const Correlation<Sum> down{.lines = nullptr,
                              .weights = nullptr,
                              .planes = 1,
                              .taps_y = job_.taps,
                              .taps_x = 1,
                              .tap_stride = 1,
                              .out = nullptr,
                              .n = n};
  for (std::int64_t o = outputs.begin; o < outputs.end; o += rows_at_once) {
    const auto rows = static_cast<int>(std::min<std::int64_t>(rows_at_once, outputs.end - o));
    std::array<Sum*, rows_at_once> to{};
    for (int row = 0; row < rows; ++row) to[static_cast<std::size_t>(row)] = out + (o + row) * out_pitch;
    correlate(kernels_, down, weights_, rows, pointers, to.data(),
              [&](std::int64_t, std::int64_t j) { return line_at(o + j); });
  }
}

template <class Sum>
bool AxisPass<Sum>::sum_matrix(const Sum* in, std::int64_t in_pitch, const Sum* constant, Sum* out,
                               std::int64_t out_pitch, std::int64_t n, Range outputs, Scratch scratch) const {
  auto* none = scratch.take<Sum>(line_pitch<Sum>(n));  // where a group has fewer outputs
  auto** lines = scratch.take<const Sum*>(job_.n_in + 1);
  for (std::int64_t j = 0; j < job_.n_in; ++j) lines[j] = in + j * in_pitch;
  lines[job_.n_in] = constant;
  for (std::int64_t o = outputs.begin; o < outputs.end; o += rows_at_once) {
    std::array<Sum*, rows_at_once> to{};
    for (std::int64_t row = 0; row < rows_at_once; ++row) {
      to[static_cast<std::size_t>(row)] = o + row < outputs.end ? out + (o + row) * out_pitch : none;
    }
    kernels_.mix_lines({.lines = lines,
                        .weights = matrix_.data() + o * (job_.n_in + 1),
                        .planes = 1,
                        .taps_y = job_.n_in + (outside_ != 0 ? 1 : 0),
                        .taps_x = 1,
                        .tap_stride = 1,
                        .out = to.data(),
                        .n = n});
  }
  // A pixel that is not finite leaves no sum of its column finite, since 0 times such is NaN.
  const Sum* first = out + outputs.begin * out_pitch;
  return std::all_of(first, first + n, [](Sum sum) { return std::isfinite(sum); });
}

template <class Sum>
template <class LineAt>
void AxisPass<Sum>::sum_low_box(const LineAt& line_at, Sum* out, std::int64_t out_pitch, std::int64_t n,
                                Range outputs, Scratch scratch) const {
  auto** lines = scratch.take<const Sum*>(job_.taps + rows_at_once - 1);
  for (std::int64_t o = outputs.begin; o < outputs.end;) {
    const std::int64_t rows = n >= least_line && o + rows_at_once <= outputs.end ? rows_at_once : 1;
    std::array<Sum*, rows_at_once> to{};
    for (std::int64_t row = 0; row < rows; ++row)
      to[static_cast<std::size_t>(row)] = out + (o + row) * out_pitch;
    for (std::int64_t j = 0; j < job_.taps + rows - 1; ++j) lines[j] = line_at(o + j);
    const Columns<Sum> job{
        .lines = lines, .weight = weight_, .out = to.data(), .taps = job_.taps, .n = n, .streams = false};
    (rows == 1 ? box_.column : box_.columns)(job);
    o += rows;
  }
}

/// The first outputs of a block of `taps` lines are its suffixes and the next block's prefixes.
template <class Sum>
template <class LineAt>
void AxisPass<Sum>::sum_box(const LineAt& line_at, Sum* out, std::int64_t out_pitch, std::int64_t n,
                            Range outputs, Scratch scratch) const {
  const std::int64_t taps = job_.taps;
  const std::int64_t pitch = line_pitch<Sum>(n);
  auto* weighed = scratch.take<Sum>((taps + rows_at_once + 1) * pitch);
  auto* newer = weighed + taps * pitch;
  auto* prefix = newer + rows_at_once * pitch;
  auto** suffixes = scratch.take<Sum*>(taps);
  const auto weigh = [&](std::int64_t t, Sum* to) {
    const Sum* line = line_at(t);
    kernels_.correlate_row({.lines = &line,
                            .weights = &weight_,
                            .planes = 1,
                            .taps_y = 1,
                            .taps_x = 1,
                            .tap_stride = 1,
                            .out = &to,
                            .n = n});
  };
  for (std::int64_t begin = outputs.begin; begin < outputs.end; begin += taps) {
    for (std::int64_t j = 0; j < taps; ++j) {
      suffixes[j] = weighed + j * pitch;
      weigh(begin + j, suffixes[j]);
    }
    box_.suffixes(suffixes, taps, n);
    const std::int64_t end = std::min(outputs.end, begin + taps);
    for (std::int64_t o = begin; o < end; o += rows_at_once) {
      const auto rows = static_cast<int>(std::min<std::int64_t>(rows_at_once, end - o));
      std::array<const Sum*, rows_at_once> lines{};
      std::array<Sum*, rows_at_once> to{};
      for (int row = 0; row < rows; ++row) {
        const auto r = static_cast<std::size_t>(row);
        to[r] = out + (o + row) * out_pitch;
        lines[r] = newer + row * pitch;
        if (o + row > begin) weigh(o + row + taps - 1, newer + row * pitch);
      }
      box_.join({.suffixes = suffixes + (o - begin),
                 .newer = lines.data(),
                 .out = to.data(),
                 .prefix = prefix,
                 .rows = rows,
                 .starts = o == begin,
                 .n = n,
                 .streams = false,
                 .ahead = lines});
    }
  }
}

template class AxisPass<float>;
template class AxisPass<double>;

}  // namespace halation::cpu_backend
