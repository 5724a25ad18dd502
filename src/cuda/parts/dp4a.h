// dp4a.h: integer weights as the kernels get them that sum by products of four bytes (dp4a.cuh).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/parts/placed_taps.h"

namespace halation::cuda_backend {

/// The power of 2 by which all weights become whole numbers of 8 bits; none where there is no such.
inline std::optional<double> to_integers(const std::vector<double>& weights) {
  if (weights.empty()) return {};
  for (double factor = 1; factor <= 0x1p20; factor *= 2) {
    const auto fits = [&](double w) { return w * factor == std::nearbyint(w * factor); };
    if (!std::all_of(weights.begin(), weights.end(), fits)) continue;
    const auto small = [&](double w) { return w * factor >= -128 && w * factor <= 127; };
    return std::all_of(weights.begin(), weights.end(), small) ? std::optional(factor) : std::nullopt;
  }
  return {};
}

/// Of 3 × 3 and 5 × 5 weights the columns' first four (of 3, after a 0), as `Stacks` has them; then, as `RowWords` has them, the last
/// row of 5 × 5 weights, and all rows of 7 × 7.
inline void set_words(std::int32_t* word, const PlacedWeights& weights, std::size_t size, double factor) {
  using Places = std::array<std::array<int, 4>, 4>;  // −1 is none
  constexpr Places five{{{0, 1, 2, 3}, {1, 2, 3, 4}, {-1, -1, 4, -1}, {-1, 0, -1, -1}}};
  constexpr Places seven{{{-1, 0, 1, 2}, {3, 4, 5, 6}, {0, 1, 2, 3}, {4, 5, 6, -1}}};
  const auto put = [&](const auto& weight_at) {
    std::array<std::int8_t, 4> bytes{};
    for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<std::int8_t>(weight_at(i) * factor);
    *word++ = std::bit_cast<std::int32_t>(bytes);
  };
  if (size < 7) {
    for (std::size_t x = 0; x < size; ++x)
      put([&](std::size_t i) { return size == 5 ? weights[i][x] : i == 0 ? 0.0 : weights[i - 1][x]; });
  }
  if (size == 3) return;
  const Places& places = size == 5 ? five : seven;
  for (std::size_t y = size == 5 ? 4 : 0; y < size; ++y) {
    for (const std::array<int, 4>& place : places)
      put([&](std::size_t i) { return place[i] < 0 ? 0.0 : weights[y][static_cast<std::size_t>(place[i])]; });
  }
}

}  // namespace halation::cuda_backend
