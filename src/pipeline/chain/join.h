// join.h: linear filters of a chain that are one filter.
#pragma once

#include <optional>

#include "halation/filter.h"
#include "halation/plan.h"

namespace halation {

/// The filter that does what `first` and then `second` do to an image of so many dimensions, up to rounding, also at its borders: its
/// weights are the convolution of theirs. Nothing where there is none: where the image beyond its border, filtered, is not what lies
/// beyond the border of the filtered image, or where one stage is not linear. Dimensions are settled in both.
std::optional<Filter> joined(const FilterSet& first, const FilterSet& second, const Options& options);

}  // namespace halation
