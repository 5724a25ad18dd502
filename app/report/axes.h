// axes.h: what all charts have: axes, and names beside lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "svg.h"

namespace halation::app {

// Charts that stand alone are as wide; names stand in a column of their own, left of bars and right of lines.
inline constexpr double width_px = 900;
inline constexpr double half_width_px = 440;  ///< of charts that stand beside each other, or below on a phone
inline constexpr double names_px = 170;
inline constexpr double axis_px = 46;  ///< ticks and what they count

/// A digit's width at most, in the page's 12 px.
inline constexpr double digit_px = 7.5;
/// Those of `ticks` that leave room for each other's numbers.
std::vector<double> thinned(const Scale& scale, const std::vector<double>& ticks);

/// Below the chart.
void x_axis(Svg& svg, const Scale& scale, const std::vector<double>& ticks, double top, double bottom,
            std::string_view what);
/// Left of it.
void y_axis(Svg& svg, const Scale& scale, double left, double right, std::string_view what);

/// The name of a point or a line at its place, in one of the colours of lines.
struct Label {
  double x, y;
  std::string words;
  std::size_t colour;
};

/// Names in the margin at `x`, apart from each other, each tied to what it names.
void draw_labels(Svg& svg, const std::vector<Label>& labels, double x, double top, double bottom);

}  // namespace halation::app
