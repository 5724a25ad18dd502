// in_strips.cpp: files filtered page by page and strip by strip, whatever their size.
#include "in_strips.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "app/report/text/status_line.h"
#include "halation/strip_filter.h"

namespace halation::app {
namespace {

/// "45%, 310 MPix/s, 12 s left" in a line that is written over.
class ProgressLine {
 public:
  ProgressLine(double pixels, bool quiet) : pixels_(pixels), shown_(!quiet && StatusLine::is_possible()) {}

  /// `pixels` of all are done.
  void show(double pixels) {
    using namespace std::chrono;
    const steady_clock::time_point now = steady_clock::now();
    if (!shown_ || now - last_ < milliseconds(100)) return;
    last_ = now;
    const double seconds = duration<double>(now - begin_).count();
    const double rate = pixels / seconds;
    line_.show(fmt::format("{:.0f}%, {:.0f} MPix/s, {:.0f} s left", 100 * pixels / pixels_, rate * 1e-6, (pixels_ - pixels) / rate));
  }

 private:
  double pixels_;
  bool shown_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_ = begin_;
  StatusLine line_;
};

bool is_same_work(const PageJob& a, const PageFacts& of_a, const PageJob& b, const PageFacts& of_b) {
  return of_a.shape == of_b.shape && of_a.pixel == of_b.pixel && a.colour.alpha == b.colour.alpha && a.colour.linear == b.colour.linear &&
         a.colour.gray == b.colour.gray;
}

}  // namespace

void filter_in_strips(const std::vector<PageJob>& jobs, const io::PageSources& pages, PagesSink& out, bool quiet, Timing& timing,
                      Clipped& clipped, std::string* explained) {
  const auto pixels_of = [](const Shape& shape) { return static_cast<double>(shape.depth * shape.height * shape.width); };
  double all = 0, before = 0;
  for (const auto& page : pages) all += pixels_of(page->shape());
  ProgressLine line(all, quiet);
  double of_page = 0;
  StripOptions strips{.devices = {},
                      .counts_clipped = true,
                      .progress = [&](const StripProgress& now) {
                        line.show(before + of_page * static_cast<double>(now.done) / static_cast<double>(now.all));
                      }};
  std::optional<StripFilter> filter;  // that of the page before, where the page is like it
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const PageJob& job = jobs[i];
    of_page = pixels_of(pages[i]->shape());
    if (i == 0 || !is_same_work(jobs[i - 1], pages[i - 1]->facts(), job, pages[i]->facts())) {
      const bool plain = is_plain(job);
      strips.devices = {job.device};
      if (plain) strips.devices.insert(strips.devices.end(), job.more_gpus.begin(), job.more_gpus.end());
      filter.reset();  // its memory first
      timing.measure("plan", [&] {
        filter.emplace(pages[i]->shape(), pages[i]->pixel(), job.chain, job.options, job.colour, job.view, strips);
      });
      if (explained != nullptr) *explained += filter->explain();
      if (explained != nullptr && !plain) *explained += explain(job);  // of strips such a filter says their size alone
    }
    const StripReport report = filter->run(*pages[i], out.page(i));
    timing.add_side_by_side({{"read", report.read}, {"compute", report.compute}, {"write", report.write}}, report.total);
    clipped += report.clipped;
    before += of_page;
  }
  timing.measure("write", [&] { out.commit(); });
}

}  // namespace halation::app
