// tuning.cpp: a row of figures an architecture, and from it the rates of each device.
#include "cuda/tuning.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>

#include "cuda/device.h"
#include "cuda/runtime.h"

namespace halation::cuda_backend {
namespace {

/// One architecture, and those after it up to the next row. Shares are what kernels reach of what clocks, bus
/// and multiprocessors give: of bandwidth as a device copy has it, of multiply-adds.
struct Tuning {
  int capability;           ///< 10 · major + minor
  int multiply_adds_clock;  ///< of f32, a clock and multiprocessor (CUDA C++ Programming Guide)
  double memory_share;
  double arithmetic_share;
  double start_seconds;  ///< of a launch, until its blocks run
};

// 9.0 as measured on an H200 (docs/performance.md): copies of 4.2 of 4.9 TB/s, a 512×512 image in 4.5 us, and
// with the costs of cuda.cpp all methods within a factor of 1.8. The others have its shares, measured on none
// of them.
constexpr Tuning tunings[] = {
    {75, 64, 0.85, 0.9, 4e-6},   // Turing
    {80, 64, 0.85, 0.9, 4e-6},   // Ampere
    {86, 128, 0.85, 0.9, 4e-6},  // Ampere of consumers, Ada
    {90, 128, 0.85, 0.9, 4e-6},  // Hopper, and what comes after it
};

const Tuning& tuning_for(int capability) {
  const auto after = std::find_if(std::next(std::begin(tunings)), std::end(tunings),
                                  [&](const Tuning& row) { return row.capability > capability; });
  return *std::prev(after);
}

int attribute(cudaDeviceAttr name, Device device) {
  int value = 0;
  HALATION_CUDA_CHECK(cudaDeviceGetAttribute(&value, name, device.index));
  return value;
}

/// Drivers answer 0 to what they do not know, as of GPUs that share the host's memory.
double known_or(double value, double otherwise) { return value > 0 ? value : otherwise; }

struct BothRates {
  Rates f32, f64;
};

BothRates asked(Device device) {
  const Tuning& tuning = tuning_for(10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
                                    attribute(cudaDevAttrComputeCapabilityMinor, device));
  const double memory_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate, device);
  const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, device) / 8.0;
  const double hz = 1e3 * known_or(attribute(cudaDevAttrClockRate, device), 1.5e6);
  const double multiply_adds =
      hz * attribute(cudaDevAttrMultiProcessorCount, device) * tuning.multiply_adds_clock;
  Rates rates;
  rates.bytes_per_second =
      tuning.memory_share * known_or(2 * memory_hz * bus_bytes, 300e9);  // two transfers a clock
  rates.multiply_adds_per_second = tuning.arithmetic_share * multiply_adds;
  rates.start_seconds = tuning.start_seconds;
  BothRates both{rates, rates};
  both.f64.multiply_adds_per_second /=
      known_or(attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device), 1);
  return both;
}

}  // namespace

Rates rates_of(Device device, bool sum_f64) {
  const UseDevice use(device);  // throws where there is none
  struct Entry {
    std::once_flag once;
    BothRates rates;
  };
  static std::deque<Entry> entries(static_cast<std::size_t>(device_count()));
  Entry& entry = entries.at(static_cast<std::size_t>(device.index));
  std::call_once(entry.once, [&] { entry.rates = asked(device); });
  return sum_f64 ? entry.rates.f64 : entry.rates.f32;
}

}  // namespace halation::cuda_backend
