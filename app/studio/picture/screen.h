// screen.h: a picture as a screen shows it: a part of it, scaled down to a width, 8-bit.
#pragma once

#include <cstdint>
#include <vector>

#include "halation/io.h"

namespace halation::app {

/// What of a picture is to be seen.
struct Look {
  Region part;  ///< its slice z, and a rectangle
  std::int64_t width = 1;  ///< of the screen, at most that of the rectangle
};
/// All of a picture: of volumes the middle slice.
Region whole_of(const Shape& shape);

/// A part scaled down:  screen[o] = mean of the samples that its pixel covers, those at its rim by the share that is covered, so that it is
/// what one sees from further away. Colours are averaged premultiplied by alpha, light is averaged as light and then sRGB-encoded. Values
/// become 8-bit as in side_by_side.h. The picture may come in parts (halation/strips.h).
class Screen {
 public:
  /// `scale`: the pixels whose range is black to white; that of the original. Throws `Error{invalid_argument}` where the part leaves the
  /// picture or the width is none.
  Screen(const PageFacts& page, Pixel scale, const Look& look);

  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }

  /// A part of the picture, which begins at `first` along the axis of parts, in host memory. Of each sample once.
  void take(const ConstView& part, std::int64_t first);

  /// Red, green, blue and alpha of each pixel, row by row, once all has been taken. They are handed over: to be called once.
  std::vector<std::uint8_t> rgba();

 private:
  /// The source samples that an output covers, and how much of the first and of the last.
  struct Span {
    std::int64_t begin, end;
    float first, last;

    float weight(std::int64_t i) const { return i == begin ? first : i == end - 1 ? last : 1.0F; }
  };
  static std::vector<Span> spans(std::int64_t samples, std::int64_t outputs);

  template <class T>
  void take_as(const ConstView& part, std::int64_t y0, std::int64_t x0);
  /// Sums of columns [x0, x1), of N samples each (0: one of those that there are), become those of outputs [c0, c1).
  template <int N>
  void add_columns(const float* sum, std::int64_t x0, std::int64_t x1, std::int64_t c0, std::int64_t c1, float* out) const;
  /// Finite sums of three colours over whole rows become the pixels of row y; behind them as many again may be read as an output covers.
  /// `levels` is scratch.
  void put_colours(const float* sum, std::int64_t y, std::vector<float>& levels);
  /// Sums of outputs become the pixels of row y.
  void put_row(const float* sum, std::int64_t y, std::vector<float>& levels);
  bool is_without_light_and_inks() const;

  PageFacts page_;
  Look look_;
  std::int64_t width_ = 0, height_ = 0;
  std::int64_t colours_ = 1;  ///< of the sums: 1, 3, or the 4 of CMYK
  std::int64_t samples_ = 1;  ///< with alpha
  double factor_ = 1, offset_ = 0, alpha_factor_ = 1;
  double area_ = 1;  ///< of the picture that an output covers, in pixels
  float level_factor_ = 1, level_offset_ = 0;  ///< from a sum to a level, and half a level
  std::vector<Span> rows_, columns_;
  std::int64_t most_columns_ = 0;      ///< that an output covers
  std::vector<float> column_weights_;  ///< of so many for each output
  std::vector<std::vector<float>> sums_;  ///< of the rows that several parts give; others are put as they are there
  std::vector<std::uint8_t> rgba_;
};

}  // namespace halation::app
