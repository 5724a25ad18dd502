// inspect.h: how a pixel of a result came about.
#pragma once

#include <string>

#include "answers.h"

namespace halation::app {

/// A pixel of a stage's result:  neighbourhood × weights = sum.  `before`: the stages before, "" where there are none; `pixel`: y and x, of a
/// volume in its middle slice. For each channel of what is filtered: values and weights of each filter, of large ones the middle, their
/// products' sum, and the value that it becomes, before rounding; "result", what the picture has there; "of", what the values are where they
/// are not the picture's own: light in [0, 1], luma, colours multiplied by alpha (halation/colour.h).
Json inspect_answer(Workspace& workspace, const Picture& picture, const Asked& asked, const std::string& before, const Position& pixel, const Turn& turn);

}  // namespace halation::app
