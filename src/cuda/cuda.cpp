// cuda.cpp: the CUDA backend as the table of backends sees it.
#include "cuda/cuda.h"

#include "cuda/copy.h"
#include "cuda/device.h"
#include "cuda/direct.h"
#include "cuda/memory.h"
#include "cuda/patch.h"
#include "cuda/runtime.h"

namespace halation::cuda_backend {
namespace {

class CudaBackend final : public Backend, public DeviceMemory {
 public:
  Device::Kind kind() const override { return Device::Kind::cuda; }

  std::vector<DeviceInfo> devices() const override {
    std::vector<DeviceInfo> all;
    all.reserve(static_cast<std::size_t>(device_count()));
    for (int index = 0; index < device_count(); ++index) all.push_back({halation::cuda(index), describe(index), {"direct"}});
    return all;
  }

  std::span<const Method> methods() const override {
    static constexpr Method list[] = {Method::direct};
    return list;
  }

  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device device) const override {
    const UseDevice use(device);
    std::unique_ptr<const Runner> quick = make_patch(job, device);
    return quick ? std::move(quick) : make_direct(std::move(job), device);
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
