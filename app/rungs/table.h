// table.h: the results of the ladder as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "app/report/text/table.h"
#include "run.h"

namespace halation::app {

/// Times and rates for each kind of host memory, then the sweep, as far as there are any.
std::vector<Table> tables_of(const LadderResults& results);

/// What the figures of the tables mean.
std::string notes_of(const LadderResults& results);

/// "2D 2048x2048 f32, Gaussian of radius 1 (3x3 taps), outside 0, random values in [0, 1)".
std::string job_text(const LadderResults& results);

/// "NVIDIA H200, 132 multiprocessors, driver 580.82.07, CUDA 13.0, device copy 4100 GB/s", or why there is
/// none.
std::string gpu_text(const LadderResults& results);

/// Job, machine, tables and notes for a terminal.
std::string text_of(const LadderResults& results);

/// Everything as JSON text: machine, command, date, the job, a record for each row with times in
/// milliseconds, and the sweep.
std::string json_of(const LadderResults& results);

}  // namespace halation::app
