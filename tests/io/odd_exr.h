// odd_exr.h: OpenEXR files of every kind, made by OpenEXR itself.
#pragma once

#include <ImfArray.h>
#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfInputFile.h>
#include <ImfMultiPartOutputFile.h>
#include <ImfOutputFile.h>
#include <ImfOutputPart.h>
#include <ImfPartType.h>
#include <ImfTiledOutputFile.h>

#include <map>

#include "pictures.h"

namespace halation::test {

/// One channel of a file, with its samples as floats.
struct Plane {
  Imf::PixelType type = Imf::FLOAT;
  std::vector<float> samples;
};

/// Channels as OpenEXR is to store them; halves and integers are converted from the floats given.
class Planes {
 public:
  Planes(Imf::Header& header, const std::map<std::string, Plane>& planes) {
    const Imath::Box2i& window = header.dataWindow();
    const auto width = static_cast<std::size_t>(std::int64_t{window.max.x} - window.min.x + 1);
    for (const auto& [name, plane] : planes) {
      header.channels().insert(name, Imf::Channel(plane.type));
      const std::size_t bytes = plane.type == Imf::HALF ? 2 : 4;
      std::string& stored = memory_[name];
      for (const float value : plane.samples) {
        const Imath::half half(value);
        const auto integer = static_cast<unsigned>(value);
        const void* sample = plane.type == Imf::HALF   ? static_cast<const void*>(&half)
                             : plane.type == Imf::UINT ? static_cast<const void*>(&integer)
                                                       : static_cast<const void*>(&value);
        stored.append(static_cast<const char*>(sample), bytes);
      }
      frame_.insert(name, Imf::Slice::Make(plane.type, stored.data(), window, bytes, bytes * width));
    }
  }
  const Imf::FrameBuffer& frame() const { return frame_; }

 private:
  std::map<std::string, std::string> memory_;
  Imf::FrameBuffer frame_;
};

inline void write_odd(const std::string& path, Imf::Header header, const std::map<std::string, Plane>& planes) {
  const Planes stored(header, planes);
  const int rows = header.dataWindow().max.y - header.dataWindow().min.y + 1;
  Imf::OutputFile file(path.c_str(), header);
  file.setFrameBuffer(stored.frame());
  file.writePixels(rows);
}

}  // namespace halation::test
