// frames.h: a chain over raw frames, as one process writes them and others read them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/video/chroma.h"
#include "app/video/ffmpeg/nut.h"
#include "app/video/ffmpeg/process.h"
#include "app/video/pixel_format.h"
#include "halation/display.h"

namespace halation::app {

/// What is done to each frame.
struct FrameJob {
  FrameFormat format;
  std::int64_t width = 0, height = 0;
  Chain chain;                         ///< of filters of two dimensions
  std::optional<Chain> chroma_chain = {};   ///< of formats with chroma; none: it stays as it is
  bool drops_chroma = false;           ///< the result is gray
  bool keeps_times = false;            ///< frames come and go in NUT, not as they are
  Options options;
  std::optional<Display> view = {};
  Device device = cpu();
  std::vector<Device> more_gpus = {};  ///< that take frames in turn with it
};

/// Where frames come from and go to.
struct FramePipes {
  Process& source;
  Process* encoder = nullptr;  ///< none: frames are shown alone
  Process* player = nullptr;   ///< who may leave before the end
  std::function<void(std::int64_t frames)> progress = {};
};

/// Seconds that each stage worked or waited for the process at its end. The one that took longest is what limits.
struct FrameTimes {
  std::int64_t frames = 0;
  double decoding = 0, filtering = 0, encoding = 0;
  bool player_left = false;  ///< and there was no encoder: the source has been stopped
  Clipped clipped = {};  ///< of the frame that lost most of those looked at: 1, 2, 4, 8, …; of luma where frames have chroma
  std::int64_t clipped_frame = 0;  ///< which that is
};

/// The source has ended in the middle of a frame, or the encoder before the end: why, they say themselves.
enum class BrokenPipe { source, encoder };

/// Filters frames while others are read and written: luma, or all of a frame that is one image, by a `FrameFilter`, chroma as the frame is
/// written. Throws `Error`, and `BrokenPipe`.
class FramesFilter {
 public:
  explicit FramesFilter(const FrameJob& job);
  ~FramesFilter();
  FramesFilter(const FramesFilter&) = delete;
  FramesFilter& operator=(const FramesFilter&) = delete;

  FrameTimes run(const FramePipes& pipes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The device that ends soonest with so many frames; where nobody knows how many, with many.
struct ChosenDevice {
  Device device;
  std::string why;
};
ChosenDevice device_for(const FrameJob& job, std::optional<std::int64_t> frames);

}  // namespace halation::app
