// strip_pass.h: one pass over an image, strip by strip.
#pragma once

#include <optional>

#include "halation/strips.h"
#include "pipeline/colour/display.h"
#include "pipeline/strips/ring.h"
#include "pipeline/strips/strip_work.h"

namespace halation {

/// One pass over an image. Strips pass a ring of slots; which stages there are depends on where the image lies and on the device.
class StripPass {
 public:
  StripPass(StripWork& filter, Source& source, Sink* sink);

  /// With `found` nothing is written: the extremes of the unrounded results are found. Views go by `tone`.
  RingTimes run(Extremes* found);

  Clipped clipped;
  std::optional<Tone> tone;

 private:
  bool read(std::int64_t item);
  void compute(std::int64_t item);
  void compute_on_gpu(std::int64_t item, const Strip& strip);
  void compute_here(std::int64_t item, const Strip& strip);
  void write(std::int64_t item);
  RingTimes run_in_place();
  RingTimes run_queued();
  RingTimes run_carried();
  void count_clipped(std::int64_t item, const Strip& strip, const ConstView& result);
  void tell(const Strip& strip) const;

  ConstView input_of(std::int64_t item, const Strip& strip) {
    return view_in_ ? part_of(*view_in_, strip.first, filter_.strips->length()) : ConstView(filter_.slot_of(item).in);
  }
  /// Where the outputs that are taken come to lie in host memory.
  View taken_of(std::int64_t item, const Strip& strip) {
    if (view_out_) return filter_.strips->count() == 1 ? *view_out_ : part_of(*view_out_, strip.output, strip.outputs);
    const View out = filter_.slot_of(item).out;
    return filter_.strips->count() == 1 ? out : part_of(out, 0, strip.outputs);
  }

  StripWork& filter_;
  Source& source_;
  Sink* sink_;
  Extremes* found_ = nullptr;
  std::optional<ConstView> view_in_;  // where the source's memory is used as it lies
  std::optional<View> view_out_;
  const ViewSource* carried_in_ = nullptr;  // where threads carry rows to pinned buffers and back
  const ViewSink* carried_out_ = nullptr;
  std::optional<View> in_place_;  // where a CPU puts the results of many strips from memory
  bool counts_ = false;
};

}  // namespace halation
