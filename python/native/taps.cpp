// taps.cpp: sums of taps prepared: axes joined, taps found that are not 0, and what launches read put into the device's memory.
#include "taps.h"

#include <halation/error.h>
#include <halation/transfer.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace halation::python {
namespace {

constexpr std::int64_t most_of_slice = (std::int64_t{1} << 31) - 1;

std::int64_t product(const std::vector<std::int64_t>& numbers) {
  std::int64_t made = 1;
  for (const std::int64_t n : numbers) made *= n;
  return made;
}

}  // namespace

Taps::Taps(const TapInput& in, const TapOutput& out, const TapFilter& filter, Device device) : device_(device) {
  job_.in = in.number;
  job_.out = out.number;
  job_.rule = out.rule;
  job_.is_plain = out.rule.scale == 1 && out.rule.divisor == 1 && out.rule.offset == 0 && out.rule.share == 0;
  job_.constant = filter.constant;
  place_axes(in, out, filter);
  find_inner(filter);
  find_inside();
  if (job_.by_coordinate) {
    add_up(filter);
  } else {
    find_rows(filter);
  }
  upload(filter);
}

void Taps::run(const std::byte* from, std::byte* to, [[maybe_unused]] void* stream) const {
  if (device_.kind == Device::Kind::cuda) {
#ifdef HALATION_HAS_CUDA
    return launch_taps(job_, from, to, device_.index, stream);
#else
    throw Error(ErrorCode::unsupported, "this build has no CUDA: arrays on a GPU need one that was made where nvcc is");
#endif
  }
  visit(job_.in, [&](auto element) {
    for (std::uint32_t slice = 0; slice < job_.slices; ++slice) {
      for (std::uint32_t i = 0; i < job_.elements; ++i) {
        const auto place = place_of<std::int64_t, TapJob::most_axes>(job_, slice, i);
        const bool inner_inside = is_inner_inside(job_, place.coordinate);
        put(job_, sum_taps_of<decltype(element)>(job_, from, place, place.is_inside, inner_inside, {}), to + place.to);
      }
    }
  });
}

/// Axes in the order of the output's memory; those along which nothing is filtered become one where they lie one in the other.
void Taps::place_axes(const TapInput& in, const TapOutput& out, const TapFilter& filter) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < out.shape.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return std::abs(out.strides[a]) > std::abs(out.strides[b]); });
  const auto refuse_long = [](std::int64_t n) {
    if (n <= most_of_slice) return;
    throw Error(ErrorCode::unsupported,
                "on a GPU arrays of these types have less than 2^31 elements along an axis, and inside of the outermost one");
  };
  std::vector<TapAxis> axes;
  for (const std::size_t i : order) {
    refuse_long(std::max({out.shape[i], in.shape[i], filter.taps[i]}));
    TapAxis axis{.outputs = static_cast<std::int32_t>(out.shape[i]),
                 .inputs = static_cast<std::int32_t>(in.shape[i]),
                 .low = static_cast<std::int32_t>(filter.lows[i]),
                 .taps = static_cast<std::int32_t>(filter.taps[i]),
                 .from = in.strides[i],
                 .to = out.strides[i]};
    const bool is_constant_outside = std::ranges::find(filter.outsides[i], -1) != filter.outsides[i].end();
    if (axis.outputs == 1 && axis.inputs == 1 && !is_constant_outside) continue;  // every tap reads the one element
    if (!axis.is_filtered() && !axes.empty() && !axes.back().is_filtered() && axes.back().from == axis.from * axis.outputs &&
        axes.back().to == axis.to * axis.outputs && std::int64_t{axes.back().outputs} * axis.outputs <= most_of_slice) {
      axis.outputs *= axes.back().outputs;
      axis.inputs = axis.outputs;
      axes.pop_back();
      axes_.pop_back();
    }
    axes.push_back(axis);
    axes_.push_back(i);
  }
  if (axes.size() > TapJob::most_axes) {
    throw Error(ErrorCode::unsupported,
                "on a GPU arrays are filtered that have at most 8 axes, axes that lie one in the other and are not filtered being one; "
                "got " + std::to_string(axes.size()));
  }
  std::int64_t elements = product(out.shape);
  if (elements > most_of_slice) {
    job_.slices = static_cast<std::uint32_t>(axes.front().outputs);
    elements /= job_.slices;
    refuse_long(elements);
  }
  job_.elements = static_cast<std::uint32_t>(elements);
  job_.axes = static_cast<int>(axes.size());
  for (std::size_t a = 0; a < axes.size(); ++a) {
    axes[a].divisor = Divisor(axes[a].outputs);
    job_.axis[a] = axes[a];
  }
  std::int64_t in_bytes = 0, out_bytes = 0;
  for (const TapAxis& axis : axes) {
    in_bytes += std::abs(axis.from) * (std::int64_t{axis.inputs} + axis.outputs + axis.taps);
    out_bytes += std::abs(axis.to) * axis.outputs;
  }
  job_.is_small = std::max(in_bytes, out_bytes) <= most_of_slice;
}

/// The axis with most taps. Where it is the only one, and shorter than the filter, each of its elements gets what it weighs for an
/// output by way of the border.
void Taps::find_inner(const TapFilter& filter) {
  std::int32_t most = 0;
  int filtered = 0;
  for (int a = 0; a < job_.axes; ++a) {
    const TapAxis& axis = job_.axis[static_cast<std::size_t>(a)];
    if (!axis.is_filtered()) continue;
    ++filtered;
    if (axis.taps >= most) {
      most = axis.taps;
      job_.inner = a;
    }
  }
  if (filtered != 1 || std::ssize(filter.weights) != most) return;
  const std::int64_t all = std::ranges::count_if(filter.weights, [](double weight) { return weight != 0; });
  job_.by_coordinate = filter.adds_up && job_.axis[static_cast<std::size_t>(job_.inner)].inputs < all;
}

/// What follows for each output from what axes are.
void Taps::find_inside() {
  for (int a = 0; a < job_.axes; ++a) {
    TapAxis& axis = job_.axis[static_cast<std::size_t>(a)];
    axis.is_inner = a == job_.inner;
    axis.inside_from = axis.is_inner ? 0 : axis.from;
    axis.origin_from = axis.is_inner || axis.is_filtered() ? 0 : axis.from;
    if (axis.is_inner || !axis.is_filtered()) continue;
    axis.first_inside = -axis.low;
    axis.inside_outputs = static_cast<std::uint32_t>(std::max(axis.inputs - axis.taps + 1, 0));
  }
}

/// Rows of the weights that are not 0, along the inner axis.
void Taps::find_rows(const TapFilter& filter) {
  const std::size_t none = filter.taps.size();
  const std::size_t inner = job_.axes == 0 ? none : axes_[static_cast<std::size_t>(job_.inner)];
  std::vector<std::int64_t> at(filter.taps.size(), 0), step(filter.taps.size(), 1);
  for (std::size_t axis = at.size(); axis-- > 1;) step[axis - 1] = step[axis] * filter.taps[axis];
  const std::int64_t length = inner == none ? 1 : filter.taps[inner], apart = inner == none ? 1 : step[inner];
  std::int64_t first = 0;
  for (std::int64_t row = 0; row < product(filter.taps) / length; ++row) {
    TapRow made{.begin = static_cast<std::int32_t>(taps_.size()), .end = 0, .constant = 0, .offset = 0, .places = {}};
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      made.places[a] = static_cast<std::int32_t>(at[axes_[a]]);
      made.offset += at[axes_[a]] * job_.axis[a].inside_from;
    }
    for (std::int64_t place = 0; place < length; ++place) {
      const double weight = filter.weights[static_cast<std::size_t>(first + place * apart)];
      if (weight == 0) continue;
      taps_.push_back({.weight = weight, .place = static_cast<std::int32_t>(inner == none ? 0 : place)});
    }
    made.end = static_cast<std::int32_t>(taps_.size());
    if (made.end > made.begin) rows_.push_back(made);
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (axis == inner) continue;
      first += step[axis];
      if (++at[axis] < filter.taps[axis]) break;
      first -= at[axis] * step[axis];
      at[axis] = 0;
    }
  }
  job_.count = static_cast<int>(taps_.size());
}

void Taps::add_up(const TapFilter& filter) {
  const TapAxis& axis = job_.axis[static_cast<std::size_t>(job_.inner)];
  const std::vector<std::int64_t>& outside = filter.outsides[axes_[static_cast<std::size_t>(job_.inner)]];
  for (std::int64_t output = 0; output < axis.outputs; ++output) {
    std::vector<double> weights(static_cast<std::size_t>(axis.inputs), 0.0);
    TapRow made{.begin = static_cast<std::int32_t>(taps_.size()), .end = 0, .constant = 0, .offset = 0, .places = {}};
    for (std::int64_t tap = 0; tap < axis.taps; ++tap) {
      const std::int64_t at = output + axis.low + tap;
      const std::int64_t source = at < 0               ? outside[static_cast<std::size_t>(at - axis.low)]
                                  : at >= axis.inputs ? outside[static_cast<std::size_t>(at - axis.inputs - axis.low)]
                                                      : at;
      const double weight = filter.weights[static_cast<std::size_t>(tap)];
      if (source < 0) {
        made.constant += weight * filter.constant;
      } else {
        weights[static_cast<std::size_t>(source)] += weight;
      }
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] != 0) taps_.push_back({.weight = weights[i], .place = static_cast<std::int32_t>(i)});
    }
    made.end = static_cast<std::int32_t>(taps_.size());
    job_.count = std::max(job_.count, made.end - made.begin);
    rows_.push_back(made);
  }
}

void Taps::upload(const TapFilter& filter) {
  std::vector<std::int32_t> outside;
  std::array<std::size_t, TapJob::most_axes> begins{};
  for (std::size_t a = 0; a < axes_.size() && !job_.by_coordinate; ++a) {
    begins[a] = outside.size();
    for (const std::int64_t source : filter.outsides[axes_[a]]) outside.push_back(static_cast<std::int32_t>(source));
  }
  job_.rows = static_cast<int>(rows_.size());
  const std::size_t rows_bytes = rows_.size() * sizeof(TapRow), taps_bytes = taps_.size() * sizeof(Tap);
  const std::size_t bytes = rows_bytes + taps_bytes + outside.size() * sizeof(std::int32_t);
  if (bytes == 0) return;
  Image host({.width = static_cast<std::int64_t>(bytes)}, Pixel::u8);
  const auto fill = [&](std::size_t at, const auto& values) {
    if (!values.empty()) std::memcpy(host.view().data + at, values.data(), std::span(values).size_bytes());
  };
  fill(0, rows_);
  fill(rows_bytes, taps_);
  fill(rows_bytes + taps_bytes, outside);
  memory_ = to_device(host, device_);
  const std::byte* there = memory_.view().data;
  job_.row = reinterpret_cast<const TapRow*>(there);
  job_.taps = reinterpret_cast<const Tap*>(there + rows_bytes);
  const auto* tables = reinterpret_cast<const std::int32_t*>(there + rows_bytes + taps_bytes);
  for (std::size_t a = 0; a < axes_.size(); ++a) job_.axis[a].outside = tables + begins[a];
}

}  // namespace halation::python
