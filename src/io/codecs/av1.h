// av1.h: how large the pictures of an AV1 stream are, before anything decodes them.
#pragma once

#include <cstdint>
#include <optional>

#include "io/codec.h"

namespace halation::io {

/// Pixels of the largest frame that sequence headers among whole OBUs allow, 0 where there is none; nothing
/// for bytes that are no OBUs.
std::optional<std::int64_t> largest_av1_frame(Bytes obus);

}  // namespace halation::io
