// streaming.cpp: which filters walk along their outermost axis, and by which of the lists' kernels.
#include "cuda/streaming/streaming.h"

#include <algorithm>
#include <cstdint>

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

LaunchShape shape_of(const Request& request, bool all_warps) {
  const Job& job = request.job;
  const Gpu& gpu = request.gpu;
  const auto& [z, y, x] = request.taps().size;
  const bool volume = z > 1;
  const bool factored = request.taps().form != Form::dense;
  LaunchShape shape = launch_shape(request, all_warps ? volume ? "streaming, volumes" : "streaming"
                                            : volume  ? "streaming by movers, volumes"
                                                      : "streaming by movers");
  const std::int64_t walked = volume ? z : y;
  const int warps = volume ? 8 : all_warps ? 4 : factored || walked < 10 ? 2 : 3;
  const std::int64_t columns = volume ? 128 : 32 * warps * (walked > 17 ? 4 : 8);
  const std::int64_t rows = volume ? 2 * warps : 1;
  const std::int64_t beside = all_warps ? 1 : channels_beside(request.rows, job.in.channels);
  const std::int64_t pixels = columns / 4 / beside * 4;
  const std::int64_t others = divide_up(job.out.width, pixels) * job.out.batch * (job.out.channels / beside) *
                              (volume ? divide_up(job.out.height, rows) : job.out.depth);
  const std::int64_t extent = volume ? job.out.depth : job.out.height;
  shape.together = all_warps ? (volume ? 2 : 4) : walked < (volume ? 5 : 10) ? 3 : 2;  // as registers let
  const std::int64_t places = std::int64_t{gpu.multiprocessors} * shape.together;
  const std::int64_t length = std::min(extent, strips_of(extent, others, places, walked - 1).length);
  shape.blocks = others * divide_up(extent, length);
  shape.steps = static_cast<double>(length + walked - 1);
  const auto taps = static_cast<double>(factored ? x + y + (volume ? z : 0) : x * y * z);
  shape.outputs = 1e-3 * shape.steps * static_cast<double>(columns * rows);
  shape.mads = shape.outputs * taps;
  shape.chain = shape.mads / (32 * warps);
  const std::int64_t row_elements = beside * (std::min(pixels, divide_up(job.out.width, 4) * 4) + x - 1);
  shape.staged = 1e-3 * shape.steps * static_cast<double>((rows + (volume ? y - 1 : 0)) * row_elements);
  const std::int64_t at_once = divide_up(columns + x - 1, 32) * 32;  // that lanes stage
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
      const bool volume = taps.size[0] > 1;
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
      if (size->all_warps_bytes == 0 || size->all_warps_bytes > request.gpu.shared_limit)
        return "no kernel for this size";
      if (!(volume ? request.gpu.copies_async() : request.gpu.copies_in_bulk()))
        return "no copies into shared memory on this GPU";
      if (job.in.depth > 1 << 29 && volume) return "fewer planes alone";
      return nullptr;
    },
    .shape = [](const Request& request) { return shape_of(request, true); },
    .make =
        [](const Request& request, const std::shared_ptr<const Job>& job) {
          return find(request.taps(), job->in_pixel)->by_all_warps(job, request.gpu);
        }};

const Family streaming_movers{
    .name = "streaming by movers",
    .refuses = [](const Request& request) -> const char* {
      if (const char* why = refuses_alike(request)) return why;
      const std::size_t bytes = find(request.taps())->movers_bytes;
      return bytes == 0 || bytes > request.gpu.shared_limit ? "no kernel for this size" : nullptr;
    },
    .shape = [](const Request& request) { return shape_of(request, false); },
    .make =
        [](const Request& request, const std::shared_ptr<const Job>& job) {
          return find(request.taps())->by_movers(job, request.gpu);
        }};

}  // namespace halation::cuda_backend
