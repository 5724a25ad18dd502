// file.cpp: one file read, filtered and written.
#include "file.h"

#include <filesystem>
#include <memory>

#include "app/filtering/in_strips.h"
#include "app/filtering/side_by_side.h"
#include "halation/error.h"
#include "left_out.h"

namespace halation::app {
namespace {

std::vector<PageFacts> results_of(const std::vector<PageJob>& jobs, const std::vector<PageFacts>& pages) {
  std::vector<PageFacts> results;
  for (std::size_t i = 0; i < pages.size(); ++i) results.push_back(result_facts(jobs[i], pages[i]));
  return results;
}

/// Throws where a result could not be written, before it is worked for.
void check_outputs(const FileJob& request, const std::vector<PageFacts>& pages, const std::vector<PageFacts>& results) {
  for (const PageFacts& result : results)
    check_writable(request.out, result.pixel, result.shape, result.alpha, result.colour, pages.size(), request.write);
  if (!request.compare) return;
  const PageFacts& first = pages.front();
  for (const Pixel pixel : {first.pixel, results.front().pixel}) {
    if (is_native(pixel)) continue;
    throw Error{ErrorCode::invalid_argument,
                "--compare shows pixels u8, u16, i16, f16, f32 and f64, got " + std::string(name_of(pixel))};
  }
  const PageKind picture = kind_of_side_by_side({first.shape, first.colour, first.alpha},
                                                {results.front().shape, results.front().colour, results.front().alpha});
  check_writable(*request.compare, Pixel::u8, picture.shape, picture.alpha, picture.colour, 1);
}

/// The result comes last, so that it exists only where everything went well; without it no picture stays
/// either.
void write(const FileJob& request, const std::vector<Page>& pages, const std::vector<Page>& results,
           Timing& timing) {
  if (request.compare) {
    // Where a scale or a view was asked for, the result's values are its own; otherwise they are those of the original.
    const Pixel original_scale = pages.front().image.pixel();
    const Pixel result_scale =
        request.job.options.scale == 1 && !request.job.view ? original_scale : results.front().image.pixel();
    const Page picture = side_by_side(pages.front(), results.front(), original_scale, result_scale);
    write_pages(*request.compare, {&picture, 1});
  }
  try {
    timing.measure("write", [&] { write_pages(request.out, results, request.write); });
  } catch (...) {
    std::error_code ignored;
    if (request.compare && std::filesystem::is_regular_file(*request.compare, ignored))
      std::filesystem::remove(*request.compare, ignored);
    throw;
  }
}

}  // namespace

FilteredFile filter_file(const FileJob& request) {
  FilteredFile done;
  Timing& timing = done.timing;
  const io::PageSources sources = timing.measure("read", [&] {
    return request.compare ? io::PageSources() : io::opened_in_parts(request.in, request.read);
  });
  std::vector<Page> pages;
  std::vector<PageFacts>& facts = done.pages;
  facts = io::facts_of(sources);
  const auto read_whole = [&] {
    timing.measure("read", [&] { pages = read_pages(request.in, request.read); });
    facts.clear();
    for (const Page& page : pages) facts.push_back(facts_of(page));
  };
  if (sources.empty()) read_whole();

  done.prepared = prepare(request.job, facts, timing);
  const std::vector<PageJob>& jobs = done.prepared.jobs;
  const std::vector<PageFacts> output = results_of(jobs, facts);
  check_outputs(request, facts, output);
  done.left_out = left_out(request, facts, jobs, output);
  const bool in_strips = pages.empty() && io::is_worth_parts(facts, output) && is_written_in_parts(request.out, output, request.write);
  if (!in_strips && pages.empty()) read_whole();

  for (std::size_t i = 0; i < facts.size(); ++i) done.work += workload_of(jobs[i], facts[i]);
  if (in_strips) {
    const std::unique_ptr<PagesSink> out = create_pages(request.out, output, request.write);
    filter_in_strips(jobs, sources, *out, request.quiet, timing, done.clipped, &done.explained);
  } else {
    std::vector<Page> results;
    for (std::size_t i = 0; i < pages.size(); ++i) results.push_back(run(jobs[i], pages[i], timing, &done.clipped));
    for (const PageJob& job : jobs) done.explained += explain(job);
    write(request, pages, results, timing);
  }
  return done;
}

}  // namespace halation::app
