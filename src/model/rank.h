// rank.h: the numerical rank of 2D weights: into how few separable filters they can be split.
#pragma once

#include <cstdint>
#include <vector>

namespace halation::model {

/// The singular values of a row-major matrix, largest first, by Jacobi rotations of pairs of its columns
/// (Hestenes, 1958; Golub and Van Loan, Matrix Computations, 4th ed., section 8.6): each rotation makes two
/// columns orthogonal, and lengths are left. Right to rounding of the largest. Cost: about 30 · m · n²
/// operations with n the shorter side.
std::vector<double> singular_values(std::int64_t rows, std::int64_t columns,
                                    const std::vector<double>& weights);

/// How many of them exceed `tolerance` times the largest; 0 for all zeros.
int numerical_rank(const std::vector<double>& singular_values, double tolerance);

}  // namespace halation::model
