// cpu_matrices_test.cpp: filters over 8 bits on the CPU as products of matrices (src/cpu/int8/matrices), by plain loops on any machine and
// by AMX where there is one: every pixel right to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cpu/int8/matrices/kernels.h"
#include "halation/halation.h"
#include "int8_cases.h"
#include "numbers.h"

namespace halation {
namespace {

using cpu_backend::matrix_kernels;
using cpu_backend::MatrixKernels;
using cpu_backend::MatrixRows;
using cpu_backend::plain_matrix_kernels;
using cpu_backend::use_matrix_kernels;

/// Tests by plain loops, and once more by what the machine has.
class CpuMatrices : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (cpu_backend::best_sums32_kernels() == nullptr) GTEST_SKIP() << "no instructions for fixed point on this CPU";
    if (!GetParam() && matrix_kernels() == nullptr) GTEST_SKIP() << "this machine has no AMX";
    use_all();
  }
  /// Whatever the rates would choose.
  static void use_all() { use_matrix_kernels(GetParam() ? &plain_matrix_kernels() : matrix_kernels()); }
  void TearDown() override { use_matrix_kernels(nullptr); }
  std::string name() const { return matrix_kernels()->instruction_set; }
};

std::string name_of_parameter(const testing::TestParamInfo<bool>& each) { return each.param ? "PlainLoops" : "ThisMachine"; }
INSTANTIATE_TEST_SUITE_P(By, CpuMatrices, testing::Bool(), name_of_parameter);

std::vector<double> whole_weights(std::int64_t count, std::int64_t most, Numbers& numbers) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) weights.push_back(static_cast<double>(static_cast<std::int64_t>(numbers.below(static_cast<std::size_t>(2 * most + 1))) - most));
  weights.front() = static_cast<double>(most);
  return weights;
}

TEST_P(CpuMatrices, AreExactForAllSizes) {
  Numbers numbers(1);
  for (const std::int64_t width : {63, 129, 600}) {
    for (const std::int64_t channels : {1, 3}) {
      const Image image = random_image({.height = 13, .width = width, .channels = channels});
      for (const auto& [height, taps] : {std::pair<std::int64_t, std::int64_t>{7, 7}, {9, 9}, {8, 10}, {3, 31}, {13, 9}, {15, 26}, {25, 9}}) {
        const std::int64_t of_two_bytes = std::max<std::int64_t>(130, 60000 / (height * taps));  // whose sums f32 holds
        for (const std::int64_t most : {std::int64_t{3}, std::int64_t{127}, of_two_bytes}) {
          for (const Pixel out : {Pixel::u8, Pixel::i16}) {
            const double scale = out == Pixel::u8 || most > 127 ? 1.0 / 256 : 1;
            expect_exact(image, Filter::dense({1, height, taps}, whole_weights(height * taps, most, numbers)),
                         {.output = out, .scale = scale, .method = Method::direct}, name());
          }
        }
      }
    }
  }
}

TEST_P(CpuMatrices, AreExactForVolumesPlanesAndAllBorders) {
  Numbers numbers(2);
  const Image volume = random_image({.depth = 5, .height = 12, .width = 80});
  const Image planes = random_image({.batch = 2, .height = 20, .width = 90, .channels = 3}, Layout::planar);
  const Filter cube = Filter::dense({3, 5, 7}, whole_weights(105, 100, numbers));
  const Filter plane = Filter::dense({1, 12, 11}, whole_weights(132, 1000, numbers));
  for (const Border border : {Border::constant(200), Border::replicate(), Border::reflect(), Border::reflect101(), Border::wrap()}) {
    for (const Operation operation : {Operation::convolution, Operation::correlation}) {
      Options options{.border = border, .operation = operation, .output = Pixel::i16, .method = Method::direct};
      expect_exact(volume, cube, options, name());
      expect_exact(planes, plane.with_anchor({0, 11, 0}), options, name());
      options.extent = Extent::full;
      expect_exact(planes, plane, options, name());
    }
  }
}

TEST_P(CpuMatrices, FinishAsOtherSumsDo) {
  Numbers numbers(3);
  const Image image = random_image({.height = 40, .width = 200});
  const Filter real = Filter::dense({1, 9, 9}, random_weights(81, true, numbers));
  const Filter whole = Filter::dense({1, 9, 9}, whole_weights(81, 20, numbers));
  const std::vector<std::pair<Filter, Options>> jobs = {
      {real, {}},
      {real, {.scale = 0.7, .offset = 3.25}},
      {whole, {.scale = 0.03125, .rounding = Rounding::truncate}},
      {whole, {.output = Pixel::i16, .scale = 0.37, .offset = -100}},
  };
  for (const auto& [filter, given] : jobs) {
    Options options = given;
    options.method = Method::direct;
    const Image by_matrices = convolve(image, filter, options, cpu());
    use_matrix_kernels(nullptr);
    const PlanSpec spec{.shape = image.shape(), .pixel = Pixel::u8, .filters = {filter}, .options = options};
    const bool has_other_way = Plan(spec).explain().find("AMX") == std::string::npos;
    const Image otherwise = convolve(image, filter, options, cpu());
    use_all();
    const auto bytes = static_cast<std::size_t>(image.shape().elements()) * bytes_of(by_matrices.pixel());
    if (has_other_way || !GetParam()) {
      EXPECT_EQ(std::memcmp(by_matrices.view().data, otherwise.view().data, bytes), 0) << filter.name();
    }
  }
}

TEST_P(CpuMatrices, RunPastTheCaches) {
  Numbers numbers(4);
  const Image image = random_image({.height = GetParam() ? 70 : 2100, .width = 4128});
  expect_exact(image, Filter::dense({1, 7, 7}, whole_weights(49, 100, numbers)), {.scale = 1.0 / 128, .method = Method::direct}, name());
}

/// What the machine's kernels make of groups, weights and lines of all lengths is what plain loops make.
TEST(MatrixKernels, GiveWhatPlainLoopsGive) {
  const MatrixKernels* kernels = matrix_kernels();
  if (kernels == nullptr) GTEST_SKIP() << "this machine has no AMX";
  Numbers numbers(5);
  struct alignas(64) Bytes {
    std::uint8_t bytes[64];
  };
  constexpr std::int64_t lines = 3, pieces = 2;
  std::vector<Bytes> weights(2 * lines * pieces * cpu_backend::matrix_bytes / 64);
  for (Bytes& each : weights) std::generate_n(each.bytes, 64, [&] { return static_cast<std::uint8_t>(numbers.below(256)); });
  for (const std::int64_t n : {1, 7, 8, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 512, 513, 700}) {
    const std::int64_t samples = n + 17;
    const std::int64_t used = (n + 7) / 8 + 2 * (pieces - 1);
    std::vector<std::uint8_t> row(static_cast<std::size_t>(samples + 3));
    for (auto& pixel : row) pixel = static_cast<std::uint8_t>(numbers.below(256));
    const std::array<const std::uint8_t*, 4> rows{row.data(), row.data() + 1, row.data() + 2, row.data() + 3};
    std::vector<Bytes> line(static_cast<std::size_t>(1024)), same(line.size());
    kernels->group(rows.data(), samples, line[0].bytes, used);
    plain_matrix_kernels().group(rows.data(), samples, same[0].bytes, used);
    ASSERT_EQ(std::memcmp(line.data(), same.data(), static_cast<std::size_t>(used) * 64), 0) << n;
    const std::array<const std::uint8_t*, lines> all{line[0].bytes, line[0].bytes, line[0].bytes};
    for (const bool has_lower : {true, false}) {
      for (const Rounding rounding : {Rounding::half_even, Rounding::truncate}) {
        for (const bool shifts : {true, false}) {
          const cpu_backend::Sums32Finish finish{.factor = 1e-4F, .offset = 20, .rounding = rounding, .shifts = shifts, .shift = 14, .bias = 1 << 13};
          std::vector<std::int16_t> found(static_cast<std::size_t>(2 * n)), expected(found.size());
          const auto job = [&](std::vector<std::int16_t>& to) {
            return MatrixRows{.lines = all.data(), .count = lines, .pieces = pieces, .weights = weights[0].bytes, .has_lower = has_lower,
                              .out = {reinterpret_cast<std::byte*>(to.data()), reinterpret_cast<std::byte*>(to.data() + n)},
                              .n = n, .finish = finish, .streams = false};
          };
          kernels->begin();
          kernels->rows.i16(job(found));
          kernels->end();
          plain_matrix_kernels().rows.i16(job(expected));
          EXPECT_EQ(found, expected) << n;
          std::vector<std::uint8_t> bytes(static_cast<std::size_t>(2 * n)), of_bytes(bytes.size());
          MatrixRows to_bytes = job(found);
          to_bytes.out = {reinterpret_cast<std::byte*>(bytes.data()), reinterpret_cast<std::byte*>(bytes.data() + n)};
          kernels->begin();
          kernels->rows.u8(to_bytes);
          kernels->end();
          to_bytes.out = {reinterpret_cast<std::byte*>(of_bytes.data()), reinterpret_cast<std::byte*>(of_bytes.data() + n)};
          plain_matrix_kernels().rows.u8(to_bytes);
          EXPECT_EQ(bytes, of_bytes) << n;
        }
      }
    }
  }
}

}  // namespace
}  // namespace halation
