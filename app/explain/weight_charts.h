// weight_charts.h: a filter's weights and its frequency response, drawn.
#pragma once

#include <string>

#include "halation/filter.h"

namespace halation::app {

/// A chart, which is an <svg> element in a box, or nothing; and a sentence about it, or why there is none.
struct Drawing {
  std::string chart, note;
};

/// Weights as a map of colours, of a volume the slice at the anchor, or as bars where one axis alone has
/// several. Of many weights means of blocks. `id` is unique on the page.
Drawing weights_drawing(const Filter& filter, const std::string& id);

/// |H| along each axis that has several weights, the frequencies along the others being 0.
Drawing response_drawing(const Filter& filter, const std::string& id);

/// |H| over both frequencies of an image's filter.
Drawing response_map(const Filter& filter, const std::string& id);

}  // namespace halation::app
