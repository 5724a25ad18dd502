// container.h: what of a video beside its frames an output's format takes.
#pragma once

#include <string>
#include <vector>

#include "app/video/ffmpeg/probe.h"

namespace halation::app {

/// What goes along, and a sentence on each thing that does not.
struct Carried {
  std::vector<std::string> sound = {};      ///< each stream's codec to write it by, "copy" or ffmpeg's choice (empty); none: all are left out
  std::vector<std::string> subtitles = {};  ///< likewise
  bool attachments = false;
  std::vector<std::string> lost = {};
};

/// `muxer` is ffmpeg's name of the output's format.
Carried carried_of(const VideoFacts& facts, const std::string& muxer);

}  // namespace halation::app
