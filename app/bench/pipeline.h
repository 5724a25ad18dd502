// pipeline.h: whole jobs, from host memory or files and back, beside the limit of what they go through.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/record.h"
#include "halation/device.h"

namespace halation::app {

/// A job from end to end.
struct PipelineRow {
  std::string name;
  double items = 1;           ///< images, frames or files
  double megabytes = 0;       ///< of all items, read and written, in memory
  double seconds = 0;         ///< of all items, the median
  /// What the job goes through, and the seconds that it takes by itself.
  std::vector<std::pair<std::string, double>> alone;
  std::string limit;          ///< that of them, or those of them, which no pipeline could do without
  double limit_seconds = 0;

  double share_of_limit() const { return limit_seconds / seconds; }
};

struct PipelineResults {
  bench::Circumstances circumstances;
  std::string device, gpu;
  std::vector<PipelineRow> rows;
};

struct PipelineBench {
  Device device = cpu();
  std::string folder;       ///< for files
  double megapixels = 400;  ///< of the large file
  int photographs = 32;
  int repeats = 11;
};

/// Runs all jobs; `before` is told the name of each.
std::vector<PipelineRow> run_pipeline_bench(const PipelineBench& bench, const std::function<void(std::string_view)>& before);

std::string text_of(const PipelineResults& results);
std::string json_of(const PipelineResults& results);

}  // namespace halation::app
