// march.cpp: which filters walk along their outermost axis, and by which of the lists' kernels.
#include "cuda/march.h"

#include <algorithm>

#include "cuda/march_sizes.h"

namespace halation::cuda_backend {
namespace {

constexpr std::int64_t many_outputs = std::int64_t{1} << 23;

const MarchSize* find(const Taps& taps, Method method) {
  const bool factored = method != Method::direct;
  for (const std::span<const MarchSize> sizes : {march_dense(), march_factored(), march_long(), march_planes(), march_volumes()}) {
    const auto found = std::find_if(sizes.begin(), sizes.end(),
                                    [&](const MarchSize& one) { return one.size == taps.size && one.factored == factored; });
    if (found != sizes.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

bool march_takes(const Job& job, const Taps& taps, Method method) {
  // Tiles (direct.cuh) are quicker for interleaved channels, whose rows all warps stage there, and for images too small for strips
  // that are many times as high as their filter.
  if (method == Method::direct && taps.size[0] == 1 && (job.in.channels > 1 || job.out.elements() < many_outputs)) return false;
  return job.filters.size() == 1 && job.combine == Combine::none && !job.sum_f64 && find(taps, method) != nullptr;
}

bool march_whole(const Job& job, const Taps& taps) {
  return job.in_pixel == Pixel::f32 && job.out_pixel == Pixel::f32 && job.in.width == job.out.width && job.out.width % 4 == 0 &&
         taps.lead[2] == -(taps.size[2] / 2);
}

std::unique_ptr<const Runner> make_march(std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise) {
  const Taps& taps = job->filters.front();
  if (!march_takes(*job, taps, taps.method)) return nullptr;
  return find(taps, taps.method)->make(std::move(job), device, otherwise);
}

}  // namespace halation::cuda_backend
