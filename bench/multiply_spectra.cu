// multiply_spectra.cu: the middle of a filter by FFT. 24 bytes a complex number, one thread each in a strided
// loop.
#include "bench/multiply_spectra.h"

#include <algorithm>

#include "cuda/device/runtime.h"

namespace halation::bench {
namespace {

__global__ void multiply(float2* a, const float2* __restrict__ b, std::int64_t count, float scale) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const float2 x = a[i], y = b[i];
    a[i] = make_float2(scale * (x.x * y.x - x.y * y.y), scale * (x.x * y.y + x.y * y.x));
  }
}

}  // namespace

void multiply_spectra(float* a, const float* b, std::int64_t count, float scale, Stream stream) {
  constexpr int threads = 256;
  constexpr std::int64_t most_blocks = 1 << 20;
  const auto blocks = static_cast<unsigned>(std::min((count + threads - 1) / threads, most_blocks));
  const auto queue = static_cast<cudaStream_t>(stream.handle);
  multiply<<<blocks, threads, 0, queue>>>(reinterpret_cast<float2*>(a), reinterpret_cast<const float2*>(b),
                                          count, scale);
  HALATION_CUDA_LAUNCHED("multiply_spectra", queue);
}

}  // namespace halation::bench
