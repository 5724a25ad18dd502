// cpu.cpp: the CPU backend as the table of backends sees it.
#include "cpu/cpu.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/threads.h"
#include "cpu/expected.h"
#include "cpu/families.h"
#include "cpu/int8/int8.h"
#include "cpu/parts/kernels.h"
#include "halation/threads.h"

namespace halation::cpu_backend {
namespace {

/// Seconds of one thread below which starting others costs more than it gives.
double worth_threads_seconds() { return 1e-9 * rates().threads_from; }
/// Of all threads together, beyond caches of so many bytes.
constexpr double cached_bytes = 8e6;
constexpr double most_bytes_per_second = 30e9;
/// What each run takes beside that.
constexpr double start_seconds = 1e-6;

int workers_for(const Job& job, double seconds) {
  if (job.threads > 0) return job.threads;
  const int available = available_threads();  // which refuses what the environment says of it, for images of any size
  return seconds < worth_threads_seconds() ? 1 : available;
}

class CpuBackend final : public Backend {
 public:
  Device::Kind kind() const override { return Device::Kind::cpu; }

  std::vector<DeviceInfo> devices() const override {
    const int threads = available_threads();
    return {{cpu(),
             std::string(best_kernels<float>().instruction_set) + ", " + std::to_string(threads) +
                 (threads == 1 ? " thread" : " threads"),
             {}}};
  }

  std::span<const Method> methods() const override {
    static constexpr Method list[] = {Method::direct, Method::separable, Method::box};
    return list;
  }
  double expected_seconds(const Job& job, const Taps& taps, Method method, Device) const override {
    Taps by_method = taps;
    by_method.method = method;
    const double seconds = families().cheapest({job, {&by_method, 1}}).seconds;
    // More work takes longer, also where it is just worth threads: or of two methods the one that is would seem the quicker one.
    const double worth = worth_threads_seconds();
    const double alone = std::min(seconds, worth) + 0.02 * std::max(0.0, seconds - worth);
    const double shared = seconds / std::min(workers_for(job, seconds), arena_threads());
    const double bytes = bytes_of_images(job);
    return start_seconds + std::hypot(std::max(alone, shared), bytes > cached_bytes ? bytes / most_bytes_per_second : 0);
  }

  double added_error(const Job& job, const Taps& taps) const override {
    return fixed_point_error(job, taps, taps.method).value_or(0);
  }

  std::string explain_choice(const Job& job, Device) const override { return families().explain({job, job.filters}); }

  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device) const override {
    const Families::Offer offer = families().cheapest({*job, job->filters});
    const int workers = workers_for(*job, offer.seconds);
    return offer.family->make(std::move(job), workers);
  }
};

}  // namespace

const Backend& backend() {
  static const CpuBackend instance;
  return instance;
}

}  // namespace halation::cpu_backend
