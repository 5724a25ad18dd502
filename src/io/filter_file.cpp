// filter_file.cpp: image files of any size filtered into others.
#include "halation/filter_file.h"

#include <memory>
#include <utility>

#include "halation/error.h"
#include "halation/strip_filter.h"
#include "halation/transfer.h"
#include "io/in_parts.h"

namespace halation {
namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_argument, sentence); }

/// What is asked, of which file.
struct FileJob {
  const Chain& chain;
  const std::string& in;
  const std::string& out;
  const FileOptions& asked;
  ReadOptions read;

  void tell(std::int64_t done, std::int64_t all) const {
    if (asked.progress) asked.progress({.done = done, .all = all});
  }
};

/// A job fitted to a page.
struct PageJob {
  Chain chain;  ///< dimensions settled
  Options options;
  ColourOptions colour;
};

PageJob fitted(const FileJob& job, const PageFacts& page) {
  if (page.colour == ColourModel::cmyk && (job.asked.gray || job.asked.linear))
    refuse(std::string(job.asked.gray ? "gray" : "linear") + " needs gray or RGB, got an image in CMYK");
  PageJob made{.chain = job.chain,
               .options = job.asked.options,
               .colour = {.alpha = page.alpha, .linear = job.asked.linear && !page.linear_light, .gray = job.asked.gray && page.colour != ColourModel::gray}};
  bool has_depth = page.shape.depth > 1;
  for (FilterSet& stage : made.chain.stages) {
    for (Filter& filter : stage.filters) {
      filter = filter.with_dims(page.dims());
      has_depth = has_depth || filter.size().depth > 1;
    }
  }
  if (has_depth && !job.asked.has_depth_border)
    refuse("border is one name or one each for depth, height and width where image or filter have depth, got two");
  return made;
}

/// The filter of strips for one page after the other; pages like the one before share theirs.
class PageFilter {
 public:
  explicit PageFilter(const FileJob& job, StripOptions strips) : job_(job), strips_(std::move(strips)) {}

  StripFilter& of(const PageFacts& page) {
    if (filter_ && is_like(page)) return *filter_;
    filter_.reset();  // its memory first
    const PageJob of_page = fitted(job_, page);
    const bool is_plain = !of_page.colour.alpha && !of_page.colour.linear && !of_page.colour.gray && !job_.asked.view;
    strips_.devices = job_.asked.devices;
    if (!is_plain) strips_.devices.resize(1);  // which take one
    filter_.emplace(page.shape, page.pixel, of_page.chain, of_page.options, of_page.colour, job_.asked.view, strips_);
    page_ = page;
    return *filter_;
  }
  void drop() { filter_.reset(); }

 private:
  bool is_like(const PageFacts& page) const {
    return page.shape == page_.shape && page.pixel == page_.pixel && page.alpha == page_.alpha && page.colour == page_.colour &&
           page.linear_light == page_.linear_light && page.layout == page_.layout;
  }

  const FileJob& job_;
  StripOptions strips_;
  std::optional<StripFilter> filter_;
  PageFacts page_;
};

ColourModel colour_of_result(const FileJob& job, const PageFacts& page) {
  return job.asked.gray && page.colour != ColourModel::gray ? ColourModel::gray : page.colour;
}

/// What comes of a page: the metadata are the page's.
PageFacts result_of(const FileJob& job, const PageFacts& page, const Shape& shape) {
  PageFacts facts = page;
  facts.shape = shape;
  facts.pixel = job.asked.options.output.value_or(page.pixel);
  facts.colour = colour_of_result(job, page);
  return facts;
}

std::int64_t pixels_of(const Shape& shape) { return shape.depth * shape.height * shape.width; }

FileReport filter_whole(const FileJob& job) {
  const std::vector<Page> pages = read_pages(job.in, job.read);
  std::int64_t done = 0, all = 0;
  for (const Page& page : pages) {
    PageFacts result = result_of(job, facts_of(page), page.image.shape());
    if (result.colour != page.colour) result.shape.channels = page.alpha ? 2 : 1;
    check_writable(job.out, result.pixel, result.shape, result.alpha, result.colour, pages.size(), job.asked.write);  // before it is worked for
    all += pixels_of(page.image.shape());
  }
  std::vector<Page> results;
  job.tell(0, all);
  const Device device = job.asked.devices.front();
  for (const Page& page : pages) {
    const PageJob of_page = fitted(job, facts_of(page));
    Image made;
    if (job.asked.view) {
      made = convolve_display(page.image, of_page.chain, *job.asked.view, of_page.options, of_page.colour, device);
    } else if (shares_memory(device, cpu()) || of_page.colour.alpha || of_page.colour.linear || of_page.colour.gray) {
      made = convolve_chain(page.image, of_page.chain, of_page.options, of_page.colour, device);
    } else {
      made = to_device(convolve_chain(to_device(page.image, device), of_page.chain, of_page.options), cpu());
    }
    results.push_back({.image = std::move(made),
                       .colour = colour_of_result(job, facts_of(page)),
                       .alpha = page.alpha,
                       .linear_light = page.linear_light,
                       .metadata = page.metadata,
                       .layout = page.layout});
    job.tell(done += pixels_of(page.image.shape()), all);
  }
  write_pages(job.out, results, job.asked.write);
  return {.pictures = pages.front().pictures};
}

/// Strip by strip, or whole where that is not possible or not worth it.
FileReport filter(const FileJob& job) {
  const io::PageSources sources = io::opened_in_parts(job.in, job.read);
  if (sources.empty()) return filter_whole(job);
  std::int64_t before = 0, of_page = 0, all = 0;  // pixels of the input
  const auto tell = [&](const StripProgress& now) {
    const double share = static_cast<double>(now.done) / static_cast<double>(now.all);
    job.tell(before + static_cast<std::int64_t>(share * static_cast<double>(of_page)), all);
  };
  PageFilter filter(job, {.memory_bytes = job.asked.memory_bytes, .progress = tell});
  const std::vector<PageFacts> pages = io::facts_of(sources);
  std::vector<PageFacts> results;
  for (const PageFacts& page : pages) {
    results.push_back(result_of(job, page, filter.of(page).output_shape()));
    const PageFacts& result = results.back();
    check_writable(job.out, result.pixel, result.shape, result.alpha, result.colour, sources.size(), job.asked.write);
    all += pixels_of(page.shape);
  }
  if (!io::is_worth_parts(pages, results) || !is_written_in_parts(job.out, results, job.asked.write)) {
    filter.drop();  // and its memory
    return filter_whole(job);
  }
  job.tell(0, all);
  const std::unique_ptr<PagesSink> out = create_pages(job.out, results, job.asked.write);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    of_page = pixels_of(pages[i].shape);
    filter.of(pages[i]).run(*sources[i], out->page(i));
    before += of_page;
  }
  out->commit();
  return {};
}

}  // namespace

FileReport filter_file(const Chain& chain, const std::string& in, const std::string& out, const FileOptions& options) {
  if (options.devices.empty()) refuse("a device is needed, got none");
  FileJob job{.chain = chain, .in = in, .out = out, .asked = options, .read = options.read};
  job.read.memory_bytes = options.memory_bytes;
  return filter(job);
}

}  // namespace halation
