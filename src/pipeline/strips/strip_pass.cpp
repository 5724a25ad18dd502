// strip_pass.cpp: one pass over an image, strip by strip.
//
// Each slot of the ring has buffers for a strip: in host memory (pinned for a GPU), on a GPU also there, with a queue of its own. A
// slot's queue copies up, computes and copies down; queues run side by side, so that three strips keep both directions of the bus and
// the multiprocessors busy. Rows that a strip shares with the one before are copied from that one's buffer on the device.
#include "pipeline/strips/strip_pass.h"

#include <algorithm>
#include <cstring>

#include "core/stopwatch.h"
#include "core/threads.h"
#include "halation/error.h"
#include "halation/transfer.h"
#include "pipeline/colour/colour.h"
#include "pipeline/strips/past_caches.h"
#include "pipeline/strips/shared_ring.h"
#include "plan/backends.h"

namespace halation {
namespace {

/// `part` of a strip's results that has the whole length is the results themselves.
template <class AnyView>
AnyView taken(const AnyView& results, const Strip& strip, const Strips& strips) {
  return strips.count() == 1 ? results : part_of(results, strip.skipped, strip.outputs);
}

}  // namespace

StripPass::StripPass(StripWork& filter, Source& source, Sink* sink) : filter_(filter), source_(source), sink_(sink) {
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
  if (on_gpu && filter.is_plain && (is_whole || !filter.wraps)) {
    carried_in_ = view_in_ ? nullptr : dynamic_cast<ViewSource*>(&source);
    carried_out_ = view_out_ ? nullptr : dynamic_cast<ViewSink*>(sink);
  }
  counts_ = filter.asked.counts_clipped && sink != nullptr && can_clip(filter.chain, filter.pixel, filter.out_pixel, filter.options, filter.colour);
}

RingTimes StripPass::run(Extremes* found) {
  found_ = found;
  filter_.make_host_buffers(!view_in_, !view_out_ && !in_place_);
  return filter_.waiting_for_queues([&] {
    if (in_place_) return run_in_place();
    if (view_in_ && view_out_ && is_gpu(filter_.asked.devices[0])) return run_queued();
    if (!counts_ && (view_in_ || carried_in_ != nullptr) && (view_out_ || carried_out_ != nullptr) && is_gpu(filter_.asked.devices[0])) return run_carried();
    return run_ring(filter_.slots.size(), {.read = [&](std::int64_t item) { return read(item); },
                                           .compute = [&](std::int64_t item) { compute(item); },
                                           .write = [&](std::int64_t item) { write(item); }});
  });
}

/// On a CPU from and to memory there is nothing to read or write. Results of a strip are put where they belong; the first ones, which the
/// cut has spoilt, lie over the last of the strip before, which are kept meanwhile, and the spoilt last ones are overwritten next.
RingTimes StripPass::run_in_place() {
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
RingTimes StripPass::run_queued() {
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

/// From or to memory that is not pinned, threads copy rows to pinned buffers, and back. The more cores do, the more of what is copied lies
/// in their caches, where the device has to ask for it.
RingTimes StripPass::run_carried() {
  constexpr std::int64_t block_bytes = 1 << 17;
  constexpr int most_threads = 8;
  const Strips& strips = *filter_.strips;
  const Options& options = filter_.options;
  const int threads = std::min(options.threads > 0 ? options.threads : arena_threads(), most_threads);
  const auto blocks_of = [](const Shape& shape, Pixel pixel) {
    const auto blocks = static_cast<std::int64_t>(bytes_in(shape, pixel)) / block_bytes;
    return std::clamp(blocks, std::int64_t{1}, length_of(shape));
  };
  // One of so many blocks of the rows.
  const auto for_block = [](const ConstView& from, const View& to, std::int64_t block, std::int64_t blocks, const auto& copy_rows) {
    const std::int64_t rows = length_of(from.shape);
    const std::int64_t first = rows * block / blocks;
    const std::int64_t count = rows * (block + 1) / blocks - first;
    if (count > 0) copy_rows(part_of(from, first, count), part_of(to, first, count));
  };
  SharedStages stages{.items = strips.count()};
  if (carried_in_ != nullptr) {
    stages.read_blocks = blocks_of(filter_.strip_in, filter_.pixel);
    stages.read = [&](std::int64_t item, std::int64_t block) {
      const Strip strip = strips.at(item);
      // Rows that lie on the device already are not read again.
      const std::int64_t shared = filter_.keeps_shared_on_device() ? strips.shared_with_previous(item) : 0;
      const std::int64_t rows = strips.length() - shared;
      for_block(part_of(carried_in_->view(), strip.first + shared, rows), part_of(filter_.slot_of(item).in.view(), shared, rows), block,
                stages.read_blocks, copy_past_caches);
    };
  }
  if (carried_out_ != nullptr) {
    stages.write_blocks = blocks_of(filter_.strip_out, filter_.out_pixel);
    stages.write = [&](std::int64_t item, std::int64_t block) {
      const Strip strip = strips.at(item);
      for_block(taken_of(item, strip), part_of(carried_out_->view(), strip.output, strip.outputs), block, stages.write_blocks,
                [](const ConstView& from, const View& to) { copy(from, to); });
    };
  }
  stages.compute = [&](std::int64_t item) { compute(item); };
  stages.is_computed = [&](std::int64_t item) { return filter_.slot_of(item).queue->is_idle(); };
  stages.finish = [&](std::int64_t item) {
    tell(strips.at(item));
  };
  return run_shared_ring(filter_.slots.size(), threads, stages);
}

bool StripPass::read(std::int64_t item) {
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

void StripPass::compute(std::int64_t item) {
  const Strip strip = filter_.strips->at(item);
  is_gpu(filter_.asked.devices[0]) && filter_.is_plain ? compute_on_gpu(item, strip) : compute_here(item, strip);
}

void StripPass::compute_on_gpu(std::int64_t item, const Strip& strip) {
  const Strips& strips = *filter_.strips;
  Slot& slot = filter_.slot_of(item);
  const Stream stream = slot.queue->stream();
  const std::int64_t shared = filter_.keeps_shared_on_device() ? strips.shared_with_previous(item) : 0;
  const auto from = [&](const auto& view, std::int64_t first) {
    return shared == 0 ? view : part_of(view, first, strips.length() - shared);
  };
  // The strip that comes after the one that was here may still be taking its rows.
  if (filter_.keeps_shared_on_device() && item >= static_cast<std::int64_t>(filter_.slots.size()))
    slot.queue->wait_for(*filter_.slot_of(item + 1).queue);
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

void StripPass::compute_here(std::int64_t item, const Strip& strip) {
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

void StripPass::count_clipped(std::int64_t item, const Strip& strip, const ConstView& result) {
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

void StripPass::write(std::int64_t item) {
  const Strips& strips = *filter_.strips;
  const Strip strip = strips.at(item);
  Slot& slot = filter_.slot_of(item);
  if (slot.queue != nullptr) {
    synchronise(slot.device_in.device(), slot.queue->stream());
    if (counts_) count_clipped(item, strip, taken_of(item, strip));
  }
  if (sink_ == nullptr) {
    if (filter_.asked.progress) filter_.asked.progress({.done = 0, .all = length_of(filter_.out_shape)});
    return;
  }
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

void StripPass::tell(const Strip& strip) const {
  if (filter_.asked.progress) filter_.asked.progress({.done = strip.output + strip.outputs, .all = length_of(filter_.out_shape)});
}

}  // namespace halation
