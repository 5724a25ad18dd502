// commands.h: what the programs ffmpeg and ffplay are asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/video/ffmpeg/encoders.h"

namespace halation::app {

/// How frames go through the pipes.
struct FramesInPipe {
  FrameFormat format = {};
  /// In NUT; else as they are, at one rate: where the file has them at any times, ffmpeg repeats and leaves out some.
  bool keeps_times = false;
};

/// Whether NUT carries frames of the format and says which it is.
bool nut_carries(const FrameFormat& format, std::int64_t width, std::int64_t height);

/// Decodes frames to standard output.
Words decoder(const VideoInput& input, const VideoFacts& facts, const FramesInPipe& pipe, std::optional<std::int64_t> frames);

/// Encodes frames from standard input into descriptor 3, with all else that the input holds, of `frames` frames' length where they are
/// given.
Words encoder(const VideoInput& input, const VideoFacts& facts, const FramesInPipe& pipe, const VideoOutput& output,
              const Encoding& encoding, std::optional<std::int64_t> frames);

/// Shows frames from standard input.
Words player(const VideoFacts& facts, const FramesInPipe& pipe, const std::string& title);

}  // namespace halation::app
