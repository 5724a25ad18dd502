// commands.h: what the programs ffmpeg and ffplay are asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/video/ffmpeg/encoders.h"

namespace halation::app {

/// Decodes frames of `format` to standard output, at one rate: where the file has them at any times, ffmpeg repeats and leaves out some.
Words decoder(const VideoInput& input, const VideoFacts& facts, const FrameFormat& format, std::optional<std::int64_t> frames);

/// Encodes frames from standard input into descriptor 3, with all else that the input holds, of `frames` frames' length where they are
/// given.
Words encoder(const VideoInput& input, const VideoFacts& facts, const FrameFormat& format, const VideoOutput& output, const Encoding& encoding,
              std::optional<std::int64_t> frames);

/// Shows frames from standard input.
Words player(const VideoFacts& facts, const FrameFormat& format, const std::string& title);

}  // namespace halation::app
