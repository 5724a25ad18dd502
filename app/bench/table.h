// table.h: the results of a benchmark as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "app/report/text/table.h"
#include "bench/contest.h"
#include "bench/record.h"
#include "ladder/measure.h"

namespace halation::app {

/// A contest and where it took place.
struct BenchResults {
  bench::Contest contest;
  ladder::Gpu gpu;  ///< asked only where one was wanted
  bench::Circumstances circumstances;
  std::vector<std::string> void_reasons;
};

/// One row a job: time, rates, target, best peer.
Table jobs_table(const BenchResults& results);

/// What each peer is, and the rows in which something was not as it should be: "missed", "behind", "differs".
std::vector<std::string> findings(const BenchResults& results);

/// What the figures of the table mean.
std::string notes_of(const BenchResults& results);

/// "NVIDIA H200, driver 580.82.07, CUDA 13.0, copy of 8192x8192 f32 4100 GB/s"; the CPU's name where that was
/// measured.
std::string place_text(const BenchResults& results);

std::string text_of(const BenchResults& results);
/// The record, as JSON text.
std::string json_of(const BenchResults& results);

/// "92%", "440 GPix/s", "5.3 us", "99% of 'NAME'": a value of a target's unit.
std::string target_text(const bench::Target& target, double value);

}  // namespace halation::app
