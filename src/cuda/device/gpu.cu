// gpu.cu: what the driver says of each device, and what launches on it should take.
#include "cuda/device/gpu.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <utility>

#include "cuda/device/device.h"
#include "cuda/device/runtime.h"

namespace halation::cuda_backend {
namespace {

/// Multiply-adds of f32 that a multiprocessor does in a clock (CUDA C++ Programming Guide).
int multiply_adds_a_clock(int capability) { return capability == 75 || capability == 80 ? 64 : 128; }

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
  const double memory_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate, device);
  const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, device) / 8.0;
  const double hz = 1e3 * known_or(attribute(cudaDevAttrClockRate, device), 1.5e6);
  Gpu gpu;
  gpu.device = device;
  gpu.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
  gpu.shared_limit = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  gpu.code = newest_code(capability);
  gpu.cache_bytes = known_or(attribute(cudaDevAttrL2CacheSize, device), 4e6);
  const Figures& figures = shipped_figures();
  gpu.figures = &figures;
  const double f32_gma = 1e-9 * hz * multiply_adds_a_clock(capability);
  gpu.slower_f32 = figures.f32_gma / f32_gma;
  gpu.slower_f64 =
      figures.f64_gma / f32_gma * known_or(attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device), 2);
  gpu.slower_memory =
      1e12 * figures.memory_tb_s / known_or(2 * memory_hz * bus_bytes, 300e9);  // two transfers a clock
  return gpu;
}

}  // namespace

Gpu::Rounds Gpu::rounds_of(std::int64_t blocks, int together) const {
  constexpr double many = 4;  // rounds, of which places begin the last at different times
  const std::int64_t places = std::int64_t{multiprocessors} * together;
  const double all = static_cast<double>(blocks) / static_cast<double>(places);
  if (all > many) return {all, static_cast<double>(blocks) / multiprocessors};
  const std::int64_t full = blocks / places;
  const std::int64_t rest = blocks - full * places;
  return {std::ceil(all),
          static_cast<double>(full * together + (rest + multiprocessors - 1) / multiprocessors)};
}

double Gpu::seconds(const LaunchShape& shape, const KernelFigures& kernel) const {
  double times = slower_f32;
  shape.traits.for_each([&](std::size_t trait) { times *= kernel.times[trait]; });
  const auto launches = static_cast<double>(shape.launches);
  const Rounds rounds = rounds_of(shape.blocks, shape.together);
  const double walked_us = launches * rounds.in_a_place * times *
                           (kernel.block_us + shape.steps * kernel.step_us + shape.chain * kernel.chain_us);
  const double busy_us = launches * rounds.in_all * times * (shape.sum_f64 ? slower_f64 / slower_f32 : 1) *
                         (shape.outputs * kernel.output_us + shape.steps * kernel.steps_us +
                          shape.staged * kernel.staged_us + shape.mads * kernel.mad_us);
  const double beyond = figures->beyond_caches(shape.bytes / cache_bytes);
  const double moved_us =
      1e-6 * shape.bytes * (beyond / kernel.memory_tb_s + (1 - beyond) / kernel.cached_tb_s) * slower_memory;
  const auto cube = [](double us) { return us * us * us; };
  return 1e-6 * ((launches + shape.starts) * slower_f32 * kernel.start_us +
                 std::cbrt(cube(walked_us) + cube(busy_us) + cube(moved_us)));
}

namespace {

struct Entry {
  std::once_flag once;
  Gpu gpu;
  Figures own;  ///< where other figures than the shipped ones are used
};

Entry& entry_of(Device device) {
  const UseDevice use(device);  // throws where there is none
  static std::deque<Entry> entries(static_cast<std::size_t>(device_count()));
  Entry& entry = entries.at(static_cast<std::size_t>(device.index));
  std::call_once(entry.once, [&] { entry.gpu = asked(device); });
  return entry;
}

}  // namespace

const Gpu& gpu_of(Device device) { return entry_of(device).gpu; }

void use_figures(Device device, Figures figures) {
  Entry& entry = entry_of(device);
  entry.own = std::move(figures);
  entry.gpu.figures = &entry.own;
}

}  // namespace halation::cuda_backend
