// fixed.cpp: filters over 8 bits in fixed point: weights and pixels are multiplied as pairs of whole numbers, two multiply-adds
// in one lane, where f32 does one. Direct filters turn two rows at a time into lines of pairs, a ring of them for a tile;
// products of y and x sum columns first, to lines of 16 bits, from the rows where they lie, and then along x.
#include "cpu/fixed.h"

#include <hwy/cache_control.h>

#include <array>

#include "cpu/fixed_kernels.h"
#include "cpu/fixed_point.h"
#include "cpu/method.h"
#include "cpu/pixel_rows.h"
#include "cpu/tiles.h"

namespace halation::cpu_backend {
namespace {

constexpr int groups = fixed_rows / 2;

constexpr TileLimits tile_limits{
    .least_samples = 512, .most_samples = 2048, .row_multiple = fixed_rows, .column_multiple = 64, .edge_samples = 63};

/// Elements from one line of scratch to the next.
template <class T>
std::int64_t fixed_pitch(std::int64_t samples) {
  return line_pitch<T>(samples, fixed_slack);
}

/// Pairs of rows that an output row of a filter of k rows takes.
std::int64_t pairs_of(std::int64_t taps) { return taps / 2 + 1; }

/// Of lines of pairs and output rows: the weights of the lines' two rows for the output row, of a filter whose weight of row y is
/// `at(y)`; y may be outside.
template <class At>
std::int32_t pair_for(std::int64_t line, int row, const At& at) {
  return pair_of(at(2 * line - row), at(2 * line + 1 - row));
}

/// What one job needs of one filter.
struct Fixed {
  const Taps* taps = nullptr;
  bool by_columns = false;
  std::vector<std::int32_t> weights_y;  ///< as FixedColumns has them
  std::vector<std::int32_t> weights;    ///< as FixedDirect or FixedRow have them
  int shift = 0;
  FixedFinish finish;
};

std::vector<std::int32_t> weights_of_lines(const FixedPoint& point, const Space& size) {
  std::vector<std::int32_t> weights;
  for (std::int64_t z = 0; z < size[0]; ++z) {
    for (std::int64_t line = 0; line < pairs_of(size[1]) + groups - 1; ++line) {
      for (std::int64_t x = 0; x < size[2]; ++x) {
        for (int row = 0; row < fixed_rows; ++row) {
          weights.push_back(pair_for(line, row, [&](std::int64_t y) {
            return y < 0 || y >= size[1] ? 0 : point.whole[static_cast<std::size_t>((z * size[1] + y) * size[2] + x)];
          }));
        }
      }
    }
  }
  return weights;
}

Fixed prepared(const Job& job, const Taps& taps, const FixedPoint& point) {
  Fixed fixed{.taps = &taps,
              .by_columns = point.by_columns,
              .weights_y = {},
              .weights = {},
              .shift = point.shift,
              .finish = {.factor = static_cast<float>(point.factor),
                         .offset = static_cast<float>(job.offset),
                         .rounding = job.rounding}};
  if (!point.by_columns) {
    fixed.weights = weights_of_lines(point, taps.size);
    return fixed;
  }
  const auto at = [](const std::vector<std::int32_t>& whole, std::int64_t tap) {
    return tap < 0 || tap >= static_cast<std::int64_t>(whole.size()) ? 0 : whole[static_cast<std::size_t>(tap)];
  };
  for (std::int64_t line = 0; line < pairs_of(taps.size[1]) + groups - 1; ++line) {
    for (int row = 0; row < fixed_rows; ++row) {
      fixed.weights_y.push_back(pair_for(line, row, [&](std::int64_t y) { return at(point.whole_y, y); }));
    }
  }
  for (std::int64_t pair = 0; pair < pairs_of(taps.size[2]); ++pair) {
    const auto of_pair = [&](std::int64_t tap) { return pair_of(at(point.whole, tap), at(point.whole, tap + 1)); };
    fixed.weights.push_back(of_pair(2 * pair));
    fixed.weights.push_back(of_pair(2 * pair - 1));
  }
  return fixed;
}

class FixedRunner final : public Runner {
 public:
  /// `points`: one a filter.
  FixedRunner(std::shared_ptr<const Job> job, const std::vector<FixedPoint>& points, int workers)
      : job_(std::move(job)), kernels_(*best_fixed_kernels()), workers_(workers) {
    std::int64_t tallest = 1;
    std::int64_t widest = 1;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Taps& taps = job_->filters[i];
      filters_.push_back(prepared(*job_, taps, points[i]));
      tallest = std::max(tallest, taps.size[1]);
      widest = std::max(widest, taps.size[2]);
    }
    const auto bytes = [&](std::int64_t width, std::int64_t step) { return scratch_bytes(width, step); };
    interleaved_ = Tiles(job_->out, job_->out.channels, tallest, widest, workers_, tile_limits, bytes);
    apart_ = Tiles(job_->out, 1, tallest, widest, workers_, tile_limits, bytes);
  }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(workers_ * std::max(interleaved_.scratch_bytes(), apart_.scratch_bytes()));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const Tiles& tiles = packed_pixels(in, outs) ? interleaved_ : apart_;
    for_each_tile<std::uint8_t>(*job_, tiles, workers_, in, workspace, [&](const auto& rows, const Tiles::Tile& tile, Scratch scratch) {
      for (std::size_t i = 0; i < filters_.size(); ++i) {
        const auto filter = filters_[i].by_columns ? &FixedRunner::by_columns : &FixedRunner::direct;
        (this->*filter)(filters_[i], rows, tile, tiles.step(), outs[i], scratch);
      }
    });
  }

  std::string explain() const override {
    return std::string(kernels_.instruction_set) + ", weights in fixed point of 16 bits, tiles of " +
           std::to_string(interleaved_.width()) + "x" + std::to_string(interleaved_.height()) + " pixels, at most " +
           std::to_string(workers_) + (workers_ == 1 ? " thread" : " threads") +
           "; channels that are not side by side are filtered one by one, elements that are not packed are gathered row by row";
  }

 private:
  using Rows = PixelRows<std::uint8_t>;

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const {
    std::int64_t most = 0;
    for (const Fixed& filter : filters_) {
      const Taps& taps = *filter.taps;
      const std::int64_t wide = (width + taps.size[2] - 1) * step;
      const std::int64_t lines = pairs_of(taps.size[1]) + groups - 1;
      std::int64_t bytes = Outputs::scratch_bytes(width * step);
      if (filter.by_columns) {
        bytes += Scratch::bytes<std::uint8_t>(2 * lines * fixed_pitch<std::uint8_t>(wide)) +
                 Scratch::bytes<const std::uint8_t*>(2 * lines) +
                 Scratch::bytes<std::int16_t>(fixed_rows * fixed_pitch<std::int16_t>(wide)) +
                 Scratch::bytes<std::int32_t>(fixed_pitch<std::int32_t>(wide));
      } else {
        bytes += Scratch::bytes<std::uint8_t>(2 * fixed_pitch<std::uint8_t>(wide)) +
                 Scratch::bytes<std::int32_t>(taps.size[0] * lines * fixed_pitch<std::int32_t>(wide)) +
                 Scratch::bytes<const std::int32_t*>(taps.size[0] * lines);
      }
      most = std::max(most, bytes);
    }
    return most;
  }

  /// Where the rows of a tile go: to the output, or where its samples are apart, to lines that are scattered afterwards. Rows
  /// below the tile's last one go to a line of their own.
  class Outputs {
   public:
    static std::int64_t scratch_bytes(std::int64_t samples) {
      return Scratch::bytes<std::byte>(fixed_rows * fixed_pitch<std::int16_t>(samples) * 2);
    }
    Outputs(const View& out, const Tiles::Tile& tile, std::int64_t step, Scratch& scratch)
        : out_(out), tile_(tile), step_(step), element_(static_cast<std::int64_t>(bytes_of(out.pixel))) {
      const std::int64_t pitch = fixed_pitch<std::int16_t>(tile.width * step) * 2;
      auto* lines = scratch.take<std::byte>(fixed_rows * pitch);
      for (std::size_t row = 0; row < fixed_rows; ++row) lines_[row] = lines + static_cast<std::int64_t>(row) * pitch;
      in_place_ = sample_stride(out.strides, step) == element_;
      streams_ = in_place_ && out.shape.elements() * element_ >= streamed_bytes;
    }
    bool streams() const { return streams_; }
    std::byte* const* begin(std::int64_t y, std::int64_t rows) {
      to_ = lines_;
      for (std::int64_t row = 0; in_place_ && row < rows; ++row) {
        to_[static_cast<std::size_t>(row)] = place_in(out_, tile_, y + row);
      }
      return to_.data();
    }
    void end(std::int64_t y, std::int64_t rows) const {
      if (in_place_) return;
      const std::int64_t stride = sample_stride(out_.strides, step_);
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::byte* from = lines_[static_cast<std::size_t>(row)];
        std::byte* to = place_in(out_, tile_, y + row);
        for (std::int64_t i = 0; i < tile_.width * step_; ++i, from += element_, to += stride) {
          std::memcpy(to, from, static_cast<std::size_t>(element_));
        }
      }
    }

   private:
    const View& out_;
    const Tiles::Tile& tile_;
    std::int64_t step_;
    std::int64_t element_;
    std::array<std::byte*, fixed_rows> lines_{};
    std::array<std::byte*, fixed_rows> to_{};
    bool in_place_;
    bool streams_;
  };

  /// Columns [x, x_end) of input rows up to y_last, for one tile.
  struct Source {
    const Rows& rows;
    std::int64_t x, x_end, y_last;
    std::int64_t samples;

    /// The row itself, or null where it has to be staged.
    const std::uint8_t* in_place(std::int64_t z, std::int64_t y) const {
      return samples < fixed_least_row ? nullptr : rows.in_place(z, std::min(y, y_last), x, x_end);
    }
    /// Asks for a row that is wanted soon.
    void prefetch(std::int64_t z, std::int64_t y) const {
      const std::uint8_t* row = y > y_last ? nullptr : in_place(z, y);
      for (std::int64_t i = 0; row != nullptr && i < samples; i += 64) hwy::Prefetch(row + i);
    }
    const std::uint8_t* stage(std::int64_t z, std::int64_t y, std::uint8_t* line) const {
      rows.stage(z, std::min(y, y_last), x, x_end, line);
      return line;
    }
  };
  static Source source_of(const Taps& taps, const Rows& rows, const Tiles::Tile& tile, std::int64_t step) {
    const std::int64_t x = tile.x + taps.lead[2];
    const std::int64_t x_end = x + tile.width + taps.size[2] - 1;
    return {rows, x, x_end, tile.y + tile.height + taps.lead[1] + taps.size[1] - 2, (x_end - x) * step};
  }

  void direct(const Fixed& filter, const Rows& rows, const Tiles::Tile& tile, std::int64_t step, const View& out,
              Scratch scratch) const {
    const Taps& taps = *filter.taps;
    const std::int64_t planes = taps.size[0];
    const std::int64_t lines = pairs_of(taps.size[1]) + groups - 1;
    const Source source = source_of(taps, rows, tile, step);
    Outputs outputs(out, tile, step, scratch);
    const std::int64_t pitch = fixed_pitch<std::int32_t>(source.samples);
    auto* ring = scratch.take<std::int32_t>(planes * lines * pitch);
    auto* pointers = scratch.take<const std::int32_t*>(planes * lines);
    std::array<std::uint8_t*, 2> staged{};
    for (auto& line : staged) line = scratch.take<std::uint8_t>(fixed_pitch<std::uint8_t>(source.samples));

    FixedDirect job{.lines = pointers,
                    .weights = filter.weights.data(),
                    .planes = planes,
                    .pairs = pairs_of(taps.size[1]),
                    .taps_x = taps.size[2],
                    .tap_stride = step,
                    .out = nullptr,
                    .n = tile.width * step,
                    .finish = filter.finish,
                    .streams = outputs.streams()};
    const auto kernel = kernels_.direct.of(out.pixel);
    const std::int64_t top = tile.y + taps.lead[1];
    std::int64_t made = 0;  // lines
    for (std::int64_t y = 0; y < tile.height; y += fixed_rows) {
      const std::int64_t first = y / 2;
      for (; made < first + lines; ++made) {
        for (std::int64_t plane = 0; plane < planes; ++plane) {
          std::array<const std::uint8_t*, 2> two{};
          for (std::size_t i = 0; i < 2; ++i) {
            const std::int64_t z = tile.z + taps.lead[0] + plane;
            const std::int64_t row = top + 2 * made + static_cast<std::int64_t>(i);
            two[i] = source.in_place(z, row);
            if (two[i] == nullptr) two[i] = source.stage(z, row, staged[i]);
          }
          kernels_.pair_up(two[0], two[1], ring + (plane * lines + made % lines) * pitch, source.samples);
        }
      }
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        for (std::int64_t i = 0; i < lines; ++i) pointers[plane * lines + i] = ring + (plane * lines + (first + i) % lines) * pitch;
      }
      const std::int64_t count = std::min<std::int64_t>(fixed_rows, tile.height - y);
      job.out = outputs.begin(tile.y + y, count);
      for (int row = 0; row < fixed_rows; ++row) source.prefetch(tile.z + taps.lead[0] + planes - 1, top + 2 * made + row);
      kernel(job);
      outputs.end(tile.y + y, count);
    }
    if (outputs.streams()) hwy::FlushStream();  // before others read
  }

  void by_columns(const Fixed& filter, const Rows& rows, const Tiles::Tile& tile, std::int64_t step, const View& out,
                  Scratch scratch) const {
    const Taps& taps = *filter.taps;
    const std::int64_t lines = pairs_of(taps.size[1]) + groups - 1;
    const Source source = source_of(taps, rows, tile, step);
    Outputs outputs(out, tile, step, scratch);
    const std::int64_t pitch = fixed_pitch<std::uint8_t>(source.samples);
    auto* ring = scratch.take<std::uint8_t>(2 * lines * pitch);
    auto* pointers = scratch.take<const std::uint8_t*>(2 * lines);
    std::array<std::int16_t*, fixed_rows> sums{};
    auto* sums_of_columns = scratch.take<std::int16_t>(fixed_rows * fixed_pitch<std::int16_t>(source.samples));
    for (std::size_t row = 0; row < fixed_rows; ++row) {
      sums[row] = sums_of_columns + static_cast<std::int64_t>(row) * fixed_pitch<std::int16_t>(source.samples);
    }
    auto* line_of_pairs = scratch.take<std::int32_t>(fixed_pitch<std::int32_t>(source.samples));

    const FixedColumns columns{.rows = pointers,
                               .weights = filter.weights_y.data(),
                               .pairs = pairs_of(taps.size[1]),
                               .out = sums.data(),
                               .n = source.samples,
                               .shift = filter.shift};
    FixedRow along{.line = nullptr,
                   .weights = filter.weights.data(),
                   .pairs = pairs_of(taps.size[2]),
                   .line_of_pairs = line_of_pairs,
                   .tap_stride = step,
                   .out = nullptr,
                   .n = tile.width * step,
                   .finish = filter.finish,
                   .streams = outputs.streams()};
    const auto kernel = kernels_.row.of(out.pixel);
    const std::int64_t z = tile.z + taps.lead[0];
    const std::int64_t top = tile.y + taps.lead[1];
    std::int64_t made = 0;  // rows
    for (std::int64_t y = 0; y < tile.height; y += fixed_rows) {
      for (; made < y + 2 * lines; ++made) {
        if (source.in_place(z, top + made) == nullptr) source.stage(z, top + made, ring + made % (2 * lines) * pitch);
      }
      for (std::int64_t i = 0; i < 2 * lines; ++i) {
        const std::uint8_t* row = source.in_place(z, top + y + i);
        pointers[i] = row != nullptr ? row : ring + (y + i) % (2 * lines) * pitch;
      }
      kernels_.columns(columns);
      const std::int64_t count = std::min<std::int64_t>(fixed_rows, tile.height - y);
      std::byte* const* to = outputs.begin(tile.y + y, count);
      for (std::int64_t row = 0; row < count; ++row) {
        source.prefetch(z, top + made + row);
        along.line = sums[static_cast<std::size_t>(row)];
        along.out = to[row];
        kernel(along);
      }
      outputs.end(tile.y + y, count);
    }
    if (outputs.streams()) hwy::FlushStream();  // before others read
  }

  std::shared_ptr<const Job> job_;
  const FixedKernels& kernels_;
  int workers_;
  std::vector<Fixed> filters_;
  Tiles interleaved_;
  Tiles apart_;
};

}  // namespace

std::optional<double> fixed_point_error(const Job& job, const Taps& taps, Method method) {
  if (best_fixed_kernels() == nullptr) return std::nullopt;
  const std::optional<FixedPoint> fixed = fixed_point(job, taps, method);
  if (!fixed) return std::nullopt;
  return fixed->error;
}

bool may_be_fixed_point(const Job& job) { return best_fixed_kernels() != nullptr && allows_fixed_point(job); }

std::unique_ptr<const Runner> make_fixed(const std::shared_ptr<const Job>& job, int workers) {
  if (!may_be_fixed_point(*job)) return nullptr;
  std::vector<FixedPoint> points;
  for (const Taps& taps : job->filters) {
    std::optional<FixedPoint> point = fixed_point(*job, taps, taps.method);
    if (!point) return nullptr;
    points.push_back(std::move(*point));
  }
  return std::make_unique<FixedRunner>(job, points, workers);
}

}  // namespace halation::cpu_backend
