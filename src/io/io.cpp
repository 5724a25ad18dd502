// io.cpp: the public calls that read and write whole pages; in_parts.cpp has those for parts.
#include "halation/io.h"

#include <algorithm>
#include <memory>

#include "halation/error.h"
#include "io/channels.h"
#include "io/file.h"
#include "io/formats.h"
#include "io/metadata/exif_in_place.h"
#include "io/metadata/orientation.h"
#include "io/metadata/resolution.h"
#include "io/naming.h"

namespace halation {
namespace {

using io::Codec;
using io::PageView;

/// Brings a page into the form that codecs expect; `storage` keeps pixels that had to be changed.
PageView prepared(const Codec& codec, PageView page, Image& storage) {
  const ConstView& pixels = page.pixels;
  if (io::becomes_rgb(codec, page)) {
    storage = io::rgb_from_cmyk(pixels);
    page.pixels = storage;
  } else if (!io::rows_are_packed(pixels)) {
    storage = Image(pixels.shape, pixels.pixel);
    copy(pixels, storage);
    page.pixels = storage;
  }
  return io::as_held(codec, page);
}

void write(const std::string& path, std::span<const PageView> pages, const WriteOptions& options) {
  if (pages.empty()) throw Error(ErrorCode::invalid_argument, "no pages to write");
  io::check_options(options);
  const Codec& codec = io::codec_for(path, options.format);
  for (const PageView& page : pages) {
    if (page.pixels.data == nullptr) throw Error(ErrorCode::invalid_argument, "the image is empty");
    if (!shares_memory(page.pixels.device, cpu())) {
      throw Error(ErrorCode::invalid_argument,
                  "the image lies on " + name_of(page.pixels.device) + "; bring it to the CPU first");
    }
    io::check_request(codec, {page.pixels.pixel, page.pixels.shape, page.colour, page.alpha, pages.size()});
  }
  std::vector<Image> storage(pages.size());
  std::vector<PageView> ready;
  for (std::size_t i = 0; i < pages.size(); ++i) ready.push_back(prepared(codec, pages[i], storage[i]));

  io::Output output(path);
  try {
    if (codec.create != nullptr) {
      const std::unique_ptr<io::Encoder> encoder = codec.create(ready, options, output);
      for (const PageView& page : ready) encoder->write(page.pixels);
      encoder->finish();
    } else {
      codec.encode(ready, options, output);
    }
  } catch (const Error&) {
    if (output.failed()) output.throw_failure();  // the system's reason says more than the codec's
    throw;
  }
  output.commit();
}

/// The page of that number, or all (of an animation the first) where it is 0.
std::vector<Page> decoded(const Codec& codec, io::Bytes file, std::int64_t page, io::Reading& reading) {
  io::check_page(page);
  std::vector<Page> pages;
  if (page > 0 && codec.decode_frame != nullptr) {
    pages.push_back(codec.decode_frame(file, page, reading));
    return pages;
  }
  pages = codec.decode(file, reading);
  io::keep_page(page, pages);
  return pages;
}

int dims_of(ArrayLayout layout, const Shape& shape) {
  const std::string_view axes = name_of(layout);
  const int named =
      layout == ArrayLayout::by_rank ? 1 : static_cast<int>(axes.size()) - (axes.back() == 'c' ? 1 : 0);
  return std::max(named, shape.dims());
}

}  // namespace

ArrayLayout array_layout_named(std::string_view name) {
  constexpr std::pair<std::string_view, ArrayLayout> layouts[] = {
      {"by_rank", ArrayLayout::by_rank}, {"w", ArrayLayout::w},     {"hw", ArrayLayout::hw},
      {"hwc", ArrayLayout::hwc},         {"dhw", ArrayLayout::dhw}, {"dhwc", ArrayLayout::dhwc}};
  for (const auto& [known, layout] : layouts) {
    if (known == name) return layout;
  }
  throw Error(ErrorCode::invalid_argument,
              "unknown layout '" + std::string(name) + "'; choices: by_rank, w, hw, hwc, dhw, dhwc");
}

std::string_view name_of(ArrayLayout layout) {
  switch (layout) {
    case ArrayLayout::by_rank:
      return "by_rank";
    case ArrayLayout::w:
      return "w";
    case ArrayLayout::hw:
      return "hw";
    case ArrayLayout::hwc:
      return "hwc";
    case ArrayLayout::dhw:
      return "dhw";
    case ArrayLayout::dhwc:
      return "dhwc";
  }
  throw Error(ErrorCode::invalid_argument, "not an array layout");
}

int Page::dims() const { return dims_of(layout, image.shape()); }
int PageFacts::dims() const { return dims_of(layout, shape); }

PageFacts facts_of(const Page& page) {
  return {page.image.shape(), page.image.pixel(), page.colour, page.alpha,
          page.linear_light,  page.metadata,      page.layout, page.pictures, page.overviews, page.masks, page.unread_frames, page.bytes_behind, page.described_by, page.lost_geotiff};
}

std::vector<Page> read_pages(const std::string& path, const ReadOptions& options) {
  return io::naming(path, "standard input", [&] {
    const io::Input input(path, options.memory_bytes);
    const io::Bytes file = input.bytes();
    if (file.empty()) throw Error(ErrorCode::io, "the file is empty");
    const Codec& codec = io::codec_of(file);
    io::Reading reading(options, codec.title);
    std::vector<Page> pages = decoded(codec, file, options.page, reading);
    for (Page& page : pages) {
      if (page.layout == ArrayLayout::by_rank) page.layout = ArrayLayout::hw;
      io::remove_thumbnail(page.metadata.exif);
      io::take_resolution_of_exif(page.metadata);
      reading.apply_orientation(page, io::orientation_in(page.metadata.exif));
    }
    return pages;
  });
}

Image read_image(const std::string& path, const ReadOptions& options) {
  return std::move(read_pages(path, options).front().image);
}

void check_writable(const std::string& path, Pixel pixel, const Shape& shape, bool alpha, ColourModel colour,
                    std::size_t pages, const WriteOptions& options) {
  io::naming_output(path, [&] {
    io::check_options(options);
    io::check_request(io::codec_for(path, options.format), {pixel, shape, colour, alpha, pages});
    io::check_target(path);
  });
}

void write_pages(const std::string& path, std::span<const Page> pages, const WriteOptions& options) {
  io::naming_output(path, [&] {
    std::vector<PageView> views;
    for (const Page& page : pages) views.push_back(PageView::of(page.image, page));
    write(path, views, options);
  });
}

void write_image(const std::string& path, ConstView image, const WriteOptions& options) {
  io::naming_output(path, [&] {
    PageView page;
    page.pixels = image;
    io::infer_meaning(image.shape.channels, page.colour, page.alpha);
    write(path, {&page, 1}, options);
  });
}

}  // namespace halation
