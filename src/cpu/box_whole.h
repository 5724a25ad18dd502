// box_whole.h: windows of equal weights over integers.
#pragma once

#include <memory>

#include "core/backend.h"

namespace halation::cpu_backend {

/// Whether all filters are boxes whose sums of pixels, before weights, 32 bits hold. Of constants around the image only such as
/// pixels can have.
bool are_whole_boxes(const Job& job);

/// For such jobs. At most `workers` threads.
std::unique_ptr<const Runner> make_whole_boxes(std::shared_ptr<const Job> job, int workers);

}  // namespace halation::cpu_backend
