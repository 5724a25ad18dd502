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
  RateTable table;
  for (const Pixel pixels : rate_classes) {
    std::map<Method, double> known;
    for (const KnownRate& rate : found_timings().rates) {
      if (rate.machine == machine && rate.pixels == pixels)
        known[rate.method] = std::clamp(rate.factor, least_rate, most_rate);
    }
    if (known.empty()) continue;
    std::vector<double> factors;
    factors.reserve(known.size());
    for (const auto& [method, factor] : known) factors.push_back(factor);
    std::sort(factors.begin(), factors.end());
    for (int method = 0; method <= static_cast<int>(Method::multirate); ++method)
      table.set(static_cast<Method>(method), pixels, factors[factors.size() / 2]);
    for (const auto& [method, factor] : known) table.set(method, pixels, factor);
  }
  return table;
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

RateTable::RateTable() {
  for (auto& row : factors_) row.fill(1);
}

std::size_t RateTable::place(Pixel pixels) {
  for (std::size_t i = 0; i < rate_classes.size(); ++i) {
    if (rate_classes[i] == pixels) return i;
  }
  throw std::logic_error("pixels of no class of rates");
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
