// multiply_spectra.h: the middle of a filter by FFT.
#pragma once

#include <cstdint>

#include "halation/stream.h"

namespace halation::bench {

/// a[i] = scale · a[i] · b[i] over complex numbers of two f32 in device memory, queued on the stream.
void multiply_spectra(float* a, const float* b, std::int64_t count, float scale, Stream stream);

}  // namespace halation::bench
