// svg.cpp: drawings as SVG text, and the scales of their axes.
#include "svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "text/printable.h"

namespace halation::app {
namespace {

std::string_view name_of(Align align) {
  switch (align) {
    case Align::start:
      return "start";
    case Align::middle:
      return "middle";
    case Align::end:
      return "end";
  }
  throw std::logic_error("no such alignment");
}

/// A step of 1, 2 or 5 times a power of ten that divides `range` into at most seven parts.
double round_step(double range) {
  const double rough = range / 7;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) return factor * power;
  }
  return 10 * power;
}

constexpr double tiny = 1e-9;

// Of a drawing on a page, in px a px of its own: smaller its words cannot be read, and a narrow page scrolls it.
constexpr double least_size = 0.72, largest_size = 1.15;

/// The largest of 1, 2 and 5 times powers of ten that is not above `value`.
double round_below(double value) {
  const double power = std::pow(10, std::floor(std::log10(value) + tiny));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= value * (1 + tiny)) return factor * power;
  }
  return power;
}

std::string with_tip(std::string_view element, const std::string& attributes, std::string_view tip) {
  if (tip.empty()) return fmt::format("<{} {}/>\n", element, attributes);
  return fmt::format("<{0} {1}><title>{2}</title></{0}>\n", element, attributes, escaped_markup(tip));
}

}  // namespace

std::string escaped_markup(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    // XML has no way to write other control characters.
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 && c != '\n' && c != '\t') || code == 0x7F) {
      result += ' ';
      continue;
    }
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

Scale Scale::linear(double most, double from_px, double to_px) {
  const double step = round_step(most > 0 ? most : 1);
  return {false, 0, step * std::ceil((most > 0 ? most : 1) / step), from_px, to_px};
}

Scale Scale::linear_between(double least, double most, double from_px, double to_px) {
  return {false, least, most > least ? most : least + 1, from_px, to_px};
}

Scale Scale::logarithmic(double least, double most, double from_px, double to_px) {
  const double low = round_below(least), high = 1 / round_below(1 / most);
  return {true, low, high > low ? high : 10 * low, from_px, to_px};
}

double Scale::operator()(double value) const {
  const double share =
      is_logarithmic_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  return from_px_ + share * (to_px_ - from_px_);
}

std::vector<double> Scale::ticks() const {
  std::vector<double> values;
  if (!is_logarithmic_) {
    const double step = round_step(high_ - low_);
    const auto first = static_cast<std::int64_t>(std::ceil(low_ / step - tiny));
    const auto last = static_cast<std::int64_t>(std::floor(high_ / step + tiny));
    for (std::int64_t i = first; i <= last; ++i) values.push_back(static_cast<double>(i) * step);
    return values;
  }
  const bool few_decades = high_ / low_ < 300;
  const int first = static_cast<int>(std::floor(std::log10(low_) + tiny));
  const int last = static_cast<int>(std::floor(std::log10(high_) + tiny));
  for (int decade = first; decade <= last; ++decade) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, decade);
      const bool inside = value >= low_ * (1 - tiny) && value <= high_ * (1 + tiny);
      if (inside && (factor == 1 || few_decades)) values.push_back(value);
    }
  }
  return values;
}

std::string tick_text(double value) { return fmt::format("{:g}", value); }

std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  // Runs of places that touch: each run lies so that its members are on average where they wanted to be.
  struct Run {
    double sum = 0;  // of wanted places, each less the room of those before it in the run
    std::size_t members = 0;
    double first() const { return sum / static_cast<double>(members); }
    double end(double step) const { return first() + step * static_cast<double>(members); }
  };
  std::vector<Run> runs;
  for (const std::size_t i : order) {
    runs.push_back({wanted[i], 1});
    while (runs.size() > 1 && runs[runs.size() - 2].end(gap) > runs.back().first()) {
      const Run last = runs.back();
      runs.pop_back();
      Run& run = runs.back();
      run.sum += last.sum - gap * static_cast<double>(run.members * last.members);
      run.members += last.members;
    }
  }
  std::vector<double> places(wanted.size());
  std::size_t next = 0;
  double least = low;
  for (const Run& run : runs) {
    for (std::size_t i = 0; i < run.members; ++i, ++next) {
      places[order[next]] = std::max(run.first() + gap * static_cast<double>(i), least);
      least = places[order[next]] + gap;
    }
  }
  double most = high;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    places[*i] = std::min(places[*i], most);
    most = places[*i] - gap;
  }
  return places;
}

Svg::Svg(std::string id, double width, double height, std::string title, std::string description)
    : id_(std::move(id)),
      width_px_(width),
      height_px_(height),
      title_(std::move(title)),
      description_(std::move(description)) {}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  body_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                       style, x1, y1, x2, y2);
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view style,
                    std::string_view tip) {
  body_ += with_tip("rect",
                    fmt::format("class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"",
                                style, x, y, std::max(width, 0.0), height),
                    tip);
}

void Svg::cell(double x, double y, double width, double height, std::string_view style, double strength, std::string_view tip) {
  body_ += with_tip("rect",
                    fmt::format("class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill-opacity=\"{:.3f}\"", style, x, y, width,
                                height, strength),
                    tip);
}

void Svg::circle(double x, double y, double radius, std::string_view style, std::string_view tip) {
  body_ += with_tip("circle",
                    fmt::format("class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", style, x, y, radius),
                    tip);
}

void Svg::path(const std::vector<std::pair<double, double>>& points, std::string_view style) {
  std::string steps;
  for (const auto& [x, y] : points) steps += fmt::format("{}{:.1f} {:.1f}", steps.empty() ? "M" : " L", x, y);
  body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", style, steps);
}

void Svg::text(double x, double y, std::string_view words, std::string_view style, Align align) {
  body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", style,
                       x, y, name_of(align), escaped_markup(words));
}

std::string Svg::markup() const {
  return fmt::format(
      "<div class=\"chart\"><svg viewBox=\"0 0 {0} {1}\" style=\"min-width: {6:.0f}px; max-width: {7:.0f}px\" role=\"img\" "
      "aria-labelledby=\"{2}-title {2}-desc\">\n"
      "<title id=\"{2}-title\">{3}</title>\n<desc id=\"{2}-desc\">{4}</desc>\n{5}</svg></div>\n",
      width_px_, height_px_, id_, escaped_markup(title_), escaped_markup(description_), body_, least_size * width_px_, largest_size * width_px_);
}

}  // namespace halation::app
