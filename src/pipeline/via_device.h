// via_device.h: an image filtered on a device with memory of its own, and brought back to the host's.
#pragma once

#include "halation/convolve.h"

namespace halation {

/// Seconds that the parts of runs took on a device with memory of its own, added up; all 0 where pixels never left host memory.
struct TransferTimes {
  double allocate = 0;  ///< memory on the device and for the result
  double upload = 0;
  double download = 0;

  double total() const { return allocate + upload + download; }
};

/// `convolve` on any device of an image in host memory, or in that device's own; the result lies in host memory. Adds to `times`
/// where it is given.
Image convolve_on(Device device, ConstView in, const FilterSet& filter, const Options& options, TransferTimes* times = nullptr);

}  // namespace halation
