// program.h: the programs ffmpeg, ffprobe and ffplay, started.
#pragma once

#include <string>
#include <vector>

#include "app/video/ffmpeg/process.h"

namespace halation::app {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more);

/// Starts one of the programs. Throws `Error{unsupported}`, which says how to install them, where it is not there.
class FfmpegProcess : public Process {
 public:
  FfmpegProcess(const Words& words, const Ends& ends);
};

/// What one of the programs has said before it ended.
struct Answer {
  std::string text;
  int code = 0;
  std::string complaint;  ///< the last on standard error
};
Answer answer_of(const Words& words);

}  // namespace halation::app
