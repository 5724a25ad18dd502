// charts.cpp: the charts of the pages of `halation explain`.
#include "charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "app/report/axes.h"
#include "app/report/page.h"
#include "app/report/svg.h"
#include "app/report/text/table.h"
#include "core/stopwatch.h"

namespace halation::app {
namespace {

constexpr double bar_px = 18;
constexpr double bar_step_px = 27;
constexpr double bar_names_px = 108;
constexpr double bar_values_px = 116;
// Bars of times that differ by more than this are drawn on a logarithmic axis.
constexpr double widest_linear_range = 20;

/// One bar: its name, length, the words behind it, its colour, and what a pointer is told. Without a length
/// words alone.
struct Bar {
  std::string name;
  std::optional<double> value;
  std::string words, style, tip;
};

/// `mark`: a value that a line across all bars shows.
std::string bars_chart(const std::vector<Bar>& bars, const std::string& id, const std::string& title,
                       const std::string& what, std::optional<double> mark = {}) {
  double least = HUGE_VAL, most = 0;
  for (const Bar& bar : bars) {
    if (!bar.value) continue;
    least = std::min(least, *bar.value);
    most = std::max(most, *bar.value);
  }
  if (bars.empty()) return "";
  const bool logarithmic = least > 0 && most > widest_linear_range * least;
  const double top = 8, bottom = top + bar_step_px * static_cast<double>(bars.size());
  const double from = bar_names_px, to = half_width_px - bar_values_px;
  // From well below the shortest, so that its bar has a length.
  const Scale scale =
      logarithmic ? Scale::logarithmic(least / 3, most, from, to) : Scale::linear(most, from, to);
  Svg svg(id, half_width_px, bottom + axis_px, title,
          fmt::format("{} bars on a {} axis, the longest {}.", bars.size(),
                      logarithmic ? "logarithmic" : "linear", short_number(most)));
  x_axis(svg, scale, thinned(scale, scale.ticks()), top, bottom,
         what + (logarithmic ? " (logarithmic)" : ""));
  double y = top + (bar_step_px - bar_px) / 2;
  for (const Bar& bar : bars) {
    const double end = bar.value ? scale(*bar.value) : from;
    svg.text(from - 8, y + 13, bar.name, "small", Align::end);
    if (bar.value) svg.rectangle(from, y, end - from, bar_px, bar.style, bar.tip);
    svg.text(end + 6, y + 13, bar.words, "small");
    y += bar_step_px;
  }
  svg.line(from, top, from, bottom, "axis");
  if (mark) svg.line(scale(*mark), top, scale(*mark), bottom, "mark");
  return svg.markup();
}

}  // namespace

std::optional<MethodTime> time_of(const std::vector<RankedMethod>& ranking, const RankedMethod& method) {
  const RankedMethod& chosen = ranking.front();
  const auto time = [](double seconds, double of_chosen, bool measured) {
    return MethodTime{.seconds = seconds, .over_chosen = seconds / of_chosen, .measured = measured};
  };
  if (method.measured_seconds && chosen.measured_seconds && *chosen.measured_seconds > 0)
    return time(*method.measured_seconds, *chosen.measured_seconds, true);
  if (method.expected_seconds && chosen.expected_seconds && *chosen.expected_seconds > 0)
    return time(*method.expected_seconds, *chosen.expected_seconds, false);
  return {};
}

std::string ratio_text(double ratio) {
  return ratio < 99.95 ? fmt::format("{:.3g}", ratio) : fmt::format("{:.0f}", ratio);
}

std::string methods_chart(const std::vector<RankedMethod>& ranking, const std::string& id) {
  std::vector<Bar> bars;
  for (const RankedMethod& method : ranking) {
    const std::optional<MethodTime> time = time_of(ranking, method);
    if (!time || !std::isfinite(time->over_chosen) || time->over_chosen <= 0) continue;
    const std::string name(name_of(method.method));
    bars.push_back(
        {.name = name,
         .value = time->over_chosen,
         .words = time_text(time->seconds) +
                  (&method == &ranking.front() ? "" : fmt::format(", {}x", ratio_text(time->over_chosen))),
         .style = !method.why_not.empty()       ? "hollow axis"
                  : &method == &ranking.front() ? "library"
                                                : "gpu",
         .tip = fmt::format("{}: {} {}{}{}", name, time_text(time->seconds),
                            time->measured ? "measured" : "expected", method.why_not.empty() ? "" : "; ",
                            method.why_not)});
  }
  return bars_chart(bars, id, "Times of the methods", "times as long as the method chosen", 1);
}

std::string roofline_chart(const Explanation& explanation) {
  const Question& question = explanation.question;
  const double bandwidth = question.gpu->bytes_per_second() * 1e-9;
  const double peak = question.gpu->operations_per_second(question.pixel == Pixel::f64) * 1e-9;
  struct Point {
    Method method;
    double operations_per_byte, rate;
    bool operator==(const Point&) const = default;
  };
  std::vector<Point> points;
  for (const ExplainedFilter& each : explanation.filters) {
    for (const MethodCost& cost : each.costs) {
      // The rate at which the least time has it.
      const Point point{cost.method, cost.operations / cost.bytes, cost.gpix_per_second * cost.operations};
      if (point.rate > 0 && std::isfinite(point.rate) &&
          std::find(points.begin(), points.end(), point) == points.end())
        points.push_back(point);
    }
  }
  if (points.empty() || !(peak > 0) || !(bandwidth > 0)) return "";
  const double ridge = peak / bandwidth;
  double least_x = ridge, most_x = ridge, least_y = peak;
  for (const Point& point : points) {
    least_x = std::min(least_x, point.operations_per_byte);
    most_x = std::max(most_x, point.operations_per_byte);
    least_y = std::min(least_y, point.rate);
  }
  const double left = 62, right = half_width_px - 112, top = 26, bottom = 300;
  const Scale x = Scale::logarithmic(least_x / 1.2, most_x * 2, left, right);
  const Scale y = Scale::logarithmic(least_y / 2, peak * 1.5, bottom, top);
  Svg svg("roofline", half_width_px, bottom + axis_px, "Roofline",
          fmt::format("A point for each method on logarithmic axes under a slope of {} GB/s and a roof of {} "
                      "G operations/s.",
                      short_number(bandwidth), short_number(peak)));
  x_axis(svg, x, thinned(x, x.ticks()), top, bottom, "operations a byte (logarithmic)");
  y_axis(svg, y, left, right, "G operations/s (logarithmic)");
  // The slope begins where it enters the chart.
  const double slope_x = std::max(x.low(), y.low() / bandwidth);
  svg.path({{x(slope_x), y(slope_x * bandwidth)}, {x(ridge), y(peak)}, {x(x.high()), y(peak)}}, "roof");
  std::vector<Label> labels;
  std::size_t colour = 2;
  for (const Point& point : points) {
    const std::string name(name_of(point.method));
    svg.circle(x(point.operations_per_byte), y(point.rate), 5, fmt::format("dot{}", colour % line_colours),
               fmt::format("{}: {} operations a byte, {} G operations/s", name,
                           short_number(point.operations_per_byte), short_number(point.rate)));
    labels.push_back({x(point.operations_per_byte), y(point.rate), name, colour % line_colours});
    ++colour;
  }
  draw_labels(svg, labels, right + 24, top, bottom);
  return svg.markup();
}

bool draws_uses(const Tiling& tiling) {
  return static_cast<std::size_t>(tiling.tile + tiling.mask - 1) <= most_columns;
}

std::string tile_chart(const Tiling& tiling) {
  const Numbers uses = model::reuse(model::inside(tiling.tile, tiling.mask));
  const auto across = static_cast<double>(uses.size());
  const double side = std::min((half_width_px - 8) / across, 40.0);
  const double rows = tiling.dims == 1 ? 1 : across;
  const double width = side * across, height = tiling.dims == 1 ? std::max(side, 24.0) : side * rows;
  const double left = 4, top = 4;
  const std::int64_t reach = tiling.mask / 2;
  const double halo = static_cast<double>(reach) * side, outputs = static_cast<double>(tiling.tile) * side;
  Svg svg("tile", half_width_px, top + height + 26, "What an inside tile loads",
          fmt::format("{} elements, of which {} lie over outputs; in the middle each serves {} outputs.",
                      power(tiling.tile + tiling.mask - 1, tiling.dims), power(tiling.tile, tiling.dims),
                      power(std::min(tiling.tile, tiling.mask), tiling.dims)));
  if (draws_uses(tiling)) {
    const std::int64_t most_along = *std::max_element(uses.begin(), uses.end());
    const std::int64_t of_plane = tiling.dims == 3 ? most_along : 1;
    const std::int64_t most = of_plane * most_along * (tiling.dims == 1 ? 1 : most_along);
    const bool words = digit_px * static_cast<double>(fmt::formatted_size("{}", most)) + 2 <= side;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      for (std::size_t column = 0; column < uses.size(); ++column) {
        const std::int64_t count = of_plane * uses[column] * (tiling.dims == 1 ? 1 : uses[row]);
        const double x = left + side * static_cast<double>(column), y = top + side * static_cast<double>(row);
        // Half the colour at most, so that words on it stay readable.
        svg.cell(x, y, side - 1, (tiling.dims == 1 ? height : side) - 1, "positive",
                 0.5 * static_cast<double>(count) / static_cast<double>(most),
                 words ? "" : fmt::format("used {} times", count));
        if (words)
          svg.text(x + side / 2, y + (tiling.dims == 1 ? height : side) / 2 + 4, fmt::format("{}", count),
                   "small", Align::middle);
      }
    }
  } else {
    svg.cell(left, top, width, height, "positive", 0.15);
    svg.cell(left + halo, top + (tiling.dims == 1 ? 0 : halo), outputs, tiling.dims == 1 ? height : outputs,
             "positive", 0.35);
  }
  svg.rectangle(left + halo, top + (tiling.dims == 1 ? 0 : halo), outputs,
                tiling.dims == 1 ? height : outputs, "frame");
  svg.text(left, top + height + 18, "framed: over the outputs; around it: the halo", "small");
  return svg.markup();
}

std::string reduction_chart(const Tiling& tiling) {
  const Numbers tiles = usual_tiles(tiling), masks = usual_masks(tiling);
  const std::vector<std::vector<double>> values = model::reduction_table(tiling.dims, tiles, masks);
  double most = 0;
  for (const std::vector<double>& row : values)
    most = std::max(most, *std::max_element(row.begin(), row.end()));
  const double left = 62, right = half_width_px - 100, top = 26, bottom = 280;
  const Scale x =
      Scale::logarithmic(static_cast<double>(tiles.front()), static_cast<double>(tiles.back()), left, right);
  const Scale y = Scale::linear(most, bottom, top);
  Svg svg(
      "reduction", half_width_px, bottom + axis_px, "Bandwidth reduction over the size of the tile",
      fmt::format("A line for each mask, tiles of {} to {} outputs along an axis; the highest point is {}.",
                  tiles.front(), tiles.back(), short_number(most)));
  x_axis(svg, x, thinned(x, {tiles.begin(), tiles.end()}), top, bottom,
         "outputs along an axis (logarithmic)");
  y_axis(svg, y, left, right, "accesses replaced / loads");
  std::vector<Label> labels;
  for (std::size_t row = 0; row < masks.size(); ++row) {
    const std::size_t colour = (row + 1) % line_colours;
    std::vector<std::pair<double, double>> places;
    for (std::size_t i = 0; i < tiles.size(); ++i)
      places.emplace_back(x(static_cast<double>(tiles[i])), y(values[row][i]));
    svg.path(places, fmt::format("line line{}", colour));
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const bool asked = tiles[i] == tiling.tile && masks[row] == tiling.mask;
      svg.circle(places[i].first, places[i].second, asked ? 6 : 2.5, fmt::format("dot{}", colour),
                 fmt::format("mask {}, tile {}: {:.1f}", masks[row], tiles[i], values[row][i]));
    }
    labels.push_back({places.back().first, places.back().second, fmt::format("mask {}", masks[row]), colour});
  }
  draw_labels(svg, labels, right + 24, top, bottom);
  return svg.markup();
}

std::string limits_chart(const OccupancyQuestion& question) {
  const model::Occupancy found = model::occupancy(*question.device, question.needs);
  std::vector<Bar> bars;
  for (const model::Resource resource : model::all_resources) {
    const std::int64_t blocks = found.blocks_allowed[static_cast<std::size_t>(resource)];
    const bool limits = std::find(found.limits.begin(), found.limits.end(), resource) != found.limits.end();
    const std::string words = allowed(*question.device, blocks), name(model::name_of(resource));
    bars.push_back({.name = name,
                    .value = blocks > question.device->registers ? std::nullopt
                                                                 : std::optional(static_cast<double>(blocks)),
                    .words = limits ? words + ", a limit" : words,
                    .style = limits ? "phase3" : "gpu",
                    .tip = fmt::format("{}: {} blocks", name, words)});
  }
  return bars_chart(bars, "limits", "Blocks that each resource alone allows", "blocks on a multiprocessor");
}

std::string block_sizes_chart(const OccupancyQuestion& question) {
  const std::vector<int> usual = block_sizes(*question.device);
  std::set<int> sizes(usual.begin(), usual.end());
  sizes.insert(question.needs.threads_per_block);
  std::vector<Bar> bars;
  for (const int threads : sizes) {
    model::BlockNeeds needs = question.needs;
    needs.threads_per_block = threads;
    const model::Occupancy found = model::occupancy(*question.device, needs);
    const bool asked = threads == question.needs.threads_per_block;
    bars.push_back({.name = fmt::format("{}", threads),
                    .value = 100 * found.fraction,
                    .words = fmt::format("{:.1f}%{}", 100 * found.fraction, asked ? ", yours" : ""),
                    .style = asked ? "library" : "gpu",
                    .tip = fmt::format("{} threads: {} blocks, limited by {}", threads, found.blocks,
                                       found.limited_by())});
  }
  return bars_chart(bars, "sizes", "Occupancy over the size of the block",
                    "% of the warps that a multiprocessor holds");
}

}  // namespace halation::app
