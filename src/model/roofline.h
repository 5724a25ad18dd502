// roofline.h: the least time of a job on a GPU, and what sets it.
#pragma once

#include <string_view>

#include "model/device_description.h"

namespace halation::model {

/// About what starting a kernel costs on any of the GPUs: an assumption, not a measurement.
inline constexpr double launch_seconds = 3e-6;

/// What a job moves and computes.
struct Work {
  double bytes = 0;       ///< to and from the GPU's memory, each element once
  double operations = 0;  ///< multiplications and additions
  bool f64 = false;       ///< arithmetic in double precision
  int launches = 1;
};

enum class Bound { memory, arithmetic, launch };

/// "memory", "arithmetic", "launch".
std::string_view name_of(Bound bound);

struct Roofline {
  double memory_seconds = 0;
  double arithmetic_seconds = 0;
  double seconds = 0;
  Bound bound = Bound::memory;  ///< the largest of the three
};

/// max(bytes ÷ bandwidth, operations ÷ rate) + launches · launch_seconds. Source: Williams, Waterman and
/// Patterson, Roofline, CACM 52(4), 2009, with the start added. Throws `Error{invalid_argument}` for a device
/// whose description has no bandwidth.
Roofline roofline(const DeviceDescription& device, const Work& work);

}  // namespace halation::model
