// passes.cu: which lengths a job's tiles have along each axis, and the launches of their passes.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/scratch.h"
#include "cuda/device/device.h"
#include "cuda/fft/fft.h"
#include "cuda/fft/pass_arguments.cuh"
#include "cuda/fft/plan_parts.h"
#include "cuda/fft/reach.cuh"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

/// Numbers of a group of tiles take so many bytes at most, or those of one tile: large groups share launches and the spectrum.
constexpr std::size_t group_bytes = std::size_t{192} << 20;

template <class T>
std::span<const FftColumnKernels<T>> column_kernels() {
  static const std::array list{fft_columns<T, 8, 4, 1>(),   fft_columns<T, 8, 8, 1>(),   fft_columns<T, 8, 12, 1>(),
                               fft_columns<T, 16, 8, 1>(),  fft_columns<T, 16, 12, 1>(), fft_columns<T, 12, 12, 2>(),
                               fft_columns<T, 16, 16, 2>(), fft_columns<T, 12, 12, 4>(), fft_columns<T, 16, 16, 4>()};
  return list;
}
template <class T>
std::span<const FftRowKernels<T>> row_kernels() {
  static const std::array list{fft_rows<T, 12, 2>(), fft_rows<T, 16, 2>(), fft_rows<T, 12, 4>(),
                               fft_rows<T, 16, 4>(), fft_rows<T, 16, 8>(), fft_rows<T, 16, 16>()};
  return list;
}

template <class T>
std::span<const FftPlaneKernels<T>> plane_kernels() {
  if constexpr (sizeof(T) == 4) {
    static const std::array list{fft_planes<T, 4, 4>(), fft_planes<T, 6, 6>(), fft_planes<T, 8, 12>()};
    return list;
  } else {
    static const std::array list{fft_planes<T, 4, 4>(), fft_planes<T, 6, 6>()};
    return list;
  }
}

/// Lengths of the tiles, and how outputs are cut by them. Of volumes either `middle` and `rows`, or `planes` in place of both.
template <class T>
struct Cut {
  const FftColumnKernels<T>* outer = nullptr;
  const FftColumnKernels<T>* middle = nullptr;
  const FftRowKernels<T>* rows = nullptr;
  const FftPlaneKernels<T>* plane = nullptr;
  std::array<std::int64_t, 3> kept{1, 1, 1};
  std::int64_t across = 1, down = 1, deep = 1, images = 1;
  LaunchShape shape{};
  double seconds = 0;

  const char* refuses() const {
    if (outer == nullptr) return "no lengths of transforms are large enough";
    return tiles() > 0x7fffffff ? "more tiles than can be counted" : nullptr;
  }
  int middle_length() const { return plane != nullptr ? plane->rows : middle != nullptr ? middle->length : 1; }
  int row_length() const { return plane != nullptr ? plane->columns : rows->length; }
  std::int64_t numbers() const { return std::int64_t{outer->length} * middle_length() * row_length(); }
  int launches() const { return middle == nullptr ? 3 : 5; }
  std::int64_t tiles() const { return across * down * deep * images; }
  std::int64_t group() const {
    constexpr std::int64_t most = 1024;
    const auto fit = static_cast<std::int64_t>(group_bytes / sizeof(Complex<T>)) / numbers();
    return std::clamp<std::int64_t>(fit, 1, std::min(tiles(), most));
  }
};

/// Which axis is the outer one: z or y, or x of a signal.
std::size_t outer_axis_of(const Taps& taps) { return taps.size[0] > 1 ? 0 : taps.size[1] > 1 ? 1 : 2; }

/// Outputs that a tile of so many samples keeps along an axis, where that is worth it.
std::int64_t kept_of(std::int64_t samples, std::int64_t taps) {
  const std::int64_t kept = samples - taps + 1;
  return kept * 16 < samples ? 0 : kept;
}

constexpr bool is_power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

std::size_t axis_of_groups(const Taps& taps) { return outer_axis_of(taps) == 2 ? no_axis : 2; }

/// Groups of samples of which every box holds one (own_box.cuh): along the outer axis of every row, or of one
/// in five at most.
template <class T>
FftGroups groups_of(const Cut<T>& cut, const Job& job) {
  const std::size_t outer_axis = outer_axis_of(job.filters.front());
  const std::size_t along = axis_of_groups(job.filters.front());
  const bool split = outer_axis == 2;
  const std::int64_t along_x = taps_judged(job, 2, along), outer = taps_judged(job, outer_axis, along);
  constexpr std::int64_t apart = 5;
  const std::int64_t row = split ? cut.row_length() : 1, beside = split ? 31 : 0;
  if (outer < row + beside || (outer_axis == 0 && taps_judged(job, 1, along) < 1)) return {};
  return {.lanes = group_along(along_x, cut.outer->columns),
          .pairs = false,
          .all_turns = outer < apart * row + beside};
}

template <class T>
LaunchShape shape_of(const Cut<T>& cut, const Job& job, const Gpu& gpu) {
  const double tiles = static_cast<double>(cut.tiles()), samples = 2.0 * static_cast<double>(cut.numbers());
  const auto groups = divide_up(cut.tiles(), cut.group());
  const double between = sizeof(T);  // bytes a sample, read or written
  const double passes = 2.0 * (cut.launches() - 1);
  const bool own_box = is_bounded_by_own_box(job);
  const bool checked = own_box || may_be_non_finite(job);
  LaunchShape shape = launch_shape(job, sizeof(T) == 8          ? "fft passes, f64"
                                        : cut.plane != nullptr  ? "fft passes, by planes"
                                        : cut.middle != nullptr ? "fft passes, of volumes"
                                                                : "fft passes");
  shape.traits.set(Trait::far_borders, has_far_borders(job));
  shape.traits.set(Trait::checked, checked);
  const std::int64_t rounds = fft_rounds * cut.launches() + (outer_axis_of(job.filters.front()) == 0 ? 5 : 4);
  shape.launches = groups * (cut.launches() + (checked ? rounds : 0));
  shape.spread(1e-3 * tiles * samples, gpu.multiprocessors);
  shape.bytes = tiles * samples * (passes * between + static_cast<double>(bytes_of(job.in_pixel))) +
                static_cast<double>(groups) * samples * between +
                static_cast<double>(job.out.elements() * static_cast<std::int64_t>(bytes_of(job.out_pixel)));
  // Tiles of which no box is known to hold enough are transformed again.
  if (own_box && groups_of(cut, job).lanes == 0) {
    shape.mads = shape.outputs;
    shape.bytes *= 2;
  }
  return shape;
}

template <class T>
Cut<T> choose_lengths(const Job& job, const Taps& taps, const Gpu& gpu) {
  Cut<T> best;
  const std::size_t outer_axis = outer_axis_of(taps);
  const auto consider = [&](Cut<T> cut) {
    const Space out = job.out.space();
    if (outer_axis == 2) {
      if (cut.row_length() >= taps.size[2]) return;  // reach.cuh: a window ends in another row than it begins
      // Turns between are exact of powers of two alone.
      if (cut.outer->signal_forth[0] == nullptr || !is_power_of_two(cut.row_length())) return;
      cut.kept[2] = kept_of(cut.numbers() * 2, taps.size[2]);
    } else {
      cut.kept[outer_axis] = kept_of(2 * std::int64_t{cut.outer->length}, taps.size[outer_axis]);
      if (outer_axis == 0) cut.kept[1] = kept_of(cut.middle_length(), taps.size[1]);
      cut.kept[2] = kept_of(cut.row_length(), taps.size[2]);
    }
    if (*std::min_element(cut.kept.begin(), cut.kept.end()) < 1) return;
    // Rows of outputs begin where cache lines do, unless that costs an eighth.
    if (const std::int64_t whole = cut.kept[2] / 32 * 32; whole * 8 >= cut.kept[2] * 7) cut.kept[2] = whole;
    cut.across = divide_up(out[2], cut.kept[2]);
    cut.down = divide_up(out[1], cut.kept[1]);
    cut.deep = divide_up(out[0], cut.kept[0]);
    cut.images = job.out.batch * job.out.channels;
    // What transforms twice as many samples is no quicker.
    if (best.outer != nullptr && cut.tiles() * cut.numbers() > 2 * best.tiles() * best.numbers()) return;
    cut.shape = shape_of(cut, job, gpu);
    cut.seconds = gpu.seconds(cut.shape);
    if (best.outer == nullptr || cut.seconds < best.seconds) best = cut;
  };
  for (const FftColumnKernels<T>& outer : column_kernels<T>()) {
    if (outer.shared_bytes > gpu.shared_limit) continue;
    for (const FftRowKernels<T>& rows : row_kernels<T>()) {
      if (rows.shared_bytes * static_cast<std::size_t>(rows.together) > gpu.shared_limit) continue;
      if (outer_axis > 0 || taps.size[1] == 1) {
        consider({.outer = &outer, .rows = &rows});
        continue;
      }
      for (const FftColumnKernels<T>& middle : column_kernels<T>()) {
        if (middle.shared_bytes <= gpu.shared_limit) consider({.outer = &outer, .middle = &middle, .rows = &rows});
      }
    }
    if (outer_axis > 0) continue;
    for (const FftPlaneKernels<T>& planes : plane_kernels<T>()) {
      if (planes.shared_bytes <= gpu.shared_limit) consider({.outer = &outer, .plane = &planes});
    }
  }
  return best;
}

template <class T>
class FftPassesRunner final : public Runner {
 public:
  FftPassesRunner(std::shared_ptr<const Job> job, const Gpu& gpu, const Cut<T>& cut) : job_(std::move(job)), device_(gpu.device), multiprocessors_(gpu.multiprocessors), cut_(cut) {
    const Taps& taps = job_->filters.front();
    for (const auto kernel : cut.outer->forth) allow(kernel, cut.outer->shared_bytes);
    for (const auto kernel : cut.outer->signal_forth) allow(kernel, cut.outer->shared_bytes);
    for (const auto kernel : cut.outer->back) allow(kernel, cut.outer->shared_bytes);
    for (const auto kernel : cut.outer->signal_back) allow(kernel, cut.outer->shared_bytes);
    if (cut.middle != nullptr) {
      for (const auto kernel : cut.middle->middle_forth) allow(kernel, cut.middle->shared_bytes);
      for (const auto kernel : cut.middle->middle_back) allow(kernel, cut.middle->shared_bytes);
    }
    if (cut.rows != nullptr) {
      for (const auto kernel : cut.rows->filter) allow(kernel, shared_of_rows());
      allow(cut.rows->spectrum, shared_of_rows());
    }
    if (cut.plane != nullptr) {
      for (const auto kernel : cut.plane->filter) allow(kernel, cut.plane->shared_bytes);
      allow(cut.plane->spectrum, cut.plane->shared_bytes);
    }

    constants_.outer_axis = taps.size[0] > 1 ? 0 : 1;
    constants_.split = outer_axis_of(taps) == 2;
    constants_.outer = cut.outer->length;
    constants_.middle = cut.middle_length();
    constants_.width = cut.row_length();
    describe(constants_, *job_, facts_of_passes(*job_, gpu), axis_of_groups(taps));
    constants_.taps_z = static_cast<int>(taps.size[0]);
    constants_.kept_z = static_cast<int>(cut.kept[0]);
    constants_.kept_y = static_cast<int>(cut.kept[1]);
    constants_.kept_x = static_cast<int>(cut.kept[2]);
    const std::int64_t row = constants_.split ? 2 * cut.numbers() : cut.row_length();
    constants_.skipped[0] = constants_.taps_z - 1;
    constants_.skipped[1] = constants_.taps_y - 1;
    constants_.skipped[2] = static_cast<int>(row - cut.kept[2]);
    constants_.lead[2] -= constants_.skipped[2] - (constants_.taps_x - 1);
    constants_.checks_of_tile = constants_.width / cut.outer->columns * constants_.middle;
    constants_.groups[0] = groups_of(cut_, *job_);
    prepare_roots();
    transform_weights(taps);
  }

  std::size_t workspace_bytes() const override {
    const std::int64_t group = cut_.group();
    const std::int64_t numbers = Scratch::bytes<Complex<T>>(group * cut_.numbers());
    if (!constants_.notes_odd) return static_cast<std::size_t>(numbers);
    return static_cast<std::size_t>(numbers + Scratch::bytes<Code>(2 * group * cut_.numbers()) + Scratch::bytes<FftTileFacts<T>>(group + 1) +
                                    Scratch::bytes<FftCheck<T>>(group * constants_.checks_of_tile));
  }

  std::size_t constant_bytes() const override {
    return static_cast<std::size_t>(cut_.numbers()) * sizeof(Complex<T>) + job_->filters.front().weights.size() * (1 + sizeof(T));
  }
  std::string explain() const override {
    const auto times = [](std::int64_t n) { return std::to_string(n) + "x"; };
    if (constants_.split) {
      return "tiles of " + std::to_string(2 * cut_.numbers()) + " samples as " + times(2 * cut_.outer->length) + std::to_string(cut_.row_length()) +
             ", of which " + std::to_string(cut_.kept[2]) + " are put out, " + std::to_string(cut_.group()) + " tiles at a time";
    }
    const bool is_volume = constants_.outer_axis == 0;
    return "tiles of " + times(2 * cut_.outer->length) + (is_volume ? times(constants_.middle) : "") + std::to_string(cut_.row_length()) +
           " samples, of which " + (is_volume ? times(cut_.kept[0]) : "") + times(cut_.kept[1]) + std::to_string(cut_.kept[2]) +
           " are put out, " + std::to_string(cut_.group()) + " tiles at a time";
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const UseDevice use(device_);
    const View& out = outs[0];
    FftPassArguments<T> job = constants_;
    place(job, in, out);
    job.channels = Divisor(out.shape.channels);
    job.across = Divisor(cut_.across);
    job.down = Divisor(cut_.down);
    job.depth = Divisor(cut_.deep);
    job.tiles = static_cast<unsigned>(cut_.tiles());
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const auto group = static_cast<unsigned>(cut_.group());
    Scratch scratch(workspace);
    job.numbers = scratch.take<Complex<T>>(group * cut_.numbers());
    if (job.notes_odd) {
      job.maps = reinterpret_cast<std::byte*>(scratch.take<Code>(2 * group * cut_.numbers()));
      job.facts = scratch.take<FftTileFacts<T>>(group + 1);
      job.checks = scratch.take<FftCheck<T>>(group * static_cast<std::int64_t>(job.checks_of_tile));
    }
    for (job.first_tile = 0; job.first_tile < job.tiles; job.first_tile += group) {
      job.tiles_here = std::min(group, job.tiles - job.first_tile);
      job.again = false;
      job.round_index = -1;
      if (job.notes_odd) HALATION_CUDA_CHECK(cudaMemsetAsync(job.facts, 0, (job.tiles_here + 1) * sizeof(FftTileFacts<T>), queue));
      filter_group(job, queue);
      if (!job.notes_odd) continue;
      fft_list_tiles_kernel<T><<<dim3(1, job.tiles_here), reach_threads, 0, queue>>>(job);
      HALATION_CUDA_LAUNCHED("fft list tiles", queue);
      job.again = true;
      draw_maps(job, queue);
      for (job.round_index = 0; job.round_index < fft_rounds; ++job.round_index) filter_group(job, queue);
      job.round_index = -1;
      fft_reach_left_kernel<T><<<blocks_of_tiles(job, std::min(divide_up(2 * cut_.numbers(), reach_threads), left_blocks), 1), reach_threads, 0, queue>>>(job);
      HALATION_CUDA_LAUNCHED("fft reach left", queue);
    }
  }

 private:
  template <class Kernel>
  static void allow(Kernel kernel, std::size_t bytes) {
    if (kernel == nullptr) return;
    HALATION_CUDA_CHECK(
        cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  }
  using Code = typename Magnitude<T>::Code;
  std::size_t shared_of_rows() const { return cut_.rows->shared_bytes * static_cast<std::size_t>(cut_.rows->together); }

  static std::size_t again(const FftPassArguments<T>& job) { return job.again ? 1 : 0; }
  /// Blocks of all tiles, or, of tiles that are done again, which mostly are few or none, as many as are at work at once.
  dim3 blocks_of_tiles(const FftPassArguments<T>& job, std::int64_t x, std::int64_t z) const {
    constexpr std::int64_t at_once = 4;  // of a multiprocessor
    const std::int64_t tiles = job.again ? std::min<std::int64_t>(job.tiles_here, divide_up(at_once * multiprocessors_, x * z)) : job.tiles_here;
    return {static_cast<unsigned>(x), static_cast<unsigned>(tiles), static_cast<unsigned>(z)};
  }
  dim3 blocks_of(const FftColumnKernels<T>& outer, const FftPassArguments<T>& job) const {
    return blocks_of_tiles(job, job.width / outer.columns, job.middle);
  }
  void forth(const FftPassArguments<T>& job, cudaStream_t queue) const {
    const FftColumnKernels<T>& outer = *cut_.outer;
    const auto kernel = (job.split ? outer.signal_forth : outer.forth)[again(job)];
    kernel<<<blocks_of(outer, job), static_cast<unsigned>(outer.threads), outer.shared_bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("fft forth", queue);
  }
  void along_middle(typename FftColumnKernels<T>::Kernel kernel, const FftPassArguments<T>& job, cudaStream_t queue) const {
    const FftColumnKernels<T>& middle = *cut_.middle;
    kernel<<<blocks_of_tiles(job, job.width / middle.columns, job.outer), static_cast<unsigned>(middle.threads), middle.shared_bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("fft middle", queue);
  }
  /// Between the passes along the outer axis: times the filter's spectrum and back, or, where `spectrum` is given, that spectrum.
  void between(const FftPassArguments<T>& job, Complex<T>* spectrum, cudaStream_t queue) const {
    if (cut_.plane != nullptr) {
      const FftPlaneKernels<T>& planes = *cut_.plane;
      const auto kernel = spectrum == nullptr ? planes.filter[again(job)] : planes.spectrum;
      kernel<<<blocks_of_work(job, std::int64_t{job.outer} * job.tiles_here), static_cast<unsigned>(planes.threads), planes.shared_bytes, queue>>>(job, spectrum);
      HALATION_CUDA_LAUNCHED("fft planes", queue);
      return;
    }
    if (cut_.middle != nullptr) along_middle(cut_.middle->middle_forth[again(job)], job, queue);
    rows(spectrum == nullptr ? cut_.rows->filter[again(job)] : cut_.rows->spectrum, job, spectrum, queue);
    if (cut_.middle != nullptr && spectrum == nullptr) along_middle(cut_.middle->middle_back[again(job)], job, queue);
  }
  void rows(typename FftRowKernels<T>::Kernel kernel, const FftPassArguments<T>& job, Complex<T>* spectrum, cudaStream_t queue) const {
    const FftRowKernels<T>& rows = *cut_.rows;
    const auto all = static_cast<std::int64_t>(job.outer) * job.middle * job.tiles_here;
    kernel<<<blocks_of_work(job, divide_up(all, rows.together)), dim3(static_cast<unsigned>(rows.threads), static_cast<unsigned>(rows.together)),
             shared_of_rows(), queue>>>(job, spectrum);
    HALATION_CUDA_LAUNCHED("fft rows", queue);
  }
  unsigned blocks_of_work(const FftPassArguments<T>& job, std::int64_t all) const {
    constexpr std::int64_t at_once = 4;
    return static_cast<unsigned>(job.again ? std::min(all, at_once * multiprocessors_) : all);
  }
  void filter_group(const FftPassArguments<T>& job, cudaStream_t queue) const {
    forth(job, queue);
    between(job, nullptr, queue);
    const FftColumnKernels<T>& outer = *cut_.outer;
    const auto kernel = (job.split ? outer.signal_back : outer.back)[again(job)];
    kernel<<<blocks_of(outer, job), static_cast<unsigned>(outer.threads), outer.shared_bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("fft back", queue);
  }
  void draw_maps(const FftPassArguments<T>& job, cudaStream_t queue) const {
    const auto blocks = [&](const MapColumns& columns) { return blocks_of_tiles(job, divide_up(columns.threads(), reach_threads), 1); };
    const std::int64_t rows = 2 * std::int64_t{job.outer} * (job.is_volume() ? job.middle : 1);
    const std::size_t row_bytes = 2 * static_cast<std::size_t>(job.width) * sizeof(Code);  // of a warp
    const auto warps = static_cast<unsigned>(std::clamp<std::size_t>(reach_shared_bytes / row_bytes, 1, reach_threads / 32));
    fft_reach_rows_kernel<T><<<blocks_of_tiles(job, std::min(divide_up(rows, warps), reach_blocks), 1), 32 * warps, warps * row_bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("fft reach rows", queue);
    if (job.is_volume()) {
      fft_reach_middle_kernel<T><<<blocks(middle_columns(job)), reach_threads, 0, queue>>>(job);
      HALATION_CUDA_LAUNCHED("fft reach middle", queue);
    }
    fft_reach_outer_kernel<T><<<blocks(outer_columns(job)), reach_threads, 0, queue>>>(job);
    HALATION_CUDA_LAUNCHED("fft reach outer", queue);
  }

  void prepare_roots() {
    const auto keep = [&](std::size_t axis, int first, int second, int third, bool packed) {
      roots_[axis] = uploaded(roots_of_steps<T>(first, second, third, packed), cudaStreamPerThread);
      constants_.turns[axis] = roots_[axis].data();
    };
    keep(0, cut_.outer->first, cut_.outer->second, cut_.outer->third, true);
    if (cut_.middle != nullptr) keep(1, cut_.middle->first, cut_.middle->second, cut_.middle->third, false);
    if (cut_.rows != nullptr) keep(2, cut_.rows->first, cut_.rows->first, cut_.rows->third, false);
  }

  /// The filter's spectrum, by the kernels' own transforms, in its own place.
  void transform_weights(const Taps& taps) {
    const FlippedWeights<T> flipped(taps, constants_.whole);
    constants_.gain = flipped.gain;
    cudaStream_t queue = cudaStreamPerThread;
    weights_ = uploaded(flipped.weights, queue);
    signs_ = uploaded(flipped.signs, queue);
    constants_.weights = weights_.data();
    constants_.signs = signs_.data();
    spectrum_ = DeviceArray<Complex<T>>(static_cast<std::size_t>(cut_.numbers()));
    constants_.spectrum = spectrum_.data();
    FftPassArguments<T> job = constants_;
    place_weights(job, weights_.data(), taps, 2 * cut_.numbers());
    job.numbers = spectrum_.data();
    job.facts = nullptr;
    job.again = false;
    job.round_index = -1;
    job.first_tile = 0;
    job.tiles_here = 1;
    forth(job, queue);
    between(job, spectrum_.data(), queue);
    HALATION_CUDA_CHECK(cudaStreamSynchronize(queue));
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  std::int64_t multiprocessors_;
  Cut<T> cut_;
  DeviceArray<T> weights_;
  DeviceArray<std::int8_t> signs_;
  DeviceArray<Complex<T>> spectrum_;
  std::array<DeviceArray<Complex<T>>, 3> roots_;
  FftPassArguments<T> constants_{};
};

struct FftPasses {
  template <class T>
  using Run = FftPassesRunner<T>;
  template <class T>
  static Cut<T> choose(const Request& request) {
    return choose_lengths<T>(request.job, request.taps(), request.gpu);
  }
  static const char* refuses(const Taps&) { return nullptr; }
};

}  // namespace

const Family fft_passes = family_of_transforms<FftPasses>("fft passes");

TransformFacts facts_of_passes(const Job& job, const Gpu& gpu) {
  return with_sum(job, [&](auto sum) -> TransformFacts {
    const auto cut = choose_lengths<decltype(sum)>(job, job.filters.front(), gpu);
    if (cut.outer == nullptr) return {.samples = 0, .roundings = 0};
    double once = roundings_of_steps({cut.outer->first, cut.outer->second, cut.outer->third});
    if (cut.rows != nullptr) once += roundings_of_steps({cut.rows->first, cut.rows->first, cut.rows->third});
    if (cut.plane != nullptr) once += roundings_of_steps({16, cut.plane->second[0]}) + roundings_of_steps({16, cut.plane->second[1]});
    if (cut.middle != nullptr) once += roundings_of_steps({cut.middle->first, cut.middle->second, cut.middle->third});
    if (outer_axis_of(job.filters.front()) == 2) once += 4 * roundings_of_twiddle;  // turns between, products of up to four roots
    return {.samples = 2.0 * static_cast<double>(cut.numbers()), .roundings = roundings_there_and_back(once)};
  });
}

}  // namespace halation::cuda_backend
