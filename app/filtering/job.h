// job.h: what is asked of every page of a file, and the doing of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clipping.h"
#include "halation/display.h"
#include "halation/io.h"
#include "pipeline/chain/prepared_chain.h"
#include "timing.h"

namespace halation::app {

/// A filter job as the user stated it, before any image is known.
struct Job {
  Chain chain;                       ///< dimensions may be open
  std::vector<std::int64_t> anchor = {};  ///< X, Y,X or Z,Y,X, of a filter alone; empty: the filter's own
  std::vector<Border> borders = {
      Border::reflect101()};  ///< one, or one each for height,width or depth,height,width
  Options options = {};       ///< all but `border`, which follows from `borders`
  bool linear = false;        ///< in linear light; pages that hold light already are filtered as they are
  bool gray = false;          ///< as luma; gray pages are filtered as they are
  std::optional<Display> view = {};   ///< what the picture shows of the result; none: its values, rounded
  std::optional<Device> device = {};  ///< none: where the whole job ends soonest
  std::vector<Device> more_gpus = {};  ///< that take strips, frames or files in turn with it
};

/// A job fitted to one page: everything that can be known before its pixels are touched.
struct PageJob {
  Chain chain;  ///< dimensions settled
  Options options;
  ColourOptions colour;
  std::optional<Display> view;
  Device device;
  std::vector<Device> more_gpus;
  PreparedChain prepared;     ///< of the colours between decoding and encoding, for reports
  double colour_seconds = 0;  ///< that decoding and encoding should take
  Pixel input_pixel = Pixel::u8;
  Shape output_shape;
  Pixel output_pixel = Pixel::u8;
  ColourModel output_colour = ColourModel::other;
};

/// Throws `Error` where nothing could be written at `path`, whatever the image, in the job's output pixel if
/// it names one.
void check_place(const std::string& path, std::optional<Pixel> pixel, const WriteOptions& options = {});

/// The jobs of all pages, on one device. Their time goes to the phase "plan", that of a GPU's start to "start". Throws `Error` where
/// job and page do not go together.
struct Prepared {
  std::vector<PageJob> jobs;
  Device device;
  std::string why;  ///< of the device, where it was for `prepare` to choose
};
Prepared prepare(const Job& job, const std::vector<PageFacts>& pages, Timing& timing);

/// What comes of a page by a job: the metadata are the page's.
PageFacts result_facts(const PageJob& job, const PageFacts& page);

/// The filtered page, with the page's metadata; writers leave out a colour profile that no longer fits. Its time goes to the phase
/// "compute", and on a GPU to "allocate", "upload" and "download" beside it. To `clipped`, where given, is added what the page's
/// pixels could not hold (`clipping_worth_saying`); where it has to be counted its time goes to the phase "count".
Page run(const PageJob& job, const Page& page, Timing& timing, Clipped* clipped = nullptr);

/// The sentence of clipping.h. `clipped` sums up pages that `run` made by jobs like `job`, and `view` is how the user asks for one.
std::string clipping_note(const Clipped& clipped, const PageJob& job, const std::string& view = "--view");

/// The same with the page's pixels where the job's device has them already. Only for jobs that `takes_kept_pixels`.
Page run(const PageJob& job, const Page& page, ConstView pixels, Timing& timing, Clipped* clipped = nullptr);
bool takes_kept_pixels(const PageJob& job);
/// Whether filtering is all that is done to its colours: no alpha, linear light, luma or view.
bool is_plain(const PageJob& job);

/// What filtering, decoding and encoding should take, of methods that were timed what they took.
double expected_seconds(const PageJob& job);

/// What `run` does and why, in a few lines.
std::string explain(const PageJob& job);

/// What `run` does, in numbers.
Workload workload_of(const PageJob& job, const PageFacts& page);

}  // namespace halation::app
