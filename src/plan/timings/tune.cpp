// tune.cpp: what a method takes on this machine, timed once and remembered.
#include "plan/timings/tune.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/convert.h"
#include "core/stopwatch.h"
#include "core/threads.h"
#include "halation/error.h"
#include "halation/threads.h"
#include "halation/transfer.h"
#include "plan/timings/shared_timings.h"

namespace halation {
namespace {

constexpr double most_seconds = 0.2;     // after which no further reading of the clock is taken
constexpr double most_cold_seconds = 1;  // beyond which a first run is believed: starting takes less
constexpr double least_seconds = 1e-3;   // of one reading
constexpr double most_runs = 1000;       // in one reading
constexpr std::size_t most_readings = 9;

bool all_whole(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(), [](double w) { return w == std::trunc(w); });
}

TimingKey key_of(const Job& job, const Taps& taps, Layout layout, Device device) {
  const bool on_host = device.kind != Device::Kind::cuda;
  TimingKey key{static_cast<std::int64_t>(device.kind),
                static_cast<std::int64_t>(layout),
                static_cast<std::int64_t>(taps.form),
                static_cast<std::int64_t>(job.in_pixel),
                static_cast<std::int64_t>(job.out_pixel),
                static_cast<std::int64_t>(job.rounding) + 2 * static_cast<std::int64_t>(job.overflow),
                job.scale == 1 && job.offset == 0,
                job.sum_f64,
                job.threads,
                !on_host          ? 0
                : job.threads > 0 ? arena_threads()
                                  : available_threads()};
  for (const Shape& n : {job.in, job.out})
    key.insert(key.end(), {n.batch, n.depth, n.height, n.width, n.channels});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    key.insert(key.end(),
               {taps.size[axis], taps.lead[axis], static_cast<std::int64_t>(job.borders[axis].mode())});
  }
  // Whole weights may be multiplied by other instructions.
  bool whole = all_whole(taps.weights);
  if (taps.factors) whole = std::all_of(taps.factors->begin(), taps.factors->end(), all_whole);
  key.push_back(whole);
  key.push_back(taps.banded ? taps.banded->bytes : 0);
  key.push_back(taps.banded && taps.banded->factors);
  key.push_back(static_cast<std::int64_t>(taps.terms.size()));
  return key;
}

/// Writes numbers that photographs have. Memory as it is found might hold NaN, denormals, or pages that the
/// system has not handed out yet, and be slower or quicker than any image.
void fill(const View& packed) {
  const std::int64_t elements = packed.shape.elements() * (is_complex(packed.pixel) ? 2 : 1);
  visit_number(part_of(packed.pixel), [&](auto element) {
    using T = decltype(element);
    std::vector<T> piece(static_cast<std::size_t>(std::min(elements, std::int64_t{1} << 20)));
    for (std::size_t i = 0; i < piece.size(); ++i) {
      piece[i] = to_element<T>(static_cast<double>(i * 7919 % 251), Rounding::half_even);
    }
    for (std::int64_t done = 0; done < elements; done += static_cast<std::int64_t>(piece.size())) {
      const Shape part{.width = std::min(static_cast<std::int64_t>(piece.size()), elements - done)};
      View to = view_of(reinterpret_cast<T*>(packed.data) + done, part);
      to.device = packed.device;
      copy(view_of(piece.data(), part), to, {});
    }
  });
  synchronise(packed.device);
}

/// The median of readings of the clock, each over as many runs as it needs to be believed.
template <class Run, class Wait>
double median_seconds(const Run& run, const Wait& wait) {
  double spent = 0;
  const auto reading = [&](int runs) {
    const double before = spent;
    timed(spent, [&] {
      for (int i = 0; i < runs; ++i) run();
      wait();
    });
    return (spent - before) / runs;
  };
  const double cold = reading(1);  // loads code, wakes threads, touches memory
  if (cold >= most_cold_seconds) return cold;
  const double warm = reading(1);
  const int runs = static_cast<int>(std::clamp(std::ceil(least_seconds / warm), 1.0, most_runs));
  std::vector<double> readings;
  if (runs == 1) readings.push_back(warm);
  while (readings.empty() || (readings.size() < most_readings && spent < most_seconds))
    readings.push_back(reading(runs));
  const auto middle = readings.begin() + static_cast<std::ptrdiff_t>(readings.size() / 2);
  std::nth_element(readings.begin(), middle, readings.end());
  return *middle;
}

}  // namespace

double time_run(const Job& job, Layout layout, const Backend& backend, Device device) {
  const auto runner = backend.prepare(std::make_shared<const Job>(job), device);
  Image in = allocate(job.in, job.in_pixel, device);
  fill(in.view());  // before more is asked for: memory that nobody has written to still counts as available
  Image out = allocate(job.out, job.out_pixel, device);
  const auto workspace_bytes = static_cast<std::int64_t>(runner->workspace_bytes());
  Image scratch;
  if (workspace_bytes > 0) scratch = allocate({.width = workspace_bytes}, Pixel::u8, device);
  const std::span<std::byte> workspace(scratch.view().data, static_cast<std::size_t>(workspace_bytes));
  const auto laid = [layout](View view) {
    if (layout == Layout::planar) view.strides = strides_of(view.shape, view.pixel, layout);
    return view;
  };
  const View from = laid(in.view()), to = laid(out.view());
  const auto measure = [&] {
    return median_seconds(
        [&] {
          runner->run(from, {&to, 1}, workspace, {});
        },
        [&] { synchronise(device); });
  };
  // Without isolation, a thread that waits for others may take up a task of the caller's that waits for it.
  return isolated(measure);
}

namespace {

std::atomic<std::int64_t> taken = 0;

/// Times that the process has taken, by device and what else they depend on.
class Remembered {
 public:
  std::optional<double> find(Device device, const TimingKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = seconds_.find({device.index, key});
    return found == seconds_.end() ? std::nullopt : std::optional(found->second);
  }
  void add(Device device, const TimingKey& key, double seconds) {
    const std::lock_guard lock(mutex_);
    seconds_.emplace(std::pair(device.index, key), seconds);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<int, TimingKey>, double> seconds_;  // the kind of device is in the key
};

Remembered& remembered() {
  static Remembered only;
  return only;
}

std::optional<double> known_time(const TimingKey& key, Device device, Timed timed) {
  const std::optional<double> own = remembered().find(device, key);
  return own || timed == Timed::by_this_process ? own : found_time(key, device);
}

}  // namespace

Timing timing_of(const Job& job, const Taps& taps, Layout layout, const Backend& backend, Device device,
                 Timed timed) {
  static std::mutex one_at_a_time;  // two timings at once would disturb each other
  const TimingKey key = key_of(job, taps, layout, device);
  if (const auto known = known_time(key, device, timed)) return {known, ""};
  const std::lock_guard lock(one_at_a_time);
  if (const auto known = known_time(key, device, timed)) return {known, ""};  // by a thread that came before
  try {
    Job alone = job;
    alone.filters = {taps};
    alone.combine = Combine::none;
    const double seconds = time_run(alone, layout, backend, device);
    remembered().add(device, key, seconds);
    ++taken;
    if (const std::string machine = machine_of(device); !machine.empty())
      share({.times = {{machine, key, seconds}}, .figures = {}});
    return {seconds, ""};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    return {std::nullopt, error.what()};
  }
}

std::optional<double> known_time(const Job& job, const Taps& taps, Layout layout, Device device) {
  return known_time(key_of(job, taps, layout, device), device, Timed::by_any);
}

std::int64_t timings_taken() { return taken; }

}  // namespace halation
