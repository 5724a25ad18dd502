// fft.cu: overlap-save: a tile's transform, its product with the filter's and the transform back, all in shared memory.
//
//   block → outputs    a tile of 256 × 192, 128 × 128 or 128 × 64 samples less the filter's taps
//   packing            a tile of 2N rows is N rows of complex numbers, z[n] = (x[n] + i · x[n + N]) · e^(πi · n / 2N): products of such
//                      transforms are convolutions that wrap with the other sign, whose wrapped part no output is taken from. No bins
//                      to pair, no second tile to wait for
//   order              forward by decimation in frequency, inverse in time: digits stay reversed, in the filter's spectrum as well
//   thread → numbers   16 of a column, A of it, 16 of a row, B of it, and back: seven passes through shared memory. Warps that
//                      share 32 columns or rows wait for each other alone, the block only between columns and rows
//   shared memory      8 bytes a complex number (f64 16): 199 KB, 68 KB or 34 KB, 1, 3 or 6 blocks a multiprocessor
//   operations         about 100 instructions a sample of a tile, some 58 of them additions and products
//   traffic            DRAM: each element once; L2: what tiles share again; the spectrum, of 8 bytes for two samples, a tile
//   odd tiles          in which a filter's box may hold too little beside the tile, or with numbers that are huge or not finite: a second
//                      launch puts right what is not (own_box.cuh)
//   instantiations     3 sizes in f32, 2 in f64, each for 1, 2, 4 (and 8) bytes an element; spectra
//   source             T. G. Stockham, High-Speed Convolution and Correlation, 1966 (overlap-save); design and figures in
//                      docs/notebook/cuda/fft.md
#include "cuda/fft/fft.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "cuda/device/device.h"
#include "cuda/fft/arguments.cuh"
#include "cuda/fft/plan_parts.h"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

template <class T>
FftTileKernels<T> named(std::string_view name, FftTileKernels<T> kernels) {
  kernels.name = name;
  return kernels;
}

template <class T>
std::span<const FftTileKernels<T>> fft_tiles_of() {
  if constexpr (sizeof(T) == 4) {
    static const std::array tiles{named("fft tiles 256x192", fft_tile<float, 8, 12>()),
                                  named("fft tiles 128x128", fft_tile<float, 4, 8>()),
                                  named("fft tiles 128x64", fft_tile<float, 4, 4>()),
                                  named("fft lines 8192", fft_line<float, 16>()),
                                  named("fft lines 2048", fft_line<float, 4>())};
    return tiles;
  } else {
    static const std::array tiles{named("fft tiles 256x96, f64", fft_tile<double, 8, 6>()),
                                  named("fft tiles 128x32, f64", fft_tile<double, 4, 2>()),
                                  named("fft lines 8192, f64", fft_line<double, 16>()),
                                  named("fft lines 2048, f64", fft_line<double, 4>())};
    return tiles;
  }
}

/// How outputs are cut by a size of tiles.
struct Cut {
  int kept_y, kept_x;
  std::int64_t across, down, planes;

  std::int64_t tiles() const { return across * down * planes; }
};

template <class T>
std::optional<Cut> cut_by(const FftTileKernels<T>& tile, const Job& job, const Taps& taps) {
  constexpr int fewest_kept = 8;
  if (taps.size[1] - 1 > std::max(tile.height - fewest_kept, 0) || taps.size[2] - 1 > tile.width - fewest_kept) return std::nullopt;
  Cut cut{};
  cut.kept_y = tile.height - static_cast<int>(taps.size[1]) + 1;
  cut.kept_x = tile.width - static_cast<int>(taps.size[2]) + 1;
  // Tiles begin where cache lines do, unless that costs them an eighth.
  for (const int multiple : {16, 8}) {
    if (const int whole = cut.kept_x / multiple * multiple; whole * 8 >= cut.kept_x * 7) {
      cut.kept_x = whole;
      break;
    }
  }
  cut.across = divide_up(job.out.width, cut.kept_x);
  cut.down = divide_up(job.out.height, cut.kept_y);
  cut.planes = job.out.depth * job.out.batch * job.out.channels;
  return cut;
}

/// Groups of samples of which every box holds one (own_box.cuh).
template <class T>
FftGroups groups_of(const FftTileKernels<T>& tile, std::int64_t taps_y, std::int64_t taps_x) {
  const std::int64_t across_groups = tile.height > 1 ? taps_y : taps_x;
  if (across_groups < tile.groups_apart.all_turns) return {};
  const int lanes = tile.height > 1 ? group_along(taps_x, 32) : 8;
  return {.lanes = lanes,
          .pairs = lanes == 4 && taps_x >= 11,
          .all_turns = across_groups < tile.groups_apart.first_turn};
}

template <class T>
std::size_t axis_of_groups(const FftTileKernels<T>& tile) {
  return tile.height > 1 ? 2 : no_axis;
}

/// The same for tiles that reach over the image's sides.
template <class T>
FftGroups groups_outside(const FftTileKernels<T>& tile, const Job& job) {
  return groups_of(tile, taps_judged(job, 1, axis_of_groups(tile)),
                   taps_judged(job, 2, axis_of_groups(tile)));
}

/// Of tiles of samples drawn evenly from 0 to 1: the share with a group of four that is too faint to tell of
/// its box, its sum of squares below 1/16 of their mean, 1/3. That is a sixteenth of a ball in four
/// dimensions. Groups lie in every fourth row; of pairs, one in eight is by itself.
double share_faint(std::size_t numbers, bool pairs) {
  using std::numbers::pi;
  constexpr double squares = 1.0 / 3 / 16, of_groups = pi * pi / 2 * squares * squares / 16;
  const double groups = static_cast<double>(2 * numbers) / 4 / 4 / (pairs ? 8 : 1);
  return 1 - std::exp(-groups * of_groups);
}

template <class T>
LaunchShape shape_of(const FftTileKernels<T>& tile, const Cut& cut, const Request& request) {
  const Job& job = request.job;
  LaunchShape shape = launch_shape(request, tile.name);
  shape.traits.set(Trait::beside, channels_in_row(request.rows, job.in.channels) != 1);
  const bool checked = may_be_non_finite(job) || is_bounded_by_own_box(job);
  shape.traits.set(Trait::checked, checked);
  shape.starts = checked ? 1 : 0;
  shape.traits.set(Trait::far_borders,
                   tile.height == 1 && has_far_borders(job));  // places of a tile's rows lie in shared memory
  shape.blocks = cut.tiles();
  shape.together = tile.blocks;
  shape.outputs = 1e-3 * static_cast<double>(2 * tile.numbers());
  shape.chain = shape.outputs / tile.threads;
  // Tiles of which no box is known to hold enough are transformed again; a few take as long as one on each
  // multiprocessor.
  if (is_bounded_by_own_box(job)) {
    const Taps& taps = request.taps();
    const FftGroups groups = groups_of(tile, taps.size[1], taps.size[2]);
    const auto but_for_sides = [](std::int64_t tiles) { return std::max<std::int64_t>(tiles - 2, 0); };
    std::int64_t good = cut.planes;  // tiles
    if (groups_outside(tile, job).lanes == 0)
      good *= but_for_sides(cut.down) * but_for_sides(cut.across);
    else if (tile.height > 1 && job.borders[2].mode() == Border::Mode::replicate &&
             !looks_inside_only(job, 2, axis_of_groups(tile)))
      good *= cut.down * but_for_sides(cut.across);  // of so many rows, in one the repeated sample is faint
    else
      good *= cut.down * cut.across;
    const auto tiles = static_cast<double>(cut.tiles());
    double again = tiles - static_cast<double>(good);
    if (groups.lanes == 0) again = tiles;
    if (groups.lanes == 4) again = std::max(again, tiles * share_faint(tile.numbers(), groups.pairs));
    if (again > 0)
      again = std::max<double>(again, std::min<std::int64_t>(request.gpu.multiprocessors, cut.tiles()));
    shape.mads = shape.outputs * again / tiles;
  }
  return shape;
}

template <class T>
struct Choice {
  const FftTileKernels<T>* tile = nullptr;
  Cut cut{};
  LaunchShape shape{};
  double seconds = 0;

  const char* refuses() const {
    if (tile == nullptr) return "no tile in shared memory is large enough";
    return cut.tiles() > 0x7fffffff ? "more tiles than a launch can have" : nullptr;
  }
};

/// What kernels declare beside: a few numbers for each warp.
constexpr std::size_t static_shared_bytes = 2048;

template <class T>
Choice<T> choose_tile(const Request& request) {
  Choice<T> best;
  for (const FftTileKernels<T>& tile : fft_tiles_of<T>()) {
    if (tile.shared_bytes + static_shared_bytes > request.gpu.shared_limit) continue;
    const std::optional<Cut> cut = cut_by(tile, request.job, request.taps());
    if (!cut) continue;
    const LaunchShape shape = shape_of(tile, *cut, request);
    const double seconds = request.gpu.seconds(shape);
    if (best.tile == nullptr || seconds < best.seconds) best = {&tile, *cut, shape, seconds};
  }
  return best;
}

template <class T>
class FftRunner final : public Runner {
 public:
  FftRunner(std::shared_ptr<const Job> job, const Gpu& gpu, const Choice<T>& choice)
      : job_(std::move(job)), device_(gpu.device), multiprocessors_(gpu.multiprocessors), choice_(choice) {
    const Taps& taps = job_->filters.front();
    const FftTileKernels<T>& tile = *choice.tile;
    const std::size_t element = bytes_of(job_->in_pixel);
    const auto kind = static_cast<std::size_t>(std::countr_zero(element));
    filter_ = tile.filter[kind];
    describe(constants_, *job_, facts_of_tiles(*job_), axis_of_groups(tile));
    for (const void* kernel : {reinterpret_cast<const void*>(filter_), reinterpret_cast<const void*>(tile.resolve), reinterpret_cast<const void*>(tile.spectrum)}) {
      HALATION_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(tile.shared_bytes)));
    }
    constants_.groups[0] = groups_of(tile, constants_.taps_y, constants_.taps_x);
    constants_.groups[1] = groups_outside(tile, *job_);
    constants_.kept_y = choice.cut.kept_y;
    constants_.kept_x = choice.cut.kept_x;
    constants_.lead[2] -= tile.width - choice.cut.kept_x - (constants_.taps_x - 1);
    transform_weights(taps);
  }

  std::size_t workspace_bytes() const override { return constants_.notes_odd ? states_bytes() + resolving_blocks() * choice_.tile->map_bytes : 0; }
  std::size_t constant_bytes() const override {
    const std::size_t numbers = choice_.tile->numbers() * (choice_.tile->height > 1 ? 1 : 2);  // the spectrum, and roots of a line
    return numbers * sizeof(Complex<T>) + job_->filters.front().weights.size();
  }
  std::string explain() const override {
    return "tiles of " + std::to_string(choice_.tile->height) + "x" + std::to_string(choice_.tile->width) + " samples, of which " +
           std::to_string(choice_.cut.kept_y) + "x" + std::to_string(choice_.cut.kept_x) + " are put out";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const UseDevice use(device_);
    const View& out = outs[0];
    FftArguments<T> job = constants_;
    place(job, in, out);
    job.channels = Divisor(out.shape.channels);
    job.across = Divisor(choice_.cut.across);
    job.down = Divisor(choice_.cut.down);
    job.depth = Divisor(out.shape.depth);
    job.tiles = static_cast<unsigned>(choice_.cut.tiles());
    const bool is_packed = in.strides.width == static_cast<std::int64_t>(bytes_of(in.pixel));
    job.ahead = is_packed ? static_cast<unsigned>(multiprocessors_ * choice_.tile->blocks) : 0;
    job.odd_tiles = reinterpret_cast<std::uint8_t*>(workspace.data());
    job.maps = workspace.data() + states_bytes();
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const auto threads = static_cast<unsigned>(choice_.tile->threads);
    filter_<<<job.tiles, threads, choice_.tile->shared_bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("fft tiles", queue);
    if (!job.notes_odd) return;
    choice_.tile->resolve<<<static_cast<unsigned>(resolving_blocks()), threads, choice_.tile->shared_bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("fft resolve", queue);
  }

 private:
  /// A state for each tile, then maps, whose words begin at multiples of their size.
  std::size_t states_bytes() const { return static_cast<std::size_t>(divide_up(choice_.cut.tiles(), 256) * 256); }
  std::size_t resolving_blocks() const {
    return static_cast<std::size_t>(std::min<std::int64_t>(choice_.cut.tiles(), std::int64_t{multiprocessors_} * choice_.tile->blocks));
  }
  /// The filter's spectrum, by the kernel's own transforms.
  void transform_weights(const Taps& taps) {
    const FlippedWeights<T> flipped(taps, constants_.whole);
    constants_.gain = flipped.gain;
    const FftTileKernels<T>& tile = *choice_.tile;
    cudaStream_t queue = cudaStreamPerThread;
    const DeviceArray<T> weights = uploaded(flipped.weights, queue);
    signs_ = uploaded(flipped.signs, queue);
    constants_.signs = signs_.data();
    spectrum_ = DeviceArray<Complex<T>>(tile.numbers());
    constants_.spectrum = spectrum_.data();
    if (tile.height == 1) {
      roots_ = uploaded(roots_of_steps<T>(16, 16, static_cast<int>(tile.numbers()) / 256, true), queue);
      constants_.roots = roots_.data();
    }
    FftArguments<T> job = constants_;
    place_weights(job, weights.data(), taps, tile.height + tile.width);
    job.kept_x = tile.width;
    tile.spectrum<<<1, static_cast<unsigned>(tile.threads), tile.shared_bytes, queue>>>(job, spectrum_.data());
    HALATION_CUDA_LAUNCHED("fft spectrum", queue);
    HALATION_CUDA_CHECK(cudaStreamSynchronize(queue));
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  int multiprocessors_;
  Choice<T> choice_;
  typename FftTileKernels<T>::Kernel filter_ = nullptr;
  DeviceArray<std::int8_t> signs_;
  DeviceArray<Complex<T>> spectrum_, roots_;
  FftArguments<T> constants_{};
};

struct FftTiles {
  template <class T>
  using Run = FftRunner<T>;
  template <class T>
  static Choice<T> choose(const Request& request) {
    return choose_tile<T>(request);
  }
  static const char* refuses(const Taps& taps) { return taps.size[0] != 1 ? "filters along x and y alone" : nullptr; }
};

}  // namespace

const Family fft_tiles = family_of_transforms<FftTiles>("fft tiles");

TransformFacts facts_of_tiles(const Job& job) {
  return with_sum(job, [&](auto sum) -> TransformFacts {
    const auto& tile = fft_tiles_of<decltype(sum)>().front();
    // Along columns 16 and 8, along rows 16 and 12; twiddles between, and those of the packing.
    const double once = roundings_of_steps({16, 8}) + roundings_of_steps({16, 12});
    return {.samples = 2.0 * static_cast<double>(tile.numbers()), .roundings = roundings_there_and_back(once)};
  });
}

}  // namespace halation::cuda_backend
