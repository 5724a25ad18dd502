// left_out.cpp: what of a file its result has not, or was not heeded.
#include "left_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/memory.h"
#include "io/formats.h"
#include "io/metadata/icc.h"
#include "io/tiff/geotiff.h"
#include "io/tiff/stack_description.h"

namespace halation::app {
namespace {

constexpr std::string_view filters_all = "halation video filters all, by ffmpeg";

/// Where linear light is asked of a profile that may have another curve than sRGB's, which Display P3 has too.
std::string curve_left_out(const FileJob& request, const std::vector<PageFacts>& pages) {
  for (const PageFacts& page : pages) {
    if (!request.job.linear || page.linear_light || page.metadata.icc.empty()) continue;
    const std::string name = io::profile_name(page.metadata.icc);
    if (name.find("sRGB") == std::string::npos && name.find("Display P3") == std::string::npos)
      return fmt::format("{}: --linear takes sRGB's curve, not that of its profile{}", request.in, name.empty() ? "" : fmt::format(" ({})", name));
  }
  return "";
}

/// Where a picture would look black, as its results are a hundredth of what the pixels asked for hold, or less.
std::string range_left_out(const FileJob& request, const PageJob& job) {
  const bool is_picture = job.output_pixel == Pixel::u8 || job.output_pixel == Pixel::u16;
  if (job.view || !is_picture || job.output_pixel == job.input_pixel || io::codec_for(request.out, request.write.format).name == "npy") return "";
  const double most = results_of(job.chain, job.input_pixel, job.output_pixel, job.options, job.colour.linear).most, whole = largest(job.output_pixel);
  if (most <= 0 || 100 * most > whole) return "";
  return fmt::format("{}: results{} are at most {:.4g} of {}; --scale {:.4g} uses all", request.out, is_float(job.input_pixel) ? " of pixels from 0 to 1" : "",
                     most, whole, job.options.scale * whole / most);
}

}  // namespace

std::string left_out(const FileJob& request, const std::vector<PageFacts>& pages, const std::vector<PageJob>& jobs, const std::vector<PageFacts>& results) {
  std::vector<std::string> sentences;
  const PageFacts& first = pages.front();
  if (request.read.layout == ArrayLayout::by_rank && io::looks_like_channels(first.shape))
    sentences.push_back(fmt::format("{} is filtered as a volume of {}x{}x{}; --layout hwc takes its last axis as channels", request.in, first.shape.depth,
                                    first.shape.height, first.shape.width));
  if (request.read.page == 0 && first.pictures > 1) {
    sentences.push_back(fmt::format("{0} has {1} pictures, of which the first is filtered; say --page 1, or which, from 1 to {1}; {2}",
                                    request.in, first.pictures, filters_all));
  }
  if (request.read.page == 0 && first.unread_frames > 0) {
    const std::string frames = first.unread_frames == 1 ? "other frame is" : fmt::format("{} other frames are", first.unread_frames);
    sentences.push_back(fmt::format("{} is animated: its {} left out; {}", request.in, frames, filters_all));
  }
  if (request.read.page == 0 && first.bytes_behind > 0) {
    sentences.push_back(fmt::format("{}: what lies behind its picture ({}: another picture or a video) is not kept", request.in,
                                    size_in_words(static_cast<double>(first.bytes_behind))));
  }
  if (io::codec_for(request.out, request.write.format).name == "tiff") {
    bool turned = false;
    std::string_view wrong;  // tags, in words
    std::int64_t overviews = 0, masks = 0;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const std::vector<std::byte>& geotiff = pages[i].metadata.geotiff;
      if (!io::geotiff_fits(geotiff, results[i].shape)) wrong = io::title_of_geotiff(geotiff);
      turned = turned || pages[i].lost_geotiff;
      overviews += pages[i].overviews;
      masks += pages[i].masks;
    }
    if (!wrong.empty())
      sentences.push_back(fmt::format("{}: its {} are not kept, the result has another size; --extent same keeps them", request.in, wrong));
    if (!first.described_by.empty() && !io::keeps_stack_description(results))
      sentences.push_back(fmt::format("{}: what {} says of its pages (size of a pixel, channels, slices) is not kept, it does not hold of the result",
                                      request.in, first.described_by));
    if (turned)
      sentences.push_back(fmt::format("{}: its GeoTIFF tags are not kept, they are of the picture before it is turned upright", request.in));
    if (overviews > 0)
      sentences.push_back(fmt::format("{}: its {} not kept; gdaladdo or vips makes overviews of the result", request.in,
                                      overviews == 1 ? "overview is" : fmt::format("{} overviews are", overviews)));
    if (masks > 0)
      sentences.push_back(fmt::format("{}: its {} not kept", request.in, masks == 1 ? "mask is" : fmt::format("{} masks are", masks)));
  }
  if (std::string range = range_left_out(request, jobs.front()); !range.empty()) sentences.push_back(std::move(range));
  if (std::string curve = curve_left_out(request, pages); !curve.empty()) sentences.push_back(std::move(curve));
  return fmt::format("{}", fmt::join(sentences, "; "));
}

}  // namespace halation::app
