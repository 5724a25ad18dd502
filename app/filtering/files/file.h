// file.h: one file read, filtered and written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/filtering/job.h"
#include "halation/io.h"

namespace halation::app {

struct FileJob {
  std::string in, out;
  std::optional<std::string> compare;  ///< a picture of original and result side by side
  Job job = {};
  ReadOptions read = {};
  WriteOptions write = {};
  bool quiet = false;  ///< without a line that tells how far it is
};

struct FilteredFile {
  std::vector<PageFacts> pages;  ///< of the input
  Prepared prepared;
  Timing timing;
  Workload work;
  Clipped clipped;
  std::string explained;  ///< what was done and why
  std::string left_out;   ///< what of the file the result has not, or was not heeded, in sentences; empty where that is nothing
};

/// Filters all pages; the result appears once it is complete, and the comparison with it. Large files of formats that are read and written
/// in parts go strip by strip. Throws `Error`; then neither file is left behind.
FilteredFile filter_file(const FileJob& job);

}  // namespace halation::app
