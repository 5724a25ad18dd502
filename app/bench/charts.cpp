// charts.cpp: the charts of the benchmark's report.
#include "charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "app/report/axes.h"
#include "app/report/svg.h"
#include "app/report/text/table.h"

namespace halation::app {
namespace {

using bench::FilterKind;
using bench::Job;
using bench::Row;

constexpr double left_px = 70;
constexpr double right_px = width_px - names_px - 20;
constexpr double top_px = 26;
constexpr double bottom_px = 300;
constexpr double bar_names_px = 290;
constexpr double bar_values_px = 130;
constexpr double bar_px = 16;
constexpr double bar_step_px = 23;
constexpr std::size_t most_name_length = 38;
constexpr std::size_t least_sizes = 3;

using Value = std::optional<double> (*)(const Row& row);

/// Lines of a family: sizes and values by pixel; where two rows have the same size, the first.
std::map<Pixel, std::map<int, double>> lines_of(const Family& family, Value value) {
  std::map<Pixel, std::map<int, double>> lines;
  for (const Row* row : family.rows) {
    if (const std::optional<double> y = value(*row)) lines[row->job.pixel].emplace(row->job.size, *y);
  }
  return lines;
}

/// A line for each pixel over the size of the filter, on the axis that `scale_of` makes of the least and the
/// largest value; `mark`: a value that a line across shows.
template <class MakeScale>
std::string lines_chart(const Family& family, Value value, const std::string& id, const std::string& title,
                        const std::string& what, MakeScale scale_of, std::optional<double> mark = {}) {
  const auto lines = lines_of(family, value);
  if (lines.empty()) return "";
  std::vector<double> sizes, values;
  for (const auto& [pixel, points] : lines) {
    for (const auto& [size, y] : points) {
      sizes.push_back(size);
      values.push_back(y);
    }
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  const Scale x = Scale::linear_between(sizes.front(), sizes.back(), left_px, right_px);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const Scale y = scale_of(*least, *most);
  Svg svg(id + family.id, width_px, bottom_px + axis_px, title,
          fmt::format("A line for each pixel over filters from {0}x{0} to {1}x{1}: {2}.", sizes.front(),
                      sizes.back(), what));
  x_axis(svg, x, sizes, top_px, bottom_px, "taps along each axis");
  y_axis(svg, y, left_px, right_px, what);
  if (mark) svg.line(left_px, y(*mark), right_px, y(*mark), "mark");
  std::vector<Label> labels;
  for (const auto& [pixel, points] : lines) {
    const auto colour = static_cast<std::size_t>(pixel);
    std::vector<std::pair<double, double>> places;
    for (const auto& [size, at] : points) places.emplace_back(x(size), y(at));
    svg.path(places, fmt::format("line line{}", colour));
    for (const auto& [size, at] : points) {
      svg.circle(x(size), y(at), 3, fmt::format("dot{}", colour),
                 fmt::format("{0}, {1}x{1}: {2}", name_of(pixel), size, short_number(at)));
    }
    labels.push_back({places.back().first, places.back().second, std::string(name_of(pixel)), colour});
  }
  draw_labels(svg, labels, right_px + 24, top_px, bottom_px);
  return svg.markup();
}

std::string shortened(const std::string& name) {
  return name.size() <= most_name_length ? name : name.substr(0, most_name_length - 2) + "..";
}

}  // namespace

std::vector<Family> families_of(const bench::Contest& contest) {
  using Key = std::tuple<std::int64_t, std::string, Border::Mode,
                         int>;  // channels, extents and batch, border, threads
  std::map<Key, Family> all;
  for (const Row& row : contest.rows) {
    const Job& job = row.job;
    if (!row.ran() || job.filter != FilterKind::dense || job.dims() != 2 || job.pixel != job.output) continue;
    Family& family = all[{job.shape.channels, to_string(job.shape), job.border.mode, row.threads}];
    family.title = fmt::format("{}, {} channel{}, {}", job.extents_text(), job.shape.channels,
                               job.shape.channels == 1 ? "" : "s", name_of(job.border.mode));
    if (row.threads > 0)
      family.title += fmt::format(", {} thread{}", row.threads, row.threads == 1 ? "" : "s");
    if (job.shape.batch > 1) family.title = fmt::format("{} images of {}", job.shape.batch, family.title);
    family.rows.push_back(&row);
  }
  std::vector<Family> families;
  for (auto& [key, family] : all) {
    const auto lines = lines_of(family, [](const Row& row) { return std::optional(row.share_of_copy()); });
    if (std::any_of(lines.begin(), lines.end(),
                    [](const auto& line) { return line.second.size() >= least_sizes; }))
      families.push_back(std::move(family));
  }
  const auto larger = [](const Family& a, const Family& b) {
    return a.rows.front()->job.pixels() > b.rows.front()->job.pixels();
  };
  std::stable_sort(families.begin(), families.end(), larger);
  for (std::size_t i = 0; i < families.size(); ++i) families[i].id = std::to_string(i);
  return families;
}

std::string share_chart(const Family& family) {
  return lines_chart(
      family, [](const Row& row) { return std::optional(row.share_of_copy() * 100); }, "share",
      "Share of copy", "percent of a copy of as many bytes",
      [](double, double most) { return Scale::linear(std::max(most, 100.0), bottom_px, top_px); });
}

std::string peers_chart(const Family& family) {
  return lines_chart(
      family, [](const Row& row) { return row.over_best_peer(); }, "peers", "Ratio to the best peer",
      "times as fast as the best peer (logarithmic)",
      [](double least, double most) {
        return Scale::logarithmic(std::min(least, 1.0), std::max(most, 2.0), bottom_px, top_px);
      },
      1);
}

std::string bars_chart(const bench::Contest& contest, const std::vector<Family>& families) {
  std::vector<const Row*> rows;
  for (const Row& row : contest.rows) {
    const auto holds = [&](const Family& family) {
      return std::find(family.rows.begin(), family.rows.end(), &row) != family.rows.end();
    };
    const bool in_family = std::any_of(families.begin(), families.end(), holds);
    if (row.over_best_peer() && (row.job.target || !in_family)) rows.push_back(&row);
  }
  if (rows.empty()) return "";
  double least = 1, most = 2;
  for (const Row* row : rows) {
    least = std::min(least, *row->over_best_peer());
    most = std::max(most, *row->over_best_peer());
  }
  const double top = 8, bottom = top + bar_step_px * static_cast<double>(rows.size());
  const Scale scale = Scale::logarithmic(least, most, bar_names_px, width_px - bar_values_px);
  Svg svg("bars", width_px, bottom + axis_px, "Jobs against the best peer",
          fmt::format("Bars on a logarithmic axis, from {} to {} times as fast.", short_number(least),
                      short_number(most)));
  x_axis(svg, scale, scale.ticks(), top, bottom, "times as fast as the best peer (logarithmic)");
  double y = top + (bar_step_px - bar_px) / 2;
  for (const Row* row : rows) {
    const double over = *row->over_best_peer();
    const double from = scale(std::min(over, 1.0)), to = scale(std::max(over, 1.0));
    const std::string text = fmt::format("{}x {}", short_number(over), row->best_peer()->peer);
    svg.text(bar_names_px - 8, y + 12, shortened(row->label()), "small", Align::end);
    svg.rectangle(from, y, to - from, bar_px, over >= 1 ? "library" : "phase3", row->label() + ": " + text);
    svg.text(to + 6, y + 12, text, "small");
    y += bar_step_px;
  }
  svg.line(scale(1), top, scale(1), bottom, "mark");
  return svg.markup();
}

}  // namespace halation::app
