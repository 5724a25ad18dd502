// ffmpeg.h: what the programs ffmpeg, ffprobe and ffplay are asked for, and what they answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/video/pixel_format.h"
#include "app/video/process.h"

namespace halation::app {

using Words = std::vector<std::string>;

/// Starts one of the programs. Throws `Error{unsupported}`, which says how to install them, where it is not there.
class FfmpegProcess : public Process {
 public:
  FfmpegProcess(const Words& words, const Ends& ends);
};

/// A text of options as a shell would cut it: at blanks that stand outside quotes, ' or ". Throws `Error{invalid_argument}`.
Words words_of(const std::string& text);

/// What to read.
struct VideoInput {
  std::string name;      ///< a file, or what the options make of it
  Words options;         ///< before -i
  bool realtime = false; ///< no quicker than it plays
  bool keeps_going = false;  ///< past what cannot be decoded
};

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

/// How to write.
struct VideoOutput {
  std::string path;  ///< whose ending says the format
  std::optional<std::string> codec = {}, preset = {}, crf = {}, pixel_format = {};
};

/// ffmpeg's name of the format that the ending of `path` stands for. Throws `Error{invalid_argument}` where it has none.
std::string muxer_for(const std::string& path);

/// Decodes frames of `format` to standard output, at one rate: where the file has them at any times, ffmpeg repeats and leaves out some.
Words decoder(const VideoInput& input, const VideoFacts& facts, const FrameFormat& format, std::optional<std::int64_t> frames);

/// Encodes frames from standard input into descriptor 3, with all else that the input holds, of `frames` frames' length where they are
/// given.
Words encoder(const VideoInput& input, const VideoFacts& facts, const FrameFormat& format, const VideoOutput& output,
              std::optional<std::int64_t> frames);

/// Shows frames from standard input.
Words player(const VideoFacts& facts, const FrameFormat& format, const std::string& title);

}  // namespace halation::app
