// frame_filter.cpp: many images of one shape, one after the other, through a ring of slots.
#include "halation/frame_filter.h"

#include "core/stopwatch.h"
#include "halation/error.h"
#include "halation/transfer.h"
#include "pipeline/colour/colour.h"
#include "pipeline/colour/display.h"
#include "pipeline/strips/ring.h"
#include "pipeline/strips/strip_work.h"

namespace halation {

struct FrameFilter::Impl {
  StripWork work;  // of one strip, the frame

  View placed(std::int64_t frame, View buffer, const Frames& frames) const;
  void compute(std::int64_t frame, const Frames& frames);
};

namespace {

void check_view(const ConstView& view, const Shape& shape, Pixel pixel, const char* what) {
  if (view.shape == shape && view.pixel == pixel) return;
  throw Error(ErrorCode::invalid_argument, std::string(what) + " must be " + to_string(shape) + " " + std::string(name_of(pixel)) + ", got " +
                                               to_string(view.shape) + " " + std::string(name_of(view.pixel)));
}

}  // namespace

/// Where the caller wants a result that would lie in `buffer`.
View FrameFilter::Impl::placed(std::int64_t frame, View buffer, const Frames& frames) const {
  if (!frames.place) return buffer;
  const View place = frames.place(frame, buffer);
  check_view(place, work.out_shape, work.out_pixel, "the place of a result");
  return place;
}

void FrameFilter::Impl::compute(std::int64_t frame, const Frames& frames) {
  Slot& slot = work.slot_of(frame);
  const Device device = work.asked.devices[0];
  if (!work.is_plain) {
    slot.result = work.view ? convolve_display_on(device, slot.frame, work.chain, *work.view, work.options, work.colour)
                            : convolve_colour_on(device, slot.frame, work.chain, work.options, work.colour);
    slot.placed = placed(frame, slot.result, frames);
    if (slot.placed.data != slot.result.view().data) copy(slot.result, slot.placed);
    return;
  }
  slot.placed = placed(frame, slot.out, frames);
  const PreparedChain& chain = work.chain_of(frame);
  if (slot.queue == nullptr) {
    chain.run(slot.frame, slot.placed, work.slots[0].between);
    return;
  }
  const Stream stream = slot.queue->stream();
  copy(slot.frame, slot.device_in.view(), stream);
  chain.run(slot.device_in, slot.device_out, slot.between, stream);
  copy(slot.device_out.view(), slot.placed, stream);
}

FrameFilter::FrameFilter(const Shape& shape, Pixel pixel, const Chain& chain, const Options& options, const ColourOptions& colour,
                         std::optional<Display> view, const StripOptions& where)
    : impl_(new Impl{StripWork(shape, pixel, chain, options, colour, view, where, StripWork::Kind::frames)}) {}

FrameFilter::~FrameFilter() = default;
FrameFilter::FrameFilter(FrameFilter&&) noexcept = default;
FrameFilter& FrameFilter::operator=(FrameFilter&&) noexcept = default;

const Shape& FrameFilter::output_shape() const { return impl_->work.out_shape; }
Pixel FrameFilter::output_pixel() const { return impl_->work.out_pixel; }

FrameReport FrameFilter::run(const Frames& frames) {
  Impl& impl = *impl_;
  impl.work.make_host_buffers(true, true);
  const auto read = [&](std::int64_t frame) {
    Slot& slot = impl.work.slot_of(frame);
    const std::optional<ConstView> there = frames.read(frame, slot.in);
    if (!there) return false;
    check_view(*there, impl.work.shape, impl.work.pixel, "a frame");
    slot.frame = *there;
    return true;
  };
  const auto compute = [&](std::int64_t frame) { impl.compute(frame, frames); };
  const auto write = [&](std::int64_t frame) {
    const Slot& slot = impl.work.slot_of(frame);
    if (slot.queue != nullptr) synchronise(slot.device_in.device(), slot.queue->stream());
    frames.write(frame, slot.placed);
  };
  FrameReport report;
  RingTimes times;
  timed(report.total, [&] {
    times = impl.work.waiting_for_queues(
        [&] { return run_ring(impl.work.slots.size(), {.read = read, .compute = compute, .write = write}); });
  });
  report.frames = times.items;
  report.read = times.read.busy;
  report.compute = times.compute.busy;
  report.write = times.write.busy;
  return report;
}

std::string FrameFilter::explain() const { return impl_->work.is_plain ? impl_->work.prepared[0].explain() : std::string(); }

}  // namespace halation
