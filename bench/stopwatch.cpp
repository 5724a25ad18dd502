// stopwatch.cpp: runs work on the CPU, and times it.
#include "bench/stopwatch.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace halation::bench {
namespace {

class CpuStopwatch final : public Stopwatch {
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

  Work copy(ConstView from, View to) override {
    return [from, to](Stream) {
      copy_in_parts(from.data, to.data, packed_bytes(from), tbb::this_task_arena::max_concurrency());
    };
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

std::unique_ptr<Stopwatch> cpu_stopwatch() { return std::make_unique<CpuStopwatch>(); }

std::size_t packed_bytes(ConstView image) {
  return static_cast<std::size_t>(image.shape.elements()) * bytes_of(image.pixel);
}

void copy_in_parts(const std::byte* from, std::byte* to, std::size_t bytes, int threads) {
  const auto parts = static_cast<std::size_t>(threads);
  tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
    const std::size_t begin = bytes * part / parts;
    std::memcpy(to + begin, from + begin, bytes * (part + 1) / parts - begin);
  });
}

}  // namespace halation::bench
