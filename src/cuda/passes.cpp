// passes.cpp: jobs that one kernel does not do at once, as several that do.
//
// A separable filter is done along two axes in one pass where its lines fit shared memory (or, of equal weights, where that is
// faster), else axis by axis; the third axis of a volume, where no kernel walks it (march.h), is a pass of its own, in which planes
// take the place of rows. Between passes lie sums in f32 or f64. A pass along one axis sees as its constant what the passes before
// have made of it. Boxes go along y first, which any pixels and rows can, and leave f32 in rows that the copy engine can bring for
// the pass along x; what has no pass along y is made f32 by a pass of its own.
#include "cuda/passes.h"

#include <numeric>

#include "cuda/box.h"
#include "cuda/combine.h"
#include "cuda/convert.h"
#include "cuda/device.h"
#include "cuda/direct.h"
#include "cuda/march.h"
#include "cuda/patch.h"
#include "cuda/roll.h"
#include "cuda/rows.h"
#include "cuda/separable.h"

namespace halation::cuda_backend {
namespace {

constexpr std::size_t boundary = 256;

std::size_t rounded_up(std::size_t bytes) { return (bytes + boundary - 1) / boundary * boundary; }

/// Depth and height changed for one another.
template <class AnyView>
AnyView turned(AnyView view) {
  std::swap(view.shape.depth, view.shape.height);
  std::swap(view.strides.depth, view.strides.height);
  return view;
}

Job turned(Job job) {
  std::swap(job.in.depth, job.in.height);
  std::swap(job.out.depth, job.out.height);
  std::swap(job.borders[0], job.borders[1]);
  for (Taps& taps : job.filters) {
    std::swap(taps.size[0], taps.size[1]);
    std::swap(taps.lead[0], taps.lead[1]);
    if (taps.factors) std::swap((*taps.factors)[0], (*taps.factors)[1]);
  }
  return job;
}

/// Channels apart, rows of f32 on 16-byte boundaries with room for whole fours of pixels.
View bulk_rows(const Shape& shape, Device device) {
  Strides strides;
  strides.width = 4;
  strides.height = (shape.width + 3) / 4 * 16;
  strides.depth = shape.height * strides.height;
  strides.channels = shape.depth * strides.depth;
  strides.batch = shape.channels * strides.channels;
  return {nullptr, shape, strides, Pixel::f32, device};
}

View view_in(std::span<std::byte> memory, const Shape& shape, Pixel pixel, Device device) {
  return {memory.data(), shape, strides_of(shape, pixel), pixel, device};
}

/// A runner whose job has depth and height changed for one another.
class TurnedRunner final : public Runner {
 public:
  explicit TurnedRunner(std::unique_ptr<const Runner> runner) : runner_(std::move(runner)) {}
  std::size_t workspace_bytes() const override { return runner_->workspace_bytes(); }
  std::string explain() const override { return "along depth: " + runner_->explain(); }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const View out = turned(outs[0]);
    runner_->run(turned(in), {&out, 1}, workspace, stream);
  }

 private:
  std::unique_ptr<const Runner> runner_;
};

/// One job after the other, what the first leaves `between` as input of the second; `between` has no memory yet.
class TwoPasses final : public Runner {
 public:
  TwoPasses(std::unique_ptr<const Runner> first, std::unique_ptr<const Runner> second, const View& between)
      : first_(std::move(first)), second_(std::move(second)), between_(between) {}

  std::size_t workspace_bytes() const override {
    return between_bytes() + std::max(first_->workspace_bytes(), second_->workspace_bytes());
  }
  std::string explain() const override { return first_->explain() + "; then " + second_->explain(); }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    View between = between_;
    between.data = workspace.data();
    first_->run(in, {&between, 1}, workspace.subspan(between_bytes()), stream);
    second_->run(between, outs, workspace.subspan(between_bytes()), stream);
  }

 private:
  std::size_t between_bytes() const { return rounded_up(static_cast<std::size_t>(between_.strides.batch * between_.shape.batch)); }

  std::unique_ptr<const Runner> first_;
  std::unique_ptr<const Runner> second_;
  View between_;
};

/// A job of one filter a time, each with its own output, or with sums that are combined.
class EachFilter final : public Runner {
 public:
  EachFilter(std::shared_ptr<const Job> job, std::vector<std::unique_ptr<const Runner>> runners, Device device)
      : job_(std::move(job)), runners_(std::move(runners)), device_(device) {}

  std::size_t workspace_bytes() const override {
    std::size_t most = 0;
    for (const auto& runner : runners_) most = std::max(most, runner->workspace_bytes());
    return most + rounded_up(sums_bytes() * (combines() ? runners_.size() : 0));
  }
  std::string explain() const override {
    std::string text;
    for (const auto& runner : runners_) text += (text.empty() ? "" : "; ") + runner->explain();
    return text + (combines() ? "; then the root of the sum of squares" : "");
  }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    if (!combines()) {
      for (std::size_t i = 0; i < runners_.size(); ++i) runners_[i]->run(in, outs.subspan(i, 1), workspace, stream);
      return;
    }
    const std::size_t all_sums = rounded_up(sums_bytes() * runners_.size());
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      const View sums = view_in(workspace.subspan(i * sums_bytes()), job_->out, job_->sum_f64 ? Pixel::f64 : Pixel::f32, device_);
      runners_[i]->run(in, {&sums, 1}, workspace.subspan(all_sums), stream);
    }
    const UseDevice use(device_);
    combine_magnitude(workspace.data(), job_->sum_f64, static_cast<int>(runners_.size()), outs[0], *job_, stream);
  }

 private:
  bool combines() const { return job_->combine == Combine::magnitude; }
  std::size_t sums_bytes() const { return static_cast<std::size_t>(job_->out.elements()) * (job_->sum_f64 ? 8 : 4); }

  std::shared_ptr<const Job> job_;
  std::vector<std::unique_ptr<const Runner>> runners_;
  Device device_;
};

/// The part of a job of one separable filter along some of its axes: the others are left as they are in `in`, the extents it begins
/// with. `last` gives its pixels to the job's output, others are sums.
Job part_of(const Job& job, const std::array<bool, 3>& along, const Shape& in, bool first, bool last) {
  Job part = job;
  Taps& taps = part.filters.front();
  const auto extent = [](Shape& shape, std::size_t axis) -> std::int64_t& {
    return axis == 0 ? shape.depth : axis == 1 ? shape.height : shape.width;
  };
  const Pixel between = job.sum_f64 ? Pixel::f64 : Pixel::f32;
  part.in = part.out = in;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (along[axis]) {
      extent(part.out, axis) = job.out.space()[axis];
      continue;
    }
    taps.size[axis] = 1;
    taps.lead[axis] = 0;
    (*taps.factors)[axis] = {1.0};
    const std::int64_t n = extent(part.in, axis);
    part.borders[axis] = BorderTable(0, n, n, {job.borders[axis].mode(), 0});
  }
  if (!first) part.in_pixel = between;
  if (!last) {
    part.out_pixel = between;
    part.scale = 1;
    part.offset = 0;
  }
  return part;
}

/// A job of one direct filter with the weights that one axis' factor has.
std::unique_ptr<const Runner> make_along_one_axis(Job job, Device device) {
  Taps& taps = job.filters.front();
  taps.weights = {1.0};
  double gain = 1;  // of the axes without a filter
  for (const std::vector<double>& factor : *taps.factors) {
    if (factor.size() > 1) taps.weights = factor;
    else gain *= factor.front();
  }
  for (double& weight : taps.weights) weight *= gain;
  taps.method = Method::direct;
  taps.factors.reset();
  return make_direct(std::make_shared<const Job>(std::move(job)), device);
}

/// Whether a place outside along y and x alike has one value, whichever axis is asked first.
bool constants_agree(const Job& job) {
  const BorderTable& y = job.borders[1];
  const BorderTable& x = job.borders[2];
  return y.mode() != Border::Mode::constant || x.mode() != Border::Mode::constant || y.constant() == x.constant();
}

double sum_of(const std::vector<double>& factor) { return std::accumulate(factor.begin(), factor.end(), 0.0); }

/// One filter with factors, which have equal weights where its method is box.
std::unique_ptr<const Runner> make_one_separable(const Job& job, Device device);

/// The same by kernels for any size.
std::unique_ptr<const Runner> make_any_separable(const Job& job, Device device) {
  const auto& factors = *job.filters.front().factors;
  if (std::unique_ptr<const Runner> rows = make_rows(std::make_shared<const Job>(job), device)) return rows;
  const auto long_axes = static_cast<int>((factors[0].size() > 1) + (factors[1].size() > 1) + (factors[2].size() > 1));
  if (!box_by_axes(job) && separable_fits(job, device)) return make_separable(std::make_shared<const Job>(job), device);
  if (long_axes == 1) {
    // Planes in the place of rows, so that lines are read once.
    if (factors[0].size() > 1) {
      const auto planes = std::make_shared<const Job>(turned(job));
      const bool fits = separable_fits(*planes, device);
      const auto any = [&] { return fits ? make_separable(planes, device) : make_along_one_axis(*planes, device); };
      std::unique_ptr<const Runner> runner = make_box(planes, device, any);
      if (!runner && fits) runner = any();
      if (runner) return std::make_unique<TurnedRunner>(std::move(runner));
    }
    return make_along_one_axis(job, device);
  }
  // The outermost long axis last, the others first; of boxes columns first.
  const bool columns_first = box_by_axes(job) && constants_agree(job);
  const std::size_t last = columns_first ? 2 : factors[0].size() > 1 ? 0 : 1;
  std::array<bool, 3> before{true, true, true};
  before[last] = false;
  std::array<bool, 3> after{false, false, false};
  after[last] = true;
  Job first = part_of(job, before, job.in, true, false);
  Job second = part_of(job, after, first.out, false, true);
  double gain = 1;  // of the passes before on a constant
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (before[axis]) gain *= sum_of(factors[axis]);
  }
  second.borders[last] = second.borders[last].with_constant(gain * job.borders[last].constant());
  const View between = box_by_axes(job)
                           ? bulk_rows(first.out, device)
                           : View{nullptr, first.out, strides_of(first.out, first.out_pixel), first.out_pixel, device};
  return std::make_unique<TwoPasses>(make_one_separable(first, device), make_one_separable(second, device), between);
}

/// A box along rows alone over pixels that should be f32 first; null for others, and where the device has no copy engine.
std::unique_ptr<const Runner> make_as_f32(const Job& job, Device device) {
  const Taps& taps = job.filters.front();
  if (!windows_take_as_f32(job, taps, taps.method)) return nullptr;
  Job second = job;
  second.in_pixel = Pixel::f32;
  std::unique_ptr<const Runner> rows =
      make_box(std::make_shared<const Job>(std::move(second)), device, [] { return std::unique_ptr<const Runner>(); });
  if (!rows) return nullptr;
  return std::make_unique<TwoPasses>(make_convert(device), std::move(rows), bulk_rows(job.in, device));
}

std::unique_ptr<const Runner> make_one_separable(const Job& job, Device device) {
  const auto any = [&] { return make_any_separable(job, device); };
  if (box_by_axes(job)) return any();
  const auto shared = std::make_shared<const Job>(job);
  const auto others = [&] {
    if (std::unique_ptr<const Runner> as_f32 = make_as_f32(job, device)) return as_f32;
    if (std::unique_ptr<const Runner> box = make_box(shared, device, any)) return box;
    std::unique_ptr<const Runner> march = make_march(shared, device, any);
    return march ? std::move(march) : any();
  };
  std::unique_ptr<const Runner> roll = make_roll(shared, device, others);
  return roll ? std::move(roll) : others();
}

Job of_one_filter(const Job& job, std::size_t filter) {
  Job one = job;
  one.filters = {job.filters[filter]};
  if (job.combine == Combine::magnitude) {
    one.combine = Combine::none;
    one.out_pixel = job.sum_f64 ? Pixel::f64 : Pixel::f32;
    one.scale = 1;
    one.offset = 0;
  }
  return one;
}

}  // namespace

std::unique_ptr<const Runner> make_runner(std::shared_ptr<const Job> job, Device device) {
  const bool one = job->filters.size() == 1 && job->combine == Combine::none;
  const bool direct = std::all_of(job->filters.begin(), job->filters.end(), [](const Taps& taps) { return taps.method == Method::direct; });
  if (direct && (one || job->combine == Combine::none || job->filters.size() <= most_filters_together)) {
    const auto patch_or_tiles = [&] {
      std::unique_ptr<const Runner> patch = make_patch(job, device);
      return patch ? std::move(patch) : make_direct(job, device);
    };
    const auto rows_or_others = [&] {
      std::unique_ptr<const Runner> rows = make_rows(job, device);
      return rows ? std::move(rows) : patch_or_tiles();
    };
    const auto others = [&] {
      std::unique_ptr<const Runner> march = make_march(job, device, patch_or_tiles);
      return march ? std::move(march) : rows_or_others();
    };
    std::unique_ptr<const Runner> roll = one ? make_roll(job, device, others) : nullptr;
    return roll ? std::move(roll) : others();
  }
  if (one) return make_one_separable(*job, device);
  std::vector<std::unique_ptr<const Runner>> runners;
  for (std::size_t i = 0; i < job->filters.size(); ++i) {
    runners.push_back(make_runner(std::make_shared<const Job>(of_one_filter(*job, i)), device));
  }
  return std::make_unique<EachFilter>(std::move(job), std::move(runners), device);
}

}  // namespace halation::cuda_backend
