// rows.cu: filters along x alone: a thread slides along its row, 16 sums and 24 inputs in registers.
//
//   block → outputs    4 rows, of up to 8 warps · 128 pixels each; of a signal, 4 pieces that follow each other
//   lane → outputs     16 neighbours of row (lane mod 4). Rows begin in shared memory an odd number of 16-byte words apart, so that the
//                      lanes that a 16-byte read serves at once meet all banks
//   a step             8 taps × 16 sums for 8 new inputs: 128 multiply-adds, two reads of shared memory; weights are uniform operands
//                      from the arguments. Reads begin on 16-byte boundaries, so up to 7 taps come before the steps and up to 3 after
//                      them; a tap that the filter does not have is never multiplied
//   in bulk            f32 on 16-byte boundaries: blocks stay, and one more warp brings the rows of tiles to come by bulk copies while
//                      the others sum; it alone meets borders. Sums go out by way of shared memory, 512 bytes a warp
//   staged             all other pixels, strides, channels and GPUs: all warps stage the tile (lines.cuh), then sum, then put it out;
//                      several blocks beside each other overlap
//   shared memory      4 rows of pixels and taps, two to four times over: 70 KB at 1,024 pixels and 65 taps
//   operations         taps multiply-adds an output, and about 6 more
//   traffic            DRAM: each element once; L2: (taps − 1) elements again for each row of a block
//   limits             4,096 taps; beyond 512 they are summed part by part, each brought in turn
//   instantiations     4: in bulk and staged, with room for 256 and for 4,096 weights
#include "cuda/rows.h"

#include <algorithm>

#include "cuda/bulk.cuh"
#include "cuda/device.h"
#include "cuda/lines.cuh"
#include "cuda/lines_of.h"
#include "cuda/patch.h"

namespace halation::cuda_backend {
namespace {

constexpr int run = 16;  // outputs of a lane
constexpr int ring = 24;  // inputs of a lane: 8 taps of 16 outputs
constexpr int step_taps = 8;
constexpr int rows_a_block = 4;
constexpr int warp_pixels = 8 * run;  // of each row
constexpr int most_warps = 8;         // that sum, in bulk
constexpr int staged_warps = 4;
constexpr int part_taps = 512;
constexpr int few_taps = 256;
constexpr int many_taps = 4096;
constexpr int most_stages = 4;
constexpr int segment_pitch = warp_pixels + 4;  // numbers between a warp's rows of sums on their way out

/// How the taps of a part are summed: `head` before the steps, `tail` after them.
struct Cut {
  int taps;
  int head;  // tap `head` meets the lane's first output on a 16-byte boundary
  int steps;
  int tail;
};

/// What a launch gets by value.
template <int Capacity>
struct RowsArguments {
  Lines lines;
  std::byte* out;
  std::int64_t lead;
  int parts;
  int part;         // taps of each part but the last, a multiple of 8
  Cut whole, last;  // of parts; computed by the host, for the compiler to see that all lanes have the same
  int row_pitch;    // numbers from one row to the next: 4 more than a multiple of 16
  int plane_pitch;  // from one channel to the next
  int stages;       // tiles in shared memory at a time, in bulk
  int tiles;
  int shift;        // weights[shift + t] is that of tap t, so that steps begin at multiples of 4
  alignas(16) float weights[Capacity + 4];
};

/// Where input `value`, counted from the one that the first tap of a round of three steps and the lane's first output meet in, is kept.
__host__ __device__ constexpr int slot(int value) { return (value + ring) % ring; }

/// Inputs `Value` to `Value` + 3.
template <int Value>
__device__ __forceinline__ void read_four(float (&window)[ring], const float* from) {
  const float4 four = *reinterpret_cast<const float4*>(from + Value);
  window[slot(Value)] = four.x;
  window[slot(Value + 1)] = four.y;
  window[slot(Value + 2)] = four.z;
  window[slot(Value + 3)] = four.w;
}

/// Four weights from a 16-byte boundary on.
__device__ __forceinline__ void read_weights(float (&to)[4], const float* from) {
  const float4 four = *reinterpret_cast<const float4*>(from);
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}

/// Adds one tap, whose first input is `value`.
__device__ __forceinline__ void add_tap(float (&sums)[run], const float (&window)[ring], int value, float weight) {
#pragma unroll
  for (int i = 0; i < run; ++i) sums[i] += weight * window[slot(value + i)];
}

/// Step `Step` of a round, and the inputs of the step after it.
template <int Step>
__device__ __forceinline__ void add_step(float (&sums)[run], float (&window)[ring], const float* from, const float* weights) {
  constexpr int first = Step * step_taps;
  float four[4];
  read_weights(four, weights + first);
#pragma unroll
  for (int t = 0; t < 4; ++t) add_tap(sums, window, first + t, four[t]);
  read_four<first + ring>(window, from);
  read_weights(four, weights + first + 4);
#pragma unroll
  for (int t = 0; t < 4; ++t) add_tap(sums, window, first + 4 + t, four[t]);
  read_four<first + ring + 4>(window, from);
}

/// The taps after the last step.
template <int Step>
__device__ __forceinline__ void add_tail(float (&sums)[run], const float (&window)[ring], const float* weights, int tail) {
  constexpr int first = Step * step_taps;
#pragma unroll
  for (int t = 0; t < 3; ++t) {
    if (t < tail) add_tap(sums, window, first + t, weights[first + t]);
  }
}

/// Adds the taps of a part, in their order; `from` is the input that tap `head` and the lane's first output meet in, and 8 more lie
/// before it.
template <int Capacity>
__device__ __forceinline__ void add_part(const RowsArguments<Capacity>& job, int part, const Cut& cut, const float* from,
                                         float (&sums)[run]) {
  float window[ring];
  const float* weights = job.weights + (job.shift + part * job.part + cut.head);
  read_four<0>(window, from);
  read_four<4>(window, from);
  read_four<8>(window, from);
  read_four<12>(window, from);
  if (cut.head > 0) {
    read_four<-8>(window, from);
    read_four<-4>(window, from);
#pragma unroll
    for (int t = 7; t > 0; --t) {
      if (t <= cut.head && cut.head - t < cut.taps) add_tap(sums, window, -t, weights[-t]);
    }
  }
  read_four<16>(window, from);
  read_four<20>(window, from);
  int steps = cut.steps;
#pragma unroll 1
  for (;; from += ring, weights += ring) {
    if (steps-- == 0) return add_tail<0>(sums, window, weights, cut.tail);
    add_step<0>(sums, window, from, weights);
    if (steps-- == 0) return add_tail<1>(sums, window, weights, cut.tail);
    add_step<1>(sums, window, from, weights);
    if (steps-- == 0) return add_tail<2>(sums, window, weights, cut.tail);
    add_step<2>(sums, window, from, weights);
  }
}

template <int Capacity>
__device__ __forceinline__ void scale_sums(const RowsArguments<Capacity>& job, float (&sums)[run]) {
  const auto scale = static_cast<float>(job.lines.scale);
  const auto offset = static_cast<float>(job.lines.offset);
#pragma unroll
  for (int i = 0; i < run; ++i) sums[i] = sums[i] * scale + offset;
}

__device__ __forceinline__ void write_run(const float (&sums)[run], float* to) {
#pragma unroll
  for (int i = 0; i < run; i += 4) *reinterpret_cast<float4*>(to + i) = make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]);
}

/// In shared memory: where it is waited for that all warps have used a tile, time after time.
struct Departure : Arrival {
  /// By one thread, before all others of the block pass a barrier.
  __device__ __forceinline__ void start([[maybe_unused]] int warps) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(warps) : "memory");
#endif
  }

  /// By one thread of each warp, once a time.
  __device__ __forceinline__ void leave() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
#endif
  }
};

/// One row of a block: its first output.
struct Row {
  std::int64_t x, y;
  int pixels;  // 0 where there is none

  __device__ __forceinline__ Row(const Lines& lines, const Place& place, int row) {
    x = lines.folded ? (place.y + row) * lines.width : place.x;
    y = lines.folded ? 0 : place.y + row;
    pixels = y < lines.out.height && x < lines.out.width ? pixels_left(lines, x) : 0;
  }
};

/// By one warp: the inputs that a part of the taps meets in a block's rows. What lies inside the image comes by bulk copies, in whole
/// words of 16 bytes; the rest, beyond the image's sides, one by one.
template <int Capacity>
__device__ __forceinline__ void bring(const RowsArguments<Capacity>& job, const Place& place, int part, float* to, Arrival& arrival) {
  const Cut cut = part + 1 < job.parts ? job.whole : job.last;
  const Lines& lines = job.lines;
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t n = lines.borders[2].n;
  const auto floor_four = [](std::int64_t c) { return c & ~std::int64_t{3}; };
  const std::byte* copy_from = nullptr;  // a lane's own row
  float* copy_to = nullptr;
  int bytes = 0;
#pragma unroll 1
  for (int r = 0; r < rows_a_block; ++r) {
    const Row row(lines, place, r);
    if (row.pixels == 0) break;
    // Coordinates: those read, from `low` up to `high`; of these, [begin, end) lie inside.
    const std::int64_t low = row.x + job.lead + part * job.part;
    const std::int64_t high = low + row.pixels + cut.taps - 1;
    const std::int64_t begin = max(floor_four(low), std::int64_t{0});
    const std::int64_t end = max(min(floor_four(high + 3), floor_four(n)), begin);
    const std::byte* const from = place.in + place.z * lines.in_strides.depth + row.y * lines.in_strides.height;
    float* const line = to + r * job.row_pitch + step_taps - cut.head;  // where coordinate `low` goes
    const auto outside = static_cast<float>(lines.borders[2].constant);
    const auto fill = [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t c = first + lane; c < last; c += 32) {
        const std::int64_t source = lines.borders[2].source(c);
        line[c - low] = source < 0 ? outside : load_constant<float, float>(from + source * 4);
      }
    };
    fill(low, min(begin, high));
    fill(max(end, low), high);
    if (lane == r) {
      copy_from = from + begin * 4;
      copy_to = line + (begin - low);
      bytes = static_cast<int>(end - begin) * 4;
    }
  }
  int all_bytes = bytes;
  all_bytes += __shfl_xor_sync(0xffffffffU, all_bytes, 1);
  all_bytes += __shfl_xor_sync(0xffffffffU, all_bytes, 2);
  __syncwarp();
  if (lane == 0) arrival.announce(all_bytes);
  __syncwarp();
  if (bytes > 0) copy_bulk(copy_to, copy_from, bytes, arrival);
}

/// A warp's 128 pixels of each row, from the sums of its lanes.
template <class T, int Capacity>
__device__ __forceinline__ void put_segments_as(const RowsArguments<Capacity>& job, const Place& place, int warp, const float* sums) {
  constexpr int size = static_cast<int>(sizeof(T));
  const Lines& lines = job.lines;
  const int own = 4 * static_cast<int>(threadIdx.x);
#pragma unroll
  for (int r = 0; r < rows_a_block; ++r) {
    const Row row(lines, place, r);
    const int left = row.pixels - warp * warp_pixels - own;
    if (left <= 0) continue;
    const float4 four = *reinterpret_cast<const float4*>(sums + r * segment_pitch + own);
    const float values[4] = {four.x, four.y, four.z, four.w};
    std::byte* const to = job.out + place.out + row.y * lines.out_strides.height + (row.x + warp * warp_pixels + own) * lines.out_strides.width;
    if (left >= 4 && lines.out_packed && reinterpret_cast<std::uintptr_t>(to) % (size < 4 ? 4 * size : 16) == 0) {
      store_four<T>(to, values, lines.rounding);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (i < left) store_as<T>(to + i * lines.out_strides.width, values[i], lines.rounding);
      }
    }
  }
}

template <int Capacity>
__device__ __forceinline__ void put_segments(const RowsArguments<Capacity>& job, const Place& place, int warp, const float* sums) {
  const auto as = [&](auto element) { put_segments_as<decltype(element)>(job, place, warp, sums); };
  switch (job.lines.out_pixel) {
    case Pixel::u8: as(std::uint8_t{}); break;
    case Pixel::u16: as(std::uint16_t{}); break;
    case Pixel::i16: as(std::int16_t{}); break;
    case Pixel::f16: as(f16{}); break;
    case Pixel::f32: as(float{}); break;
    case Pixel::f64: break;  // sums are in f64
  }
}

template <int Capacity>
__global__ void __launch_bounds__(32 * (most_warps + 1), 3) rows_in_bulk(const __grid_constant__ RowsArguments<Capacity> job) {
  extern __shared__ __align__(128) std::byte shared_memory[];
  __shared__ Arrival arrived[most_stages];
  __shared__ Departure used[most_stages];
  const int warps = static_cast<int>(blockDim.y) - 1;
  const int buffer = rows_a_block * job.row_pitch;  // numbers
  float* const buffers = reinterpret_cast<float*>(shared_memory);
  const int warp = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.y), 0);  // which the compiler so knows to be one for all lanes
  const int lane = static_cast<int>(threadIdx.x);
  if (warp == 0 && lane == 0) {
    for (int s = 0; s < job.stages; ++s) {
      used[s].start(warps);
      arrived[s].start();
    }
  }
  __syncthreads();

  int s = 0;  // which of the stages,
  int time = 0;   // and how often each has been used
  const auto next_stage = [&] {
    if (++s < job.stages) return;
    s = 0;
    ++time;
  };
  const auto first_tile = static_cast<int>(blockIdx.x);
  const auto tiles_apart = static_cast<int>(gridDim.x);
  if (warp == warps) {
#pragma unroll 1
    for (int tile = first_tile; tile < job.tiles; tile += tiles_apart) {
      const Place place = place_of(job.lines, static_cast<unsigned>(tile), rows_a_block);
#pragma unroll 1
      for (int part = 0; part < job.parts; ++part, next_stage()) {
        if (time > 0) used[s].wait(time - 1);
        before_bulk();
        bring(job, place, part, buffers + s * buffer, arrived[s]);
      }
    }
    return;
  }

  float* const sums_out = buffers + job.stages * buffer + warp * rows_a_block * segment_pitch;
  const int own_row = lane % rows_a_block;
  const int own_run = lane / rows_a_block * run;
  const float* const own_inputs = buffers + own_row * job.row_pitch + warp * warp_pixels + own_run + step_taps;
#pragma unroll 1
  for (int tile = first_tile; tile < job.tiles; tile += tiles_apart) {
    float sums[run] = {};
#pragma unroll 1
    for (int part = 0; part < job.parts; ++part, next_stage()) {
      arrived[s].wait(time);
      add_part(job, part, part + 1 < job.parts ? job.whole : job.last, own_inputs + s * buffer, sums);
      __syncwarp();
      if (lane == 0) used[s].leave();
    }
    scale_sums(job, sums);
    write_run(sums, sums_out + own_row * segment_pitch + own_run);
    __syncwarp();
    put_segments(job, place_of(job.lines, static_cast<unsigned>(tile), rows_a_block), warp, sums_out);
    __syncwarp();
  }
}

template <int Capacity>
__global__ void __launch_bounds__(32 * staged_warps, 5) rows_staged(const __grid_constant__ RowsArguments<Capacity> job) {
  extern __shared__ __align__(128) std::byte shared_memory[];
  const Lines& lines = job.lines;
  float* const tile = reinterpret_cast<float*>(shared_memory);
  const Place place = place_of(lines, blockIdx.x, rows_a_block);
  const int warp = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.y), 0);
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t x = lines.folded ? place.y * lines.width : place.x;
  const std::int64_t y = lines.folded ? 0 : place.y;
  const int width = lines.folded ? lines.width : pixels_left(lines, place.x);

  // Runs of a row are counted through all channels.
  const int runs = (lines.width + run - 1) / run;
  const int index = warp * (32 / rows_a_block) + lane / rows_a_block;
  const bool exists = index < runs * lines.channels;
  const int channel = exists ? index / runs : 0;
  const int pixel = exists ? (index - channel * runs) * run : 0;
  const int row = lane % rows_a_block;
  constexpr int elements = 9;  // of a row that a lane stages at a time
  const int columns_at_once = 32 * elements / lines.channels;

  float sums[run] = {};
#pragma unroll 1
  for (int part = 0; part < job.parts; ++part) {
    const Cut cut = part + 1 < job.parts ? job.whole : job.last;
    const int columns = width + cut.taps - 1;
    if (part > 0) __syncthreads();  // until all have used the part before
#pragma unroll 1
    for (int c = 0; c < columns; c += columns_at_once) {
      stage<elements>(lines, place, place.z, y, x + job.lead + part * job.part + c, rows_a_block, min(columns_at_once, columns - c),
                      tile + step_taps - cut.head + c, job.row_pitch, job.plane_pitch);
    }
    staged();
    __syncthreads();
    add_part(job, part, cut, tile + row * job.row_pitch + channel * job.plane_pitch + pixel + step_taps, sums);
  }
  scale_sums(job, sums);
  __syncthreads();  // until all have used the tile, where sums go now
  if (exists) {
    float* const to = tile + row * job.row_pitch;
    if (lines.channels == 1) {
      write_run(sums, to + pixel);
    } else {
#pragma unroll
      for (int i = 0; i < run; ++i) to[(pixel + i) * lines.channels + channel] = sums[i];
    }
  }
  __syncthreads();
  put_rows(lines, place, job.out, place.y + warp, lines.out.height, 1, tile + warp * job.row_pitch, job.row_pitch);
}

/// Numbers of a row or, of several channels, of a plane's row, that lanes may read: 8 before the taps of a part meet 16-byte boundaries,
/// and what the last run reads ahead.
int line_numbers(int pixels, int taps) { return (pixels + run - 1) / run * run + taps / step_taps * step_taps + ring; }

/// The next number that is 4 more than a multiple of 16.
int odd_words(int numbers) { return (numbers + 11) / 16 * 16 + 4; }

template <int Capacity>
class RowsRunner final : public Runner {
 public:
  RowsRunner(std::shared_ptr<const Job> job, std::vector<double> weights, Device device)
      : job_(std::move(job)), device_(device), limit_(shared_memory_limit(device)), has_bulk_(copies_in_bulk(rows_in_bulk<Capacity>)) {
    const Taps& taps = job_->filters.front();
    constants_.lead = taps.lead[2];
    const auto count = static_cast<int>(weights.size());
    // Of parts of one length, the last is more than a few taps.
    constants_.parts = (count + part_taps - 1) / part_taps;
    constants_.part = ((count + constants_.parts - 1) / constants_.parts + step_taps - 1) / step_taps * step_taps;
    constants_.whole = cut_of(constants_.part);
    constants_.last = cut_of(count - (constants_.parts - 1) * constants_.part);
    constants_.shift = static_cast<int>(constants_.lead & 3);
    std::transform(weights.begin(), weights.end(), constants_.weights + constants_.shift, [](double w) { return static_cast<float>(w); });
    HALATION_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device.index));
    allow(rows_staged<Capacity>);
    if (!has_bulk_) return;
    allow(rows_in_bulk<Capacity>);
    warps_ = warps_for(job_->out);
    constants_.row_pitch = odd_words(line_numbers(warps_ * warp_pixels, constants_.part));
    // As many tiles at a time as let three blocks of a Hopper's multiprocessor live beside each other.
    constexpr int numbers_a_block = 75 * 256;
    const int buffer = rows_a_block * constants_.row_pitch;
    const int sums_out = warps_ * rows_a_block * segment_pitch;
    constants_.stages = std::clamp((numbers_a_block - sums_out) / buffer, 2, most_stages);
    bulk_bytes_ = static_cast<std::size_t>(constants_.stages * buffer + sums_out) * sizeof(float);
    HALATION_CUDA_CHECK(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_together_, rows_in_bulk<Capacity>, 32 * (warps_ + 1), bulk_bytes_));
    has_bulk_ = blocks_together_ > 0;
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override { return "along rows, 16 outputs a thread"; }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    RowsArguments<Capacity> job = constants_;
    const View& out = outs[0];
    job.out = out.data;
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    if (has_bulk_ && comes_in_words(in)) {
      job.lines = lines_of(in, out, *job_, {.groups = warps_ * warp_pixels / 4, .rows = rows_a_block, .fold = true, .side_by_side = false});
      job.tiles = static_cast<int>(blocks_of(job.lines));
      const int blocks = std::min(job.tiles, multiprocessors_ * blocks_together_);
      rows_in_bulk<Capacity><<<static_cast<unsigned>(blocks), dim3(32, static_cast<unsigned>(warps_ + 1)), bulk_bytes_, queue>>>(job);
      HALATION_CUDA_LAUNCHED("rows_in_bulk", queue);
      return;
    }
    std::size_t bytes = 0;
    for (const bool side_by_side : {true, false}) {
      const auto cut_for = [&](int channels) {
        const int runs = staged_warps * warp_pixels / run_pixels / channels;
        return LinesCut{.groups = runs * run_pixels / 4 * channels, .rows = rows_a_block, .fold = true, .side_by_side = side_by_side};
      };
      job.lines = lines_of(in, out, *job_, cut_for(1));
      if (job.lines.channels > 1) job.lines = lines_of(in, out, *job_, cut_for(job.lines.channels));
      job.plane_pitch = line_numbers(job.lines.width, job.part);
      job.row_pitch = odd_words(job.plane_pitch * job.lines.channels);
      bytes = static_cast<std::size_t>(rows_a_block * job.row_pitch) * sizeof(float);
      if (bytes <= limit_) break;
    }
    rows_staged<Capacity><<<blocks_of(job.lines), dim3(32, staged_warps), bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("rows_staged", queue);
  }

 private:
  static constexpr int run_pixels = cuda_backend::run;

  template <class Kernel>
  void allow(Kernel kernel) const {
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(limit_)));
  }

  Cut cut_of(int taps) const {
    const int unaligned = static_cast<int>(-constants_.lead & 3);
    const int others = std::max(taps - unaligned, 0);
    return {.taps = taps, .head = unaligned + (others & 4), .steps = others / step_taps, .tail = others & 3};
  }

  /// Whether rows are f32 side by side, all of them on 16-byte boundaries.
  static bool comes_in_words(const ConstView& in) {
    const auto whole = [](std::int64_t extent, std::int64_t bytes) { return extent == 1 || bytes % 16 == 0; };
    const Shape& n = in.shape;
    return in.pixel == Pixel::f32 && in.strides.width == 4 && reinterpret_cast<std::uintptr_t>(in.data) % 16 == 0 &&
           whole(n.height, in.strides.height) && whole(n.depth, in.strides.depth) && whole(n.batch, in.strides.batch) &&
           whole(n.channels, in.strides.channels);
  }

  /// Warps a block, so that the multiprocessor with most tiles ends soonest; fewer only where that gives something.
  int warps_for(const Shape& out) const {
    const auto taps = static_cast<double>(job_->filters.front().size[2]);
    int best = 0;
    double least = 0;
    for (int warps = most_warps; warps > 0; --warps) {
      const std::int64_t pixels = warps * warp_pixels;
      const bool folded = out.height == 1 && out.depth == 1 && out.width > pixels;
      const std::int64_t across = (out.width + pixels - 1) / pixels;
      const std::int64_t rows = folded ? across : out.height;
      const std::int64_t tiles = (rows + rows_a_block - 1) / rows_a_block * (folded ? 1 : across) * out.depth * out.batch * out.channels;
      constexpr double alike = 32;  // multiply-adds that an output costs beside those of its taps
      const double of_a_tile = static_cast<double>(pixels) * (taps + alike) + alike * taps;
      const double time = static_cast<double>((tiles + multiprocessors_ - 1) / multiprocessors_) * of_a_tile;
      if (best != 0 && time > 0.95 * least) continue;
      best = warps;
      least = time;
    }
    return best;
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  std::size_t limit_;
  bool has_bulk_;
  int multiprocessors_ = 1;
  int warps_ = most_warps;
  int blocks_together_ = 0;
  std::size_t bulk_bytes_ = 0;
  RowsArguments<Capacity> constants_{};
};

}  // namespace

bool rows_take(const Job& job, const Taps& taps, Method method) {
  if (job.filters.size() != 1 || job.combine != Combine::none || job.sum_f64) return false;
  if (taps.size[0] != 1 || taps.size[1] != 1 || taps.size[2] < 2 || taps.size[2] > many_taps) return false;
  if (job.in.depth != job.out.depth || job.in.height != job.out.height || taps.lead[0] != 0 || taps.lead[1] != 0) return false;
  if (job.out.width < 256) return false;
  // Of images, patches do the smallest filters from registers alone.
  return method != Method::direct || job.out.height == 1 || !patch_takes(job, taps);
}

std::unique_ptr<const Runner> make_rows(std::shared_ptr<const Job> job, Device device) {
  const Taps& taps = job->filters.front();
  if (!rows_take(*job, taps, taps.method)) return nullptr;
  std::vector<double> weights = taps.weights;
  if (taps.method == Method::separable) {
    const auto& [z, y, x] = *taps.factors;
    weights = x;
    for (double& weight : weights) weight *= z.front() * y.front();
  }
  if (weights.size() <= few_taps) return std::make_unique<RowsRunner<few_taps>>(std::move(job), std::move(weights), device);
  return std::make_unique<RowsRunner<many_taps>>(std::move(job), std::move(weights), device);
}

}  // namespace halation::cuda_backend
