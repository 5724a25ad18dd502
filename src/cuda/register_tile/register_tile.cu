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
  return visit_pixel(pixel, [&](auto like) -> RegisterTileSize<K> {
    using T = decltype(like);
    if constexpr (sizeof(T) == 8)
      return register_tile_size<float, K>(channels);
    else if constexpr (sizeof(T) == 1 && K == 7)
      return {};
    else
      return register_tile_size<T, K>(channels);
  });
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
  return visit_pixel(pixel, [&](auto like) {
    return element_as<std::conditional_t<sizeof like == 8, float, decltype(like)>>(value);
  });
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
  const bool is_one_channel = channels_beside(request.rows, job.in.channels) == 1;
  if (job.in_pixel == Pixel::u8 &&
      !((size == 3 || (size == 5 && is_one_channel)) && to_integers(taps.weights)))
    return "of u8 3x3 taps, or 5x5 over one channel a row, of integer weights only";
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

/// How the outputs of a launch are cut: tiles where all that they load is there, and around them a frame,
/// output by output.
struct Cut {
  int first_x = 0, end_x = 0, first_y = 0, end_y = 0;  ///< outputs of tiles, in columns and rows
  int beside = 0;                                      ///< columns that are none of a tile's
  std::int64_t across = 0, down = 0;                   ///< blocks of tiles
  std::int64_t frame = 0;                              ///< outputs of a plane around the tiles
  std::int64_t frame_blocks = 0, blocks = 0;           ///< for the frames, and all

  template <int K, class Sum>
  Cut(const RegisterTileSize<K, Sum>& size, const Job& job, int channels) {
    const int own = size.columns;  // of a thread
    const auto in_columns = static_cast<int>(job.in.width * channels),
               columns = static_cast<int>(job.out.width * channels);
    const auto rows = static_cast<int>(job.out.height);
    const BorderTable& border = job.borders[2];
    const bool are_full =
        size.full_rows && (border.mode() != Border::Mode::constant || job.in_pixel == Pixel::f32 ||
                           element_of(job.in_pixel, border.constant()).is_exact);
    first_x = are_full ? 0 : (size.reach + own - 1) / own * own;
    end_x = first_x + std::max(in_columns - (are_full ? 0 : size.reach + first_x), 0) / own * own;
    const auto shift_y =
        static_cast<int>(centre_of(job.filters.front().lead[1], job.filters.front().size[1], K));
    first_y = std::clamp(K / 2 - shift_y, 0, rows);
    end_y = std::min(std::max(static_cast<int>(job.in.height) - K / 2 - shift_y, first_y), rows);
    if (end_x == first_x || end_y - first_y < size.rows) first_x = end_x = first_y = end_y = 0;
    across = divide_up(end_x - first_x, 32 * own);
    down = divide_up(end_y - first_y, register_tile_warps * size.rows);
    beside = columns - (end_x - first_x);
    frame = std::int64_t{rows - (end_y - first_y)} * columns + std::int64_t{end_y - first_y} * beside;
    const std::int64_t planes = job.in.depth * job.in.batch;
    frame_blocks = divide_up(frame * planes, 32 * register_tile_warps);
    blocks = frame_blocks + planes * across * down;
  }
};

/// Calls `use` with the kernel for so many taps a side, and channels beside each other.
template <class Use>
auto with_size(int taps, Pixel pixel, int channels, const Use& use) {
  const auto of_size = [&]<int K>() {
    return pixel == Pixel::f64 ? use(register_tile_size<double, K>(channels))
                               : use(size_of<K>(pixel, channels));
  };
  switch (taps) {
    case 3:
      return of_size.template operator()<3>();
    case 5:
      return of_size.template operator()<5>();
    default:
      return of_size.template operator()<7>();
  }
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
  const Cut cut(size, asked, size.channels);
  job.first_x = cut.first_x;
  job.end_x = cut.end_x;
  job.first_y = cut.first_y;
  job.end_y = cut.end_y;
  if (size.full_rows) {
    const BorderTable& border = asked.borders[2];
    const int in_columns = static_cast<int>(in.shape.width * size.channels);
    job.beyond_constant = element_of(in.pixel, border.constant()).bits;
    for (int i = 0; i < K - 1; ++i)
      job.beyond[i] = source_of(border, i < K / 2 ? i - K / 2 : in_columns + i - K / 2);
  }
  job.blocks_x = Divisor(std::max<std::int64_t>(cut.across, 1));
  job.blocks_y = Divisor(std::max<std::int64_t>(cut.down, 1));
  job.frame_across = Divisor(job.columns);
  job.frame_beside = Divisor(std::max(cut.beside, 1));
  job.frame = Divisor(std::max<std::int64_t>(cut.frame, 1));
  job.frame_blocks = static_cast<int>(cut.frame_blocks);
  const auto grid = static_cast<unsigned>(cut.blocks);
  job.frame_every = Divisor(job.frame_blocks == 0 ? 1 : std::max(1U, grid / (2 * static_cast<unsigned>(job.frame_blocks))));
  size.kernel<<<grid, dim3(32, register_tile_warps), 0, stream>>>(job);
  HALATION_CUDA_LAUNCHED("register tile", stream);
}

/// Channels apart are launches one after another.
LaunchShape shape(const Request& request) {
  const Job& job = request.job;
  const int taps = places_for(job);
  const auto beside = static_cast<int>(channels_beside(request.rows, job.in.channels));
  LaunchShape shape =
      launch_shape(request, job.in_pixel == Pixel::u8 ? "register tile, integer weights" : "register tile");
  with_size(taps, job.in_pixel, beside, [&](const auto& size) {
    const Cut cut(size, job, beside);
    shape.launches = job.out.channels / beside;
    shape.blocks = cut.blocks;
    shape.together = size.blocks;
    const auto tiles = static_cast<double>(cut.blocks - cut.frame_blocks) / static_cast<double>(cut.blocks);
    const std::int64_t outputs = std::int64_t{size.columns} * size.rows;  // of a thread
    shape.chain = 1e-3 * static_cast<double>(taps * taps * outputs);
    shape.outputs = 1e-3 * tiles * static_cast<double>(32 * register_tile_warps * outputs);
    shape.mads = shape.outputs * taps * taps;
    shape.staged = 1e-3 * (1 - tiles) * 32 * register_tile_warps * taps * taps;  // one by one, of the frames
  });
  return shape;
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
    with_size(size_, in.pixel, channels, [&](const auto& size) { launch(size, *job_, in, out, stream); });
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  int size_;
};

}  // namespace

const Family register_tile{
    .name = "register tile",
    .refuses = refuses,
    .shape = shape,
    .make = [](const Request& request,
               const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
      return std::make_unique<RegisterTileRunner>(job, request.gpu.device);
    }};

}  // namespace halation::cuda_backend
