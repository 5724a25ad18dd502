// device_timer.cpp: runs work on the CPU, and times it.
#include "bench/device_timer.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace halation::bench {
namespace {

void copy_through_caches(const std::byte* from, std::byte* to, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

class CpuTimer final : public DeviceTimer {
 public:
  Device device() const override { return cpu(); }

  void once(const Work& work) override { work({}); }

  Spread time(const ladder::Repeats& repeats, const Work& work) override {
    return spread_of(ladder::batch_times(repeats, [&](int runs) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < runs; ++i) work({});
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }));
  }

  std::vector<Work> copies(ConstView from, View to, int threads) override {
    std::vector<Work> ways;
    for (const auto part : {copy_through_caches, copy_past_caches}) {
      ways.emplace_back([from, to, threads, part](Stream) {
        const std::size_t bytes = packed_bytes(from);
        const auto begin = [&](int i) {
          return bytes * static_cast<std::size_t>(i) / static_cast<std::size_t>(threads);
        };
        tbb::parallel_for(0, threads, [&](int i) {
          part(from.data + begin(i), to.data + begin(i), begin(i + 1) - begin(i));
        });
      });
    }
    return ways;
  }

  void poison(View image) override { std::memset(image.data, 0xff, packed_bytes(image)); }
};

}  // namespace

Spread spread_of(std::vector<double> times_s) {
  std::sort(times_s.begin(), times_s.end());
  const auto quantile = [&](double share) {
    const double at = share * static_cast<double>(times_s.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, times_s.size() - 1);
    return times_s[below] + (at - static_cast<double>(below)) * (times_s[above] - times_s[below]);
  };
  return {quantile(0.5), quantile(0.25), quantile(0.75), static_cast<int>(times_s.size())};
}

std::unique_ptr<DeviceTimer> cpu_timer() { return std::make_unique<CpuTimer>(); }

std::size_t packed_bytes(ConstView image) {
  return static_cast<std::size_t>(image.shape.elements()) * bytes_of(image.pixel);
}

void copy_past_caches(const std::byte* from, std::byte* to, std::size_t bytes) {
#ifdef __SSE2__
  constexpr std::size_t word = sizeof(__m128i);
  const std::size_t before = std::min(bytes, (word - reinterpret_cast<std::uintptr_t>(to) % word) % word);
  std::memcpy(to, from, before);
  std::size_t at = before;
  for (; at + word <= bytes; at += word)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace halation::bench
