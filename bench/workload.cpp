// workload.cpp: what a job of the matrix becomes: filter, plan, random pixels.
#include "bench/workload.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>

#include "halation/filters.h"

namespace halation::bench {
namespace {

constexpr unsigned seed = 1;  // one, so that runs can be compared

// Random bytes are made once for a block and repeated, for a gigabyte of them would take seconds. It is
// larger than the caches of GPUs, and its length shares no factor with the powers of two that rows are long.
constexpr std::size_t block_elements = (std::size_t{1} << 24) + 43;

/// In (0.5, 1.5): positive, so that nothing cancels.
std::vector<double> random_weights(std::size_t count) {
  std::mt19937 generator(seed);
  std::vector<double> weights(count);
  for (double& weight : weights) weight = 0.5 + (generator() >> 8) * 0x1p-24;
  return weights;
}

/// Divided by their sum.
std::vector<double> normalised(std::vector<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Whole numbers from -2 to 2, the middle one making the sum 1.
std::vector<double> integer_weights(std::size_t count) {
  std::mt19937 generator(seed);
  std::vector<double> weights(count);
  for (double& weight : weights) weight = static_cast<double>(generator() % 5) - 2;
  weights[count / 2] += 1 - std::accumulate(weights.begin(), weights.end(), 0.0);
  return weights;
}

/// The latter half is the former's mirror image.
std::vector<double> symmetric(std::vector<double> weights) {
  std::copy(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(weights.size() / 2),
            weights.rbegin());
  return weights;
}

std::vector<double> gaussian_factor(int size, double sigma) {
  const double radius = (size - 1) / 2.0;
  std::vector<double> factor;
  factor.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) factor.push_back(std::exp(-0.5 * std::pow((i - radius) / sigma, 2)));
  return normalised(std::move(factor));
}

Filter product_of(const std::vector<double>& factor, int dims) {
  const std::vector<double> none;
  return Filter::separable({.z = dims > 2 ? factor : none, .y = dims > 1 ? factor : none, .x = factor});
}

template <class T>
void fill_block(std::vector<T>& block) {
  std::mt19937 generator(seed);
  for (T& element : block) {
    const std::uint32_t bits = generator();
    if constexpr (std::is_integral_v<T>) {
      element = static_cast<T>(bits);
    } else {
      // As many bits as the type holds, for rounding could give 1.
      constexpr int kept = std::is_same_v<T, f16> ? 11 : 24;
      element = static_cast<T>(std::ldexp(static_cast<double>(bits >> (32 - kept)), -kept));
    }
  }
}

template <class T>
Image random_elements(const Shape& shape, Pixel pixel) {
  Image image(shape, pixel);
  const auto count = static_cast<std::size_t>(shape.elements());
  std::vector<T> block(std::min(count, block_elements));
  fill_block(block);
  auto* data = reinterpret_cast<T*>(image.view().data);
  for (std::size_t at = 0; at < count; at += block.size())
    std::memcpy(data + at, block.data(), std::min(block.size(), count - at) * sizeof(T));
  return image;
}

}  // namespace

Filter filter_of(const Job& job) {
  const int dims = job.dims();
  const std::int64_t k = job.size;
  const FilterSize size{dims > 2 ? k : 1, dims > 1 ? k : 1, k};
  const auto taps = static_cast<std::size_t>(size.taps());
  switch (job.filter) {
    case FilterKind::dense:
      return Filter::dense(size, normalised(random_weights(taps)));
    case FilterKind::integer:
      return Filter::dense(size, integer_weights(taps));
    case FilterKind::gaussian:
      return product_of(gaussian_factor(job.size, job.sigma), dims);
    case FilterKind::separable:
      return product_of(normalised(random_weights(static_cast<std::size_t>(k))), dims);
    case FilterKind::symmetric:
      return product_of(normalised(symmetric(random_weights(static_cast<std::size_t>(k)))), dims);
    case FilterKind::box:
      return box({.size = static_cast<double>(k), .dims = dims});
    case FilterKind::sobel:
      return sobel(Axis::x, dims);
  }
  throw std::logic_error("no such filter");
}

std::int64_t reach_of(const Filter& filter) {
  const auto taps = filter.size().space();
  return (*std::max_element(taps.begin(), taps.end()) + 1) / 2;
}

PlanSpec spec_of(const Job& job, Device device, int threads) {
  return {.shape = job.shape,
          .pixel = job.pixel,
          .filters = {filter_of(job)},
          .device = device,
          .options = {.border = job.border, .output = job.output, .accuracy = job.accuracy, .method = job.method, .threads = threads}};
}

Image random_image(const Shape& shape, Pixel pixel) {
  switch (pixel) {
    case Pixel::u8:
      return random_elements<std::uint8_t>(shape, pixel);
    case Pixel::u16:
      return random_elements<std::uint16_t>(shape, pixel);
    case Pixel::i16:
      return random_elements<std::int16_t>(shape, pixel);
    case Pixel::f16:
      return random_elements<f16>(shape, pixel);
    case Pixel::f32:
      return random_elements<float>(shape, pixel);
    case Pixel::f64:
      return random_elements<double>(shape, pixel);
    default:
      throw std::logic_error("not a native pixel");
  }
}

double largest_input(Pixel pixel) { return is_float(pixel) ? 1 : std::max(largest(pixel), -smallest(pixel)); }

}  // namespace halation::bench
