// via_device.cpp: an image filtered on a device with memory of its own, and brought back to the host's.
#include "pipeline/via_device.h"

#include "core/stopwatch.h"
#include "halation/transfer.h"
#include "plan/prefault.h"

namespace halation {

Image convolve_on(Device device, ConstView in, const FilterSet& filter, const Options& options,
                  TransferTimes* times) {
  if (shares_memory(device, cpu()) && shares_memory(in.device, device))
    return convolve(in, filter, options, device);
  TransferTimes unasked;
  TransferTimes& spent = times != nullptr ? *times : unasked;

  Image uploaded;
  if (!shares_memory(in.device, device)) {
    uploaded = timed(spent.allocate, [&] { return allocate(in.shape, in.pixel, device); });
    timed(spent.upload, [&] {
      copy(in, uploaded.view(), {});
      synchronise(device);
    });
  }
  const Image filtered = convolve(uploaded.empty() ? in : ConstView(uploaded), filter, options, device);
  synchronise(device);
  Image result = timed(spent.allocate, [&] { return prefaulted_image(filtered.shape(), filtered.pixel()); });
  timed(spent.download, [&] {
    copy(filtered.view(), result.view(), {});
    synchronise(device);
  });
  return result;
}

}  // namespace halation
