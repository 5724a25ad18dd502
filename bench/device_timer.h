// device_timer.h: runs work on one device, and times it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "halation/device.h"
#include "halation/image.h"
#include "halation/stream.h"
#include "ladder/repeats.h"

namespace halation::bench {

/// Median and quartiles of repeated times, in seconds.
struct Spread {
  double median_s = 0, low_s = 0, high_s = 0;
  int repeats = 0;
};
Spread spread_of(std::vector<double> times_s);

/// Work queued on the stream, or done when it returns where there is none.
using Work = std::function<void(Stream)>;

/// One device.
class DeviceTimer {
 public:
  virtual ~DeviceTimer() = default;
  virtual Device device() const = 0;
  /// Does it and waits for it.
  virtual void once(const Work& work) = 0;
  /// Warm: batches that last 2 ms at least, on a GPU by events.
  virtual Spread time(const ladder::Repeats& repeats, const Work& work) = 0;
  /// Ways to copy within the device, of which the fastest is all that it can read and write; on the CPU by so
  /// many threads.
  virtual std::vector<Work> copies(ConstView from, View to, int threads) = 0;
  /// Sets all bits of a packed image, which is not a number.
  virtual void poison(View image) = 0;
};

std::unique_ptr<DeviceTimer> cpu_timer();
/// Of the first GPU. Throws `Error{device}` in a build without CUDA.
std::unique_ptr<DeviceTimer> gpu_timer();

/// Of an image without gaps.
std::size_t packed_bytes(ConstView image);

/// Copies bytes by stores that leave the caches alone, where the processor has such: faster than `memcpy` for
/// what is far larger than the caches.
void copy_past_caches(const std::byte* from, std::byte* to, std::size_t bytes);

}  // namespace halation::bench
