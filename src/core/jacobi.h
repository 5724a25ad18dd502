// jacobi.h: lines turned, two at a time, until they are orthogonal: singular values and vectors.
#pragma once

#include <vector>

namespace halation {

using Line = std::vector<double>;

double product(const Line& a, const Line& b);

/// Turns lines in the planes that two of them span until all are orthogonal (Hestenes, 1958; Golub and Van Loan, Matrix Computations, 4th
/// ed., section 8.6), right to rounding of the longest: their lengths are then the singular values of the matrix that has them as columns.
/// `beside`, where given, has as many lines, which turn alike: Σ lines[i] ⊗ beside[i] stays what it was. Cost: about 30 · m · n²
/// operations for n lines of m numbers. Numbers far from 1 may leave the range of their squares.
void make_orthogonal(std::vector<Line>& lines, std::vector<Line>* beside = nullptr);

}  // namespace halation
