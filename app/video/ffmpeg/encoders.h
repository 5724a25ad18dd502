// encoders.h: which of ffmpeg's encoders a video goes through, and what it cannot keep.
#pragma once

#include <string>
#include <vector>

#include "app/video/ffmpeg/probe.h"

namespace halation::app {

/// How to write.
struct VideoOutput {
  std::string path;  ///< whose ending says the format
  std::optional<std::string> codec = {}, preset = {}, crf = {}, pixel_format = {};
};

/// ffmpeg's name of the format that the ending of `path` stands for. Throws `Error{invalid_argument}` where it has none.
std::string muxer_for(const std::string& path);

/// The encoder, and sentences on what of the input the output does not keep.
struct Encoding {
  std::string encoder;  ///< empty: the one that ffmpeg takes for the format
  bool has_times = false;  ///< frames may come at any time
  bool makes_palettes = false;  ///< of each frame's own colours, one of them transparent
  std::vector<std::string> notes = {};
};

/// The one asked for; else one of the input's own codec, where the format takes it and ffmpeg has an encoder that is good without further
/// settings, and that takes --preset, --crf and alpha where these are there; else the format's usual one, with alpha where it has such. Throws
/// `Error{invalid_argument}` where the format takes no video, there is no such encoder, or it does not take what the options say.
Encoding encoding_for(const VideoFacts& facts, const VideoOutput& output);

}  // namespace halation::app
