// filter_file.h: one file filtered into another, of any size.
#pragma once

#include <halation/chain.h>
#include <halation/display.h>
#include <halation/io.h>

#include <cstddef>
#include <optional>
#include <string>

#include "attended.h"

namespace halation::python {

struct FileJob {
  std::string in, out;
  Chain chain;  ///< dimensions may be open
  Options options;
  bool has_depth_border = true;  ///< whether the borders say what lies outside along depth
  bool linear = false;           ///< pages that hold light already are filtered as they are
  bool gray = false;             ///< gray pages are filtered as they are
  std::optional<Display> view = {};
  Device device = cpu();
  std::size_t memory_bytes = 0;  ///< 0: what the machine has free
  ReadOptions read = {};
  WriteOptions write = {};
};

/// Filters all pages, as the program's `apply` does: files of more than some megabytes whose formats are read and written in parts strip by
/// strip, others whole. The result appears once it is complete. `attended` is told how many pixels of the input are done. Throws `Error`.
void filter_file(const FileJob& job, Attended& attended);

}  // namespace halation::python
