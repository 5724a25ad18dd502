// stopwatch_gpu.cpp: runs work on the first GPU, and times it by events.
#include "bench/stopwatch.h"
#include "ladder/gpu_clock.h"

namespace halation::bench {
namespace {

class GpuStopwatch final : public Stopwatch {
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

std::unique_ptr<Stopwatch> gpu_stopwatch() { return std::make_unique<GpuStopwatch>(); }

}  // namespace halation::bench
