// via_device.h: an image filtered on a device with memory of its own, and brought back to the host's.
#pragma once

#include "halation/chain.h"

namespace halation {

/// Seconds that the parts of runs took on a device with memory of its own, added up; all 0 where pixels never left host memory.
struct TransferTimes {
  double allocate = 0;  ///< memory on the device and for the result
  double upload = 0;
  double download = 0;

  double total() const { return allocate + upload + download; }
};

/// A chain over an image, where that lies; a filter alone goes by the plans that are kept.
Image convolved(ConstView in, const Chain& chain, const Options& options, Device device);

/// The same on any device, of an image in host memory, or in that device's own; the result lies in host memory.
/// Adds to `times` where it is given.
Image convolve_on(Device device, ConstView in, const Chain& chain, const Options& options, TransferTimes* times = nullptr);

}  // namespace halation
