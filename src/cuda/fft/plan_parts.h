// plan_parts.h: what plans of all tiles prepare: roots of unity, weights, and what transforms round.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <vector>

#include "core/transform.h"
#include "cuda/fft/radix.cuh"

namespace halation::cuda_backend {

/// body(T{}) with the type of a job's sums.
template <class Body>
auto with_sum(const Job& job, const Body& body) {
  return job.sum_f64 ? body(double{}) : body(float{});
}

/// Roots of unity between the steps of a transform of first · second · third numbers, as columns.cuh and line.cuh want them; with the turns
/// of the packing where they are `packed`.
template <class T>
std::vector<Complex<T>> roots_of_steps(int first, int second, int third, bool packed) {
  std::vector<Complex<T>> roots;
  roots.reserve(static_cast<std::size_t>(first + 1) * static_cast<std::size_t>(second * third));
  const auto add = [&](int steps, int part, double shift) {
    for (int k = 0; k < steps; ++k) {
      for (int n = 0; n < part; ++n) {
        const double angle = -2 * std::numbers::pi * n * (k + shift) / (static_cast<double>(steps) * part);
        roots.push_back({static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))});
      }
    }
  };
  add(first, second * third, packed ? -0.25 : 0);
  add(second, third, 0);
  return roots;
}

/// Weights in reverse, so that sums of products with what follows become convolutions; and a power of two that sums are to be multiplied by:
/// 1, unless the magnitudes of the weights sum to a number far from 1.
template <class T>
struct FlippedWeights {
  std::vector<T> weights;
  std::vector<std::int8_t> signs;  ///< of the weights as they come
  T gain;

  FlippedWeights(const Taps& taps, bool whole) {
    double magnitudes = 0;
    for (const double weight : taps.weights) magnitudes += std::fabs(weight);
    int exponent = 0;
    std::frexp(magnitudes, &exponent);
    constexpr int far = 24;
    if (whole || std::abs(exponent) <= far) exponent = 0;
    gain = static_cast<T>(std::ldexp(1.0, exponent));
    weights.resize(taps.weights.size());
    std::transform(taps.weights.rbegin(), taps.weights.rend(), weights.begin(),
                   [&](double weight) { return static_cast<T>(std::ldexp(weight, -exponent)); });
    signs.resize(taps.weights.size());
    std::transform(taps.weights.begin(), taps.weights.end(), signs.begin(),
                   [](double weight) { return static_cast<std::int8_t>((weight > 0) - (weight < 0)); });
  }
};

/// Roundings that a number meets in a transform of so many in registers.
inline double roundings_of_registers(int length) {
  switch (length) {
    case 16: return 2 * roundings_of_pass(4) + roundings_of_twiddle;
    case 12: return roundings_of_pass(4) + roundings_of_pass(3) + roundings_of_twiddle;
    case 6: return roundings_of_pass(2) + roundings_of_pass(3) + roundings_of_twiddle;
    case 1: return 0;
    default: return roundings_of_pass(length);
  }
}
/// And in one by several such steps.
inline double roundings_of_steps(std::initializer_list<int> steps) {
  double roundings = 0, between = -roundings_of_twiddle;
  for (const int step : steps) {
    if (step == 1) continue;
    roundings += roundings_of_registers(step);
    between += roundings_of_twiddle;
  }
  return roundings + between;
}
/// Weights and samples there, their product, and back; turns of the packing.
inline double roundings_there_and_back(double once) { return 3 * once + 2 * roundings_of_twiddle; }

}  // namespace halation::cuda_backend
