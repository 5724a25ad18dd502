// roofline.cpp: the least time of a job on a GPU, and what sets it.
#include "model/roofline.h"

#include <algorithm>
#include <stdexcept>

#include "halation/error.h"

namespace halation::model {

std::string_view name_of(Bound bound) {
  switch (bound) {
    case Bound::memory:
      return "memory";
    case Bound::arithmetic:
      return "arithmetic";
    case Bound::launch:
      return "launch";
  }
  throw std::logic_error("no such bound");
}

Roofline roofline(const DeviceDescription& device, const Work& work) {
  if (device.bytes_per_second() <= 0) {
    throw Error{
        ErrorCode::invalid_argument,
        "GPU '" + device.name + "' has no bandwidth or clock in its description: it serves occupancy alone"};
  }
  Roofline result;
  result.memory_seconds = work.bytes / device.bytes_per_second();
  result.arithmetic_seconds = work.operations / device.operations_per_second(work.f64);
  const double launch = work.launches * launch_seconds;
  const double busy = std::max(result.memory_seconds, result.arithmetic_seconds);
  result.seconds = busy + launch;
  result.bound = launch > busy                                       ? Bound::launch
                 : result.arithmetic_seconds > result.memory_seconds ? Bound::arithmetic
                                                                     : Bound::memory;
  return result;
}

}  // namespace halation::model
