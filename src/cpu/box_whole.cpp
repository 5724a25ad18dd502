// box_whole.cpp: windows of equal weights over integers, whose sums are exact: each row is summed along x as narrow whole
// numbers, and running sums over y take in the row that enters and give up the one that leaves, so that the height costs
// nothing. Weight, scale, offset and rounding meet the sum once, at the end.
//
// Rows are copied to scratch with what the border puts around them; sums of 16 bits are taken where they cannot overflow, which
// they may on the way: 2^16 leaves and comes back.
#include "cpu/box_whole.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/convert.h"
#include "cpu/box_kernels.h"
#include "cpu/method.h"
#include "cpu/pixel_rows.h"
#include "cpu/tiles.h"
#include "cpu/window.h"

namespace halation::cpu_backend {
namespace {

constexpr TileLimits tile_limits{.least_samples = 512, .most_samples = 4096, .scratch_bytes = 512 << 10};
/// Outputs of so many bytes go past the caches: of 4096 × 4096 elements two bytes each gained by it, bytes lost.
constexpr std::int64_t streamed_box_bytes = 32 << 20;
/// Factors outside are left to sums that are weighed first: times whole numbers they could leave what f32 holds.
constexpr double least_factor = 0x1p-60;
constexpr double most_factor = 0x1p60;

constexpr double most_16 = 65535;
constexpr double most_32 = 2147483647;

double weight_of(const Taps& taps) {
  const auto& [z, y, x] = *taps.factors;
  return z[0] * y[0] * x[0];
}

double most_pixel(const Job& job) { return std::max(largest(job.in_pixel), -smallest(job.in_pixel)); }

/// The largest sum of pixels over z and x, or over all axes.
double most_sum(const Job& job, bool over_y) {
  double most = 0;
  for (const Taps& taps : job.filters) {
    const auto taps_in_sum = static_cast<double>(taps.size[0]) * static_cast<double>(taps.size[2]) *
                             (over_y ? static_cast<double>(taps.size[1]) : 1);
    most = std::max(most, taps_in_sum * most_pixel(job));
  }
  return most;
}

/// Elements from one line of scratch to the next.
template <class T>
std::int64_t whole_pitch(std::int64_t samples) {
  return line_pitch<T>(samples, 64);
}

/// A sum, and the pixel that it becomes.
struct Finished {
  std::int64_t sum;
  int pixel;
};

/// The first and the last one of each run of sums, from 0 to `most`, that become the same pixel: round(factor · sum + offset),
/// which grows with the sum, factor > 0.
std::vector<Finished> ends_of_runs(double factor, double offset, Rounding rounding, std::int64_t most) {
  const auto pixel_of = [&](std::int64_t sum) -> int {
    return to_element<std::uint8_t>(factor * static_cast<double>(sum) + offset, rounding);
  };
  const double step = rounding == Rounding::half_even ? 0.5 : 1;  // above a pixel, where the next one begins
  std::vector<Finished> ends;
  ends.reserve(512);
  for (std::int64_t first = 0; first <= most;) {
    const int pixel = pixel_of(first);
    const double near = pixel == 255 ? static_cast<double>(most) : std::floor((pixel + step - offset) / factor);
    auto last = static_cast<std::int64_t>(std::clamp(near, static_cast<double>(first), static_cast<double>(most)));
    while (last > first && pixel_of(last) != pixel) --last;  // roundings put it off by one at most
    while (last < most && pixel < 255 && pixel_of(last + 1) == pixel) ++last;
    ends.insert(ends.end(), {{first, pixel}, {last, pixel}});
    first = last + 1;
  }
  return ends;
}

/// Sixteen bits that give for every sum up to `most` what f64 and the one rule of rounding give; as they were where there are
/// none.
void find_multiplier(WholeFinish& finish, double factor, std::int64_t most) {
  if (factor <= 0 || most > 65535) return;
  const std::vector<Finished> ends = ends_of_runs(factor, finish.offset, finish.rounding, most);
  int left = 0;
  while ((most << (left + 1)) <= 65535) ++left;
  for (int right = 8; right >= 0; --right) {
    const double exact = std::ldexp(factor, 16 - left + right);
    if (exact >= 65535 || std::ldexp(factor * static_cast<double>(most) + std::fabs(finish.offset) + 2, right) >= 65536) continue;
    const double half = finish.rounding == Rounding::half_even ? std::ldexp(0.5, right) : 0;
    const double added = half + std::ldexp(finish.offset, right);
    for (const double bias : {std::floor(added), std::ceil(added)}) {
      for (const double multiplier : {std::ceil(exact), std::floor(exact)}) {
        if (bias < 0 || bias > 65535 || multiplier < 1) continue;
        const auto same = [&](const Finished& end) {
          const std::int64_t scaled = ((end.sum << left) * static_cast<std::int64_t>(multiplier)) >> 16;
          const std::int64_t found = std::min<std::int64_t>((scaled + static_cast<std::int64_t>(bias)) >> right, 255);
          return found == end.pixel;
        };
        // What is found grows with the sum too: if right at both ends of a run, it is right within.
        if (!std::all_of(ends.begin(), ends.end(), same)) continue;
        finish.left = left;
        finish.right = right;
        finish.multiplier = static_cast<std::uint16_t>(multiplier);
        finish.bias = static_cast<std::uint16_t>(bias);
        return;
      }
    }
  }
}

template <class In, class Row, class Sum>
class WholeBoxes final : public Runner {
 public:
  WholeBoxes(std::shared_ptr<const Job> job, int workers)
      : job_(std::move(job)), kernels_(best_whole_box_kernels<In, Row, Sum>()), workers_(workers) {
    direct_ = !is_float(job_->out_pixel) && !job_->sum_f64;
    for (const Taps& taps : job_->filters) {
      const double weight = weight_of(taps);
      Box box{.taps = &taps, .window = Window(taps.size[2])};
      box.finish = {.factor = direct_ ? weight * job_->scale : weight,
                    .offset = direct_ ? job_->offset : 0,
                    .rounding = job_->rounding};
      if (direct_ && sizeof(Sum) == 2 && job_->out_pixel == Pixel::u8) {
        find_multiplier(box.finish, box.finish.factor, static_cast<std::int64_t>(most_sum(*job_, true)));
      }
      boxes_.push_back(std::move(box));
      tallest_ = std::max(tallest_, taps.size[1]);
      widest_ = std::max(widest_, taps.size[2]);
    }
    const auto bytes = [&](std::int64_t width, std::int64_t step) { return scratch_bytes(width, step); };
    interleaved_ = Tiles(job_->out, job_->out.channels, tallest_, widest_, workers_, tile_limits, bytes);
    apart_ = Tiles(job_->out, 1, tallest_, widest_, workers_, tile_limits, bytes);
  }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(workers_ * std::max(interleaved_.scratch_bytes(), apart_.scratch_bytes()));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const Tiles& tiles = packed_pixels(in, outs) ? interleaved_ : apart_;
    for_each_tile<In>(*job_, tiles, workers_, in, workspace, [&](const auto& rows, const Tiles::Tile& tile, Scratch scratch) {
      for (std::size_t i = 0; i < boxes_.size(); ++i) sum_tile(boxes_[i], rows, tile, tiles.step(), outs[i], scratch);
    });
  }

  std::string explain() const override {
    return std::string(best_kernels<float>().instruction_set) + ", running sums of whole numbers in " +
           std::to_string(8 * sizeof(Sum)) + " bits, tiles of " + std::to_string(interleaved_.width()) + "x" +
           std::to_string(interleaved_.height()) + " pixels, at most " + std::to_string(workers_) +
           (workers_ == 1 ? " thread" : " threads") + "; channels that are not side by side are filtered one by one";
  }

 private:
  struct Box {
    const Taps* taps = nullptr;
    Window window;
    WholeFinish finish = {};
  };

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const {
    const std::int64_t narrow = width * step;
    const std::int64_t wide = (width + widest_ - 1) * step;
    return Scratch::bytes<In>(whole_pitch<In>(wide)) + Scratch::bytes<Row>(3 * whole_pitch<Row>(wide)) +
           Scratch::bytes<Row>((tallest_ + 1) * whole_pitch<Row>(narrow)) + Scratch::bytes<Sum>(whole_pitch<Sum>(narrow)) +
           Scratch::bytes<double>(whole_pitch<double>(narrow));
  }

  void sum_tile(const Box& box, const PixelRows<In>& pixel_rows, const Tiles::Tile& tile, std::int64_t step, const View& out,
                Scratch scratch) const {
    const Taps& taps = *box.taps;
    const std::int64_t n = tile.width * step;
    const std::int64_t wide = box.window.length(tile.width, 1) * step;
    const std::int64_t pitch = whole_pitch<Row>(n);
    auto* pixels = scratch.take<In>(whole_pitch<In>(wide));
    std::array<Row*, 3> between{};
    for (Row*& line : between) line = scratch.take<Row>(whole_pitch<Row>(wide));
    auto* ring = scratch.take<Row>(taps.size[1] * pitch);
    auto* nothing = scratch.take<Row>(pitch);
    auto* sums = scratch.take<Sum>(whole_pitch<Sum>(n));
    auto* finished = scratch.take<std::byte>(static_cast<std::int64_t>(sizeof(double)) * whole_pitch<double>(n));
    std::fill_n(nothing, pitch, Row{0});
    std::fill_n(sums, whole_pitch<Sum>(n), Sum{0});

    const auto element = static_cast<std::int64_t>(bytes_of(job_->out_pixel));
    const std::int64_t stride = sample_stride(out.strides, step);
    const bool in_place = direct_ && stride == element;
    const bool streams = in_place && job_->out.elements() * element >= streamed_box_bytes;
    const Pixel written = direct_ ? job_->out_pixel : job_->sum_f64 ? Pixel::f64 : Pixel::f32;
    const auto slide = kernels_.slide[static_cast<std::size_t>(written)];

    const std::int64_t rows = tile.height + taps.size[1] - 1;
    const std::int64_t x = tile.x + taps.lead[2];
    for (std::int64_t row = 0; row < rows; ++row) {
      Row* newer = ring + row % taps.size[1] * pitch;
      const Space from{tile.z + taps.lead[0], tile.y + taps.lead[1] + row, x};
      sum_row(box, pixel_rows, step, from, x + tile.width + taps.size[2] - 1, pixels, between, newer, n);
      const std::int64_t done = row - (taps.size[1] - 1);
      const Row* older = done < 0 ? nothing : ring + done % taps.size[1] * pitch;
      Slide<Row, Sum> job{.newer = newer,
                          .older = older,
                          .sums = sums,
                          .out = nullptr,
                          .n = n,
                          .finish = box.finish,
                          .streams = streams};
      if (done >= 0) {
        std::byte* to = place_in(out, tile, tile.y + done);
        job.out = in_place ? to : finished;
        slide(job);
        if (!in_place) put_line(out.pixel, finished, to, stride, n);
      } else {
        slide(job);
      }
    }
    if (streams) hwy::FlushStream();  // before others read
  }

  /// Sums of the windows of one row over z and x, from input place (z, y, x) up to column x_end.
  void sum_row(const Box& box, const PixelRows<In>& rows, std::int64_t step, const Space& from, std::int64_t x_end, In* pixels,
               const std::array<Row*, 3>& between, Row* to, std::int64_t n) const {
    const std::int64_t planes = box.taps->size[0];
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      rows.stage(from[0] + plane, from[1], from[2], x_end, pixels);
      if (planes == 1) {
        box.window.template sum<In, Row>(kernels_.steps, pixels, step, 1, {between[0], between[1]}, to, n);
        return;
      }
      if (plane == 0) std::fill_n(between[2], (x_end - from[2]) * step, Row{0});
      kernels_.add(pixels, between[2], (x_end - from[2]) * step);
    }
    box.window.template sum<Row, Row>(kernels_.steps_of_sums, between[2], step, 1, {between[0], between[1]}, to, n);
  }

  /// A line that is not where it belongs: elements apart, or sums yet to be finished.
  void put_line(Pixel pixel, const std::byte* line, std::byte* to, std::int64_t stride, std::int64_t n) const {
    const Finish finish{.scale = job_->scale, .offset = job_->offset, .rounding = job_->rounding};
    if (!direct_ && job_->sum_f64) {
      best_kernels<double>().store[static_cast<std::size_t>(pixel)](reinterpret_cast<const double*>(line), finish, to, stride, n);
    } else if (!direct_) {
      best_kernels<float>().store[static_cast<std::size_t>(pixel)](reinterpret_cast<const float*>(line), finish, to, stride, n);
    } else {
      const std::size_t element = bytes_of(pixel);
      for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * stride, line + i * static_cast<std::int64_t>(element), element);
    }
  }

  std::shared_ptr<const Job> job_;
  const WholeBoxKernels<In, Row, Sum>& kernels_;
  int workers_;
  bool direct_ = false;  ///< running sums become pixels at once, not lines of sums
  std::vector<Box> boxes_;
  std::int64_t tallest_ = 1;
  std::int64_t widest_ = 1;
  Tiles interleaved_;
  Tiles apart_;
};

}  // namespace

bool are_whole_boxes(const Job& job) {
  if (is_float(job.in_pixel) || job.combine != Combine::none || most_sum(job, true) > most_32) return false;
  for (const BorderTable& border : job.borders) {
    const double value = border.constant();
    if (value != std::nearbyint(value) || value < smallest(job.in_pixel) || value > largest(job.in_pixel)) return false;
  }
  return std::all_of(job.filters.begin(), job.filters.end(), [&](const Taps& taps) {
    if (taps.method != Method::box) return false;
    const auto holds = [](double factor) {
      return factor == 0 || (std::fabs(factor) >= least_factor && std::fabs(factor) <= most_factor);
    };
    return holds(weight_of(taps)) && holds(weight_of(taps) * job.scale);
  });
}

std::unique_ptr<const Runner> make_whole_boxes(std::shared_ptr<const Job> job, int workers) {
  switch (job->in_pixel) {
    case Pixel::u8:
      if (most_sum(*job, true) <= most_16)
        return std::make_unique<WholeBoxes<std::uint8_t, std::uint16_t, std::uint16_t>>(std::move(job), workers);
      if (most_sum(*job, false) <= most_16)
        return std::make_unique<WholeBoxes<std::uint8_t, std::uint16_t, std::int32_t>>(std::move(job), workers);
      return std::make_unique<WholeBoxes<std::uint8_t, std::int32_t, std::int32_t>>(std::move(job), workers);
    case Pixel::u16:
      return std::make_unique<WholeBoxes<std::uint16_t, std::int32_t, std::int32_t>>(std::move(job), workers);
    default: return std::make_unique<WholeBoxes<std::int16_t, std::int32_t, std::int32_t>>(std::move(job), workers);
  }
}

}  // namespace halation::cpu_backend
