// magnitudes.cpp: how many numbers of each tile of an array are small, its largest magnitude and its sum of squares, in one pass; compiled
// for each instruction set.
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

/// Adds to `counts`, one for each `tile` numbers of a row, those whose magnitudes are below `least`, by vectors that tiles have room for.
/// What is no number makes the squares' sum no number.
template <class D, class T>
void meet_by(D d, const T* row, std::int64_t n, std::int64_t tile, T least, std::uint32_t* counts, Magnitudes& all) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto bound = hn::Set(d, least);
  auto largest = hn::Zero(d), squares = hn::Zero(d);
  T most = 0;
  double rest = 0;
  for (std::int64_t begin = 0; begin < n; begin += tile, ++counts) {
    const std::int64_t end = begin + tile < n ? begin + tile : n;
    std::size_t small = 0;
    std::int64_t i = begin;
    for (; i + lanes <= end; i += lanes) {
      const auto magnitude = hn::Abs(hn::LoadU(d, row + i));
      small += hn::CountTrue(d, hn::Lt(magnitude, bound));
      largest = hn::Max(largest, magnitude);
      squares = hn::MulAdd(magnitude, magnitude, squares);
    }
    for (; i < end; ++i) {
      const T magnitude = std::fabs(row[i]);
      small += magnitude < least ? 1 : 0;
      most = most < magnitude ? magnitude : most;
      rest += static_cast<double>(magnitude) * static_cast<double>(magnitude);
    }
    *counts += static_cast<std::uint32_t>(small);
  }
  all.squares += rest + static_cast<double>(hn::GetLane(hn::SumOfLanes(d, squares)));
  const T of_vectors = hn::GetLane(hn::MaxOfLanes(d, largest));
  const auto of_row = static_cast<double>(most < of_vectors ? of_vectors : most);
  all.largest = of_row > all.largest ? of_row : all.largest;
}

template <class T>
void meet_row(const T* row, std::int64_t n, std::int64_t tile, T least, std::uint32_t* counts, Magnitudes& all) {
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

#include <tuple>
#include <vector>

#include "arrays.h"
#include "module.h"

namespace halation::python {
namespace {

HWY_EXPORT(meet_f32);
HWY_EXPORT(meet_f64);

using Numbers = std::vector<std::int64_t>;

/// Of a packed array and packed counts, one for each tile, the last ones along an axis being cut off by its end.
std::tuple<double, double> count_small(nb::handle array, double least, const Numbers& tile, nb::handle counts) {
  const Array from(array, Access::read), to(counts, Access::write);
  const auto axes = static_cast<std::size_t>(from.axes);
  const std::int64_t n = from.shape[axes - 1];
  auto* const first = reinterpret_cast<std::uint32_t*>(to.data);
  const nb::gil_scoped_release others_run;
  Magnitudes all;
  Numbers at(axes - 1, 0);
  const std::int64_t rows = from.elements() / n;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) place = place * to.shape[axis] + at[axis] / tile[axis];
    std::uint32_t* const of_row = first + place * to.shape[axes - 1];
    if (from.item_bytes == 4) {
      HWY_DYNAMIC_DISPATCH(meet_f32)(reinterpret_cast<const float*>(from.data) + row * n, n, tile.back(), least, of_row, all);
    } else {
      HWY_DYNAMIC_DISPATCH(meet_f64)(reinterpret_cast<const double*>(from.data) + row * n, n, tile.back(), least, of_row, all);
    }
    for (std::size_t axis = at.size(); axis-- > 0 && ++at[axis] == from.shape[axis];) at[axis] = 0;
  }
  return {all.largest, all.squares};
}

}  // namespace

void bind_magnitudes(nb::module_& module) {
  module.def("count_small", &count_small, nb::arg("array"), nb::arg("least"), nb::arg("tile"), nb::arg("counts"),
             "Adds to `counts` how many numbers of each tile have magnitudes below `least`; gives the largest magnitude and the sum of "
             "squares. Packed arrays, of float32 or float64 with one axis or more, and of uint32.");
}

}  // namespace halation::python
#endif  // HWY_ONCE
