// strip_filter.cpp: images of any size filtered strip by strip, as they are read and written.
//
// Strips pass a ring of slots, each with buffers for one: in host memory (pinned for a GPU), on a GPU also there, with a queue of its own.
// A slot's queue copies up, computes and copies down; queues run side by side, so that three strips keep both directions of the bus and
// the multiprocessors busy. Rows that a strip shares with the one before are copied from that one's buffer on the device.
#include "halation/strip_filter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/memory.h"
#include "core/stopwatch.h"
#include "halation/error.h"
#include "halation/transfer.h"
#include "pipeline/colour.h"
#include "pipeline/display.h"
#include "pipeline/ring.h"
#include "pipeline/strip_work.h"
#include "plan/backends.h"

namespace halation {
namespace {

/// One pass over an image.
class Pass {
 public:
  Pass(StripWork& filter, Source& source, Sink* sink);

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
  std::optional<View> in_place_;  // where a CPU puts the results of many strips from memory
  bool counts_ = false;
};

/// `part` of a strip's results that has the whole length is the results themselves.
template <class AnyView>
AnyView taken(const AnyView& results, const Strip& strip, const Strips& strips) {
  return strips.count() == 1 ? results : part_of(results, strip.skipped, strip.outputs);
}

Pass::Pass(StripWork& filter, Source& source, Sink* sink) : filter_(filter), source_(source), sink_(sink) {
  const bool on_gpu = is_gpu(filter.asked.devices[0]);
  const auto is_direct = [&](const void* data) { return !on_gpu || device_queues()->is_pinned(data); };
  const bool is_whole = filter.strips->count() == 1;
  if (const auto* in = dynamic_cast<ViewSource*>(&source)) {
    // Rows beyond an end are no part of the view.
    if ((is_whole || !filter.wraps) && (is_direct(in->view().data) || !filter.is_plain)) view_in_ = in->view();
  }
  if (const auto* out = dynamic_cast<ViewSink*>(sink)) {
    const bool is_usable = filter.is_plain && is_direct(out->view().data);
    if (is_usable && (is_whole || on_gpu)) view_out_ = out->view();
    if (is_usable && !is_whole && !on_gpu && view_in_) in_place_ = out->view();
  }
  counts_ = filter.asked.counts_clipped && sink != nullptr && can_clip(filter.chain, filter.pixel, filter.out_pixel, filter.options, filter.colour);
}

RingTimes Pass::run(Extremes* found) {
  found_ = found;
  filter_.make_host_buffers(!view_in_, !view_out_ && !in_place_);
  return filter_.waiting_for_queues([&] {
    if (in_place_) return run_in_place();
    if (view_in_ && view_out_ && is_gpu(filter_.asked.devices[0])) return run_queued();
    return run_ring(filter_.slots.size(), {.read = [&](std::int64_t item) { return read(item); },
                                           .compute = [&](std::int64_t item) { compute(item); },
                                           .write = [&](std::int64_t item) { write(item); }});
  });
}

/// On a CPU from and to memory there is nothing to read or write. Results of a strip are put where they belong; the first ones, which the
/// cut has spoilt, lie over the last of the strip before, which are kept meanwhile, and the spoilt last ones are overwritten next.
RingTimes Pass::run_in_place() {
  const Strips& strips = *filter_.strips;
  Image kept_rows(filter_.strip_out, filter_.out_pixel);
  RingTimes times;
  timed(times.compute.busy, [&] {
    for (std::int64_t item = 0; item < strips.count(); ++item) {
      const Strip strip = strips.at(item);
      const View out = part_of(*in_place_, strip.first, strips.output_length());
      const View spoilt = strip.skipped > 0 ? part_of(out, 0, strip.skipped) : View{};
      const View kept = strip.skipped > 0 ? part_of(kept_rows.view(), 0, strip.skipped) : View{};
      if (strip.skipped > 0) copy(spoilt, kept);
      filter_.prepared[0].run(input_of(item, strip), out, filter_.slots[0].between);
      if (strip.skipped > 0) copy(kept, spoilt);
      if (counts_) count_clipped(item, strip, part_of(ConstView(*in_place_), strip.output, strip.outputs));
      tell(strip);
    }
  });
  times.items = strips.count();
  return times;
}

/// From and to pinned memory nothing is read or written here: all is queued, and waited for.
RingTimes Pass::run_queued() {
  RingTimes times;
  const std::int64_t count = filter_.strips->count();
  const auto in_flight = static_cast<std::int64_t>(filter_.slots.size());
  for (std::int64_t item = 0; item < count + in_flight; ++item) {
    if (item >= in_flight && item - in_flight < count) timed(times.write.busy, [&] { write(item - in_flight); });
    if (item < count) timed(times.compute.busy, [&] { compute(item); });
  }
  times.items = count;
  return times;
}

bool Pass::read(std::int64_t item) {
  const Strips& strips = *filter_.strips;
  if (item >= strips.count()) return false;
  if (view_in_) return true;
  const Strip strip = strips.at(item);
  const View in = filter_.slot_of(item).in;
  const std::int64_t shared = strips.shared_with_previous(item);
  if (shared > 0 && (counts_ || !filter_.keeps_shared_on_device())) {
    // One slot alone is moved within itself.
    const ConstView before = part_of(ConstView(filter_.slot_of(item - 1).in), strips.length() - shared, shared);
    std::memmove(in.data, before.data, static_cast<std::size_t>(bytes_in(before.shape, before.pixel)));
  }
  const std::int64_t whole = length_of(filter_.shape);
  for (std::int64_t at = shared; at < strips.length();) {
    const std::int64_t position = strip.first + at;
    const std::int64_t inside = ((position % whole) + whole) % whole;
    const std::int64_t count = std::min(strips.length() - at, whole - inside);
    source_.read(inside, strips.count() == 1 ? in : part_of(in, at, count));
    at += count;
  }
  return true;
}

void Pass::compute(std::int64_t item) {
  const Strip strip = filter_.strips->at(item);
  is_gpu(filter_.asked.devices[0]) && filter_.is_plain ? compute_on_gpu(item, strip) : compute_here(item, strip);
}

void Pass::compute_on_gpu(std::int64_t item, const Strip& strip) {
  const Strips& strips = *filter_.strips;
  Slot& slot = filter_.slot_of(item);
  const Stream stream = slot.queue->stream();
  const std::int64_t shared = filter_.keeps_shared_on_device() ? strips.shared_with_previous(item) : 0;
  const auto from = [&](const auto& view, std::int64_t first) {
    return shared == 0 ? view : part_of(view, first, strips.length() - shared);
  };
  if (shared > 0) {
    const Slot& before = filter_.slot_of(item - 1);
    slot.queue->wait_for(*before.queue);
    copy(part_of(before.device_in.view(), strips.length() - shared, shared), part_of(slot.device_in.view(), 0, shared), stream);
  }
  copy(from(input_of(item, strip), shared), from(slot.device_in.view(), shared), stream);
  slot.queue->mark();
  filter_.chain_of(item).run(slot.device_in, slot.device_out, slot.between, stream);
  copy(taken(ConstView(slot.device_out), strip, strips), taken_of(item, strip), stream);
}

void Pass::compute_here(std::int64_t item, const Strip& strip) {
  const Strips& strips = *filter_.strips;
  Slot& slot = filter_.slot_of(item);
  const ConstView in = input_of(item, strip);
  const Device device = filter_.asked.devices[0];
  if (filter_.is_plain) {
    const View out = view_out_ ? *view_out_ : slot.out.view();
    filter_.prepared[0].run(in, out, filter_.slots[0].between);
    if (counts_) count_clipped(item, strip, taken(ConstView(out), strip, strips));
    return;
  }
  if (!filter_.view) {
    slot.result = convolve_colour_on(device, in, filter_.chain, filter_.options, filter_.colour);
    if (counts_) count_clipped(item, strip, taken(slot.result.view(), strip, strips));
    return;
  }
  const Options wide_options = unrounded(filter_.options, filter_.pixel, filter_.colour);
  const Image wide = convolve_colour_on(device, in, filter_.chain, wide_options, filter_.colour);
  const ConstView part = taken(wide.view(), strip, strips);
  if (found_ != nullptr) {
    *found_ += extremes_of(part, filter_.colour.alpha, filter_.options.threads);
    return;
  }
  if (counts_) clipped += halation::clipped(part, *tone, filter_.out_pixel, filter_.options, filter_.colour.alpha);
  slot.result = rounded(part, *tone, filter_.out_pixel, filter_.options, filter_.colour.alpha);
}

void Pass::count_clipped(std::int64_t item, const Strip& strip, const ConstView& result) {
  constexpr double worth_counting = 0.01;
  const Device device = filter_.is_plain ? filter_.chain_of(item).device() : filter_.asked.devices[0];
  try {
    clipped += count_clipped_on(device, input_of(item, strip), {result, strip.skipped, strip.outputs}, filter_.chain, filter_.options,
                                filter_.colour, worth_counting);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    clipped.samples += result.shape.elements();  // the result is worth more than the count
  }
}

void Pass::write(std::int64_t item) {
  const Strips& strips = *filter_.strips;
  const Strip strip = strips.at(item);
  Slot& slot = filter_.slot_of(item);
  if (slot.queue != nullptr) {
    synchronise(slot.device_in.device(), slot.queue->stream());
    if (counts_) count_clipped(item, strip, taken_of(item, strip));
  }
  if (sink_ == nullptr) return;
  if (!view_out_) {
    if (filter_.view) {
      sink_->write(strip.output, slot.result);
    } else if (!filter_.is_plain) {
      sink_->write(strip.output, taken(slot.result.view(), strip, strips));
    } else {
      sink_->write(strip.output, slot.queue != nullptr ? ConstView(taken_of(item, strip)) : taken(ConstView(slot.out), strip, strips));
    }
  }
  tell(strip);
}

void Pass::tell(const Strip& strip) const {
  if (filter_.asked.progress) filter_.asked.progress({.done = strip.output + strip.outputs, .all = length_of(filter_.out_shape)});
}

/// All passes.
StripReport run_all(StripWork& work, Source& source, Sink& sink) {
  if (source.shape() != work.shape || source.pixel() != work.pixel) {
    throw Error(ErrorCode::invalid_argument, "the source is " + to_string(source.shape()) + " " + std::string(name_of(source.pixel())) +
                                                 ", the filter was made for " + to_string(work.shape) + " " +
                                                 std::string(name_of(work.pixel)));
  }
  StripReport report{.strips = work.strips->count()};
  timed(report.total, [&] {
    Pass pass(work, source, &sink);
    const auto add = [&](const RingTimes& times) {
      report.read += times.read.busy;
      report.compute += times.compute.busy;
      report.write += times.write.busy;
    };
    if (work.view) {
      Extremes found;
      if (*work.view == Display::stretched) add(Pass(work, source, nullptr).run(&found));
      pass.tone = tone_of(*work.view, work.chain, work.pixel, work.out_pixel, work.options, work.colour.linear, found);
    }
    add(pass.run(nullptr));
    report.clipped = pass.clipped;
  });
  report.clipped.samples = work.out_shape.elements() / work.out_shape.channels * (work.out_shape.channels - (work.colour.alpha ? 1 : 0));
  return report;
}

}  // namespace

struct StripFilter::Impl {
  StripWork work;
};

StripFilter::StripFilter(const Shape& shape, Pixel pixel, const Chain& chain, const Options& options, const ColourOptions& colour,
                         std::optional<Display> view, const StripOptions& strips)
    : impl_(new Impl{StripWork(shape, pixel, chain, options, colour, view, strips)}) {}

StripFilter::~StripFilter() = default;
StripFilter::StripFilter(StripFilter&&) noexcept = default;
StripFilter& StripFilter::operator=(StripFilter&&) noexcept = default;

const Shape& StripFilter::output_shape() const { return impl_->work.out_shape; }
Pixel StripFilter::output_pixel() const { return impl_->work.out_pixel; }
std::int64_t StripFilter::strips() const { return impl_->work.strips->count(); }

StripReport StripFilter::run(Source& source, Sink& sink) { return run_all(impl_->work, source, sink); }

StripReport StripFilter::run(ConstView in, View out) {
  if (out.shape != impl_->work.out_shape || out.pixel != impl_->work.out_pixel) {
    throw Error(ErrorCode::invalid_argument, "the output is " + to_string(out.shape) + " " + std::string(name_of(out.pixel)) +
                                                 ", the filter gives " + to_string(impl_->work.out_shape) + " " +
                                                 std::string(name_of(impl_->work.out_pixel)));
  }
  ViewSource source(in);
  ViewSink sink(out);
  return run_all(impl_->work, source, sink);
}

std::string StripFilter::explain() const {
  const StripWork& work = impl_->work;
  std::string text = std::to_string(work.strips->count()) + (work.strips->count() == 1 ? " strip of " : " strips of ") + to_string(work.strip_in) + " " +
                     std::string(name_of(work.pixel)) + ", " + std::to_string(work.slots.size()) + " at a time in " +
                     size_in_words(static_cast<double>(work.slots.size()) * work.host_bytes_of_slot()) + " of host memory\n";
  if (work.halvings > 0) text += "strips are shorter than usual: the device's memory is short\n";
  if (work.is_plain) text += work.prepared[0].explain();
  return text;
}

}  // namespace halation
