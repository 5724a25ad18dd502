// filter_facts.cpp: what is known of a filter's weights and of the ways to compute it, as JSON.
#include "filter_facts.h"

#include <nlohmann/json.hpp>
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
