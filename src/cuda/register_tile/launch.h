// launch.h: one launch of a size of the register tile's kernel.
#pragma once

#include "core/job.h"
#include "cuda/device/runtime.h"
#include "halation/image.h"

namespace halation::cuda_backend {

/// Filters views on 16-byte boundaries whose rows hold the channels of the size.
using RegisterTileLaunch = void (*)(const Job& job, const ConstView& in, const View& out, cudaStream_t stream);

/// Of K × K taps over `channels` side by side: of u8 3 × 3, and 5 × 5 over one channel; of u16, i16, f16 and f32 7 × 7, too.
template <class In>
RegisterTileLaunch register_tile_launch(int size, int channels);

}  // namespace halation::cuda_backend
