// banded.h: finds the numbers that stand for a filter's weights in products of matrices.
#pragma once

#include <optional>
#include <vector>

#include "core/banded.h"
#include "core/job.h"

namespace halation {

/// Of one filter of a job over u8. Weights that are whole numbers of 16 bits, or become such by a power of 2, are taken as they are. Others
/// are rounded to the finest such numbers where outputs are integers that are rounded to the nearest, and sums are off by
/// `most_fixed_error` at most: then the job's scale is part of them. None where neither is so, or a sum could leave 32 bits.
/// Cost: some passes over the weights.
std::optional<Banded> banded_of(const Job& job, const std::vector<double>& weights);

/// The same of a product of factors along y and x where outputs are integers rounded to the nearest. `residual` is the share of the weights
/// that the product leaves. `levels` is what sums are off by: at most `most_fixed_error`.
struct FoundFactors {
  BandedFactors factors;
  double levels = 0;
};
std::optional<FoundFactors> banded_factors_of(const Job& job, const std::vector<double>& y, const std::vector<double>& x, double residual);

/// Whether a job's pixels are such as `banded_over_floats` takes.
inline bool may_be_banded_over_floats(const Job& job) { return job.in_pixel == Pixel::f32 || job.in_pixel == Pixel::f16; }

/// Of one filter over floats whose weights and pixels may be rounded to tf32: none where accuracy is exact, or results could be off by more
/// than 2^-10 · Σ|w| · max|x|. Pixels of f16 are not rounded, and constants around them must be such.
std::optional<Banded> banded_over_floats(const Job& job, const Space& size, const std::vector<double>& weights);

}  // namespace halation
