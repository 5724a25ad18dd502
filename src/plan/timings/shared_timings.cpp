// shared_timings.cpp: what processes on this machine have left in the file of timings, as this one found it.
#include "plan/timings/shared_timings.h"

#include <map>
#include <mutex>
#include <utility>

#include "halation/error.h"
#include "plan/backends.h"

namespace halation {

const Timings& found_timings() {
  static const Timings found = timings_path() ? read_timings(*timings_path()) : Timings{};
  return found;
}

std::string machine_of(Device device) {
  static std::mutex mutex;
  static std::map<std::pair<Device::Kind, int>, std::string> machines;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = machines.try_emplace({device.kind, device.index});
  if (is_new) {
    try {
      place->second = identity_of(device);
    } catch (const Error&) {  // no such device, or none that this build knows
    }
    for (char& c : place->second) {
      if (c >= 0 && c < ' ') c = ' ';  // one line
    }
  }
  return place->second;
}

std::optional<double> found_time(const TimingKey& key, Device device) {
  using ByMachine = std::map<std::pair<std::string, TimingKey>, double>;
  static const ByMachine times = [] {
    ByMachine all;
    for (const KnownTime& time : found_timings().times) all[{time.machine, time.key}] = time.seconds;
    return all;
  }();
  if (times.empty()) return std::nullopt;
  const auto found = times.find({machine_of(device), key});
  return found == times.end() ? std::nullopt : std::optional(found->second);
}

void use_known_figures(const Backend& backend, Device device) {
  static std::mutex mutex;
  static std::map<std::pair<const Backend*, int>, std::once_flag> asked;
  if (found_timings().figures.empty()) return;
  std::once_flag* once = nullptr;
  {
    const std::lock_guard lock(mutex);
    once = &asked[{&backend, device.index}];
  }
  std::call_once(*once, [&] {
    std::string text;
    for (const KnownFigure& figure : found_timings().figures) {
      if (figure.machine == machine_of(device)) text += figure.line + "\n";
    }
    if (text.empty()) return;
    try {
      backend.use_figures(text, device);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument)
        throw;  // written by hand: what halation comes with is used
    }
  });
}

bool share(const Timings& more) { return timings_path() && add_timings(*timings_path(), more); }

}  // namespace halation
