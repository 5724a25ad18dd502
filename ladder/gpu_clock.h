// gpu_clock.h: a queue of one's own, points in its order, and the time of what is launched into it.
#pragma once

#include <vector>

#include "cuda/device/runtime.h"
#include "halation/stream.h"
#include "ladder/repeats.h"

namespace halation::ladder {

/// A queue of its own, so that nothing else waits in it.
class OwnStream {
 public:
  OwnStream() { HALATION_CUDA_CHECK(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  ~OwnStream() { (void)cudaStreamDestroy(handle_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  cudaStream_t handle() const { return handle_; }
  Stream stream() const { return {handle_}; }
  void wait() const { HALATION_CUDA_CHECK(cudaStreamSynchronize(handle_)); }

 private:
  cudaStream_t handle_ = nullptr;
};

/// A point in a stream's order that knows when it was passed.
class Event {
 public:
  Event() { HALATION_CUDA_CHECK(cudaEventCreate(&handle_)); }
  ~Event() { (void)cudaEventDestroy(handle_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const OwnStream& stream) { HALATION_CUDA_CHECK(cudaEventRecord(handle_, stream.handle())); }
  /// Both must have been passed.
  double seconds_since(const Event& earlier) const {
    float ms = 0;
    HALATION_CUDA_CHECK(cudaEventElapsedTime(&ms, earlier.handle_, handle_));
    return ms * 1e-3;
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

/// `batch_times` of launches into a stream, by events.
template <class Launch>
std::vector<double> launch_times(const OwnStream& stream, const Repeats& repeats, Launch&& launch) {
  Event before, after;
  return batch_times(repeats, [&](int launches) {
    before.record(stream);
    for (int i = 0; i < launches; ++i) launch();
    after.record(stream);
    stream.wait();
    return after.seconds_since(before);
  });
}

}  // namespace halation::ladder
