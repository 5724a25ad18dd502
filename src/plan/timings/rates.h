// rates.h: how many times as long as its figures say each method takes on this machine.
#pragma once

#include <array>
#include <map>
#include <utility>

#include "core/job.h"
#include "halation/device.h"

namespace halation {

/// Those that share rates, by the first of them: u8; u16 and i16; f16 and f32; and whatever is summed in f64.
inline constexpr std::array rate_classes = {Pixel::u8, Pixel::u16, Pixel::f32, Pixel::f64};
Pixel rate_class(const Job& job);

/// Beyond these a rate says more of the moment when it was measured than of the machine.
inline constexpr double least_rate = 0.25, most_rate = 4;

/// Factors on what a backend expects, 1 throughout where nothing has been measured. A method that has none
/// has the median of those of its class, so that it does not gain by that.
class RateTable {
 public:
  RateTable() = default;
  explicit RateTable(std::map<std::pair<Pixel, Method>, double> factors);
  double of(Method method, Pixel pixels) const;

 private:
  std::map<std::pair<Pixel, Method>, double> factors_;
  std::map<Pixel, double> medians_;
};

/// Those that `halation tune` has left for the device, read once a process.
const RateTable& rates_of(Device device);

}  // namespace halation
