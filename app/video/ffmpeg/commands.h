// commands.h: what the programs ffmpeg and ffplay are asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/video/ffmpeg/probe.h"

namespace halation::app {

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
