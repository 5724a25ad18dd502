// call.h: a plan together with how n-D arrays become its five extents.
#pragma once

#include <halation/halation.h>

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "gil.h"

namespace halation::python {

using Five = std::array<std::int64_t, 5>;

inline Shape shape_of(const Five& n) {
  return {.batch = n[0], .depth = n[1], .height = n[2], .width = n[3], .channels = n[4]};
}
inline Five five_of(const Shape& n) { return {n.batch, n.depth, n.height, n.width, n.channels}; }
inline Strides strides_from(const Five& s) {
  return {.batch = s[0], .depth = s[1], .height = s[2], .width = s[3], .channels = s[4]};
}

/// What an array must be like to be one of a call's, and where its five extents lie in it.
struct Side {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  Shape five;
  Strides steps;
  Pixel pixel = Pixel::u8;
  std::vector<std::int64_t> offsets;  ///< of each run: what five extents cannot hold is run again and again

  /// Truth is read as u8 as well.
  bool fits(const Array& array) const {
    const bool holds =
        array.any_pixel() == pixel || (pixel == Pixel::u8 && array.kind == 'b' && array.item_bytes == 1);
    if (static_cast<std::size_t>(array.axes) != shape.size() || !holds) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (array.shape[i] != shape[i] || (array.strides[i] != strides[i] && shape[i] != 1)) return false;
    }
    return reinterpret_cast<std::uintptr_t>(array.data) % bytes_of(pixel) == 0;
  }
};

using Numbers = std::vector<std::int64_t>;
/// Shape and strides of the arrays, strides of the five extents, offset of each run.
using SideWords = std::tuple<Numbers, Numbers, Five, Numbers>;

inline Side side_from(const Shape& five, Pixel pixel, const SideWords& words) {
  return {.shape = std::get<0>(words),
          .strides = std::get<1>(words),
          .five = five,
          .steps = strides_from(std::get<2>(words)),
          .pixel = pixel,
          .offsets = std::get<3>(words)};
}

/// A plan for arrays of given shapes and strides. Immutable; any number of threads may run one.
class Call {
 public:
  Call(Plan plan, const Five& shape, const std::string& pixel, const SideWords& in, const SideWords& out)
      : plan_(std::move(plan)),
        in_(side_from(shape_of(shape), pixel_named(pixel), in)),
        out_(side_from(plan_.output_shape(), plan_.output_pixel(), out)) {
    if (in_.offsets.size() != out_.offsets.size())
      throw nb::value_error("a call needs as many input as output offsets");
  }

  /// False where an array is not as this call expects it (nothing has been done then).
  bool run(nb::handle in, nb::handle out, std::uintptr_t stream) const {
    const Array from(in, Access::read);
    const Array to(out, Access::write);
    if (!in_.fits(from) || !out_.fits(to)) return false;
    const WithoutGil released;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): Python's addresses are numbers
    const RunOptions options{.stream = {reinterpret_cast<void*>(stream)}, .workspace = {}};
    for (std::size_t i = 0; i < in_.offsets.size(); ++i) {
      plan_.run(ConstView{from.data + in_.offsets[i], in_.five, in_.steps, in_.pixel, from.device},
                View{to.data + out_.offsets[i], out_.five, out_.steps, out_.pixel, to.device}, options);
    }
    return true;
  }

  const Plan& plan() const { return plan_; }

 private:
  Plan plan_;
  Side in_;
  Side out_;
};

}  // namespace halation::python
