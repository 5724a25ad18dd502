// fft.cpp: the family of jobs by transforms: tiles that overlap by the filter, transformed, multiplied by the filters' spectra, and
// transformed back (overlap-save). Every border is staged, so that nothing of what wraps around is kept.
#include "cpu/fft/fft.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/finite.h"
#include "core/own_box.h"
#include "core/transform.h"
#include "cpu/expected.h"
#include "cpu/families.h"
#include "cpu/fft/blocks.h"
#include "cpu/fft/lengths.h"
#include "cpu/fft/non_finite.h"
#include "cpu/fft/outliers.h"
#include "cpu/fft/own_box.h"
#include "cpu/fft/scaling.h"
#include "cpu/fft/spectrum.h"
#include "cpu/fft/tile.h"
#include "cpu/fft/windows.h"
#include "cpu/parts/kernels.h"
#include "cpu/tiles/lines.h"
#include "cpu/tiles/parallel.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {
namespace {

std::int64_t product(const Space& space) { return space[0] * space[1] * space[2]; }

/// Outliers are not worth products where filters are larger than this, or more of the samples are some.
constexpr std::size_t most_outlier_taps = 1 << 16;
constexpr double most_outliers_share = 1.0 / 16;

/// No tile is large that is smaller, whatever the image.
constexpr double large_tile_bytes = 1 << 20;

template <class Sum>
class ByTransforms final : public Runner {
 public:
  ByTransforms(std::shared_ptr<const Job> job, int workers)
      : job_(std::move(job)),
        box_(job_->filters),
        tiles_(find_lengths(*job_, box_, rates()).lengths),
        lines_(best_kernels<Sum>()),
        input_(tiles_.lengths().input()),
        made_(outputs_of(tiles_.lengths(), box_)),
        is_checked_(is_bounded_by_own_box(*job_)),
        has_marks_(is_checked_ || may_be_non_finite(*job_)),
        blocks_(*job_, tiles_.lengths(), is_checked_),
        workers_(workers) {
    const Space out = job_->out.space();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      made_[axis] = std::min(made_[axis], out[axis]);
      counts_[axis] = (out[axis] + made_[axis] - 1) / made_[axis];
    }
    const std::int64_t tasks = job_->out.batch * product(counts_) * job_->out.channels;
    // Large beside the image, a tile for each thread takes memory and is no quicker.
    const double tile_bytes = static_cast<double>(product(input_)) * sizeof(Sum);
    const bool are_large = tile_bytes > std::max(large_tile_bytes, mean_image_bytes(*job_) / 8) && product(input_) >= workers_ * shared_samples;
    const bool is_shared = product(input_) >= shared_samples && (tasks < workers_ || are_large);
    (is_shared ? within_ : over_) = workers_;
    for (const Taps& taps : job_->filters) {
      filters_.push_back({.taps = taps,
                          .spectrum = spectrum_of(taps, box_, tiles_, product(input_) >= shared_samples ? workers_ : 1),
                          .whole_sums = sums_are_whole(*job_, taps.weights),
                          .windows = Windows(taps, box_),
                          .signs = WeightSigns(taps)});
    }
    std::size_t most_taps = 1;
    for (const Taps& each : job_->filters) most_taps = std::max(most_taps, each.weights.size());
    if (!is_checked_ || most_taps > most_outlier_taps) return;
    const double share =
        std::min(most_outliers_share, rates().transforms.outliers / static_cast<double>(most_taps));
    most_outliers_ = static_cast<std::int64_t>(share * static_cast<double>(product(input_)));
    for (Filter& each : filters_) each.outlier_weights.emplace(each.taps, tiles_.kernels().lanes);
  }

  std::size_t workspace_bytes() const override { return static_cast<std::size_t>(WorkerScratch::bytes(over_, scratch_bytes())); }

  std::size_t constant_bytes() const override {
    std::size_t sum = tiles_.constant_bytes();
    for (const Filter& each : filters_) {
      sum += each.spectrum.constant_bytes() + each.signs.constant_bytes();
      if (each.outlier_weights) sum += each.outlier_weights->constant_bytes();
    }
    return sum;
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const std::int64_t of_image = product(counts_);
    const std::int64_t channels = job_->out.channels;
    const WorkerScratch own(workspace, over_, scratch_bytes());
    parallel(over_, job_->out.batch * of_image * channels, [&](int worker, std::int64_t task) {
      // Channels of a tile one after the other, while their rows are in the caches.
      Place place{.batch = task / (of_image * channels), .channel = task % channels, .begin = {}, .size = {}};
      std::int64_t index = task / channels % of_image;
      for (std::size_t axis = 3; axis-- > 0; index /= counts_[axis]) {
        place.begin[axis] = index % counts_[axis] * made_[axis];
        place.size[axis] = std::min(made_[axis], job_->out.space()[axis] - place.begin[axis]);
      }
      filter(in.batch(place.batch).channel(place.channel), outs, place, own.of(worker));
    });
  }

  std::string explain() const override {
    const Lengths& n = tiles_.lengths();
    const std::string size = n.folded ? std::to_string(input_[2]) + " samples of a row"
                                      : (input_[0] > 1 ? std::to_string(input_[0]) + "x" : "") + std::to_string(input_[1]) + "x" +
                                            std::to_string(input_[2]) + " samples";
    return std::string(lines_.instruction_set) + ", transforms of tiles of " + size + ", at most " + std::to_string(workers_) +
           (workers_ == 1 ? " thread" : " threads") + "; channels are filtered one by one";
  }

 private:
  struct Filter {
    const Taps& taps;  ///< of the job
    Spectrum<Sum> spectrum;
    bool whole_sums;
    Windows windows;
    WeightSigns signs;
    std::optional<OutlierWeights<Sum>> outlier_weights = {};
  };
  /// A tile's outputs.
  struct Place {
    std::int64_t batch, channel;
    Space begin, size;
  };
  /// Scratch of one worker.
  struct Parts {
    Sum *tile, *spectrum;
    Sum* columns;  ///< for each that works within a tile
    double* squares;
    std::uint8_t* marks;
    double* group_squares;  ///< Σx² of each group of samples
    std::int64_t* left;     ///< outputs of each filter that no round has taken
    OutlierLayer<Sum> outliers;  ///< which no transform sees
    Scratch rest{{}};       ///< for infinities
  };

  bool is_combined() const { return job_->combine == Combine::magnitude; }
  bool keeps_spectrum() const { return filters_.size() > 1; }
  std::int64_t spectrum_elements() const {
    return tiles_.lengths().along_x ? tiles_.blocks() * tiles_.block_elements() : tiles_.elements();
  }
  std::int64_t row_outputs() const { return line_pitch<double>(made_[2]); }

  std::int64_t scratch_bytes() const {
    std::int64_t bytes = Scratch::bytes<Sum>(tiles_.elements()) + Scratch::bytes<Sum>(within_ * tiles_.block_elements());
    if (keeps_spectrum()) bytes += Scratch::bytes<Sum>(spectrum_elements());
    if (is_combined()) bytes += Scratch::bytes<double>(made_[0] * made_[1] * row_outputs());
    if (!has_marks_) return bytes;
    const Space needed = needed_for(made_);
    std::int64_t most = 0;
    for (const Filter& each : filters_) most = std::max(most, each.signs.scratch_bytes(needed, made_));
    // Where outliers are taken there are no marks.
    return bytes + Scratch::bytes<double>(blocks_.groups(needed)) + Scratch::bytes<std::int64_t>(std::ssize(filters_)) +
           std::max(Scratch::bytes<std::uint8_t>(product(needed)) + most,
                    most_outliers_ > 0 ? OutlierLayer<Sum>::scratch_bytes(tiles_, needed, most_outliers_) : 0);
  }
  Parts parts_of(Scratch scratch, const Space& needed) const {
    Parts parts{};
    parts.tile = scratch.take<Sum>(tiles_.elements());
    parts.columns = scratch.take<Sum>(within_ * tiles_.block_elements());
    if (keeps_spectrum()) parts.spectrum = scratch.take<Sum>(spectrum_elements());
    if (is_combined()) parts.squares = scratch.take<double>(made_[0] * made_[1] * row_outputs());
    if (!has_marks_) return parts;
    parts.group_squares = scratch.take<double>(blocks_.groups(needed_for(made_)));
    parts.left = scratch.take<std::int64_t>(std::ssize(filters_));
    Scratch same = scratch;
    if (most_outliers_ > 0) parts.outliers = OutlierLayer<Sum>(tiles_, needed, most_outliers_, same);
    parts.marks = scratch.take<std::uint8_t>(product(needed_for(made_)));
    parts.rest = scratch;
    return parts;
  }

  template <class Piece>
  void for_each_piece(Sum* tile, const Space& size, const Piece& piece) const {
    tiles_.for_each_piece(tile, size, within_, piece);
  }
  /// Where a tile's samples begin.
  Space begin_of_samples(const Place& place) const {
    Space at = place.begin;
    for (std::size_t axis = 0; axis < 3; ++axis) at[axis] += box_.lead[axis];
    return at;
  }
  BlockedAxes blocked_axes(const Place& place) const { return blocks_.of_tile(begin_of_samples(place), needed_for(place.size)); }
  /// Of the groups of a tile, in their order, so that it is the same by any number of threads.
  double sum_of_groups(const BlockedAxes& axes, const Parts& parts) const {
    return std::accumulate(parts.group_squares, parts.group_squares + blocks_.groups(axes), 0.0);
  }

  /// Samples that so many outputs need.
  Space needed_for(Space size) const {
    for (std::size_t axis = 0; axis < 3; ++axis) size[axis] += box_.size[axis] - 1;
    return size;
  }

  void filter(const ConstView& in, std::span<const View> outs, const Place& place, Scratch scratch) const {
    Parts parts = parts_of(scratch, needed_for(place.size));
    if (is_combined()) std::fill_n(parts.squares, place.size[0] * place.size[1] * row_outputs(), 0.0);
    Round<Sum> round;
    round.facts = stage(in, place, parts, is_checked_);
    const auto samples = static_cast<double>(product(input_));
    if (is_checked_) {
      round.facts.extremes.largest = 1;
      if (!round.facts.is_moderate(samples)) find_extremes(round.facts, needed_for(place.size), parts);
    }
    if (has_marks_) {
      const bool is_fine = is_checked_ ? round.facts.passes(samples) || !round.facts.has_numbers() : round.facts.is_finite();
      round.has_marks = !is_fine && !take_outliers(round, in, place, parts);
      std::fill_n(parts.left, filters_.size(), 0);
    }
    if (round.has_marks) look_closely(round, place, parts);
    transform(round, outs, place, parts);
    double work = work_left(parts);
    while (work > 0) {
      // No more time on transforms than what is left would have taken without them.
      round = {.number = round.number + 1, .has_marks = true, .gone_from = round.strong_from};
      round.by_taps = work <= rates().transforms.outputs_by_taps * samples * round.number;
      round.facts = stage(in, place, parts, false);
      look_closely(round, place, parts);
      transform(round, outs, place, parts);
      work = work_left(parts);
    }
    if (is_combined()) store_roots(outs[0], place, parts);
  }

  /// Whether the tile is fine without its outliers, which are few.
  bool take_outliers(Round<Sum>& round, const ConstView& in, const Place& place, Parts& parts) const {
    if (most_outliers_ == 0 || !round.facts.is_finite() || !round.facts.has_blocks()) return false;
    const Sum from = round.facts.outliers_from(static_cast<double>(product(input_)));
    const bool are_all = from <= least_outlier<Sum>;
    const auto most = static_cast<std::int64_t>((are_all ? rates().transforms.marks : 1) *
                                                static_cast<double>(most_outliers_));
    if (!parts.outliers.take(parts.tile, from, most, within_)) return false;
    const TileFacts<Sum> all = round.facts;
    find_extremes(round.facts, needed_for(place.size), parts);
    if (!are_all || !round.facts.has_numbers()) return true;
    stage(in, place, parts, false);
    parts.outliers.take_none();
    round.facts = all;
    return false;
  }

  void find_extremes(TileFacts<Sum>& facts, const Space& needed, const Parts& parts) const {
    SharedFacts<Sum> all;
    for_each_piece(parts.tile, needed, [&](std::int64_t, std::int64_t, std::int64_t, std::int64_t n, const Sum* line, int) {
      all.add(tiles_.kernels().extremes(line, n));
    });
    facts.extremes = all.facts().extremes;
  }

  /// Multiply-adds of all outputs that no round has taken.
  double work_left(const Parts& parts) const {
    double work = 0;
    for (std::size_t f = 0; has_marks_ && f < filters_.size(); ++f)
      work += static_cast<double>(parts.left[f]) * static_cast<double>(product(filters_[f].taps.size));
    return work;
  }

  /// The tile's samples, those that no output needs 0, and what they are like.
  TileFacts<Sum> stage(const ConstView& in, const Place& place, const Parts& parts, bool with_squares) const {
    const Lines<Sum> source(*job_, in, 1, lines_.load[static_cast<std::size_t>(in.pixel)]);
    const Space needed = needed_for(place.size);
    const BlockedAxes axes = blocked_axes(place);
    const Space at = begin_of_samples(place);
    SharedFacts<Sum> all;
    tiles_.clear_padding(parts.tile);
    const auto stage_group = [&](std::int64_t index, int, bool is_inside, bool is_block, const auto& for_rows) {
      std::array<const Sum*, most_rows_together> rows;
      std::int64_t count = 0, length = 0;
      double squares = 0;
      const auto look = [&] {
        if (count == 0) return;
        PartSums<Sum> found = tiles_.kernels().part_sums(rows.data(), count, length, blocks_.most_columns());
        squares += found.all;
        if (!is_block) found.least = std::numeric_limits<Sum>::infinity();
        all.add(found);
        count = 0;
      };
      for_rows([&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, Sum* line) {
        const bool is_needed = z < needed[0] && y < needed[1];
        const std::int64_t needed_here = is_needed ? std::clamp<std::int64_t>(needed[2] - x, 0, n) : 0;
        if (needed_here > 0) source.stage(at[0] + z, at[1] + y, at[2] + x, at[2] + x + needed_here, line);
        std::fill(line + needed_here, line + n, Sum(0));
        const std::int64_t low = std::clamp<std::int64_t>(axes[2].low - x, 0, needed_here);
        const std::int64_t high = std::clamp<std::int64_t>(axes[2].high - x, low, needed_here);
        if (!is_inside || low == high) return;
        if (!with_squares) {
          all.add(tiles_.kernels().extremes(line + low, high - low));
          return;
        }
        if (high - low != length) look();  // only of a folded tile, at the ends
        length = high - low;
        rows[static_cast<std::size_t>(count++)] = line + low;
      });
      look();
      if (with_squares) parts.group_squares[index] = squares;
    };
    blocks_.for_each_group(tiles_, parts.tile, axes, within_, stage_group);
    TileFacts<Sum> facts = all.facts();
    if (with_squares) facts.squares = sum_of_groups(axes, parts);
    return facts;
  }

  /// Leaves out what a round leaves out, and marks what all samples are.
  void look_closely(Round<Sum>& round, const Place& place, const Parts& parts) const {
    const Space needed = needed_for(place.size);
    const auto marks_at = [&](std::int64_t z, std::int64_t y, std::int64_t x) { return parts.marks + (z * needed[1] + y) * needed[2] + x; };
    const auto samples = static_cast<double>(product(input_));
    const bool is_whole = round.number == 0 && round.facts.is_finite();
    if (is_whole) {
      std::fill_n(parts.marks, product(needed), mark::zero);
    } else {
      SharedFacts<Sum> left;
      for_each_piece(parts.tile, needed, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, Sum* line, int) {
        if (tiles_.kernels().leave_out(line, n, round.gone_from, round.number == 0, marks_at(z, y, x))) left.add_infinity();
        left.add(tiles_.kernels().extremes(line, n));
      });
      round.facts = left.facts();
    }
    double scale = 1;
    if (is_checked_ && !round.by_taps && !(is_whole && round.facts.squares_are_right(samples)) && round.facts.has_numbers()) {
      scale = power_of_2<double>(-std::ilogb(round.facts.extremes.largest));
      const BlockedAxes axes = blocked_axes(place);
      blocks_.for_each_group(tiles_, parts.tile, axes, within_, [&](std::int64_t index, int, bool, bool, const auto& for_rows) {
        double sum = 0;
        for_rows([&](std::int64_t, std::int64_t, std::int64_t, std::int64_t n, const Sum* line) {
          sum += tiles_.kernels().sum_of_squares(line, scale, n);
        });
        parts.group_squares[index] = sum;
      });
      round.facts.squares = sum_of_groups(axes, parts);
    }
    if (!is_checked_) round.strong_from = std::numeric_limits<Sum>::min();
    if (is_checked_ && !round.by_taps) round.strong_from = strong_from<Sum>(round.facts.squares, scale, samples);
    for_each_piece(parts.tile, needed, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, Sum* line, int) {
      tiles_.kernels().mark_samples(line, n, round.strong_from, marks_at(z, y, x));
    });
  }

  /// A round: the filters' sums from its samples.
  void transform(Round<Sum>& round, std::span<const View> outs, const Place& place, const Parts& parts) const {
    const bool has_sums = !round.by_taps && round.facts.has_numbers();  // others are 0, as the tile is
    round.exponent = has_sums ? exponent_far_from_1<Sum>(round.facts.extremes.largest) : 0;
    const Space needed = needed_for(place.size);
    if (round.exponent != 0) {
      for_each_piece(parts.tile, needed, [&](std::int64_t, std::int64_t, std::int64_t, std::int64_t n, Sum* line, int) {
        tiles_.kernels().scale(line, power_of_2<Sum>(-round.exponent), n);
      });
    }
    const std::int64_t all = tiles_.lengths().columns;
    const bool folded = tiles_.lengths().folded;
    if (has_sums) {
      tiles_.forward(parts.tile, folded ? all : needed[2], within_);
      if (keeps_spectrum()) keep_spectrum(parts);
    }
    for (std::size_t f = 0; f < filters_.size(); ++f) {
      if (round.number > 0 && parts.left[f] == 0) continue;
      if (has_sums) {
        multiply(filters_[f].spectrum, parts);
        tiles_.inverse(parts.tile, folded ? all : place.size[2], within_);
      }
      if (round.has_marks) {
        filters_[f].windows.spread(parts.marks, needed);
        if (round.facts.any_infinity)
          filters_[f].signs.multiply_infinities(filters_[f].windows, parts.marks, needed, place.size, parts.rest);
        parts.left[f] = 0;
      }
      finish(f, round, is_combined() ? outs[0] : outs[f], place, parts);
    }
  }

  void keep_spectrum(const Parts& parts) const {
    if (!tiles_.lengths().along_x) {
      std::copy_n(parts.tile, tiles_.elements(), parts.spectrum);
      return;
    }
    parallel(within_, tiles_.blocks(), [&](int, std::int64_t block) {
      tiles_.forward_block(parts.tile, block, parts.spectrum + block * tiles_.block_elements());
    });
  }

  /// The product with a filter's spectrum, back from along x.
  void multiply(const Spectrum<Sum>& by, const Parts& parts) const {
    if (!tiles_.lengths().along_x) {
      tiles_.multiply_rows(keeps_spectrum() ? parts.spectrum : parts.tile, by.numbers(), parts.tile);
      return;
    }
    parallel(within_, tiles_.blocks(), [&](int worker, std::int64_t block) {
      const std::int64_t at = block * tiles_.block_elements();
      Sum* const columns = parts.columns + worker * tiles_.block_elements();
      if (!keeps_spectrum()) tiles_.forward_block(parts.tile, block, columns);
      const Sum* const spectrum = keeps_spectrum() ? parts.spectrum + at : columns;
      tiles_.kernels().multiply(spectrum, by.numbers() + at, columns, tiles_.lengths().columns);
      tiles_.inverse_block(columns, block, parts.tile);
    });
  }

  /// A filter's sums, into its output or into the squares.
  void finish(std::size_t f, const Round<Sum>& round, const View& out, const Place& place, const Parts& parts) const {
    const Filter& filter = filters_[f];
    const Space needed = needed_for(place.size);
    const int all = round.by_taps ? 0 : round.exponent + filter.spectrum.exponent;
    const Extremes<Sum>& samples = round.facts.extremes;
    const WeightSigns& weights = filter.signs;
    const bool may_be_negative = (samples.any_negative && weights.any_positive()) || (samples.any_positive && weights.any_negative());
    const bool may_be_positive = (samples.any_positive && weights.any_positive()) || (samples.any_negative && weights.any_negative());
    constexpr Sum most = std::numeric_limits<Sum>::max();
    const Sum lowest = may_be_negative ? -most : 0, highest = may_be_positive ? most : 0;
    const bool has_limit = is_checked_ && !(may_be_negative && may_be_positive);
    // Sums that are the output go there at once: while rows come from further caches, others are written.
    const bool are_outputs = !round.has_marks && !is_combined() && job_->scale == 1 && job_->offset == 0 && out.pixel == pixel_of<Sum> &&
                             out.strides.width == static_cast<std::int64_t>(sizeof(Sum));
    for_each_piece(parts.tile, place.size, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, Sum* line, int worker) {
      const std::uint8_t* const windows = round.has_marks ? filter.windows.of_outputs(parts.marks, needed, {z, y, x}) : nullptr;
      Sum* const own = parts.columns + worker * tiles_.block_elements();
      const Space& first = filter.windows.begin();
      const bool has_outliers =
          parts.outliers.any() && parts.outliers.sum(*filter.outlier_weights, {first[0] + z, first[1] + y, first[2] + x}, n, own);
      Sum* sums = round.by_taps ? own : line;
      if (round.by_taps) {
        std::fill_n(sums, n, Sum(0));
        for_each_taken(windows, n, true, [&](std::int64_t begin, std::int64_t count) {
          const Space& at = filter.windows.begin();
          for (std::int64_t i = begin; i < begin + count; ++i)
            sums[i] = static_cast<Sum>(tiles_.sum_by_taps(parts.tile, {at[0] + z, at[1] + y, at[2] + x + i}, filter.taps));
        });
      }
      if (all != 0) {  // in two steps: both powers are numbers
        tiles_.kernels().scale(sums, power_of_2<Sum>(all / 2), n);
        tiles_.kernels().scale(sums, power_of_2<Sum>(all - all / 2), n);
      }
      if (filter.whole_sums) tiles_.kernels().round(sums, n);
      if (has_outliers || has_limit) {
        Sum* const to = are_outputs ? reinterpret_cast<Sum*>(address(out, place, {z, y, x})) : own;
        if (has_outliers) {
          tiles_.kernels().clamp_and_add(sums, lowest, highest, own, power_of_2<Sum>(filter.outlier_weights->exponent()), to, n);
        } else {
          tiles_.kernels().clamp(sums, lowest, highest, to, n);
        }
        if (are_outputs) return;
        sums = own;
      }
      const auto take = [&](std::int64_t begin, std::int64_t count) {
        if (is_combined()) {
          lines_.add_squares(sums + begin, parts.squares + (z * place.size[1] + y) * row_outputs() + x + begin, count);
        } else {
          store(out, place, {z, y, x + begin}, sums + begin, count);
        }
      };
      std::int64_t left = 0;
      if (windows == nullptr || round.number == 0) {
        if (windows != nullptr) left = tiles_.kernels().put_by_windows(windows, n, sums);
        take(0, n);
      } else {
        left = for_each_taken(windows, n, round.by_taps, take);
      }
      if (left > 0) std::atomic_ref(parts.left[f]).fetch_add(left, std::memory_order_relaxed);
    });
  }

  void store_roots(const View& out, const Place& place, const Parts& parts) const {
    for_each_piece(parts.tile, place.size, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, Sum* line, int) {
      lines_.roots(parts.squares + (z * place.size[1] + y) * row_outputs() + x, line, n);
      store(out, place, {z, y, x}, line, n);
    });
  }

  static std::byte* address(const View& out, const Place& place, const Space& at) {
    const Strides& s = out.strides;
    return out.data + place.batch * s.batch + place.channel * s.channels + (place.begin[0] + at[0]) * s.depth +
           (place.begin[1] + at[1]) * s.height + (place.begin[2] + at[2]) * s.width;
  }

  void store(const View& out, const Place& place, const Space& at, const Sum* line, std::int64_t n) const {
    std::byte* const to = address(out, place, at);
    const Finish finish{.scale = job_->scale, .offset = job_->offset, .rounding = job_->rounding};
    lines_.store[static_cast<std::size_t>(out.pixel)](line, finish, to, out.strides.width, n);
  }

  std::shared_ptr<const Job> job_;
  TapBox box_;
  TileTransform<Sum> tiles_;
  const Kernels<Sum>& lines_;
  Space input_;    ///< of a tile
  Space made_;     ///< outputs of a tile, at most
  bool is_checked_;  ///< whether outputs keep to what is under their own boxes
  bool has_marks_;   ///< whether tiles may need them
  Blocks blocks_;
  std::int64_t most_outliers_ = 0;  ///< of a tile
  Space counts_{};  ///< of tiles along each axis
  int workers_;
  int over_ = 1, within_ = 1;  ///< workers over the tiles, and within one: one of the two is 1
  std::vector<Filter> filters_;
};

}  // namespace

TransformFacts facts_of_transforms(const Job& job) {
  const Lengths lengths = find_lengths(job, TapBox(job.filters), rates()).lengths;
  const Space input = lengths.input();
  return {.samples = static_cast<double>(input[0]) * static_cast<double>(input[1]) * static_cast<double>(input[2]),
          .roundings = roundings_of(lengths, job.sum_f64)};
}

const Family fft{.name = "fft",
                 .refuses = [](const Request& request) -> const char* {
                   return has_transforms(request.filters) ? nullptr : "filters by transforms alone";
                 },
                 .seconds =
                     [](const Request& request) {
                       const LengthsFound found = find_lengths(request.job, TapBox(request.filters), request.costs);
                       const double filters = static_cast<double>(request.filters.size());
                       return seconds_of(found.shared_nanoseconds + filters * found.of_filter_nanoseconds, found.times_shared, bytes_moved(request.job),
                                         request.costs);
                     },
                 .make = [](const std::shared_ptr<const Job>& job, int workers) -> std::unique_ptr<const Runner> {
                   if (job->sum_f64) return std::make_unique<ByTransforms<double>>(job, workers);
                   return std::make_unique<ByTransforms<float>>(job, workers);
                 }};

}  // namespace halation::cpu_backend
