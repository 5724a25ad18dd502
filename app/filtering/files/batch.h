// batch.h: many files filtered side by side.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "file.h"
#include "file_list.h"

namespace halation::app {

struct BatchJob {
  Job job;
  ReadOptions read = {};
  WriteOptions write = {};
  /// All that results depend on but the input, as text; empty: nothing is noted of how they were made (made_by.h).
  std::string made_by = {};
  bool resume = false;  ///< files whose results are there, no older than they are, and made by this of them, are skipped
  int workers = 1;      ///< files at a time, each in a thread
};

/// What became of a file.
struct BatchResult {
  enum class State { done, skipped, failed };

  BatchFile file;
  State state = State::failed;
  std::string sentence = {};  ///< of a failure: why; of a result: what is worth saying
  bool lacks_page = false;    ///< it failed for want of the page that was asked for
  bool made_again = false;    ///< a result was there, no older, that was made otherwise, or nothing says how
  bool changed = false;       ///< it was skipped, but has another size than when it was made
  std::string left_out = {};  ///< as in `FilteredFile`
  Clipped clipped = {};       ///< likewise; where it is worth saying, `sentence` says it
  double pixels = 0;
  double seconds = 0;
  double bytes_in = 0, bytes_out = 0;
};

/// Filters all files. A failure is noted, and the others are gone on with. Files that memory does not suffice for beside others are tried
/// again alone. `each` is called as files end, one at a time.
std::vector<BatchResult> run_batch(const std::vector<BatchFile>& files, const BatchJob& job,
                                   const std::function<void(const BatchResult&)>& each);

}  // namespace halation::app
