// tap_sums_test.cpp: sums of taps over arrays of any numbers and any axes (python/native/tap_sums.cu), beside
// the same loops on the CPU: every pair of numbers, borders, extents, strides, outputs by threads and by
// warps, and arrays of more than 2^31 elements.
//
// Both sum in f64, and data are whole numbers so small that f64 holds every sum exactly: results must be the
// same bits.
#include "python/native/taps.h"

#include <gtest/gtest.h>

#include <halation/transfer.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

using python::Number;
using python::NumberRule;
using python::Taps;
using Numbers = std::vector<std::int64_t>;

constexpr std::array all_numbers = {Number::b1, Number::u1, Number::u2, Number::u4, Number::u8, Number::i1,
                                    Number::i2, Number::i4, Number::i8, Number::f2, Number::f4, Number::f8};

std::int64_t bytes_of(Number number) {
  std::int64_t bytes = 0;
  python::visit(number, [&](auto element) { bytes = sizeof(element); });
  return bytes;
}

std::int64_t product(const Numbers& numbers) {
  std::int64_t made = 1;
  for (const std::int64_t n : numbers) made *= n;
  return made;
}

/// Strides of a packed array whose axes lie in an order, outermost first.
Numbers packed(const Numbers& shape, const std::vector<std::size_t>& order, std::int64_t step) {
  Numbers strides(shape.size());
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= shape[order[i]];
  }
  return strides;
}

/// Elements of a type, whole and below 100.
std::vector<std::byte> data(Number number, std::int64_t elements, std::uint64_t seed) {
  std::vector<std::byte> made(static_cast<std::size_t>(elements * bytes_of(number)));
  python::visit(number, [&](auto element) {
    using T = decltype(element);
    for (std::int64_t i = 0; i < elements; ++i) {
      const std::uint64_t bits = random_bits(seed << 32 ^ static_cast<std::uint64_t>(i));
      std::byte* to = made.data() + i * static_cast<std::int64_t>(sizeof(T));
      if constexpr (std::is_same_v<T, bool>) {
        const std::uint8_t value = bits % 3 == 0 ? static_cast<std::uint8_t>(bits % 7) : 0;
        std::memcpy(to, &value, 1);
      } else if constexpr (std::is_same_v<T, f16>) {
        const f16 value = python::as_f16(static_cast<double>(bits % 200) - 100);
        std::memcpy(to, &value, sizeof(T));
      } else {
        const auto value = static_cast<T>(static_cast<double>(bits % 100) - (std::is_signed_v<T> ? 50 : 0));
        std::memcpy(to, &value, sizeof(T));
      }
    }
  });
  return made;
}

/// The element that stands for a coordinate along an axis of n; −1: the constant.
std::int64_t source(std::int64_t at, std::int64_t n, std::uint64_t border) {
  if (at >= 0 && at < n) return at;
  switch (border % 4) {
    case 0:
      return -1;
    case 1:
      return std::clamp<std::int64_t>(at, 0, n - 1);
    case 2:
      return ((at % n) + n) % n;
    default: {
      const std::int64_t folded = ((at % (2 * n)) + 2 * n) % (2 * n);
      return folded < n ? folded : 2 * n - 1 - folded;
    }
  }
}

struct Case {
  Number in = Number::u1;
  Number out = Number::f8;
  Numbers shape, taps;
  NumberRule rule;
  std::uint64_t seed = 0;
};

/// Runs a case on both and compares every byte, those between elements of the output too.
void expect_same(const Case& one) {
  const std::size_t axes = one.shape.size();
  auto bits = [&, at = std::uint64_t{0}]() mutable { return random_bits(one.seed << 24 ^ ++at); };
  Numbers lows(axes, 0), outputs = one.shape;
  std::vector<Numbers> outsides(axes);
  for (std::size_t a = 0; a < axes; ++a) {
    const std::int64_t n = one.shape[a], taps = one.taps[a];
    if (taps == 1) continue;
    const bool full = bits() % 4 == 0, valid = !full && n >= taps && bits() % 4 == 0;
    lows[a] = full    ? 1 - taps
              : valid ? 0
                      : -static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(taps));
    outputs[a] = full ? n + taps - 1 : valid ? n - taps + 1 : n;
    const std::uint64_t border = bits();
    for (std::int64_t at = lows[a]; at < 0; ++at) outsides[a].push_back(source(at, n, border));
    for (std::int64_t at = n; at < lows[a] + outputs[a] + taps - 1; ++at)
      outsides[a].push_back(source(at, n, border));
  }
  std::vector<double> weights;
  for (std::int64_t i = 0; i < product(one.taps); ++i) weights.push_back(static_cast<double>(bits() % 7) - 3);
  std::vector<std::size_t> order(axes), turned(axes);
  for (std::size_t a = 0; a < axes; ++a) order[a] = turned[a] = a;
  if (bits() % 3 == 0) std::ranges::reverse(turned);
  const std::int64_t apart = 1 + static_cast<std::int64_t>(bits() % 2);
  const python::TapInput in{one.in, one.shape, packed(one.shape, turned, bytes_of(one.in))};
  const python::TapOutput out{one.out, outputs, packed(outputs, order, apart * bytes_of(one.out)), one.rule};
  python::TapFilter filter{
      .weights = weights, .taps = one.taps, .lows = lows, .outsides = outsides, .constant = 5};
  const std::vector<std::byte> from = data(one.in, product(one.shape), one.seed);
  const std::size_t bytes = static_cast<std::size_t>(product(outputs) * apart * bytes_of(one.out));
  std::vector<std::byte> expected(bytes, std::byte{0xA5});
  Taps(in, out, filter, cpu()).run(from.data(), expected.data(), nullptr);
  filter.is_finite = bits() % 2 == 0;

  const auto image = [](const std::vector<std::byte>& memory) {
    return ConstView{memory.data(),
                     {.width = static_cast<std::int64_t>(memory.size())},
                     strides_of({.width = static_cast<std::int64_t>(memory.size())}, Pixel::u8),
                     Pixel::u8,
                     cpu()};
  };
  const Image there = to_device(image(from), cuda());
  Image made = to_device(image(std::vector<std::byte>(bytes, std::byte{0xA5})), cuda());
  Taps(in, out, filter, cuda()).run(there.view().data, made.view().data, nullptr);
  const Image got = to_device(made, cpu());
  ASSERT_EQ(std::memcmp(got.view().data, expected.data(), bytes), 0)
      << "seed " << one.seed << ", in " << static_cast<int>(one.in) << ", out " << static_cast<int>(one.out);
}

TEST(TapSums, EveryPairOfNumbersAndRule) {
  std::uint64_t seed = 0;
  for (const Number in : all_numbers) {
    for (const Number out : all_numbers) {
      for (const bool truncate : {false, true}) {
        for (const bool wrap : {false, true}) {
          expect_same({.in = in,
                       .out = out,
                       .shape = {3, 5, 17},
                       .taps = {1, 3, 4},
                       .rule = {.truncate = truncate, .wrap = wrap},
                       .seed = ++seed});
          const NumberRule rule{.scale = 0.75,
                                .divisor = 7,
                                .offset = 2.5,
                                .share = 0x1p-44,
                                .truncate = truncate,
                                .wrap = wrap};
          expect_same({.in = in, .out = out, .shape = {40, 9}, .taps = {3, 1}, .rule = rule, .seed = ++seed});
        }
      }
    }
  }
}

TEST(TapSums, OneToEightAxes) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Case one{.in = all_numbers[seed % 12],
             .out = seed % 2 == 0 ? Number::f8 : Number::i4,
             .shape = {},
             .taps = {},
             .rule = {},
             .seed = 10000 + seed};
    for (std::uint64_t a = 0; a <= seed % 8; ++a) {
      const std::uint64_t bits = random_bits(seed << 8 ^ a);
      one.shape.push_back(1 + static_cast<std::int64_t>(bits % (seed % 8 < 3 ? 40 : 4)));
      one.taps.push_back(
          bits >> 20 & 1 ? 1 : 1 + static_cast<std::int64_t>((bits >> 24) % (seed % 8 < 3 ? 9 : 3)));
    }
    expect_same(one);
  }
}

/// By warps, whose lanes take taps in turn; rows far longer than the axis.
TEST(TapSums, ManyTapsOfFewOutputs) {
  std::uint64_t seed = 20000;
  for (const std::int64_t n : {1, 2, 31, 32, 33, 700}) {
    for (const std::int64_t taps : {63, 64, 65, 500, 2001}) {
      expect_same({.in = Number::i4,
                   .out = Number::i8,
                   .shape = {3, n},
                   .taps = {1, taps},
                   .rule = {},
                   .seed = ++seed});
      expect_same({.in = Number::u8,
                   .out = Number::f4,
                   .shape = {n, 2, 2},
                   .taps = {taps, 1, 2},
                   .rule = {},
                   .seed = ++seed});
    }
  }
}

/// Slices of the outermost axis, each below 2^31 elements.
TEST(TapSums, MoreThanTwoToTheThirtyFirstElements) {
  const std::int64_t n = (std::int64_t{1} << 30) + 3;
  const Numbers shape = {3, n}, strides = {n, 1};
  const std::vector<double> weights = {1, 2, 4};
  const python::TapFilter filter{
      .weights = weights, .taps = {3, 1}, .lows = {-1, 0}, .outsides = {{-1, -1}, {}}, .constant = 9};
  Image in = allocate({.height = 3, .width = n}, Pixel::u8, cuda());
  std::vector<std::uint8_t> row(1 << 20);
  const std::vector<std::int64_t> places = {0, n / 2, n - static_cast<std::int64_t>(row.size())};
  const auto part = [&](Image& image, std::int64_t y, std::int64_t x) {
    const Shape one{.width = static_cast<std::int64_t>(row.size())};
    return View{image.view().data + y * n + x, one, strides_of(one, Pixel::u8), Pixel::u8, cuda()};
  };
  const auto host = [&] {
    const Shape one{.width = static_cast<std::int64_t>(row.size())};
    return View{reinterpret_cast<std::byte*>(row.data()), one, strides_of(one, Pixel::u8), Pixel::u8, cpu()};
  };
  for (std::int64_t y = 0; y < 3; ++y) {
    for (const std::int64_t x : places) {
      for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = static_cast<std::uint8_t>((i * 7 + static_cast<std::size_t>(y + x)) % 29);
      copy(host(), part(in, y, x), {});
      synchronise(cuda());
    }
  }
  Image out = allocate({.height = 3, .width = n}, Pixel::u8, cuda());
  Taps({Number::u1, shape, strides}, {Number::u1, shape, strides, {}}, filter, cuda())
      .run(in.view().data, out.view().data, nullptr);
  for (std::int64_t y = 0; y < 3; ++y) {
    for (const std::int64_t x : places) {
      copy(part(out, y, x), host(), {});
      synchronise(cuda());
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto value = [&](std::int64_t at) {
          return at < 0 || at > 2 ? 9 : static_cast<int>((i * 7 + static_cast<std::size_t>(at + x)) % 29);
        };
        ASSERT_EQ(row[i], value(y - 1) + 2 * value(y) + 4 * value(y + 1)) << y << ' ' << x << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace halation::gpu_test
