// any_side.h: arrays of any numbers and axes as a call expects them, and the rule of their numbers, in Python's words.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "call.h"
#include "numbers.h"

namespace halation::python {

/// Shape, strides and type, as 'u4', of arrays.
using AnyWords = std::tuple<Numbers, Numbers, std::string>;
/// Scale, divisor, offset, share, whether truncated, whether wrapped.
using RuleWords = std::tuple<double, double, double, double, bool, bool>;

inline NumberRule rule_from(const RuleWords& words) {
  NumberRule rule;
  std::tie(rule.scale, rule.divisor, rule.offset, rule.share, rule.truncate, rule.wrap) = words;
  return rule;
}

/// What an array must be like to be one of a call's.
struct AnySide {
  Numbers shape, strides;
  Number number;

  explicit AnySide(const AnyWords& words) : shape(std::get<0>(words)), strides(std::get<1>(words)), number(Number::f8) {
    const std::string& type = std::get<2>(words);
    const std::optional<Number> found = number_of(type.empty() ? '?' : type[0], std::atol(type.c_str() + 1));
    if (!found) throw nb::type_error(("no type that arrays are filtered as: " + type).c_str());
    number = *found;
  }

  /// Truth is read as bytes as well.
  bool holds(const Array& array) const {
    const std::optional<Number> found = number_of(array.kind, array.item_bytes);
    return found == number || (found == Number::b1 && number == Number::u1);
  }

  bool fits(const Array& array) const {
    if (static_cast<std::size_t>(array.axes) != shape.size() || !holds(array)) return false;
    std::int64_t lowest_bits = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array.data));
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (array.shape[i] != shape[i]) return false;
      if (shape[i] == 1) continue;
      if (array.strides[i] != strides[i]) return false;
      lowest_bits |= strides[i];
    }
    return lowest_bits % array.item_bytes == 0;
  }
};

}  // namespace halation::python
