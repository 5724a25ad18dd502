// strip_filter.cpp: images of any size filtered strip by strip, as they are read and written.
#include "halation/strip_filter.h"

#include <utility>

#include "core/memory.h"
#include "core/stopwatch.h"
#include "halation/error.h"
#include "pipeline/colour/display.h"
#include "pipeline/strips/strip_pass.h"

namespace halation {
namespace {

/// All passes.
StripReport run_all(StripWork& work, Source& source, Sink& sink) {
  if (source.shape() != work.shape || source.pixel() != work.pixel) {
    throw Error(ErrorCode::invalid_argument, "the source is " + to_string(source.shape()) + " " + std::string(name_of(source.pixel())) +
                                                 ", the filter was made for " + to_string(work.shape) + " " +
                                                 std::string(name_of(work.pixel)));
  }
  StripReport report{.strips = work.strips->count()};
  timed(report.total, [&] {
    StripPass pass(work, source, &sink);
    const auto add = [&](const RingTimes& times) {
      report.read += times.read.busy;
      report.compute += times.compute.busy;
      report.write += times.write.busy;
    };
    if (work.view) {
      Extremes found;
      if (*work.view == Display::stretched) add(StripPass(work, source, nullptr).run(&found));
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
  if (work.halvings > 0) {
    text += is_gpu(work.asked.devices[0]) ? "strips are shorter than usual: the device's memory is short\n"
                                          : "strips are shorter than usual: memory is short\n";
  }
  if (work.is_plain) text += work.prepared[0].explain();
  return text;
}

}  // namespace halation
