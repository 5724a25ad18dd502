// past_caches.h: copies whose results lie in memory, not in a processor's caches.
#pragma once

#include "halation/image.h"

namespace halation {

/// `copy` between images in host memory, for what a device reads next: lines that a processor's cache holds reach it more slowly
/// (docs/notebook/pipeline.md). Rows whose pixels are not side by side are copied as usual.
void copy_past_caches(const ConstView& from, const View& to);

}  // namespace halation
