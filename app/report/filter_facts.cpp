// filter_facts.cpp: what is known of a filter's weights and of the ways to compute it.
#include "filter_facts.h"

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "plan/analysis/analyse.h"

namespace halation::app {
namespace {

using Json = nlohmann::ordered_json;

bool is_separable(const FilterSize& size, const std::vector<double>& weights) {
  const std::optional<Separation> separation = separate(size.space(), weights);
  return separation && separation->residual <= separable_tolerance(false);
}

}  // namespace

model::WeightFacts weight_facts(const Filter& filter) { return model::facts_of(filter, is_separable); }

std::vector<double> slice_of(const Filter& filter) {
  const FilterSize size = filter.size();
  const std::vector<double> all = filter.weights();
  const auto begin = all.begin() + filter.anchor().z * size.height * size.width;
  return {begin, begin + size.height * size.width};
}

std::vector<double> summed_along_z(const Filter& filter) {
  const FilterSize size = filter.size();
  const std::vector<double> all = filter.weights();
  std::vector<double> sums(static_cast<std::size_t>(size.height * size.width));
  for (std::size_t i = 0; i < all.size(); ++i) sums[i % sums.size()] += all[i];
  return sums;
}

std::vector<double> response_of(const std::vector<double>& weights, std::int64_t height, std::int64_t width, std::int64_t points) {
  const auto frequency = [points](std::int64_t point) { return static_cast<double>(point) / static_cast<double>(points - 1) - 0.5; };
  const auto turned = [&](std::int64_t point, std::int64_t tap) {
    return std::polar(1.0, -2 * std::numbers::pi * frequency(point) * static_cast<double>(tap));
  };
  std::vector<std::complex<double>> rows(static_cast<std::size_t>(height * points));
  for (std::int64_t fx = 0; fx < points; ++fx) {
    for (std::int64_t x = 0; x < width; ++x) {
      const std::complex<double> factor = turned(fx, x);
      for (std::int64_t y = 0; y < height; ++y)
        rows[static_cast<std::size_t>(y * points + fx)] += weights[static_cast<std::size_t>(y * width + x)] * factor;
    }
  }
  std::vector<double> response;
  for (std::int64_t fy = 0; fy < points; ++fy) {
    std::vector<std::complex<double>> sums(static_cast<std::size_t>(points));
    for (std::int64_t y = 0; y < height; ++y) {
      const std::complex<double> factor = turned(fy, y);
      for (std::int64_t fx = 0; fx < points; ++fx)
        sums[static_cast<std::size_t>(fx)] += rows[static_cast<std::size_t>(y * points + fx)] * factor;
    }
    for (const std::complex<double>& sum : sums) response.push_back(std::abs(sum));
  }
  return response;
}

Json json_of(const Filter& filter, const model::WeightFacts& facts) {
  const auto [depth, height, width] = facts.size.space();
  Json report{{"name", filter.name()},
              {"size", {{"depth", depth}, {"height", height}, {"width", width}}},
              {"taps", facts.size.taps()}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    report["symmetry"][std::string(1, "zyx"[axis])] = model::name_of(facts.symmetry[axis]);
  report["separable"] = facts.separable;
  report["rank"] = facts.rank ? Json(*facts.rank) : Json(nullptr);
  report["integers"] = facts.integers;
  report["all_equal"] = facts.equal;
  report["sum"] = facts.sum;
  return report;
}

Json json_of(const std::vector<RankedMethod>& ranking) {
  Json list = Json::array();
  for (const RankedMethod& each : ranking) {
    Json method{{"method", name_of(each.method)}};
    if (each.expected_seconds) method["expected_seconds"] = *each.expected_seconds;
    if (each.measured_seconds) method["measured_seconds"] = *each.measured_seconds;
    if (!each.why_not.empty()) method["why_not"] = each.why_not;
    list.push_back(std::move(method));
  }
  return list;
}

}  // namespace halation::app
