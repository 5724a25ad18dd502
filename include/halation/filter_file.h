// filter_file.h: image files of any size filtered into others. Needs the library halation::io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halation/chain.h"
#include "halation/display.h"
#include "halation/io.h"

namespace halation {

/// How far a run has come, in pixels of the input.
struct FileProgress {
  std::int64_t done = 0;
  std::int64_t all = 0;
};

struct FileOptions {
  Options options = {};
  bool linear = false;  ///< in linear light; pages that hold light already are filtered as they are
  bool gray = false;    ///< as luma; gray pages are filtered as they are
  std::optional<Display> view = {};
  /// One device, or several GPUs, which take the strips in turn; all but the first rest where a page goes whole, has alpha, or is filtered
  /// as luma, in linear light or for a view.
  std::vector<Device> devices = {cpu()};
  /// The most that strips, or the pixels of a file that is read whole, may take; 0: what the machine has free.
  std::size_t memory_bytes = 0;
  ReadOptions read = {};  ///< of which `memory_bytes` is the one above
  WriteOptions write = {};
  /// Whether `options.border.z` means anything; images and filters with depth are refused where it does not.
  bool has_depth_border = true;
  /// Called with 0 before the work, after each strip that has been written, and after each page that is filtered whole, one call at a
  /// time. What it throws ends the run.
  std::function<void(const FileProgress&)> progress = {};
};

struct FileReport {
  std::int64_t pictures = 1;  ///< of an animation: how many the input has, of which one was filtered
};

/// Filters all pages of a file into another, which may be the same: what `convolve_chain` (`convolve_display`) makes of each page, with
/// alpha, metadata and the meaning of its channels kept. Dimensions of filters may be open: they follow the page's.
///
/// .npy in C order, TIFF, BigTIFF and OpenEXR of more than 8 MiB, input and result together, go strip by strip (`StripFilter`), in memory that
/// does not grow with the image; all others are read and written whole. Which way depends on the files alone, so that no bit of a result
/// depends on memory. The result appears once it is complete; whatever is thrown, nothing half-written stays, and an earlier file there is as
/// it was. Throws `Error` as `open_pages`, `read_pages`, `StripFilter`, `check_writable` and `write_pages`.
FileReport filter_file(const Chain& chain, const std::string& in, const std::string& out, const FileOptions& options = {});

}  // namespace halation
