// register_tile.cu: the direct method by the kernels of register_tile.cuh, and the jobs that they take.
#include "cuda/register_tile/register_tile.h"

#include <algorithm>

#include "cuda/device/device.h"
#include "cuda/parts/dp4a.h"
#include "cuda/parts/placed_taps.h"
#include "cuda/parts/strips.h"
#include "cuda/register_tile/launch.h"

namespace halation::cuda_backend {
namespace {

RegisterTileLaunch launch_of(Pixel pixel, int size, int channels) {
  switch (pixel) {
    case Pixel::u8: return register_tile_launch<std::uint8_t>(size, channels);
    case Pixel::u16: return register_tile_launch<std::uint16_t>(size, channels);
    case Pixel::i16: return register_tile_launch<std::int16_t>(size, channels);
    case Pixel::f16: return register_tile_launch<f16>(size, channels);
    default: return register_tile_launch<float>(size, channels);
  }
}

/// The K into whose K × K places the taps are set; 0 where there is none.
int size_for(const Taps& taps, bool only_exact) {
  const std::int64_t longest = std::max(taps.size[1], taps.size[2]);
  if (taps.size[0] != 1 || longest > 7) return 0;
  const int size = longest <= 3 ? 3 : longest <= 5 ? 5 : 7;
  return only_exact && (taps.size[1] != size || taps.size[2] != size) ? 0 : size;
}

const char* refuses(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (taps.method != Method::direct) return "no filter by factors";
  if (!is_one_filter(job) || job.sum_f64 || job.in_pixel == Pixel::f64) return "one filter with sums in f32 alone";
  if (!is_aligned(request.rows) && request.rows != RowLayout::aligned_pixels) return "rows on 16-byte boundaries alone";
  // Taps that the filter does not have would spread NaN and infinities of float input.
  const int size = size_for(taps, is_float(job.in_pixel));
  if (size == 0) return "at most 7x7 taps; over floats 3x3, 5x5 and 7x7 alone";
  if (job.in_pixel == Pixel::u8 && !((size == 3 || (size == 5 && job.in.channels == 1)) && to_integers(taps.weights)))
    return "of u8 3x3 taps, or 5x5 over one channel, of integer weights alone";
  if (centre_of(taps.lead[2], taps.size[2], size) != 0 || job.in.width != job.out.width) return "outputs over their inputs alone";
  // Columns, rows and blocks are counted in 32 bits.
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const Shape& n = job.in;
  const std::int64_t planes = n.depth * n.batch;
  // Outputs around tiles, too: at most 32 columns and 16 rows of a plane.
  const bool counted = n.width * n.channels < most && std::max(n.height, job.out.height) < most && planes < most &&
                       32 * std::max(n.height, job.out.height) + 16 * n.width * n.channels < 2 * most / planes &&
                       job.out.elements() / 1024 < most;
  return counted ? nullptr : "fewer elements alone";
}

/// Terms of Costs::register_tile. Channels apart are launches one after another.
double seconds(const Request& request) {
  const Job& job = request.job;
  const Gpu& gpu = request.gpu;
  const int size = size_for(request.taps(), is_float(job.in_pixel));
  const auto element = static_cast<std::int64_t>(bytes_of(job.in_pixel));
  const std::int64_t beside = channels_beside(request.rows, job.in.channels);
  const std::int64_t launches = job.out.channels / beside;
  const std::int64_t columns = 16 / element;
  const std::int64_t rows = 4 * (element == 4 && size == 5 ? 6 : 4);
  const std::int64_t planes = job.out.batch * job.out.depth * launches;
  const double outputs = gpu.millions(divide_up(job.out.width * beside, 32 * columns) * 32 * columns *
                                      divide_up(job.out.height, rows) * rows * planes);
  const double frame = gpu.millions((4 * job.out.width * beside + 2 * columns * job.out.height) * planes);
  const double taps = size * size;
  return gpu.seconds(gpu.costs->register_tile,
                     {{1, static_cast<double>(launches - 1), taps},
                      {},
                      {if_is(element == 1, outputs), if_is(element == 2, outputs),
                       if_is(element == 4, outputs), if_is(element > 1, outputs * taps),
                       if_is(element == 1, outputs * taps), frame, if_is(beside > 1, outputs * taps)}},
                     bytes_moved(job));
}

class RegisterTileRunner final : public Runner {
 public:
  RegisterTileRunner(std::shared_ptr<const Job> job, Device device)
      : job_(std::move(job)), device_(device), size_(size_for(job_->filters.front(), is_float(job_->in_pixel))) {}

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "a tile of outputs a thread, input in registers, as " + std::to_string(size_) + "x" + std::to_string(size_) + " taps";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const int channels = channels_in_row(row_layout_of(in, outs), in.shape.channels);
    const RegisterTileLaunch launch = launch_of(job_->in_pixel, size_, channels);
    if (channels > 1) return launch(*job_, in, outs[0], queue);
    for (std::int64_t c = 0; c < in.shape.channels; ++c) launch(*job_, in.channel(c), outs[0].channel(c), queue);
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  int size_;
};

}  // namespace

const Family register_tile{.name = "register tile",
                           .refuses = refuses,
                           .seconds = seconds,
                           .make = [](const Request& request, std::shared_ptr<const Job> job) -> std::unique_ptr<const Runner> {
                             return std::make_unique<RegisterTileRunner>(std::move(job), request.gpu.device);
                           }};

}  // namespace halation::cuda_backend
