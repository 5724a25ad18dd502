// fft.cpp: the family of jobs by transforms: tiles that overlap by the filter, transformed, multiplied by the filters' spectra, and
// transformed back (overlap-save). Every border is staged, so that nothing of what wraps around is kept.
#include "cpu/fft/fft.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/finite.h"
#include "core/transform.h"
#include "cpu/expected.h"
#include "cpu/families.h"
#include "cpu/fft/lengths.h"
#include "cpu/fft/non_finite.h"
#include "cpu/fft/scaling.h"
#include "cpu/fft/spectrum.h"
#include "cpu/fft/tile.h"
#include "cpu/parts/kernels.h"
#include "cpu/tiles/lines.h"
#include "cpu/tiles/parallel.h"
#include "cpu/tiles/scratch.h"

namespace halation::cpu_backend {
namespace {

std::int64_t product(const Space& space) { return space[0] * space[1] * space[2]; }

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
    may_be_non_finite_ = may_be_non_finite(*job_);
    for (const Taps& taps : job_->filters) {
      filters_.push_back({spectrum_of(taps, box_, tiles_, product(input_) >= shared_samples ? workers_ : 1), sums_are_whole(*job_, taps.weights), {}});
      if (may_be_non_finite_) filters_.back().signs.emplace_back(taps, box_);
    }
  }

  std::size_t workspace_bytes() const override { return static_cast<std::size_t>(WorkerScratch::bytes(over_, scratch_bytes())); }

  std::size_t constant_bytes() const override {
    std::size_t sum = tiles_.constant_bytes();
    for (const Filter& each : filters_) {
      sum += each.spectrum.constant_bytes();
      for (const WeightSigns& signs : each.signs) sum += signs.constant_bytes();
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
    Spectrum<Sum> spectrum;
    bool whole_sums;
    std::vector<WeightSigns> signs;  ///< one where samples may not be finite
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
    if (may_be_non_finite_) bytes += Scratch::bytes<std::uint8_t>(product(input_));
    return bytes;
  }
  Parts parts_of(Scratch scratch) const {
    Parts parts{};
    parts.tile = scratch.take<Sum>(tiles_.elements());
    parts.columns = scratch.take<Sum>(within_ * tiles_.block_elements());
    if (keeps_spectrum()) parts.spectrum = scratch.take<Sum>(spectrum_elements());
    if (is_combined()) parts.squares = scratch.take<double>(made_[0] * made_[1] * row_outputs());
    if (may_be_non_finite_) parts.marks = scratch.take<std::uint8_t>(product(input_));
    return parts;
  }

  /// piece(z, y, x, n, line) for the first pixels of a tile: each row that lies together in it.
  template <class Piece>
  void for_each_piece(Sum* tile, const Space& size, const Piece& piece) const {
    const std::int64_t columns = tiles_.lengths().columns;
    if (tiles_.lengths().folded) {
      parallel(within_, (size[2] + columns - 1) / columns, [&](int, std::int64_t row) {
        const std::int64_t x = row * columns;
        piece(0, 0, x, std::min(columns, size[2] - x), tiles_.row(tile, 0, row));
      });
      return;
    }
    parallel(within_, size[0] * size[1], [&](int, std::int64_t row) {
      const std::int64_t z = row / size[1];
      const std::int64_t y = row % size[1];
      piece(z, y, 0, size[2], tiles_.row(tile, z, y));
    });
  }

  /// Samples that a tile's outputs need.
  Space needed_for(const Place& place) const {
    Space needed = place.size;
    for (std::size_t axis = 0; axis < 3; ++axis) needed[axis] += box_.size[axis] - 1;
    return needed;
  }

  void filter(const ConstView& in, std::span<const View> outs, const Place& place, Scratch scratch) const {
    const Parts parts = parts_of(scratch);
    const auto [largest, has_marks] = stage(in, place, parts);
    const int exponent = exponent_far_from_1<Sum>(largest);
    const Space needed = needed_for(place);
    if (exponent != 0) {
      for_each_piece(parts.tile, needed, [&](std::int64_t, std::int64_t, std::int64_t, std::int64_t n, Sum* line) {
        tiles_.kernels().scale(line, power_of_2<Sum>(-exponent), n);
      });
    }
    const std::int64_t all = tiles_.lengths().columns;
    const bool folded = tiles_.lengths().folded;
    tiles_.forward(parts.tile, folded ? all : needed[2], within_);
    if (keeps_spectrum()) keep_spectrum(parts);
    if (is_combined()) std::fill_n(parts.squares, place.size[0] * place.size[1] * row_outputs(), 0.0);
    for (std::size_t f = 0; f < filters_.size(); ++f) {
      multiply(filters_[f].spectrum, parts);
      tiles_.inverse(parts.tile, folded ? all : place.size[2], within_);
      if (has_marks) filters_[f].signs.front().mark_outputs(parts.marks, needed, place.size);
      finish(filters_[f], exponent, has_marks, is_combined() ? outs[0] : outs[f], place, parts);
    }
    if (is_combined()) store_roots(outs[0], place, parts);
  }

  struct Staged {
    double largest;
    bool has_marks;
  };
  /// The tile's samples, those that no output needs 0; none that is not finite, but marks of such.
  Staged stage(const ConstView& in, const Place& place, const Parts& parts) const {
    const Lines<Sum> source(*job_, in, 1, lines_.load[static_cast<std::size_t>(in.pixel)]);
    const Space needed = needed_for(place);
    Space at{};
    for (std::size_t axis = 0; axis < 3; ++axis) at[axis] = place.begin[axis] + box_.lead[axis];
    std::atomic<double> most{0};
    tiles_.clear_padding(parts.tile);
    for_each_piece(parts.tile, input_, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, Sum* line) {
      const bool is_needed = z < needed[0] && y < needed[1];
      const std::int64_t count = is_needed ? std::clamp<std::int64_t>(needed[2] - x, 0, n) : 0;
      if (count > 0) {
        source.stage(at[0] + z, at[1] + y, at[2] + x, at[2] + x + count, line);
        raise(most, static_cast<double>(tiles_.kernels().largest(line, count)));
      }
      std::fill(line + count, line + n, Sum(0));
    });
    if (std::isfinite(most.load())) return {most.load(), false};
    most = 0;
    std::fill_n(parts.marks, product(needed), mark::none);
    for_each_piece(parts.tile, needed, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, Sum* line) {
      take_marks(line, n, parts.marks + (z * needed[1] + y) * needed[2] + x);
      raise(most, static_cast<double>(tiles_.kernels().largest(line, n)));
    });
    return {most.load(), true};
  }

  static void raise(std::atomic<double>& most, double value) {
    double before = most.load(std::memory_order_relaxed);
    while (before < value && !most.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
    }
  }

  static void take_marks(Sum* line, std::int64_t n, std::uint8_t* marks) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (std::isfinite(line[i])) continue;
      marks[i] = std::isnan(line[i]) ? mark::nan : line[i] > 0 ? mark::positive : mark::negative;
      line[i] = 0;
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
  void finish(const Filter& filter, int exponent, bool has_marks, const View& out, const Place& place, const Parts& parts) const {
    const int all = exponent + filter.spectrum.exponent;
    const Space needed = needed_for(place);
    for_each_piece(parts.tile, place.size, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, Sum* line) {
      if (all != 0) {  // in two steps: both powers are numbers
        tiles_.kernels().scale(line, power_of_2<Sum>(all / 2), n);
        tiles_.kernels().scale(line, power_of_2<Sum>(all - all / 2), n);
      }
      if (filter.whole_sums) tiles_.kernels().round(line, n);
      if (has_marks) put_marks(parts.marks + (z * needed[1] + y) * needed[2] + x, n, line);
      if (is_combined()) {
        lines_.add_squares(line, parts.squares + (z * place.size[1] + y) * row_outputs() + x, n);
      } else {
        store(out, place, {z, y, x}, line, n);
      }
    });
  }

  static void put_marks(const std::uint8_t* marks, std::int64_t n, Sum* line) {
    constexpr Sum infinity = std::numeric_limits<Sum>::infinity();
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint8_t of_output = mark::of_output(marks[i]);
      if (of_output == mark::none) continue;
      line[i] = of_output == mark::nan ? std::numeric_limits<Sum>::quiet_NaN() : of_output == mark::positive ? infinity : -infinity;
    }
  }

  void store_roots(const View& out, const Place& place, const Parts& parts) const {
    for_each_piece(parts.tile, place.size, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, Sum* line) {
      lines_.roots(parts.squares + (z * place.size[1] + y) * row_outputs() + x, line, n);
      store(out, place, {z, y, x}, line, n);
    });
  }

  void store(const View& out, const Place& place, const Space& at, const Sum* line, std::int64_t n) const {
    const Strides& s = out.strides;
    std::byte* const to = out.data + place.batch * s.batch + place.channel * s.channels + (place.begin[0] + at[0]) * s.depth +
                          (place.begin[1] + at[1]) * s.height + (place.begin[2] + at[2]) * s.width;
    const Finish finish{.scale = job_->scale, .offset = job_->offset, .rounding = job_->rounding};
    lines_.store[static_cast<std::size_t>(out.pixel)](line, finish, to, s.width, n);
  }

  std::shared_ptr<const Job> job_;
  TapBox box_;
  TileTransform<Sum> tiles_;
  const Kernels<Sum>& lines_;
  Space input_;    ///< of a tile
  Space made_;     ///< outputs of a tile, at most
  Space counts_{};  ///< of tiles along each axis
  int workers_;
  int over_ = 1, within_ = 1;  ///< workers over the tiles, and within one: one of the two is 1
  bool may_be_non_finite_ = false;
  std::vector<Filter> filters_;
};

/// Roundings there and back of a tile.
double roundings_of(const Lengths& lengths, bool sum_f64) {
  double one_way = 0;
  if (lengths.along_z) one_way += roundings_along(lengths.planes);
  if (lengths.along_y) one_way += roundings_along(lengths.rows) + roundings_of_twiddle;
  if (lengths.along_x) one_way += roundings_along(lengths.columns);
  if (lengths.folded) one_way += roundings_of_twiddle;
  // The spectrum of the weights was computed in f64 and rounded.
  return (sum_f64 ? 3 : 2) * one_way + 1 + roundings_of_twiddle;
}

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
