// multirate.h: finds how a product of factors is done at a lower rate, and how far that is from it.
#pragma once

#include <optional>

#include "core/job.h"
#include "plan/analysis/analyse.h"

namespace halation {

/// What `Accuracy::fast` allows, over Σ |w| · max|x|: half precision's unit roundoff.
inline constexpr double fast_tolerance = 0x1p-11;

/// One axis of a filter, `lead` before its output: by the largest factor whose error is within `tolerance` of Σ |w|; a factor of 1, with
/// no error, where there is none.
///
/// `down` and `up` are cubic B-splines (boxes of D samples, four times one over another), whose spectra have zeros of fourth order
/// wherever thinning folds something onto low frequencies. `taps` are the least squares that remain: they minimise Σ_p Σ_k
/// (w'_p[k] − w[k])², w'_p what phase p of the outputs amounts to, among those that sum up as the filter does, so that constants come out
/// right. Then the error is added up as it is. Cost: some 14 multiply-adds for each weight and phase, all factors together.
MultirateAxis multirate_axis(const std::vector<double>& weights, std::int64_t lead, double tolerance);

/// Of a whole filter; none where neither y nor x has a factor above 1.
std::optional<Multirate> multirate_of(const Taps& place, const FactorArray& factors);

}  // namespace halation
