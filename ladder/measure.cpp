// measure.cpp: images, oracle and clock of a measurement, and the timing of CPU rungs.
#include "ladder/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "halation/convolve.h"
#include "halation/error.h"
#include "halation/transfer.h"
#include "ladder/measure_gpu.h"

namespace halation::ladder {
namespace {

constexpr int most_cpu_repeats = 11;

// What the reference, one tap at a time in double, does within a second or two.
constexpr std::int64_t most_reference_outputs = 1 << 20;
constexpr double most_reference_products = 2e9;

const float* samples(ConstView view) { return reinterpret_cast<const float*>(view.data); }

double seconds_of(const Rung& rung, const Problem& problem, HostImages& images) {
  const auto start = std::chrono::steady_clock::now();
  rung.cpu(problem, samples(images.in), reinterpret_cast<float*>(images.out.view().data));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Timings measure_on_cpu(const Rung& rung, const Problem& problem, HostImages& images, double budget_s) {
  std::vector<double> times;
  double spent_s = 0;
  do {
    times.push_back(seconds_of(rung, problem, images));
    spent_s += times.back();
  } while (spent_s + times.back() <= budget_s && times.size() < most_cpu_repeats);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  Timings timings;
  timings.frame.kernel = timings.frame.total = *middle;
  timings.repeats = static_cast<int>(times.size());
  return timings;
}

}  // namespace

Shape shape_of(const Problem& problem) {
  return {.depth = problem.depth, .height = problem.height, .width = problem.width};
}

std::string_view name_of(HostMemory memory) {
  switch (memory) {
    case HostMemory::pageable:
      return "pageable";
    case HostMemory::pinned:
      return "pinned";
  }
  throw std::logic_error("no such host memory");
}

HostImages::HostImages(const Shape& shape, HostMemory kind) : memory(kind) {
  const auto start = std::chrono::steady_clock::now();
  const auto make = [&] {
    return kind == HostMemory::pinned ? allocate_pinned(shape, Pixel::f32) : Image(shape, Pixel::f32);
  };
  in = make();
  out = make();
  allocation_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Phases& Phases::operator+=(const Phases& more) {
  allocation += more.allocation;
  upload += more.upload;
  filter_upload += more.filter_upload;
  kernel += more.kernel;
  download += more.download;
  total += more.total;
  return *this;
}

Timings& Timings::operator+=(const Timings& more) {
  frame += more.frame;
  second_filter += more.second_filter;
  preparation_s += more.preparation_s;
  repeats += more.repeats;
  return *this;
}

void run_once(const Rung& rung, const Problem& problem, HostImages& images) {
  check(rung, problem);
  // All bits set is not a number: an output that the rung leaves out differs from anything.
  std::memset(images.out.view().data, 0xff, static_cast<std::size_t>(problem.elements()) * sizeof(float));
  if (rung.place == Rung::Place::gpu) {
    run_once_on_gpu(rung, problem, images);
  } else {
    (void)seconds_of(rung, problem, images);
  }
}

Timings measure(const Rung& rung, const Problem& problem, HostImages& images, double budget_s) {
  check(rung, problem);
  return rung.place == Rung::Place::gpu ? measure_on_gpu(rung, problem, images, budget_s)
                                        : measure_on_cpu(rung, problem, images, budget_s);
}

double measure_kernel_s(const Rung& rung, const Problem& problem, HostImages& images, double budget_s) {
  check(rung, problem);
  return rung.place == Rung::Place::gpu ? kernel_s_on_gpu(rung, problem, images, budget_s)
                                        : measure_on_cpu(rung, problem, images, budget_s).frame.kernel;
}

Expected::Expected(const Problem& problem, ConstView in, bool gpu_usable)
    : taps_(static_cast<double>(problem.weights.size())) {
  const std::int64_t side = 2 * std::int64_t{problem.radius} + 1;
  const Filter filter = Filter::dense({problem.dims > 2 ? side : 1, problem.dims > 1 ? side : 1, side},
                                      {problem.weights.begin(), problem.weights.end()});
  const Options options{.border = Border::constant(problem.outside), .output = Pixel::f64, .sum = Sum::f64};

  const std::int64_t outputs = problem.elements();
  if (outputs <= most_reference_outputs && static_cast<double>(outputs) * taps_ <= most_reference_products) {
    oracle_ = "reference";
    values_ = correlate(in, filter, options, reference());
  } else {
    const Device device = gpu_usable ? cuda(0) : cpu();
    oracle_ = name_of(device) + ", sums in f64";
    values_ = gpu_usable ? to_device(correlate(to_device(in, device), filter, options), cpu())
                         : correlate(in, filter, options);
  }

  double weight_sum = 0;
  for (const float weight : problem.weights) weight_sum += std::abs(double{weight});
  float largest = std::abs(problem.outside);
  const float* values = samples(in);
  for (std::int64_t i = 0; i < outputs; ++i) largest = std::max(largest, std::abs(values[i]));
  scale_ = weight_sum * largest;
}

double Expected::tolerance(const Rung& rung) const {
  return std::ldexp((taps_ + 3 + (rung.needs_factors ? 3 : 0)) * scale_, -23);
}

Expected::Difference Expected::difference(const Rung& rung, ConstView out) const {
  const double allowed = tolerance(rung);
  const auto* right = reinterpret_cast<const double*>(values_.view().data);
  const float* got = samples(out);
  Difference difference;
  for (std::int64_t i = 0; i < out.shape.elements(); ++i) {
    const double error = std::abs(got[i] - right[i]);
    if (!(error <= allowed)) ++difference.wrong_outputs;
    // The negated test is true of what is not a number as well.
    if (!(error <= difference.largest))
      difference.largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  return difference;
}

}  // namespace halation::ladder
