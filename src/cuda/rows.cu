// rows.cu: filters along x alone: a thread slides along its row, 20 sums and 28 inputs in registers.
//
//   warp → outputs     640 pixels of a row, side by side
//   lane → outputs     20 neighbours (slide.cuh)
//   sums               4 taps × 20 sums are 80 multiply-adds for two 16-byte reads
//   in bulk            f32 on 16-byte boundaries: blocks stay, and their warps are on their own: a bulk copy
//                      brings the inputs of a warp's next tile but one while it sums, another takes its sums
//                      away. Tiles at the sides of an image meet its border by elements
//   staged             other pixels, strides, channels and GPUs: all warps of a block stage its 4 rows
//                      (lines.cuh), then each sums one and puts it out; several blocks overlap
//   shared memory      in bulk, a warp: two to four tiles of 640 + taps numbers, and 640 sums
//   operations         taps multiply-adds an output, a thirtieth of that in reads and tests, about 9 more
//   traffic            DRAM: each element once; L2: (taps − 1) elements again for each tile or row of a block
//   limits             4,096 taps; beyond 256 they are summed part by part, each brought in turn
//   instantiations     4: in bulk and staged, with room for 256 and for 4,096 weights
#include "cuda/rows.h"

#include <algorithm>

#include "cuda/bulk.cuh"
#include "cuda/device.h"
#include "cuda/lines.cuh"
#include "cuda/lines_of.h"
#include "cuda/patch.h"
#include "cuda/slide.cuh"

namespace halation::cuda_backend {
namespace {

constexpr int warp_pixels = 32 * run;
constexpr int bulk_warps = 8;
constexpr int staged_warps = 4;  // and rows
constexpr int part_taps = 256;
constexpr int few_taps = 256;
constexpr int many_taps = 4096;
constexpr int most_stages = 4;
constexpr int arrivals = most_stages * 2;  // numbers of shared memory that a warp's take
template <int Capacity>
constexpr bool one_part = Capacity <= part_taps;

/// What a launch gets by value.
template <int Capacity>
struct RowsArguments {
  Lines lines;
  std::byte* out;
  std::int64_t lead;
  int parts;
  int part;            // taps of each part but the last, a multiple of 4
  Cut whole, last;     // of parts
  int row_pitch;       // numbers from one row or tile to the next
  int plane_pitch;     // from one channel to the next
  int stages;          // tiles of a warp in shared memory at a time, in bulk
  int weights_shared;  // numbers of shared memory that weights take
  int tiles;
  // Tiles of a row that have all of their 640 outputs, and their inputs inside:
  int first_inner, inner;  // where they begin, and how many there are,
  std::int64_t inner_low;  // bytes from the row's first element to what its first output reads,
  int inner_to;            // number of a tile in shared memory where that goes,
  int inner_bytes[2];      // and how many there are, of each part but the last, and of the last
  int last_pixels;         // of a row's last tile
  bool one_line;           // a signal
  bool one_plane;          // an image of one channel
  bool scales;             // otherwise sums go out as they are
  bool stores_words;       // f32 of one channel on 16-byte boundaries
  float weights[Capacity];
};

template <int Capacity>
__device__ __forceinline__ bool is_last(const RowsArguments<Capacity>& job, int part) {
  return one_part<Capacity> || part + 1 == job.parts;
}

/// All weights to shared memory, by all of a block; they must meet before these are read. Gives where that of
/// tap 0 lies: steps begin on 16-byte boundaries.
template <int Capacity>
__device__ __forceinline__ const float* share_weights(const RowsArguments<Capacity>& job, float* to) {
  const int count = (job.parts - 1) * job.part + job.last.taps;
  float* const first = to + step_taps - job.last.head;
  for (int t = static_cast<int>(threadIdx.y) * 32 + static_cast<int>(threadIdx.x); t < count;
       t += static_cast<int>(blockDim.y) * 32) {
    first[t] = job.weights[t];
  }
  return first;
}

template <int Capacity>
__device__ __forceinline__ void scale_sums(const RowsArguments<Capacity>& job, float (&sums)[run]) {
  if (!job.scales) return;
  const auto scale = static_cast<float>(job.lines.scale);
  const auto offset = static_cast<float>(job.lines.offset);
#pragma unroll
  for (int i = 0; i < run; ++i) sums[i] = sums[i] * scale + offset;
}

/// What a warp sums at a time: a stretch of one line.
struct Tile {
  int index;            // in its line
  const std::byte* in;  // the line's first element
  std::int64_t out;     // bytes from the output's first element to the line's

  template <int Capacity>
  __device__ __forceinline__ Tile(const RowsArguments<Capacity>& job, int tile) {
    const Lines& lines = job.lines;
    index = tile;
    in = lines.in;
    out = 0;
    if (job.one_line) return;
    const auto line = static_cast<int>(lines.blocks_x.quotient(static_cast<unsigned>(tile)));
    index = tile - line * static_cast<int>(lines.blocks_x.by);
    std::int64_t y = line;
    if (!job.one_plane) {
      const Place place = place_of(lines, static_cast<unsigned>(tile), 1);
      in = place.in + place.z * lines.in_strides.depth;
      out = place.out;
      y = place.y;
    }
    in += y * lines.in_strides.height;
    out += y * lines.out_strides.height;
  }
  template <int Capacity>
  __device__ __forceinline__ bool inner(const RowsArguments<Capacity>& job) const {
    return static_cast<unsigned>(index - job.first_inner) < static_cast<unsigned>(job.inner);
  }
  __device__ __forceinline__ std::int64_t first(const Lines& lines) const {
    return std::int64_t{index} * lines.width;
  }
  template <int Capacity>
  __device__ __forceinline__ int pixels(const RowsArguments<Capacity>& job) const {
    return index + 1 < static_cast<int>(job.lines.blocks_x.by) ? job.lines.width : job.last_pixels;
  }
};

/// By one lane: the inputs that a part of the taps meets in an inner tile, by one bulk copy of whole words of
/// 16 bytes.
template <int Capacity>
__device__ __forceinline__ void bring_inner(const RowsArguments<Capacity>& job, const Tile& tile, int part,
                                            float* to, Arrival& arrival) {
  const int bytes = job.inner_bytes[is_last(job, part) ? 1 : 0];
  arrival.announce(bytes);
  copy_bulk(to + job.inner_to,
            tile.in + job.inner_low + (std::int64_t{tile.index} * warp_pixels + part * job.part) * 4, bytes,
            arrival);
}

/// By one warp: the same of any tile. What lies beyond the image's sides comes one by one.
template <int Capacity>
__device__ __forceinline__ void bring(const RowsArguments<Capacity>& job, const Tile& tile, int part,
                                      float* to, Arrival& arrival) {
  const Cut& cut = is_last(job, part) ? job.last : job.whole;
  const Lines& lines = job.lines;
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t low =
      tile.first(lines) + (job.lead + part * job.part);  // the first coordinate that is read
  float* const line = to + step_taps - cut.head;         // where it goes
  // Coordinates: those read, up to `high`; of these, [begin, end) lie inside.
  const std::int64_t n = lines.borders[2].n;
  const auto floor_four = [](std::int64_t c) { return c & ~std::int64_t{3}; };
  const std::int64_t high = low + tile.pixels(job) + cut.taps - 1;
  const std::int64_t begin = max(floor_four(low), std::int64_t{0});
  const std::int64_t end = max(min(floor_four(high + 3), floor_four(n)), begin);
  const auto before = static_cast<int>(max(min(begin, high) - low, std::int64_t{0}));
  const std::int64_t after = min(max(end, low), high);
  const int outer = before + static_cast<int>(high - after);
  const auto outside = static_cast<float>(lines.borders[2].constant);
#pragma unroll 1
  for (int e = lane; e < outer; e += 32) {
    const std::int64_t c = e < before ? low + e : after + (e - before);
    const std::int64_t source = lines.borders[2].source(c);
    if (source < 0) {
      line[c - low] = outside;
    } else {
      copy_async(line + (c - low), tile.in + source * 4);
    }
  }
  arrival.await_copies();
  __syncwarp();
  if (lane != 0) return;
  const int bytes = static_cast<int>(end - begin) * 4;
  arrival.announce(bytes);
  if (bytes > 0) copy_bulk(line + (begin - low), tile.in + begin * 4, bytes, arrival);
}

/// A warp's sums, from shared memory, where they are no whole words of f32.
template <class T, int Capacity>
__device__ __forceinline__ void put_tile_as(const RowsArguments<Capacity>& job, const Tile& tile,
                                            const float* sums) {
  constexpr int size = static_cast<int>(sizeof(T));
  const Lines& lines = job.lines;
  const int pixels = tile.pixels(job);
  std::byte* const row = job.out + tile.out + tile.first(lines) * lines.out_strides.width;
#pragma unroll 1
  for (int own = 4 * static_cast<int>(threadIdx.x); own < pixels; own += 128) {
    const float4 four = *reinterpret_cast<const float4*>(sums + own);
    const float values[4] = {four.x, four.y, four.z, four.w};
    std::byte* const to = row + own * lines.out_strides.width;
    if (own + 4 <= pixels && lines.out_packed &&
        reinterpret_cast<std::uintptr_t>(to) % (size < 4 ? 4 * size : 16) == 0) {
      store_four<T>(to, values, lines.rounding);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (own + i < pixels) store_as<T>(to + i * lines.out_strides.width, values[i], lines.rounding);
      }
    }
  }
}

template <int Capacity>
__device__ __forceinline__ void put_tile(const RowsArguments<Capacity>& job, const Tile& tile,
                                         const float* sums) {
  const auto as = [&](auto element) { put_tile_as<decltype(element)>(job, tile, sums); };
  switch (job.lines.out_pixel) {
    case Pixel::u8:
      as(std::uint8_t{});
      break;
    case Pixel::u16:
      as(std::uint16_t{});
      break;
    case Pixel::i16:
      as(std::int16_t{});
      break;
    case Pixel::f16:
      as(f16{});
      break;
    case Pixel::f32:
      as(float{});
      break;
    case Pixel::f64:
      break;  // sums are in f64
  }
}

/// A warp's sums on their way out, whatever the tile.
template <int Capacity>
__device__ __forceinline__ void take_away(const RowsArguments<Capacity>& job, const Tile& tile,
                                          const float* sums) {
  const int pixels = tile.pixels(job);
  if (!job.stores_words || pixels % 4 != 0) {
    put_tile(job, tile, sums);
  } else if (threadIdx.x == 0) {
    store_bulk(job.out + tile.out + tile.first(job.lines) * 4, sums, pixels * 4);
  }
}

template <int Capacity>
__global__ void __launch_bounds__(32 * bulk_warps, 3)
    rows_in_bulk(const __grid_constant__ RowsArguments<Capacity> job) {
  extern __shared__ __align__(128) std::byte shared_memory[];
  const int warp = static_cast<int>(threadIdx.y);
  const int lane = static_cast<int>(threadIdx.x);
  // A warp's own: where its tiles arrive, its sums on their way out, and its tiles.
  float* const own = reinterpret_cast<float*>(shared_memory) + job.weights_shared +
                     warp * (arrivals + warp_pixels + job.stages * job.row_pitch);
  auto* const there = reinterpret_cast<Arrival*>(own);
  float* const sums_out = own + arrivals;
  float* const buffers = sums_out + warp_pixels;
  if (lane == 0) {
    for (int s = 0; s < job.stages; ++s) there[s].start(1);
  }
  const float* const weights = share_weights(job, reinterpret_cast<float*>(shared_memory));
  __syncthreads();

  const int apart = static_cast<int>(gridDim.x) * bulk_warps;
  int tile = static_cast<int>(blockIdx.x) * bulk_warps + warp;
  int coming = tile;  // which is to be brought,
  int coming_part = 0;
  const auto brought = [&] {
    if (!is_last(job, coming_part++)) return;
    coming_part = 0;
    coming += apart;
  };
#pragma unroll 1
  for (int s = 0; s < job.stages && coming < job.tiles; ++s, brought())
    bring(job, Tile(job, coming), coming_part, buffers + s * job.row_pitch, there[s]);

  int s = 0;     // which of the stages,
  int time = 0;  // and how often each has been used
#pragma unroll 1
  for (; tile < job.tiles; tile += apart) {
    float sums[run] = {};
    bool complete = false;
#pragma unroll 1
    for (int part = 0; !complete; ++part, brought()) {
      complete = is_last(job, part);
      const Cut& cut = complete ? job.last : job.whole;
      float* const buffer = buffers + s * job.row_pitch;
      there[s].wait(time);
      add_part(cut, buffer + lane * run + step_taps, weights + part * job.part + cut.head, sums);
      if (complete) {
        scale_sums(job, sums);
        if (lane == 0) stored_bulk();
        __syncwarp();
        write_run(sums, sums_out + lane * run);
      }
      before_bulk();
      __syncwarp();
      const bool comes = coming < job.tiles;
      const Tile done(job, tile);
      const Tile next(job, coming);
      if (complete && comes && job.stores_words && done.inner(job) && next.inner(job)) {
        if (lane == 0) {
          store_bulk(job.out + done.out + std::int64_t{done.index} * (warp_pixels * 4), sums_out,
                     warp_pixels * 4);
          bring_inner(job, next, coming_part, buffer, there[s]);
        }
      } else {
        if (complete) take_away(job, done, sums_out);
        if (comes) {
          if (!next.inner(job)) {
            bring(job, next, coming_part, buffer, there[s]);
          } else if (lane == 0) {
            bring_inner(job, next, coming_part, buffer, there[s]);
          }
        }
      }
      if (++s == job.stages) {
        s = 0;
        ++time;
      }
    }
  }
  if (lane == 0) stored_bulk();
}

template <int Capacity>
__global__ void __launch_bounds__(32 * staged_warps, 4)
    rows_staged(const __grid_constant__ RowsArguments<Capacity> job) {
  extern __shared__ __align__(128) std::byte shared_memory[];
  const Lines& lines = job.lines;
  const float* const weights = share_weights(job, reinterpret_cast<float*>(shared_memory));
  float* const tile = reinterpret_cast<float*>(shared_memory) + job.weights_shared;
  Place place = place_of(lines, blockIdx.x, staged_warps);
  const int warp = static_cast<int>(threadIdx.y);
  const int lane = static_cast<int>(threadIdx.x);
  // Two warps stage every other piece of all rows, the other two the pieces between: a warp has two rows
  // under way at a time.
  place.warp = warp % 2;
  place.warps = 2;
  const std::int64_t x = lines.folded ? place.y * lines.width : place.x;
  const std::int64_t y = lines.folded ? 0 : place.y;
  const int width = lines.folded ? lines.width : pixels_left(lines, place.x);

  // A warp has one row. Its runs are counted through all channels.
  const int runs = (lines.width + run - 1) / run;
  const bool exists = lane < runs * lines.channels;
  const int channel = exists ? lane / runs : 0;
  const int pixel = exists ? (lane - channel * runs) * run : 0;
  float* const row = tile + warp * job.row_pitch;
  constexpr int elements = 11;  // of a row that a lane stages at a time
  const int columns_at_once = 32 * elements / lines.channels;

  float sums[run] = {};
#pragma unroll 1
  for (int part = 0; part < job.parts; ++part) {
    const Cut& cut = is_last(job, part) ? job.last : job.whole;
    const int columns = width + cut.taps - 1;
    if (part > 0) __syncthreads();  // until all have used the part before
#pragma unroll 1
    for (int c = warp / 2 * columns_at_once; c < columns; c += staged_warps / 2 * columns_at_once) {
      stage<elements>(lines, place, place.z, y, x + job.lead + part * job.part + c, staged_warps,
                      min(columns_at_once, columns - c), tile + step_taps - cut.head + c, job.row_pitch,
                      job.plane_pitch);
    }
    staged();
    __syncthreads();
    add_part(cut, row + channel * job.plane_pitch + pixel + step_taps, weights + part * job.part + cut.head,
             sums);
  }
  scale_sums(job, sums);
  __syncwarp();  // until all have used the row, where sums go now
  if (exists) {
    if (lines.channels == 1) {
      write_run(sums, row + pixel);
    } else {
#pragma unroll
      for (int i = 0; i < run; ++i) row[(pixel + i) * lines.channels + channel] = sums[i];
    }
  }
  __syncwarp();
  put_rows(lines, place, job.out, place.y + warp, lines.out.height, 1, row, job.row_pitch);
}

template <int Capacity>
class RowsRunner final : public Runner {
 public:
  RowsRunner(std::shared_ptr<const Job> job, std::vector<double> weights, Device device)
      : job_(std::move(job)),
        device_(device),
        limit_(shared_memory_limit(device)),
        has_bulk_(copies_in_bulk(rows_in_bulk<Capacity>)) {
    const Taps& taps = job_->filters.front();
    constants_.lead = taps.lead[2];
    constants_.scales = job_->scale != 1 || job_->offset != 0;
    const auto count = static_cast<int>(weights.size());
    // Of parts of one length, the last is more than a few taps.
    constants_.parts = (count + part_taps - 1) / part_taps;
    constants_.part =
        ((count + constants_.parts - 1) / constants_.parts + step_taps - 1) / step_taps * step_taps;
    const auto shift = static_cast<int>(constants_.lead & 3);
    constants_.whole = cut_for(constants_.part, shift);
    constants_.last = cut_for(count - (constants_.parts - 1) * constants_.part, shift);
    std::transform(weights.begin(), weights.end(), constants_.weights,
                   [](double w) { return static_cast<float>(w); });
    // A step's weights are read ahead.
    constants_.weights_shared = (step_taps + count + 2 * step_taps + 3) / 4 * 4;
    HALATION_CUDA_CHECK(
        cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device.index));
    allow(rows_staged<Capacity>);
    if (!has_bulk_) return;
    allow(rows_in_bulk<Capacity>);
    constants_.row_pitch = line_numbers(warp_pixels, constants_.part);
    // As many tiles at a time as let three blocks of a Hopper's multiprocessor live beside each other.
    constexpr int numbers_a_block = 75 * 256;
    constexpr int others = arrivals + warp_pixels;
    const int of_stages = (numbers_a_block - constants_.weights_shared) / bulk_warps - others;
    constants_.stages = std::clamp(of_stages / constants_.row_pitch, 2, most_stages);
    bulk_bytes_ = sizeof(float) *
                  static_cast<std::size_t>(constants_.weights_shared +
                                           bulk_warps * (others + constants_.stages * constants_.row_pitch));
    HALATION_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks_together_, rows_in_bulk<Capacity>, 32 * bulk_warps, bulk_bytes_));
    has_bulk_ = blocks_together_ > 0;
  }

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override { return "along rows, 20 outputs a thread"; }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte>, Stream stream) const override {
    const UseDevice use(device_);
    RowsArguments<Capacity> job = constants_;
    const View& out = outs[0];
    job.out = out.data;
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    if (has_bulk_ && lies_in_words(in)) {
      job.lines = lines_of(in, out, *job_,
                           {.groups = warp_pixels / 4, .rows = 1, .fold = false, .side_by_side = false});
      job.tiles = static_cast<int>(blocks_of(job.lines));
      job.stores_words = lies_in_words(out);
      const unsigned of_plane = job.lines.blocks_x.by * job.lines.blocks_y.by;
      job.one_plane = static_cast<unsigned>(job.tiles) == of_plane;
      job.one_line = job.one_plane && job.lines.blocks_y.by == 1;
      set_inner(job, in.shape.width);
      const int blocks =
          std::min((job.tiles + bulk_warps - 1) / bulk_warps, multiprocessors_ * blocks_together_);
      rows_in_bulk<Capacity>
          <<<static_cast<unsigned>(blocks), dim3(32, bulk_warps), bulk_bytes_, queue>>>(job);
      HALATION_CUDA_LAUNCHED("rows_in_bulk", queue);
      return;
    }
    std::size_t bytes = 0;
    for (const bool side_by_side : {true, false}) {
      const auto cut_for = [&](int channels) {
        return LinesCut{.groups = 32 / channels * run_pixels / 4 * channels,
                        .rows = staged_warps,
                        .fold = true,
                        .side_by_side = side_by_side};
      };
      job.lines = lines_of(in, out, *job_, cut_for(1));
      if (job.lines.channels > 1) job.lines = lines_of(in, out, *job_, cut_for(job.lines.channels));
      job.plane_pitch = line_numbers(job.lines.width, job.part);
      // As if all channels' runs followed each other, for the banks' sake.
      const int runs = (job.lines.width + run_pixels - 1) / run_pixels;
      while (job.lines.channels > 1 && (job.plane_pitch - runs * run_pixels) % 32 != 0) job.plane_pitch += 4;
      job.row_pitch = job.plane_pitch * job.lines.channels;
      bytes = static_cast<std::size_t>(job.weights_shared + staged_warps * job.row_pitch) * sizeof(float);
      if (bytes <= limit_) break;
    }
    rows_staged<Capacity><<<blocks_of(job.lines), dim3(32, staged_warps), bytes, queue>>>(job);
    HALATION_CUDA_LAUNCHED("rows_staged", queue);
  }

 private:
  static constexpr int run_pixels = cuda_backend::run;

  template <class Kernel>
  void allow(Kernel kernel) const {
    cudaFuncAttributes attributes{};
    HALATION_CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)));
    HALATION_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             static_cast<int>(limit_ - attributes.sharedSizeBytes)));
  }

  /// Whether rows are f32 side by side, all of them on 16-byte boundaries.
  static bool lies_in_words(const ConstView& view) {
    const auto whole = [](std::int64_t extent, std::int64_t bytes) { return extent == 1 || bytes % 16 == 0; };
    const Shape& n = view.shape;
    return view.pixel == Pixel::f32 && view.strides.width == 4 &&
           reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0 && whole(n.height, view.strides.height) &&
           whole(n.depth, view.strides.depth) && whole(n.batch, view.strides.batch) &&
           whole(n.channels, view.strides.channels);
  }

  /// Which tiles of rows of `width` pixels are inner ones, what these read, and how many outputs the last
  /// tile has.
  static void set_inner(RowsArguments<Capacity>& job, std::int64_t width) {
    const std::int64_t tile = job.lines.width;
    const std::int64_t tiles = job.lines.blocks_x.by;
    const std::int64_t taps = std::int64_t{job.parts - 1} * job.part + job.last.taps;
    const std::int64_t n = job.lines.out.width;
    job.last_pixels = static_cast<int>(n - (tiles - 1) * tile);
    // Whole words are read: from `low` numbers behind a tile's first output to `high`.
    const std::int64_t low = job.lead & ~std::int64_t{3};
    const std::int64_t high = (job.lead + tile + taps + 2) & ~std::int64_t{3};
    const auto before = static_cast<int>(job.lead - low);
    const auto bytes = [&](const Cut& cut) { return ((before + warp_pixels + cut.taps + 2) & ~3) * 4; };
    job.inner_low = low * 4;
    job.inner_to = before > 0 ? 0 : step_taps;
    job.inner_bytes[0] = bytes(job.whole);
    job.inner_bytes[1] = bytes(job.last);
    if (tile < warp_pixels) return;
    const std::int64_t first = low < 0 ? (-low + tile - 1) / tile : 0;
    const std::int64_t end = std::min(width < high ? 0 : (width - high) / tile + 1, n / tile);
    job.first_inner = static_cast<int>(std::min(first, tiles));
    job.inner = static_cast<int>(std::max(std::min(end, tiles) - job.first_inner, std::int64_t{0}));
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  std::size_t limit_;
  bool has_bulk_;
  int multiprocessors_ = 1;
  int blocks_together_ = 0;
  std::size_t bulk_bytes_ = 0;
  RowsArguments<Capacity> constants_{};
};

}  // namespace

bool rows_take(const Job& job, const Taps& taps, Method method) {
  if (job.filters.size() != 1 || job.combine != Combine::none || job.sum_f64) return false;
  if (taps.size[0] != 1 || taps.size[1] != 1 || taps.size[2] < 2 || taps.size[2] > many_taps) return false;
  if (job.in.depth != job.out.depth || job.in.height != job.out.height || taps.lead[0] != 0 ||
      taps.lead[1] != 0)
    return false;
  if (job.out.width < 256) return false;
  // Of images, patches do the smallest filters from registers alone.
  return method != Method::direct || job.out.height == 1 || !patch_takes(job, taps);
}

std::unique_ptr<const Runner> make_rows(std::shared_ptr<const Job> job, Device device) {
  const Taps& taps = job->filters.front();
  if (!rows_take(*job, taps, taps.method)) return nullptr;
  std::vector<double> weights = taps.weights;
  if (taps.method != Method::direct) {
    const auto& [z, y, x] = *taps.factors;
    weights = x;
    for (double& weight : weights) weight *= z.front() * y.front();
  }
  if (weights.size() <= few_taps)
    return std::make_unique<RowsRunner<few_taps>>(std::move(job), std::move(weights), device);
  return std::make_unique<RowsRunner<many_taps>>(std::move(job), std::move(weights), device);
}

}  // namespace halation::cuda_backend
