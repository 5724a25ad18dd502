// rows.cu: filters along x alone: a thread slides along its row, 16 sums and 24 inputs in registers.
//
//   block → outputs    4 rows, of up to 8 warps · 128 pixels each; of a signal, 4 pieces one after the other
//   lane → outputs     16 neighbours of row (lane mod 4). Rows begin in shared memory an odd number of words
//                      of 16 bytes apart, so that the 8 lanes that a read serves at once meet all banks
//   sums               slide.cuh: 8 taps × 16 sums are 128 multiply-adds for four 16-byte reads
//   in bulk            f32 on 16-byte boundaries: blocks stay, and one more warp brings the rows of tiles to
//                      come by bulk copies while the others sum; it alone meets borders. Sums go out by way
//                      of shared memory, 512 bytes a warp
//   staged             other pixels, strides, channels and GPUs: all warps stage the tile (lines.cuh), then
//                      sum, then put it out; several blocks beside each other overlap
//   shared memory      4 rows of pixels and taps, two to four times over: 71 KB at 1,024 pixels and 65 taps
//   operations         taps multiply-adds an output, a thirtieth of that in reads and tests, about 11 more
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
#include "cuda/slide.cuh"

namespace halation::cuda_backend {
namespace {

constexpr int rows_a_block = 4;
constexpr int warp_pixels = 8 * run;  // of each row
constexpr int most_warps = 8;         // that sum, in bulk
constexpr int staged_warps = 4;
constexpr int part_taps = 512;
constexpr int few_taps = 256;
constexpr int many_taps = 4096;
constexpr int most_stages = 4;
constexpr int segment_pitch = warp_pixels + 4;  // numbers between a warp's rows of sums on their way out

/// What a launch gets by value.
template <int Capacity>
struct RowsArguments {
  Lines lines;
  std::byte* out;
  std::int64_t lead;
  int parts;
  int part;            // taps of each part but the last, a multiple of 8
  Cut whole, last;     // of parts
  int row_pitch;       // numbers from one row to the next: 4 more than a multiple of 16
  int plane_pitch;     // from one channel to the next
  int stages;          // tiles in shared memory at a time, in bulk
  int weights_shared;  // numbers of shared memory that weights take
  int tiles;
  int shift;    // numbers between a 16-byte boundary and where shared memory has the weight of tap 0: steps
                // begin on one
  bool scales;  // otherwise sums go out as they are
  bool stores_words;  // f32 of one channel on 16-byte boundaries
  float weights[Capacity];
};

/// All weights to shared memory, by all of a block; they must meet before these are read. Gives where that of
/// tap 0 lies.
template <int Capacity>
__device__ __forceinline__ const float* share_weights(const RowsArguments<Capacity>& job, float* to) {
  const int count = (job.parts - 1) * job.part + job.last.taps;
  float* const first = to + step_taps + job.shift;
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

/// By one warp: the inputs that a part of the taps meets in a block's rows. What lies inside the image comes
/// by bulk copies, in whole words of 16 bytes; the rest, beyond the image's sides, one by one.
template <int Capacity>
__device__ __forceinline__ void bring(const RowsArguments<Capacity>& job, const Place& place, int part,
                                      float* to, Arrival& arrival) {
  const Cut& cut = part + 1 < job.parts ? job.whole : job.last;
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
    const std::byte* const from =
        place.in + place.z * lines.in_strides.depth + row.y * lines.in_strides.height;
    float* const line = to + r * job.row_pitch + step_taps - cut.head;  // where coordinate `low` goes
    const auto outside = static_cast<float>(lines.borders[2].constant);
    const auto before = static_cast<int>(max(min(begin, high) - low, std::int64_t{0}));
    const std::int64_t after = min(max(end, low), high);
#pragma unroll 1
    for (int e = lane; e < before + static_cast<int>(high - after); e += 32) {
      const std::int64_t c = e < before ? low + e : after + (e - before);
      const std::int64_t source = lines.borders[2].source(c);
      line[c - low] = source < 0 ? outside : load_constant<float, float>(from + source * 4);
    }
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
__device__ __forceinline__ void put_segments_as(const RowsArguments<Capacity>& job, const Place& place,
                                                int warp, const float* sums) {
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
    std::byte* const to = job.out + place.out + row.y * lines.out_strides.height +
                          (row.x + warp * warp_pixels + own) * lines.out_strides.width;
    if (left >= 4 && lines.out_packed &&
        reinterpret_cast<std::uintptr_t>(to) % (size < 4 ? 4 * size : 16) == 0) {
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
__device__ __forceinline__ void put_segments(const RowsArguments<Capacity>& job, const Place& place, int warp,
                                             const float* sums) {
  const auto as = [&](auto element) { put_segments_as<decltype(element)>(job, place, warp, sums); };
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

/// What the warp that brings tells the others of a tile: its first output, and whether all of its outputs
/// exist and go out in whole words.
struct Way {
  std::int64_t to;  // bytes from the output's first element
  bool in_words;
};

template <int Capacity>
__device__ __forceinline__ Way way_of(const RowsArguments<Capacity>& job, const Place& place) {
  const Lines& lines = job.lines;
  const Row first(lines, place, 0);
  const bool inside =
      lines.folded ? first.x + rows_a_block * lines.width <= lines.out.width
                   : first.x + lines.width <= lines.out.width && first.y + rows_a_block <= lines.out.height;
  return {place.out + first.y * lines.out_strides.height + first.x * lines.out_strides.width,
          job.stores_words && inside};
}

template <int Capacity>
__global__ void __launch_bounds__(32 * (most_warps + 1), 3)
    rows_in_bulk(const __grid_constant__ RowsArguments<Capacity> job) {
  extern __shared__ __align__(128) std::byte shared_memory[];
  __shared__ Arrival arrived[most_stages];
  __shared__ Arrival used[most_stages];
  __shared__ Way ways[most_stages];
  const Lines& lines = job.lines;
  const int warps = static_cast<int>(blockDim.y) - 1;
  const int warp = static_cast<int>(threadIdx.y);
  const int lane = static_cast<int>(threadIdx.x);
  const int buffer = rows_a_block * job.row_pitch;  // numbers
  float* const buffers = reinterpret_cast<float*>(shared_memory) + job.weights_shared;
  if (warp == 0 && lane == 0) {
    for (int s = 0; s < job.stages; ++s) {
      used[s].start(warps);
      arrived[s].start(1);
    }
  }
  const float* const weights = share_weights(job, reinterpret_cast<float*>(shared_memory));
  __syncthreads();

  int s = 0;     // which of the stages,
  int time = 0;  // and how often each has been used
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
      const Place place = place_of(lines, static_cast<unsigned>(tile), rows_a_block);
      const Way way = way_of(job, place);
#pragma unroll 1
      for (int part = 0; part < job.parts; ++part, next_stage()) {
        if (time > 0) used[s].wait(time - 1);
        before_bulk();
        if (lane == 0) ways[s] = way;
        bring(job, place, part, buffers + s * buffer, arrived[s]);
      }
    }
    return;
  }

  float* const sums_out = buffers + job.stages * buffer + warp * rows_a_block * segment_pitch;
  const int own_row = lane % rows_a_block;
  const int own_run = lane / rows_a_block * run;
  const float* const own_inputs =
      buffers + own_row * job.row_pitch + warp * warp_pixels + own_run + step_taps;
  const int own_out = warp * warp_pixels + 4 * lane;
  const std::int64_t row_bytes = lines.folded ? lines.width * std::int64_t{4} : lines.out_strides.height;
#pragma unroll 1
  for (int tile = first_tile; tile < job.tiles; tile += tiles_apart) {
    float sums[run] = {};
    Way way{};
#pragma unroll 1
    for (int part = 0; part < job.parts; ++part, next_stage()) {
      arrived[s].wait(time);
      way = ways[s];
      const Cut& cut = part + 1 < job.parts ? job.whole : job.last;
      add_part(cut, own_inputs + s * buffer, weights + part * job.part + cut.head, sums);
      __syncwarp();
      if (lane == 0) used[s].arrive();
    }
    scale_sums(job, sums);
    write_run(sums, sums_out + own_row * segment_pitch + own_run);
    __syncwarp();
    if (way.in_words) {
      if (own_out < lines.width) {
        std::byte* to = job.out + (way.to + own_out * 4);
        float4 fours[rows_a_block];
#pragma unroll
        for (int r = 0; r < rows_a_block; ++r)
          fours[r] = *reinterpret_cast<const float4*>(sums_out + r * segment_pitch + 4 * lane);
#pragma unroll
        for (int r = 0; r < rows_a_block; ++r, to += row_bytes) *reinterpret_cast<float4*>(to) = fours[r];
      }
    } else {
      put_segments(job, place_of(lines, static_cast<unsigned>(tile), rows_a_block), warp, sums_out);
    }
    __syncwarp();
  }
}

template <int Capacity>
__global__ void __launch_bounds__(32 * staged_warps, 4)
    rows_staged(const __grid_constant__ RowsArguments<Capacity> job) {
  extern __shared__ __align__(128) std::byte shared_memory[];
  const Lines& lines = job.lines;
  const float* const weights = share_weights(job, reinterpret_cast<float*>(shared_memory));
  float* const tile = reinterpret_cast<float*>(shared_memory) + job.weights_shared;
  Place place = place_of(lines, blockIdx.x, rows_a_block);
  const int warp = static_cast<int>(threadIdx.y);
  const int lane = static_cast<int>(threadIdx.x);
  // Two warps stage every other piece of all rows, the other two the pieces between: a warp has two rows
  // under way at a time.
  place.warp = warp % 2;
  place.warps = 2;
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
    const Cut& cut = part + 1 < job.parts ? job.whole : job.last;
    const int columns = width + cut.taps - 1;
    if (part > 0) __syncthreads();  // until all have used the part before
#pragma unroll 1
    for (int c = warp / 2 * columns_at_once; c < columns; c += staged_warps / 2 * columns_at_once) {
      stage<elements>(lines, place, place.z, y, x + job.lead + part * job.part + c, rows_a_block,
                      min(columns_at_once, columns - c), tile + step_taps - cut.head + c, job.row_pitch,
                      job.plane_pitch);
    }
    staged();
    __syncthreads();
    add_part(cut, tile + row * job.row_pitch + channel * job.plane_pitch + pixel + step_taps,
             weights + part * job.part + cut.head, sums);
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
  put_rows(lines, place, job.out, place.y + warp, lines.out.height, 1, tile + warp * job.row_pitch,
           job.row_pitch);
}

/// The next number that is 4 more than a multiple of 16.
int odd_words(int numbers) { return (numbers + 11) / 16 * 16 + 4; }

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
    constants_.shift = static_cast<int>(constants_.lead & 3);
    constants_.whole = cut_for(constants_.part, constants_.shift);
    constants_.last = cut_for(count - (constants_.parts - 1) * constants_.part, constants_.shift);
    std::transform(weights.begin(), weights.end(), constants_.weights,
                   [](double w) { return static_cast<float>(w); });
    // Two steps' weights are read ahead.
    constants_.weights_shared = (step_taps + constants_.shift + count + 2 * step_taps + 3) / 4 * 4;
    HALATION_CUDA_CHECK(
        cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device.index));
    allow(rows_staged<Capacity>);
    if (!has_bulk_) return;
    allow(rows_in_bulk<Capacity>);
    warps_ = warps_for(job_->out);
    constants_.row_pitch = odd_words(line_numbers(warps_ * warp_pixels, constants_.part));
    // As many tiles at a time as let three blocks of a Hopper's multiprocessor live beside each other.
    constexpr int numbers_a_block = 75 * 256;
    const int buffer = rows_a_block * constants_.row_pitch;
    const int sums_out = warps_ * rows_a_block * segment_pitch;
    constants_.stages =
        std::clamp((numbers_a_block - sums_out - constants_.weights_shared) / buffer, 2, most_stages);
    bulk_bytes_ =
        static_cast<std::size_t>(constants_.weights_shared + constants_.stages * buffer + sums_out) *
        sizeof(float);
    HALATION_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks_together_, rows_in_bulk<Capacity>, 32 * (warps_ + 1), bulk_bytes_));
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
    if (has_bulk_ && lies_in_words(in)) {
      job.lines = lines_of(
          in, out, *job_,
          {.groups = warps_ * warp_pixels / 4, .rows = rows_a_block, .fold = true, .side_by_side = false});
      job.tiles = static_cast<int>(blocks_of(job.lines));
      job.stores_words = lies_in_words(out);
      const int blocks = std::min(job.tiles, multiprocessors_ * blocks_together_);
      rows_in_bulk<Capacity><<<static_cast<unsigned>(blocks), dim3(32, static_cast<unsigned>(warps_ + 1)),
                               bulk_bytes_, queue>>>(job);
      HALATION_CUDA_LAUNCHED("rows_in_bulk", queue);
      return;
    }
    std::size_t bytes = 0;
    for (const bool side_by_side : {true, false}) {
      const auto cut_for = [&](int channels) {
        const int runs = staged_warps * warp_pixels / run_pixels / channels;
        return LinesCut{.groups = runs * run_pixels / 4 * channels,
                        .rows = rows_a_block,
                        .fold = true,
                        .side_by_side = side_by_side};
      };
      job.lines = lines_of(in, out, *job_, cut_for(1));
      if (job.lines.channels > 1) job.lines = lines_of(in, out, *job_, cut_for(job.lines.channels));
      job.plane_pitch = line_numbers(job.lines.width, job.part);
      job.row_pitch = odd_words(job.plane_pitch * job.lines.channels);
      bytes = static_cast<std::size_t>(job.weights_shared + rows_a_block * job.row_pitch) * sizeof(float);
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

  /// Warps a block, so that the multiprocessor with most tiles ends soonest; fewer only where that gives
  /// something.
  int warps_for(const Shape& out) const {
    const auto taps = static_cast<double>(job_->filters.front().size[2]);
    int best = 0;
    double least = 0;
    for (int warps = most_warps; warps > 0; --warps) {
      const std::int64_t pixels = warps * warp_pixels;
      const bool folded = out.height == 1 && out.depth == 1 && out.width > pixels;
      const std::int64_t across = (out.width + pixels - 1) / pixels;
      const std::int64_t rows = folded ? across : out.height;
      const std::int64_t tiles = (rows + rows_a_block - 1) / rows_a_block * (folded ? 1 : across) *
                                 out.depth * out.batch * out.channels;
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
