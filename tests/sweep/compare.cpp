// compare.cpp: the promises of plan.h as a test: floats within the derived bound, integers at most one level off (more only where
// the bound is more) and only beside a rounding boundary, equal where all arithmetic is exact; nothing written outside the output;
// the same errors.
#include "compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "arena.h"
#include "core/convert.h"

namespace halation::sweep {
namespace {

double read(const std::byte* p, Pixel pixel) {
  return visit_pixel(pixel, [p](auto element) {
    std::memcpy(&element, p, sizeof element);
    return static_cast<double>(element);
  });
}

void write(std::byte* p, Pixel pixel, double value) {
  visit_pixel(pixel, [p, value](auto element) {
    element = to_element<decltype(element)>(value, Rounding::half_even);
    std::memcpy(p, &element, sizeof element);
  });
}

double least_normal(Pixel pixel) { return pixel == Pixel::f16 ? 0x1p-14 : pixel == Pixel::f32 ? 0x1p-126 : 0x1p-1022; }

/// Fills the input; returns the largest finite magnitude in it.
double fill(Arena& arena, int kind, std::mt19937_64& random) {
  const Pixel pixel = arena.view.pixel;
  const bool floats = is_float(pixel);
  const double low = floats ? -1 : smallest(pixel);
  const double high = floats ? 1 : largest(pixel);
  double greatest = 0;
  double phase = 0;
  arena.for_each([&](std::byte* p) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    double value = low + (high - low) * u;
    if (kind == 1) value = u < 0.5 ? low : high;
    if (kind == 2 && floats && u < 0.01) {
      value = u < 0.004 ? std::numeric_limits<double>::quiet_NaN()
                        : std::copysign(std::numeric_limits<double>::infinity(), u - 0.007);
    }
    if (kind == 3) value = low + (high - low) * (0.5 + 0.5 * std::sin(phase += 0.05));
    if (kind == 4 && floats) value *= 4 * least_normal(pixel);
    write(p, pixel, value);
    if (const double stored = std::fabs(read(p, pixel)); std::isfinite(stored)) greatest = std::max(greatest, stored);
  });
  return greatest;
}

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

struct Rule {
  Pixel pixel;
  Rounding rounding;
  double bound;  // on the difference of the sums before rounding
  bool exact;    // sums are exact on both sides

  bool accepts(double got, double sum) const {
    const double expected = visit_pixel(pixel, [&](auto element) {
      return static_cast<double>(to_element<decltype(element)>(sum, rounding));
    });
    if (got == expected || (std::isnan(got) && std::isnan(expected))) return true;
    if (exact || std::isnan(got) || std::isnan(expected)) return false;
    if (is_float(pixel)) {
      if (std::isinf(got) != std::isinf(expected)) {  // overflow of one side only, at the edge of the range
        return std::fabs(std::isinf(got) ? sum : got) + bound >= largest(pixel) * (1 - 0x1p-10) && got * expected > 0;
      }
      return std::fabs(got - sum) <= bound + spacing(pixel, sum);
    }
    const double shifted = rounding == Rounding::half_even ? sum - 0.5 : sum;  // boundaries at whole numbers
    const double distance = std::fabs(shifted - std::nearbyint(shifted));
    return std::fabs(got - expected) <= 1 + bound && distance <= bound;
  }
};

bool is_whole(double value) { return value == std::nearbyint(value); }

/// True where all products and partial sums are whole numbers that the sums' precision holds exactly.
bool arithmetic_is_exact(const JobCase& job_case, double greatest) {
  const PlanSpec& spec = job_case.spec;
  if (!job_case.integer_weights || is_float(spec.pixel) || spec.combine != Combine::none) return false;
  if (spec.options.scale != 1 || !is_whole(spec.options.offset)) return false;
  for (const Border& border : spec.options.border.axes()) {
    if (!is_whole(border.value)) return false;
  }
  double magnitudes = 0;
  for (const Filter& filter : spec.filters) {
    double sum = 0;
    for (const double w : filter.weights()) sum += std::fabs(w);
    magnitudes = std::max(magnitudes, sum);
  }
  return magnitudes * greatest + std::fabs(spec.options.offset) < 0x1p24;
}

/// An arena's twin where the device under test can reach it: the arena itself, or a copy of all its bytes in device memory.
class Twin {
 public:
  Twin(Arena& arena, Device device) : arena_(arena), view_(arena.view) {
    view_.device = device;
    if (shares_memory(device, cpu())) return;
    memory_ = to_device(bytes(), device);
    view_.data = memory_.view().data + (arena.view.data - arena.bytes.data());
  }
  const View& view() const { return view_; }

  /// Brings back what was written.
  void finish() {
    if (memory_.empty()) return;
    copy(memory_.view(), bytes(), {});
    synchronise(view_.device);
  }

 private:
  View bytes() const {
    return view_of(reinterpret_cast<std::uint8_t*>(arena_.bytes.data()), {.width = static_cast<std::int64_t>(arena_.bytes.size())});
  }

  Arena& arena_;
  View view_;
  Image memory_;
};

/// The error that a plan of the case on `device` gives, and the plan where there is none.
std::pair<std::optional<Plan>, std::string> try_plan(PlanSpec spec, Device device) {
  spec.device = device;
  try {
    return {Plan(spec), ""};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

/// The same; by any method where the filter is none for the case's.
std::pair<std::optional<Plan>, std::string> try_any_method(PlanSpec& spec, Device device) {
  auto tried = try_plan(spec, device);
  const auto is_for = [&](const char* method) { return tried.second.starts_with("method " + std::string(method)); };
  if (!tried.first && (is_for("separable") || is_for("box") || is_for("fft") || is_for("banded") || is_for("low_rank"))) {
    spec.options.method = Method::automatic;
    tried = try_plan(spec, device);
  }
  return tried;
}

}  // namespace

Outcome outcome_of(const JobCase& job_case, Device device) {
  PlanSpec spec = job_case.spec;
  spec.layout = job_case.in_layout;
  const auto [plan, error] = try_any_method(spec, device);
  if (!plan) return {error, 0};
  std::mt19937_64 random(job_case.seed ^ 0x5bd1e995);
  Arena in(spec.shape, spec.pixel, job_case.in_layout, job_case.in_arrangement);
  fill(in, job_case.data_kind, random);
  std::vector<Arena> outs;
  std::vector<Twin> twins;
  std::vector<View> views;
  outs.reserve(plan->outputs());
  twins.reserve(plan->outputs());
  for (std::size_t i = 0; i < plan->outputs(); ++i) {
    outs.emplace_back(plan->output_shape(), plan->output_pixel(), job_case.out_layout, job_case.out_arrangement);
    twins.emplace_back(outs.back(), device);
    views.push_back(twins.back().view());
  }
  plan->run(Twin(in, device).view(), views);
  for (Twin& twin : twins) twin.finish();
  Outcome outcome{plan->explain(), 0xcbf29ce484222325};
  if (!outcome.explain.empty()) outcome.explain.pop_back();
  outcome.explain.erase(0, outcome.explain.find_last_of('\n') + 1);
  for (const Method method : plan->methods()) outcome.explain += "; " + std::string(name_of(method));
  for (const Arena& out : outs) {
    for (const std::byte byte : out.bytes) outcome.checksum = (outcome.checksum ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
  }
  return outcome;
}

std::optional<std::string> find_fault(const JobCase& job_case, Device device) {
  PlanSpec oracle_spec = job_case.spec;
  oracle_spec.options.output = Pixel::f64;
  oracle_spec.options.method = Method::automatic;
  oracle_spec.options.threads = 0;
  auto [oracle, oracle_error] = try_plan(oracle_spec, reference());
  PlanSpec spec = job_case.spec;
  spec.layout = job_case.in_layout;
  auto [plan, error] = try_any_method(spec, device);
  if (error != oracle_error) return "errors differ: '" + error + "' and '" + oracle_error + "'";
  if (!plan) return std::nullopt;

  std::mt19937_64 random(job_case.seed ^ 0x5bd1e995);
  Arena in(spec.shape, spec.pixel, job_case.in_layout, job_case.in_arrangement);
  double greatest = fill(in, job_case.data_kind, random);
  for (const Border& border : spec.options.border.axes()) greatest = std::max(greatest, std::fabs(border.value));
  const std::vector<std::byte> in_before = in.bytes;

  std::vector<Arena> outs;
  std::vector<Image> sums;
  std::vector<View> sum_views;
  outs.reserve(plan->outputs());
  for (std::size_t i = 0; i < plan->outputs(); ++i) {
    outs.emplace_back(plan->output_shape(), plan->output_pixel(), job_case.out_layout, job_case.out_arrangement);
    sums.emplace_back(oracle->output_shape(), Pixel::f64);
    sum_views.push_back(sums.back().view());
  }
  if (plan->output_shape() != oracle->output_shape()) return "output shapes differ";
  Twin in_twin(in, device);
  std::vector<Twin> out_twins;
  std::vector<View> twin_views;
  out_twins.reserve(outs.size());
  for (Arena& out : outs) {
    out_twins.emplace_back(out, device);
    twin_views.push_back(out_twins.back().view());
  }
  plan->run(in_twin.view(), twin_views);
  in_twin.finish();
  for (Twin& twin : out_twins) twin.finish();
  oracle->run(in.view, sum_views);
  if (in.bytes != in_before) return "the input was written";

  // Transforms round whole sums to whole numbers: the right ones where the output is of such.
  const bool to_floats_by_transforms = is_float(plan->output_pixel()) && plan->methods().front() == Method::fft;
  const Rule rule{plan->output_pixel(), spec.options.rounding, plan->error_bound(greatest) + oracle->error_bound(greatest),
                  !to_floats_by_transforms && spec.options.accuracy == Accuracy::exact && arithmetic_is_exact(job_case, greatest)};
  for (std::size_t i = 0; i < outs.size(); ++i) {
    if (!outs[i].surroundings_intact()) return "bytes outside output " + std::to_string(i) + " were written";
    const auto* sum = reinterpret_cast<const double*>(sum_views[i].data);
    std::int64_t wrong = 0;
    std::int64_t index = 0;
    std::string first;
    outs[i].for_each([&](const std::byte* p) {
      const double got = read(p, rule.pixel);
      if (!rule.accepts(got, *sum) && wrong++ == 0) {
        char text[160];
        std::snprintf(text, sizeof text, "element %lld of output %zu is %.9g, the sum is %.17g, bound %.3g",
                      static_cast<long long>(index), i, got, *sum, rule.bound);
        first = text;
      }
      ++sum;
      ++index;
    });
    if (wrong > 0) return first + "; " + std::to_string(wrong) + " of " + std::to_string(index) + " wrong\n" + plan->explain();
  }
  return std::nullopt;
}

}  // namespace halation::sweep
