// axis_by_axis.cpp: pixels become packed sums, one pass an axis (axis_pass.h) filters them, and sums become pixels.
//
// Where the input is packed sums already the first pass reads it where it lies, and where the output is, the last pass writes it.
// The order of passes is x, y, z: what lies outside along y has been filtered along x then, wherever the constants of axes differ.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/finite.h"
#include "cpu/compose/axis_pass.h"
#include "cpu/expected.h"
#include "cpu/families.h"
#include "cpu/packed.h"
#include "cpu/tiles/parallel.h"
#include "cpu/tiles/tiles.h"

namespace halation::cpu_backend {
namespace {

/// Images of a batch are filtered together as long as their scratch is no larger.
constexpr std::int64_t batch_scratch_bytes = 32 << 20;
/// Scratch of one image beyond which tiles are what is left.
constexpr double most_scratch_bytes = 4e9;
/// Samples that a task reads or writes.
constexpr std::int64_t task_samples = 16 << 10;
constexpr std::array<std::size_t, 3> order{2, 1, 0};

using Extents = std::array<std::int64_t, 3>;  // z, y, x

Extents extents_of(const Shape& shape) { return {shape.depth, shape.height, shape.width}; }

/// An image of packed sums seen along an axis, `step` samples a pixel.
AxisJob seen_along(std::size_t axis, const Extents& n, std::int64_t images, std::int64_t step) {
  AxisJob job{.outer = images, .n_in = n[axis], .inner = step};
  for (std::size_t a = 0; a < axis; ++a) job.outer *= n[a];
  for (std::size_t a = axis + 1; a < 3; ++a) job.inner *= n[a];
  return job;
}

/// The weights of a filter along the axes; none where it is no product of such.
std::optional<std::array<std::vector<double>, 3>> factors_of(const Taps& taps) {
  if (taps.factors) return taps.factors;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (taps.size[axis] * taps.size[(axis + 1) % 3] * taps.size[(axis + 2) % 3] != taps.size[axis] ||
        taps.weights.empty())
      continue;
    std::array<std::vector<double>, 3> factors{std::vector{1.0}, std::vector{1.0}, std::vector{1.0}};
    factors[axis] = taps.weights;
    return factors;
  }
  return std::nullopt;
}

int sum_bytes(const Job& job) { return job.sum_f64 ? 8 : 4; }

/// Axes that have more than one tap; x where none has.
std::vector<std::size_t> passes_of(const Taps& taps) {
  std::vector<std::size_t> axes;
  for (const std::size_t axis : order) {
    if (taps.size[axis] > 1) axes.push_back(axis);
  }
  if (axes.empty()) axes.push_back(2);
  return axes;
}

AxisJob axis_job(const Job& job, const Taps& taps, std::size_t axis, const Extents& n, std::int64_t images,
                 std::int64_t step) {
  AxisJob along = seen_along(axis, n, images, step);
  along.n_out = extents_of(job.out)[axis];
  along.taps = taps.size[axis];
  along.lead = taps.lead[axis];
  along.finite_constant = std::isfinite(job.borders[axis].constant());
  along.sample_bytes = sum_bytes(job);
  return along;
}

/// Calls body(row, index of its first sample, samples) for runs of elements that a stride tells: whole images
/// where they are packed, else rows, in as many tasks as threads can share.
template <class Body>
void for_each_run(const ConstView& view, std::int64_t step, int workers, const Body& body) {
  const std::int64_t depth = view.shape.depth;
  const std::int64_t height = view.shape.height;
  const std::int64_t width = view.shape.width;
  const std::int64_t rows = view.shape.batch * depth * height;
  const std::int64_t samples = rows * width * step;
  if (is_packed(view, step)) {
    const std::int64_t tasks = (samples + task_samples - 1) / task_samples;
    parallel(workers, tasks, [&](int, std::int64_t task) {
      const std::int64_t begin = task * task_samples;
      const auto element = static_cast<std::int64_t>(bytes_of(view.pixel));
      body(view.data + begin * element, element, begin, std::min(task_samples, samples - begin));
    });
    return;
  }
  const std::int64_t at_once = std::max<std::int64_t>(1, task_samples / (width * step));
  const bool side_by_side = step == 1 || view.strides.width == step * view.strides.channels;
  parallel(workers, (rows + at_once - 1) / at_once, [&](int, std::int64_t task) {
    for (std::int64_t row = task * at_once; row < std::min(rows, (task + 1) * at_once); ++row) {
      const Strides& s = view.strides;
      auto* from = view.data + row / height / depth * s.batch + row / height % depth * s.depth +
                   row % height * s.height;
      if (side_by_side) {
        body(from, sample_stride(s, step), row * width * step, width * step);
        continue;
      }
      for (std::int64_t x = 0; x < width; ++x)
        body(from + x * s.width, s.channels, (row * width + x) * step, step);
    }
  });
}

/// The passes of one filter over images of `step` samples a pixel.
template <class Sum>
struct Passes {
  std::vector<AxisPass<Sum>> list;
  std::vector<std::int64_t> outer;  ///< of each, for one image
  std::int64_t most_samples = 0;    ///< between two passes, of one image
};

template <class Sum>
class AxisByAxis final : public Runner {
 public:
  AxisByAxis(std::shared_ptr<const Job> job, int workers)
      : job_(std::move(job)),
        kernels_(best_kernels<Sum>()),
        workers_(workers),
        sums_are_pixels_(pixel_of<Sum> == job_->out_pixel && job_->scale_is_exact() && job_->offset == 0 &&
                         job_->combine == Combine::none) {
    apart_ = layout(1);
    if (job_->in.channels > 1) interleaved_ = layout(job_->in.channels);
  }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(std::max(bytes_of(apart_), interleaved_ ? bytes_of(*interleaved_) : 0));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream) const override {
    const bool together = interleaved_ && has_channels_inside(in, outs);
    const Layout& layout = together ? *interleaved_ : apart_;
    for (std::int64_t channel = 0; channel < (together ? 1 : job_->in.channels); ++channel) {
      for (std::int64_t first = 0; first < job_->in.batch; first += layout.images) {
        const std::int64_t images = std::min(layout.images, job_->in.batch - first);
        const Part part{.all_channels = together, .channel = channel, .first = first, .images = images};
        run_part(layout, part, in, outs, Scratch(workspace));
      }
    }
  }

  std::string explain() const override {
    std::string ways;
    for (const AxisPass<Sum>& pass : apart_.filters.front().list) {
      ways += (ways.empty() ? "" : ", ");
      ways += pass.choice().sums == AxisSums::matrix ? "a matrix of the axis"
              : pass.choice().sums == AxisSums::box  ? "a box"
                                                     : "taps";
    }
    return std::string(kernels_.instruction_set) + ", axis by axis over packed sums (" + ways +
           "), at most " + std::to_string(workers_) + (workers_ == 1 ? " thread" : " threads") +
           "; channels in planes are filtered one by one";
  }

 private:
  struct Layout {
    std::int64_t step = 1;
    std::int64_t images = 1;  ///< that are filtered together
    std::vector<Passes<Sum>> filters;
    std::int64_t source_samples = 0;  ///< of all these images
    std::int64_t out_samples = 0;
    std::int64_t between_samples = 0;
    std::int64_t worker_bytes = 0;
  };

  Layout layout(std::int64_t step) const {
    Layout layout;
    layout.step = step;
    const Extents n = extents_of(job_->in);
    const Extents n_out = extents_of(job_->out);
    layout.source_samples = n[0] * n[1] * n[2] * step;
    layout.out_samples = n_out[0] * n_out[1] * n_out[2] * step;
    for (const Taps& taps : job_->filters) {
      layout.between_samples = std::max(layout.between_samples, most_between(taps, step));
    }
    const std::int64_t image_bytes = samples_of(layout) * static_cast<std::int64_t>(sizeof(Sum));
    layout.images = std::clamp<std::int64_t>(batch_scratch_bytes / image_bytes, 1, job_->in.batch);
    layout.source_samples *= layout.images;
    layout.out_samples *= layout.images;
    layout.between_samples *= layout.images;
    for (const Taps& taps : job_->filters) {
      layout.filters.push_back(passes(taps, layout.images, step));
      for (const AxisPass<Sum>& pass : layout.filters.back().list)
        layout.worker_bytes = std::max(layout.worker_bytes, pass.scratch_bytes());
    }
    return layout;
  }

  std::int64_t most_between(const Taps& taps, std::int64_t step) const {
    Extents n = extents_of(job_->in);
    std::int64_t most = 0;
    for (const std::size_t axis : passes_of(taps)) {
      n[axis] = extents_of(job_->out)[axis];
      most = std::max(most, n[0] * n[1] * n[2] * step);
    }
    return most;
  }

  /// The source, two images between passes, and the squares of a magnitude.
  static std::int64_t samples_of(const Layout& layout) {
    return layout.source_samples + 2 * layout.between_samples;
  }
  std::int64_t bytes_of(const Layout& layout) const {
    return Scratch::bytes<Sum>(layout.source_samples + line_slack) +
           2 * Scratch::bytes<Sum>(layout.between_samples + line_slack) +
           (job_->combine == Combine::magnitude ? Scratch::bytes<double>(layout.out_samples) : 0) +
           WorkerScratch::bytes(workers_, layout.worker_bytes);
  }

  Passes<Sum> passes(const Taps& taps, std::int64_t images, std::int64_t step) const {
    std::array<std::vector<double>, 3> factors = *factors_of(taps);
    const std::vector<std::size_t> axes = passes_of(taps);
    // Weights of axes of one tap, of boxes all weights, and the scale meet the pixels in the first pass.
    double gain = sums_are_pixels_ ? job_->scale : 1;
    std::array<bool, 3> equal{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      equal[axis] = taps.form == Form::box;
      if (!equal[axis] && taps.size[axis] > 1) continue;
      gain *= factors[axis].front();
      std::fill(factors[axis].begin(), factors[axis].end(), 1.0);
    }
    for (double& weight : factors[axes.front()]) weight *= gain;

    Passes<Sum> passes;
    Extents n = extents_of(job_->in);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::size_t axis = axes[i];
      AxisJob along = axis_job(*job_, taps, axis, n, images, step);
      along.equal_weights = equal[axis];
      double constant = job_->borders[axis].constant();
      for (std::size_t before = 0; before < i; ++before) constant = filtered(constant, factors[axes[before]]);
      passes.list.emplace_back(along, factors[axis], job_->borders[axis], constant);
      passes.outer.push_back(along.outer / images);
      n[axis] = along.n_out;
    }
    return passes;
  }

  /// Some images of a batch, one channel of them or all.
  struct Part {
    bool all_channels;
    std::int64_t channel;
    std::int64_t first;
    std::int64_t images;

    template <class V>
    V of(const V& view) const {
      V part = all_channels ? view : view.channel(channel);
      part.data += first * part.strides.batch;
      part.shape.batch = images;
      return part;
    }
  };

  void run_part(const Layout& layout, const Part& part, const ConstView& all, std::span<const View> outs,
                Scratch scratch) const {
    Sum* source = scratch.take<Sum>(layout.source_samples + line_slack);
    std::array<Sum*, 2> between{};
    for (Sum*& image : between) image = scratch.take<Sum>(layout.between_samples + line_slack);
    const bool magnitude = job_->combine == Combine::magnitude;
    double* squares = magnitude ? scratch.take<double>(layout.out_samples) : nullptr;
    const WorkerScratch own(scratch.part(WorkerScratch::bytes(workers_, layout.worker_bytes)).left(), workers_, layout.worker_bytes);

    const ConstView in = part.of(all);
    const Sum* begin = source;
    if (in.pixel == pixel_of<Sum> && is_packed(in, layout.step)) {
      begin = reinterpret_cast<const Sum*>(in.data);
    } else {
      const auto load = kernels_.load[static_cast<std::size_t>(in.pixel)];
      for_each_run(in, layout.step, workers_,
                   [&](const std::byte* from, std::int64_t stride, std::int64_t at, std::int64_t n) {
                     load(from, stride, source + at, n);
                   });
    }
    const std::int64_t out_samples = layout.out_samples / layout.images * part.images;
    if (magnitude) std::fill_n(squares, out_samples, 0.0);
    for (std::size_t i = 0; i < layout.filters.size(); ++i) {
      const View out = part.of(outs[magnitude ? 0 : i]);
      const bool in_place = sums_are_pixels_ && is_packed(out, layout.step);
      Sum* last = in_place ? reinterpret_cast<Sum*>(out.data) : between[layout.filters[i].list.size() % 2];
      filter(layout.filters[i], part.images, begin, between, last, own);
      if (magnitude) {
        in_tasks(out_samples,
                 [&](std::int64_t at, std::int64_t n) { kernels_.add_squares(last + at, squares + at, n); });
      } else if (!in_place) {
        store(out, layout.step, last);
      }
    }
    if (!magnitude) return;
    in_tasks(out_samples,
             [&](std::int64_t at, std::int64_t n) { kernels_.roots(squares + at, between[0] + at, n); });
    store(part.of(outs[0]), layout.step, between[0]);
  }

  void filter(const Passes<Sum>& passes, std::int64_t images, const Sum* from,
              const std::array<Sum*, 2>& between, Sum* last, const WorkerScratch& own) const {
    for (std::size_t i = 0; i < passes.list.size(); ++i) {
      const AxisPass<Sum>& pass = passes.list[i];
      Sum* to = i + 1 == passes.list.size() ? last : between[(i + 1) % 2];
      const std::int64_t outer = passes.outer[i] * images;
      parallel(workers_, pass.tasks(outer), [&](int worker, std::int64_t task) {
        pass.run(task, outer, from, to, own.of(worker));
      });
      from = to;
    }
  }

  template <class Body>
  void in_tasks(std::int64_t samples, const Body& body) const {
    parallel(workers_, (samples + task_samples - 1) / task_samples, [&](int, std::int64_t task) {
      body(task * task_samples, std::min(task_samples, samples - task * task_samples));
    });
  }

  void store(const View& out, std::int64_t step, const Sum* sums) const {
    const Finish finish{
        .scale = sums_are_pixels_ ? 1 : job_->scale, .offset = job_->offset, .rounding = job_->rounding};
    const auto put = kernels_.store[static_cast<std::size_t>(out.pixel)];
    for_each_run(out, step, workers_,
                 [&](const std::byte* to, std::int64_t stride, std::int64_t at, std::int64_t n) {
                   put(sums + at, finish, const_cast<std::byte*>(to), stride, n);
                 });
  }

  std::shared_ptr<const Job> job_;
  const Kernels<Sum>& kernels_;
  int workers_;
  bool sums_are_pixels_;               ///< the scale is part of the weights
  Layout apart_;                       ///< one channel after another
  std::optional<Layout> interleaved_;  ///< channels side by side, where there are several
};

const char* refuses(const Request& request) {
  if (!all_by_taps(request.filters)) return "sums of taps alone";
  const Job& job = request.job;
  const auto image =
      static_cast<double>(std::max(job.in.elements() / job.in.batch, job.out.elements() / job.out.batch));
  if (3 * image * sum_bytes(job) > most_scratch_bytes) return "images whose sums fit 4 GB alone";
  for (const Taps& taps : request.filters) {
    const std::int64_t longest = std::max({taps.size[0], taps.size[1], taps.size[2]});
    if (taps.form == Form::dense && multiply_adds(taps.size, Form::dense) != longest)
      return "products of factors alone";
    if (longest == 1) return "several taps alone";
  }
  return nullptr;
}

double filter_seconds(const Request& request, const Taps& taps) {
  const Job& job = request.job;
  const Rates& rates = request.costs;
  const double wide = width_of_sums(job);
  const auto inputs = static_cast<double>(job.in.elements());
  const auto outputs = static_cast<double>(job.out.elements());
  double nanoseconds = 0;
  int sections = 0;  // of work that threads share
  double bytes = 0;  // that passes between them read and write as well
  const auto convert = [&](Pixel pixel, double samples, const ConvertedRates& converted) {
    nanoseconds += wide * samples * converted.of(pixel);
    ++sections;
    bytes += samples * static_cast<double>(bytes_of(pixel) + bytes_of(pixel_of_sums(job)));
  };
  if (job.in_pixel != pixel_of_sums(job) || !request.packed.in) convert(job.in_pixel, inputs, rates.load);
  if (job.out_pixel != pixel_of_sums(job) || job.combine != Combine::none || !request.packed.out)
    convert(job.out_pixel, outputs, rates.store);
  if (job.combine == Combine::magnitude) nanoseconds += 2 * wide * outputs * rates.axis_sample;
  Extents n = extents_of(job.in);
  for (const std::size_t axis : passes_of(taps)) {
    AxisJob along = axis_job(job, taps, axis, n, job.in.batch, job.in.channels);
    along.equal_weights = taps.form == Form::box;
    const auto lines = static_cast<double>(along.outer * along.inner);
    nanoseconds += axis_pass_nanoseconds(along, choose_axis_pass(along, rates.axis), rates.axis_takes) +
                   wide * lines * static_cast<double>(along.n_out) * rates.axis_sample;
    bytes += lines * static_cast<double>(along.n_in + along.n_out) * sum_bytes(job);
    n[axis] = along.n_out;
    ++sections;
  }
  return seconds_of(nanoseconds + sections * rates.axis_start, sections, bytes, rates);
}

}  // namespace

const Family axis_by_axis{
    .name = "axis by axis",
    .refuses = refuses,
    .seconds = [](const Request& request) { return seconds_of_filters(request, filter_seconds); },
    .make = [](const std::shared_ptr<const Job>& job, int workers) -> std::unique_ptr<const Runner> {
      if (job->sum_f64) return std::make_unique<AxisByAxis<double>>(job, workers);
      return std::make_unique<AxisByAxis<float>>(job, workers);
    }};

}  // namespace halation::cpu_backend
