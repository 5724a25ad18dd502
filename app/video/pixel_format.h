// pixel_format.h: how the samples of a video's frames lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "halation/view.h"

namespace halation::app {

/// A pixel format as ffprobe describes it.
struct FormatFacts {
  std::string name;
  int components = 0;
  int depth = 0;  ///< bits of the deepest component
  int chroma_x = 0, chroma_y = 0;  ///< chroma planes are smaller by 2 to the power of these
  bool is_rgb = false, is_planar = false, has_alpha = false, has_palette = false;
};

/// A format that frames are filtered in: packed samples of 8 or 16 bits, row after row and plane after plane without gaps.
///
/// What a frame begins with is filtered as one image: a gray one, pixels of several channels, R, G and B in planes of their own (the slices
/// of a volume, to filters of two dimensions), or luma. The two chroma planes behind luma are the slices of another.
struct FrameFormat {
  enum class Kind { gray, pixels, rgb_planes, yuv };
  std::string name;  ///< ffmpeg's
  Kind kind = Kind::gray;
  Pixel pixel = Pixel::u8;
  int bits = 8;
  std::int64_t channels = 1;  ///< of kind pixels; 2 and 4: the last is alpha
  int chroma_x = 0, chroma_y = 0;

  Shape image(std::int64_t width, std::int64_t height) const;
  /// Only of kind yuv.
  Shape chroma(std::int64_t width, std::int64_t height) const;
  bool has_alpha() const { return channels == 2 || channels == 4; }
  /// Where chroma says that there is no colour.
  double zero() const { return static_cast<double>(std::int64_t{1} << (bits - 1)); }
  /// The largest sample.
  std::uint16_t most() const { return static_cast<std::uint16_t>((1U << static_cast<unsigned>(bits)) - 1); }
  bool uses_whole_pixel() const { return bits == 8 || bits == 16; }
};

/// By name alone: what frames are wanted as.
struct FormatWanted {
  bool rgb = false;          ///< R, G and B rather than luma and chroma
  bool gray = false;         ///< one channel where the file has R, G and B; luma and chroma stay what they are
  bool whole_range = false;  ///< samples of more than 8 bits have 16, so that all values of their pixels are in use
};

/// The format itself where it is one of planes or pixels as above, of 8, 10, 12 or 16 bits; else the nearest that is: of no fewer bits and
/// no fewer chroma samples, alpha with R, G and B or with gray.
FrameFormat frame_format_for(const FormatFacts& facts, const FormatWanted& wanted);

/// The samples, each `most` at most.
void clamp(const std::uint16_t* samples, std::uint16_t* clamped, std::size_t count, std::uint16_t most);

}  // namespace halation::app
