// cuda.cpp: the CUDA backend as the table of backends sees it.
#include "cuda/cuda.h"

#include "cuda/copy.h"
#include "cuda/device.h"
#include "cuda/march.h"
#include "cuda/memory.h"
#include "cuda/passes.h"
#include "cuda/patch.h"
#include "cuda/roll.h"
#include "cuda/rows.h"
#include "cuda/runtime.h"
#include "cuda/tuning.h"

namespace halation::cuda_backend {
namespace {

/// What an output costs, in multiply-adds: those of the taps, and what a pass does however few its taps are.
/// Measured on an H200 (docs/performance.md). One start a filter is counted elsewhere, so that small images
/// choose as large ones do.
double multiply_adds_alike(const Job& job, const Taps& taps, Method method) {
  const auto& k = taps.size;
  if (roll_takes(job, taps, method)) {
    // For 16 bits, patches at 3×3 are faster than factors.
    if (method == Method::direct) return static_cast<double>(k[1] * k[2]);
    return static_cast<double>(k[1] + k[2] + (job.in_pixel == Pixel::u8 ? 2 : 4));
  }
  // Counted: what a lane issues for 20 outputs, up to 600 taps.
  constexpr double window = 16;
  if (windows_take(job, taps, method)) return window;
  // And 8 bytes for an f32 written and read.
  if (windows_take_as_f32(job, taps, method)) return window + 57;
  // Counted, too. At 65 taps an H200 takes a sixth longer.
  if (rows_take(job, taps, method)) return 9 + 1.03 * static_cast<double>(k[2]);
  if (method == Method::direct) {
    const auto all = static_cast<double>(multiply_adds(k, method));
    // Faster than two axes, however they are done; whole weights of u8 are summed by fours, and are as fast as that where few bytes
    // are put out.
    if (patch_takes(job, taps)) return job.in_pixel == Pixel::u8 && job.out_pixel == Pixel::u8 ? all / 3 : all;
    return 25 + 45 * static_cast<double>(k[0]) + all;
  }
  const bool walks = march_takes(job, taps, method) && march_whole(job, taps);
  const double passes = k[0] > 1 && (k[1] > 1 || k[2] > 1) && !walks ? 2 : 1;
  if (method == Method::box) return 74 + 20 * passes;  // less than separable, which is never faster; too little from 64 taps on
  return 74 * passes + 1.3 * static_cast<double>(k[0] + k[1] + k[2]);
}

class CudaBackend final : public Backend, public DeviceMemory {
 public:
  Device::Kind kind() const override { return Device::Kind::cuda; }

  std::vector<DeviceInfo> devices() const override {
    std::vector<DeviceInfo> all;
    all.reserve(static_cast<std::size_t>(device_count()));
    for (int index = 0; index < device_count(); ++index)
      all.push_back({halation::cuda(index), describe(index), {}});
    return all;
  }

  std::span<const Method> methods() const override {
    static constexpr Method list[] = {Method::direct, Method::separable, Method::box};
    return list;
  }

  double expected_seconds(const Job& job, const Taps& taps, Method method, Device device) const override {
    return halation::expected_seconds(job, multiply_adds_alike(job, taps, method),
                                      rates_of(device, job.sum_f64));
  }

  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device device) const override {
    const UseDevice use(device);
    return make_runner(std::move(job), device);
  }

  Memory allocate(std::size_t bytes, Device device, Stream stream, const std::string& what) const override {
    return cuda_backend::allocate(bytes, device, stream, what);
  }
  Memory allocate_pinned(std::size_t bytes, const std::string& what) const override {
    return cuda_backend::allocate_pinned(bytes, what);
  }
  void copy(const ConstView& from, const View& to, Stream stream) const override { cuda_backend::copy(from, to, stream); }

  void synchronise(Device device, Stream stream) const override {
    const UseDevice use(device);
    HALATION_CUDA_CHECK(cudaStreamSynchronize(static_cast<cudaStream_t>(stream.handle)));
  }
};

const CudaBackend& instance() {
  static const CudaBackend backend;
  return backend;
}

}  // namespace

const Backend& backend() { return instance(); }
const DeviceMemory& memory() { return instance(); }

}  // namespace halation::cuda_backend
