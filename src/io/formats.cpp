// formats.cpp: which codec a file needs, what it can hold, and which of its pages are asked for.
#include "io/formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>

#include "halation/error.h"
#include "io/channels.h"
#include "io/codecs/refused.h"

namespace halation::io {
namespace {

constexpr std::array codecs = {
    &png_codec,  &jpeg_codec, &tiff_codec, &webp_codec, &exr_codec,
    &npy_codec,  &bmp_codec,  &pnm_codec,  &ppm_codec,  &pgm_codec,
    &pfm_codec,  &gif_codec,  &pbm_codec,
#ifdef HALATION_AVIF
    &avif_codec,
#endif
};

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

template <class Takes>
std::vector<std::string> endings_of(const Takes& takes) {
  std::vector<std::string> endings;
  for (const Codec* codec : codecs) {
    if (takes(*codec)) endings.insert(endings.end(), codec->endings.begin(), codec->endings.end());
  }
  return endings;
}

const Codec* codec_with_ending(const std::string& ending) {
  for (const Codec* codec : codecs) {
    if (std::find(codec->endings.begin(), codec->endings.end(), ending) != codec->endings.end()) return codec;
  }
  return nullptr;
}

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

/// What to know of pixels that become others: nothing is scaled unasked.
std::string values_stay(Pixel from, Pixel to) {
  std::string remedy;
  if (from == Pixel::u16 && to == Pixel::u8) remedy = "--scale 0.003891 makes 255 of 65535";
  else if (is_float(from) && to == Pixel::u8) remedy = "--scale 255 makes 255 of 1";
  else if ((from == Pixel::u8 || from == Pixel::u16) && is_float(to)) remedy = "--linear makes light from 0 to 1 of them";
  return remedy.empty() ? "" : " (values stay as they are; " + remedy + ")";
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
  if (!codec.is_written()) return Refusal{title + " is read, not written"};  // `codec_for` says more
  if (shape.batch > 1) {
    return Refusal{title + " holds no batches, got one of " + std::to_string(shape.batch),
                   "write its images one by one"};
  }
  if (shape.depth > 1 && !holds.volumes) {
    return Refusal{title + " holds flat pictures, got a volume of " + std::to_string(shape.depth) +
                       " slices",
                   looks_like_channels(shape) ? "read its last axis as channels by --layout hwc" : ""};
  }
  if (request.pages > 1 && !holds.pages) {
    return Refusal{title + " holds one page, got " + std::to_string(request.pages), "take one by --page"};
  }
  const std::int64_t lost_to_rgb = request.colour == ColourModel::cmyk && !holds.cmyk ? 1 : 0;
  if (shape.channels - lost_to_rgb > holds.most_channels) {
    const std::string most = holds.most_channels == 1 ? "one channel" : "1 to " + std::to_string(holds.most_channels) + " channels";
    return Refusal{title + " holds " + most + ", got " + std::to_string(shape.channels)};
  }
  if (holds.colour_alone()) infer_meaning(shape.channels, request.colour, request.alpha);
  if (request.alpha && !holds.alpha) {
    return Refusal{title + " holds no transparency, got " + std::to_string(shape.channels) + " channels, the last alpha"};
  }
  // Behind what no option changes.
  if (std::find(holds.pixels.begin(), holds.pixels.end(), request.pixel) == holds.pixels.end()) {
    return Refusal{title + " holds " + std::string(holds.pixels_in_words) + ", got " +
                       std::string(name_of(request.pixel)),
                   "use --output-pixel " + std::string(name_of(holds.pixels.front())) + values_stay(request.pixel, holds.pixels.front())};
  }
  if (std::max(shape.height, shape.width) > holds.most_extent) {
    return Refusal{title + " holds at most " + std::to_string(holds.most_extent) + " pixels a side, got " +
                   std::to_string(shape.width) + " by " + std::to_string(shape.height)};
  }
  return {};
}

}  // namespace

std::string ending_of(const std::filesystem::path& path) { return lower(path.extension().string()); }

bool looks_like_channels(const Shape& volume) {
  constexpr std::int64_t most_channels = 4;
  return volume.depth > most_channels && volume.height > most_channels && volume.width > 1 && volume.width <= most_channels && volume.channels == 1;
}

void check_page(std::int64_t number, std::int64_t count) {
  if (number < 0) throw Error(ErrorCode::invalid_argument, "pages are counted from 1, got " + std::to_string(number));
  if (number > count) {
    throw Error(ErrorCode::invalid_argument,
                "page " + std::to_string(number) + " was asked for, the file has " + std::to_string(count));
  }
}

const Codec& codec_of(Bytes file) {
  for (const Codec* codec : codecs) {
    if (codec->recognises != nullptr && codec->recognises(file)) return *codec;
  }
  if (const std::string_view reason = refusal_of(file); !reason.empty()) {
    throw Error(ErrorCode::unsupported, std::string(reason));
  }
  std::vector<std::string> titles;
  titles.reserve(codecs.size());
  for (const Codec* codec : codecs) {
    if (codec->recognises != nullptr) titles.emplace_back(codec->title);
  }
  throw Error(ErrorCode::io, "not an image that halation reads (" + listed(titles, ", ") + ")");
}

const Codec& codec_for(const std::string& path, const std::string& format) {
  std::vector<std::string> formats;
  const std::string ending = format.empty() ? ending_of(path) : "." + lower(format);
  if (const std::string_view reason = refusal_of_ending(ending); !reason.empty()) {
    throw Error(ErrorCode::unsupported, std::string(reason));
  }
  for (const Codec* codec : codecs) {
    if (!codec->is_written()) continue;
    if (lower(format) == codec->name) return *codec;
    formats.emplace_back(codec->name);
  }
  if (const Codec* codec = codec_with_ending(ending)) {
    if (codec->is_written()) return *codec;
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
  throw Error(ErrorCode::unsupported, "unknown format; endings known: " + listed(writable_endings(), ", "));
}

void infer_meaning(std::int64_t channels, ColourModel& colour, bool& alpha) {
  if (colour != ColourModel::other || channels > 4) return;
  colour = channels <= 2 ? ColourModel::gray : ColourModel::rgb;
  alpha = channels == 2 || channels == 4;
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

bool becomes_rgb(const Codec& codec, const PageView& page) {
  return page.colour == ColourModel::cmyk && !codec.holds.cmyk;
}

PageView as_held(const Codec& codec, PageView page) {
  if (codec.holds.colour_alone()) infer_meaning(page.pixels.shape.channels, page.colour, page.alpha);
  if (becomes_rgb(codec, page)) page.colour = ColourModel::rgb;
  if (!profile_fits(page.icc, page.colour)) page.icc = {};
  return page;
}

}  // namespace halation::io

namespace halation {

std::vector<std::string> readable_endings() {
  return io::endings_of([](const io::Codec&) { return true; });
}

std::vector<std::string> writable_endings() {
  return io::endings_of([](const io::Codec& codec) { return codec.is_written(); });
}

}  // namespace halation
