// compare.cpp: the promises of plan.h as a test: floats within the derived bound, integers at most one level off (more only where
// the bound is more) and only beside a rounding boundary, equal where all arithmetic is exact; nothing written outside the output;
// the same errors.
#include "compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/convert.h"

namespace halation::sweep {
namespace {

constexpr std::byte poison{0xa5};

/// Memory with a view in it, arranged as asked, and room around it that must stay as it was.
struct Arena {
  std::vector<std::byte> bytes;
  std::vector<bool> used;  // which bytes belong to the view
  View view;

  Arena(const Shape& shape, Pixel pixel, Layout layout, Arrangement arrangement) {
    const auto element = static_cast<std::int64_t>(bytes_of(pixel));
    Shape outer = shape;
    std::int64_t row_bytes = 0;
    const std::int64_t pixel_bytes = layout == Layout::planar ? element : element * shape.channels;
    switch (arrangement) {
      case Arrangement::pitched: row_bytes = (pixel_bytes * shape.width / 64 + 1) * 64 + element; break;
      case Arrangement::sub_rectangle:
        outer.width += 5;
        outer.height += 3;
        outer.depth += 1;
        break;
      case Arrangement::skipping: outer.width = outer.width * 2 + 1; break;
      case Arrangement::transposed: std::swap(outer.width, outer.height); break;
      default: break;
    }
    Strides strides = strides_of(outer, pixel, layout, row_bytes);
    const std::int64_t margin = 64;
    const std::int64_t total = outer.batch * (layout == Layout::planar ? strides.channels * outer.channels : strides.batch);
    bytes.assign(static_cast<std::size_t>(total + 2 * margin), poison);
    std::int64_t start = margin;
    switch (arrangement) {
      case Arrangement::sub_rectangle: start += 2 * strides.width + strides.height + strides.depth; break;
      case Arrangement::upside_down:
        start += (shape.height - 1) * strides.height;
        strides.height = -strides.height;
        break;
      case Arrangement::mirrored:
        start += (shape.width - 1) * strides.width;
        strides.width = -strides.width;
        break;
      case Arrangement::skipping:
        start += strides.width;
        strides.width *= 2;
        break;
      case Arrangement::transposed: std::swap(strides.width, strides.height); break;
      case Arrangement::broadcast: strides.height = 0; break;
      default: break;
    }
    view = {bytes.data() + start, shape, strides, pixel, cpu()};
    used.assign(bytes.size(), false);
    for_each([&](std::byte* p) {
      for (std::int64_t i = 0; i < element; ++i) used[static_cast<std::size_t>(p - bytes.data() + i)] = true;
    });
  }
  Arena(const Arena&) = delete;
  Arena(Arena&&) = default;

  template <class Visitor>
  void for_each(const Visitor& visit) const {
    const Shape& n = view.shape;
    const Strides& s = view.strides;
    for (std::int64_t b = 0; b < n.batch; ++b)
      for (std::int64_t z = 0; z < n.depth; ++z)
        for (std::int64_t y = 0; y < n.height; ++y)
          for (std::int64_t x = 0; x < n.width; ++x)
            for (std::int64_t c = 0; c < n.channels; ++c)
              visit(view.data + b * s.batch + z * s.depth + y * s.height + x * s.width + c * s.channels);
  }

  bool surroundings_intact() const {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (!used[i] && bytes[i] != poison) return false;
    }
    return true;
  }
};

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
  for (const Border& border : spec.options.border.axes) {
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

}  // namespace

std::optional<std::string> find_fault(const JobCase& job_case, Device device) {
  PlanSpec oracle_spec = job_case.spec;
  oracle_spec.options.output = Pixel::f64;
  oracle_spec.options.method = Method::automatic;
  oracle_spec.options.threads = 0;
  auto [oracle, oracle_error] = try_plan(oracle_spec, reference());
  PlanSpec spec = job_case.spec;
  auto [plan, error] = try_plan(spec, device);
  if (!plan && (error.starts_with("method separable") || error.starts_with("method box"))) {
    spec.options.method = Method::automatic;
    std::tie(plan, error) = try_plan(spec, device);
  }
  if (error != oracle_error) return "errors differ: '" + error + "' and '" + oracle_error + "'";
  if (!plan) return std::nullopt;

  std::mt19937_64 random(job_case.seed ^ 0x5bd1e995);
  Arena in(spec.shape, spec.pixel, job_case.in_layout, job_case.in_arrangement);
  double greatest = fill(in, job_case.data_kind, random);
  for (const Border& border : spec.options.border.axes) greatest = std::max(greatest, std::fabs(border.value));
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

  const Rule rule{plan->output_pixel(), spec.options.rounding, plan->error_bound(greatest) + oracle->error_bound(greatest),
                  arithmetic_is_exact(job_case, greatest)};
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
