// streaming.cpp: which filters walk along their outermost axis, and by which of the lists' kernels.
#include "cuda/streaming/streaming.h"

#include <algorithm>

#include "cuda/streaming/sizes.h"

namespace halation::cuda_backend {
namespace {

constexpr std::int64_t many_outputs = std::int64_t{1} << 23;

const StreamingSize* find(const Taps& taps) {
  const bool factored = taps.method != Method::direct;
  for (const std::span<const StreamingSize> sizes :
       {streaming_sizes<SmallDense>(), streaming_sizes<LargeDense>(), streaming_sizes<SmallFactored>(), streaming_sizes<MiddleFactored>(),
        streaming_sizes<LargeFactored>(), streaming_sizes<HugeFactored>(), streaming_sizes<Volumes>(), streaming_sizes<FactoredVolumes>()}) {
    const auto found = std::find_if(sizes.begin(), sizes.end(), [&](const StreamingSize& one) {
      return one.size == taps.size && one.factored == factored;
    });
    if (found != sizes.end()) return &*found;
  }
  return nullptr;
}

const char* refuses_alike(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (!is_one_filter(job) || job.sum_f64) return "one filter with sums in f32 alone";
  if (find(taps) == nullptr) return "no kernel for this size";
  // Tiles (shared_tile.cuh) are quicker for interleaved channels, whose rows all warps stage there, and for images
  // too small for strips that are many times as high as their filter.
  if (taps.method == Method::direct && taps.size[0] == 1 &&
      (job.in.channels > 1 || job.out.elements() < many_outputs))
    return "dense weights over images of one channel and 8 million pixels and more alone";
  return nullptr;
}

double seconds(const Request& request) {
  const Space& k = request.taps().size;
  const auto all = static_cast<double>(multiply_adds(k, Method::direct));
  double alike = 74 + 1.3 * static_cast<double>(k[0] + k[1] + k[2]);
  if (request.taps().method == Method::box) alike = 94;
  if (request.taps().method == Method::direct)
    alike = k[0] == 1 && k[1] == 7 && request.job.in_pixel != Pixel::u8
                ? all - 0.1
                : 25 + 45 * static_cast<double>(k[0]) + all;
  return expected_seconds(request.job, alike, request.gpu.f32);
}

}  // namespace

const Family streaming{
    .name = "streaming",
    .refuses = [](const Request& request) -> const char* {
      if (const char* why = refuses_alike(request)) return why;
      const Job& job = request.job;
      const Taps& taps = request.taps();
      const StreamingSize& size = *find(taps);
      const bool volume = taps.size[0] > 1;
      if (job.in_pixel != Pixel::f32 || job.out_pixel != Pixel::f32) return "f32 alone";
      if (request.rows != RowLayout::aligned && (volume || request.rows != RowLayout::aligned_far))
        return "rows on 16-byte boundaries alone";
      if (job.in.width != job.out.width || job.out.width % 4 != 0 || taps.lead[2] != -(taps.size[2] / 2))
        return "outputs over their inputs, a multiple of 4 of them, alone";
      if (size.all_warps_bytes == 0 || size.all_warps_bytes > request.gpu.shared_limit)
        return "no kernel for this size";
      if (!(volume ? request.gpu.copies_async() : request.gpu.copies_in_bulk()))
        return "no copies into shared memory on this GPU";
      if (job.in.depth > 1 << 29 && volume) return "fewer planes alone";
      return nullptr;
    },
    .seconds = seconds,
    .make =
        [](const Request& request, std::shared_ptr<const Job> job) {
          return find(request.taps())->by_all_warps(std::move(job), request.gpu);
        }};

const Family streaming_movers{
    .name = "streaming by movers",
    .refuses = [](const Request& request) -> const char* {
      if (const char* why = refuses_alike(request)) return why;
      const std::size_t bytes = find(request.taps())->movers_bytes;
      return bytes == 0 || bytes > request.gpu.shared_limit ? "no kernel for this size" : nullptr;
    },
    .seconds = seconds,
    .make =
        [](const Request& request, std::shared_ptr<const Job> job) {
          return find(request.taps())->by_movers(std::move(job), request.gpu);
        }};

}  // namespace halation::cuda_backend
