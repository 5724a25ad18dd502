// pixel_format.cpp: how the samples of a video's frames lie in memory.
#include "pixel_format.h"

#include <algorithm>
#include <string_view>

namespace halation::app {
namespace {

int bits_for(int depth, bool whole_range) {
  if (depth <= 8) return 8;
  if (depth <= 10 && !whole_range) return 10;
  return depth <= 12 && !whole_range ? 12 : 16;
}

/// "le" where samples have two bytes, with their number of bits before it: "10le".
std::string depth_suffix(int bits) { return bits == 8 ? "" : std::to_string(bits) + "le"; }

FrameFormat with_depth(FrameFormat format, int bits) {
  format.bits = bits;
  format.pixel = bits == 8 ? Pixel::u8 : Pixel::u16;
  return format;
}

FrameFormat gray_of(int bits) { return with_depth({.name = "gray" + depth_suffix(bits), .kind = FrameFormat::Kind::gray}, bits); }

FrameFormat gray_with_alpha_of(int bits) {
  const bool is_deep = bits > 8;
  return with_depth({.name = is_deep ? "ya16le" : "ya8", .kind = FrameFormat::Kind::pixels, .channels = 2}, is_deep ? 16 : 8);
}

FrameFormat rgb_of(const FormatFacts& facts, int bits) {
  using Kind = FrameFormat::Kind;
  const bool is_deep = bits > 8;
  if (facts.has_alpha) {
    const bool is_there = facts.name == (is_deep ? "bgra64le" : "bgra");
    return with_depth({.name = is_there ? facts.name : is_deep ? "rgba64le" : "rgba", .kind = Kind::pixels, .channels = 4}, is_deep ? 16 : 8);
  }
  constexpr std::string_view packed[] = {"rgb24", "bgr24", "rgb48le", "bgr48le"};
  const bool is_packed = std::find(std::begin(packed), std::end(packed), facts.name) != std::end(packed);
  if (is_packed || (!is_deep && facts.name != "gbrp"))
    return with_depth({.name = is_packed ? facts.name : "rgb24", .kind = Kind::pixels, .channels = 3}, is_deep ? 16 : 8);
  return with_depth({.name = "gbrp" + depth_suffix(bits), .kind = Kind::rgb_planes}, bits);
}

FrameFormat yuv_of(const FormatFacts& facts, int bits) {
  struct Sampling {
    int x, y;
    std::string_view name;
    int most_bits;
  };
  constexpr Sampling known[] = {{1, 1, "420", 16}, {1, 0, "422", 16}, {0, 0, "444", 16}, {0, 1, "440", 12}, {2, 0, "411", 8}, {2, 2, "410", 8}};
  const auto fits = [&](const Sampling& each) { return each.x == facts.chroma_x && each.y == facts.chroma_y && bits <= each.most_bits; };
  const Sampling* found = std::find_if(std::begin(known), std::end(known), fits);
  const Sampling sampling = found == std::end(known) ? known[2] : *found;
  // Of the whole range, as JPEG has it, which the letter says.
  const bool is_jpeg = facts.name.starts_with("yuvj") && bits == 8;
  return with_depth({.name = (is_jpeg ? "yuvj" : "yuv") + std::string(sampling.name) + "p" + depth_suffix(bits),
                     .kind = FrameFormat::Kind::yuv,
                     .chroma_x = sampling.x,
                     .chroma_y = sampling.y},
                    bits);
}

}  // namespace

Shape FrameFormat::image(std::int64_t width, std::int64_t height) const {
  return {.depth = kind == Kind::rgb_planes ? 3 : 1, .height = height, .width = width, .channels = channels};
}

Shape FrameFormat::chroma(std::int64_t width, std::int64_t height) const {
  const auto smaller = [](std::int64_t extent, int shift) { return (extent + (std::int64_t{1} << shift) - 1) >> shift; };
  return {.depth = 2, .height = smaller(height, chroma_y), .width = smaller(width, chroma_x)};
}

FrameFormat frame_format_for(const FormatFacts& facts, const FormatWanted& wanted) {
  const int bits = bits_for(facts.depth, wanted.whole_range);
  const bool is_colour = facts.components > 2 || facts.has_palette;
  if (facts.has_alpha && !facts.has_palette && (!is_colour || wanted.gray)) return gray_with_alpha_of(bits);
  if (!is_colour) return gray_of(bits);
  const bool is_rgb = facts.is_rgb || facts.has_palette || facts.has_alpha;
  if (is_rgb && wanted.gray) return gray_of(bits);
  return is_rgb || wanted.rgb ? rgb_of(facts, bits) : yuv_of(facts, bits);
}

void clamp(const std::uint16_t* samples, std::uint16_t* clamped, std::size_t count, std::uint16_t most) {
  for (std::size_t i = 0; i < count; ++i) clamped[i] = std::min(samples[i], most);
}

}  // namespace halation::app
