// numbers.h: elements of any numbers as f64, and sums in f64 as elements of any numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace halation::python {

/// Types of NumPy's, in the machine's byte order.
enum class Number : std::uint8_t { b1, u1, u2, u4, u8, i1, i2, i4, i8, f2, f4, f8 };

/// By NumPy's letter (b, u, i, f) and the element's size; none for others.
std::optional<Number> number_of(char kind, std::int64_t item_bytes);

/// to[i] = the element `stride` · i bytes after `from`. Each begins at a multiple of its size.
void read_numbers(Number number, const std::byte* from, std::int64_t stride, double* to, std::int64_t n);

/// How a sum becomes an element: scale · sum / divisor + offset, farther from zero by `share` of itself (but for 1/1024 at most: sums
/// that rounding has put just below a whole number reach it), and then, of integers, rounded, wrapped or saturated.
struct NumberRule {
  double scale = 1;
  double divisor = 1;
  double offset = 0;
  double share = 0;
  bool truncate = false;  ///< towards zero; else half to even
  bool wrap = false;      ///< as x86-64 converts; else saturated
};

/// The element `stride` · i bytes after `to` = from[i · step] by the rule, for i in [0, n). Truth is what is not 0 as a byte.
void write_numbers(Number number, const NumberRule& rule, const double* from, std::int64_t step, std::byte* to, std::int64_t stride,
                   std::int64_t n);

}  // namespace halation::python
