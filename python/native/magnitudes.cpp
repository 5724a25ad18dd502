// magnitudes.cpp: how many numbers of any box in an array are small, its largest magnitude and its sum of squares, in one pass; compiled
// for each instruction set.
#include <algorithm>
#include <cmath>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "native/magnitudes.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

#ifndef HALATION_PYTHON_MAGNITUDES
#define HALATION_PYTHON_MAGNITUDES
namespace halation::python {
/// Of all rows so far.
struct Magnitudes {
  double largest = 0, squares = 0;
};
}  // namespace halation::python
#endif

HWY_BEFORE_NAMESPACE();
namespace halation::python::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Adds to `counts`, one for each `tile` numbers of a row, those whose magnitudes are below `least`, by vectors that tiles have room for:
/// four at a time where they fit, so that no sum waits for the one before it. What is no number makes the squares' sum no number.
template <class D, class T>
void meet_by(D d, const T* row, std::int64_t n, std::int64_t tile, T least, std::uint32_t* counts, Magnitudes& all) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto bound = hn::Set(d, least);
  auto largest_0 = hn::Zero(d), largest_1 = hn::Zero(d), largest_2 = hn::Zero(d), largest_3 = hn::Zero(d);
  auto squares_0 = hn::Zero(d), squares_1 = hn::Zero(d), squares_2 = hn::Zero(d), squares_3 = hn::Zero(d);
  const auto meet = [&](const T* from, auto& largest, auto& squares) HWY_ATTR {
    const auto magnitude = hn::Abs(hn::LoadU(d, from));
    largest = hn::Max(largest, magnitude);
    squares = hn::MulAdd(magnitude, magnitude, squares);
    return static_cast<std::uint32_t>(hn::CountTrue(d, hn::Lt(magnitude, bound)));
  };
  std::int64_t begin = 0;
  if (tile == lanes) {
    for (; begin + 4 * lanes <= n; begin += 4 * lanes, counts += 4) {
      counts[0] += meet(row + begin, largest_0, squares_0);
      counts[1] += meet(row + begin + lanes, largest_1, squares_1);
      counts[2] += meet(row + begin + 2 * lanes, largest_2, squares_2);
      counts[3] += meet(row + begin + 3 * lanes, largest_3, squares_3);
    }
  }
  for (; begin < n; begin += tile, ++counts) {
    const std::int64_t end = begin + tile < n ? begin + tile : n;
    std::uint32_t small = 0;
    std::int64_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      small += meet(row + i, largest_0, squares_0);
      small += meet(row + i + lanes, largest_1, squares_1);
      small += meet(row + i + 2 * lanes, largest_2, squares_2);
      small += meet(row + i + 3 * lanes, largest_3, squares_3);
    }
    for (; i + lanes <= end; i += lanes) small += meet(row + i, largest_0, squares_0);
    if (i < end) {  // and zeros, which are no numbers of the row
      T rest[16] = {};
      std::copy(row + i, row + end, rest);
      small += meet(rest, largest_1, squares_1) - static_cast<std::uint32_t>(lanes - (end - i));
    }
    *counts += small;
  }
  const auto largest = hn::Max(hn::Max(largest_0, largest_1), hn::Max(largest_2, largest_3));
  const auto squares = hn::Add(hn::Add(squares_0, squares_1), hn::Add(squares_2, squares_3));
  all.squares += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squares)));
  const auto of_row = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, largest)));
  all.largest = of_row > all.largest ? of_row : all.largest;
}

template <class T>
void meet_row(const T* row, std::int64_t n, std::int64_t tile, T least, std::uint32_t* counts, Magnitudes& all) {
  if (tile < 8) return meet_by(hn::CappedTag<T, 4>(), row, n, tile, least, counts, all);
  if (tile < 16) return meet_by(hn::CappedTag<T, 8>(), row, n, tile, least, counts, all);
  meet_by(hn::CappedTag<T, 16>(), row, n, tile, least, counts, all);
}

void meet_f32(const float* row, std::int64_t n, std::int64_t tile, double least, std::uint32_t* counts, Magnitudes& all) {
  meet_row(row, n, tile, static_cast<float>(least), counts, all);
}

void meet_f64(const double* row, std::int64_t n, std::int64_t tile, double least, std::uint32_t* counts, Magnitudes& all) {
  meet_row(row, n, tile, least, counts, all);
}

}  // namespace halation::python::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "arrays.h"
#include "module.h"

namespace halation::python {
namespace {

HWY_EXPORT(meet_f32);
HWY_EXPORT(meet_f64);

void meet(const float* row, std::int64_t n, std::int64_t tile, double least, std::uint32_t* counts, Magnitudes& all) {
  HWY_DYNAMIC_DISPATCH(meet_f32)(row, n, tile, least, counts, all);
}
void meet(const double* row, std::int64_t n, std::int64_t tile, double least, std::uint32_t* counts, Magnitudes& all) {
  HWY_DYNAMIC_DISPATCH(meet_f64)(row, n, tile, least, counts, all);
}

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t sampled = 1024;

/// The magnitude below which an eighth of a sample's are.
template <class T>
double eighth_of(const T* from, std::int64_t n) {
  const std::int64_t step = std::max<std::int64_t>(1, n / sampled);
  std::vector<T> sample;
  for (std::int64_t i = 0; i < n; i += step) sample.push_back(std::isnan(from[i]) ? T(0) : std::fabs(from[i]));
  const auto at = sample.begin() + std::ssize(sample) / 8;
  std::nth_element(sample.begin(), at, sample.end());
  return static_cast<double>(*at);
}

/// Numbers for each tile of an array.
struct Counts {
  Numbers shape;
  std::vector<std::uint32_t> numbers;
};

/// The largest sum in a box of elements, from below: of all tiles that it meets.
std::uint32_t most_in(const Counts& counts, const Numbers& tile, const Numbers& box) {
  std::vector<std::uint32_t> sums = counts.numbers, next;
  Numbers shape = counts.shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t met = std::min(shape[axis], box[axis] > 1 ? (box[axis] - 2) / tile[axis] + 2 : 1);
    if (met == 1) continue;
    std::int64_t inner = 1;
    for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    const std::int64_t n = shape[axis], made = n - met + 1;
    const std::int64_t outer = std::ssize(sums) / (n * inner);
    next.assign(static_cast<std::size_t>(outer * made * inner), 0);
    for (std::int64_t o = 0; o < outer; ++o) {
      const std::uint32_t* from = sums.data() + o * n * inner;
      std::uint32_t* to = next.data() + o * made * inner;
      for (std::int64_t k = 0; k < met; ++k) {
        for (std::int64_t i = 0; i < inner; ++i) to[i] += from[k * inner + i];
      }
      for (std::int64_t i = inner; i < made * inner; ++i) to[i] = to[i - inner] + from[i + (met - 1) * inner] - from[i - inner];
    }
    shape[axis] = made;
    sums.swap(next);
  }
  return *std::max_element(sums.begin(), sums.end());
}

using Found = std::tuple<double, double, double, std::uint32_t, std::uint32_t>;

template <class T>
Found magnitudes_of(const T* from, const Numbers& shape, double lower, const Numbers& tile, const Numbers& box, const Numbers& small_box) {
  std::int64_t elements = 1;
  Counts counts;
  std::int64_t tiles = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    elements *= shape[axis];
    counts.shape.push_back((shape[axis] + tile[axis] - 1) / tile[axis]);
    tiles *= counts.shape.back();
  }
  const double least = eighth_of(from, elements) * lower;
  if (least == 0 || !std::isfinite(least)) return {least, 0, 0, 0, 0};
  counts.numbers.assign(static_cast<std::size_t>(tiles), 0);
  Magnitudes all;
  const std::size_t last = shape.size() - 1;
  Numbers at(last, 0);
  for (std::int64_t row = 0; row < elements / shape[last]; ++row) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < last; ++axis) place = place * counts.shape[axis] + at[axis] / tile[axis];
    meet(from + row * shape[last], shape[last], tile[last], least, counts.numbers.data() + place * counts.shape[last], all);
    for (std::size_t axis = last; axis-- > 0 && ++at[axis] == shape[axis];) at[axis] = 0;
  }
  return {least, all.largest, all.squares, most_in(counts, tile, box), most_in(counts, tile, small_box)};
}

Found magnitudes(nb::handle array, double lower, const Numbers& tile, const Numbers& box, const Numbers& small_box) {
  const Array from(array, Access::read);
  const Numbers shape(from.shape.begin(), from.shape.begin() + from.axes);
  const nb::gil_scoped_release others_run;
  if (from.item_bytes == 4)
    return magnitudes_of(reinterpret_cast<const float*>(from.data), shape, lower, tile, box, small_box);
  return magnitudes_of(reinterpret_cast<const double*>(from.data), shape, lower, tile, box, small_box);
}

}  // namespace

void bind_magnitudes(nb::module_& module) {
  module.def("magnitudes", &magnitudes, nb::arg("array"), nb::arg("lower"), nb::arg("tile"), nb::arg("box"), nb::arg("small_box"),
             nb::sig("def magnitudes(array: object, lower: float, tile: typing.Sequence[int], box: typing.Sequence[int], "
                     "small_box: typing.Sequence[int]) -> tuple[float, float, float, int, int]"),
             "Of a packed array of float32 or float64: t, `lower` times the magnitude below which an eighth of a sample is; the largest "
             "magnitude; the sum of squares; and how many magnitudes below t there are at most in the tiles that any `box` and any "
             "`small_box` meets. With t of 0 or none that is a number the others are 0.");
}

}  // namespace halation::python
#endif  // HWY_ONCE
