// weight_charts.cpp: a filter's weights and its frequency response, drawn.
#include "weight_charts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/report/axes.h"
#include "app/report/filter_facts.h"
#include "app/report/svg.h"

namespace halation::app {
namespace {

constexpr std::int64_t most_cells = 33;  // of a map, along each axis
constexpr std::int64_t most_bars = 129;
constexpr std::int64_t most_numbers = 7;  // of a map along each axis, for weights to be written into it
constexpr std::int64_t map_points = 33;   // frequencies along each axis, odd: one is 0
constexpr std::int64_t curve_points = 129;
// What is quieter than that share of the largest is not looked at, down to the least band.
constexpr double quiet = 0.01, least_band = 1e-5;
// Above these a page would take seconds.
constexpr std::int64_t most_map_taps = 129;
constexpr std::int64_t most_curve_taps = 65536;

/// Whether values up to `largest` can be told apart on an axis of finite length.
bool is_drawable(double largest) { return largest == 0 || (largest > 1e-280 && largest < 1e280); }

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) return HUGE_VAL;
    largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

/// Means of `step` values each, fewer at the end.
std::vector<double> means(std::span<const double> values, std::int64_t step) {
  std::vector<double> result;
  for (std::size_t begin = 0; begin < values.size(); begin += static_cast<std::size_t>(step)) {
    const std::span<const double> block =
        values.subspan(begin, std::min(static_cast<std::size_t>(step), values.size() - begin));
    result.push_back(std::accumulate(block.begin(), block.end(), 0.0) / static_cast<double>(block.size()));
  }
  return result;
}

std::int64_t step_for(std::int64_t taps, std::int64_t most) { return (taps + most - 1) / most; }

/// Values in rows, each the mean of step_y x step_x weights of the slice at the anchor.
struct Grid {
  std::int64_t rows = 0, columns = 0, step_y = 1, step_x = 1;
  std::vector<double> values;
};

/// A filter made from factors is not multiplied out.
Grid grid_of(const Filter& filter) {
  const FilterSize size = filter.size();
  Grid grid{
      .step_y = step_for(size.height, most_cells), .step_x = step_for(size.width, most_cells), .values = {}};
  grid.rows = step_for(size.height, grid.step_y);
  grid.columns = step_for(size.width, grid.step_x);
  if (filter.factors()) {
    const double of_slice = filter.factors()->z[static_cast<std::size_t>(filter.anchor().z)];
    const std::vector<double> along_y = means(filter.factors()->y, grid.step_y),
                              along_x = means(filter.factors()->x, grid.step_x);
    for (const double y : along_y) {
      for (const double x : along_x) grid.values.push_back(of_slice * y * x);
    }
    return grid;
  }
  const std::vector<double> weights = slice_of(filter);
  const auto row_size = static_cast<std::size_t>(size.width);
  for (std::int64_t begin = 0; begin < size.height; begin += grid.step_y) {
    const std::int64_t end = std::min(begin + grid.step_y, size.height);
    std::vector<double> row(row_size);
    for (std::int64_t y = begin; y < end; ++y) {
      for (std::size_t x = 0; x < row_size; ++x)
        row[x] += weights[static_cast<std::size_t>(y) * row_size + x] / static_cast<double>(end - begin);
    }
    const std::vector<double> short_row = means(row, grid.step_x);
    grid.values.insert(grid.values.end(), short_row.begin(), short_row.end());
  }
  return grid;
}

/// Sums of the weights over all axes but `axis`.
std::vector<double> along(const Filter& filter, std::size_t axis) {
  if (filter.factors()) {
    const auto factors = filter.factors()->axes();
    std::vector<double> taps(factors[axis].begin(), factors[axis].end());
    for (std::size_t other = 0; other < 3; ++other) {
      if (other == axis) continue;
      const double sum = std::accumulate(factors[other].begin(), factors[other].end(), 0.0);
      for (double& tap : taps) tap *= sum;
    }
    return taps;
  }
  const auto extents = filter.size().space();
  const std::vector<double> weights = filter.weights();
  std::vector<double> taps(static_cast<std::size_t>(extents[axis]));
  std::size_t stride = 1;
  for (std::size_t inner = axis + 1; inner < 3; ++inner) stride *= static_cast<std::size_t>(extents[inner]);
  for (std::size_t i = 0; i < weights.size(); ++i) taps[i / stride % taps.size()] += weights[i];
  return taps;
}

/// |H| at frequencies from 0 to `last`. What rounding leaves of sums that cancel is 0.
std::vector<double> response_along(const std::vector<double>& taps, double last) {
  double magnitudes = 0;
  for (const double tap : taps) magnitudes += std::fabs(tap);
  if (!std::isfinite(magnitudes)) return {HUGE_VAL};
  std::vector<double> response;
  for (std::int64_t point = 0; point < curve_points; ++point) {
    const double frequency = last * static_cast<double>(point) / static_cast<double>(curve_points - 1);
    const std::complex<double> step = std::polar(1.0, -2 * std::numbers::pi * frequency);
    std::complex<double> sum = 0, turn = 1;
    for (const double tap : taps) {
      sum += turn * tap;
      turn *= step;
    }
    response.push_back(std::abs(sum) <= 1e-10 * magnitudes ? 0 : std::abs(sum));
  }
  return response;
}

struct Curve {
  std::string name;
  std::vector<double> values;
};

/// Along each of `axes`, by their letters; those that answer alike stand as one.
std::vector<Curve> curves_of(const std::vector<std::pair<char, std::vector<double>>>& axes, double last) {
  std::vector<Curve> curves;
  for (const auto& [name, taps] : axes) {
    std::vector<double> values = response_along(taps, last);
    const double near = 1e-9 * largest_of(values);
    const auto alike = [&](const Curve& curve) {
      return std::equal(values.begin(), values.end(), curve.values.begin(), curve.values.end(),
                        [&](double x, double y) { return std::fabs(x - y) <= near; });
    };
    if (const auto same = std::find_if(curves.begin(), curves.end(), alike); same != curves.end()) {
      same->name += fmt::format(", {}", name);
    } else {
      curves.push_back({std::string(1, name), std::move(values)});
    }
  }
  return curves;
}

double largest_of(const std::vector<Curve>& curves) {
  double largest = 0;
  for (const Curve& curve : curves) largest = std::max(largest, largest_of(curve.values));
  return largest;
}

/// A weight in the few characters that a cell holds.
std::string number_text(double weight) {
  return weight == std::trunc(weight) && std::fabs(weight) < 1e5 ? fmt::format("{:.0f}", weight)
                                                                 : fmt::format("{:.3g}", weight);
}

std::string too_extreme(std::string_view what) {
  return fmt::format("{} so large or so small that no drawing shows them apart.", what);
}

/// Weights along the one axis that has several.
Drawing bars_of_weights(const Filter& filter, std::size_t axis, const std::string& id) {
  const auto extents = filter.size().space();
  const std::int64_t step = step_for(extents[axis], most_bars);
  const std::array<std::int64_t, 3> anchors = {filter.anchor().z, filter.anchor().y, filter.anchor().x};
  const std::vector<double> values = means(along(filter, axis), step);
  const double largest = largest_of(values);
  if (!is_drawable(largest)) return {"", too_extreme("The weights are")};
  const double least = std::min(0.0, *std::min_element(values.begin(), values.end())),
               most = std::max(0.0, *std::max_element(values.begin(), values.end()));
  const double left = 62, right = half_width_px - 28, top = 26, bottom = 230;
  const auto first = static_cast<double>(-anchors[axis]), count = static_cast<double>(extents[axis]);
  const Scale x = Scale::linear_between(first - 0.5, first + count - 0.5, left, right);
  const Scale y = Scale::linear_between(least, most, bottom, top);
  Svg svg(id, half_width_px, bottom + axis_px, "Weights of " + filter.name(),
          fmt::format("{} bars, the largest {}.", values.size(), number_text(largest)));
  std::vector<double> ticks = x.ticks();
  std::erase_if(ticks, [](double tick) { return tick != std::round(tick); });
  x_axis(svg, x, thinned(x, ticks), top, bottom, "tap, from the anchor");
  y_axis(svg, y, left, right, "weight");
  const double width = (right - left) / count * static_cast<double>(step);
  const double gap = width < 6 ? -0.5 : 0.2 * width;  // narrow bars overlap rather than leave slits
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = left + width * static_cast<double>(i), end = y(values[i]), zero = y(0);
    svg.rectangle(at + gap / 2, std::min(end, zero), std::min(width - gap, right - at), std::fabs(end - zero),
                  values[i] < 0 ? "negative" : "positive", number_text(values[i]));
  }
  svg.line(left, y(0), right, y(0), "axis");
  return {svg.markup(), step > 1 ? fmt::format("Each bar is the mean of {} weights.", step) : ""};
}

}  // namespace

Drawing weights_drawing(const Filter& filter, const std::string& id) {
  const auto extents = filter.size().space();
  const auto several =
      std::count_if(extents.begin(), extents.end(), [](std::int64_t taps) { return taps > 1; });
  if (several == 1) {
    const auto axis = static_cast<std::size_t>(
        std::find_if(extents.begin(), extents.end(), [](std::int64_t taps) { return taps > 1; }) -
        extents.begin());
    return bars_of_weights(filter, axis, id);
  }
  const Grid grid = grid_of(filter);
  const double largest = largest_of(grid.values);
  if (!is_drawable(largest)) return {"", too_extreme("The weights are")};
  const double side =
      std::min((half_width_px - 8) / static_cast<double>(std::max(grid.rows, grid.columns)), 61.0);
  const double left = 4, top = 4, bottom = top + side * static_cast<double>(grid.rows);
  const bool words = std::max(grid.rows, grid.columns) <= most_numbers;
  Svg svg(id, half_width_px, bottom + 30, "Weights of " + filter.name(),
          fmt::format("A map of {} rows and {} columns, the largest weight {}.", grid.rows, grid.columns,
                      number_text(largest)));
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    for (std::int64_t column = 0; column < grid.columns; ++column) {
      const double weight = grid.values[static_cast<std::size_t>(row * grid.columns + column)];
      const double x = left + side * static_cast<double>(column), y = top + side * static_cast<double>(row);
      // Under words half the colour at most, so that they stay readable.
      const double strength = largest > 0 ? std::fabs(weight) / largest * (words ? 0.5 : 1) : 0;
      svg.cell(x, y, side, side, weight < 0 ? "negative" : "positive", strength,
               words ? "" : number_text(weight));
      if (words) svg.text(x + side / 2, y + side / 2 + 4, number_text(weight), "small", Align::middle);
    }
  }
  svg.rectangle(left, top, side * static_cast<double>(grid.columns), side * static_cast<double>(grid.rows),
                "outline");
  const std::int64_t anchor_column = filter.anchor().x / grid.step_x, anchor_row = filter.anchor().y / grid.step_y;
  svg.rectangle(left + side * static_cast<double>(anchor_column), top + side * static_cast<double>(anchor_row), side, side, "frame");
  svg.cell(left, bottom + 12, 12, 12, "positive", words ? 0.5 : 1);
  svg.text(left + 18, bottom + 22, "up to " + number_text(largest), "small");
  if (std::any_of(grid.values.begin(), grid.values.end(), [](double weight) { return weight < 0; })) {
    svg.cell(left + 150, bottom + 12, 12, 12, "negative", words ? 0.5 : 1);
    svg.text(left + 168, bottom + 22, "below 0", "small");
  }
  svg.text(left + 250, bottom + 22, "framed: the anchor", "small");
  std::vector<std::string> notes;
  if (grid.step_y * grid.step_x > 1)
    notes.push_back(fmt::format("Each cell is the mean of {}x{} weights.", grid.step_y, grid.step_x));
  if (filter.size().depth > 1)
    notes.push_back(fmt::format("The slice at the anchor is shown, {} of {} along z.", filter.anchor().z + 1,
                                filter.size().depth));
  return {svg.markup(), fmt::format("{}", fmt::join(notes, " "))};
}

Drawing response_drawing(const Filter& filter, const std::string& id) {
  const auto extents = filter.size().space();
  std::vector<std::pair<char, std::vector<double>>> axes;
  for (std::size_t axis = 3; axis-- > 0;) {
    if (extents[axis] == 1) continue;
    if (extents[axis] > most_curve_taps)
      return {"", fmt::format("The frequency response is drawn of up to {} weights along an axis.",
                              most_curve_taps)};
    axes.emplace_back("zyx"[axis], along(filter, axis));
  }
  if (axes.empty()) return {"", "One weight answers all frequencies alike."};
  double last = 0.5;
  std::vector<Curve> curves = curves_of(axes, last);
  const double most = largest_of(curves);
  if (!is_drawable(most)) return {"", too_extreme("The frequency response takes values")};
  // Of a filter that lets low frequencies through alone, the part where something happens.
  const auto is_quiet = [&] {
    return std::all_of(curves.begin(), curves.end(), [&](const Curve& curve) {
      return std::all_of(curve.values.begin() + curve_points / 2, curve.values.end(),
                         [&](double value) { return value < quiet * most; });
    });
  };
  while (most > 0 && last > least_band && is_quiet()) {
    last /= 2;
    curves = curves_of(axes, last);
  }
  const double left = 62, right = half_width_px - 122, top = 26, bottom = 250;
  const Scale x = Scale::linear_between(0, last, left, right);
  const Scale y = Scale::linear(most, bottom, top);
  Svg svg(id, half_width_px, bottom + axis_px, "Frequency response of " + filter.name(),
          fmt::format("A line for each axis; the largest value is {}.", number_text(most)));
  x_axis(svg, x, thinned(x, x.ticks()), top, bottom, "cycles a sample");
  y_axis(svg, y, left, right, "|H|");
  std::vector<Label> labels;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::size_t colour = 4 + i;
    std::vector<std::pair<double, double>> places;
    for (std::size_t point = 0; point < curves[i].values.size(); ++point)
      places.emplace_back(x(last * static_cast<double>(point) / static_cast<double>(curve_points - 1)),
                          y(curves[i].values[point]));
    svg.path(places, fmt::format("line line{}", colour));
    labels.push_back({places.back().first, places.back().second, "along " + curves[i].name, colour});
  }
  draw_labels(svg, labels, right + 18, top, bottom);
  std::vector<std::string> notes;
  if (axes.size() > 1) notes.emplace_back("Along each axis, the frequency along the others being 0.");
  if (last < 0.5)
    notes.push_back(fmt::format("From {:.3g} to 0.5 cycles a sample it stays below {:g}% of its largest.",
                                last, 100 * quiet));
  return {svg.markup(), fmt::format("{}", fmt::join(notes, " "))};
}

Drawing response_map(const Filter& filter, const std::string& id) {
  const FilterSize size = filter.size();
  if (size.depth > 1 || size.height == 1 || size.width == 1) return {};
  if (std::max(size.height, size.width) > most_map_taps)
    return {"", fmt::format("Over both frequencies it is drawn of up to {} weights along an axis.",
                            most_map_taps)};
  const std::vector<double> values = response_of(slice_of(filter), size.height, size.width, map_points);
  const double most = largest_of(values);
  if (!is_drawable(most)) return {};
  const double side = (half_width_px - 60) / static_cast<double>(map_points), left = 30, top = 4,
               bottom = top + side * static_cast<double>(map_points);
  Svg svg(id, half_width_px, bottom + 48, "Frequency response of " + filter.name() + " over both frequencies",
          fmt::format("A map, |H| from 0 to {}, zero frequency in the middle.", number_text(most)));
  for (std::int64_t row = 0; row < map_points; ++row) {
    for (std::int64_t column = 0; column < map_points; ++column) {
      const double strength =
          most > 0 ? values[static_cast<std::size_t>(row * map_points + column)] / most : 0;
      if (strength >= 0.0005)
        svg.cell(left + side * static_cast<double>(column), top + side * static_cast<double>(row), side, side,
                 "positive", strength);
    }
  }
  svg.rectangle(left, top, bottom - top, bottom - top, "outline");
  svg.text(left, bottom + 16, "-0.5", "small", Align::middle);
  svg.text(left + (bottom - top) / 2, bottom + 16, "fx", "small", Align::middle);
  svg.text(left + bottom - top, bottom + 16, "0.5", "small", Align::middle);
  svg.text(left - 8, top + (bottom - top) / 2 + 4, "fy", "small", Align::end);
  svg.cell(left, bottom + 30, 12, 12, "positive", 1);
  svg.text(left + 18, bottom + 40, "|H| = " + number_text(most), "small");
  return {svg.markup(), ""};
}

}  // namespace halation::app
