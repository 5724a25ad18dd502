// filter_facts.h: what is known of a filter's weights and of the ways to compute it, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "halation/plan.h"
#include "model/weights.h"

namespace halation::app {

/// Of a filter whose dimensions are settled.
model::WeightFacts weight_facts(const Filter& filter);

/// Name, size, taps, symmetry along z, y and x, separable, rank, integers, all_equal, sum.
nlohmann::ordered_json json_of(const Filter& filter, const model::WeightFacts& facts);

/// The one chosen first; times in seconds.
nlohmann::ordered_json json_of(const std::vector<RankedMethod>& ranking);

}  // namespace halation::app
