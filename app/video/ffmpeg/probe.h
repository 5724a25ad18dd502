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
  std::string codec = {};                            ///< "h264"
  FormatFacts format = {};                           ///< with alpha that lies beside the frames (VP8, VP9)
  std::string decoder = {};                          ///< the one that knows of that alpha; empty: ffmpeg's choice
  std::vector<std::string> formats_with_alpha = {};  ///< all pixel formats that have some, palettes aside
  std::vector<std::string> formats_that_hold = {};   ///< those with no fewer bits and no less chroma than `format`
  std::vector<std::string> notes = {};               ///< on what cannot be read
  bool is_opaque = false;                            ///< though colours of its palette (GIF) may be transparent: the first frame has none such
  bool has_alpha() const { return format.has_alpha && !is_opaque; }
  int stream = 0;            ///< the video's number
  std::string rate = {};     ///< frames a second, "30000/1001"
  double frames_per_second = 0;
  bool is_variable = false;                 ///< frames come at other times than one rate has
  std::optional<std::int64_t> frames = {};  ///< about so many
  std::optional<std::uint32_t> plays = {};  ///< how often an animation (GIF, APNG) is shown, 0: without end
  double delay_seconds = 0;  ///< from the beginning of all streams to the first frame
  std::string aspect = {};   ///< of a pixel, "4:3"; empty where it is square
  std::string range = {}, matrix = {}, primaries = {}, transfer = {};  ///< of colour; empty where they are unknown
  std::vector<std::string> sound = {}, subtitles = {};                 ///< codecs of the other streams
  std::size_t attachments = 0, chapters = 0, covers = 0;               ///< and pictures of an album's cover
  bool has_light_levels = false;                                       ///< HDR10's, of the display that it was mastered on and of the frames
  bool is_interlaced = false;
  std::string demuxer = {};  ///< the format's name, "matroska,webm"
  bool is_file = false;      ///< which can be opened again for all but its frames
};

/// Throws `Error{io}` where it cannot be opened or holds no video.
VideoFacts probe(const VideoInput& input);

}  // namespace halation::app
