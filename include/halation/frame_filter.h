// frame_filter.h: many images of one shape, one after the other: the frames of a video, a camera, a stack.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "halation/strip_filter.h"

namespace halation {

/// Where frames come from and go to. Each function is called by one thread, for frames 0, 1, 2, … in order; those of different frames run
/// side by side. What one throws ends the run.
struct Frames {
  /// The frame: `buffer` filled, which keeps it until it has been written, or memory of the caller's own (pinned, on a GPU, to go as it lies),
  /// which must stay as long. Nothing: there are no more.
  std::function<std::optional<ConstView>(std::int64_t frame, View buffer)> read;
  /// Where the result comes to lie: `buffer`, which is used where this is not given, or memory of the caller's own (pinned, on a GPU).
  std::function<View(std::int64_t frame, View buffer)> place = {};
  std::function<void(std::int64_t frame, ConstView result)> write;
};

/// Seconds that each stage of a run worked, and that it waited for another one: the stage that hardly waits is the one that limits.
struct FrameReport {
  std::int64_t frames = 0;
  double read = 0, compute = 0, write = 0;
  double total = 0;
};

/// A chain over frames: while one is computed the next ones are read and those before written, in order, by threads of the run's own. A GPU
/// copies up, computes and copies down at the same time; several take frames in turn. Results are those of `convolve_chain`
/// (`convolve_display`). Memory: three frames and their results, four a GPU.
class FrameFilter {
 public:
  /// `where.strip_bytes`, `progress` and `counts_clipped` have no meaning for frames. Throws as `StripFilter`.
  FrameFilter(const Shape& shape, Pixel pixel, const Chain& chain, const Options& options = {}, const ColourOptions& colour = {},
              std::optional<Display> view = {}, const StripOptions& where = {});
  ~FrameFilter();
  FrameFilter(FrameFilter&&) noexcept;
  FrameFilter& operator=(FrameFilter&&) noexcept;

  const Shape& output_shape() const;
  Pixel output_pixel() const;
  FrameReport run(const Frames& frames);
  /// What is done to each.
  std::string explain() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halation
