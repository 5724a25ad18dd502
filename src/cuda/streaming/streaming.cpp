// streaming.cpp: which filters walk along their outermost axis, and by which of the lists' kernels.
#include "cuda/streaming/streaming.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/convert.h"
#include "cuda/parts/strips.h"
#include "cuda/streaming/sizes.h"

namespace halation::cuda_backend {
namespace {

/// Movers turn any pixel into f32.
const StreamingSize* find(const Taps& taps, Pixel pixel = Pixel::f32) {
  const bool factored = taps.form != Form::dense;
  for (const std::span<const StreamingSize> sizes :
       {streaming_sizes<Dense>(), streaming_sizes<SmallFactored>(), streaming_sizes<MiddleFactored>(), streaming_sizes<LargeFactored>(),
        streaming_sizes<Volumes<float>>(), streaming_sizes<FactoredVolumes<float>>(), streaming_sizes<Volumes<std::uint8_t>>(),
        streaming_sizes<FactoredVolumes<std::uint8_t>>(), streaming_sizes<Volumes<std::uint16_t>>(),
        streaming_sizes<FactoredVolumes<std::uint16_t>>(), streaming_sizes<Volumes<std::int16_t>>(),
        streaming_sizes<FactoredVolumes<std::int16_t>>(), streaming_sizes<Volumes<f16>>(), streaming_sizes<FactoredVolumes<f16>>()}) {
    const auto found = std::find_if(sizes.begin(), sizes.end(), [&](const StreamingSize& one) {
      return one.size == taps.size && one.factored == factored && one.pixel == pixel;
    });
    if (found != sizes.end()) return &*found;
  }
  return nullptr;
}

const char* refuses_alike(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (!is_by_taps(taps)) return "sums of taps alone";
  if (!is_one_filter(job) || job.sum_f64) return "one filter with sums in f32 alone";
  if (find(taps) == nullptr) return "no kernel for this size";
  return nullptr;
}

bool is_volume(const Request& request) { return request.taps().size[0] > 1; }

LaunchShape shape_of(const Request& request, const StreamingKernel& kernel, std::string_view name,
                     std::int64_t beside) {
  const Job& job = request.job;
  const auto& [z, y, x] = request.taps().size;
  const bool volume = is_volume(request);
  LaunchShape shape = launch_shape(request, name);
  const std::int64_t walked = volume ? z : y;
  const std::int64_t pixels = kernel.columns / 4 / beside * 4;
  const std::int64_t others = divide_up(job.out.width, pixels) * job.out.batch * (job.out.channels / beside) *
                              (volume ? divide_up(job.out.height, kernel.rows) : job.out.depth);
  const std::int64_t extent = volume ? job.out.depth : job.out.height;
  shape.together = request.gpu.together(kernel.together, kernel.bytes);
  const std::int64_t places = std::int64_t{request.gpu.multiprocessors} * shape.together;
  const std::int64_t length = std::min(extent, strips_of(extent, others, places, walked - 1).length);
  shape.blocks = others * divide_up(extent, length);
  shape.steps = static_cast<double>(length + walked - 1);
  const bool factored = request.taps().form != Form::dense;
  const auto taps = static_cast<double>(factored ? x + y + (volume ? z : 0) : x * y * z);
  shape.outputs = 1e-3 * shape.steps * kernel.columns * kernel.rows;
  shape.mads = shape.outputs * taps;
  shape.chain = shape.mads / (32 * kernel.warps);
  const std::int64_t row_elements = beside * (std::min(pixels, divide_up(job.out.width, 4) * 4) + x - 1);
  shape.staged =
      1e-3 * shape.steps * static_cast<double>((kernel.rows + (volume ? y - 1 : 0)) * row_elements);
  const std::int64_t at_once = divide_up(kernel.columns + x - 1, 32) * 32;  // that lanes stage
  shape.traits.set(Trait::one_by_one, row_elements > at_once);
  return shape;
}

}  // namespace

const Family streaming{
    .name = "streaming",
    .refuses = [](const Request& request) -> const char* {
      if (const char* why = refuses_alike(request)) return why;
      const Job& job = request.job;
      const Taps& taps = request.taps();
      const StreamingSize* const size = find(taps, job.in_pixel);
      const bool volume = is_volume(request);
      if (size == nullptr || (job.out_pixel != job.in_pixel && job.out_pixel != Pixel::f32))
        return "f32, and of volumes smaller pixels, as the input has them or to f32, alone";
      const auto is_pixel = [&](const BorderTable& border) {
        return border.mode() != Border::Mode::constant || is_element(border.constant(), job.in_pixel);
      };
      if (job.in_pixel != Pixel::f32 && !std::all_of(job.borders.begin(), job.borders.end(), is_pixel))
        return "constants around the volume that are pixels alone";
      if (request.rows != RowLayout::aligned && (volume || request.rows != RowLayout::aligned_far))
        return "rows on 16-byte boundaries alone";
      if (job.in.width != job.out.width || job.out.width % 4 != 0 || taps.lead[2] != -(taps.size[2] / 2))
        return "outputs over their inputs, a multiple of 4 of them, alone";
      if (!size->all_warps || size->all_warps.bytes > request.gpu.shared_limit)
        return "no kernel for this size";
      if (!(volume ? request.gpu.copies_async() : request.gpu.copies_in_bulk()))
        return "no copies into shared memory on this GPU";
      if (job.in.depth > 1 << 29 && volume) return "fewer planes alone";
      return nullptr;
    },
    .shape =
        [](const Request& request) {
          return shape_of(request, find(request.taps(), request.job.in_pixel)->all_warps,
                          is_volume(request) ? "streaming, volumes" : "streaming", 1);
        },
    .make =
        [](const Request& request, const std::shared_ptr<const Job>& job) {
          return find(request.taps(), job->in_pixel)->all_warps.make(job, request.gpu);
        }};

const Family streaming_movers{
    .name = "streaming by movers",
    .refuses = [](const Request& request) -> const char* {
      if (const char* why = refuses_alike(request)) return why;
      const StreamingKernel& kernel = find(request.taps())->movers;
      return !kernel || kernel.bytes > request.gpu.shared_limit ? "no kernel for this size" : nullptr;
    },
    .shape =
        [](const Request& request) {
          return shape_of(request, find(request.taps())->movers,
                          is_volume(request) ? "streaming by movers, volumes" : "streaming by movers",
                          channels_beside(request.rows, request.job.in.channels));
        },
    .make =
        [](const Request& request, const std::shared_ptr<const Job>& job) {
          return find(request.taps())->movers.make(job, request.gpu);
        }};

}  // namespace halation::cuda_backend
