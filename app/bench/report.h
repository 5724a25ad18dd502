// report.h: the results of a benchmark as a page with charts.
#pragma once

#include <string>

#include "table.h"

namespace halation::app {

/// One HTML file that needs nothing beside it, in the style of the ladder's; well-formed XML as well.
std::string report_of(const BenchResults& results);

}  // namespace halation::app
