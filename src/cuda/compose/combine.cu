// combine.cu: the magnitude of several filters whose results lie in memory already.
//
//   thread → element   elements in row-major order, each thread in steps of the grid
//   traffic            one number read a filter, one element written
//   instantiations     2: sums in f32 and f64
#include "cuda/compose/combine.h"

#include <algorithm>

#include "cuda/device/runtime.h"
#include "cuda/parts/pixels.cuh"

namespace halation::cuda_backend {
namespace {

template <class Sum>
__global__ void magnitude(const Sum* sums, int filters, Shape n, Strides strides, std::byte* out, Pixel pixel, Rounding rounding,
                          double scale, double offset) {
  const std::int64_t count = n.batch * n.depth * n.height * n.width * n.channels;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    Sum total = 0;
    for (int f = 0; f < filters; ++f) total = add_square(total, sums[f * count + i]);
    std::int64_t rest = i;
    const auto next = [&](std::int64_t extent) {
      const std::int64_t place = rest % extent;
      rest /= extent;
      return place;
    };
    std::byte* to = out + next(n.channels) * strides.channels;
    to += next(n.width) * strides.width;
    to += next(n.height) * strides.height;
    to += next(n.depth) * strides.depth;
    to += rest * strides.batch;
    store(to, root_of(total) * static_cast<Sum>(scale) + static_cast<Sum>(offset), pixel, rounding);
  }
}

}  // namespace

void combine_magnitude(const std::byte* sums, bool are_f64, int filters, const View& out, const Job& job, Stream stream) {
  const auto queue = static_cast<cudaStream_t>(stream.handle);
  constexpr std::int64_t threads = 256;
  constexpr std::int64_t most_blocks = 1 << 16;
  const auto blocks = static_cast<unsigned>(std::min((out.shape.elements() + threads - 1) / threads, most_blocks));
  const auto launch = [&]<class Sum>(const Sum* numbers) {
    magnitude<Sum><<<blocks, threads, 0, queue>>>(numbers, filters, out.shape, out.strides, out.data, out.pixel, job.rounding, job.scale,
                                                  job.offset);
    HALATION_CUDA_LAUNCHED("magnitude", queue);
  };
  if (are_f64) launch(reinterpret_cast<const double*>(sums));
  else launch(reinterpret_cast<const float*>(sums));
}

}  // namespace halation::cuda_backend
