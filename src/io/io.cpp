// io.cpp: the public calls: which codec a file needs, what it can hold, and errors that name the file.
#include "halation/io.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>

#include "halation/error.h"
#include "io/channels.h"
#include "io/file.h"
#include "io/orientation.h"
#include "io/refused.h"

namespace halation {
namespace {

using io::Codec;
using io::Holds;
using io::PageView;

constexpr std::array codecs = {
    &io::png_codec,  &io::jpeg_codec, &io::tiff_codec, &io::webp_codec, &io::exr_codec,
    &io::npy_codec,  &io::bmp_codec,  &io::pnm_codec,  &io::pfm_codec,  &io::gif_codec,
#ifdef HALATION_AVIF
    &io::avif_codec,
#endif
};

/// Runs `body` and puts the file's name in front of what it throws, on one line whatever a codec's library
/// had to say.
template <class Body>
auto naming(const std::string& path, const char* dash_means, Body body) {
  const std::string name = path == "-" ? dash_means : path;
  try {
    return body();
  } catch (const Error& error) {
    std::string sentence = error.what();
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');
    throw Error(error.code(), name + ": " + sentence);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::out_of_memory, name + ": not enough memory");
  } catch (const std::length_error&) {
    throw Error(ErrorCode::out_of_memory, name + ": not enough memory");
  }
}

template <class Body>
auto naming_output(const std::string& path, Body body) {
  return naming(path, "standard output", body);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// "a, b or c".
std::string listed(const std::vector<std::string>& words, const std::string& last_joint) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last_joint : ", ";
    text += words[i];
  }
  return text;
}

const Codec* codec_with_ending(const std::string& ending) {
  for (const Codec* codec : codecs) {
    if (std::find(codec->endings.begin(), codec->endings.end(), ending) != codec->endings.end()) return codec;
  }
  return nullptr;
}

const Codec& codec_for(const std::string& path, const std::string& format) {
  std::vector<std::string> formats;
  std::vector<std::string> endings;
  const std::string ending =
      format.empty() ? lower(std::filesystem::path(path).extension().string()) : "." + lower(format);
  if (const std::string_view reason = io::refusal_of_ending(ending); !reason.empty()) {
    throw Error(ErrorCode::unsupported, std::string(reason));
  }
  for (const Codec* codec : codecs) {
    if (codec->encode == nullptr) continue;
    if (lower(format) == codec->name) return *codec;
    formats.emplace_back(codec->name);
    endings.insert(endings.end(), codec->endings.begin(), codec->endings.end());
  }
  if (const Codec* codec = codec_with_ending(ending)) {
    if (codec->encode != nullptr) return *codec;
    throw Error(
        ErrorCode::unsupported,
        std::string(codec->title) + " is read, not written; formats written: " + listed(formats, ", "));
  }
  if (!format.empty()) {
    throw Error(ErrorCode::unsupported,
                "unknown format '" + format + "'; formats known: " + listed(formats, ", "));
  }
  if (path == "-") {
    throw Error(ErrorCode::unsupported,
                "has no ending that tells the format; name one of " + listed(formats, ", "));
  }
  throw Error(ErrorCode::unsupported, "unknown format; endings known: " + listed(endings, ", "));
}

/// What is to be written, as far as a format may refuse it.
struct Request {
  Pixel pixel;
  Shape shape;
  ColourModel colour;
  bool alpha;
  std::size_t pages;
};

std::int64_t colours_of(ColourModel colour) {
  switch (colour) {
    case ColourModel::gray:
      return 1;
    case ColourModel::rgb:
      return 3;
    case ColourModel::cmyk:
      return 4;
    case ColourModel::other:
      return 0;
  }
  throw Error(ErrorCode::invalid_argument, "not a colour model");
}

/// Gives channels without a colour model the one that their number suggests; five and more keep none.
void infer_meaning(std::int64_t channels, ColourModel& colour, bool& alpha) {
  if (colour != ColourModel::other || channels > 4) return;
  colour = channels <= 2 ? ColourModel::gray : ColourModel::rgb;
  alpha = channels == 2 || channels == 4;
}

/// Why the format cannot hold the pages, and what would help; empty where it can.
struct Refusal {
  std::string sentence;
  std::string advice = {};
};

std::optional<Refusal> refusal(const Codec& codec, Request request) {
  const Holds& holds = codec.holds;
  const Shape& shape = request.shape;
  const std::string title(codec.title);
  if (codec.encode == nullptr) return Refusal{title + " is read, not written"};  // `codec_for` says more
  if (shape.batch > 1) {
    return Refusal{title + " holds no batches, got one of " + std::to_string(shape.batch),
                   "write its images one by one"};
  }
  if (shape.depth > 1 && !holds.volumes) {
    return Refusal{title + " holds flat pictures, got a volume of " + std::to_string(shape.depth) +
                   " slices"};
  }
  if (request.pages > 1 && !holds.pages) {
    return Refusal{title + " holds one page, got " + std::to_string(request.pages)};
  }
  if (std::find(holds.pixels.begin(), holds.pixels.end(), request.pixel) == holds.pixels.end()) {
    return Refusal{title + " holds " + std::string(holds.pixels_in_words) + ", got " +
                       std::string(name_of(request.pixel)),
                   "use --output-pixel " + std::string(name_of(holds.pixels.front()))};
  }
  const std::int64_t lost_to_rgb = request.colour == ColourModel::cmyk && !holds.cmyk ? 1 : 0;
  if (shape.channels - lost_to_rgb > holds.most_channels) {
    return Refusal{title + " holds 1 to " + std::to_string(holds.most_channels) + " channels, got " +
                   std::to_string(shape.channels)};
  }
  if (holds.colour_alone()) infer_meaning(shape.channels, request.colour, request.alpha);
  if (request.alpha && !holds.alpha) {
    return Refusal{
        title + " holds no transparency, got " + std::to_string(shape.channels) + " channels, the last alpha",
        "drop alpha"};
  }
  if (std::max(shape.height, shape.width) > holds.most_extent) {
    return Refusal{title + " holds at most " + std::to_string(holds.most_extent) + " pixels a side, got " +
                   std::to_string(shape.width) + " by " + std::to_string(shape.height)};
  }
  return {};
}

void check_request(const Codec& codec, const Request& request) {
  const std::int64_t colours = colours_of(request.colour);
  const std::int64_t expected = colours + (request.alpha ? 1 : 0);
  if (colours > 0 && request.shape.channels != expected) {
    throw Error(ErrorCode::invalid_argument, "the page's colours need " + std::to_string(expected) +
                                                 " channels, the image has " +
                                                 std::to_string(request.shape.channels));
  }
  const std::optional<Refusal> refused = refusal(codec, request);
  if (!refused) return;
  std::vector<std::string> others;
  for (const Codec* other : codecs) {
    if (!refusal(*other, request)) others.emplace_back(other->endings.front());
  }
  std::vector<std::string> ways;
  if (!refused->advice.empty()) ways.push_back(refused->advice);
  if (!others.empty()) ways.push_back("write " + listed(others, " or "));
  throw Error(ErrorCode::unsupported, refused->sentence + (ways.empty() ? "" : "; " + listed(ways, " or ")));
}

void check_options(const WriteOptions& options) {
  if (options.quality < 1 || options.quality > 100) {
    throw Error(ErrorCode::invalid_argument,
                "quality must be 1 to 100, got " + std::to_string(options.quality));
  }
}

/// Brings a page into the form that codecs expect; `storage` keeps pixels that had to be changed.
PageView prepared(const Codec& codec, PageView page, Image& storage) {
  const ConstView& pixels = page.pixels;
  if (codec.holds.colour_alone()) infer_meaning(pixels.shape.channels, page.colour, page.alpha);
  const auto element = static_cast<std::int64_t>(bytes_of(pixels.pixel));
  if (page.colour == ColourModel::cmyk && !codec.holds.cmyk) {
    storage = io::rgb_from_cmyk(pixels);
    page.pixels = storage;
    page.colour = ColourModel::rgb;
  } else if (pixels.strides.channels != element || pixels.strides.width != element * pixels.shape.channels) {
    storage = Image(pixels.shape, pixels.pixel);
    copy(pixels, storage);
    page.pixels = storage;
  }
  if (!io::profile_fits(page.icc, page.colour)) page.icc = {};
  return page;
}

void write(const std::string& path, std::span<const PageView> pages, const WriteOptions& options) {
  if (pages.empty()) throw Error(ErrorCode::invalid_argument, "no pages to write");
  check_options(options);
  const Codec& codec = codec_for(path, options.format);
  for (const PageView& page : pages) {
    if (page.pixels.data == nullptr) throw Error(ErrorCode::invalid_argument, "the image is empty");
    if (!shares_memory(page.pixels.device, cpu())) {
      throw Error(ErrorCode::invalid_argument,
                  "the image lies on " + name_of(page.pixels.device) + "; bring it to the CPU first");
    }
    check_request(codec, {page.pixels.pixel, page.pixels.shape, page.colour, page.alpha, pages.size()});
  }
  std::vector<Image> storage(pages.size());
  std::vector<PageView> ready;
  for (std::size_t i = 0; i < pages.size(); ++i) ready.push_back(prepared(codec, pages[i], storage[i]));

  io::Output output(path);
  try {
    codec.encode(ready, options, output);
  } catch (const Error&) {
    if (output.failed()) output.throw_failure();  // the system's reason says more than the codec's
    throw;
  }
  output.commit();
}

/// The page of that number, or all (of an animation the first) where it is 0.
std::vector<Page> decoded(const Codec& codec, io::Bytes file, std::int64_t page, io::Reading& reading) {
  if (page < 0)
    throw Error(ErrorCode::invalid_argument, "pages are counted from 1, got " + std::to_string(page));
  std::vector<Page> pages;
  if (page > 0 && codec.decode_frame != nullptr) {
    pages.push_back(codec.decode_frame(file, page, reading));
    return pages;
  }
  pages = codec.decode(file, reading);
  if (page == 0) return pages;
  const auto count = static_cast<std::int64_t>(pages.size());
  if (page > count) {
    throw Error(ErrorCode::invalid_argument,
                "page " + std::to_string(page) + " was asked for, the file has " + std::to_string(count));
  }
  std::swap(pages.front(), pages[static_cast<std::size_t>(page - 1)]);
  pages.resize(1);
  return pages;
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

int Page::dims() const {
  const std::string_view axes = name_of(layout);
  const int named =
      layout == ArrayLayout::by_rank ? 1 : static_cast<int>(axes.size()) - (axes.back() == 'c' ? 1 : 0);
  return std::max(named, image.shape().dims());
}

std::vector<Page> read_pages(const std::string& path, const ReadOptions& options) {
  return naming(path, "standard input", [&] {
    const io::Input input(path, options.memory_bytes);
    const io::Bytes file = input.bytes();
    if (file.empty()) throw Error(ErrorCode::io, "the file is empty");
    for (const Codec* codec : codecs) {
      if (!codec->recognises(file)) continue;
      io::Reading reading(options, codec->title);
      std::vector<Page> pages = decoded(*codec, file, options.page, reading);
      for (Page& page : pages) {
        if (page.layout == ArrayLayout::by_rank) page.layout = ArrayLayout::hw;
        reading.apply_orientation(page, io::orientation_in(page.metadata.exif));
      }
      return pages;
    }
    if (const std::string_view reason = io::refusal_of(file); !reason.empty()) {
      throw Error(ErrorCode::unsupported, std::string(reason));
    }
    std::vector<std::string> titles;
    titles.reserve(codecs.size());
    for (const Codec* codec : codecs) titles.emplace_back(codec->title);
    throw Error(ErrorCode::io, "not an image that halation reads (" + listed(titles, ", ") + ")");
  });
}

Image read_image(const std::string& path, const ReadOptions& options) {
  return std::move(read_pages(path, options).front().image);
}

void check_writable(const std::string& path, Pixel pixel, const Shape& shape, bool alpha, ColourModel colour,
                    std::size_t pages, const WriteOptions& options) {
  naming_output(path, [&] {
    check_options(options);
    check_request(codec_for(path, options.format), {pixel, shape, colour, alpha, pages});
    io::check_target(path);
  });
}

void write_pages(const std::string& path, std::span<const Page> pages, const WriteOptions& options) {
  naming_output(path, [&] {
    std::vector<PageView> views;
    for (const Page& page : pages) {
      const Metadata& kept = page.metadata;
      views.push_back({page.image, page.colour, page.alpha, page.linear_light, kept.icc, kept.exif, kept.xmp,
                       kept.dots_per_inch_y, kept.dots_per_inch_x, page.layout});
    }
    write(path, views, options);
  });
}

void write_image(const std::string& path, ConstView image, const WriteOptions& options) {
  naming_output(path, [&] {
    PageView page;
    page.pixels = image;
    infer_meaning(image.shape.channels, page.colour, page.alpha);
    write(path, {&page, 1}, options);
  });
}

}  // namespace halation
