// gpu.cu: a row of figures an architecture, and from it what each device should do.
#include "cuda/device/gpu.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <mutex>

#include "cuda/device/device.h"
#include "cuda/device/runtime.h"

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

// 9.0 as measured on an H200 (docs/notebook/device.md): copies of 4.2 of 4.9 TB/s, a 512×512 image in 4.5 us, and
// with the costs of families all methods within a factor of 1.8. The others have its shares, measured on none
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

/// The newest of the architectures that this file, as all others, is compiled for, and that the device has.
int newest_code(int capability) {
  int newest = 0;
  for (const int code : {__CUDA_ARCH_LIST__}) {
    if (code / 10 <= capability) newest = std::max(newest, code / 10);
  }
  return newest;
}

Gpu asked(Device device) {
  const int capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
                         attribute(cudaDevAttrComputeCapabilityMinor, device);
  const Tuning& tuning = tuning_for(capability);
  const double memory_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate, device);
  const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, device) / 8.0;
  const double hz = 1e3 * known_or(attribute(cudaDevAttrClockRate, device), 1.5e6);
  Gpu gpu;
  gpu.device = device;
  gpu.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
  gpu.shared_limit = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  gpu.code = newest_code(capability);
  gpu.f32.bytes_per_second =
      tuning.memory_share * known_or(2 * memory_hz * bus_bytes, 300e9);  // two transfers a clock
  gpu.f32.multiply_adds_per_second =
      tuning.arithmetic_share * hz * gpu.multiprocessors * tuning.multiply_adds_clock;
  gpu.f32.start_seconds = tuning.start_seconds;
  gpu.f64 = gpu.f32;
  gpu.f64.multiply_adds_per_second /=
      known_or(attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device), 1);
  return gpu;
}

}  // namespace

const Gpu& gpu_of(Device device) {
  const UseDevice use(device);  // throws where there is none
  struct Entry {
    std::once_flag once;
    Gpu gpu;
  };
  static std::deque<Entry> entries(static_cast<std::size_t>(device_count()));
  Entry& entry = entries.at(static_cast<std::size_t>(device.index));
  std::call_once(entry.once, [&] { entry.gpu = asked(device); });
  return entry.gpu;
}

}  // namespace halation::cuda_backend
