// taps.cpp: sums of taps prepared: axes joined, taps found that count, and what launches read put into the
// device's memory.
#include "taps.h"

#include <halation/error.h>
#include <halation/transfer.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace halation::python {
namespace {

constexpr std::int64_t most_of_slice = (std::int64_t{1} << 31) - 1;
/// Weights of all sets of rows.
constexpr std::int64_t most_folded = std::int64_t{1} << 16;
/// Coordinates along the inner axis, outside ones too, up to which it is looked up what stands for each.
constexpr std::int64_t most_sources = 4096;

std::int64_t product(const std::vector<std::int64_t>& numbers) {
  std::int64_t made = 1;
  for (const std::int64_t n : numbers) made *= n;
  return made;
}

std::int64_t product_along(const std::vector<std::int64_t>& numbers, const std::vector<std::size_t>& axes) {
  std::int64_t made = 1;
  for (const std::size_t axis : axes) made *= numbers[axis];
  return made;
}

/// `source_of`, before its table is there.
std::int64_t source_along(const TapAxis& axis, std::int64_t at, const std::vector<std::int64_t>& outside) {
  if (at >= 0 && at < axis.inputs) return at;
  return outside[static_cast<std::size_t>((at < 0 ? at : at - axis.inputs) - axis.low)];
}

/// Places along an axis become one.
template <class Place>
void add_along(std::vector<Place>& places, std::vector<std::int64_t>& taps, std::size_t axis) {
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < taps.size(); ++i) inner *= taps[i];
  std::vector<Place> sums(places.size() / static_cast<std::size_t>(taps[axis]));
  for (std::int64_t i = 0; i < std::ssize(places); ++i) {
    sums[static_cast<std::size_t>(i / (inner * taps[axis]) * inner + i % inner)] +=
        places[static_cast<std::size_t>(i)];
  }
  places = std::move(sums);
  taps[axis] = 1;
}

int sign_of(double weight) { return (weight > 0) - (weight < 0); }

/// Signs that weights have, 0 being one. Where those of several meet an infinite element, their sum hides
/// NaN.
std::vector<int> signs_of(std::span<const double> weights) {
  std::vector<int> signs;
  for (const double weight : weights) {
    if (std::ranges::find(signs, sign_of(weight)) == signs.end()) signs.push_back(sign_of(weight));
  }
  return signs;
}

}  // namespace

Taps::Taps(const TapInput& in, const TapOutput& out, const TapFilter& filter, Device device)
    : device_(device) {
  job_.in = in.number;
  job_.out = out.number;
  job_.rule = out.rule;
  job_.is_plain = out.rule.scale == 1 && out.rule.divisor == 1 && out.rule.offset == 0 && out.rule.share == 0;
  job_.constant = filter.constant;
  place_axes(in, out, filter);
  find_folded(filter);
  find_inner();
  find_sets(filter);
  upload(filter);
}

void Taps::run(const std::byte* from, std::byte* to, [[maybe_unused]] void* stream) const {
  if (device_.kind == Device::Kind::cuda) {
#ifdef HALATION_HAS_CUDA
    return launch_taps(job_, from, to, device_.index, stream);
#else
    throw Error(ErrorCode::unsupported,
                "this build has no CUDA: arrays on a GPU need one that was made where nvcc is");
#endif
  }
  visit(job_.in, [&](auto element) {
    for (std::uint32_t slice = 0; slice < job_.slices; ++slice) {
      for (std::uint32_t i = 0; i < job_.elements; ++i) {
        const auto place = place_of<std::int64_t, TapJob::most_axes>(job_, slice, i);
        const bool inner_inside = is_inner_inside(job_, place.coordinate);
        put(job_, sum_taps_of<decltype(element)>(job_, from, place, place.is_inside, inner_inside, {}),
            to + place.to);
      }
    }
  });
}

/// Axes in the order of the output's memory; those along which nothing is filtered become one where they lie
/// one in the other.
void Taps::place_axes(const TapInput& in, const TapOutput& out, const TapFilter& filter) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < out.shape.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::abs(out.strides[a]) > std::abs(out.strides[b]);
  });
  const auto refuse_long = [](std::int64_t n) {
    if (n <= most_of_slice) return;
    throw Error(ErrorCode::unsupported,
                "on a GPU arrays of these types have less than 2^31 elements along an axis, and inside of "
                "the outermost one");
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
    if (axis.outputs == 1 && axis.inputs == 1 && !is_constant_outside)
      continue;  // every tap reads the one element
    if (!axis.is_filtered() && !axes.empty() && !axes.back().is_filtered() &&
        axes.back().from == axis.from * axis.outputs && axes.back().to == axis.to * axis.outputs &&
        std::int64_t{axes.back().outputs} * axis.outputs <= most_of_slice) {
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
                "on a GPU arrays are filtered that have at most 8 axes, axes that lie one in the other and "
                "are not filtered being one; "
                "got " +
                    std::to_string(axes.size()));
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

/// Axes shorter than the filter, as long as not too many weights come of it.
void Taps::find_folded(const TapFilter& filter) {
  const std::int64_t parts = filter.is_finite ? 1 : std::ssize(signs_of(filter.weights));
  std::int64_t sets = 1, weights = std::ssize(filter.weights);
  for (int a = 0; a < job_.axes; ++a) {
    TapAxis& axis = job_.axis[static_cast<std::size_t>(a)];
    const std::int64_t of_set = weights / axis.taps * axis.inputs;
    if (!axis.is_filtered() || parts * axis.inputs >= axis.taps || sets * axis.outputs * of_set > most_folded)
      continue;
    axis.set_step = static_cast<std::int32_t>(sets);
    job_.is_folded = true;
    sets *= axis.outputs;
    weights = of_set;
  }
}

/// The axis with most places, one that is not folded before others; and what follows for each output from
/// what axes are.
void Taps::find_inner() {
  const auto places = [](const TapAxis& axis) {
    return !axis.is_filtered()  ? 0
           : axis.set_step == 0 ? std::int64_t{axis.taps} + most_of_slice
                                : std::int64_t{axis.inputs};
  };
  for (int a = 1; a < job_.axes; ++a) {
    if (places(job_.axis[static_cast<std::size_t>(a)]) >=
        places(job_.axis[static_cast<std::size_t>(job_.inner)]))
      job_.inner = a;
  }
  job_.inner_is_folded = job_.axis[static_cast<std::size_t>(job_.inner)].set_step != 0;
  for (int a = 0; a < job_.axes; ++a) {
    TapAxis& axis = job_.axis[static_cast<std::size_t>(a)];
    axis.is_inner = a == job_.inner;
    axis.inside_from = axis.is_inner || axis.set_step != 0 ? 0 : axis.from;
    axis.origin_from = axis.is_inner || axis.is_filtered() ? 0 : axis.from;
    if (axis.is_inner || axis.set_step != 0 || !axis.is_filtered()) continue;
    axis.first_inside = -axis.low;
    axis.inside_outputs = static_cast<std::uint32_t>(std::max(axis.inputs - axis.taps + 1, 0));
  }
}

/// Rows for each combination of coordinates along folded axes.
void Taps::find_sets(const TapFilter& filter) {
  std::int64_t sets = 1;
  for (const TapAxis& axis : job_.axis) sets *= axis.set_step == 0 ? 1 : axis.outputs;
  const bool adds_up = job_.is_folded || product(filter.taps) > product_along(filter.taps, axes_);
  std::vector<int> signs = signs_of(filter.weights);
  const bool is_apart = adds_up && !filter.is_finite;
  if (!is_apart) signs.resize(1);  // all of them are one part
  for (std::int64_t set = 0; set < sets; ++set) {
    sets_.push_back(static_cast<std::int32_t>(rows_.size()));
    for (const int sign : signs) {
      std::vector<Place> places;
      for (const double weight : filter.weights) {
        const bool counts = is_apart ? sign_of(weight) == sign : weight != 0 || !filter.is_finite;
        places.push_back({.weight = counts ? weight : 0, .is_read = counts});
      }
      std::vector<std::int64_t> taps = filter.taps;
      const double constant = fold(filter, set, places, taps);
      find_rows(places, taps, constant);
    }
  }
  sets_.push_back(static_cast<std::int32_t>(rows_.size()));
  for (std::size_t i = 0; i + 1 < sets_.size(); ++i) {
    const int rows = sets_[i + 1] - sets_[i];
    job_.rows = std::max(job_.rows, rows);
    if (rows > 0)
      job_.count = std::max(job_.count, rows_[static_cast<std::size_t>(sets_[i + 1]) - 1].end -
                                            rows_[static_cast<std::size_t>(sets_[i])].begin);
  }
  if (sets == 1) sets_.clear();
}

/// Adds up what meets one element, for the coordinates of a set along folded axes; returns what the constant
/// makes.
double Taps::fold(const TapFilter& filter, std::int64_t set, std::vector<Place>& places,
                  std::vector<std::int64_t>& taps) const {
  double constant = 0;
  for (std::size_t i = 0; i < taps.size(); ++i) {
    if (std::ranges::find(axes_, i) == axes_.end())
      add_along(places, taps, i);  // all of them read one element
  }
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const TapAxis& axis = job_.axis[a];
    if (axis.set_step == 0) continue;
    const std::int64_t output = set / axis.set_step % axis.outputs;
    std::int64_t inner = 1;
    for (std::size_t i = axes_[a] + 1; i < taps.size(); ++i) inner *= taps[i];
    const std::int64_t outer = product(taps) / (inner * axis.taps);
    std::vector<Place> folded(static_cast<std::size_t>(outer * axis.inputs * inner));
    for (std::int64_t i = 0; i < product(taps); ++i) {
      const std::int64_t source =
          source_along(axis, output + axis.low + i / inner % axis.taps, filter.outsides[axes_[a]]);
      const Place& place = places[static_cast<std::size_t>(i)];
      if (source < 0) {
        if (place.is_read) constant += place.weight * filter.constant;
      } else {
        folded[static_cast<std::size_t>((i / (inner * axis.taps) * axis.inputs + source) * inner +
                                        i % inner)] += place;
      }
    }
    places = std::move(folded);
    taps[axes_[a]] = axis.inputs;
  }
  return constant;
}

/// Rows of the places that are read, along the inner axis; the first one has the constant.
void Taps::find_rows(const std::vector<Place>& places, const std::vector<std::int64_t>& taps,
                     double constant) {
  const std::size_t none = taps.size();
  const std::size_t inner = job_.axes == 0 ? none : axes_[static_cast<std::size_t>(job_.inner)];
  std::vector<std::int64_t> at(taps.size(), 0), step(taps.size(), 1);
  for (std::size_t axis = at.size(); axis-- > 1;) step[axis - 1] = step[axis] * taps[axis];
  const std::int64_t length = inner == none ? 1 : taps[inner], apart = inner == none ? 1 : step[inner];
  std::int64_t first = 0;
  for (std::int64_t row = 0; row < product(taps) / length; ++row) {
    TapRow made{.begin = static_cast<std::int32_t>(taps_.size()),
                .end = 0,
                .constant = row == 0 ? constant : 0,
                .offset = 0,
                .folded = 0,
                .places = {}};
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const TapAxis& axis = job_.axis[a];
      if (axis.is_inner) continue;
      made.places[a] = static_cast<std::int32_t>(at[axes_[a]]);
      made.offset += at[axes_[a]] * axis.from;
      made.folded += axis.set_step == 0 ? 0 : at[axes_[a]] * axis.from;
    }
    for (std::int64_t place = 0; place < length; ++place) {
      const auto at_place = static_cast<std::size_t>(first + place * apart);
      if (!places[at_place].is_read) continue;
      taps_.push_back(
          {.weight = places[at_place].weight, .place = static_cast<std::int32_t>(inner == none ? 0 : place)});
    }
    made.end = static_cast<std::int32_t>(taps_.size());
    if (made.end > made.begin || made.constant != 0) rows_.push_back(made);
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (axis == inner) continue;
      first += step[axis];
      if (++at[axis] < taps[axis]) break;
      first -= at[axis] * step[axis];
      at[axis] = 0;
    }
  }
}

void Taps::upload(const TapFilter& filter) {
  std::vector<std::int32_t> outside;
  std::array<std::size_t, TapJob::most_axes> begins{};
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    begins[a] = outside.size();
    if (job_.axis[a].set_step != 0) continue;
    for (const std::int64_t source : filter.outsides[axes_[a]])
      outside.push_back(static_cast<std::int32_t>(source));
  }
  const TapAxis& inner = job_.axis[static_cast<std::size_t>(job_.inner)];
  const std::size_t inner_begins = outside.size();
  if (job_.axes > 0 && !job_.inner_is_folded && std::int64_t{inner.outputs} + inner.taps <= most_sources) {
    for (std::int64_t at = inner.low; at < inner.low + inner.outputs + inner.taps - 1; ++at) {
      outside.push_back(static_cast<std::int32_t>(
          source_along(inner, at, filter.outsides[axes_[static_cast<std::size_t>(job_.inner)]])));
    }
  }
  const std::size_t rows_bytes = rows_.size() * sizeof(TapRow), taps_bytes = taps_.size() * sizeof(Tap);
  const std::size_t sets_bytes = sets_.size() * sizeof(std::int32_t);
  const std::size_t bytes = rows_bytes + taps_bytes + sets_bytes + outside.size() * sizeof(std::int32_t);
  if (bytes == 0) return;
  Image host({.width = static_cast<std::int64_t>(bytes)}, Pixel::u8);
  const auto fill = [&](std::size_t at, const auto& values) {
    if (!values.empty()) std::memcpy(host.view().data + at, values.data(), std::span(values).size_bytes());
  };
  fill(0, rows_);
  fill(rows_bytes, taps_);
  fill(rows_bytes + taps_bytes, sets_);
  fill(rows_bytes + taps_bytes + sets_bytes, outside);
  memory_ = to_device(host, device_);
  const std::byte* there = memory_.view().data;
  job_.row = reinterpret_cast<const TapRow*>(there);
  job_.taps = reinterpret_cast<const Tap*>(there + rows_bytes);
  if (!sets_.empty()) job_.set = reinterpret_cast<const std::int32_t*>(there + rows_bytes + taps_bytes);
  const auto* tables = reinterpret_cast<const std::int32_t*>(there + rows_bytes + taps_bytes + sets_bytes);
  for (std::size_t a = 0; a < axes_.size(); ++a) job_.axis[a].outside = tables + begins[a];
  if (outside.size() > inner_begins) job_.inner_sources = tables + inner_begins;
}

}  // namespace halation::python
