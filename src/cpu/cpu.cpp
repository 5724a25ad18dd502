// cpu.cpp: the CPU backend as the table of backends sees it.
#include "cpu/cpu.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/threads.h"
#include "cpu/families.h"
#include "cpu/int8/int8.h"
#include "cpu/parts/kernels.h"
#include "cpu/rates.h"
#include "halation/threads.h"

namespace halation::cpu_backend {
namespace {

/// Seconds of one thread below which starting others costs more than it gives.
constexpr double worth_threads_seconds = 50e-6;
/// Of all threads together, beyond the caches.
constexpr double most_bytes_per_second = 30e9;
/// What each run takes beside that.
constexpr double start_seconds = 1e-6;

int workers_for(const Job& job, double seconds) {
  if (job.threads > 0) return job.threads;
  const int available = available_threads();  // which refuses what the environment says of it, for images of any size
  return seconds < worth_threads_seconds ? 1 : available;
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
    const double alone = std::min(seconds, worth_threads_seconds) + 0.02 * std::max(0.0, seconds - worth_threads_seconds);
    const double shared = seconds / std::min(workers_for(job, seconds), arena_threads());
    const double bytes = static_cast<double>(job.in.elements()) * static_cast<double>(bytes_of(job.in_pixel)) +
                         static_cast<double>(job.out.elements()) * static_cast<double>(bytes_of(job.out_pixel));
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
