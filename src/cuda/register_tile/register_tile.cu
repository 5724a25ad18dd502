// register_tile.cu: the direct method by the kernels of register_tile.cuh, and the jobs that they take.
#include "cuda/register_tile/register_tile.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "core/convert.h"
#include "cuda/device/device.h"
#include "cuda/parts/dp4a.h"
#include "cuda/parts/placed_taps.h"
#include "cuda/parts/strips.h"
#include "cuda/register_tile/size.cuh"

namespace halation::cuda_backend {
namespace {

template <int K>
RegisterTileSize<K> size_of(Pixel pixel, int channels) {  // with sums in f32
  switch (pixel) {
    case Pixel::u8:
      if constexpr (K < 7) return register_tile_size<std::uint8_t, K>(channels);
      return {};
    case Pixel::u16: return register_tile_size<std::uint16_t, K>(channels);
    case Pixel::i16: return register_tile_size<std::int16_t, K>(channels);
    case Pixel::f16: return register_tile_size<f16, K>(channels);
    default: return register_tile_size<float, K>(channels);
  }
}

/// A number as an element of the kernel's input: its bits, and whether it is that number.
struct Element {
  std::uint32_t bits;
  bool is_exact;
};
template <class T>
Element element_as(double value) {
  const T element = to_element<T>(value, Rounding::half_even);
  const bool is_exact = static_cast<double>(element) == value;
  if constexpr (sizeof(T) == 4) return {std::bit_cast<std::uint32_t>(element), is_exact};
  else if constexpr (sizeof(T) == 2) return {std::bit_cast<std::uint16_t>(element), is_exact};
  else return {element, is_exact};
}
Element element_of(Pixel pixel, double value) {
  switch (pixel) {
    case Pixel::u8: return element_as<std::uint8_t>(value);
    case Pixel::u16: return element_as<std::uint16_t>(value);
    case Pixel::i16: return element_as<std::int16_t>(value);
    case Pixel::f16: return element_as<f16>(value);
    default: return element_as<float>(value);
  }
}

/// The element in place of coordinate c, as DeviceBorder::source has it.
int source_of(const BorderTable& border, std::int64_t c) {
  return static_cast<int>(border.source(std::clamp(c, border.low(), border.high() - 1)));
}

const char* refuses(const Request& request) {
  const Job& job = request.job;
  const Taps& taps = request.taps();
  if (taps.form != Form::dense) return "no filter by factors";
  if (!is_one_filter(job) || job.sum_f64 != (job.in_pixel == Pixel::f64)) return "one filter with sums in f32, or of f64 input, alone";
  if (!is_aligned(request.rows) && request.rows != RowLayout::aligned_pixels) return "rows on 16-byte boundaries alone";
  const int size = places_for(job);
  if (size == 0) return "at most 7x7 taps; over floats, or beside a constant that is not finite, only 3x3, 5x5 and 7x7";
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

/// Of views on 16-byte boundaries whose rows hold the channels of the size.
template <int K, class Sum>
void launch(const RegisterTileSize<K, Sum>& size, const Job& asked, const ConstView& in, const View& out, cudaStream_t stream) {
  const Taps& taps = asked.filters.front();
  RegisterTileArguments<K, Sum> job{};
  set_views(job, in, out);
  job.border_y = DeviceBorder(asked.borders[1]);
  job.border_x = DeviceBorder(asked.borders[2]);
  job.columns = static_cast<int>(out.shape.width * size.channels);
  job.rows = static_cast<int>(out.shape.height);
  job.depth = Divisor(in.shape.depth);
  job.batch = static_cast<int>(in.shape.batch);
  job.offset = static_cast<Sum>(asked.offset);
  job.rounding = asked.rounding;
  const std::int64_t centre_y = centre_of(taps.lead[1], taps.size[1], K);
  job.shift_y = static_cast<int>(centre_y);
  const PlacedWeights weights = placed(taps, taps.lead[1] - centre_y + K / 2, taps.lead[2] + K / 2);
  // Weights of f32 sums have the scale in them.
  constexpr bool is_f64 = std::is_same_v<Sum, double>;
  double factor = is_f64 ? 1 : asked.scale;
  job.scale = is_f64 ? static_cast<Sum>(asked.scale) : 1;
  if constexpr (K < 7) {
    if (in.pixel == Pixel::u8) {
      factor = *to_integers(taps.weights);
      job.scale = static_cast<Sum>(asked.scale / factor);
      set_words(job.words, weights, K, factor);
    }
  }
  for (std::size_t i = 0; i < K * K; ++i) job.weights[i] = static_cast<Sum>(factor * weights[i / K][i % K]);
  // Tiles where all that they load is there.
  const int own = size.columns;  // of a thread
  const int beside = (size.reach + own - 1) / own * own;
  const int in_columns = static_cast<int>(in.shape.width * size.channels);
  const auto within = [](int value, int low, int high) { return std::min(std::max(value, low), high); };
  job.first_x = beside;
  job.end_x = beside + std::max(in_columns - size.reach - beside, 0) / own * own;
  if (size.full_rows) {
    const BorderTable& border = asked.borders[2];
    const Element constant = element_of(in.pixel, border.constant());
    if (border.mode() != Border::Mode::constant || in.pixel == Pixel::f32 || constant.is_exact) {
      job.first_x = 0;
      job.end_x = in_columns / own * own;
    }
    job.beyond_constant = constant.bits;
    for (int i = 0; i < K - 1; ++i)
      job.beyond[i] = source_of(border, i < K / 2 ? i - K / 2 : in_columns + i - K / 2);
  }
  job.first_y = within(K / 2 - job.shift_y, 0, job.rows);
  job.end_y = within(static_cast<int>(in.shape.height) - K / 2 - job.shift_y, job.first_y, job.rows);
  if (job.end_x == job.first_x || job.end_y - job.first_y < size.rows) {
    job.first_y = job.end_y = 0;
    job.first_x = job.end_x = 0;
  }
  const auto blocks = [](std::int64_t count, std::int64_t per_block) { return (count + per_block - 1) / per_block; };
  const std::int64_t across = blocks(job.end_x - job.first_x, 32 * own);
  const std::int64_t down = blocks(job.end_y - job.first_y, register_tile_warps * size.rows);
  job.blocks_x = Divisor(std::max<std::int64_t>(across, 1));
  job.blocks_y = Divisor(std::max<std::int64_t>(down, 1));
  const int inner_rows = job.end_y - job.first_y;
  const int beside_tiles = job.columns - (job.end_x - job.first_x);
  const std::int64_t frame =
      static_cast<std::int64_t>(job.rows - inner_rows) * job.columns + static_cast<std::int64_t>(inner_rows) * beside_tiles;
  job.frame_across = Divisor(job.columns);
  job.frame_beside = Divisor(std::max(beside_tiles, 1));
  job.frame = Divisor(std::max<std::int64_t>(frame, 1));
  const std::int64_t planes = in.shape.depth * in.shape.batch;
  job.frame_blocks = static_cast<int>(blocks(frame * planes, 32 * register_tile_warps));
  const auto grid = static_cast<unsigned>(job.frame_blocks + planes * across * down);
  job.frame_every = Divisor(job.frame_blocks == 0 ? 1 : std::max(1U, grid / (2 * static_cast<unsigned>(job.frame_blocks))));
  size.kernel<<<grid, dim3(32, register_tile_warps), 0, stream>>>(job);
  HALATION_CUDA_LAUNCHED("register tile", stream);
}

/// Terms of Costs::register_tile. Channels apart are launches one after another.
double seconds(const Request& request) {
  const Job& job = request.job;
  const Gpu& gpu = request.gpu;
  const int size = places_for(job);
  const auto element = static_cast<std::int64_t>(bytes_of(job.in_pixel));
  const std::int64_t beside = channels_beside(request.rows, job.in.channels);
  const std::int64_t launches = job.out.channels / beside;
  const std::int64_t columns = 16 / element;
  const std::int64_t rows = 4 * (element >= 4 && size == 5 ? 6 : 4);
  const std::int64_t planes = job.out.batch * job.out.depth * launches;
  // Lanes beside a narrow image do nothing; fitted to 2 bytes an element, of which a warp takes most columns.
  const double share = static_cast<double>(job.out.width * beside) / static_cast<double>(32 * columns);
  const double busy = element == 2 ? std::min(1.0, 0.2 + 2.3 * share) : 1;
  const double outputs = busy * gpu.millions(divide_up(job.out.width * beside, 32 * columns) * 32 * columns *
                                      divide_up(job.out.height, rows) * rows * planes);
  const double frame = busy * gpu.millions((4 * job.out.width * beside + 2 * columns * job.out.height) * planes);
  const double taps = size * size;
  return gpu.seconds(gpu.costs->register_tile,
                     {{1, static_cast<double>(launches - 1), taps},
                      {},
                      {if_is(element == 1, outputs), if_is(element == 2, outputs),
                       if_is(element == 4, outputs), if_is(element == 2 || element == 4, outputs * taps),
                       if_is(element == 1, outputs * taps), if_is(element == 1, frame), if_is(element == 1 && beside > 1, outputs * taps),
                       if_is(element > 1, frame * taps), if_is(element > 1 && beside > 1, frame * taps),
                       if_is(element > 1 && beside > 1, outputs * taps), if_is(element == 8, outputs), if_is(element == 8, outputs * taps)}},
                     bytes_moved(job));
}

class RegisterTileRunner final : public Runner {
 public:
  RegisterTileRunner(std::shared_ptr<const Job> job, Device device)
      : job_(std::move(job)), device_(device), size_(places_for(*job_)) {}

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "a tile of outputs a thread, input in registers, as " + std::to_string(size_) + "x" + std::to_string(size_) + " taps";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const int channels = channels_in_row(row_layout_of(in, outs), in.shape.channels);
    if (channels > 1) return run_rows(channels, in, outs[0], queue);
    for (std::int64_t c = 0; c < in.shape.channels; ++c) run_rows(1, in.channel(c), outs[0].channel(c), queue);
  }

 private:
  void run_rows(int channels, const ConstView& in, const View& out, cudaStream_t stream) const {
    const auto of_size = [&]<int K>() {
      if (in.pixel == Pixel::f64) launch(register_tile_size<double, K>(channels), *job_, in, out, stream);
      else launch(size_of<K>(in.pixel, channels), *job_, in, out, stream);
    };
    switch (size_) {
      case 3: return of_size.template operator()<3>();
      case 5: return of_size.template operator()<5>();
      default: return of_size.template operator()<7>();
    }
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  int size_;
};

}  // namespace

const Family register_tile{.name = "register tile",
                           .refuses = refuses,
                           .seconds = seconds,
                           .make = [](const Request& request, const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
                             return std::make_unique<RegisterTileRunner>(job, request.gpu.device);
                           }};

}  // namespace halation::cuda_backend
