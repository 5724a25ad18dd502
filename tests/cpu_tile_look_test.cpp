// cpu_tile_look_test.cpp: what transforms on the CPU see of a tile before it is transformed: sums of squares, and outliers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "cpu/fft/outliers.h"
#include "cpu/fft/steps/kernels.h"
#include "numbers.h"

namespace halation {
namespace {

/// Sums of squares in parts beside the definition: each run of 2 · most − 1 columns holds a part whole.
template <class T>
void check_part_sums(std::int64_t count, std::int64_t n, std::int64_t most, double faint, Numbers& numbers) {
  std::vector<std::vector<T>> rows(static_cast<std::size_t>(count));
  std::vector<const T*> lines;
  std::vector<double> columns(static_cast<std::size_t>(n), 0);
  bool any_negative = false, any_positive = false;
  const double sign = numbers.next();  // of all, or of each
  for (std::vector<T>& row : rows) {
    for (double& column : columns) {
      const double magnitude = numbers.next() < faint ? 0 : numbers.next();
      const auto value = static_cast<T>(sign < 0.3 || (sign > 0.6 && numbers.next() < 0.5) ? -magnitude : magnitude);
      row.push_back(value);
      column += static_cast<double>(value) * static_cast<double>(value);
      any_negative |= value < 0;
      any_positive |= value > 0;
    }
    lines.push_back(row.data());
  }
  const cpu_backend::PartSums<T> found = cpu_backend::transform_kernels<T>().part_sums(lines.data(), count, n, most);
  double all = 0, least_run = std::numeric_limits<double>::infinity();
  const std::int64_t run = std::min(n, 2 * most - 1);
  for (std::int64_t i = 0; i < n; ++i) {
    all += columns[static_cast<std::size_t>(i)];
    double sum = 0;
    for (std::int64_t k = i; k < i + run && i + run <= n; ++k) sum += columns[static_cast<std::size_t>(k)];
    if (i + run <= n) least_run = std::min(least_run, sum);
  }
  const double rounded = 1 + static_cast<double>(count * n) * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_LE(static_cast<double>(found.least), least_run * rounded);
  EXPECT_GE(found.all * rounded, all);
  EXPECT_LE(found.all, 2 * all * rounded);
  EXPECT_EQ(found.any_negative, any_negative);
  EXPECT_EQ(found.any_positive, any_positive);
  if (faint == 0) {
    EXPECT_GT(found.least, 0);
  }
}

TEST(PartSums, AreAtMostWhatAnyBoxHolds) {
  Numbers numbers(11);
  const auto below = [&](int most) { return 1 + static_cast<std::int64_t>(numbers.next() * most); };
  for (int i = 0; i < 4000; ++i) {
    const std::int64_t count = below(12), n = below(90), most = below(i % 2 == 0 ? 20 : 90);
    const double faint = i % 3 == 0 ? 0 : numbers.next();
    SCOPED_TRACE(testing::Message() << count << " rows of " << n << ", parts of " << most);
    check_part_sums<float>(count, n, most, faint, numbers);
    check_part_sums<double>(count, n, most, faint, numbers);
    if (HasFailure()) return;
  }
}

/// What is taken out of a tile as outliers, and sums of them under a filter, beside the definition.
template <class T>
void check_outliers(const cpu_backend::Lengths& lengths, const Taps& taps, double share) {
  using namespace cpu_backend;
  constexpr T from = 100;
  const TileTransform<T> tiles(lengths);
  std::vector<T> tile(static_cast<std::size_t>(tiles.elements()), 0);
  const Space input = lengths.input();
  const auto at = [&](std::int64_t z, std::int64_t y, std::int64_t x) -> T& {
    return lengths.folded ? tiles.row(tile.data(), 0, x / lengths.columns)[x % lengths.columns] : tiles.row(tile.data(), z, y)[x];
  };
  Numbers numbers(7);
  std::vector<T> outliers;
  T last = 0;
  for (std::int64_t i = 0; i < input[0] * input[1] * input[2]; ++i) {
    // Some of one value side by side, some beside those of another, the first and the last of all among them.
    const bool is_one = numbers.next() < share || i == 0 || i == input[0] * input[1] * input[2] - 1;
    last = last != 0 && numbers.next() < 0.7 ? last : is_one ? static_cast<T>((numbers.next() < 0.5 ? -1 : 1) * (100 + 1000 * numbers.next())) : 0;
    outliers.push_back(last);
    at(i / (input[1] * input[2]), i / input[2] % input[1], i % input[2]) = last != 0 ? last : static_cast<T>(numbers.next());
  }
  const auto most = static_cast<std::int64_t>(outliers.size());
  std::vector<std::byte> memory(static_cast<std::size_t>(OutlierLayer<T>::scratch_bytes(tiles, input, most)) + 64);
  Scratch scratch(memory);
  OutlierLayer<T> layer(tiles, input, most, scratch);
  EXPECT_FALSE(layer.take(tile.data(), from, 1, 1));
  EXPECT_FALSE(layer.any());
  ASSERT_TRUE(layer.take(tile.data(), from, most, 1));
  EXPECT_TRUE(layer.any());
  for (std::int64_t i = 0; i < most; ++i) {
    const T left = at(i / (input[1] * input[2]), i / input[2] % input[1], i % input[2]);
    EXPECT_EQ(left == 0, outliers[static_cast<std::size_t>(i)] != 0) << i;
  }
  const OutlierWeights<T> weights(taps, tiles.kernels().lanes);
  const std::int64_t length = std::min<std::int64_t>(lengths.columns, input[2] - taps.size[2] + 1);
  std::vector<T> sums(static_cast<std::size_t>(length + 2 * tiles.kernels().lanes));
  for (std::int64_t z = 0; z <= input[0] - taps.size[0]; ++z) {
    for (std::int64_t y = 0; y <= input[1] - taps.size[1]; ++y) {
      for (std::int64_t begin = 0; begin <= input[2] - taps.size[2]; begin += length) {
        const std::int64_t n = std::min(length, input[2] - taps.size[2] + 1 - begin);
        const bool any = layer.sum(weights, {z, y, begin}, n, sums.data());
        for (std::int64_t x = begin; x < begin + n; ++x) {
          double sum = 0, magnitudes = 0;
          bool is_none = true;
          for (std::int64_t k = 0; k < taps.size[0] * taps.size[1] * taps.size[2]; ++k) {
            const std::int64_t kz = z + k / (taps.size[1] * taps.size[2]), ky = y + k / taps.size[2] % taps.size[1], kx = x + k % taps.size[2];
            const auto value = static_cast<double>(outliers[static_cast<std::size_t>((kz * input[1] + ky) * input[2] + kx)]);
            sum += value * taps.weights[static_cast<std::size_t>(k)];
            magnitudes += std::fabs(value);
            is_none = is_none && value == 0;
          }
          const double got = any ? std::ldexp(static_cast<double>(sums[static_cast<std::size_t>(x - begin)]), weights.exponent()) : 0;
          // Weights are at most 1, and each product is of a difference of sums of a row of them.
          const double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
          EXPECT_NEAR(got, sum, 4 * u * static_cast<double>(taps.size[2]) * magnitudes * static_cast<double>(taps.weights.size())) << z << " " << y << " " << x;
          if (is_none) {
            EXPECT_EQ(got, 0) << z << " " << y << " " << x;
          }
        }
      }
    }
  }
}

TEST(Outliers, AreTakenOutAndSummedByTaps) {
  const auto taps = [](const Space& size) {
    Numbers numbers(3);
    Taps found;
    found.size = size;
    for (std::int64_t k = 0; k < size[0] * size[1] * size[2]; ++k) found.weights.push_back(2 * numbers.next() - 1);
    return found;
  };
  for (const double share : {0.0, 0.02, 0.3}) {
    for (const Space& size : {Space{1, 5, 7}, Space{1, 1, 33}, Space{1, 9, 1}, Space{1, 1, 1}}) {
      check_outliers<float>({.rows = 8, .columns = 48, .along_y = true, .along_x = true}, taps(size), share);
      check_outliers<double>({.rows = 8, .columns = 48, .along_y = true, .along_x = true}, taps(size), share);
    }
    check_outliers<float>({.rows = 16, .columns = 20, .along_y = true, .along_x = true, .folded = true}, taps({1, 1, 65}), share);
    check_outliers<double>({.rows = 16, .columns = 20, .along_y = true, .along_x = true, .folded = true}, taps({1, 1, 65}), share);
    check_outliers<float>({.planes = 6, .rows = 4, .columns = 24, .along_z = true, .along_y = true, .along_x = true}, taps({3, 4, 5}), share);
  }
}

}  // namespace
}  // namespace halation
