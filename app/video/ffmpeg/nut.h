// nut.h: raw frames with their times, in NUT, the container that ffmpeg has for such pipes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/video/ffmpeg/process.h"

namespace halation::app {

/// Thrown where a stream is no NUT, or ends in the middle.
struct NotNut {};

/// Finds frames in a stream of NUT. What stands between them says nothing of their samples: it goes on as it is when they are filtered.
///
/// Frames of up to `least_bytes` may be without their beginning, which then stands in the stream's header.
class NutReader {
 public:
  static constexpr std::size_t least_bytes = 4096;

  /// The container's bytes before the next frame, which follows, and how large that is. False at the end. Throws `NotNut`.
  bool read_head(Process& source, std::vector<std::byte>& head, std::size_t& frame_bytes);

 private:
  /// What a frame's first byte stands for.
  struct Code {
    std::uint64_t flags = 0, size_factor = 0, size = 0, reserved = 0;
  };
  void take_main_header(const std::vector<std::byte>& packet);

  bool has_begun_ = false;
  std::array<Code, 256> codes_ = {};
};

}  // namespace halation::app
