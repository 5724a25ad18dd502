// int8_cases.h: jobs, weights and images for the tests of filters over 8 bits in integers on the CPU.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/job.h"
#include "cpu/families.h"
#include "halation/halation.h"
#include "numbers.h"
#include "plan/backends.h"
#include "plan/check.h"
#include "plan/choose.h"

namespace halation {

inline Job job_of(Pixel out = Pixel::u8, Border border = Border::reflect101()) {
  Job job;
  job.in_pixel = Pixel::u8;
  job.out_pixel = out;
  for (BorderTable& table : job.borders) table = BorderTable(0, 9, 9, border);
  return job;
}

/// Weights whose magnitudes sum to 1, all of one sign or not.
inline std::vector<double> random_weights(std::size_t count, bool positive, Numbers& numbers) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < count; ++i) weights.push_back(numbers.next() - (positive ? 0 : 0.5));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0, [](double a, double w) { return a + std::fabs(w); });
  for (double& w : weights) w /= sum;
  return weights;
}

inline Taps dense(std::int64_t height, std::int64_t width, std::vector<double> weights) {
  return {.size = {1, height, width}, .form = Form::dense, .weights = std::move(weights), .factors = {}};
}

inline Taps product(const std::vector<double>& y, const std::vector<double>& x, Form form = Form::factors) {
  return {.size = {1, static_cast<std::int64_t>(y.size()), static_cast<std::int64_t>(x.size())},
          .form = form,
          .weights = {},
          .factors = std::array<std::vector<double>, 3>{std::vector<double>{1.0}, y, x}};
}

inline Image random_image(const Shape& shape, Layout layout = Layout::interleaved) {
  Image image(shape, Pixel::u8, layout);
  Numbers numbers(5);
  auto* to = reinterpret_cast<std::uint8_t*>(image.view().data);
  for (std::int64_t i = 0; i < shape.elements(); ++i) to[i] = static_cast<std::uint8_t>(numbers.below(256));
  return image;
}

/// Every pixel right to the bit by one thread and by two: of what a plan takes, which hangs on what this machine's rates expect, and of the
/// family for integers, which is to say that it takes these sums.
inline void expect_exact(const Image& image, const Filter& filter, Options options, const std::string& sums) {
  Options plain = options;
  plain.method = Method::automatic;
  const Image expected = convolve(image, filter, plain, reference());
  const auto bytes = static_cast<std::size_t>(expected.shape().elements()) * bytes_of(expected.pixel());
  for (const int threads : {1, 2}) {
    options.threads = threads;
    const auto expect_same_bits = [&](const std::byte* found, const char* by) {
      EXPECT_EQ(std::memcmp(expected.view().data, found, bytes), 0)
          << to_string(image.shape()) << ", " << filter.name() << ", " << threads << " threads, by " << by;
    };
    expect_same_bits(convolve(image, filter, options, cpu()).view().data, "a plan");
    const PlanSpec spec{.shape = image.shape(), .pixel = Pixel::u8, .filters = {filter}, .options = options};
    const Choice choice = choose(check(spec), options, backend_for(cpu()), cpu());
    ASSERT_EQ(cpu_backend::int8.refuses({*choice.job, choice.job->filters}), nullptr);
    const auto runner = cpu_backend::int8.make(choice.job, threads);
    EXPECT_THAT(runner->explain(), testing::HasSubstr(sums));
    Image found({.width = static_cast<std::int64_t>(bytes)}, Pixel::u8);
    Image workspace({.width = static_cast<std::int64_t>(runner->workspace_bytes()) + 1}, Pixel::u8);
    const View out{found.view().data, expected.shape(), expected.view().strides, expected.pixel(), {}};
    runner->run(image, {&out, 1}, {workspace.view().data, runner->workspace_bytes()}, {});
    expect_same_bits(found.view().data, "the family");
  }
}

}  // namespace halation
