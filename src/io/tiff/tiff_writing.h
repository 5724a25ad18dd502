// tiff_writing.h: pages become TIFF.
#pragma once

#include <memory>
#include <span>

#include "io/codec.h"

namespace halation::io {

/// BigTIFF where classic offsets would not do. Throws `Error{io}` where libtiff complains.
std::unique_ptr<Encoder> create_tiff(std::span<const PageView> pages, const WriteOptions&, Output& output);

}  // namespace halation::io
