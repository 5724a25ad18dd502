// through_f32.cpp: a long box of equal weights along x over other pixels than f32, which become f32 first.
#include <cstdint>
#include <utility>

#include "cuda/compose/compose.h"
#include "cuda/compose/convert.h"
#include "cuda/compose/two_passes.h"
#include "cuda/parts/equal_weights.h"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

/// Of blocks of 32 rows and 128 columns.
std::int64_t converted_elements(const Shape& n) {
  return divide_up(n.height, 32) * 32 * divide_up(n.width, 128) * 128 * n.depth * n.batch * n.channels;
}

Job over_f32(Job job) {
  job.in_pixel = Pixel::f32;
  return job;
}

}  // namespace

const Family through_f32{
    .name = "through f32",
    .refuses = [](const Request& request) -> const char* {
      // Fewer columns are summed in less time than they become f32 (instruction count, untuned).
      constexpr std::int64_t least_taps = 65;
      if (!is_box_along_x(request.job) || request.taps().size[2] < least_taps)
        return "windows of 65 equal weights and more along x alone";
      if (request.job.in_pixel == Pixel::f32) return "other pixels than f32 alone";
      return request.gpu.copies_in_bulk() ? nullptr : "no copy engine for shared memory on this GPU";
    },
    .seconds_of_parts =
        [](const Request& request) {
          const Gpu& gpu = request.gpu;
          const Job second = over_f32(request.job);
          const double written = static_cast<double>(second.in.elements()) * sizeof(float);
          LaunchShape shape{.kernel = "convert"};
          shape.spread(1e-3 * static_cast<double>(converted_elements(second.in)), gpu.multiprocessors);
          shape.bytes = bytes_moved(request.job) / 2 + written;
          const double converted = gpu.seconds(shape);
          const RowLayout rows = joined(RowEnd::aligned, output_end(request.rows));
          // Interleaved channels are read, or written, one apart from the next.
          const bool apart = channels_in_row(request.rows, request.job.in.channels) != 1;
          const double longer = apart ? 2 * gpu.figures->longer_apart(request.job.in.channels) - 1 : 1;
          return longer * (converted + request.families.cheapest(second, rows, gpu).seconds);
        },
    .make = [](const Request& request,
               const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
      return two_passes(make_convert(request.gpu.device),
                        request.families.make(std::make_shared<const Job>(over_f32(*job)), request.gpu,
                                              layouts_from(RowEnd::aligned)),
                        bulk_rows(job->in, Pixel::f32, request.gpu.device));
    }};

}  // namespace halation::cuda_backend
