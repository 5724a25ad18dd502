// known_figures.cpp: figures that `halation tune` has left for a device.
#include "plan/timings/known_figures.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "halation/error.h"
#include "plan/timings/shared_timings.h"

namespace halation {

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

}  // namespace halation
