// prefault.h: host memory that is there before a device writes it.
#pragma once

#include <cstddef>
#include <span>

#include "halation/image.h"

namespace halation {

/// Writes to every page of large fresh memory, by as many threads as the caller's oneTBB arena has. The
/// system hands out a page at the first touch, which a copy from a device would meet page after page in one
/// thread. Contents are lost.
void prefault(std::span<std::byte> memory);

/// An uninitialised host image, its memory prefaulted. Throws what `Image` throws.
Image prefaulted_image(const Shape& shape, Pixel pixel);

}  // namespace halation
