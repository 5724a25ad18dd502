// probe.h: what ffprobe says of a video.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/video/ffmpeg/input.h"
#include "app/video/pixel_format.h"

namespace halation::app {

/// What ffprobe says of it. Frames are upright: ffmpeg turns those that a phone has laid on their side.
struct VideoFacts {
  std::int64_t width = 0, height = 0;
  FormatFacts format = {};
  int stream = 0;            ///< the video's number
  std::string rate = {};     ///< frames a second, "30000/1001"
  double frames_per_second = 0;
  std::optional<std::int64_t> frames = {};  ///< about so many
  double delay_seconds = 0;  ///< from the beginning of all streams to the first frame
  std::string aspect = {};   ///< of a pixel, "4:3"; empty where it is square
  std::string range = {}, matrix = {}, primaries = {}, transfer = {};  ///< of colour; empty where they are unknown
  std::vector<std::string> sound = {}, subtitles = {};                 ///< codecs of the other streams
  std::size_t attachments = 0;
  bool is_file = false;      ///< which can be opened again for all but its frames
};

/// Throws `Error{io}` where it cannot be opened or holds no video.
VideoFacts probe(const VideoInput& input);

}  // namespace halation::app
