// box_whole.cpp: windows of equal weights over integers, whose sums are exact: each row is summed along x as narrow whole numbers, and
// running sums over y take in the row that enters and give up the one that leaves, so that the height costs nothing. Weight, scale,
// offset and rounding meet the sum once, at the end.
//
// Rows are copied to scratch with what the border puts around them; sums of 16 bits are taken where they cannot overflow, which they
// may on the way: 2^16 leaves and comes back.
#include "cpu/box_whole.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/convert.h"
#include "cpu/box_kernels.h"
#include "cpu/method.h"
#include "cpu/parallel.h"
#include "cpu/window.h"

namespace halation::cpu_backend {
namespace {

constexpr std::int64_t scratch_budget_bytes = 512 << 10;
constexpr std::int64_t least_tile_samples = 512;
constexpr std::int64_t most_tile_samples = 4096;
/// Outputs of so many bytes go past the caches: of 4096 × 4096 elements two bytes each gained by it, bytes lost.
constexpr std::int64_t streamed_bytes = 32 << 20;
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

/// Elements from one line of scratch to the next: room for a vector of any elements past the end, and an odd number of cache lines.
template <class T>
std::int64_t whole_pitch(std::int64_t samples) {
  constexpr std::int64_t cache_line = 64 / sizeof(T);
  return ((samples + 64 + cache_line - 1) / cache_line | 1) * cache_line;
}

/// Sixteen bits that give for every sum up to `most` what f64 and the one rule of rounding give; as they were where there are none.
void find_multiplier(WholeFinish& finish, double factor, std::int64_t most) {
  if (factor <= 0 || most > 65535) return;
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
        const auto same = [&](std::int64_t sum) {
          const std::int64_t scaled = ((sum << left) * static_cast<std::int64_t>(multiplier)) >> 16;
          const std::int64_t found = std::min<std::int64_t>((scaled + static_cast<std::int64_t>(bias)) >> right, 255);
          return found == to_element<std::uint8_t>(factor * static_cast<double>(sum) + finish.offset, finish.rounding);
        };
        std::int64_t sum = 0;
        while (sum <= most && same(sum)) ++sum;
        if (sum <= most) continue;
        finish.left = left;
        finish.right = right;
        finish.multiplier = static_cast<std::uint16_t>(multiplier);
        finish.bias = static_cast<std::uint16_t>(bias);
        return;
      }
    }
  }
}

struct Cut {
  std::int64_t step = 1;
  std::int64_t channels = 1;  ///< filtered one by one
  std::int64_t tile_width = 0;
  std::int64_t tile_height = 0;
  std::int64_t tiles_x = 0;
  std::int64_t tiles_y = 0;
  std::int64_t scratch_bytes = 0;  ///< of one worker
};

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
    interleaved_ = cut(job_->out.channels, 1);
    planar_ = cut(1, job_->out.channels);
  }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(workers_ * std::max(interleaved_.scratch_bytes, planar_.scratch_bytes));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const bool side_by_side =
        packed_pixels(in) && std::all_of(outs.begin(), outs.end(), [](const View& out) { return packed_pixels(out); });
    const Cut& cut = side_by_side ? interleaved_ : planar_;
    const Shape& n = job_->out;
    parallel(workers_, n.batch * cut.channels * n.depth * cut.tiles_y * cut.tiles_x, [&](int worker, std::int64_t task) {
      run_tile(cut, in, outs, task, Scratch(workspace.data() + worker * cut.scratch_bytes));
    });
  }

  std::string explain() const override {
    return std::string(best_kernels<float>().instruction_set) + ", running sums of whole numbers in " +
           std::to_string(8 * sizeof(Sum)) + " bits, tiles of " + std::to_string(interleaved_.tile_width) + "x" +
           std::to_string(interleaved_.tile_height) + " pixels, at most " + std::to_string(workers_) +
           (workers_ == 1 ? " thread" : " threads") + "; channels that are not side by side are filtered one by one";
  }

 private:
  struct Box {
    const Taps* taps = nullptr;
    Window window;
    WholeFinish finish = {};
  };
  struct Place {
    std::int64_t batch, channel, z, y, x;
  };

  static bool packed_pixels(const ConstView& view) {
    const auto element = static_cast<std::int64_t>(bytes_of(view.pixel));
    return view.strides.channels == element && view.strides.width == element * view.shape.channels;
  }
  static std::byte* place_in(const View& out, const Place& at) {
    const Strides& s = out.strides;
    return out.data + at.batch * s.batch + at.channel * s.channels + at.z * s.depth + at.y * s.height + at.x * s.width;
  }

  std::int64_t scratch_bytes(std::int64_t width, std::int64_t step) const {
    const std::int64_t narrow = width * step;
    const std::int64_t wide = (width + widest_ - 1) * step;
    return Scratch::bytes<In>(whole_pitch<In>(wide)) + Scratch::bytes<Row>(3 * whole_pitch<Row>(wide)) +
           Scratch::bytes<Row>((tallest_ + 1) * whole_pitch<Row>(narrow)) + Scratch::bytes<Sum>(whole_pitch<Sum>(narrow)) +
           Scratch::bytes<double>(whole_pitch<double>(narrow));
  }

  Cut cut(std::int64_t step, std::int64_t channels) const {
    const Shape& n = job_->out;
    Cut cut{.step = step, .channels = channels};
    // Columns beside a tile are summed again by each of its neighbours, rows above a strip by each strip.
    const std::int64_t least = std::max(least_tile_samples / step + 1, 4 * widest_);
    cut.tile_width = n.width;
    while (cut.tile_width > least &&
           (scratch_bytes(cut.tile_width, step) > scratch_budget_bytes || cut.tile_width * step > most_tile_samples)) {
      cut.tile_width = std::max(least, (cut.tile_width + 1) / 2);
    }
    const std::int64_t strips = workers_ == 1 ? 1 : 4 * workers_;
    cut.tile_height = std::min(n.height, std::max((n.height + strips - 1) / strips, 4 * tallest_));
    cut.tiles_x = (n.width + cut.tile_width - 1) / cut.tile_width;
    cut.tiles_y = (n.height + cut.tile_height - 1) / cut.tile_height;
    cut.scratch_bytes = scratch_bytes(cut.tile_width, step);
    return cut;
  }

  void run_tile(const Cut& cut, const ConstView& all, std::span<const View> outs, std::int64_t task, Scratch scratch) const {
    const Shape& n = job_->out;
    const auto next = [&task](std::int64_t count) {
      const std::int64_t index = task % count;
      task /= count;
      return index;
    };
    const std::int64_t x = next(cut.tiles_x) * cut.tile_width;
    const std::int64_t y = next(cut.tiles_y) * cut.tile_height;
    const std::int64_t z = next(n.depth);
    const std::int64_t channel = next(cut.channels);
    const std::int64_t batch = next(n.batch);
    ConstView in = all.batch(batch);
    if (cut.step == 1) in = in.channel(channel);
    const Shape part{.height = std::min(cut.tile_height, n.height - y), .width = std::min(cut.tile_width, n.width - x)};
    const Place place{batch, channel, z, y, x};
    for (std::size_t i = 0; i < boxes_.size(); ++i) sum_tile(boxes_[i], in, cut.step, outs[i], place, part, scratch);
  }

  void sum_tile(const Box& box, const ConstView& in, std::int64_t step, const View& out, Place at, const Shape& part,
                Scratch scratch) const {
    const Taps& taps = *box.taps;
    const std::int64_t n = part.width * step;
    const std::int64_t wide = box.window.length(part.width, 1) * step;
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
    const std::int64_t stride = step > 1 ? out.strides.channels : out.strides.width;
    const bool in_place = direct_ && stride == element;
    const bool streams = in_place && job_->out.elements() * element >= streamed_bytes;
    const Pixel written = direct_ ? job_->out_pixel : job_->sum_f64 ? Pixel::f64 : Pixel::f32;
    const auto slide = kernels_.slide[static_cast<std::size_t>(written)];

    const std::int64_t rows = part.height + taps.size[1] - 1;
    const std::int64_t x = at.x + taps.lead[2];
    for (std::int64_t row = 0; row < rows; ++row) {
      Row* newer = ring + row % taps.size[1] * pitch;
      const Space from{at.z + taps.lead[0], at.y + taps.lead[1] + row, x};
      sum_row(box, in, step, from, x + part.width + taps.size[2] - 1, pixels, between, newer, n);
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
        std::byte* to = place_in(out, {at.batch, at.channel, at.z, at.y + done, at.x});
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
  void sum_row(const Box& box, const ConstView& in, std::int64_t step, Space from, std::int64_t x_end, In* pixels,
               const std::array<Row*, 3>& between, Row* to, std::int64_t n) const {
    const std::int64_t planes = box.taps->size[0];
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      stage(in, step, {from[0] + plane, from[1], from[2]}, x_end, pixels);
      if (planes == 1) {
        box.window.template sum<In, Row>(kernels_.steps, pixels, step, 1, {between[0], between[1]}, to, n);
        return;
      }
      if (plane == 0) std::fill_n(between[2], (x_end - from[2]) * step, Row{0});
      kernels_.add(pixels, between[2], (x_end - from[2]) * step);
    }
    box.window.template sum<Row, Row>(kernels_.steps_of_sums, between[2], step, 1, {between[0], between[1]}, to, n);
  }

  /// Pixels of a row up to column x_end; all coordinates may lie outside the image.
  void stage(const ConstView& in, std::int64_t step, const Space& from, std::int64_t x_end, In* line) const {
    const std::int64_t z = job_->borders[0].source(from[0]);
    const std::int64_t y = job_->borders[1].source(from[1]);
    if (z < 0 || y < 0) {
      std::fill_n(line, (x_end - from[2]) * step, static_cast<In>(job_->constant_at({z, y, 0})));
      return;
    }
    const std::byte* row = in.data + z * in.strides.depth + y * in.strides.height;
    const std::int64_t low = std::clamp<std::int64_t>(0, from[2], x_end);
    const std::int64_t high = std::clamp<std::int64_t>(in.shape.width, low, x_end);
    const auto outside = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t x = begin; x < end; ++x) {
        In* to = line + (x - from[2]) * step;
        const std::int64_t source = job_->borders[2].source(x);
        if (source < 0) {
          std::fill_n(to, step, static_cast<In>(job_->borders[2].constant()));
        } else {
          copy(in, step, row, source, 1, to);
        }
      }
    };
    outside(from[2], low);
    copy(in, step, row, low, high - low, line + (low - from[2]) * step);
    outside(high, x_end);
  }

  static void copy(const ConstView& in, std::int64_t step, const std::byte* row, std::int64_t x, std::int64_t pixels, In* to) {
    const std::byte* from = row + x * in.strides.width;
    const std::int64_t stride = step > 1 ? in.strides.channels : in.strides.width;
    if (stride == static_cast<std::int64_t>(sizeof(In))) {
      std::memcpy(to, from, static_cast<std::size_t>(pixels * step) * sizeof(In));
      return;
    }
    for (std::int64_t i = 0; i < pixels * step; ++i) to[i] = *reinterpret_cast<const In*>(from + i * stride);
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
  Cut interleaved_;
  Cut planar_;
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
