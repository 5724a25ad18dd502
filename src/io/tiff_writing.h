// tiff_writing.h: pages become TIFF.
#pragma once

#include <span>

#include "io/codec.h"

namespace halation::io {

/// BigTIFF where classic offsets would not do. Throws `Error{io}` where libtiff complains.
void encode_tiff(std::span<const PageView> pages, const WriteOptions&, Output& output);

}  // namespace halation::io
