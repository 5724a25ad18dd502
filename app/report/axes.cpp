// axes.cpp: what all charts have: axes, and names beside lines.
#include "axes.h"

#include <fmt/format.h>

#include <cmath>

namespace halation::app {
namespace {

constexpr double label_step_px = 17;

}  // namespace

std::vector<double> thinned(const Scale& scale, const std::vector<double>& ticks) {
  std::vector<double> kept;
  for (const double tick : ticks) {
    const double room = digit_px * static_cast<double>(tick_text(tick).size()) + 6;
    if (kept.empty() || std::fabs(scale(tick) - scale(kept.back())) >= room) kept.push_back(tick);
  }
  return kept;
}

void x_axis(Svg& svg, const Scale& scale, const std::vector<double>& ticks, double top, double bottom,
            std::string_view what) {
  for (const double tick : ticks) {
    svg.line(scale(tick), top, scale(tick), bottom, "grid");
    svg.text(scale(tick), bottom + 16, tick_text(tick), "small", Align::middle);
  }
  svg.text((scale(scale.low()) + scale(scale.high())) / 2, bottom + 36, what, "small", Align::middle);
}

void y_axis(Svg& svg, const Scale& scale, double left, double right, std::string_view what) {
  for (const double tick : scale.ticks()) {
    svg.line(left, scale(tick), right, scale(tick), "grid");
    svg.text(left - 6, scale(tick) + 4, tick_text(tick), "small", Align::end);
  }
  svg.text(left - 50, scale(scale.high()) - 14, what, "small");
}

void draw_labels(Svg& svg, const std::vector<Label>& labels, double x, double top, double bottom) {
  std::vector<double> wanted;
  wanted.reserve(labels.size());
  for (const Label& label : labels) wanted.push_back(label.y);
  const std::vector<double> places = spread(wanted, label_step_px, top, bottom);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    svg.path({{labels[i].x, labels[i].y}, {x - 14, places[i]}, {x - 4, places[i]}}, "leader");
    svg.text(x, places[i] + 4, labels[i].words, fmt::format("small ink{}", labels[i].colour));
  }
}

}  // namespace halation::app
