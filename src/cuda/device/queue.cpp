// queue.cpp: CUDA streams of the library's own.
#include "cuda/device/queue.h"

#include "cuda/device/device.h"
#include "cuda/device/runtime.h"
#include "halation/error.h"

namespace halation::cuda_backend {
namespace {

class StreamQueue final : public Queue {
 public:
  explicit StreamQueue(Device device) : device_(device) {
    const UseDevice use(device);
    HALATION_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    const cudaError_t status = cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
    if (status == cudaSuccess) return;
    (void)cudaStreamDestroy(stream_);
    fail(status, "cudaEventCreateWithFlags", __FILE__, __LINE__);
  }
  ~StreamQueue() override {
    try {
      const UseDevice use(device_);
      (void)cudaStreamSynchronize(stream_);  // its user's memory goes next
      (void)cudaEventDestroy(event_);
      (void)cudaStreamDestroy(stream_);
    } catch (const Error&) {  // a device that has gone took its streams along
    }
  }
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;

  Stream stream() const override { return {stream_}; }
  void mark() override {
    const UseDevice use(device_);
    HALATION_CUDA_CHECK(cudaEventRecord(event_, stream_));
  }
  void wait_for(const Queue& other) override {
    const UseDevice use(device_);
    HALATION_CUDA_CHECK(cudaStreamWaitEvent(stream_, dynamic_cast<const StreamQueue&>(other).event_, 0));
  }
  bool is_idle() const override {
    const UseDevice use(device_);
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status == cudaErrorNotReady) return false;
    HALATION_CUDA_CHECK(status);
    return true;
  }

 private:
  Device device_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

}  // namespace

std::unique_ptr<Queue> make_queue(Device device) { return std::make_unique<StreamQueue>(device); }

bool is_pinned(const void* data) {
  if (device_count() == 0) return false;
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeHost || attributes.type == cudaMemoryTypeManaged;
}

}  // namespace halation::cuda_backend
