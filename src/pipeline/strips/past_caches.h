// past_caches.h: copies whose results lie in memory, not in a processor's caches.
#pragma once

#include "halation/image.h"

namespace halation {

/// `copy` between images in host memory, for what a device reads next: of lines that a processor's cache holds, a GPU gets 20 GB/s where it
/// gets 55 from memory. Rows whose pixels are not side by side, or which do not begin on a vector's boundary, are copied as usual.
void copy_past_caches(const ConstView& from, const View& to);

}  // namespace halation
