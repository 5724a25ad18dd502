// cpu.cpp: the CPU backend as the table of backends sees it.
#include "cpu/cpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/threads.h"
#include "cpu/families.h"
#include "cpu/int8/int8.h"
#include "cpu/packed.h"
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

/// A job by several families: which of them does a run depends on how its images lie.
class ByImages final : public Runner {
 public:
  /// For packed images or not; whose channels are filtered together, then for others.
  using Taken = std::array<std::array<std::size_t, all_packed.size()>, 2>;

  ByImages(std::vector<std::unique_ptr<const Runner>> runners, const Taken& taken) : runners_(std::move(runners)), taken_(taken) {}

  std::size_t workspace_bytes() const override {
    std::size_t most = 0;
    for (const auto& runner : runners_) most = std::max(most, runner->workspace_bytes());
    return most;
  }
  std::string explain() const override {
    std::string text = runners_.front()->explain();
    for (std::size_t i = 1; i < runners_.size(); ++i)
      text += (i == 1 ? "; where images have gaps or channels in planes also: " : "; or: ") + runners_[i]->explain();
    return text;
  }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const std::size_t runner = taken_[has_channels_inside(in, outs) ? 0 : 1][packed_of(in, outs).index()];
    runners_[runner]->run(in, outs, workspace, stream);
  }

 private:
  std::vector<std::unique_ptr<const Runner>> runners_;
  Taken taken_;
};

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
    const double bytes = bytes_moved(job);
    return start_seconds + std::hypot(std::max(alone, shared), bytes > cached_bytes ? bytes / most_bytes_per_second : 0);
  }

  double added_error(const Job& job, const Taps& taps) const override {
    return fixed_point_error(job, taps, taps.method).value_or(0);
  }

  std::string explain_choice(const Job& job, Device) const override { return families().explain({job, job.filters}); }

  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device) const override {
    std::vector<const Family*> taken;
    const auto place_of = [&](const Family* family) {
      const auto place = std::find(taken.begin(), taken.end(), family);
      const auto index = static_cast<std::size_t>(place - taken.begin());
      if (place == taken.end()) taken.push_back(family);
      return index;
    };
    ByImages::Taken index{};
    const auto choose = [&](const Job& as_filtered, std::size_t apart) {
      const Families::Offer packed = families().cheapest({as_filtered, job->filters});
      for (const Packed images : all_packed) {
        const Request request{.job = as_filtered, .filters = job->filters, .packed = images};
        // What is no dearer than for packed images is still the cheapest.
        const bool as_packed = packed.family->seconds(request) == packed.seconds;
        index[apart][images.index()] = place_of(as_packed ? packed.family : families().cheapest(request).family);
      }
      return packed.seconds;
    };
    const int workers = workers_for(*job, choose(*job, 0));
    if (job->in.channels > 1) choose(with_channels_apart(*job), 1);
    if (taken.size() == 1) return taken.front()->make(std::move(job), workers);
    std::vector<std::unique_ptr<const Runner>> runners;
    for (const Family* family : taken) runners.push_back(family->make(job, workers));
    return std::make_unique<ByImages>(std::move(runners), index);
  }
};

}  // namespace

const Backend& backend() {
  static const CpuBackend instance;
  return instance;
}

}  // namespace halation::cpu_backend
