// report.h: what `halation explain` answers as a page with charts.
#pragma once

#include <string>
#include <string_view>

#include "job.h"
#include "model.h"

namespace halation::app {

// Each is one HTML file that needs nothing beside it, in the style of the ladder's; well-formed XML as well.
// `command` is the line that asked.

/// Methods, roofline, weights and frequency response of a filter's job.
std::string report_of(const Explanation& explanation, std::string_view command);

/// The tile with its halo, how often each element is used, and what that saves.
std::string report_of(const Tiling& tiling, std::string_view command);

/// What a multiprocessor holds of a kernel, and what stops one more block.
std::string report_of(const OccupancyQuestion& question, std::string_view command);

}  // namespace halation::app
