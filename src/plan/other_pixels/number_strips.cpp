// number_strips.cpp: how a job is cut, and what a strip reads.
#include "plan/other_pixels/number_strips.h"

#include <algorithm>
#include <limits>

#include "core/numbers.h"

namespace halation {
namespace {

constexpr std::int64_t most_elements = 1 << 16;  // 512 KiB of numbers, and as much of sums
constexpr std::int64_t least_columns = 64;

std::int64_t& extent_of(Shape& shape, int axis) {
  return axis == 0 ? shape.depth : axis == 1 ? shape.height : shape.width;
}

std::int64_t stride_of(const Strides& strides, int axis) {
  return axis == 0 ? strides.depth : axis == 1 ? strides.height : strides.width;
}

template <class AnyView>
AnyView along(AnyView view, int axis, std::int64_t first, std::int64_t count) {
  view.data += first * stride_of(view.strides, axis);
  extent_of(view.shape, axis) = count;
  return view;
}

template <class AnyView>
AnyView of_batch(AnyView view, std::int64_t first, std::int64_t count) {
  view.data += first * view.strides.batch;
  view.shape.batch = count;
  return view;
}

void fill(const View& view, double value) {
  const Shape& n = view.shape;
  for (std::int64_t b = 0; b < n.batch; ++b) {
    for (std::int64_t z = 0; z < n.depth; ++z) {
      for (std::int64_t y = 0; y < n.height; ++y) {
        auto* const row = view.data + b * view.strides.batch + z * view.strides.depth + y * view.strides.height;
        std::fill_n(reinterpret_cast<double*>(row), n.width * n.channels, value);
      }
    }
  }
}

bool has_one_constant(const Job& job) {
  const BorderTable* first = nullptr;
  for (const BorderTable& border : job.borders) {
    if (border.mode() != Border::Mode::constant) continue;
    if (first != nullptr && first->constant() != border.constant()) return false;
    first = &border;
  }
  return true;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

NumberStrips::NumberStrips(const Job& job, int threads)
    : out_(job.out), strip_in_(job.in), strip_out_(job.out) {
  // Transforms and lower rates have tiles of their own, which are larger.
  const auto is_cut = [](const Taps& taps) { return taps.form != Form::spectrum && taps.form != Form::lower_rate; };
  if (job.out.elements() <= most_elements || !std::all_of(job.filters.begin(), job.filters.end(), is_cut)) return;
  const std::int64_t image = std::max(job.in.elements(), job.out.elements()) / job.in.batch;
  if (job.in.batch > 1) {
    const std::int64_t images = std::clamp<std::int64_t>(most_elements / image, 1, ceil_div(job.in.batch, threads));
    strip_in_.batch = strip_out_.batch = images;
    batches_ = ceil_div(job.out.batch, images);
  }
  if (image > most_elements) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), each = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t all = job.out.space()[a], slab = image / std::max(all, job.in.space()[a]);
      std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = std::numeric_limits<std::int64_t>::min();
      for (const Taps& taps : job.filters) {
        low = std::min(low, taps.lead[a]);
        high = std::max(high, taps.lead[a] + taps.size[a] - 1);
      }
      const std::int64_t reach = high - low;
      if (reach > 0 && !has_one_constant(job)) continue;  // corners are for kernels to fill
      const std::int64_t at_least = axis == 2 ? std::max(least_columns, 4 * reach) : std::max<std::int64_t>(1, 4 * reach);
      const std::int64_t outputs = std::max(at_least, std::min(most_elements / slab, ceil_div(all, threads)));
      const std::int64_t size = std::max((outputs + reach) * slab, 2 * most_elements);
      if (outputs >= all || size >= least) continue;
      least = size;
      axis_ = axis;
      low_ = low;
      reach_ = reach;
      each = outputs;
    }
    if (axis_ >= 0) {
      const auto a = static_cast<std::size_t>(axis_);
      parts_ = ceil_div(job.out.space()[a], each);
      border_ = job.borders[a];
      extent_of(strip_out_, axis_) = each;
      extent_of(strip_in_, axis_) = each + reach_;
    }
  }
}

Job NumberStrips::cut(Job whole) const {
  whole.in = strip_in_;
  whole.out = strip_out_;
  if (count() > 1) whole.threads = 1;
  if (axis_ < 0) return whole;
  const auto a = static_cast<std::size_t>(axis_);
  for (Taps& taps : whole.filters) taps.lead[a] -= low_;
  const std::int64_t extent = strip_in_.space()[a];
  whole.borders[a] = BorderTable(0, extent, extent, Border::replicate());
  return whole;
}

NumberStrips::Place NumberStrips::place(std::int64_t index, std::int64_t each, std::int64_t all) {
  const std::int64_t own = index * each, first = std::min(own, all - each);
  return {first, own - first, first + each - own};
}

NumberStrips::Place NumberStrips::in_part(std::int64_t strip) const {
  const auto a = static_cast<std::size_t>(axis_);
  return place(strip % parts_, strip_out_.space()[a], out_.space()[a]);
}

void NumberStrips::read(std::int64_t strip, const ConstView& in, std::span<const View> numbers,
                        const std::array<std::array<double, 2>, 3>& constants) const {
  const ConstView images = of_batch(in, in_batch(strip).first, strip_in_.batch);
  if (axis_ < 0) return read_numbers(images, numbers, 1);
  const std::int64_t begin = in_part(strip).first + low_,
                     end = begin + strip_in_.space()[static_cast<std::size_t>(axis_)];
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t source = border_.source(at);
    std::int64_t next = at + 1;
    while (next < end && border_.source(next) == (source < 0 ? source : source + next - at)) ++next;
    std::array<View, 2> to;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      to[i] = along(numbers[i], axis_, at - begin, next - at);
      if (source < 0) fill(to[i], constants[static_cast<std::size_t>(axis_)][i]);
    }
    if (source >= 0) read_numbers(along(images, axis_, source, next - at), std::span(to).first(numbers.size()), 1);
    at = next;
  }
}

ConstView NumberStrips::numbers_of(std::int64_t strip, const ConstView& numbers) const {
  const Place batch = in_batch(strip);
  const ConstView own = of_batch(numbers, batch.skipped, batch.count);
  if (axis_ < 0) return own;
  const Place part = in_part(strip);
  return along(own, axis_, part.skipped, part.count);
}

View NumberStrips::output_of(std::int64_t strip, const View& out) const {
  const Place batch = in_batch(strip);
  const View own = of_batch(out, batch.first + batch.skipped, batch.count);
  if (axis_ < 0) return own;
  const Place part = in_part(strip);
  return along(own, axis_, part.first + part.skipped, part.count);
}

}  // namespace halation
