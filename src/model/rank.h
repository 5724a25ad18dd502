// rank.h: the numerical rank of 2D weights: into how few separable filters they can be split.
#pragma once

#include <cstdint>
#include <vector>

namespace halation::model {

/// The singular values of a row-major matrix, largest first (core/jacobi.h). Cost: about 30 · m · n² operations with n the shorter side.
std::vector<double> singular_values(std::int64_t rows, std::int64_t columns,
                                    const std::vector<double>& weights);

/// How many of them exceed `tolerance` times the largest; 0 for all zeros.
int numerical_rank(const std::vector<double>& singular_values, double tolerance);

}  // namespace halation::model
