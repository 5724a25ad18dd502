// numbers.cpp: elements as numbers and back, row by row.
#include "core/numbers.h"

#include "core/convert.h"
#include "core/threads.h"

namespace halation {
namespace {

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

/// Where the element of a row is that stands at a place, counted along width and channels.
std::int64_t place(const Shape& shape, const Strides& strides, std::int64_t at) {
  return at / shape.channels * strides.width + at % shape.channels * strides.channels;
}

/// Calls use(i, place) for elements from first to end: places side by side where the row is packed.
template <class T, class Use>
void along_row(const Shape& shape, const Strides& strides, std::int64_t first, std::int64_t end, const Use& use) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  const bool is_packed = (shape.channels == 1 || strides.channels == size) &&
                         (shape.width == 1 || strides.width == shape.channels * size);
  if (is_packed) {
    for (std::int64_t i = first; i < end; ++i) use(i, i * size);
  } else {
    for (std::int64_t i = first; i < end; ++i) use(i, place(shape, strides, i));
  }
}

}  // namespace

void read_numbers(const ConstView& from, std::span<const View> numbers, int threads) {
  visit_number(from.pixel, [&](auto like) {
    using T = decltype(like);
    for_each_piece(from.shape, threads, [&](auto b, auto z, auto y, auto first, auto end) {
      const std::byte* const row = row_of(from, b, z, y);
      auto* const to = reinterpret_cast<double*>(row_of(numbers[0], b, z, y));
      if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        auto* const low = reinterpret_cast<double*>(row_of(numbers[1], b, z, y));
        along_row<T>(from.shape, from.strides, first, end, [&](std::int64_t i, std::int64_t at) {
          const Halves halves = halves_of(*reinterpret_cast<const T*>(row + at));
          to[i] = halves.high;
          low[i] = halves.low;
        });
      } else {
        along_row<T>(from.shape, from.strides, first, end, [&](std::int64_t i, std::int64_t at) {
          to[i] = static_cast<double>(*reinterpret_cast<const T*>(row + at));
        });
      }
    });
  });
}

void write_elements(std::span<const ConstView> numbers, const View& to, const ElementRule& rule, int threads) {
  visit_number(to.pixel, [&](auto like) {
    using T = decltype(like);
    for_each_piece(to.shape, threads, [&](auto b, auto z, auto y, auto first, auto end) {
      std::byte* const row = row_of(to, b, z, y);
      const auto* const from = reinterpret_cast<const double*>(row_of(numbers[0], b, z, y));
      if (numbers.size() == 2) {
        const auto* const low = reinterpret_cast<const double*>(row_of(numbers[1], b, z, y));
        along_row<T>(to.shape, to.strides, first, end, [&](std::int64_t i, std::int64_t at) {
          *reinterpret_cast<T*>(row + at) = element_of<T>(sum_of({from[i], low[i]}), rule);
        });
      } else {
        along_row<T>(to.shape, to.strides, first, end, [&](std::int64_t i, std::int64_t at) {
          *reinterpret_cast<T*>(row + at) = element_of<T>(from[i], rule);
        });
      }
    });
  });
}

}  // namespace halation
