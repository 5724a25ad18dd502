// ladder_test.cpp: every rung of the GPU against oracles in f64, over sizes, radii and values outside.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "halation/error.h"
#include "halation/transfer.h"
#include "tests/ladder_problem.h"

namespace halation::ladder {
namespace {

constexpr std::int64_t guard = 64;  // elements before and behind an output that must stay as they are
constexpr std::uint32_t poison_bits = 0x7fc0dead;  // a NaN: an output that was not written equals nothing

float poison() { return std::bit_cast<float>(poison_bits); }

const float* begin_of(ConstView view) { return reinterpret_cast<const float*>(view.data); }
float* begin_of(View view) { return reinterpret_cast<float*>(view.data); }
const double* doubles_of(const Image& image) { return reinterpret_cast<const double*>(image.view().data); }

Shape line(std::int64_t elements) { return {.width = elements}; }

std::string described(const Rung& rung, const Problem& problem) {
  return std::string(rung.name) + " " + std::to_string(problem.width) + "x" + std::to_string(problem.height) +
         "x" + std::to_string(problem.depth) + ", radius " + std::to_string(problem.radius) + ", outside " +
         std::to_string(problem.outside);
}

/// The rung's output for an image on the GPU; poisoned before, and with guards, which are checked.
std::vector<float> output_of(const Rung& rung, const Problem& problem, const Image& image) {
  check(rung, problem);
  const std::int64_t elements = problem.elements();
  const std::vector<float> poisoned(static_cast<std::size_t>(elements + 2 * guard), poison());
  Image out = to_device(view_of(poisoned.data(), line(elements + 2 * guard)), cuda(0));
  const auto run = rung.gpu(problem);
  run->upload_filter({});
  run->run(begin_of(image.view()), begin_of(out.view()) + guard, {});
  std::vector<float> found(poisoned.size());
  copy(out, view_of(found.data(), line(elements + 2 * guard)), Stream{});
  synchronise(cuda(0));
  const auto kept = [&](std::int64_t first) {
    return std::all_of(found.begin() + first, found.begin() + first + guard,
                       [](float value) { return std::bit_cast<std::uint32_t>(value) == poison_bits; });
  };
  EXPECT_TRUE(kept(0)) << "wrote before its output: " << described(rung, problem);
  EXPECT_TRUE(kept(guard + elements)) << "wrote behind its output: " << described(rung, problem);
  return {found.begin() + guard, found.end() - guard};
}

/// At most a few lines, of which the first is the first difference.
void compare(const std::vector<float>& found, const double* right, double allowed, const std::string& what) {
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = found.size(); i-- > 0;) {
    if (std::abs(found[i] - right[i]) <= allowed) continue;
    ++wrong;
    first = i;
  }
  EXPECT_EQ(wrong, 0U) << what << ": first at " << first << ", got " << found[first] << ", right is "
                       << right[first] << ", allowed " << allowed;
}

/// The library's result in f64, on the GPU: the oracle of sizes that the reference is too slow for.
Image gpu_oracle(const Problem& problem, const Image& image) {
  return to_device(correlate(image, filter_of(problem), oracle_options(problem)), cpu());
}

bool takes(const Rung& rung, int radius) {
  return rung.place == Rung::Place::gpu && radius <= rung.most_radius;
}

/// All rungs that take the radius: those for any weights on such, the separable and the library's on a
/// product.
void compare_all(int dims, const Shape& shape, int radius, float outside, Numbers numbers,
                 bool by_reference) {
  const std::vector<float> samples = random_numbers(static_cast<std::size_t>(shape.elements()), numbers, 7);
  const ConstView on_cpu = view_of(samples.data(), shape);
  const Image image = to_device(on_cpu, cuda(0));
  for (const bool separable : {false, true}) {
    const Problem problem = problem_of(dims, shape, radius, outside, separable, numbers);
    Image expected;
    for (const Rung& rung : rungs(dims)) {
      const bool wanted = separable ? rung.needs_factors || rung.name == "library" : !rung.needs_factors;
      if (!wanted || !takes(rung, radius)) continue;
      if (expected.empty()) {
        expected = by_reference ? correlate(on_cpu, filter_of(problem), oracle_options(problem), reference())
                                : gpu_oracle(problem, image);
      }
      // Sums of small whole numbers are exact in every order; what the library does with the weights is its
      // own affair.
      const bool exact = numbers == Numbers::whole && rung.name != "library";
      compare(output_of(rung, problem, image), doubles_of(expected), exact ? 0 : tolerance(problem, numbers),
              described(rung, problem) + (numbers == Numbers::whole ? ", whole numbers" : ""));
    }
  }
}

bool large_cases() {
  const char* value = std::getenv("HALATION_LADDER_TEST_LARGE");
  return value == nullptr || std::string(value) != "0";
}

constexpr const char* large_skipped =
    "HALATION_LADDER_TEST_LARGE=0: images of 8192 x 8192 and more are left out";

TEST(GpuRungs, EqualTheReferenceOnSmallImages) {
  const std::int64_t sizes[][3] = {{1, 1, 1},   {3, 1, 1},    {1, 3, 1},   {1, 1, 3},
                                   {31, 17, 5}, {67, 131, 3}, {257, 61, 2}};
  for (const int dims : {1, 2, 3}) {
    for (const auto& [width, height, depth] : sizes) {
      for (const int radius : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
        if (dims == 3 && radius > 8) continue;  // 33³ taps: below, by the oracle on the GPU
        for (const float outside : {0.0F, 0.7F}) {
          compare_all(dims, shape_of(dims, width, height, depth), radius, outside, Numbers::any, true);
        }
      }
    }
  }
}

TEST(GpuOracle, IsTheReference) {
  for (const int dims : {1, 2, 3}) {
    const Shape shape = shape_of(dims, 67, 43, 11);
    const std::vector<float> samples =
        random_numbers(static_cast<std::size_t>(shape.elements()), Numbers::any, 7);
    const Image image = to_device(view_of(samples.data(), shape), cuda(0));
    for (const int radius : {0, 1, 4, 8, 16}) {
      if (dims == 3 && radius > 8) continue;
      for (const bool separable : {false, true}) {
        const Problem problem = problem_of(dims, shape, radius, 0.7F, separable);
        const Image found = gpu_oracle(problem, image);
        const Image right = correlate(view_of(samples.data(), shape), filter_of(problem),
                                      oracle_options(problem), reference());
        // What the tolerance is in f32, in f64.
        const double allowed = std::ldexp(tolerance(problem), -29);
        for (std::int64_t i = 0; i < shape.elements(); ++i) {
          ASSERT_NEAR(doubles_of(found)[i], doubles_of(right)[i], allowed)
              << dims << "D, radius " << radius << " at " << i;
        }
      }
    }
  }
}

/// Prime sizes of about a million elements.
Shape prime_shape(int dims) {
  if (dims == 1) return shape_of(1, 1'000'003, 1, 1);
  return dims == 2 ? shape_of(2, 997, 1009, 1) : shape_of(3, 101, 97, 103);
}

TEST(GpuRungs, EqualTheOracleOnPrimeSizes) {
  for (const int dims : {1, 2, 3}) {
    for (int radius = 0; radius <= 16; ++radius) {
      for (const float outside : {0.0F, 0.7F})
        compare_all(dims, prime_shape(dims), radius, outside, Numbers::any, false);
    }
  }
}

TEST(GpuRungs, EqualTheOracleAtTheirLimits) {
  for (const int dims : {1, 2, 3}) {
    std::vector<int> limits;
    for (const Rung& rung : rungs(dims)) limits.push_back(rung.most_radius);
    std::sort(limits.begin(), limits.end());
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    for (const int radius : limits) {
      // So many roundings allow much; whole numbers allow none.
      for (const float outside : {0.0F, 3.0F})
        compare_all(dims, prime_shape(dims), radius, outside, Numbers::whole, false);
      compare_all(dims, prime_shape(dims), radius, 0.7F, Numbers::any, false);
    }
  }
}

TEST(GpuRungs, TakeTallAndWideImages) {
  // More rows than 65,535 blocks of the tallest tile, more columns than a texture window.
  for (const Shape& shape : {shape_of(2, 3, 4'300'001, 1), shape_of(2, 4'300'001, 3, 1)}) {
    compare_all(2, shape, 2, 0.7F, Numbers::any, false);
  }
  for (const Shape& shape :
       {shape_of(3, 2, 3, 600'011), shape_of(3, 3, 600'011, 2), shape_of(3, 600'011, 2, 3)}) {
    compare_all(3, shape, 2, 0.7F, Numbers::any, false);
  }
}

TEST(GpuRungs, NotANumberReachesTheFiltersBoxAndNoFurther) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const int dims : {1, 2, 3}) {
    const Shape shape = shape_of(dims, 83, 79, 37);
    const std::int64_t at[] = {40, 37, 15};  // x, y, z
    std::vector<float> samples = random_numbers(static_cast<std::size_t>(shape.elements()), Numbers::any, 7);
    const std::int64_t y = dims >= 2 ? at[1] : 0, z = dims >= 3 ? at[2] : 0;
    samples[static_cast<std::size_t>((z * shape.height + y) * shape.width + at[0])] = nan;
    const Image image = to_device(view_of(samples.data(), shape), cuda(0));
    for (const int radius : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16}) {
      for (const Rung& rung : rungs(dims)) {
        if (!takes(rung, radius)) continue;
        const Problem problem = problem_of(dims, shape, radius, 0.7F, rung.needs_factors);
        const std::vector<float> found = output_of(rung, problem, image);
        for (std::size_t i = 0; i < found.size(); ++i) {
          const auto position = static_cast<std::int64_t>(i);
          const bool near = std::abs(position % shape.width - at[0]) <= radius &&
                            std::abs(position / shape.width % shape.height - y) <= radius &&
                            std::abs(position / (shape.width * shape.height) - z) <= radius;
          ASSERT_EQ(std::isnan(found[i]), near) << described(rung, problem) << " at " << i;
        }
      }
    }
  }
}

TEST(GpuRungs, TakeANewFilterAndRunAgain) {
  // Two runs of one rung live at once; each follows an upload of its own, as the rungs with a symbol ask for.
  for (const int dims : {1, 2, 3}) {
    const Shape shape = shape_of(dims, 67, 31, 5);
    const std::vector<float> samples =
        random_numbers(static_cast<std::size_t>(shape.elements()), Numbers::any, 7);
    const Image image = to_device(view_of(samples.data(), shape), cuda(0));
    Image out = allocate(shape, Pixel::f32, cuda(0));
    for (const Rung& rung : rungs(dims)) {
      if (rung.place != Rung::Place::gpu) continue;
      Problem problems[] = {problem_of(dims, shape, 1, 0.7F, rung.needs_factors),
                            problem_of(dims, shape, 3, 0, rung.needs_factors)};
      const std::unique_ptr<GpuRun> runs[] = {rung.gpu(problems[0]), rung.gpu(problems[1])};
      for (const std::size_t which : {0U, 1U, 0U}) {
        runs[which]->upload_filter({});
        runs[which]->run(begin_of(image.view()), begin_of(out.view()), {});
        std::vector<float> found(samples.size());
        copy(out, view_of(found.data(), shape), Stream{});
        synchronise(cuda(0));
        const Image right = correlate(view_of(samples.data(), shape), filter_of(problems[which]),
                                      oracle_options(problems[which]), reference());
        compare(found, doubles_of(right), tolerance(problems[which]), described(rung, problems[which]));
      }
    }
  }
}

TEST(GpuRungs, TellTheirLaunches) {
  for (const int dims : {1, 2, 3}) {
    for (const Rung& rung : rungs(dims)) {
      if (rung.place != Rung::Place::gpu) continue;
      const Problem problem = problem_of(dims, shape_of(dims, 64, 64, 64), 1, 0, rung.needs_factors);
      const auto launches = rung.gpu(problem)->launches();
      EXPECT_EQ(launches.size(), rung.name == "library" ? 0U : rung.needs_factors ? 2U : 1U) << rung.name;
      for (const KernelLaunch& launch : launches) {
        EXPECT_NE(launch.kernel, nullptr) << rung.name;
        EXPECT_GT(launch.threads_per_block, 0) << rung.name;
      }
    }
  }
}

TEST(GpuRungs, LeaveTheDeviceUsableWhereItsMemoryIsShort) {
  const Shape shape = shape_of(2, 67, 31, 1);
  const std::vector<float> samples =
      random_numbers(static_cast<std::size_t>(shape.elements()), Numbers::any, 7);
  const Image image = to_device(view_of(samples.data(), shape), cuda(0));
  for (const Rung& rung : rungs(2)) {
    if (!rung.needs_factors) continue;  // those with an image of their own between their passes
    const Problem huge = problem_of(2, shape_of(2, 400'000'000, 400'000'000, 1), 1, 0.7F, true);
    check(rung, huge);
    try {
      (void)rung.gpu(huge);
      ADD_FAILURE() << rung.name << " got 640 PB";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
    }
    const Problem problem = problem_of(2, shape, 1, 0.7F, true);
    compare(output_of(rung, problem, image), doubles_of(gpu_oracle(problem, image)), tolerance(problem),
            described(rung, problem));
  }
}

TEST(GpuRungs, EqualTheOracleOnSixtySevenMillionElements) {
  if (!large_cases()) GTEST_SKIP() << large_skipped;
  for (const int dims : {1, 2, 3}) {
    const Shape shape = dims == 1 ? shape_of(1, 67'108'864, 1, 1)
                                  : shape_of(dims, dims == 2 ? 8192 : 512, dims == 2 ? 8192 : 512, 256);
    for (const int radius : {1, 8}) {
      for (const float outside : {0.0F, 0.7F}) compare_all(dims, shape, radius, outside, Numbers::any, false);
    }
  }
}

TEST(GpuRungs, CountBeyondThirtyOneBits) {
  if (!large_cases()) GTEST_SKIP() << large_skipped;
  // The image repeats a few units (elements, rows, slices) along its outermost axis. Its end must be that of
  // a short image.
  for (const int dims : {1, 2, 3}) {
    const std::int64_t inner[] = {1, 65'537, 1'666'681};
    const std::int64_t outer[] = {2'147'500'003, 32'771, 1291};
    const auto of_extent = [&](std::int64_t outermost) {
      if (dims == 1) return shape_of(1, outermost, 1, 1);
      return dims == 2 ? shape_of(2, 65'537, outermost, 1) : shape_of(3, 1291, 1291, outermost);
    };
    const std::int64_t unit = inner[dims - 1], extent = outer[dims - 1];
    const int radius = 2;
    const std::int64_t period = std::max<std::int64_t>(7, (1 << 24) / unit), tail = dims == 3 ? 2 : 64;
    const std::vector<float> repeated =
        random_numbers(static_cast<std::size_t>(period * unit), Numbers::any, 7);
    Image in, out;
    try {
      in = allocate(line(extent * unit), Pixel::f32, cuda(0));
      out = allocate(line(extent * unit), Pixel::f32, cuda(0));
    } catch (const Error& error) {
      GTEST_SKIP() << "two images of 8.6 GB do not fit this device: " << error.what();
    }
    for (std::int64_t first = 0; first < extent; first += period) {
      const std::int64_t elements = std::min(period, extent - first) * unit;
      copy(view_of(repeated.data(), line(elements)), in.view().crop({.x = first * unit, .width = elements}),
           Stream{});
    }
    std::vector<float> end;
    for (std::int64_t i = extent - tail - radius; i < extent; ++i) {
      const auto from = repeated.begin() + i % period * unit;
      end.insert(end.end(), from, from + unit);
    }
    for (const Rung& rung : rungs(dims)) {
      if (!takes(rung, radius)) continue;
      const Problem problem = problem_of(dims, of_extent(extent), radius, 0.7F, rung.needs_factors);
      const Image right =
          gpu_oracle(problem, to_device(view_of(end.data(), of_extent(tail + radius)), cuda(0)));
      std::vector<float> found(static_cast<std::size_t>(tail * unit), poison());
      const View at_end = out.view().crop({.x = (extent - tail) * unit, .width = tail * unit});
      copy(view_of(found.data(), line(tail * unit)), at_end, Stream{});
      try {
        check(rung, problem);
        const auto run = rung.gpu(problem);
        run->upload_filter({});
        run->run(begin_of(in.view()), begin_of(out.view()), {});
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::out_of_memory) << described(rung, problem) << ": " << error.what();
        std::cout << "left out, " << described(rung, problem) << ": " << error.what() << "\n";
        continue;
      }
      copy(at_end, view_of(found.data(), line(tail * unit)), Stream{});
      synchronise(cuda(0));
      compare(found, doubles_of(right) + radius * unit, tolerance(problem), described(rung, problem));
    }
  }
}

}  // namespace
}  // namespace halation::ladder
