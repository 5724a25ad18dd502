// numbers.cpp: elements as numbers and back, row by row: plain loops, which compilers make vectors of for
// each instruction set.
#include "core/numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "core/convert.h"
#include "core/integer_weights.h"
#include "core/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/numbers.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h includes this file once for each instruction set before highway.h.
#include "hwy/highway.h"

#ifndef HALATION_NUMBERS_ONCE
#define HALATION_NUMBERS_ONCE
namespace halation {

/// Where the elements of a row lie, counted along width and channels.
struct NumberRow {
  std::byte* data;
  std::int64_t channels, width_stride, channel_stride;
  bool is_packed;

  template <class T>
  T* at(std::int64_t i) const {
    std::int64_t place = i * static_cast<std::int64_t>(sizeof(T));
    if (!is_packed) place = i / channels * width_stride + i % channels * channel_stride;
    return reinterpret_cast<T*>(data + place);
  }
};

}  // namespace halation
#endif

HWY_BEFORE_NAMESPACE();
namespace halation::HWY_NAMESPACE {
namespace {

/// Calls use(i, element) for elements from first to end.
template <class T, class Use>
void along_row(const NumberRow& row, std::int64_t first, std::int64_t end, const Use& use) {
  if (row.is_packed) {
    auto* const elements = reinterpret_cast<T*>(row.data);
    for (std::int64_t i = first; i < end; ++i) use(i, elements[i]);
  } else if (row.channels == 1) {
    for (std::int64_t i = first; i < end; ++i) use(i, *reinterpret_cast<T*>(row.data + i * row.width_stride));
  } else {
    for (std::int64_t i = first; i < end; ++i) use(i, *row.at<T>(i));
  }
}

/// By bits, which compilers make vectors of: exponent and fraction are moved; those of the smallest numbers,
/// which have no exponent, are integers times 2^-24.
double as_number(f16 half) {
  const std::uint64_t sign = std::uint64_t{half.bits} >> 15 << 63;
  const std::uint64_t magnitude = half.bits & 0x7FFFU;
  const std::uint64_t bias = magnitude < 0x7C00 ? 1023 - 15 : 0x7FF - 31;
  const double small = static_cast<double>(static_cast<std::int32_t>(magnitude)) * 0x1p-24;
  const std::uint64_t bits =
      magnitude < 0x400 ? std::bit_cast<std::uint64_t>(small) : (magnitude << 42) + (bias << 52);
  return std::bit_cast<double>(bits | sign);
}

template <class T>
double as_number(T element) {
  return static_cast<double>(element);
}

void read_row(Pixel pixel, const NumberRow& row, std::int64_t first, std::int64_t end, double* to,
              double* low) {
  visit_number(pixel, [&](auto like) {
    using T = decltype(like);
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
      along_row<T>(row, first, end, [&](std::int64_t i, T element) {
        const Halves halves = halves_of(element);
        to[i] = halves.high;
        low[i] = halves.low;
      });
    } else {
      along_row<T>(row, first, end, [&](std::int64_t i, T element) { to[i] = as_number(element); });
    }
  });
}

/// Sums of halves, where `low` is not null.
void write_row(Pixel pixel, const NumberRow& row, std::int64_t first, std::int64_t end, const double* from,
               const double* low, const ElementRule& rule) {
  visit_number(pixel, [&](auto like) {
    using T = decltype(like);
    if (low != nullptr) {
      return along_row<T>(row, first, end, [&](std::int64_t i, T& to) {
        to = element_of<T>(sum_of({from[i], low[i]}), rule);
      });
    }
    // Each step is a loop of its own, or it would be none of vectors.
    constexpr std::int64_t at_once = 256;
    std::array<double, at_once> room;
    for (std::int64_t begin = first; begin < end; begin += at_once) {
      const std::int64_t n = std::min(at_once, end - begin);
      double* const values = room.data();
      const double scale = rule.scale, offset = rule.offset;
      for (std::int64_t i = 0; i < n; ++i) values[i] = scale * from[begin + i] + offset;
      const auto write = [&](const auto& element) {
        along_row<T>(row, begin, begin + n, [&](std::int64_t i, T& to) { to = element(values[i - begin]); });
      };
      if constexpr (!std::is_integral_v<T>) {
        write([](double value) { return static_cast<T>(value); });
      } else {
        if (rule.rounding == Rounding::half_even) {
          for (std::int64_t i = 0; i < n; ++i) values[i] = nearest_integer(values[i]);
        } else if (rule.has_fractions) {
          for (std::int64_t i = 0; i < n; ++i) values[i] = before_truncation(values[i]);
        }
        if (rule.overflow == Overflow::wrap) {
          write([](double value) { return wrapped<T>(value); });
        } else {
          write([](double value) { return saturated<T>(value); });
        }
      }
    }
  });
}

}  // namespace
}  // namespace halation::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halation {
namespace {

HWY_EXPORT(read_row);
HWY_EXPORT(write_row);

/// Calls body(b, z, y, first, end) for rows, of long ones for pieces, elements counted along width and
/// channels; by so many threads.
template <class Body>
void for_each_piece(const Shape& shape, int threads, const Body& body) {
  constexpr std::int64_t piece = 1 << 14;  // elements, some 10 us
  const std::int64_t row = shape.width * shape.channels;
  const std::int64_t pieces = (row + piece - 1) / piece;
  const std::int64_t all = shape.batch * shape.depth * shape.height * pieces;
  const std::int64_t blocks = std::min<std::int64_t>(threads, (shape.elements() + piece - 1) / piece);
  const auto do_block = [&](std::int64_t block) {
    for (std::int64_t i = all * block / blocks; i < all * (block + 1) / blocks; ++i) {
      const std::int64_t at = i / pieces, first = i % pieces * piece, plane = at / shape.height;
      body(plane / shape.depth, plane % shape.depth, at % shape.height, first, std::min(row, first + piece));
    }
  };
  if (blocks <= 1) return do_block(0);
  in_threads(blocks, do_block);
}

template <class AnyView>
auto* row_of(const AnyView& view, std::int64_t b, std::int64_t z, std::int64_t y) {
  return view.data + b * view.strides.batch + z * view.strides.depth + y * view.strides.height;
}

/// A view with the rows joined that lie one after another.
template <class AnyView>
AnyView with_long_rows(AnyView view) {
  const auto& s = view.strides;
  auto& n = view.shape;
  const auto size = static_cast<std::int64_t>(bytes_of(view.pixel));
  const bool has_packed_rows =
      (n.channels == 1 || s.channels == size) && (n.width == 1 || s.width == n.channels * size);
  if (!has_packed_rows) return view;
  view.strides.width = n.channels * size;
  if (n.height > 1 && s.height != n.width * n.channels * size) return view;
  n.width *= std::exchange(n.height, 1);
  if (n.depth > 1 && s.depth != n.width * n.channels * size) return view;
  n.width *= std::exchange(n.depth, 1);
  return view;
}

/// The same of several, where it makes all of them one shape.
template <class... Views>
void join_rows(Views&... views) {
  const std::array<Shape, sizeof...(views)> shapes{with_long_rows(views).shape...};
  if (std::all_of(shapes.begin(), shapes.end(), [&](const Shape& shape) { return shape == shapes[0]; }))
    ((views = with_long_rows(views)), ...);
}

template <class AnyView>
NumberRow row_at(const AnyView& view, std::int64_t b, std::int64_t z, std::int64_t y) {
  const auto& s = view.strides;
  const auto size = static_cast<std::int64_t>(bytes_of(view.pixel));
  const bool is_packed = (view.shape.channels == 1 || s.channels == size) &&
                         (view.shape.width == 1 || s.width == view.shape.channels * size);
  return {const_cast<std::byte*>(row_of(view, b, z, y)), view.shape.channels, s.width, s.channels, is_packed};
}

}  // namespace

ElementRule rule_of(const Job& job) {
  const auto are_integers = [](const std::vector<double>& row) {
    return std::all_of(row.begin(), row.end(), is_integer);
  };
  const auto has_integers = [&](const Taps& taps) {
    return taps.factors ? std::all_of(taps.factors->begin(), taps.factors->end(), are_integers)
                        : are_integers(taps.weights);
  };
  return {.scale = job.scale,
          .offset = job.offset,
          .rounding = job.rounding,
          .overflow = job.overflow,
          .has_fractions = !std::all_of(job.filters.begin(), job.filters.end(), has_integers)};
}

void read_numbers(const ConstView& given, std::span<const View> given_numbers, int threads) {
  ConstView from = given;
  std::array<View, 2> numbers{given_numbers.front(), given_numbers.back()};
  join_rows(from, numbers[0], numbers[1]);
  for_each_piece(from.shape, threads, [&](auto b, auto z, auto y, auto first, auto end) {
    HWY_DYNAMIC_DISPATCH(read_row)
    (from.pixel, row_at(from, b, z, y), first, end, reinterpret_cast<double*>(row_of(numbers[0], b, z, y)),
     reinterpret_cast<double*>(row_of(numbers[1], b, z, y)));
  });
}

void write_elements(std::span<const ConstView> given_numbers, const View& given, const ElementRule& rule,
                    int threads) {
  View to = given;
  std::array<ConstView, 2> numbers{given_numbers.front(), given_numbers.back()};
  join_rows(to, numbers[0], numbers[1]);
  const bool has_halves = given_numbers.size() == 2;
  for_each_piece(to.shape, threads, [&](auto b, auto z, auto y, auto first, auto end) {
    HWY_DYNAMIC_DISPATCH(write_row)
    (to.pixel, row_at(to, b, z, y), first, end, reinterpret_cast<const double*>(row_of(numbers[0], b, z, y)),
     has_halves ? reinterpret_cast<const double*>(row_of(numbers[1], b, z, y)) : nullptr, rule);
  });
}

}  // namespace halation
#endif
