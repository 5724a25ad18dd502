// numbers.h: elements of any numbers as f64, and sums in f64 as elements of any numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "number_rule.h"

namespace halation::python {

/// By NumPy's letter (b, u, i, f) and the element's size; none for others.
std::optional<Number> number_of(char kind, std::int64_t item_bytes);

/// One axis of a walk from one array to another; with `sources`, element i is read at sources[i], the constant stands for -1.
struct Step {
  std::int64_t n;
  std::int64_t from;  ///< elements of f64, or bytes of any others
  std::int64_t to;
  const std::int64_t* sources = nullptr;
  std::int64_t unit = 1;  ///< elements that lie one after another at each source
};

/// Sources of a row that lie one after another (way 1), backwards (-1), or are one place (0); from -1: the constant.
struct Run {
  std::int64_t first, way, to, n;
};

/// Rows as packed f64: each as `runs` say, which have all elements of `row`, best the longest first: others repeat what that has.
/// Elements begin at multiples of their size.
void read_numbers(Number number, const std::byte* from, const Step& rows, const Step& row, std::span<const Run> runs, double constant,
                  double* to);

/// Rows of sums as elements, by the rule. Truth is what is not 0 as a byte.
void write_numbers(Number number, const NumberRule& rule, const double* from, const Step& rows, const Step& row, std::byte* to);

}  // namespace halation::python
