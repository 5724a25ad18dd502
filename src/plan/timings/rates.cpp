// rates.cpp: how many times as long as its figures say each method takes on this machine.
#include "plan/timings/rates.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plan/timings/shared_timings.h"

namespace halation {
namespace {

RateTable table_of(const std::string& machine) {
  std::map<std::pair<Pixel, Method>, double> factors;
  for (const KnownRate& rate : found_timings().rates) {
    if (rate.machine == machine)
      factors[{rate.pixels, rate.method}] = std::clamp(rate.factor, least_rate, most_rate);
  }
  return RateTable(std::move(factors));
}

}  // namespace

Pixel rate_class(const Job& job) {
  if (job.sum_f64) return Pixel::f64;
  switch (job.in_pixel) {
    case Pixel::u8:
      return Pixel::u8;
    case Pixel::u16:
    case Pixel::i16:
      return Pixel::u16;
    case Pixel::f16:
    case Pixel::f32:
      return Pixel::f32;
    case Pixel::f64:
      return Pixel::f64;
  }
  throw std::logic_error("no such pixel");
}

RateTable::RateTable(std::map<std::pair<Pixel, Method>, double> factors) : factors_(std::move(factors)) {
  std::map<Pixel, std::vector<double>> classes;
  for (const auto& [of, factor] : factors_) classes[of.first].push_back(factor);
  for (auto& [pixels, known] : classes) {
    std::sort(known.begin(), known.end());
    medians_[pixels] = known[known.size() / 2];
  }
}

double RateTable::of(Method method, Pixel pixels) const {
  if (const auto known = factors_.find({pixels, method}); known != factors_.end()) return known->second;
  const auto median = medians_.find(pixels);
  return median != medians_.end() ? median->second : 1;
}

const RateTable& rates_of(Device device) {
  static const RateTable none;
  if (found_timings().rates.empty()) return none;
  static std::mutex mutex;
  static std::map<std::pair<Device::Kind, int>, RateTable> tables;
  const std::lock_guard lock(mutex);
  const std::pair key(device.kind, device.index);
  const auto known = tables.find(key);
  return known != tables.end() ? known->second
                               : tables.emplace(key, table_of(machine_of(device))).first->second;
}

}  // namespace halation
