// run.h: a video filtered from one file to another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/video/ffmpeg/commands.h"
#include "app/video/frames.h"

namespace halation::app {

/// What was asked for.
struct VideoRequest {
  VideoInput input;
  std::optional<VideoOutput> output = {};  ///< none: shown alone
  bool shows = false;                 ///< in ffplay's window
  std::string title = {};             ///< of which
  std::optional<std::int64_t> frames = {};  ///< at most
  bool rgb = false, gray = false;
  Chain chain = {};
  /// That for chroma, once the format of frames is known.
  std::function<std::optional<Chain>(const FrameFormat&)> chroma_chain = {};
  Options options = {};
  std::optional<Display> view = {};
  std::optional<Device> device = {};  ///< none: chosen
  std::vector<Device> more_gpus = {};
  /// Told, before the first frame, what the result will not keep.
  std::function<void(const std::string& note)> tell = {};
  /// Called by a thread of the run's own after each frame, with how many there will be, where that is known.
  std::function<void(std::int64_t done, std::optional<std::int64_t> all)> progress = {};
};

struct VideoReport {
  FrameTimes times = {};
  double seconds = 0;
  std::int64_t width = 0, height = 0;
  std::string pixel_format = {}, device = {}, device_chosen = {};
  std::vector<std::string> notes = {};  ///< what ffmpeg complained of, and went on, and what was clipped
};

/// Throws `Error`; then nothing has become of the output.
VideoReport filter_video(const VideoRequest& request);

}  // namespace halation::app
