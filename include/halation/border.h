// border.h: what lies outside an image.
#pragma once

#include <array>
#include <string_view>

#include "halation/by_name.h"

namespace halation {

struct Borders;

/// What a filter sees beyond the edge of one axis, shown for the row `a b c d`:
///
///     constant(v)   v v v | a b c d | v v v     OpenCV BORDER_CONSTANT, SciPy "constant"
///     replicate     a a a | a b c d | d d d     BORDER_REPLICATE, SciPy "nearest"
///     reflect       c b a | a b c d | d c b     BORDER_REFLECT, SciPy "reflect"
///     reflect101    d c b | a b c d | c b a     BORDER_REFLECT_101, SciPy "mirror" (the default)
///     wrap          b c d | a b c d | a b c     BORDER_WRAP, SciPy "wrap"
///
/// All of them go on as far as the filter reaches, also where it is larger than the image.
struct Border {
  enum class Mode { constant, replicate, reflect, reflect101, wrap };
  Mode mode = Mode::reflect101;
  double value = 0;  ///< for `constant`; used as it is, without rounding to the input's pixel

  static constexpr Border constant(double value = 0) { return {Mode::constant, value}; }
  static constexpr Border replicate() { return {Mode::replicate, 0}; }
  static constexpr Border reflect() { return {Mode::reflect, 0}; }
  static constexpr Border reflect101() { return {Mode::reflect101, 0}; }
  static constexpr Border wrap() { return {Mode::wrap, 0}; }

  /// This border for all axes.
  constexpr operator Borders() const;

  bool operator==(const Border&) const = default;
};

inline constexpr Border::Mode all_border_modes[] = {Border::Mode::constant, Border::Mode::replicate,
                                                    Border::Mode::reflect, Border::Mode::reflect101,
                                                    Border::Mode::wrap};

/// A border for each axis: `Border::wrap()` is one for all of them, `{.y = Border::wrap(), .x = Border::constant(7)}` one each, by
/// name alone; those left out are reflect101. Where a position lies outside along several constant axes, the first of depth, height
/// and width gives the value.
struct Borders {
  ByName<Borders> by_name = ByName<Borders>();
  Border z = {};  ///< along depth
  Border y = {};  ///< along height
  Border x = {};  ///< along width

  /// In this order, for loops.
  constexpr std::array<Border, 3> axes() const { return {z, y, x}; }

  bool operator==(const Borders&) const = default;
};

constexpr Border::operator Borders() const { return {.z = *this, .y = *this, .x = *this}; }

/// "constant", "replicate", "reflect", "reflect101", "wrap".
std::string_view name_of(Border::Mode mode);

/// The inverse of `name_of`. Throws `Error{invalid_argument}` naming the choices.
Border::Mode border_named(std::string_view name);

}  // namespace halation
