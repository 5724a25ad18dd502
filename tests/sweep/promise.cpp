// promise.cpp: floats within the bound of what their own box holds, integers at most one level off (more only where the bound is more)
// and only beside a rounding boundary, equal where all arithmetic is exact; what is not finite exactly where the filter reaches it; zeros
// give zeros, and sums of one sign have it. Where Σ|w||x| overflows, partial sums may, in any order: anything goes.
#include "promise.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/convert.h"
#include "core/own_box.h"
#include "plan/check.h"

namespace halation::sweep {
namespace {

/// Largest distance between two neighbouring values of a float pixel around `value`.
double spacing(Pixel pixel, double value) {
  const double magnitude = std::fabs(value);
  switch (pixel) {
    case Pixel::f16: return std::max(magnitude * 0x1p-10, 0x1p-24);
    case Pixel::f32: return std::max(magnitude * 0x1p-23, 0x1p-149);
    case Pixel::f64: return std::max(magnitude * 0x1p-52, 0x1p-1074);
    default: return 0;
  }
}

double stored(double sum, Pixel pixel, Rounding rounding) {
  return visit_pixel(pixel, [&](auto element) { return static_cast<double>(to_element<decltype(element)>(sum, rounding)); });
}

bool is_whole(double value) { return value == std::nearbyint(value); }

double magnitudes_of(const Filter& filter) {
  double sum = 0;
  for (const double w : filter.weights()) sum += std::fabs(w);
  return sum;
}

double most_magnitudes(const PlanSpec& spec) {
  double most = 0;
  for (const Filter& filter : spec.filters) most = std::max(most, magnitudes_of(filter));
  return most;
}

/// True where all products and partial sums are whole numbers that the sums' precision holds exactly.
bool arithmetic_is_exact(const JobCase& job_case, double greatest) {
  const PlanSpec& spec = job_case.spec;
  if (!job_case.integer_weights || is_float(spec.pixel) || spec.combine != Combine::none) return false;
  if (spec.options.scale != 1 || !is_whole(spec.options.offset)) return false;
  for (const Border& border : spec.options.border.axes()) {
    if (std::isfinite(border.value) && !is_whole(border.value)) return false;
  }
  return most_magnitudes(spec) * greatest + std::fabs(spec.options.offset) < 0x1p24;
}

/// 1 where all weights are positive or 0, −1 where they are negative or 0, else 0.
int sign_of(const Filter& filter) {
  const std::vector<double> weights = filter.weights();
  if (std::all_of(weights.begin(), weights.end(), [](double w) { return w >= 0; })) return 1;
  return std::all_of(weights.begin(), weights.end(), [](double w) { return w <= 0; }) ? -1 : 0;
}

Reach join(Reach a, const Reach& b) {
  for (std::size_t i = 0; i < a.largest.size(); ++i) {
    a.largest[i] = std::max(a.largest[i], b.largest[i]);
    a.norm[i] = std::max(a.norm[i], b.norm[i]);
  }
  return a;
}

}  // namespace

Promise::Promise(const JobCase& job_case, const Plan& plan, const Plan& oracle, const Arena& in, const Filled& filled)
    : plan_(plan),
      oracle_(oracle),
      pixel_(plan.output_pixel()),
      rounding_(job_case.spec.options.rounding),
      scale_(job_case.spec.options.scale),
      offset_(job_case.spec.options.offset) {
  const PlanSpec& spec = job_case.spec;
  double greatest = filled.greatest;
  Filled all = filled;
  for (const Border& border : spec.options.border.axes()) {
    if (std::isfinite(border.value)) greatest = std::max(greatest, std::fabs(border.value));
    if (border.mode != Border::Mode::constant) continue;
    all.finite = all.finite && std::isfinite(border.value);
    all.positive = all.positive && border.value >= 0;
    all.negative = all.negative && border.value <= 0;
  }
  of_image_ = plan.error_bound(greatest) + oracle.error_bound(greatest);

  const Method method = plan.methods().front();
  const bool is_exact = spec.options.accuracy == Accuracy::exact;
  const bool by_transforms = method == Method::fft;
  const bool approximates = !is_exact && (by_transforms || method == Method::banded || method == Method::multirate);
  // Transforms round whole sums to whole numbers: the right ones where the output is of such.
  exact_ = !(by_transforms && is_float(pixel_)) && is_exact && arithmetic_is_exact(job_case, greatest);
  spreads_ = method == Method::multirate && !all.finite;

  const bool magnitude = spec.combine == Combine::magnitude;
  const Job job = check(spec).job;
  const bool has_own_bounds = by_transforms ? plan.explain().find(", of each output at most ") != std::string::npos : !approximates;
  if (has_own_bounds) {
    bound_ = by_transforms ? Bound::of_norm : Bound::of_largest;
    for (const Taps& taps : job.filters) {
      Reach reach = reach_of(in, job, taps);
      if (magnitude && !reaches_.empty()) reach = join(std::exchange(reaches_, {}).front(), reach);
      reaches_.push_back(std::move(reach));
    }
  }
  // Terms of low rank cancel.
  const bool has_sign = has_own_bounds && method != Method::low_rank && method != Method::banded;
  const int pixels = all.positive ? 1 : all.negative ? -1 : 0;
  for (std::size_t i = 0; i < plan.outputs(); ++i) {
    const int of_sum = magnitude ? 1 : pixels * sign_of(spec.filters[i]);
    signs_.push_back(has_sign ? (scale_ < 0 ? -of_sum : of_sum) : 0);
  }

  // On a GPU transforms go along one axis, then along another, as well. Behind the family stand those that were passed over.
  const std::string explained = plan.explain();
  const bool by_axes = explained.find("axis by axis, ") < explained.find("\nfamily: ");
  const bool by_factors = method == Method::separable || method == Method::box || by_axes;
  const double most = std::max(1.0, most_magnitudes(spec)) * std::max(1.0, std::fabs(scale_));
  if (!is_float(spec.pixel) || !(most * greatest > 0x1p120)) return;
  const bool in_f64 = explained.find("sums in f64") != std::string::npos;
  // The squares of a magnitude are in f64.
  limit_ = !in_f64 ? largest(Pixel::f32) : magnitude ? std::sqrt(largest(Pixel::f64)) : largest(Pixel::f64);
  if (magnitude) limit_ /= std::sqrt(static_cast<double>(spec.filters.size()));  // by which a root is larger than the largest below it
  limit_ = limit_ / std::max(1.0, std::fabs(scale_)) * (1 - 0x1p-10);
  if (std::max(1.0, most_magnitudes(spec)) >= limit_ / greatest) find_overflows(job_case, in, greatest, by_factors);
}

/// Sums by weights reach Σ|w||x| over finite x, found by the reference; those by factors Σ|w| · max|x|, or max|x|. max|x| is that under
/// the filter where it is known, else the image's.
void Promise::find_overflows(const JobCase& job_case, const Arena& in, double greatest, bool by_factors) {
  if (by_factors) {
    const double magnitudes = std::max(1.0, most_magnitudes(job_case.spec));
    const std::vector<double> of_image(static_cast<std::size_t>(plan_.output_shape().elements()), greatest);
    for (std::size_t i = 0; i < plan_.outputs(); ++i) {
      sums_.push_back(reaches_.empty() ? of_image : reaches_[i].largest);
      for (double& sum : sums_.back()) sum *= magnitudes;
    }
    return;
  }
  PlanSpec spec = job_case.spec;
  spec.device = reference();
  spec.pixel = Pixel::f64;
  spec.combine = Combine::none;
  Options options{.border = spec.options.border, .extent = spec.options.extent, .operation = spec.options.operation, .output = Pixel::f64};
  for (Border* border : {&options.border.z, &options.border.y, &options.border.x})
    border->value = std::isfinite(border->value) ? std::fabs(border->value) : 0;
  spec.options = options;
  for (Filter& filter : spec.filters) {
    std::vector<double> weights = filter.weights();
    for (double& w : weights) w = std::fabs(w);
    const Filter magnitudes = Filter::dense(filter.size(), std::move(weights)).with_anchor(filter.anchor());
    filter = filter.is_correlation() ? magnitudes.as_correlation() : magnitudes;
  }
  Image magnitudes(spec.shape, Pixel::f64);
  auto* to = reinterpret_cast<double*>(magnitudes.view().data);
  in.for_each([&](const std::byte* p) {
    const double value = read(p, in.view.pixel);
    *to++ = std::isfinite(value) ? std::fabs(value) : 0;
  });
  const Plan plan(spec);
  std::vector<Image> sums;
  std::vector<View> views;
  for (std::size_t i = 0; i < plan.outputs(); ++i) views.push_back(sums.emplace_back(plan.output_shape(), Pixel::f64).view());
  plan.run(magnitudes, views);
  for (const View& view : views) {
    const auto* sum = reinterpret_cast<const double*>(view.data);
    std::vector<double> found(sum, sum + view.shape.elements());
    if (job_case.spec.combine == Combine::magnitude && !sums_.empty()) {
      for (std::size_t i = 0; i < found.size(); ++i) sums_[0][i] = std::max(sums_[0][i], found[i]);
    } else {
      sums_.push_back(std::move(found));
    }
  }
}

bool Promise::may_overflow(std::size_t output, std::size_t index) const {
  // What a sum is off by counts too: a magnitude squares it.
  return !sums_.empty() && !(sums_[output][index] + bound(output, index) < limit_);
}

double Promise::bound(std::size_t output, std::size_t index) const {
  if (bound_ == Bound::of_image) return of_image_;
  const Reach& reach = reaches_[output];
  const double of_oracle = oracle_.error_bound(reach.largest[index]);
  if (bound_ == Bound::of_largest) return plan_.error_bound(reach.largest[index]) + of_oracle;
  return std::min(of_image_, plan_.error_bound(own_box_factor * reach.norm[index]) + of_oracle);
}

bool Promise::is_close(double got, double sum, double expected, double bound) const {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return true;
  if (exact_ || std::isnan(got) || std::isnan(expected)) return false;
  if (is_float(pixel_)) {
    if (std::isinf(sum)) return false;
    // What is finite before it is stored may be infinite there.
    if (std::isinf(got)) return std::copysign(1, got) * sum + bound >= largest(pixel_) * (1 - 0x1p-10);
    return std::fabs(got - sum) <= bound + spacing(pixel_, sum);
  }
  const double shifted = rounding_ == Rounding::half_even ? sum - 0.5 : sum;  // boundaries at whole numbers
  const double distance = std::fabs(shifted - std::nearbyint(shifted));
  return std::fabs(got - expected) <= 1 + bound && distance <= bound;
}

bool Promise::accepts(std::size_t output, std::size_t index, double got, double sum) const {
  if (may_overflow(output, index)) return true;
  const double expected = stored(sum, pixel_, rounding_);
  if (spreads_ && (!std::isfinite(got) || !is_float(pixel_))) return true;
  if (!is_close(got, sum, expected, bound(output, index))) return false;
  if (!std::isfinite(sum)) return true;
  const double nothing = stored(offset_, pixel_, rounding_);
  if (!reaches_.empty() && reaches_[output].largest[index] == 0 && got != nothing) return false;
  return signs_[output] == 0 || signs_[output] * got >= signs_[output] * nothing;
}

}  // namespace halation::sweep
