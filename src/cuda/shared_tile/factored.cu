// factored.cu: rows, then columns of one filter in a single pass: each element read and written once.
//
//   block → outputs    4 warps walk down a strip of 32 groups of 4 pixels (128 pixels of one channel, 40 of three, ...), 4 · R rows a
//                      step; a lane owns one group, a warp R rows of each step
//   a step             rows are staged as numbers (lines.cuh), filtered along x into a ring of lines, and R rows of outputs are summed
//                      along y from it; the next step's rows are on their way meanwhile
//   shared memory      4 · R staged rows, and a ring of as many more lines as the filter is high: 43 KB at 17 × 17 taps
//   registers          4 · R sums; weights are operands from the arguments
//   operations         taps of a row + taps of a column multiply-adds an output, and (taps of a column − 1) rows again a strip
//   traffic            DRAM: each element once; L2: (taps of a row − 1) of 128 columns again
//   limits             at most 512 taps along an axis, a ring that fits shared memory (else axis by axis);
//                      signals and volumes as they are, along two axes
//   instantiations     6: R = 2, 4, 8 (filters of fewer than R − 1 rows would not fill the sums) in f32 and in f64
#include "cuda/shared_tile/factored.h"

#include <algorithm>

#include "cuda/device/device.h"
#include "cuda/parts/line_arguments.h"
#include "cuda/parts/lines.cuh"
#include "cuda/parts/strips.h"

namespace halation::cuda_backend {
namespace {

constexpr int warps = 4;
constexpr int groups_a_row = 32;
constexpr int row_sums = 4 * groups_a_row;
constexpr int most_taps = 512;

/// That a multiprocessor must hold, of warps with so many rows of sums.
constexpr int blocks_of(bool sum_f64, int rows) { return !sum_f64 ? 5 : rows == 2 ? 4 : 3; }

template <class Sum>
struct Arguments {
  LineArguments lines;
  std::byte* out;
  std::int64_t lead[3];
  int rows;     // taps of a column
  int columns;  // taps of a row
  int strip_rows;
  int row_pitch;    // numbers from one staged row to the next
  int plane_pitch;  // from one channel to the next
  int ring_rows;
  int rows_before;  // lines between a step's first output and its own first line: taps of a column but one
  bool aligned16_stores;  // f32 of one channel, rows on 16-byte boundaries
  Sum row_weights[most_taps];
  Sum column_weights[most_taps];
};

template <class Sum>
__device__ __forceinline__ void load_four(Sum (&to)[4], const Sum* from) {
#pragma unroll
  for (int i = 0; i < 4; i += 16 / static_cast<int>(sizeof(Sum))) {
    const uint4 raw = *reinterpret_cast<const uint4*>(from + i);
    memcpy(to + i, &raw, sizeof raw);
  }
}

/// `Rows` staged rows, summed along x at a lane's group, to lines of the ring.
template <int Rows, class Sum>
__device__ __forceinline__ void filter_rows(const Arguments<Sum>& job, const Sum* from, Sum* to) {
  Sum sums[Rows][4] = {};
  Sum window[Rows][8];
#pragma unroll
  for (int r = 0; r < Rows; ++r) load_four(*reinterpret_cast<Sum(*)[4]>(window[r]), from + r * job.row_pitch);
  int k = 0;
#pragma unroll 2
  for (; k + 4 <= job.columns; k += 4) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) load_four(*reinterpret_cast<Sum(*)[4]>(window[r] + 4), from + r * job.row_pitch + k + 4);
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const Sum w = job.row_weights[k + t];
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
#pragma unroll
        for (int v = 0; v < 4; ++v) sums[r][v] += w * window[r][t + v];
      }
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int v = 0; v < 4; ++v) window[r][v] = window[r][v + 4];
    }
  }
  if (k < job.columns) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) load_four(*reinterpret_cast<Sum(*)[4]>(window[r] + 4), from + r * job.row_pitch + k + 4);
#pragma unroll
    for (int t = 0; t < 3; ++t) {
      if (k + t >= job.columns) break;
      const Sum w = job.row_weights[k + t];
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
#pragma unroll
        for (int v = 0; v < 4; ++v) sums[r][v] += w * window[r][t + v];
      }
    }
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
#pragma unroll
    for (int i = 0; i < 4; i += 16 / static_cast<int>(sizeof(Sum))) {
      uint4 raw;
      memcpy(&raw, sums[r] + i, sizeof raw);
      *reinterpret_cast<uint4*>(to + r * row_sums + i) = raw;
    }
  }
}

/// R rows of outputs at a lane's group, summed along y: line j of the ring, from `slot` on, meets row r with tap j − r.
template <int R, class Sum>
__device__ __forceinline__ void filter_columns(const Arguments<Sum>& job, const Sum* ring, int slot, Sum (&sums)[R][4]) {
  const Sum* line = ring + slot * row_sums;
  const Sum* const end = ring + job.ring_rows * row_sums;
  const auto next = [&](Sum (&values)[4]) {
    load_four(values, line);
    line += row_sums;
    if (line >= end) line -= job.ring_rows * row_sums;
  };
  const auto add = [&](int r, Sum w, const Sum (&values)[4]) {
#pragma unroll
    for (int v = 0; v < 4; ++v) sums[r][v] += w * values[v];
  };
#pragma unroll
  for (int j = 0; j < R - 1; ++j) {
    Sum values[4];
    next(values);
#pragma unroll
    for (int r = 0; r <= j; ++r) add(r, job.column_weights[j - r], values);
  }
#pragma unroll 4
  for (int j = R - 1; j < job.rows; ++j) {
    Sum values[4];
    next(values);
#pragma unroll
    for (int r = 0; r < R; ++r) add(r, job.column_weights[j - r], values);
  }
#pragma unroll
  for (int t = 0; t < R - 1; ++t) {
    Sum values[4];
    next(values);
#pragma unroll
    for (int r = t + 1; r < R; ++r) add(r, job.column_weights[job.rows + t - r], values);
  }
}

/// Rows that a warp puts out together.
template <int R>
constexpr int rows_out = R < 4 ? R : 4;

/// R rows of sums to those of the output rows from y on that lie in [begin, end): f32 on 16-byte boundaries as they are, others by way
/// of the warp's `sums_out`, at most four rows at a time.
template <int R, class Sum>
__device__ __forceinline__ void put_sums(const Arguments<Sum>& job, const Place& place, const Group& group, std::int64_t y,
                                         std::int64_t begin, std::int64_t end, const Sum (&sums)[R][4], Sum* sums_out) {
  const LineArguments& lines = job.lines;
  const auto scale = static_cast<Sum>(lines.scale);
  const auto offset = static_cast<Sum>(lines.offset);
  if constexpr (std::is_same_v<Sum, float>) {
    const int pixels = pixels_left(lines, place.x);
    if (job.aligned16_stores) {
      if (group.pixel >= pixels) return;
      std::byte* to = job.out + place.out + y * lines.out_strides.height + (place.x + group.pixel) * 4;
      const auto put = [&](const Sum(&four)[4]) {
        *reinterpret_cast<float4*>(to) =
            make_float4(four[0] * scale + offset, four[1] * scale + offset, four[2] * scale + offset, four[3] * scale + offset);
        to += lines.out_strides.height;
      };
      if (y >= begin && y + R <= end) {
#pragma unroll
        for (int r = 0; r < R; ++r) put(sums[r]);
        return;
      }
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (y + r >= begin && y + r < end) put(sums[r]);
        else to += lines.out_strides.height;
      }
      return;
    }
  }
#pragma unroll 1
  for (int first = 0; first < R; first += rows_out<R>) {
#pragma unroll
    for (int r = 0; r < rows_out<R>; ++r) {
      Sum four[4];
#pragma unroll
      for (int v = 0; v < 4; ++v) four[v] = (first == 0 ? sums[r][v] : sums[r + R - rows_out<R>][v]) * scale + offset;
      set_sums(lines, group, four, sums_out + r * row_sums);
    }
    __syncwarp();
    const int early = static_cast<int>(min(max(begin - (y + first), std::int64_t{0}), std::int64_t{rows_out<R>}));
    put_rows(lines, place, job.out, y + first + early, end, rows_out<R> - early, sums_out + early * row_sums, row_sums);
    __syncwarp();
  }
}

template <class Sum, int R>
__global__ void __launch_bounds__(32 * warps, blocks_of(sizeof(Sum) == 8, R))
    shared_tile_factored_kernel(const __grid_constant__ Arguments<Sum> job) {
  constexpr int step = warps * R;
  extern __shared__ __align__(16) std::byte shared_memory[];
  const LineArguments& lines = job.lines;
  Sum* const ring = reinterpret_cast<Sum*>(shared_memory);
  Sum* const rows = ring + job.ring_rows * row_sums;
  Sum* const sums_out = rows + step * job.row_pitch + threadIdx.y * rows_out<R> * row_sums;
  const Place place = place_of(lines, blockIdx.x, job.strip_rows);
  const Group group(lines, static_cast<int>(threadIdx.x));
  const int own = static_cast<int>(threadIdx.y) * R;  // the first of the warp's rows in a step
  const std::int64_t end = min(place.y + job.strip_rows, lines.out.height);
  const int columns = pixels_left(lines, place.x) + job.columns - 1;
  const int steps = (static_cast<int>(end - place.y) + job.rows - 1 + step - 1) / step;
  const auto wrapped = [&](int slot) { return slot < job.ring_rows ? slot : slot - job.ring_rows; };
  // The lines of step i complete outputs as many rows further up as a column has taps but one.
  int slot = 0;        // in the ring, of this step's first line
  int output_slot = 0; // of the first line of this step's first output
  for (int i = 0;; ++i) {
    const int first_output = (i - 1) * step - (job.rows - 1);  // of the step before, seen from place.y
    if (i < steps) {  // on their way while the lines before are summed
      stage<5>(lines, place, place.z + job.lead[0], place.y + job.lead[1] + static_cast<std::int64_t>(i) * step, place.x + job.lead[2],
               step, columns, rows, job.row_pitch, job.plane_pitch);
    }
    if (i > 0 && first_output + step > 0) {
      Sum sums[R][4] = {};
      filter_columns(job, ring + threadIdx.x * 4, wrapped(output_slot + own), sums);
      put_sums(job, place, group, place.y + first_output + own, place.y, end, sums, sums_out);
    }
    if (i == steps) break;
    staged();
    __syncthreads();
    constexpr int at_once = R < 4 ? R : 4;
#pragma unroll 1
    for (int r = 0; r < R; r += at_once) {
      filter_rows<at_once>(job, rows + (own + r) * job.row_pitch + group.channel * job.plane_pitch + group.pixel,
                           ring + wrapped(slot + own + r) * row_sums + threadIdx.x * 4);
    }
    __syncthreads();
    output_slot = wrapped(slot + job.ring_rows - job.rows_before);
    slot = wrapped(slot + step);
  }
}

/// Lines that a step's outputs read, in whole fours, which warps write together.
constexpr int ring_rows(int rows, int step) { return (step + rows - 1 + 3) / 4 * 4; }

int rows_a_warp(std::int64_t rows) { return rows >= 7 ? 8 : rows >= 3 ? 4 : 2; }

/// Bytes of shared memory for blocks of lines `width` numbers wide, all channels together.
std::size_t shared_bytes(std::int64_t rows, int row_pitch, std::size_t number, bool aligned16_stores) {
  const int step = warps * rows_a_warp(rows);
  const int sums_out = aligned16_stores ? 0 : warps * 4 * row_sums;
  return static_cast<std::size_t>(ring_rows(static_cast<int>(rows), step) * row_sums + step * row_pitch + sums_out) * number;
}

/// Numbers between the lines of channels side by side; a window may reach 4 beyond the last that is staged.
int plane_pitch(int width, std::int64_t columns) { return width + static_cast<int>((columns + 3) / 4 * 4) + 4; }

/// Rows of outputs in a strip, of which there are `columns` beside each other. Several blocks for each place on the GPU, because strips
/// at the image's sides take longer than others; but strips high enough that the rows above each, which are filtered again, are an
/// eighth of it at most.
std::int64_t strip_rows(std::int64_t height, std::int64_t columns, std::int64_t places, std::int64_t taps, int step) {
  constexpr std::int64_t blocks_a_place = 3;
  constexpr std::int64_t highest = 1 << 20;
  std::int64_t rows = divide_up(height, std::max<std::int64_t>(1, blocks_a_place * places / columns));
  // Fewer blocks than places: height is all that there is to give them work.
  rows = std::min(std::max<std::int64_t>(rows, 8 * (taps - 1)), divide_up(height, std::max<std::int64_t>(1, places / columns)));
  return std::min(divide_up(std::max<std::int64_t>(rows, 1), step) * step, highest);
}

template <class Sum>
class FactoredRunner final : public Runner {
 public:
  FactoredRunner(std::shared_ptr<const Job> job, const Gpu& gpu)
      : job_(std::move(job)), device_(gpu.device), limit_(gpu.shared_limit), multiprocessors_(gpu.multiprocessors) {
    const Taps& taps = job_->filters.front();
    const auto& [z, y, x] = *taps.factors;
    constants_.rows = static_cast<int>(y.size());
    constants_.columns = static_cast<int>(x.size());
    std::copy(taps.lead.begin(), taps.lead.end(), constants_.lead);
    const double gain = z.front();
    std::transform(x.begin(), x.end(), constants_.row_weights, [gain](double w) { return static_cast<Sum>(w * gain); });
    std::transform(y.begin(), y.end(), constants_.column_weights, [](double w) { return static_cast<Sum>(w); });
    switch (rows_a_warp(constants_.rows)) {
      case 2: kernel_ = shared_tile_factored_kernel<Sum, 2>; break;
      case 4: kernel_ = shared_tile_factored_kernel<Sum, 4>; break;
      default: kernel_ = shared_tile_factored_kernel<Sum, 8>; break;
    }
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel_), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(limit_)));
    const std::size_t bytes = shared_bytes(constants_.rows, plane_pitch(row_sums, constants_.columns), sizeof(Sum),
                                           std::is_same_v<Sum, float> && job_->out_pixel == Pixel::f32);
    blocks_together_ = gpu.together(blocks_of(job_->sum_f64, rows_a_warp(constants_.rows)), bytes);
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "rows and columns in one pass down strips of 128 pixels, filtered lines in a ring of " +
           std::to_string(ring_rows(constants_.rows, warps * rows_a_warp(constants_.rows)));
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    Arguments<Sum> job = constants_;
    const View& out = outs[0];
    const int step = warps * rows_a_warp(job.rows);
    std::size_t bytes = 0;
    for (const bool side_by_side : {true, false}) {
      job.lines = line_arguments(in, out, *job_, {.groups = groups_a_row, .rows = step, .fold = false, .side_by_side = side_by_side});
      job.plane_pitch = plane_pitch(job.lines.width, job.columns);
      job.row_pitch = job.plane_pitch * job.lines.channels;
      job.aligned16_stores = std::is_same_v<Sum, float> && stores_aligned16(job.lines, out);
      bytes = shared_bytes(job.rows, job.row_pitch, sizeof(Sum), job.aligned16_stores);
      if (bytes <= limit_) break;
    }
    job.ring_rows = ring_rows(job.rows, step);
    job.rows_before = job.rows - 1;
    job.out = out.data;
    job.strip_rows = static_cast<int>(strip_rows(out.shape.height, blocks_of(job.lines) / job.lines.blocks_y.by,
                                                 std::int64_t{multiprocessors_} * blocks_together_, job.rows, step));
    job.lines.blocks_y = Divisor((out.shape.height + job.strip_rows - 1) / job.strip_rows);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    kernel_<<<blocks_of(job.lines), dim3(32, warps), bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("shared tile, factored", queue);
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  std::size_t limit_;
  int multiprocessors_;
  void (*kernel_)(Arguments<Sum>) = nullptr;
  Arguments<Sum> constants_{};
  int blocks_together_ = 1;
};

const char* refuses(const Request& request) {
  const Job& job = request.job;
  if (!is_one_filter(job) || !is_by_factors(request.taps())) return "one filter by factors alone";
  const auto& [z, y, x] = request.taps().size;
  if (z != 1 || y > most_taps || x > most_taps) return "at most 512 taps along y and x alone";
  const std::size_t bytes = shared_bytes(y, plane_pitch(row_sums, x), job.sum_f64 ? sizeof(double) : sizeof(float), false);
  return bytes > request.gpu.shared_limit ? "no room for its lines in shared memory" : nullptr;
}

LaunchShape shape(const Request& request) {
  const Job& job = request.job;
  const Gpu& gpu = request.gpu;
  const auto& [z, y, x] = request.taps().size;
  const std::int64_t beside = channels_beside(request.rows, job.in.channels);
  const std::int64_t pixels = 4 * (groups_a_row / beside);
  const std::int64_t columns = divide_up(job.out.width, pixels) * job.out.batch * job.out.depth * (job.out.channels / beside);
  const int rows = rows_a_warp(y);
  const int step = warps * rows;
  const std::size_t number = job.sum_f64 ? sizeof(double) : sizeof(float);
  const bool is_f32 = job.out_pixel == Pixel::f32;
  const bool aligned16_stores = is_f32 && is_aligned(request.rows) && beside == 1 && job.out.width % 4 == 0;
  const auto together_with = [&](std::int64_t pitch, bool aligned16) {
    return gpu.together(blocks_of(job.sum_f64, rows),
                        shared_bytes(y, static_cast<int>(pitch), number, aligned16));
  };
  // Strips are cut for blocks of one channel.
  const std::int64_t places =
      std::int64_t{gpu.multiprocessors} * together_with(plane_pitch(row_sums, x), is_f32);
  const std::int64_t strip = strip_rows(job.out.height, columns, places, y, step);
  const int together = together_with(beside * plane_pitch(static_cast<int>(pixels), x), aligned16_stores);
  LaunchShape shape = launch_shape(request, job.sum_f64 ? "shared tile, factored, f64"
                                            : rows == 8 ? "shared tile, factored, 8 rows"
                                            : rows == 4 ? "shared tile, factored, 4 rows"
                                                        : "shared tile, factored, 2 rows");
  const std::int64_t row_elements = beside * (pixels + x - 1);
  shape.traits.set(Trait::one_by_one, row_elements > 5 * 32);
  shape.blocks = columns * divide_up(job.out.height, strip);
  shape.together = together;
  const std::int64_t steps = divide_up(std::min(strip, job.out.height) + y - 1, step);
  const std::int64_t steps_out = steps - (y - 1) / step;  // the first ones complete no output
  shape.steps = static_cast<double>(steps);
  shape.chain = 1e-3 * static_cast<double>(4 * rows * (steps * x + steps_out * y));
  shape.outputs = 1e-3 * static_cast<double>(steps_out * step * row_sums);
  shape.staged = 1e-3 * static_cast<double>(steps * step * row_elements);
  shape.mads = 1e-3 * static_cast<double>(step * row_sums * (steps * x + steps_out * y));
  return shape;
}

}  // namespace

const Family shared_tile_factored{
    .name = "shared tile, factored",
    .refuses = refuses,
    .shape = shape,
    .make = [](const Request& request,
               const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
      if (job->sum_f64) return std::make_unique<FactoredRunner<double>>(job, request.gpu);
      return std::make_unique<FactoredRunner<float>>(job, request.gpu);
    }};

}  // namespace halation::cuda_backend
