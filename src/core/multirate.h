// multirate.h: a smooth filter as three short ones an axis: samples thinned out, filtered, and brought back to full rate.
//
// Along an axis, for outputs o = q · D + p, 0 ≤ p < D, all indices from 0:
//     thinned[j]   = Σ_i down[i] · in[j · D + lead + i]        i in [0, down.size())
//     filtered[j]  = Σ_t taps[t] · thinned[j + t]
//     out[qD + p]  = Σ_s up[p · m + s] · filtered[q + s]       s in [0, m),  m = up.size() / D
// `down` has the sum 1, each phase of `up` too, and no weight of either is negative: what a filter makes of a constant is Σ taps of it.
// With D = 1 `down` and `up` are one weight of 1, and `taps` are the filter's own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace halation {

struct MultirateAxis {
  std::int64_t factor = 1;  ///< D
  std::int64_t lead = 0;
  std::vector<double> down{1.0};
  std::vector<double> taps{1.0};
  std::vector<double> up{1.0};
  double error = 0;  ///< at most, over phases, of Σ_k |weights that the three amount to − the filter's|

  std::int64_t up_taps() const { return static_cast<std::int64_t>(up.size()) / factor; }
  std::int64_t phases(std::int64_t outputs) const { return (outputs + factor - 1) / factor; }
  /// Samples that so many outputs need.
  std::int64_t filtered(std::int64_t outputs) const { return phases(outputs) + up_taps() - 1; }
  std::int64_t thinned(std::int64_t outputs) const { return filtered(outputs) + static_cast<std::int64_t>(taps.size()) - 1; }
  /// One past the last input sample that is read; the first is `lead`.
  std::int64_t end(std::int64_t outputs) const {
    return lead + (thinned(outputs) - 1) * factor + static_cast<std::int64_t>(down.size());
  }
};

/// Of a filter that is a product of factors. Along z its taps are summed directly, of planes that are thinned out.
struct Multirate {
  std::array<MultirateAxis, 2> axes;  ///< y and x
  double magnitudes = 0;              ///< Π over all axes of Σ |taps|: of what sums are made of
  double error = 0;                   ///< of the whole filter, over the largest |x|: Π (S + e) − Π S, S = Σ |w| of each axis
};

}  // namespace halation
