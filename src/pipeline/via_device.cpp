// via_device.cpp: an image filtered on a device with memory of its own, and brought back to the host's.
#include "pipeline/via_device.h"

#include "core/stopwatch.h"
#include "halation/transfer.h"
#include "pipeline/chain/prepared_chain.h"
#include "plan/prefault.h"

namespace halation {

Image convolved(ConstView in, const Chain& chain, const Options& options, Device device) {
  if (chain.stages.size() == 1) return convolve(in, chain.stages[0], options, device);
  const PreparedChain prepared(in.shape, in.pixel, chain, device, options);
  Image out = allocate(prepared.output_shape(), prepared.output_pixel(), device);
  std::vector<Image> between = prepared.images_between();
  prepared.run(in, out, between);
  return out;
}

Image convolve_on(Device device, ConstView in, const Chain& chain, const Options& options, TransferTimes* times) {
  if (shares_memory(device, cpu()) && shares_memory(in.device, device))
    return convolved(in, chain, options, device);
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
  const Image filtered = convolved(uploaded.empty() ? in : ConstView(uploaded), chain, options, device);
  synchronise(device);
  Image result = timed(spent.allocate, [&] { return prefaulted_image(filtered.shape(), filtered.pixel()); });
  timed(spent.download, [&] {
    copy(filtered.view(), result.view(), {});
    synchronise(device);
  });
  return result;
}

}  // namespace halation
