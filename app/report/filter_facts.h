// filter_facts.h: what is known of a filter's weights and of the ways to compute it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "halation/plan.h"
#include "model/weights.h"

namespace halation::app {

/// Of a filter whose dimensions are settled.
model::WeightFacts weight_facts(const Filter& filter);

/// The slice of a filter's weights that lies over the output's own, row by row.
std::vector<double> slice_of(const Filter& filter);
/// The sums of the weights along z, row by row: what does not change along it the filter treats as these would.
std::vector<double> summed_along_z(const Filter& filter);

/// The magnitude of the frequency response,  |Σ w[y, x] · exp(−2πi (fy y + fx x))|,  at `points` of fy and as many of fx in [−1/2, 1/2], row by
/// row. An odd number of points has one at 0.
std::vector<double> response_of(const std::vector<double>& weights, std::int64_t height, std::int64_t width, std::int64_t points);

/// Name, size, taps, symmetry along z, y and x, separable, rank, integers, all_equal, sum.
nlohmann::ordered_json json_of(const Filter& filter, const model::WeightFacts& facts);

/// The one chosen first; times in seconds.
nlohmann::ordered_json json_of(const std::vector<RankedMethod>& ranking);

}  // namespace halation::app
