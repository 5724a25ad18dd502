// fuzz_weights.cpp: any text as weights: an Error or a filter, and then the CPU and the reference agree on
// it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "halation/halation.h"

using namespace halation;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// Sums stay finite, so the bound holds and backends must agree within it.
bool sums_are_finite(const std::vector<double>& weights) {
  double magnitudes = 0;
  for (const double w : weights) magnitudes += std::abs(w);
  return std::isfinite(256 * magnitudes);
}

void compare_backends(const Filter& filter) {
  std::array<std::uint8_t, 35> pixels{};
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * i * 37);
  const ConstView image = view_of(pixels.data(), {.height = 5, .width = 7});
  const Options options{.border = Border::wrap(), .output = Pixel::f64};
  const Plan plan({.shape = image.shape, .filters = {filter}, .options = options});
  const double bound = plan.error_bound(255);
  const Image fast = convolve(image, filter, options);
  const Image right = convolve(image, filter, options, reference());
  for (std::int64_t y = 0; y < 5; ++y) {
    for (std::int64_t x = 0; x < 7; ++x) {
      require(std::abs(fast.view().at<double>({.y = y, .x = x}) - right.view().at<double>({.y = y, .x = x})) <= 2 * bound);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Filter filter = parse_weights({reinterpret_cast<const char*>(data), size});
    const std::vector<double> weights = filter.weights();
    require(static_cast<std::int64_t>(weights.size()) == filter.size().taps() && !weights.empty());
    require(std::all_of(weights.begin(), weights.end(), [](double w) { return std::isfinite(w); }));
    if (weights.size() <= 1024 && sums_are_finite(weights)) compare_backends(filter);
  } catch (const Error&) {  // the answer to text that is no filter
  }
  return 0;
}
