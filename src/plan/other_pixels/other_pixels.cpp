// other_pixels.cpp: jobs over other pixels as jobs over native ones, and what is done around these.
#include "plan/other_pixels/other_pixels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/convert.h"
#include "core/numbers.h"
#include "core/threads.h"
#include "halation/threads.h"
#include "plan/other_pixels/number_strips.h"

namespace halation {
namespace {

/// What is done around a job over native pixels.
struct Around {
  explicit Around(const Job& job)
      : complex(is_complex(job.in_pixel)),
        halves(is_wide(job.in_pixel)),
        reads(!complex && !is_native(job.in_pixel)),
        writes(!complex && (halves || !is_native(job.out_pixel) || wraps(job))) {}

  bool complex;  ///< real parts, then imaginary ones, where they lie
  bool halves;   ///< upper halves, then lower ones
  bool reads;    ///< elements become numbers of f64
  bool writes;   ///< numbers of f64 become elements

  int parts() const { return complex || halves ? 2 : 1; }
};

/// The job that kernels do, of the first part or of the second.
Job native_job(const Job& job, int part = 0) {
  const Around around(job);
  Job native = job;
  native.overflow = Overflow::saturate;
  native.in_pixel = around.reads ? Pixel::f64 : part_of(job.in_pixel);
  native.out_pixel = around.writes ? Pixel::f64 : part_of(job.out_pixel);
  if (around.writes) {
    native.scale = 1;
    native.offset = 0;
  }
  if (around.complex && part == 1) native.offset = 0;
  for (BorderTable& border : native.borders) {
    if (around.complex && part == 1) border = border.with_constant(0);
    if (!around.halves) continue;
    const double high = std::floor(border.constant() * 0x1p-32);
    border = border.with_constant(part == 0 ? high : border.constant() - high * 0x1p32);
  }
  return native;
}

/// Whether the second part is filtered as the first one.
bool are_parts_alike(const Job& job) {
  const bool any_constant =
      std::any_of(job.borders.begin(), job.borders.end(), [](const BorderTable& border) {
        return border.mode() == Border::Mode::constant && border.constant() != 0;
      });
  return !any_constant && (job.offset == 0 || !Around(job).complex);
}

/// The real or the imaginary parts of a complex image.
template <class AnyView>
AnyView part_of_view(const AnyView& view, int part) {
  AnyView found = view;
  found.pixel = part_of(view.pixel);
  found.data += part * static_cast<std::int64_t>(bytes_of(found.pixel));
  return found;
}

int threads_of(const Job& job) { return job.threads > 0 ? job.threads : available_threads(); }

constexpr std::size_t boundary = 256;  // of a workspace's parts, on any device

std::size_t rounded_up(std::size_t bytes) { return (bytes + boundary - 1) / boundary * boundary; }

std::size_t bytes_of_numbers(const Shape& shape) {
  return rounded_up(static_cast<std::size_t>(shape.elements()) * sizeof(double));
}

/// An image of f64 at the front of a workspace, which begins after it from then on.
View take(const Shape& shape, Device device, std::span<std::byte>& workspace) {
  const View view{workspace.data(), shape, strides_of(shape, Pixel::f64), Pixel::f64, device};
  workspace = workspace.subspan(bytes_of_numbers(shape));
  return view;
}

/// Of the first part, and where the second is filtered otherwise of that.
std::vector<std::unique_ptr<const Runner>> runners_of(const std::vector<Job>& jobs, const Backend& backend,
                                                      Device device) {
  std::vector<std::unique_ptr<const Runner>> runners;
  runners.reserve(jobs.size());
  for (const Job& job : jobs) runners.push_back(backend.prepare(std::make_shared<const Job>(job), device));
  return runners;
}

std::vector<Job> native_jobs(const Job& job) {
  std::vector<Job> jobs{native_job(job)};
  if (Around(job).parts() == 2 && !are_parts_alike(job)) jobs.push_back(native_job(job, 1));
  return jobs;
}

std::size_t most_workspace(const std::vector<std::unique_ptr<const Runner>>& runners) {
  std::size_t most = 0;
  for (const auto& runner : runners) most = std::max(most, runner->workspace_bytes());
  return most;
}

std::size_t all_constants(const std::vector<std::unique_ptr<const Runner>>& runners) {
  std::size_t sum = 0;
  for (const auto& runner : runners) sum += runner->constant_bytes();
  return sum;
}

/// Whole images, one pass after the other.
class WholeRunner final : public Runner {
 public:
  WholeRunner(std::shared_ptr<const Job> job, const Backend& backend, Device device)
      : job_(std::move(job)),
        backend_(backend),
        device_(device),
        around_(*job_),
        rule_(rule_of(*job_)),
        runners_(runners_of(native_jobs(*job_), backend, device)) {}

  std::size_t workspace_bytes() const override {
    return images() * bytes_of_numbers(job_->in) * (around_.reads ? 1 : 0) +
           images() * job_->outputs() * bytes_of_numbers(job_->out) * (around_.writes ? 1 : 0) +
           most_workspace(runners_);
  }
  std::size_t constant_bytes() const override { return all_constants(runners_); }
  std::string explain() const override {
    const char* const how = around_.complex  ? "real parts, then imaginary ones; "
                            : around_.halves ? "upper halves of 64 bits, then lower ones, as f64; "
                                             : "by way of f64; ";
    return how + runners_.front()->explain();
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace,
           Stream stream) const override {
    const auto parts = static_cast<std::size_t>(around_.parts());
    std::vector<View> read, written;  // those of one part after those of the other
    if (around_.reads) {
      for (std::size_t part = 0; part < images(); ++part) read.push_back(take(job_->in, device_, workspace));
      backend_.read_numbers(in, read, threads(in.shape), stream);
    }
    if (around_.writes) {
      for (std::size_t i = 0; i < images() * outs.size(); ++i)
        written.push_back(take(job_->out, device_, workspace));
    }
    for (std::size_t part = 0; part < parts; ++part) {
      const auto which = static_cast<int>(part);
      const ConstView from = around_.reads     ? ConstView(read[part])
                             : around_.complex ? part_of_view(in, which)
                                               : in;
      std::vector<View> to;
      for (std::size_t i = 0; i < outs.size(); ++i)
        to.push_back(around_.writes    ? written[part * outs.size() + i]
                     : around_.complex ? part_of_view(outs[i], which)
                                       : outs[i]);
      runners_[std::min(part, runners_.size() - 1)]->run(from, to, workspace, stream);
    }
    if (!around_.writes) return;
    for (std::size_t i = 0; i < outs.size(); ++i) {
      std::array<ConstView, 2> numbers{written[i], written[i]};
      if (around_.halves) numbers[1] = written[outs.size() + i];
      backend_.write_elements(std::span(numbers).first(images()), outs[i], rule_, threads(outs[i].shape),
                              stream);
    }
  }

 private:
  /// Images of f64 that one of the job becomes.
  std::size_t images() const { return around_.halves ? 2 : 1; }
  int threads(const Shape& shape) const {
    constexpr std::int64_t worth_threads = 1 << 16;  // elements
    return shape.elements() < worth_threads ? 1 : threads_of(*job_);
  }

  std::shared_ptr<const Job> job_;
  const Backend& backend_;
  Device device_;
  Around around_;
  ElementRule rule_;
  std::vector<std::unique_ptr<const Runner>> runners_;
};

/// A native job from f64 to f64.
Job job_over_numbers(Job native) {
  native.in_pixel = native.out_pixel = Pixel::f64;
  native.scale = 1;
  native.offset = 0;
  return native;
}

/// Images in host memory that are not complex: strip by strip, each by one thread.
class StripRunner final : public Runner {
 public:
  StripRunner(std::shared_ptr<const Job> job, const Backend& backend, Device device, NumberStrips strips,
              int threads)
      : job_(std::move(job)),
        strips_(std::move(strips)),
        device_(device),
        rule_(rule_of(*job_)),
        images_(static_cast<std::size_t>(Around(*job_).parts())),
        workers_(std::min<std::int64_t>(threads, strips_.count())) {
    std::vector<Job> jobs;
    for (Job& native : native_jobs(*job_)) jobs.push_back(strips_.cut(job_over_numbers(std::move(native))));
    runners_ = runners_of(jobs, backend, device);
    for (std::size_t part = 0; part < images_; ++part) {
      const Job native = native_job(*job_, static_cast<int>(part));
      for (std::size_t axis = 0; axis < 3; ++axis) constants_[axis][part] = native.borders[axis].constant();
    }
  }

  std::size_t workspace_bytes() const override {
    return static_cast<std::size_t>(workers_) * bytes_of_worker();
  }
  std::size_t constant_bytes() const override { return all_constants(runners_); }
  std::string explain() const override {
    return std::string(images_ == 2 ? "upper halves of 64 bits, then lower ones" : "numbers") +
           " as f64 in " + std::to_string(strips_.count()) + " strips of " + to_string(strips_.out()) +
           ", at most " + std::to_string(workers_) + (workers_ == 1 ? " thread; " : " threads; ") +
           runners_.front()->explain();
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace,
           Stream stream) const override {
    // Workers allocate nothing: where memory is short a thread could not even say so.
    const std::size_t each = images_ * outs.size();
    std::vector<View> sums(static_cast<std::size_t>(workers_) * each);
    const auto work = [&](std::int64_t worker) {
      const auto number = static_cast<std::size_t>(worker);
      auto room = workspace.subspan(number * bytes_of_worker(), bytes_of_worker());
      std::array<View, 2> read;
      for (std::size_t part = 0; part < images_; ++part) read[part] = take(strips_.in(), device_, room);
      const std::span<View> written = std::span(sums).subspan(number * each, each);
      for (View& numbers : written) numbers = take(strips_.out(), device_, room);
      for (std::int64_t strip = worker; strip < strips_.count(); strip += workers_) {
        strips_.read(strip, in, std::span(read).first(images_), constants_);
        for (std::size_t part = 0; part < images_; ++part) {
          runners_[std::min(part, runners_.size() - 1)]->run(
              read[part], written.subspan(part * outs.size(), outs.size()), room, stream);
        }
        write(strip, written, outs);
      }
    };
    if (workers_ == 1) return work(0);
    in_threads(workers_, work);
  }

 private:
  std::size_t bytes_of_worker() const {
    return images_ * (bytes_of_numbers(strips_.in()) + job_->outputs() * bytes_of_numbers(strips_.out())) +
           rounded_up(most_workspace(runners_));
  }

  void write(std::int64_t strip, std::span<const View> written, std::span<const View> outs) const {
    for (std::size_t i = 0; i < outs.size(); ++i) {
      std::array<ConstView, 2> numbers;
      for (std::size_t part = 0; part < images_; ++part)
        numbers[part] = strips_.numbers_of(strip, written[part * outs.size() + i]);
      write_elements(std::span(numbers).first(images_), strips_.output_of(strip, outs[i]), rule_, 1);
    }
  }

  std::shared_ptr<const Job> job_;
  NumberStrips strips_;
  Device device_;
  ElementRule rule_;
  std::size_t images_;  ///< of f64 that one of the job becomes
  std::int64_t workers_;
  std::array<std::array<double, 2>, 3> constants_;  ///< around an image, by axis and image
  std::vector<std::unique_ptr<const Runner>> runners_;
};

/// What a pass over an image of f64 takes: a filter of one tap.
double seconds_of_pass(const Backend& backend, const Job& like, const Shape& shape, Device device) {
  Job job = like;
  job.in = job.out = shape;
  job.in_pixel = job.out_pixel = Pixel::f64;
  job.sum_f64 = true;
  job.combine = Combine::none;
  job.family.clear();
  Taps one;
  one.weights = {1};
  job.filters = {one};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t n = shape.space()[axis];
    job.borders[axis] = BorderTable(0, n, n, Border::replicate());
  }
  return best_of(backend.offers(job, job.filters, device)).seconds;
}

}  // namespace

bool needs_f64(Pixel pixel) {
  const Pixel part = part_of(pixel);
  return part == Pixel::f64 || !is_native(part);
}

bool wraps(const Job& job) { return job.overflow == Overflow::wrap && !is_float(job.out_pixel); }

bool is_native(const Job& job) { return is_native(job.in_pixel) && is_native(job.out_pixel) && !wraps(job); }

std::vector<Offer> WithOtherPixels::offers(const Job& job, std::span<const Taps> filters,
                                           Device device) const {
  if (is_native(job)) return backend_.offers(job, filters, device);
  const Around around(job);
  std::vector<Offer> all = backend_.offers(native_job(job), filters, device);
  const auto images = static_cast<double>(around.halves ? 2 : 1);
  double besides = 0;
  if (around.reads) besides += images * seconds_of_pass(backend_, job, job.in, device);
  if (around.writes)
    besides += images * static_cast<double>(job.outputs()) * seconds_of_pass(backend_, job, job.out, device);
  for (Offer& offer : all) {
    if (around.halves && std::any_of(filters.begin(), filters.end(),
                                     [](const Taps& taps) { return taps.form != Form::dense; }))
      offer = {.family = offer.family, .why_not = "64-bit integers are summed tap by tap"};
    offer.seconds = around.parts() * offer.seconds + besides;
  }
  return all;
}

double WithOtherPixels::added_error(const Job& job, const Taps& taps) const {
  return is_native(job) ? backend_.added_error(job, taps) : 0;
}

TransformFacts WithOtherPixels::transform_facts(const Job& job, const Taps& taps, Device device) const {
  return is_native(job) ? backend_.transform_facts(job, taps, device)
                        : backend_.transform_facts(native_job(job), taps, device);
}

std::unique_ptr<const Runner> WithOtherPixels::prepare(std::shared_ptr<const Job> job, Device device) const {
  if (is_native(*job)) return backend_.prepare(std::move(job), device);
  if (kind() == Device::Kind::cpu && !is_complex(job->in_pixel)) {
    const int threads = threads_of(*job);
    NumberStrips strips(*job, threads);
    if (strips.count() > 1)
      return std::make_unique<StripRunner>(std::move(job), backend_, device, std::move(strips), threads);
  }
  return std::make_unique<WholeRunner>(std::move(job), backend_, device);
}

}  // namespace halation
