// svg.h: drawings as SVG text, and the scales of their axes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halation::app {

/// `text` with &, <, > and quotes written so that HTML and XML take them as characters, and what XML cannot hold made `printable` or blank.
std::string escaped_markup(std::string_view text);

/// Values along an axis, linear or logarithmic, and where they stand in px.
class Scale {
 public:
  /// From 0 to a round number above `most`.
  static Scale linear(double most, double from_px, double to_px);
  /// From `least` to `most`, whatever they are.
  static Scale linear_between(double least, double most, double from_px, double to_px);
  /// Between 1, 2 or 5 times powers of ten that hold `least` and `most`, both above 0.
  static Scale logarithmic(double least, double most, double from_px, double to_px);

  double operator()(double value) const;
  /// Round values, ten at most: on a logarithmic axis the decades, with 2 and 5 between them where they are
  /// few.
  std::vector<double> ticks() const;
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  Scale(bool is_logarithmic, double low, double high, double from_px, double to_px)
      : is_logarithmic_(is_logarithmic), low_(low), high_(high), from_px_(from_px), to_px_(to_px) {}
  bool is_logarithmic_;
  double low_, high_, from_px_, to_px_;
};

/// "0.01", "5", "2000": a tick's value.
std::string tick_text(double value);

/// Places as near as can be to those wanted, in their order, at least `gap` apart and within [low, high] if
/// there is room.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high);

enum class Align { start, middle, end };

/// A drawing. Colours and strokes are left to style sheets, by the names of classes.
class Svg {
 public:
  /// `id` is unique on the page; readers of screens hear the title and the description.
  Svg(std::string id, double width, double height, std::string title, std::string description);

  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void rectangle(double x, double y, double width, double height, std::string_view style,
                 std::string_view tip = "");
  /// A rectangle of a map: of the style's colour by `strength`, from 0, nothing, to 1.
  void cell(double x, double y, double width, double height, std::string_view style, double strength, std::string_view tip = "");
  void circle(double x, double y, double radius, std::string_view style, std::string_view tip = "");
  void path(const std::vector<std::pair<double, double>>& points, std::string_view style);
  /// `y` is that of the base line.
  void text(double x, double y, std::string_view words, std::string_view style = "",
            Align align = Align::start);

  /// In a box of its own, which scrolls where the page is too narrow for words to be read.
  std::string markup() const;

 private:
  std::string id_;
  double width_px_, height_px_;
  std::string title_, description_, body_;
};

}  // namespace halation::app
