// check.cpp: jobs and views, checked once where the user's values enter.
#include "plan/check.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/convert.h"
#include "core/integer_weights.h"
#include "core/only_family.h"
#include "halation/error.h"

namespace halation {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_argument, sentence); }

constexpr const char* axis_names[] = {"batch", "depth", "height", "width", "channels"};

std::string text(const FilterSize& size) {
  return (size.depth > 1 ? std::to_string(size.depth) + "x" : "") + std::to_string(size.height) + "x" +
         std::to_string(size.width);
}

/// No image and no view reaches further, so that neither twice an extent nor a sum of two distances overflows.
constexpr std::int64_t most_bytes = std::int64_t{1} << 61;

void check_shape(const Shape& shape, Pixel pixel) {
  for (const std::int64_t extent : {shape.batch, shape.depth, shape.height, shape.width, shape.channels}) {
    if (extent < 1) refuse("image is empty: every extent must be at least 1, got " + to_string(shape));
  }
  if (shape.elements() > most_bytes / static_cast<std::int64_t>(bytes_of(pixel))) {
    refuse("image " + to_string(shape) + " " + std::string(name_of(pixel)) + " has more bytes than 61 bits count");
  }
}

void check_options(const Options& options) {
  if (!std::isfinite(options.scale)) refuse("scale must be finite, got " + std::to_string(options.scale));
  if (!std::isfinite(options.offset)) refuse("offset must be finite, got " + std::to_string(options.offset));
  if (options.threads < 0) refuse("threads must be at least 0, got " + std::to_string(options.threads));
}

/// Whether an element of a box of a given shape and strides at distance `delta` bytes overlaps one of another box of the same kind:
/// whether delta is a sum of strides, each taken fewer times than the axis is long, but for less than an element.
bool offset_within(std::int64_t delta, std::span<const std::pair<std::int64_t, std::int64_t>> axes, std::int64_t element) {
  if (axes.empty()) return std::abs(delta) < element;
  const auto [stride, extent] = axes.front();
  const std::int64_t quotient = delta / stride;
  for (std::int64_t q = quotient - 1; q <= quotient + 1; ++q) {
    if (std::abs(q) < extent && offset_within(delta - q * stride, axes.subspan(1), element)) return true;
  }
  return false;
}

/// Stride and extent of each axis, in the order of `axis_names`.
std::array<std::pair<std::int64_t, std::int64_t>, 5> axes_of(const ConstView& view) {
  const Shape& n = view.shape;
  const Strides& s = view.strides;
  return {{{s.batch, n.batch}, {s.depth, n.depth}, {s.height, n.height}, {s.width, n.width}, {s.channels, n.channels}}};
}

/// Whether the view reaches further than addresses do, or than the sums here can hold.
bool leaves_memory(const ConstView& view) {
  std::int64_t below = 0;
  std::int64_t above = static_cast<std::int64_t>(bytes_of(view.pixel));
  for (const auto& [stride, extent] : axes_of(view)) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(stride, extent - 1, &reach) || reach < -most_bytes || reach > most_bytes) return true;
    (reach < 0 ? below : above) += reach;
  }
  if (below < -most_bytes || above > most_bytes) return true;
  const auto address = reinterpret_cast<std::uintptr_t>(view.data);
  return address < static_cast<std::uintptr_t>(-below) || address + static_cast<std::uintptr_t>(above) < address;
}

/// First byte, and one past the last.
std::pair<const std::byte*, const std::byte*> range_of(const ConstView& view) {
  const std::byte* low = view.data;
  const std::byte* high = view.data + bytes_of(view.pixel);
  for (const auto& [stride, extent] : axes_of(view)) {
    (stride < 0 ? low : high) += stride * (extent - 1);
  }
  return {low, high};
}

bool overlap(const ConstView& a, const ConstView& b) {
  const auto [a_low, a_high] = range_of(a);
  const auto [b_low, b_high] = range_of(b);
  if (a_high <= b_low || b_high <= a_low) return false;
  // Ranges may interleave without an element in common, as the two halves of a picture or two of its channels do.
  if (a.strides != b.strides || a.pixel != b.pixel) return true;
  std::array<std::pair<std::int64_t, std::int64_t>, 5> axes;  // in place: runs allocate nothing
  std::size_t count = 0;
  const auto of_a = axes_of(a);
  const auto of_b = axes_of(b);
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const std::int64_t extent = std::max(of_a[i].second, of_b[i].second);
    if (extent > 1 && of_a[i].first != 0) axes[count++] = {std::abs(of_a[i].first), extent};
  }
  const std::span used(axes.data(), count);
  std::sort(used.rbegin(), used.rend());
  return offset_within(b.data - a.data, used, static_cast<std::int64_t>(bytes_of(a.pixel)));
}

void check_view(const char* what, const ConstView& view, const Shape& shape, Pixel pixel, Device device) {
  const std::string name = what;
  if (view.data == nullptr) refuse(name + " has no data");
  if (view.shape != shape) refuse(name + " must be " + to_string(shape) + " as planned, got " + to_string(view.shape));
  if (view.pixel != pixel) {
    refuse(name + " must have pixel " + std::string(name_of(pixel)) + " as planned, got " +
           std::string(name_of(view.pixel)));
  }
  if (!shares_memory(view.device, device)) {
    refuse(name + " lies in memory of " + name_of(view.device) + ", the plan runs on " + name_of(device) +
           "; copy it there first");
  }
  const auto element = static_cast<std::int64_t>(alignment_of(pixel));
  bool aligned = reinterpret_cast<std::uintptr_t>(view.data) % static_cast<std::uintptr_t>(element) == 0;
  for (const auto& [stride, extent] : axes_of(view)) aligned = aligned && (extent == 1 || stride % element == 0);
  if (!aligned) {
    refuse(name + ": address and strides must be multiples of " + std::to_string(element) + " bytes for pixel " +
           std::string(name_of(pixel)));
  }
  if (leaves_memory(view)) refuse(name + ": the strides reach beyond what addresses can name");
}

/// Refuses outputs whose elements share bytes. What is allowed is that each stride steps over all that the smaller strides reach.
void check_apart(const View& out) {
  const auto axes = axes_of(out);
  std::array<std::size_t, 5> order{0, 1, 2, 3, 4};
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::abs(axes[a].first) < std::abs(axes[b].first); });
  auto reach = static_cast<std::int64_t>(bytes_of(out.pixel));
  for (const std::size_t axis : order) {
    const auto [stride, extent] = axes[axis];
    if (extent == 1) continue;
    if (stride == 0) refuse("output: a stride of 0 puts several elements in one place");
    if (std::abs(stride) < reach) {
      refuse("output: the stride along " + std::string(axis_names[axis]) + " must be at least " + std::to_string(reach) +
             " bytes, or elements would share memory, got " + std::to_string(std::abs(stride)));
    }
    reach += std::abs(stride) * (extent - 1);
  }
}

/// Refuses what complex pixels have no meaning for, and sums of 64-bit integers that would not be exact.
void check_pixels(const CheckedJob& checked) {
  const Job& job = checked.job;
  const std::string in(name_of(job.in_pixel)), out(name_of(job.out_pixel));
  if (is_complex(job.in_pixel) != is_complex(job.out_pixel))
    refuse("complex pixels give complex pixels and no others do, got " + in + " to " + out);
  if (is_complex(job.in_pixel) && job.combine != Combine::none)
    refuse("the magnitude of several filters is one of real numbers, got pixel " + in);
  if (!is_wide(job.in_pixel)) return;
  const std::string exact = "sums of " + in + " are exact, and so ";
  if (job.combine != Combine::none) refuse(exact + "have no magnitude; filter images of f64");
  constexpr double most_weights = 0x1p21, most_constant = 0x1p53;
  for (const Filter& filter : checked.filters) {
    double magnitudes = 1;
    bool are_integers = true;
    const auto take = [&](std::span<const double> weights) {
      are_integers = are_integers && std::all_of(weights.begin(), weights.end(), is_integer);
      magnitudes *= std::accumulate(weights.begin(), weights.end(), 0.0,
                                    [](double sum, double weight) { return sum + std::fabs(weight); });
    };
    if (filter.factors()) {  // multiplied out they may be billions
      for (const std::span<const double> factor : filter.factors()->axes()) take(factor);
    } else {
      take(filter.weights());
    }
    if (!are_integers || magnitudes > most_weights) {
      refuse(exact + "weights must be integers whose magnitudes sum up to 2^21 at most, filter '" +
             filter.name() + "' has others; filter images of f64");
    }
  }
  const auto check_integer = [&](const char* what, double value) {
    if (!is_integer(value) || std::fabs(value) > most_constant)
      refuse(exact + what + " must be an integer up to 2^53, got " + std::to_string(value) +
             "; filter images of f64");
  };
  for (const BorderTable& border : job.borders) check_integer("the border's constant", border.constant());
  if (is_float(job.out_pixel)) return;
  check_integer("the offset", job.offset);
  if (job.scale != 1)
    refuse(exact + "the scale must be 1, got " + std::to_string(job.scale) + "; filter images of f64");
}

/// Removes filters that add nothing to a magnitude, such as the derivative along an axis that the image does not have: all weights 0,
/// and as large as the first filter, so that NaN reaches as far without them.
void drop_zeros(std::vector<Filter>& filters) {
  const auto adds_nothing = [&](const Filter& filter) {
    if (filter.size() != filters[0].size() || filter.anchor() != filters[0].anchor()) return false;
    const auto is_zero = [](std::span<const double> row) {
      return std::all_of(row.begin(), row.end(), [](double w) { return w == 0; });
    };
    if (!filter.factors()) return is_zero(filter.weights());
    const auto factors = filter.factors()->axes();  // multiplied out they may be billions
    return std::any_of(factors.begin(), factors.end(), is_zero);
  };
  filters.erase(std::remove_if(filters.begin() + 1, filters.end(), adds_nothing), filters.end());
}

int alignment_of(const std::string& image, int bytes) {
  for (const int possible : {1, 2, 4, 8, 16}) {
    if (bytes == possible) return bytes;
  }
  refuse("the alignment of " + image + " rows must be 1, 2, 4, 8 or 16 bytes, got " + std::to_string(bytes));
}

}  // namespace

CheckedJob check(const PlanSpec& spec) {
  check_shape(spec.shape, spec.pixel);
  check_options(spec.options);
  if (spec.filters.empty()) refuse("a plan needs at least one filter");

  CheckedJob checked;
  Job& job = checked.job;
  const Options& options = spec.options;
  checked.layout = spec.shape.channels > 1 ? spec.layout : Layout::interleaved;
  job.in = spec.shape;
  job.in_pixel = spec.pixel;
  job.out_pixel = options.output.value_or(spec.pixel);
  job.combine = spec.combine;
  job.scale = options.scale;
  job.offset = options.offset;
  job.rounding = options.rounding;
  job.overflow = options.overflow;
  job.threads = options.threads;
  job.in_alignment = alignment_of("input", spec.input_alignment);
  job.out_alignment = alignment_of("output", spec.output_alignment);
  job.accuracy = options.accuracy;
  job.family = OnlyFamily::asked_for();
  job.out = spec.shape;

  std::vector<Filter> settled;
  for (const Filter& given : spec.filters) settled.push_back(given.with_dims(spec.shape.dims()));
  if (spec.combine == Combine::magnitude) drop_zeros(settled);

  const Space n = spec.shape.space();
  const auto borders = options.border.axes();
  Space out = n;
  for (Filter& filter : settled) {
    const Space k = filter.size().space();
    const Anchor anchor = filter.anchor();
    const Space a{anchor.z, anchor.y, anchor.x};
    const bool flip = options.operation == Operation::convolution && !filter.is_correlation();
    Taps taps;
    taps.size = k;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      switch (options.extent) {
        case Extent::same:
          taps.lead[axis] = -(flip ? k[axis] - 1 - a[axis] : a[axis]);
          break;
        case Extent::valid:
          if (k[axis] > n[axis]) {
            refuse("extent valid: the filter (" + text(filter.size()) + ") is larger than the image (" +
                   to_string(spec.shape) + ") along " + axis_names[axis + 1] + "; use same or full");
          }
          out[axis] = n[axis] - k[axis] + 1;
          break;
        case Extent::full:
          taps.lead[axis] = 1 - k[axis];
          out[axis] = n[axis] + k[axis] - 1;
          break;
      }
    }
    if (options.extent != Extent::same && !checked.filters.empty() && filter.size() != checked.filters[0].size()) {
      refuse("extent " + std::string(name_of(options.extent)) + ": all filters of a plan must have one size, got " +
             text(checked.filters[0].size()) + " and " + text(filter.size()) + "; use same");
    }
    checked.filters.push_back(std::move(filter));
    checked.flipped.push_back(flip);
    job.filters.push_back(std::move(taps));
  }
  job.out.depth = out[0];
  job.out.height = out[1];
  job.out.width = out[2];
  check_shape(job.out, job.out_pixel);

  for (std::size_t axis = 0; axis < 3; ++axis) job.borders[axis] = BorderTable(0, n[axis], n[axis], borders[axis]);
  check_pixels(checked);
  cover_reads(job);
  return checked;
}

void cover_reads(Job& job) {
  const Space out = job.out.space();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const BorderTable& border = job.borders[axis];
    std::int64_t low = 0;
    std::int64_t high = border.size();
    for (const Taps& taps : job.filters) {
      low = std::min(low, taps.lead[axis]);
      high = std::max(high, out[axis] + taps.lead[axis] + taps.size[axis] - 1);
    }
    job.borders[axis] = BorderTable(low, high, border.size(), {border.mode(), border.constant()});
  }
}

void check_views(const Job& job, Device device, const ConstView& in, std::span<const View> outs) {
  if (outs.size() != job.outputs()) {
    refuse("the plan has " + std::to_string(job.outputs()) + " outputs, got " + std::to_string(outs.size()));
  }
  check_view("input", in, job.in, job.in_pixel, device);
  for (std::size_t i = 0; i < outs.size(); ++i) {
    const View& out = outs[i];
    check_view("output", out, job.out, job.out_pixel, device);
    check_apart(out);
    if (overlap(in, out)) {
      refuse("output overlaps input: filtering in place would read pixels already replaced; give another output");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (overlap(outs[j], out)) {
        refuse("outputs " + std::to_string(j) + " and " + std::to_string(i) + " overlap; give each its own memory");
      }
    }
  }
}

}  // namespace halation
