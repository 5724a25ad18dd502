// report.h: the results of the ladder as a page with charts.
#pragma once

#include <string>

#include "app/rungs/run.h"

namespace halation::app {

/// One HTML file that needs nothing beside it: styles and charts (SVG) are inline, nothing is scripted,
/// light, dark and print are provided for. It is well-formed XML as well.
std::string report_of(const LadderResults& results);

}  // namespace halation::app
