// device_timer_gpu.cpp: runs work on the first GPU, and times it by events.
#include "bench/device_timer.h"
#include "ladder/gpu_clock.h"

namespace halation::bench {
namespace {

class GpuTimer final : public DeviceTimer {
 public:
  Device device() const override { return cuda(0); }

  void once(const Work& work) override {
    work(stream_.stream());
    stream_.wait();
  }

  Spread time(const ladder::Repeats& repeats, const Work& work) override {
    return spread_of(ladder::launch_times(stream_, repeats, [&] { work(stream_.stream()); }));
  }

  std::vector<Work> copies(ConstView from, View to, int) override {
    return {[from, to](Stream stream) {
      HALATION_CUDA_CHECK(cudaMemcpyAsync(to.data, from.data, packed_bytes(from), cudaMemcpyDeviceToDevice,
                                          static_cast<cudaStream_t>(stream.handle)));
    }};
  }

  void poison(View image) override {
    HALATION_CUDA_CHECK(cudaMemsetAsync(image.data, 0xff, packed_bytes(image), stream_.handle()));
    stream_.wait();
  }

 private:
  ladder::OwnStream stream_;
};

}  // namespace

std::unique_ptr<DeviceTimer> gpu_timer() { return std::make_unique<GpuTimer>(); }

}  // namespace halation::bench
