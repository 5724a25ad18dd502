// media_brands.h: what files of the ISO base media format (AVIF, HEIC) say they are.
#pragma once

#include <algorithm>

#include "io/codec.h"

namespace halation::io {

/// Whether a file begins with a box "ftyp" that names `brand`, four letters, as its own or as one that it
/// goes with.
inline bool has_brand(Bytes file, std::string_view brand) {
  if (file.size() < 12 || !begins_with(file.subspan(4), "ftyp")) return false;
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size = size << 8 | std::to_integer<std::size_t>(file[i]);
  const Bytes box = file.first(std::min(size, file.size()));
  for (std::size_t at = 8; at + 4 <= box.size(); at += 4) {
    if (at != 12 && begins_with(box.subspan(at), brand)) return true;  // at 12 stands a version
  }
  return false;
}

}  // namespace halation::io
