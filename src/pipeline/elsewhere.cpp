// elsewhere.cpp: a host image filtered on a device with memory of its own: there, filtered, and back.
#include "pipeline/elsewhere.h"

#include <chrono>
#include <utility>

#include "halation/transfer.h"

namespace halation {
namespace {

/// Does `work` and adds the seconds it took to `sum`.
template <class Work>
decltype(auto) timed(double& sum, Work&& work) {
  struct Lap {
    double& sum;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    ~Lap() { sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }
  };
  const Lap lap{sum};
  return std::forward<Work>(work)();
}

}  // namespace

Image convolve_on(Device device, ConstView in, const FilterSet& filter, const Options& options, TransferTimes* times) {
  if (shares_memory(in.device, device)) return convolve(in, filter, options, device);
  TransferTimes unasked;
  TransferTimes& spent = times != nullptr ? *times : unasked;

  Image source = timed(spent.allocate, [&] { return allocate(in.shape, in.pixel, device); });
  timed(spent.upload, [&] {
    copy(in, source.view(), {});
    synchronise(device);
  });
  const Image filtered = convolve(source, filter, options, device);
  synchronise(device);
  Image result = timed(spent.allocate, [&] { return Image(filtered.shape(), filtered.pixel()); });
  timed(spent.download, [&] {
    copy(filtered.view(), result.view(), {});
    synchronise(device);
  });
  return result;
}

}  // namespace halation
