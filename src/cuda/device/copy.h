// copy.h: pixels between host and device memory, and within device memory, whatever the strides.
#pragma once

#include "halation/stream.h"
#include "halation/view.h"

namespace halation::cuda_backend {

/// Copies between views of equal shape and pixel, of which at least one lies on a GPU. Queued on `stream`, of a device that one of the
/// views lies on. Rows of contiguous bytes go straight; anything else through a packed copy, and then the call waits.
void copy(const ConstView& from, const View& to, Stream stream);

}  // namespace halation::cuda_backend
