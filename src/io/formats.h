// formats.h: which codec a file needs, what it can hold, and which of its pages are asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/codec.h"

namespace halation::io {

/// Throws `Error{invalid_argument}` where a file of `count` pages, or of any number of them, has none of that number; 0 means all.
void check_page(std::int64_t number, std::int64_t count = std::numeric_limits<std::int64_t>::max());

/// The codec that recognises the bytes. Throws `Error{io}` where none does, `Error{unsupported}` for formats refused by name.
const Codec& codec_of(Bytes file);

/// Leaves the page of that number, counted from 1, alone; all where it is 0. Throws `Error{invalid_argument}`.
template <class AnyPage>
void keep_page(std::int64_t number, std::vector<AnyPage>& pages) {
  check_page(number, static_cast<std::int64_t>(pages.size()));
  if (number == 0) return;
  std::swap(pages.front(), pages[static_cast<std::size_t>(number - 1)]);
  pages.resize(1);
}

/// Whether a volume is so thin along x that those are probably the channels of an image.
bool looks_like_channels(const Shape& volume);

/// The ending of a file's name in lower case, ".jpg".
std::string ending_of(const std::filesystem::path& path);

/// The codec of a format's name or, where that is empty, of the path's ending. Throws `Error{unsupported}`.
const Codec& codec_for(const std::string& path, const std::string& format);

/// What is to be written, as far as a format may refuse it.
struct Request {
  Pixel pixel;
  Shape shape;
  ColourModel colour;
  bool alpha;
  std::size_t pages;
};

/// Throws `Error{unsupported}` with what would help where the format cannot hold it, `Error{invalid_argument}` where colours and channels
/// contradict each other.
void check_request(const Codec& codec, const Request& request);
void check_options(const WriteOptions& options);

/// Gives channels without a colour model the one that their number suggests; five and more keep none.
void infer_meaning(std::int64_t channels, ColourModel& colour, bool& alpha);

/// Whether the page's CMYK must become RGB first.
bool becomes_rgb(const Codec& codec, const PageView& page);

/// What the file will say of a page: its meaning, and a profile only where that fits.
PageView as_held(const Codec& codec, PageView page);

}  // namespace halation::io
