// refused.h: formats that halation knows by name, and does not read or write.
#pragma once

#include "io/codec.h"

namespace halation::io {

struct RefusedFormat {
  std::string_view title;
  bool (*recognises)(Bytes file);  ///< none where the bytes are like those of another format, or of no certain kind
  std::span<const std::string_view> endings;
  std::string_view sentence;
};

/// Why the file is not read; empty where its format is not one of these.
std::string_view refusal_of(Bytes file);

/// The same for a file that is to be written with an ending, ".heic".
std::string_view refusal_of_ending(std::string_view ending);

}  // namespace halation::io
