// march.cuh: filters of Z × Y × X known taps: a block walks along the outermost axis of a filter, its partial
// sums in registers.
//
// The axis that is walked is height for images (Z taps along y, Y = 1) and depth for volumes. At each place
// on it, the unit, a row or a plane of numbers is staged, and meets all Z outputs that it is part of at once;
// then the oldest is complete and the others move up, which costs nothing: the first multiply-add of each
// writes to its neighbour's register.
//
//   block → outputs    images: 2 or 3 warps side by side, 256 pixels of one channel each; volumes: 8 warps,
//   128 pixels × 16 rows; and one
//                      to four warps that move data: they alone meet pixels, strides and borders, and leave
//                      all registers to the sums
//   thread → outputs   G groups of 4 pixels × R rows
//   registers          Z · R · 4 G sums, and a window of X + 3 numbers a group
//   shared memory      two stretches of units, one filtered, one on its way (lines.cuh): images 8 rows each,
//   volumes one plane; and two
//                      of outputs on their way back, but where these are f32 in whole words
//   operations         dense: Z · Y · X multiply-adds an output; factored: Y · X for the plane's own sum,
//   which meets Z weights;
//                      Z − 1 units more a strip than it has outputs
//   traffic            DRAM: each element once; L2: X − 1 columns (and Y − 1 rows) around a block's
//   limits             one filter, sums in f32; any pixel, stride, border and extent
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/job.h"
#include "cuda/bulk_rows.cuh"
#include "cuda/device.h"
#include "cuda/lines.cuh"
#include "cuda/lines_of.h"
#include "cuda/march_sizes.h"

namespace halation::cuda_backend {

/// How one size is computed: with warps that move data beside those that compute, or with all warps computing while the copy engine
/// moves (Bulk). Measured on an H200 (docs/performance.md).
template <int Z, int Y, int X, bool Factored, bool Bulk>
struct March {
  static constexpr bool volume = Y > 1;
  static constexpr int warps = volume ? 8 : Bulk ? 4 : Factored || Z < 10 ? 2 : 3;  // that compute
  static constexpr int movers = Bulk ? 0 : volume ? (Z > 5 ? 2 : 4) : Factored || Z < 10 ? 2 : 1;
  static constexpr int threads = 32 * (warps + movers);
  static constexpr int rows = volume ? 2 : 1;                 // R
  static constexpr int groups = volume || Z > 17 ? 1 : 2;     // G
  static constexpr int wide = Z > 33 ? 2 : 4;                 // pixels of a group
  static constexpr int sums = wide * groups;
  static constexpr int row_sums = volume ? 128 : 32 * warps * sums;  // of a block
  static constexpr int units = volume ? 1 : Bulk ? 4 : 8;            // staged together
  static constexpr int out_rows = volume ? warps * rows : units;     // that become complete with them
  static constexpr int staged_rows = volume ? out_rows + Y - 1 : units;
  static constexpr int ahead = volume ? (Bulk ? 4 : 2) : Bulk ? 2 : 1;  // stretches of units on their way
  static constexpr int shift = Bulk ? 3 - (X / 2 + 3) % 4 : 0;  // numbers in front of a staged row's first, to a multiple of 4
  static constexpr int window = (X + wide - 1 + shift + wide - 1) / wide * wide;
  static constexpr int elements = (row_sums + X - 1 + 31) / 32;  // of a staged row, a lane
  static constexpr int weights = Factored ? Z + Y * X : Z * Y * X;
  static constexpr int registers = std::min(
      (Z * rows * sums + (Z > 17 ? 0 : groups * window) + (Factored ? rows * sums : 0) + (volume ? 24 : 32) + 7) / 8 * 8,
      248);
  static constexpr int blocks = std::max(1, 65536 / threads / registers);
};

constexpr int arrivals_bytes = 128;  // of shared memory, in front

/// What a launch gets by value. A strip is what a block walks along.
template <int Weights>
struct MarchArguments {
  Lines lines;
  std::byte* out;
  std::int64_t lead[3];
  int strip;
  int row_pitch;      // numbers from one staged row to the next
  int plane_pitch;    // from one channel to the next
  bool whole_stores;  // f32 of one channel, rows on 16-byte boundaries
  float scale;
  float offset;
  float weights[Weights];
};

template <int Wide, int Count>
__device__ __forceinline__ void load_window(float (&to)[Count], const float* from) {
#pragma unroll
  for (int i = 0; i < Count; i += Wide) {
    if constexpr (Wide == 4) {
      const float4 four = *reinterpret_cast<const float4*>(from + i);
      to[i] = four.x;
      to[i + 1] = four.y;
      to[i + 2] = four.z;
      to[i + 3] = four.w;
    } else {
      const float2 two = *reinterpret_cast<const float2*>(from + i);
      to[i] = two.x;
      to[i + 1] = two.y;
    }
  }
}

/// One unit, whose rows begin at `from` (one pointer a group): the oldest output in `sums[0]` becomes
/// complete.
template <int Z, int Y, int X, bool Factored, class M>
__device__ __forceinline__ void add_unit(const MarchArguments<M::weights>& job, const float* const (&from)[M::groups],
                                         float (&sums)[Z][M::rows][M::sums]) {
  float plane[M::rows][M::sums];
#pragma unroll
  for (int j = 0; j < M::rows + Y - 1; ++j) {
    float window[M::groups][M::window];
#pragma unroll
    for (int g = 0; g < M::groups; ++g) load_window<M::wide>(window[g], from[g] + j * job.row_pitch);
#pragma unroll
    for (int r = 0; r < M::rows; ++r) {
      const int ky = j - r;
      if (ky < 0 || ky >= Y) continue;
      if constexpr (Factored) {
#pragma unroll
        for (int kx = 0; kx < X; ++kx) {
#pragma unroll
          for (int i = 0; i < M::sums; ++i) {
            const float product_to = ky == 0 && kx == 0 ? 0.0F : plane[r][i];
            plane[r][i] = product_to + job.weights[Z + ky * X + kx] * window[i / M::wide][M::shift + kx + i % M::wide];
          }
        }
      } else {
#pragma unroll
        for (int m = 0; m < Z; ++m) {
#pragma unroll
          for (int kx = 0; kx < X; ++kx) {
            const float w = job.weights[((Z - 1 - m) * Y + ky) * X + kx];
#pragma unroll
            for (int i = 0; i < M::sums; ++i) {
              const float sum = ky > 0 || kx > 0 ? sums[m][r][i]
                                : m + 1 < Z      ? sums[m + 1 < Z ? m + 1 : m][r][i]
                                                 : 0.0F;
              sums[m][r][i] = sum + w * window[i / M::wide][M::shift + kx + i % M::wide];
            }
          }
        }
      }
    }
  }
  if constexpr (Factored) {
#pragma unroll
    for (int m = 0; m < Z; ++m) {
#pragma unroll
      for (int r = 0; r < M::rows; ++r) {
#pragma unroll
        for (int i = 0; i < M::sums; ++i) {
          sums[m][r][i] =
              (m + 1 < Z ? sums[m + 1 < Z ? m + 1 : m][r][i] : 0.0F) + job.weights[Z - 1 - m] * plane[r][i];
        }
      }
    }
  }
}

/// Until all of the block are here, wherever their code has brought them.
template <int Threads>
__device__ __forceinline__ void meet() {
#if defined(__CUDA_ARCH__)
  asm volatile("bar.sync 1, %0;" ::"n"(Threads) : "memory");
#else
  __syncthreads();
#endif
}

/// The group that is a lane's g-th.
template <class M>
__device__ __forceinline__ int group_of(int warp, int g) {
  return static_cast<int>(threadIdx.x) + 32 * (M::volume ? 0 : warp * M::groups + g);
}

template <int Z, int Y, int X, bool Factored, class M = March<Z, Y, X, Factored, false>>
__global__ void __launch_bounds__(M::threads, M::blocks)
    march(const __grid_constant__ MarchArguments<M::weights> job) {
  extern __shared__ __align__(16) std::byte shared_memory[];
  const Lines& lines = job.lines;
  const int stretch = M::staged_rows * job.row_pitch;  // numbers of the units that are staged together
  float* const rows_in = reinterpret_cast<float*>(shared_memory);
  float* const sums_out = rows_in + (M::ahead + 1) * stretch;
  Place place = place_of(lines, blockIdx.x, M::volume ? M::out_rows : job.strip);
  if constexpr (M::volume) {
    // Planes are counted in strips.
    const std::int64_t first = place.z * job.strip;
    place.out += (first - place.z) * lines.out_strides.depth;
    place.z = first;
  }
  const std::int64_t left = M::volume ? lines.out.depth - place.z : lines.out.height - place.y;
  const int count = static_cast<int>(min(left, static_cast<std::int64_t>(job.strip)));
  const int all_units = count + Z - 1;
  const int warp = static_cast<int>(threadIdx.y);

  // Step s: units of stretch s set out, those of s − ahead are filtered, what those before them have
  // completed goes out.
  const int stretches_in = (all_units + M::units - 1) / M::units;
  const int steps = stretches_in + M::ahead + (job.whole_stores ? 0 : 1);

  if (warp >= M::warps) {  // moves
    place.warp = warp - M::warps;
    place.warps = M::movers;
    const int columns = pixels_left(lines, place.x) + X - 1;
    // Rows below the image's lower side, where a block reaches over it, are left out.
    const auto below =
        static_cast<int>(min(static_cast<std::int64_t>(M::staged_rows), lines.out.height - place.y + Y - 1));
    constexpr int rows_out = M::out_rows / M::movers;
    const int first_row_out = place.warp * rows_out;
#pragma unroll 1
    for (int s = 0; s < steps; ++s) {
      const int unit = s * M::units;
      if (s < stretches_in) {
        stage<M::elements>(lines, place, place.z + job.lead[0] + (M::volume ? unit : 0),
                           place.y + job.lead[1] + (M::volume ? 0 : unit), place.x + job.lead[2],
                           M::volume ? below : min(M::units, all_units - unit), columns,
                           rows_in + s % (M::ahead + 1) * stretch, job.row_pitch, job.plane_pitch);
      }
      const int done = unit - (M::ahead + 1) * M::units - (Z - 1);
      if (!job.whole_stores && done + M::units > 0) {
        const float* from = sums_out + s % 2 * M::out_rows * M::row_sums;
        if constexpr (M::volume) {
          Place to = place;
          to.out += done * lines.out_strides.depth;
          put_rows(lines, to, job.out, place.y + first_row_out, lines.out.height, rows_out,
                   from + first_row_out * M::row_sums, M::row_sums);
        } else {
          const int early = max(first_row_out, -done);
          put_rows(lines, place, job.out, place.y + done + early, place.y + count,
                   first_row_out + rows_out - early, from + early * M::row_sums, M::row_sums);
        }
      }
      staged_but<M::ahead - 1>();
      meet<M::threads>();
    }
    return;
  }

  const int pixels = pixels_left(lines, place.x);
  const int own_row = M::volume ? warp * M::rows : 0;
  const Group groups[2] = {Group(lines, group_of<M>(warp, 0)),
                           Group(lines, group_of<M>(warp, M::groups - 1))};
  int at[M::groups];
#pragma unroll
  for (int g = 0; g < M::groups; ++g)
    at[g] = groups[g].channel * job.plane_pitch + groups[g].pixel + own_row * job.row_pitch;
  const std::int64_t unit_bytes = M::volume ? lines.out_strides.depth : lines.out_strides.height;
  std::byte* whole_to = job.out + place.out + (place.y + own_row) * lines.out_strides.height + place.x * 4;
  float sums[Z][M::rows][M::sums] = {};
#pragma unroll 1
  for (int s = 0; s < M::ahead; ++s) meet<M::threads>();
#pragma unroll 1
  for (int s = M::ahead; s < steps; ++s) {
    const int first = (s - M::ahead) * M::units;
    const float* rows = rows_in + (s - M::ahead) % (M::ahead + 1) * stretch;
#pragma unroll 1
    for (int u = 0; u < M::units && first + u < all_units; ++u, rows += job.row_pitch) {
      const float* from[M::groups];
#pragma unroll
      for (int g = 0; g < M::groups; ++g) from[g] = rows + at[g];
      add_unit<Z, Y, X, Factored, M>(job, from, sums);
      if (first + u < Z - 1) continue;
#pragma unroll
      for (int g = 0; g < M::groups; ++g) {
#pragma unroll
        for (int r = 0; r < M::rows; ++r) {
          float four[4];
#pragma unroll
          for (int v = 0; v < 4; ++v) four[v] = sums[0][r][4 * g + v] * job.scale + job.offset;
          if (!job.whole_stores) {
            set_sums(lines, groups[g], four,
                     sums_out + ((s + 1) % 2 * M::out_rows + (M::volume ? own_row + r : u)) * M::row_sums);
          } else if (groups[g].pixel < pixels && groups[g].exists &&
                     (!M::volume || place.y + own_row + r < lines.out.height)) {
            *reinterpret_cast<float4*>(whole_to + r * lines.out_strides.height + groups[g].pixel * 4) =
                make_float4(four[0], four[1], four[2], four[3]);
          }
        }
      }
      whole_to += unit_bytes;
    }
    meet<M::threads>();
  }
}

/// The same where the copy engine brings the rows and outputs are whole groups: no warp but computes, and no pixel but f32 is met. Warps
/// wait for what they need, not for each other: in turns they ask for a stretch whose place all have left.
template <int Z, int Y, int X, bool Factored, class M = March<Z, Y, X, Factored, true>>
__global__ void __launch_bounds__(M::threads, M::blocks) march_bulk(const __grid_constant__ MarchArguments<M::weights> job) {
  extern __shared__ __align__(16) std::byte shared_memory[];
  constexpr int places = M::ahead + 1;  // of stretches
  auto* const there = reinterpret_cast<Arrival*>(shared_memory);
  Arrival* const left = there + places;
  float* const rows_in = reinterpret_cast<float*>(shared_memory + arrivals_bytes);
  static_assert(2 * places * sizeof(Arrival) <= arrivals_bytes);
  const Lines& lines = job.lines;
  const int stretch = M::staged_rows * job.row_pitch;
  Place place = place_of(lines, blockIdx.x, M::volume ? M::out_rows : job.strip);
  if constexpr (M::volume) {
    const std::int64_t first = place.z * job.strip;
    place.out += (first - place.z) * lines.out_strides.depth;
    place.z = first;
  }
  const std::int64_t rest = M::volume ? lines.out.depth - place.z : lines.out.height - place.y;
  const int all_units = static_cast<int>(min(rest, static_cast<std::int64_t>(job.strip))) + Z - 1;
  const int steps = (all_units + M::units - 1) / M::units;
  const int warp = static_cast<int>(threadIdx.y);

  const auto bring = [&](int s) {
    const int unit = s * M::units;
    const int rows = M::volume ? static_cast<int>(min(static_cast<std::int64_t>(M::staged_rows), lines.out.height - place.y + Y - 1))
                               : min(M::units, all_units - unit);
    stage_bulk(lines, place, place.z + job.lead[0] + (M::volume ? unit : 0), place.y + job.lead[1] + (M::volume ? 0 : unit),
               place.x + job.lead[2] - M::shift, rows, pixels_left(lines, place.x) + X - 1 + M::shift,
               rows_in + s % places * stretch, job.row_pitch, there[s % places]);
  };
  if (warp == 0 && threadIdx.x == 0) {
    for (int i = 0; i < places; ++i) {
      there[i].start(33);
      left[i].start(M::warps);
    }
  }
  __syncthreads();
  for (int s = warp; s < min(places, steps); s += M::warps) bring(s);

  const int pixels = pixels_left(lines, place.x);
  const int own_row = M::volume ? warp * M::rows : 0;
  int pixel[M::groups];
#pragma unroll
  for (int g = 0; g < M::groups; ++g) pixel[g] = M::wide * group_of<M>(warp, g);
  const std::int64_t unit_bytes = M::volume ? lines.out_strides.depth : lines.out_strides.height;
  std::byte* to = job.out + place.out + (place.y + own_row) * lines.out_strides.height + place.x * 4;
  float sums[Z][M::rows][M::sums] = {};
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const int first = s * M::units;
    const float* rows = rows_in + s % places * stretch + own_row * job.row_pitch;
    there[s % places].wait(s / places);
#pragma unroll 1
    for (int u = 0; u < M::units && first + u < all_units; ++u, rows += job.row_pitch) {
      const float* from[M::groups];
#pragma unroll
      for (int g = 0; g < M::groups; ++g) from[g] = rows + min(pixel[g], lines.width - M::wide);
      add_unit<Z, Y, X, Factored, M>(job, from, sums);
      if (first + u < Z - 1) continue;
#pragma unroll
      for (int g = 0; g < M::groups; ++g) {
#pragma unroll
        for (int r = 0; r < M::rows; ++r) {
          if (pixel[g] >= pixels || (M::volume && place.y + own_row + r >= lines.out.height)) continue;
          float done[M::wide];
#pragma unroll
          for (int v = 0; v < M::wide; ++v) done[v] = sums[0][r][M::wide * g + v] * job.scale + job.offset;
          std::byte* const at = to + r * lines.out_strides.height + pixel[g] * 4;
          if constexpr (M::wide == 4) *reinterpret_cast<float4*>(at) = make_float4(done[0], done[1], done[2], done[3]);
          else *reinterpret_cast<float2*>(at) = make_float2(done[0], done[1]);
        }
      }
      to += unit_bytes;
    }
    __syncwarp();
    if (threadIdx.x == 0) left[s % places].arrive();
    // The stretch before this one: by now all have left it, or soon will.
    const int next = s - 1 + places;
    if (s > 0 && next < steps && warp == s % M::warps) {
      left[next % places].wait((s - 1) / places);
      bring(next);
    }
  }
}

template <int Z, int Y, int X, bool Factored>
class MarchRunner final : public Runner {
  template <bool Bulk>
  using M = March<Z, Y, X, Factored, Bulk>;

 public:
  static constexpr bool moves = Z <= 17;  // whether there is a kernel with warps that move data

  /// Whether rows may be such as the copy engine brings.
  static bool bulk_possible(const Job& job) {
    constexpr int shift = M<true>::shift;
    return (!Factored || Z > 9) && job.in_pixel == Pixel::f32 && job.out_pixel == Pixel::f32 &&
           (job.filters.front().lead[2] - shift) % 4 == 0 && copies_in_bulk(march_bulk<Z, Y, X, Factored>);
  }
  static bool possible(const Job& job) { return moves || bulk_possible(job); }

  MarchRunner(std::shared_ptr<const Job> job, Device device, std::unique_ptr<const Runner> otherwise)
      : job_(std::move(job)), device_(device), otherwise_(std::move(otherwise)), limit_(shared_memory_limit(device)) {
    const Taps& taps = job_->filters.front();
    std::copy(taps.lead.begin(), taps.lead.end(), constants_.lead);
    constants_.scale = static_cast<float>(job_->scale);
    constants_.offset = static_cast<float>(job_->offset);
    if constexpr (Factored) {
      const auto& [z, y, x] = *taps.factors;
      // Images are walked along y.
      const std::vector<double>& along = Y > 1 ? z : y;
      const std::vector<double>& across = Y > 1 ? y : z;
      std::transform(along.begin(), along.end(), constants_.weights,
                     [](double w) { return static_cast<float>(w); });
      for (std::size_t i = 0; i < static_cast<std::size_t>(Y * X); ++i)
        constants_.weights[Z + i] = static_cast<float>(across[i / X] * x[i % X]);
    } else {
      std::transform(taps.weights.begin(), taps.weights.end(), constants_.weights,
                     [](double w) { return static_cast<float>(w); });
    }
    HALATION_CUDA_CHECK(
        cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device.index));
    if constexpr (moves) prepare<false>();
    bulk_ = bulk_possible(*job_);
    if (bulk_) prepare<true>();
  }

  std::size_t workspace_bytes() const override { return otherwise_ ? otherwise_->workspace_bytes() : 0; }
  std::string explain() const override {
    return std::string(Y > 1 ? "planes" : "rows") + " met by all " + std::to_string(Z) +
           " outputs they are part of at once, sums in registers";
  }

  void run(ConstView in, std::span<const View> outs, [[maybe_unused]] std::span<std::byte> workspace, Stream stream) const override {
    const UseDevice use(device_);
    if (bulk_ && launch<true>(in, outs[0], stream)) return;
    if constexpr (moves) launch<false>(in, outs[0], stream);
    else otherwise_->run(in, outs, workspace, stream);
  }

 private:
  template <bool Bulk>
  static auto kernel_of() {
    if constexpr (Bulk) return march_bulk<Z, Y, X, Factored>;
    else return march<Z, Y, X, Factored>;
  }

  template <bool Bulk>
  void prepare() {
    const auto kernel = kernel_of<Bulk>();
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(
        reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(limit_)));
    const std::size_t bytes = shared_bytes<Bulk>(plane_pitch(M<Bulk>::row_sums), job_->out_pixel == Pixel::f32);
    HALATION_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_together_[Bulk], kernel, M<Bulk>::threads, bytes));
  }

  /// False where the copy engine cannot bring these rows, or groups are not whole.
  template <bool Bulk>
  bool launch(const ConstView& in, const View& out, Stream stream) const {
    using March = M<Bulk>;
    MarchArguments<March::weights> job = constants_;
    std::size_t bytes = 0;
    for (const bool side_by_side : {!Bulk, false}) {
      job.lines = lines_of(
          in, out, *job_,
          {.groups = March::row_sums / 4, .rows = March::out_rows, .fold = false, .side_by_side = side_by_side});
      job.plane_pitch = plane_pitch(job.lines.width);
      job.row_pitch = job.plane_pitch * job.lines.channels;
      job.whole_stores = stores_whole(job.lines, out);
      bytes = shared_bytes<Bulk>(job.row_pitch, job.whole_stores);
      if (bytes <= limit_) break;
    }
    if (Bulk && !(job.whole_stores && loads_whole(job.lines, in))) return false;
    job.out = out.data;
    cut_strips(job, March::volume, blocks_together_[Bulk]);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    kernel_of<Bulk>()<<<blocks_of(job.lines), dim3(32, March::warps + March::movers), bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("march", queue);
    return true;
  }

  static int plane_pitch(int width) { return width + (X + 3) / 4 * 4 + 4; }

  template <bool Bulk>
  static std::size_t shared_bytes(int row_pitch, bool whole_stores) {
    using March = M<Bulk>;
    const int sums_out = Bulk || whole_stores ? 0 : 2 * March::out_rows * March::row_sums;
    return arrivals_bytes + static_cast<std::size_t>((March::ahead + 1) * March::staged_rows * row_pitch + sums_out) * sizeof(float);
  }

  /// As many strips along the way as end soonest: what all blocks, as many at a time as there are places on
  /// the GPU, walk.
  void cut_strips(MarchArguments<M<false>::weights>& job, bool volume, int blocks_together) const {
    Lines& lines = job.lines;
    Divisor& along = volume ? lines.depth : lines.blocks_y;
    const std::int64_t extent = volume ? lines.out.depth : lines.out.height;
    along = Divisor(1);
    const std::int64_t others = blocks_of(lines);
    const std::int64_t places = std::int64_t{multiprocessors_} * blocks_together;
    constexpr std::int64_t longest = 1 << 20;
    std::int64_t best = 0;
    std::int64_t least = 0;
    for (std::int64_t strips = (extent + longest - 1) / longest, end = strips + 128;
         strips < end && strips <= extent; ++strips) {
      const std::int64_t walked =
          ((others * strips + places - 1) / places) * ((extent + strips - 1) / strips + Z - 1);
      if (best != 0 && walked >= least) continue;
      best = strips;
      least = walked;
    }
    job.strip = static_cast<int>((extent + best - 1) / best);
    along = Divisor((extent + job.strip - 1) / job.strip);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  std::unique_ptr<const Runner> otherwise_;  // for rows that no kernel of this size takes
  std::size_t limit_;
  MarchArguments<M<false>::weights> constants_{};
  int multiprocessors_ = 1;
  bool bulk_ = false;
  int blocks_together_[2] = {1, 1};  // without and with bulk copies
};

template <int Z, int Y, int X, bool Factored>
constexpr MarchSize march_size() {
  using This = MarchRunner<Z, Y, X, Factored>;
  return {Y > 1 ? Space{Z, Y, X} : Space{1, Z, X}, Factored,
          [](std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise) -> std::unique_ptr<const Runner> {
            if (!This::possible(*job)) return nullptr;
            return std::make_unique<This>(std::move(job), device, This::moves ? nullptr : otherwise());
          }};
}

}  // namespace halation::cuda_backend
