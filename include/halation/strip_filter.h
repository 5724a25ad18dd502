// strip_filter.h: images of any size filtered strip by strip, as they are read and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "halation/chain.h"
#include "halation/display.h"
#include "halation/strips.h"

namespace halation {

/// How far a run has come: outputs along the axis of parts that have been written, and all that there are.
struct StripProgress {
  std::int64_t done = 0;
  std::int64_t all = 0;
};

struct StripOptions {
  /// Where to compute: one device, or several GPUs, which take strips in turn.
  std::vector<Device> devices = {cpu()};
  /// The most that buffers in host memory may take; 0: what the machine has free.
  std::size_t memory_bytes = 0;
  /// Bytes of input and output of a strip, be it longer for the sake of the filters' reach; 0: the usual. Another size cuts elsewhere, which
  /// may change last bits of floats.
  std::size_t strip_bytes = 0;
  /// Whether `StripReport::clipped` is counted, which takes a look at each result, and the filter again where many stand at their ends.
  bool counts_clipped = false;
  /// Called after each strip that has been written, one call at a time, in whatever thread of the run; also, with 0 done, after each strip of
  /// a first pass that only looks (`Display::stretched`). What it throws ends the run.
  std::function<void(const StripProgress&)> progress = {};
};

/// Seconds that each stage of a run worked; the rest of the run it waited for the others.
struct StripReport {
  std::int64_t strips = 0;
  double read = 0;
  double compute = 0;  ///< on a GPU: to queue copies and kernels
  double write = 0;    ///< on a GPU: to wait for results, and to write
  double total = 0;
  Clipped clipped = {};  ///< samples that integer pixels could not hold, of strips where more than a hundredth may be such
};

/// A chain over images that need not fit in memory: while one strip is computed the next is read and the one before written, by threads of
/// the run's own; memory that is not pinned is carried to a GPU and back by up to 8 threads of the caller's oneTBB arena. A GPU copies up, computes and copies down at the same time, and the rows that two strips share cross the bus once.
///
/// Memory: a few strips, whatever the image's size; as many less as `memory_bytes` leaves, down to one. A strip has some 8 MB of input and
/// output (on a GPU a sixth of the image, from 4 MB to 32), or 16 times the reach of the filters where that is more, up to 128 MB (on a GPU 256), but
/// 4 times their reach at least; shorter ones where not even one fits with its scratch. An image that is no longer is one strip.
///
/// The result depends on the image and its layout, the chain, the options and the kind of device: how much memory there is, how many
/// devices, and the sizes in which a source reads and a sink writes change no bit of it. The number of threads that plans may use can
/// change last bits, since other methods may be chosen. It is that of `convolve_chain`
/// (`convolve_display`) but for the last bits of floats, both within the bounds of their plans; so is that of shorter strips, where
/// there is no memory for one of the usual length (`explain` says so).
class StripFilter {
 public:
  /// Throws `Error` as `convolve_chain`, `Error{out_of_memory}` where not even one strip fits, with what it needs. Cost: plans, and the
  /// buffers, which are kept from run to run.
  StripFilter(const Shape& shape, Pixel pixel, const Chain& chain, const Options& options = {}, const ColourOptions& colour = {},
              std::optional<Display> view = {}, const StripOptions& strips = {});
  ~StripFilter();
  StripFilter(StripFilter&&) noexcept;
  StripFilter& operator=(StripFilter&&) noexcept;

  const Shape& output_shape() const;
  Pixel output_pixel() const;
  std::int64_t strips() const;

  /// Filters all of `source` into `sink`. Throws what they throw, and `Error`. One run at a time.
  StripReport run(Source& source, Sink& sink);
  /// From and to host memory. Pinned memory (`allocate_pinned`) goes over the bus as it lies.
  StripReport run(ConstView in, View out);

  /// The strips, their memory, and what is done to each.
  std::string explain() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halation
