// other_pixels.cpp: jobs over other pixels as jobs over native ones, and what is done around these.
#include "plan/other_pixels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/convert.h"
#include "halation/threads.h"

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
  const bool any_constant = std::any_of(job.borders.begin(), job.borders.end(), [](const BorderTable& border) {
    return border.mode() == Border::Mode::constant && border.constant() != 0;
  });
  return !any_constant && (job.offset == 0 || !Around(job).complex);
}

View with_data(const Shape& shape, Device device, std::byte* data) {
  return {data, shape, strides_of(shape, Pixel::f64), Pixel::f64, device};
}

/// The real or the imaginary parts of a complex image.
template <class AnyView>
AnyView part_of_view(const AnyView& view, int part) {
  AnyView found = view;
  found.pixel = part_of(view.pixel);
  found.data += part * static_cast<std::int64_t>(bytes_of(found.pixel));
  return found;
}

class OtherPixelsRunner final : public Runner {
 public:
  OtherPixelsRunner(std::shared_ptr<const Job> job, const Backend& backend, Device device)
      : job_(std::move(job)), backend_(backend), device_(device), around_(*job_) {
    const int runners = around_.parts() == 2 && !are_parts_alike(*job_) ? 2 : 1;
    for (int part = 0; part < runners; ++part)
      runners_.push_back(backend.prepare(std::make_shared<const Job>(native_job(*job_, part)), device));
  }

  std::size_t workspace_bytes() const override {
    std::size_t most = 0;
    for (const auto& runner : runners_) most = std::max(most, runner->workspace_bytes());
    return images() * in_bytes() * (around_.reads ? 1 : 0) +
           images() * job_->outputs() * out_bytes() * (around_.writes ? 1 : 0) + most;
  }
  std::size_t constant_bytes() const override {
    std::size_t sum = 0;
    for (const auto& runner : runners_) sum += runner->constant_bytes();
    return sum;
  }
  std::string explain() const override {
    const char* const how = around_.complex  ? "real parts, then imaginary ones; "
                            : around_.halves ? "upper halves of 64 bits, then lower ones, as f64; "
                                             : "by way of f64; ";
    return how + runners_.front()->explain();
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const auto parts = static_cast<std::size_t>(around_.parts());
    std::vector<View> read, written;  // those of one part after those of the other
    if (around_.reads) {
      for (std::size_t part = 0; part < images(); ++part) read.push_back(take(job_->in, in_bytes(), workspace));
      backend_.read_numbers(in, read, threads(in.shape), stream);
    }
    if (around_.writes) {
      for (std::size_t i = 0; i < images() * outs.size(); ++i)
        written.push_back(take(job_->out, out_bytes(), workspace));
    }
    for (std::size_t part = 0; part < parts; ++part) {
      const auto which = static_cast<int>(part);
      const ConstView from = around_.reads ? ConstView(read[part]) : around_.complex ? part_of_view(in, which) : in;
      std::vector<View> to;
      for (std::size_t i = 0; i < outs.size(); ++i)
        to.push_back(around_.writes    ? written[part * outs.size() + i]
                     : around_.complex ? part_of_view(outs[i], which)
                                       : outs[i]);
      runners_[std::min(part, runners_.size() - 1)]->run(from, to, workspace, stream);
    }
    if (!around_.writes) return;
    const ElementRule rule{
        .scale = job_->scale, .offset = job_->offset, .rounding = job_->rounding, .overflow = job_->overflow};
    for (std::size_t i = 0; i < outs.size(); ++i) {
      std::array<ConstView, 2> numbers{written[i], written[i]};
      if (around_.halves) numbers[1] = written[outs.size() + i];
      backend_.write_elements(std::span(numbers).first(images()), outs[i], rule, threads(outs[i].shape), stream);
    }
  }

 private:
  /// Images of f64 that one of the job becomes.
  std::size_t images() const { return around_.halves ? 2 : 1; }
  std::size_t in_bytes() const { return bytes_of_image(job_->in); }
  std::size_t out_bytes() const { return bytes_of_image(job_->out); }
  static std::size_t bytes_of_image(const Shape& shape) {
    constexpr std::size_t boundary = 256;  // of a workspace's parts, on any device
    return (static_cast<std::size_t>(shape.elements()) * sizeof(double) + boundary - 1) / boundary * boundary;
  }
  View take(const Shape& shape, std::size_t bytes, std::span<std::byte>& workspace) const {
    const View view = with_data(shape, device_, workspace.data());
    workspace = workspace.subspan(bytes);
    return view;
  }
  int threads(const Shape& shape) const {
    constexpr std::int64_t worth_threads = 1 << 16;  // elements
    if (job_->threads > 0) return job_->threads;
    return shape.elements() < worth_threads ? 1 : available_threads();
  }

  std::shared_ptr<const Job> job_;
  const Backend& backend_;
  Device device_;
  Around around_;
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

std::vector<Offer> WithOtherPixels::offers(const Job& job, std::span<const Taps> filters, Device device) const {
  if (is_native(job)) return backend_.offers(job, filters, device);
  const Around around(job);
  std::vector<Offer> all = backend_.offers(native_job(job), filters, device);
  const auto images = static_cast<double>(around.halves ? 2 : 1);
  double besides = 0;
  if (around.reads) besides += images * seconds_of_pass(backend_, job, job.in, device);
  if (around.writes) besides += images * static_cast<double>(job.outputs()) * seconds_of_pass(backend_, job, job.out, device);
  for (Offer& offer : all) {
    if (around.halves && std::any_of(filters.begin(), filters.end(), [](const Taps& taps) { return taps.form != Form::dense; }))
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
  return std::make_unique<OtherPixelsRunner>(std::move(job), backend_, device);
}

}  // namespace halation
