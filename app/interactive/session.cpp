// session.cpp: an image that stays in memory, filtered again and again.
#include "session.h"

#include <filesystem>

#include "app/filtering/side_by_side.h"
#include "halation/error.h"
#include "halation/io.h"
#include "halation/transfer.h"

namespace halation::app {

void FilterSession::open(const std::string& path) {
  if (path.empty()) throw Error{ErrorCode::invalid_argument, "the name of an image is needed"};
  if (path == "-") throw Error{ErrorCode::invalid_argument, "standard input holds the answers; name a file"};
  Timing timing;
  original_ =
      std::make_shared<const std::vector<Page>>(timing.measure("read", [&] { return read_pages(path); }));
  path_ = path;
  reading_ = std::move(timing);
  reading_counts_ = true;
  result_ = nullptr;
  result_name_.clear();
  go_on_from_original();
}

void FilterSession::take_source(const Pages& pages, const std::string& name) {
  if (source_ != pages) on_device_.clear();
  source_ = pages;
  source_name_ = name;
}

void FilterSession::go_on_from_original() {
  take_source(original_, std::filesystem::path(path_).stem().string());
}

void FilterSession::go_on_from_result() {
  if (!has_result()) throw Error{ErrorCode::invalid_argument, "there is no result yet"};
  take_source(result_, result_name_);
}

ConstView FilterSession::kept_pixels(std::size_t page, Device device, Timing& timing) {
  on_device_.resize(source_->size());
  Image& kept = on_device_[page];
  if (kept.empty() || kept.device() != device)
    kept = timing.measure("upload", [&] { return to_device((*source_)[page].image, device); });
  return kept;
}

FilterRun FilterSession::apply(const Job& job, const std::string& filter) {
  FilterRun made{
      .timing = reading_counts_ ? reading_ : Timing{}, .work = {}, .device = "", .note = "", .first = reading_counts_};
  std::vector<PageFacts> facts;
  for (const Page& page : source()) facts.push_back(facts_of(page));
  const Prepared prepared = prepare(job, facts, made.timing);
  std::vector<Page> results;
  Clipped clipped;
  for (std::size_t i = 0; i < source().size(); ++i) {
    const Page& page = source()[i];
    const PageJob& each = prepared.jobs[i];
    const ConstView pixels =
        takes_kept_pixels(each) ? kept_pixels(i, each.device, made.timing) : page.image.view();
    results.push_back(run(each, page, pixels, made.timing, &clipped));
    made.work += workload_of(each, facts[i]);
  }
  made.device = prepared.why.empty() ? name_of(prepared.device) : "auto: " + prepared.why;
  made.note = clipping_note(clipped, prepared.jobs.front(), "view");
  result_ = std::make_shared<const std::vector<Page>>(std::move(results));
  result_name_ = source_name_ + "_" + filter;
  reading_counts_ = false;
  return made;
}

Page FilterSession::picture() const {
  const Pixel scale = original().front().image.pixel();
  return side_by_side(original().front(), result().front(), scale, scale);
}

}  // namespace halation::app
