// inspect.cpp: how a pixel of a result came about.
#include "inspect.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/refuse.h"
#include "core/border_index.h"
#include "core/convert.h"
#include "halation/error.h"
#include "pipeline/colour/srgb.h"

namespace halation::app {
namespace {

constexpr std::int64_t most_shown = 15;         // taps along an axis
constexpr std::int64_t most_taps = 1 << 22;     // of a filter
constexpr std::array<double, 3> luma = {0.299, 0.587, 0.114};  // BT.601

double value_at(const ConstView& view, const Position& at) {
  return visit_pixel(view.pixel, [&](auto like) { return static_cast<double>(view.at<decltype(like)>(at)); });
}

double full_scale(Pixel pixel) { return is_float(pixel) ? 1 : largest(pixel); }

/// A picture as a stage filters it: as light, as luma, its colours times alpha.
class Filtered {
 public:
  /// `constant`: the pixels whose scale the border's constant has.
  Filtered(const ConstView& stored, const ColourOptions& colour, Pixel constant)
      : stored_(stored), colour_(colour), full_(full_scale(stored.pixel)), full_constant_(full_scale(constant)) {
    colours_ = stored.shape.channels - (colour.alpha ? 1 : 0);
    colour_.gray = colour.gray && colours_ == 3;  // once they are, what follows has luma already
  }

  const Shape& shape() const { return stored_.shape; }
  std::int64_t channels() const { return (colour_.gray ? 1 : colours_) + (colour_.alpha ? 1 : 0); }
  bool is_alpha(std::int64_t channel) const { return colour_.alpha && channel == channels() - 1; }

  double at(Position place) const {
    if (is_alpha(place.c)) return alpha(place);
    double value = 0;
    if (colour_.gray) {
      for (std::int64_t c = 0; c < 3; ++c) value += luma[static_cast<std::size_t>(c)] * colour_at({.z = place.z, .y = place.y, .x = place.x, .c = c});
    } else {
      value = colour_at(place);
    }
    return colour_.alpha ? value * alpha(place) : value;
  }
  /// Of the border's constant, which is opaque.
  double constant(double value, std::int64_t channel) const {
    if (is_alpha(channel)) return 1;
    return colour_.linear ? srgb_decode(value / full_constant_) : value;
  }

 private:
  double alpha(Position place) const {
    place.c = stored_.shape.channels - 1;
    return value_at(stored_, place) / full_;
  }
  double colour_at(const Position& place) const {
    const double value = value_at(stored_, place);
    return colour_.linear ? srgb_decode(value / full_) : value;
  }

  ConstView stored_;
  ColourOptions colour_;
  double full_, full_constant_;
  std::int64_t colours_ = 1;
};

/// What one filter sees at a place, and the sum that it makes of it.
struct Product {
  Json shown;
  double sum = 0;
};

Product product_of(const Filter& filter, const Filtered& in, const Options& options, const Position& at) {
  const FilterSize size = filter.size();
  const Anchor anchor = filter.anchor();
  const bool mirrored = options.operation == Operation::convolution && !filter.is_correlation();
  const std::vector<double> weights = filter.weights();
  const auto axes = options.border.axes();
  double sum = 0;
  Json values = Json::array(), shown = Json::array();
  // Of what is large, the middle.
  const auto is_shown = [&](std::int64_t k, std::int64_t centre) { return std::abs(k - centre) <= most_shown / 2; };
  for (std::int64_t kz = 0; kz < size.depth; ++kz) {
    for (std::int64_t ky = 0; ky < size.height; ++ky) {
      for (std::int64_t kx = 0; kx < size.width; ++kx) {
        // The tap that lies over the pixel to the right of another is the next one, or of a convolution the one before.
        const std::int64_t tz = mirrored ? size.depth - 1 - kz : kz, ty = mirrored ? size.height - 1 - ky : ky, tx = mirrored ? size.width - 1 - kx : kx;
        const auto offset = [&](std::int64_t t, std::int64_t a) { return mirrored ? a - t : t - a; };
        const std::int64_t z = border_index(at.z + offset(tz, anchor.z), in.shape().depth, axes[0].mode);
        const std::int64_t y = border_index(at.y + offset(ty, anchor.y), in.shape().height, axes[1].mode);
        const std::int64_t x = border_index(at.x + offset(tx, anchor.x), in.shape().width, axes[2].mode);
        const double value = z < 0   ? in.constant(axes[0].value, at.c)
                             : y < 0 ? in.constant(axes[1].value, at.c)
                             : x < 0 ? in.constant(axes[2].value, at.c)
                                     : in.at({.z = z, .y = y, .x = x, .c = at.c});
        const double weight = weights[static_cast<std::size_t>((tz * size.height + ty) * size.width + tx)];
        sum += weight * value;
        if (tz == anchor.z && is_shown(ty, anchor.y) && is_shown(tx, anchor.x)) {
          values.push_back(value);
          shown.push_back(weight);
        }
      }
    }
  }
  const auto shown_along = [&](std::int64_t count, std::int64_t centre) {
    std::int64_t number = 0;
    for (std::int64_t k = 0; k < count; ++k) number += is_shown(k, centre) ? 1 : 0;
    return number;
  };
  Json json{{"rows", shown_along(size.height, anchor.y)},
            {"columns", shown_along(size.width, anchor.x)},
            {"all", size.taps()},
            {"values", std::move(values)},
            {"weights", std::move(shown)},
            {"sum", sum}};
  return {.shown = std::move(json), .sum = sum};
}

/// Σw, by which a sum over alpha is divided; 0 where alpha stays as it is (halation/colour.h).
double gain_of(const FilterSet& set) {
  if (set.combine != Combine::none) return 0;
  double sum = 0, magnitude = 0;
  for (const double weight : set.filters.front().weights()) {
    sum += weight;
    magnitude += std::abs(weight);
  }
  return std::abs(sum) <= magnitude / 256 ? 0 : sum;
}

/// The channels of a stage's result at a place.
Json channels_at(const FilterSet& stage, const Filtered& in, const PageJob& job, Position at) {
  Json channels = Json::array();
  std::vector<double> values;
  const std::vector<Filter> filters = telling(stage);
  for (at.c = 0; at.c < in.channels(); ++at.c) {
    Json products = Json::array();
    double squares = 0, sum = 0;
    for (const Filter& filter : filters) {
      Product product = product_of(filter, in, job.options, at);
      sum = product.sum;
      squares += sum * sum;
      products.push_back(std::move(product.shown));
    }
    values.push_back(stage.combine == Combine::magnitude ? std::sqrt(squares) : sum);
    channels.push_back({{"filters", std::move(products)}});
  }
  const double gain = gain_of(stage);
  double alpha = 1;
  if (job.colour.alpha) {
    alpha = gain == 0 ? in.at({.z = at.z, .y = at.y, .x = at.x, .c = in.channels() - 1}) : values.back() / gain;
    values.back() = alpha * full_scale(job.output_pixel);
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (!in.is_alpha(static_cast<std::int64_t>(c))) {
      double& value = values[c];
      if (job.colour.alpha) value = alpha <= 0 ? 0 : gain == 0 ? value : value / alpha;
      if (job.colour.linear) value = srgb_encode(value) * full_scale(job.output_pixel);
      value = job.options.scale * value + job.options.offset;
    }
    channels[c]["value"] = values[c];
  }
  return channels;
}

std::string described(const ColourOptions& colour) {
  std::string text;
  const auto add = [&](bool is, const char* what) {
    if (is) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(colour.linear, "light in [0, 1]");
  add(colour.gray, "luma");
  add(colour.alpha, "colours times alpha");
  return text;
}

}  // namespace

Json inspect_answer(Workspace& workspace, const Picture& picture, const Asked& asked, const std::string& before, const Position& pixel, const Turn& turn) {
  if (workspace.job(picture, asked, turn)->chain.stages.size() != 1) refuse("chain is one stage here, before= those before it");
  Asked all = asked;
  if (!before.empty()) all.chain = before + " | " + asked.chain;
  const std::shared_ptr<const PageJob> job = workspace.job(picture, all, turn);
  const PageFacts& facts = picture.facts;
  if (pixel.x < 0 || pixel.y < 0 || pixel.x >= facts.shape.width || pixel.y >= facts.shape.height)
    refuse(fmt::format("x and y lie within {}x{}, got {},{}", facts.shape.width, facts.shape.height, pixel.x, pixel.y));
  if (job->options.extent != Extent::same) refuse("a pixel is shown of results of extent same");
  const Position here{.z = facts.shape.depth / 2, .y = pixel.y, .x = pixel.x};
  const FilterSet& last = job->chain.stages.back();
  for (const Filter& filter : last.filters) {
    if (filter.size().taps() > most_taps) refuse(fmt::format("a pixel is shown of filters of up to {} weights, got {}", most_taps, filter.size().taps()));
  }
  Json answer{{"x", pixel.x}, {"y", pixel.y}, {"of", described(job->colour)}};
  const Workspace::Visitor inputs{.begin = [](const PageFacts&, const Position&) {}, .take = [&](const ConstView& in, std::int64_t) {
                                    if (length_of_part(in.shape, facts.shape) == length_of(facts.shape))
                                      answer["channels"] = channels_at(last, Filtered(in, job->colour, facts.pixel), *job, here);
                                  }};
  if (before.empty()) {
    workspace.visit_original(picture, turn, inputs);
  } else {
    Asked floats = asked;
    floats.chain = before;
    floats.options["output-pixel"] = facts.pixel == Pixel::f64 ? "f64" : "f32";
    for (const char* of_the_last : {"scale", "offset", "view"}) floats.options.erase(of_the_last);
    workspace.visit(picture, floats, turn, inputs);
    if (!answer.contains("channels")) refuse("a pixel of a later stage is shown where the stage before fits in memory");
  }
  std::vector<double> results;
  Position origin;
  const Workspace::Visitor outputs{.begin =
                                       [&](const PageFacts&, const Position& at) {
                                         origin = at;
                                         results.clear();
                                       },
                                   .take =
                                       [&](const ConstView& part, std::int64_t first) {
                                         const std::size_t axis = axis_of_parts(facts.shape);
                                         std::array<std::int64_t, 3> at = {here.z, here.y - origin.y, here.x - origin.x};
                                         at[axis] -= first;
                                         if (at[axis] < 0 || at[axis] >= length_of_part(part.shape, facts.shape)) return;
                                         for (std::int64_t c = 0; c < part.shape.channels; ++c)
                                           results.push_back(value_at(part, {.z = at[0], .y = at[1], .x = at[2], .c = c}));
                                       },
                                   .seen = Region{.z = here.z, .y = here.y, .x = here.x}};
  workspace.visit(picture, all, turn, outputs);
  answer["result"] = results;
  return answer;
}

}  // namespace halation::app
