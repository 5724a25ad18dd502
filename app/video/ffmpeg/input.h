// input.h: what is read, and how ffmpeg and ffprobe are told of it.
#pragma once

#include <string>

#include "app/video/ffmpeg/program.h"

namespace halation::app {

/// A text of options as a shell would cut it: at blanks that stand outside quotes, ' or ". Throws `Error{invalid_argument}`.
Words words_of(const std::string& text);

/// What to read.
struct VideoInput {
  std::string name;      ///< a file, or what the options make of it
  Words options;         ///< before -i
  bool realtime = false; ///< no quicker than it plays
  bool keeps_going = false;  ///< past what cannot be decoded
};

/// A file's name as ffmpeg takes it: "a:b.mp4" would be the protocol a.
std::string address_of(const VideoInput& input);

bool is_regular(const std::string& name);

/// Those that ffprobe takes.
Words for_probe(const Words& options);

}  // namespace halation::app
