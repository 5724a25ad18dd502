// fold.h: filters that reach over an axis several times, as shorter ones of the same sums.
#pragma once

#include <vector>

#include "plan/check.h"

namespace halation {

/// Where a filter is much longer than an axis, many of its taps see the same pixel at every output: those a
/// period of the border apart, or all beyond the far edge of a border that repeats one value. Their weights
/// are added up, so that an axis of n pixels takes a filter of some 2n taps, however long it was. Where
/// pixels or constants may be infinite, weights of opposite signs are not added, since of an infinity they
/// make NaN: they go to two taps that see the same. Windows of equal weights, whose cost does not depend on
/// their size, stay unless a few taps are left; so do filters of full outputs. Returns what this has rounded,
/// of each filter over max|x|.
std::vector<double> fold(CheckedJob& checked, const Options& options);

}  // namespace halation
