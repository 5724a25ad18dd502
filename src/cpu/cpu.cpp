// cpu.cpp: the CPU backend as the table of backends sees it.
#include "cpu/cpu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/channels_apart.h"
#include "core/threads.h"
#include "cpu/by_images.h"
#include "cpu/families.h"
#include "cpu/fft/fft.h"
#include "cpu/int8/int8.h"
#include "cpu/measured_rates.h"
#include "cpu/packed.h"
#include "cpu/parts/kernels.h"
#include "cpu/target.h"
#include "halation/threads.h"

namespace halation::cpu_backend {
namespace {

/// Seconds of one thread below which starting others costs more than it gives.
double worth_threads_seconds(const Rates& rates) { return 1e-9 * rates.threads_from; }

int workers_for(const Job& job, double seconds, const Rates& rates) {
  if (job.threads > 0) return job.threads;
  const int available = available_threads();  // which refuses what the environment says of it, for images of any size
  return seconds < worth_threads_seconds(rates) ? 1 : available;
}

/// What a job takes for which one thread takes so many seconds.
double by_threads(const Job& job, double seconds, const Rates& rates) {
  // More work takes longer, also where it is just worth threads: or of two methods the one that is would seem
  // the quicker one.
  const double worth = worth_threads_seconds(rates);
  const double alone = std::min(seconds, worth) + 0.02 * std::max(0.0, seconds - worth);
  const double shared = seconds / std::min(workers_for(job, seconds, rates), arena_threads());
  const double bytes = bytes_moved(job);
  const double moved = bytes > rates.all_cached_bytes ? 1e-9 * rates.all_memory_byte * bytes : 0;
  return 1e-9 * rates.run + std::hypot(std::max(alone, shared), moved);
}

class CpuBackend final : public Backend {
 public:
  CpuBackend() { use_target(std::getenv("HALATION_TARGET")); }

  Device::Kind kind() const override { return Device::Kind::cpu; }

  std::vector<DeviceInfo> devices() const override {
    const int threads = available_threads();
    const std::string missing = target_not_built();
    return {{cpu(),
             std::string(best_kernels<float>().instruction_set) + ", " + std::to_string(threads) +
                 (threads == 1 ? " thread" : " threads") +
                 (missing.empty() ? "" : "; this build lacks kernels of this machine's " + missing + " (HALATION_INSTRUCTION_SETS=all has them)"),
             {}}};
  }

  std::span<const Form> forms() const override {
    static constexpr Form list[] = {Form::dense, Form::factors,  Form::terms,
                                    Form::box,   Form::spectrum, Form::lower_rate};
    return list;
  }
  std::vector<Offer> offers(const Job& job, std::span<const Taps> filters, Device) const override {
    std::vector<Offer> all = families().offers({job, filters}, job.family);
    for (Offer& offer : all) offer.seconds = by_threads(job, offer.seconds, rates());
    return all;
  }

  double added_error(const Job& job, const Taps& taps) const override {
    return is_by_taps(taps) ? fixed_point_error(job, taps).value_or(0) : 0;
  }

  TransformFacts transform_facts(const Job& job, const Taps&, Device) const override { return facts_of_transforms(job); }

  std::string figures_of(std::span<const TimedOffer> offers, Device) const override {
    return rates_from_times(offers, by_threads);
  }
  std::string figures_machine(Device) const override {
    return are_measured_here() ? "this machine" : std::string(rates().name) + " CPUs";
  }
  void use_figures(std::string_view text, Device) const override { use_rates(with(rates(), text)); }

  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job> job, Device) const override {
    const Families::Choice best = families().cheapest({*job, job->filters}, job->family);
    const int workers = workers_for(*job, best.seconds, rates());
    std::vector<ByImages::Way> ways;
    std::vector<std::pair<const Family*, std::size_t>> places{{best.family, 0}};  // in `ways`
    ways.push_back({best.family->name, best.family->make(job, workers)});
    // Another family is not worth scratch that is taken from the system for each run.
    constexpr std::size_t most_scratch = std::size_t{64} << 20;
    const std::size_t most = std::max(most_scratch, ways.front().runner->workspace_bytes());
    const auto way_by = [&](const Family* family) -> std::size_t {
      for (const auto& [known, place] : places) {
        if (known == family) return place;
      }
      std::size_t place = 0;
      if (family->refuses({*job, job->filters}) == nullptr) {  // which takes channels one by one, but not together
        ByImages::Way way{family->name, family->make(job, workers)};
        if (way.runner->workspace_bytes() <= most) {
          place = ways.size();
          ways.push_back(std::move(way));
        }
      }
      places.emplace_back(family, place);
      return place;
    };
    ByImages::Taken index{};
    const auto take = [&](const Job& as_filtered, const Families::Choice& packed,
                          ByImages::Taken::value_type& row) {
      row[0] = way_by(packed.family);
      for (std::size_t i = 1; i < all_packed.size(); ++i) {
        const Request request{.job = as_filtered, .filters = job->filters, .packed = all_packed[i]};
        // What is no dearer than for packed images is still the cheapest.
        const bool is_cheapest = packed.family->seconds(request) == packed.seconds;
        row[i] = is_cheapest ? row[0] : way_by(families().cheapest(request, job->family).family);
      }
    };
    take(*job, best, index[0]);
    if (job->in.channels > 1) {
      const Job apart = with_channels_apart(*job);
      take(apart, families().cheapest({apart, job->filters}, job->family), index[1]);
    }
    if (ways.size() == 1) return std::move(ways.front().runner);
    return std::make_unique<ByImages>(std::move(ways), index);
  }
};

}  // namespace

const Backend& backend() {
  static const CpuBackend instance;
  return instance;
}

}  // namespace halation::cpu_backend
