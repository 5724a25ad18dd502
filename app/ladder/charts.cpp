// charts.cpp: the charts of the ladder's report.
#include "charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "app/report/axes.h"
#include "app/report/page.h"
#include "app/report/svg.h"
#include "app/rungs/table.h"

namespace halation::app {
namespace {

using ladder::HostMemory;
using ladder::Rung;

constexpr double values_px = 90;
constexpr double bar_px = 18;
constexpr double bar_step_px = 27;
constexpr double least_tick_gap_px = 30;

// Bars of times that differ by more than this are drawn on a logarithmic axis.
constexpr double widest_linear_range = 20;

bool is_on_gpu(const Rung& rung) { return rung.place == Rung::Place::gpu; }

std::string ms_text(double seconds) { return short_number(seconds * 1e3) + " ms"; }

std::string_view bar_style(const Rung& rung) {
  if (rung.name.ends_with("library")) return "library";
  return is_on_gpu(rung) ? "gpu" : "cpu";
}

/// Rungs with their first row that ran.
std::vector<const LadderRow*> rungs_that_ran(const LadderResults& results) {
  std::vector<const LadderRow*> rows;
  for (const LadderRow& row : results.rows) {
    const auto same = [&](const LadderRow* known) { return known->rung == row.rung; };
    if (row.ran() && std::none_of(rows.begin(), rows.end(), same)) rows.push_back(&row);
  }
  return rows;
}

/// Whole numbers, and the first radius even where it is not a round one.
std::vector<double> radius_ticks(const Scale& scale) {
  std::vector<double> ticks = scale.ticks();
  std::erase_if(ticks, [](double tick) { return tick != std::round(tick); });
  if (ticks.empty() || scale(ticks.front()) - scale(scale.low()) > least_tick_gap_px)
    ticks.insert(ticks.begin(), scale.low());
  return ticks;
}

/// One bar of phases.
struct PhaseBar {
  std::string name;
  std::string heading;  ///< of the group that begins here
  ladder::Phases phases;
};

constexpr std::array<std::pair<const char*, double ladder::Phases::*>, 5> phase_list = {{
    {"allocation", &ladder::Phases::allocation},
    {"upload", &ladder::Phases::upload},
    {"filter upload", &ladder::Phases::filter_upload},
    {"kernel", &ladder::Phases::kernel},
    {"download", &ladder::Phases::download},
}};

/// Frames by kind of host memory, then second filters with the last kind, which is the faster one.
std::vector<PhaseBar> phase_bars(const LadderResults& results) {
  std::vector<PhaseBar> bars;
  const auto add_group = [&](HostMemory memory, const std::string& heading,
                             ladder::Phases ladder::Timings::*part) {
    std::string next = heading;
    for (const LadderRow& row : results.rows) {
      if (row.memory != memory || !row.ran() || !is_on_gpu(*row.rung)) continue;
      bars.push_back({std::string(row.rung->name), std::exchange(next, ""), row.timings.*part});
    }
  };
  for (const HostMemory memory : results.job.memories)
    add_group(memory, fmt::format("From the host and back, {} memory", ladder::name_of(memory)),
              &ladder::Timings::frame);
  const HostMemory last = results.job.memories.back();
  add_group(last, fmt::format("Second filter on the resident image, {} memory", ladder::name_of(last)),
            &ladder::Timings::second_filter);
  return bars;
}

}  // namespace

std::size_t colour_of(const LadderResults& results, const Rung& rung) {
  const auto& rungs = results.job.rungs;
  return static_cast<std::size_t>(std::find(rungs.begin(), rungs.end(), &rung) - rungs.begin()) %
         line_colours;
}

std::string kernel_chart(const LadderResults& results) {
  const std::vector<const LadderRow*> rows = rungs_that_ran(results);
  if (rows.empty()) return "";
  double least = rows.front()->timings.frame.kernel, most = least;
  for (const LadderRow* row : rows) {
    least = std::min(least, row->timings.frame.kernel);
    most = std::max(most, row->timings.frame.kernel);
  }
  const bool logarithmic = most > widest_linear_range * least;
  const double top = 8, bottom = top + bar_step_px * static_cast<double>(rows.size());
  const double from = names_px, to = width_px - values_px;
  // From well below the shortest, so that its bar has a length.
  const Scale scale = logarithmic ? Scale::logarithmic(least * 1e3 / 3, most * 1e3, from, to)
                                  : Scale::linear(most * 1e3, from, to);
  Svg svg("kernel", width_px, bottom + axis_px, "Kernel time of each rung",
          fmt::format("Bars on a {} axis, from {} to {}.", logarithmic ? "logarithmic" : "linear",
                      ms_text(least), ms_text(most)));
  x_axis(svg, scale, scale.ticks(), top, bottom, logarithmic ? "kernel, ms (logarithmic)" : "kernel, ms");
  double y = top + (bar_step_px - bar_px) / 2;
  for (const LadderRow* row : rows) {
    const double end = scale(row->timings.frame.kernel * 1e3);
    const std::string name(row->rung->name);
    svg.text(from - 8, y + 13, name, "", Align::end);
    svg.rectangle(from, y, end - from, bar_px, bar_style(*row->rung),
                  name + ": " + ms_text(row->timings.frame.kernel));
    svg.text(end + 6, y + 13, ms_text(row->timings.frame.kernel), "small");
    y += bar_step_px;
  }
  svg.line(from, top, from, bottom, "axis");
  return svg.markup();
}

std::string phases_chart(const LadderResults& results) {
  const std::vector<PhaseBar> bars = phase_bars(results);
  if (bars.empty()) return "";
  const auto end_of = [](const ladder::Phases& phases) {
    double sum = 0;
    for (const auto& [name, phase] : phase_list) sum += phases.*phase;
    return std::max(sum, phases.total);
  };
  constexpr double heading_px = 30;
  double most = 0, bottom = 30;
  for (const PhaseBar& bar : bars) {
    most = std::max(most, end_of(bar.phases));
    bottom += bar_step_px + (bar.heading.empty() ? 0 : heading_px);
  }
  const double from = names_px, to = width_px - values_px;
  const Scale scale = Scale::linear(most * 1e3, from, to);
  Svg svg("phases", width_px, bottom + axis_px, "Phases of each rung",
          fmt::format(
              "Stacked bars: allocation, upload, filter upload, kernel and download; the longest takes {}.",
              ms_text(most)));
  double x = from;
  for (std::size_t i = 0; i < phase_list.size(); ++i) {
    svg.rectangle(x, 2, 14, 14, fmt::format("phase{}", i));
    svg.text(x + 20, 14, phase_list[i].first, "small");
    x += 32 + 8.0 * static_cast<double>(std::string_view(phase_list[i].first).size());
  }
  svg.line(x + 4, 2, x + 4, 16, "mark");
  svg.text(x + 12, 14, "total by the clock", "small");
  x_axis(svg, scale, scale.ticks(), 26, bottom, "ms");
  double y = 30 + (bar_step_px - bar_px) / 2;
  for (const PhaseBar& bar : bars) {
    if (!bar.heading.empty()) {
      svg.text(from, y + 16, bar.heading, "strong");
      y += heading_px;
    }
    svg.text(from - 8, y + 13, bar.name, "", Align::end);
    double start = 0;
    for (std::size_t i = 0; i < phase_list.size(); ++i) {
      const double seconds = bar.phases.*phase_list[i].second;
      const double left = scale(start * 1e3);
      start += seconds;
      svg.rectangle(left, y, scale(start * 1e3) - left, bar_px, fmt::format("phase{}", i),
                    fmt::format("{}, {}: {}", bar.name, phase_list[i].first, ms_text(seconds)));
    }
    svg.line(scale(bar.phases.total * 1e3), y - 3, scale(bar.phases.total * 1e3), y + bar_px + 3, "mark");
    svg.text(scale(end_of(bar.phases) * 1e3) + 6, y + 13, ms_text(bar.phases.total), "small");
    y += bar_step_px;
  }
  svg.line(from, 26, from, bottom, "axis");
  return svg.markup();
}

std::string radius_chart(const LadderResults& results) {
  std::map<const Rung*, std::vector<const SweepEntry*>> lines;
  double least = 0, most = 0;
  for (const SweepEntry& entry : results.sweep) {
    if (!entry.not_run.empty()) continue;
    lines[entry.rung].push_back(&entry);
    least = least > 0 ? std::min(least, entry.kernel_s) : entry.kernel_s;
    most = std::max(most, entry.kernel_s);
  }
  if (lines.empty()) return "";
  const double left = 70, right = width_px - names_px - 20, top = 26, bottom = 420;
  const auto& radii = results.job.radii;
  const Scale x = Scale::linear_between(radii.front(), radii.back(), left, right);
  const Scale y = Scale::logarithmic(least * 1e3, most * 1e3, bottom, top);
  Svg svg("radius", width_px, bottom + axis_px, "Kernel time over radius",
          fmt::format("A line for each rung over radii {} to {}, on a logarithmic axis of milliseconds.",
                      radii.front(), radii.back()));
  x_axis(svg, x, radius_ticks(x), top, bottom, "radius");
  y_axis(svg, y, left, right, "kernel, ms (logarithmic)");
  std::vector<Label> labels;
  for (const Rung* rung : results.job.rungs) {
    const auto found = lines.find(rung);
    if (found == lines.end()) continue;
    const std::size_t colour = colour_of(results, *rung);
    std::vector<std::pair<double, double>> points;
    for (const SweepEntry* entry : found->second)
      points.emplace_back(x(entry->radius), y(entry->kernel_s * 1e3));
    svg.path(points, fmt::format("line line{}", colour));
    for (std::size_t i = 0; i < points.size(); ++i) {
      svg.circle(points[i].first, points[i].second, 2.5, fmt::format("dot{}", colour),
                 fmt::format("{}, radius {}: {}", rung->name, found->second[i]->radius,
                             ms_text(found->second[i]->kernel_s)));
    }
    labels.push_back({points.back().first, points.back().second, std::string(rung->name), colour});
  }
  draw_labels(svg, labels, right + 24, top, bottom);
  return svg.markup();
}

std::string roofline_chart(const LadderResults& results) {
  struct Point {
    const LadderRow* row;
    double operations_per_byte, gflops;
  };
  const double peak = results.device.operations_per_second() * 1e-9;
  const double bandwidth = results.device.bytes_per_second() * 1e-9;
  std::vector<Point> points;
  for (const LadderRow& row : results.rows) {
    const auto same = [&](const Point& known) { return known.row->rung == row.rung; };
    if (!is_on_gpu(*row.rung) || !row.paper || row.failed || std::any_of(points.begin(), points.end(), same))
      continue;
    const double intensity = row.paper->operations_per_byte() * row.operations / row.paper->operations;
    const double rate = row.ran() ? row.operations * results.job.outputs() / row.timings.frame.kernel * 1e-9
                                  : std::min(peak, intensity * bandwidth);
    points.push_back({&row, intensity, rate});
  }
  if (points.empty()) return "";
  double least_x = peak / bandwidth, most_x = least_x, least_y = peak;
  for (const Point& point : points) {
    least_x = std::min(least_x, point.operations_per_byte);
    most_x = std::max(most_x, point.operations_per_byte);
    least_y = std::min({least_y, point.gflops, point.operations_per_byte * bandwidth});
  }
  const double left = 70, right = width_px - names_px - 20, top = 26, bottom = 420;
  const Scale x = Scale::logarithmic(least_x / 1.2, most_x * 2, left, right);
  const Scale y = Scale::logarithmic(least_y / 1.2, peak * 1.2, bottom, top);
  Svg svg("roofline", width_px, bottom + axis_px, "Roofline",
          fmt::format(
              "A point for each rung on logarithmic axes under a slope of {} GB/s and a roof of {} GFLOPS.",
              short_number(bandwidth), short_number(peak)));
  x_axis(svg, x, x.ticks(), top, bottom, "operations per byte asked of global memory (logarithmic)");
  y_axis(svg, y, left, right, "GFLOPS (logarithmic)");
  // The slope begins where it enters the chart.
  const double slope_x = std::max(x.low(), y.low() / bandwidth);
  svg.path({{x(slope_x), y(slope_x * bandwidth)}, {x(peak / bandwidth), y(peak)}, {x(x.high()), y(peak)}},
           "roof");
  svg.text(x(x.high()) - 4, y(peak) - 6, fmt::format("multiply-adds, {} GFLOPS", short_number(peak)), "small",
           Align::end);
  // Beside the slope's upper end, above it: only rungs that the caches feed near that rate would lie there.
  const double named_x = peak / bandwidth / 2;
  svg.text(x(named_x) - 8, y(named_x * bandwidth) - 2,
           fmt::format("device copy, {} GB/s", short_number(bandwidth)), "small", Align::end);
  std::vector<Label> labels;
  for (const Point& point : points) {
    const Rung& rung = *point.row->rung;
    const std::size_t colour = colour_of(results, rung);
    const double px = x(point.operations_per_byte), py = y(point.gflops);
    svg.circle(px, py, 5, fmt::format("dot{}{}", colour, point.row->ran() ? "" : " hollow"),
               fmt::format("{}: {} operations a byte, {} GFLOPS{}", rung.name,
                           short_number(point.operations_per_byte), short_number(point.gflops),
                           point.row->ran() ? "" : " on paper"));
    labels.push_back({px, py, std::string(rung.name), colour});
  }
  draw_labels(svg, labels, right + 24, top, bottom);
  return svg.markup();
}

}  // namespace halation::app
