// charts.h: the charts of the ladder's report.
#pragma once

#include <string>

#include "app/rungs/run.h"

namespace halation::app {

// Each is an <svg> element; empty where the results hold nothing to draw. The classes of their parts:
//   grid, axis, leader, mark      lines;  small, strong: words
//   cpu, gpu, library             bars of rungs
//   phase0 … phase4               allocation, upload, filter upload, kernel, download
//   line0 …, dot0 …, ink0 …     lines, points and names of rungs, by `colour_of`; hollow: on paper

/// A bar for each rung: kernel time.
std::string kernel_chart(const LadderResults& results);

/// A bar for each GPU rung and kind of host memory, of its phases one after the other, and one for a second
/// filter.
std::string phases_chart(const LadderResults& results);

/// A line for each rung: kernel time over radius.
std::string radius_chart(const LadderResults& results);

/// A point for each GPU rung: its arithmetic per byte asked for, and its rate, under what the device can do;
/// on paper where it did not run.
std::string roofline_chart(const LadderResults& results);

/// The rung's colour: its place in the ladder, from 0.
std::size_t colour_of(const LadderResults& results, const ladder::Rung& rung);

}  // namespace halation::app
