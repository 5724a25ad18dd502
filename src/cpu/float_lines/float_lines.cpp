// float_lines.cpp: filters over lines of f32 or f64: cuts the output into tiles, runs each filter's method over them, finishes sums into
// pixels. Does any job.
#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cpu/expected.h"
#include "cpu/families.h"
#include "cpu/float_lines/method.h"
#include "cpu/tiles/parallel.h"
#include "cpu/tiles/tiles.h"
#include "halation/error.h"

namespace halation::cpu_backend {
namespace {

/// Scratch of a tile should stay in the second-level cache beside what streams through it.
constexpr std::int64_t scratch_budget_bytes = 384 << 10;
constexpr std::int64_t least_tile_samples = 512;
constexpr std::int64_t most_tile_samples = 1024;
/// Of boxes alone, which have little to do for each row: rows that are not cut are what memory reads ahead best, also where
/// many of them fill most of a larger second-level cache.
constexpr std::int64_t most_box_samples = 4096;
constexpr std::int64_t box_scratch_budget_bytes = 1024 << 10;
/// Where an image has few rows tiles are wider, up to so many samples in all: what each costs to start is little beside them.
constexpr std::int64_t few_rows_samples = 8 << 10;
constexpr std::int64_t least_edge_samples = 63;
/// Tiles begin at a multiple of so many pixels: on a cache line, where the image's rows do.
constexpr std::int64_t tile_step = 16;
/// Rows of tiles that keep planes: more save little.
constexpr std::int64_t most_kept_rows = 128;

std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

/// Pixels from where the rows of an output begin to its next cache line; 0 where rows begin differently, or no cache line begins
/// on one of `tile_step` pixels. NumPy's large arrays begin 16 bytes behind one.
std::int64_t pixels_to_cache_line(const View& out, std::int64_t step) {
  constexpr std::int64_t cache_line = 64;
  const auto element = static_cast<std::int64_t>(bytes_of(out.pixel));
  if ((out.shape.height > 1 && out.strides.height % cache_line != 0) || sample_stride(out.strides, step) != element) return 0;
  const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out.data) % cache_line);
  for (std::int64_t pixels = 0; pixels < tile_step; ++pixels) {
    if ((begin + pixels * step * element) % cache_line == 0) return pixels;
  }
  return 0;
}

/// Whether a filter is one tap of weight 1, times a gain.
bool is_copy(const Taps& taps, double gain) {
  if (taps.size != Space{1, 1, 1}) return false;
  return gain * (taps.factors ? (*taps.factors)[0][0] * (*taps.factors)[1][0] * (*taps.factors)[2][0] : taps.weights[0]) == 1;
}

template <class Sum>
std::vector<std::unique_ptr<const FilterMethod<Sum>>> make_methods(const Job& job, double gain, const Kernels<Sum>& kernels) {
  std::vector<std::unique_ptr<const FilterMethod<Sum>>> list;
  for (const Taps& taps : job.filters) {
    if (is_copy(taps, gain)) {
      list.push_back(make_copy<Sum>(taps));
      continue;
    }
    switch (taps.method) {
      case Method::direct: list.push_back(make_direct(taps, gain, kernels)); continue;
      case Method::separable: list.push_back(make_separable(taps, gain, kernels)); continue;
      case Method::box: list.push_back(make_box(taps, gain, kernels)); continue;
      default: break;
    }
    throw Error(ErrorCode::unsupported, "cpu: no method " + std::string(name_of(taps.method)));
  }
  return list;
}

/// How rows are cut into samples, and what follows from it. Interleaved channels are filtered side by side, taps `step` samples
/// apart; all other layouts one channel after the other, by their strides.
struct Cut {
  std::int64_t step = 1;
  std::int64_t channels = 1;  ///< filtered one by one
  std::int64_t tile_width = 0;
  std::int64_t tile_height = 0;
  std::int64_t planes = 1;  ///< that a tile keeps its staged rows through, one after another
  std::int64_t edge = 0;  ///< columns at either side of a row, in tiles of their own, where those between read in place
  std::int64_t tiles_x = 0;
  std::int64_t tiles_y = 0;
  std::int64_t tiles_z = 0;
  std::int64_t scratch_bytes = 0;  ///< of one worker
};

template <class Sum>
class FloatLines final : public Runner {
 public:
  FloatLines(std::shared_ptr<const Job> job, int workers)
      : job_(std::move(job)),
        kernels_(best_kernels<Sum>()),
        sums_are_pixels_(pixel_of<Sum> == job_->out_pixel && job_->scale_is_exact() && job_->offset == 0 &&
                         job_->combine == Combine::none),
        methods_(make_methods(*job_, sums_are_pixels_ ? job_->scale : 1.0, kernels_)),
        workers_(workers) {
    for (const Taps& taps : job_->filters) {
      tallest_ = std::max(tallest_, taps.size[1]);
      deepest_ = std::max(deepest_, taps.size[0]);
      widest_ = std::max(widest_, taps.size[2]);
    }
    reads_in_place_ = pixel_of<Sum> == job_->in_pixel && std::all_of(methods_.begin(), methods_.end(), [](const auto& method) {
                        return method->reads_in_place();
                      });
    // Rows that share nothing are made one by one: staged ones stay in the first-level cache until they are finished.
    if (tallest_ == 1 && deepest_ == 1) block_rows_ = 1;
    interleaved_ = cut(job_->out.channels, 1);
    planar_ = cut(1, job_->out.channels);
  }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(workers_ * std::max(interleaved_.scratch_bytes, planar_.scratch_bytes));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const Cut& cut = packed_pixels(in, outs) ? interleaved_ : planar_;
    const Shape& n = job_->out;
    const std::int64_t later = cut.edge > 0 ? pixels_to_cache_line(outs.front(), cut.step) : 0;
    parallel(workers_, n.batch * cut.channels * cut.tiles_z * cut.tiles_y * cut.tiles_x,
             [&](int worker, std::int64_t task) {
               run_tile(cut, later, in, outs, task, Scratch(workspace.data() + worker * cut.scratch_bytes));
             });
  }

  std::string explain() const override {
    return std::string(kernels_.instruction_set) + ", tiles of " + std::to_string(interleaved_.tile_width) + "x" +
           std::to_string(interleaved_.tile_height) + " pixels, at most " + std::to_string(workers_) +
           (workers_ == 1 ? " thread" : " threads") +
           "; channels that are not side by side are filtered one by one, elements that are not packed are gathered row by row";
  }

 private:
  /// `height`: of tiles that keep planes, else 0.
  std::int64_t scratch_bytes(std::int64_t width, std::int64_t height, std::int64_t step) const {
    std::int64_t bytes = Scratch::bytes<Sum>(block_rows_ * line_pitch<Sum>(width * step));
    if (job_->combine == Combine::magnitude) {
      bytes += Scratch::bytes<double>(block_rows_ * line_pitch<double>(width * step));
    }
    for (const auto& method : methods_) bytes += scratch_bytes_of(*method, width, height, step);
    return bytes;
  }
  static std::int64_t scratch_bytes_of(const FilterMethod<Sum>& method, std::int64_t width, std::int64_t height,
                                       std::int64_t step) {
    return height > 0 ? method.scratch_bytes_of_planes(width, height, step) : method.scratch_bytes(width, step);
  }

  Cut cut(std::int64_t step, std::int64_t channels) const {
    const Shape& n = job_->out;
    Cut cut{.step = step, .channels = channels};
    const bool boxes = std::all_of(job_->filters.begin(), job_->filters.end(),
                                   [](const Taps& taps) { return taps.method == Method::box; });
    // Rows that are made one by one are long: what each tile costs to start is little beside them, and memory reads ahead along
    // them. Half as long where they are staged.
    const std::int64_t rows_beside = block_rows_ > 1 ? n.height : std::min<std::int64_t>(n.height, reads_in_place_ ? 1 : 2);
    const std::int64_t most = std::max(boxes ? most_box_samples : most_tile_samples, few_rows_samples / rows_beside);
    const std::int64_t budget_bytes = boxes ? box_scratch_budget_bytes : scratch_budget_bytes;
    // Halo columns are staged again by each tile: at least four times as many columns of its own keep that below a quarter.
    const std::int64_t least = std::max(least_tile_samples / step + 1, 4 * widest_);
    cut.tile_width = n.width;
    while (cut.tile_width > least &&
           (scratch_bytes(cut.tile_width, 0, step) > budget_bytes || cut.tile_width * step > most)) {
      cut.tile_width = std::max(least, (cut.tile_width + 1) / 2);
    }
    if (cut.tile_width < n.width) cut.tile_width = round_up(cut.tile_width, tile_step);
    // Rows above a strip are filtered again by each strip: few, unless threads would go without work.
    const std::int64_t planes = n.batch * channels * n.depth;
    const std::int64_t strips = workers_ == 1 ? 1 : (std::int64_t{4} * workers_ + planes - 1) / planes;
    cut.tile_height = std::min(n.height, std::max((n.height + strips - 1) / strips, 4 * tallest_));
    cut.tile_height = std::min(n.height, round_up(cut.tile_height, rows_at_once));
    const std::int64_t edge = round_up(std::max(least_edge_samples / step + 1, widest_), tile_step);
    if (reads_in_place_ && n.width > 8 * edge && edge + tile_step <= cut.tile_width) cut.edge = edge;
    cut.tiles_x = (n.width + cut.tile_width - 1) / cut.tile_width + (cut.edge > 0 ? 2 : 0);
    const bool keeps = std::any_of(methods_.begin(), methods_.end(), [](const auto& method) { return method->keeps_planes(); });
    if (keeps && cut.edge == 0) keep_planes(cut);
    cut.tiles_y = (n.height + cut.tile_height - 1) / cut.tile_height;
    cut.tiles_z = (n.depth + cut.planes - 1) / cut.planes;
    cut.scratch_bytes = scratch_bytes(cut.tile_width, cut.planes > 1 ? cut.tile_height : 0, step);
    return cut;
  }

  /// Volumes whose rows are staged: tiles so low that the scratch holds all rows that an output plane needs, unless most of them
  /// would be rows that the next tile stages as well; then planes one after another, as many as leave each worker several tiles.
  void keep_planes(Cut& cut) const {
    const Shape& n = job_->out;
    std::int64_t height = round_up(std::min(n.height, most_kept_rows), rows_at_once);
    while (height > 0 && scratch_bytes(cut.tile_width, height, cut.step) > scratch_budget_bytes) height -= rows_at_once;
    if (height < std::min(n.height, 2 * tallest_)) return;
    const std::int64_t columns = n.batch * cut.channels * cut.tiles_x * ((n.height + height - 1) / height);
    const std::int64_t runs = workers_ == 1 ? 1 : (std::int64_t{4} * workers_ + columns - 1) / columns;
    const std::int64_t planes = std::min(n.depth, std::max((n.depth + runs - 1) / runs, 4 * deepest_));
    if (planes == 1) return;
    cut.tile_height = std::min(n.height, height);
    cut.planes = planes;
  }

  struct Columns {
    std::int64_t begin, end;
  };

  /// Those of the tiles between the first and the last, whole cache lines from `later` on. Both at the sides are as wide as the
  /// filter, at least, and no wider than that needs: their rows end within cache lines.
  Columns inner_columns(const Cut& cut, std::int64_t later) const {
    const std::int64_t width = job_->out.width;
    if (cut.edge == 0) return {0, width};
    const std::int64_t begin = later >= widest_ ? later : cut.edge + later;
    const std::int64_t rest = (width - begin) % tile_step;
    return {begin, width - rest - (rest >= widest_ ? 0 : cut.edge)};
  }

  /// Tiles between the first and the last of a row begin `later` by so many pixels: on a cache line of the output.
  void run_tile(const Cut& cut, std::int64_t later, const ConstView& all, std::span<const View> outs, std::int64_t task,
                Scratch scratch) const {
    const Shape& n = job_->out;
    const auto next = [&task](std::int64_t count) {
      const std::int64_t index = task % count;
      task /= count;
      return index;
    };
    const std::int64_t tile_x = next(cut.tiles_x);
    const std::int64_t y_begin = next(cut.tiles_y) * cut.tile_height;
    const std::int64_t z_begin = next(cut.tiles_z) * cut.planes;
    const std::int64_t channel = next(cut.channels);
    const std::int64_t batch = next(n.batch);
    const bool first = cut.edge > 0 && tile_x == 0;
    const bool last = cut.edge > 0 && tile_x == cut.tiles_x - 1;
    const auto [inner_begin, inner_end] = inner_columns(cut, later);
    const std::int64_t x = first ? 0 : last ? inner_end : inner_begin + (tile_x - (cut.edge > 0 ? 1 : 0)) * cut.tile_width;
    const std::int64_t width = first ? inner_begin : last ? n.width - x : std::min(cut.tile_width, inner_end - x);
    if (width <= 0) return;
    const std::int64_t y_end = std::min(y_begin + cut.tile_height, n.height);

    ConstView in = all.batch(batch);
    if (cut.step == 1) in = in.channel(channel);
    const Lines<Sum> lines(*job_, kernels_, in, cut.step);
    LineTile<Sum> tile{.lines = lines,
                   .z = z_begin,
                   .x = x,
                   .width = width,
                   .y = y_begin,
                   .height = y_end - y_begin,
                   .keeps_planes = cut.planes > 1,
                   .first_plane = true};

    const std::int64_t samples = width * cut.step;
    const std::int64_t pitch = line_pitch<Sum>(samples);
    auto* sums = scratch.take<Sum>(block_rows_ * pitch);
    std::array<Sum*, rows_at_once> rows_of_sums{};
    for (int row = 0; row < block_rows_; ++row) rows_of_sums[row] = sums + row * pitch;
    // Sums that are pixels already go where they belong.
    const bool in_place = sums_are_pixels_ && std::all_of(outs.begin(), outs.end(), [&](const View& out) {
      return sample_stride(out.strides, cut.step) == static_cast<std::int64_t>(sizeof(Sum));
    });
    const bool streams = in_place && std::all_of(outs.begin(), outs.end(), [](const View& out) { return goes_past_caches(out); });
    const bool magnitude = job_->combine == Combine::magnitude;
    const std::int64_t square_pitch = line_pitch<double>(samples);
    double* squares = magnitude ? scratch.take<double>(block_rows_ * square_pitch) : nullptr;

    const std::int64_t z_end = std::min(z_begin + cut.planes, n.depth);
    for (; tile.z < z_end; ++tile.z, tile.first_plane = false) {
      for (std::int64_t y = y_begin; y < y_end; y += block_rows_) {
        const int rows = static_cast<int>(std::min<std::int64_t>(block_rows_, y_end - y));
        if (magnitude) std::fill_n(squares, rows * square_pitch, 0.0);
        Scratch rest = scratch;
        for (std::size_t f = 0; f < methods_.size(); ++f) {
          Scratch own = rest;
          rest.take<std::byte>(scratch_bytes_of(*methods_[f], width, tile.keeps_planes ? tile.height : 0, cut.step));
          if (in_place) {
            for (int row = 0; row < rows; ++row)
              rows_of_sums[row] = reinterpret_cast<Sum*>(place_in(outs[f], {batch, channel, tile.z, y + row, x}));
          }
          methods_[f]->filter(tile, y, rows, own, rows_of_sums.data(), streams);
          if (in_place) continue;
          for (int row = 0; row < rows; ++row) {
            if (magnitude) {
              kernels_.add_squares(rows_of_sums[row], squares + row * square_pitch, samples);
            } else {
              finish(outs[f], {batch, channel, tile.z, y + row, x}, rows_of_sums[row], samples, cut.step);
            }
          }
        }
        for (int row = 0; magnitude && row < rows; ++row) {
          kernels_.roots(squares + row * square_pitch, rows_of_sums[row], samples);
          finish(outs[0], {batch, channel, tile.z, y + row, x}, rows_of_sums[row], samples, cut.step);
        }
      }
    }
    if (streams) hwy::FlushStream();  // before others read
  }

  struct Place {
    std::int64_t batch, channel, z, y, x;
  };

  void finish(const View& out, const Place& at, const Sum* sums, std::int64_t samples, std::int64_t step) const {
    const Finish finish{.scale = sums_are_pixels_ ? 1 : job_->scale, .offset = job_->offset, .rounding = job_->rounding};
    kernels_.store[static_cast<std::size_t>(out.pixel)](sums, finish, place_in(out, at),
                                                             sample_stride(out.strides, step), samples);
  }

  static std::byte* place_in(const View& out, const Place& at) {
    const Strides& s = out.strides;
    return out.data + at.batch * s.batch + at.channel * s.channels + at.z * s.depth + at.y * s.height + at.x * s.width;
  }

  std::shared_ptr<const Job> job_;
  const Kernels<Sum>& kernels_;
  bool sums_are_pixels_;  ///< the scale is part of the weights
  bool reads_in_place_ = false;
  int block_rows_ = rows_at_once;  ///< rows that are made at once
  std::vector<std::unique_ptr<const FilterMethod<Sum>>> methods_;
  int workers_;
  std::int64_t tallest_ = 1;
  std::int64_t deepest_ = 1;
  std::int64_t widest_ = 1;
  Cut interleaved_;
  Cut planar_;
};

/// What is copied bit by bit is not summed.
bool copies_f32(const Job& job) {
  return job.in_pixel == Pixel::f32 && job.out_pixel == Pixel::f32 && job.combine == Combine::none && job.offset == 0 &&
         std::all_of(job.filters.begin(), job.filters.end(), [&](const Taps& taps) { return is_copy(taps, job.scale); });
}

}  // namespace

const Family float_lines{.name = "float lines",
                         .refuses = [](const Request&) -> const char* { return nullptr; },
                         .seconds = [](const Request& request) { return seconds_by_rows(request, RowSums::of_floats); },
                         .make = [](std::shared_ptr<const Job> job, int workers) -> std::unique_ptr<const Runner> {
                           if (job->sum_f64 && !copies_f32(*job)) return std::make_unique<FloatLines<double>>(std::move(job), workers);
                           return std::make_unique<FloatLines<float>>(std::move(job), workers);
                         }};

}  // namespace halation::cpu_backend
