// patch.cu: direct filtering with small filters: each thread computes a patch of outputs from input rows held in registers.
//
//   thread → elements  V consecutive columns (16 bytes of input; interleaved channels are columns, C apart) × R rows; a block is 32
//                      threads side by side and 4 such warps stacked: 32·V columns × 4·R rows
//   registers          R + K − 1 rows of V columns and their halos, as many of them under way at once as the cap on registers allows
//                      (all at 3×3); R × V sums
//   shared memory      none: halos of neighbours come from L1 and L2
//   traffic            DRAM: each input element once, each output once; L1: (R + K − 1) / R · (V + halos) / V loads an element
//   borders            patches are those that read inside the image alone; the outputs around them, the frame, are computed four a
//                      thread by blocks of their own, early among the others, so that none is waited for at the end
//   limits             rows on 16-byte boundaries, outputs over their inputs; K = 3, 5, 7 (others are set into the next size with zeros,
//                      where 0 · input cannot be NaN); C = 1, 2, 3, 4
//   instantiations     4 input pixels × 3 sizes × 4 channel counts = 48; u8 rolls (roll.cuh)
#include "cuda/patch.h"

#include <algorithm>
#include <optional>

#include "cuda/border.h"
#include "cuda/columns.h"
#include "cuda/device.h"
#include "cuda/direct.h"
#include "cuda/divisor.h"
#include "cuda/pixels.cuh"
#include "cuda/window.cuh"

namespace halation::cuda_backend {
namespace {

/// Outputs of a thread, and blocks that a multiprocessor must hold: the more rows, the less is read twice; the fewer registers, the
/// more warps hide the wait for memory. Measured on an H200 (docs/performance.md).
template <class In, int K, int C>
struct Patch {
  static constexpr int columns = 16 / static_cast<int>(sizeof(In));
  static constexpr int rows = sizeof(In) == 4 && K == 5 ? 6 : 4;
  using Row = Window<In, columns, K / 2 * C>;
  static constexpr int blocks = Row::words > 16 ? 4 : Row::words > 12 || sizeof(In) == 2 ? 6 : 8;
};
constexpr int warps = 4;

/// What a launch gets by value. Columns are elements of a row; strides are bytes. Output (x, y) is centred on input (x, y + shift_y).
template <int K>
struct Arguments {
  const std::byte* in;
  std::byte* out;
  std::int64_t in_row, in_plane, in_batch;
  std::int64_t out_row, out_plane, out_batch;
  DeviceBorder border_y, border_x;
  int columns, rows;          // of the output
  int first_x, end_x;         // outputs of patches, in columns: first_x on a 16-byte boundary
  int first_y, end_y;
  Divisor blocks_x, blocks_y, depth;  // of patches; planes of a volume
  int frame_rows;             // above and below the patches
  int frame_across, frame_beside;  // fours of outputs in such a row, and in others beside the patches
  std::int64_t frame;         // of a plane
  int frame_blocks;           // for them
  Divisor frame_every;        // of all blocks, until they are done
  int batch;
  int shift_y;
  float offset;
  Pixel out_pixel;
  Rounding rounding;
  float weights[K * K];
};

/// All rows of a patch; the pixel is looked at once.
template <int R, int V>
__device__ __forceinline__ void store_patch(std::byte* to, std::int64_t row_bytes, const float (&values)[R][V], Pixel pixel,
                                            Rounding rounding) {
  const auto all = [&](auto element) {
    using T = decltype(element);
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int v = 0; v < V; v += 4) store_four<T>(to + r * row_bytes + v * static_cast<int>(sizeof(T)), values[r] + v, rounding);
    }
  };
  switch (pixel) {
    case Pixel::u8: all(std::uint8_t{}); break;
    case Pixel::u16: all(std::uint16_t{}); break;
    case Pixel::i16: all(std::int16_t{}); break;
    case Pixel::f16: all(f16{}); break;
    case Pixel::f32: all(float{}); break;
    case Pixel::f64: all(double{}); break;
  }
}

/// Four neighbouring outputs of a frame, as far as there are so many: number `index` of those above and below the patches, row by row,
/// then of those beside them.
template <class In, int K, int C>
__device__ __noinline__ void frame_outputs(const Arguments<K>& job, const std::byte* in, std::byte* out, std::int64_t index) {
  constexpr int reach = K / 2 * C;
  const std::int64_t above_and_below = static_cast<std::int64_t>(job.frame_rows) * job.frame_across;
  int x = 0;
  int y = 0;
  if (index < above_and_below) {
    y = static_cast<int>(index / job.frame_across);
    x = 4 * static_cast<int>(index % job.frame_across);
    if (y >= job.first_y) y += job.end_y - job.first_y;
  } else {
    index -= above_and_below;
    y = job.first_y + static_cast<int>(index / job.frame_beside);
    x = 4 * static_cast<int>(index % job.frame_beside);
    if (x >= job.first_x) x += job.end_x - job.first_x;
  }
  const int count = min(4, job.columns - x);
  int columns[4 + 2 * reach];  // of a row, −1 for the constant
#pragma unroll
  for (int i = 0; i < 4 + 2 * reach; ++i) {
    const int column = x + i;  // reach columns on, so that division rounds down
    const int pixel = column / C - K / 2;
    const int source = job.border_x.source(pixel);
    columns[i] = source < 0 ? -1 : source * C + column % C;
  }
  float sums[4] = {};
#pragma unroll
  for (int ky = 0; ky < K; ++ky) {
    const int source_y = job.border_y.source(y + job.shift_y + ky - K / 2);
    const std::byte* row = in + source_y * job.in_row;
    // Where both axes are outside, height gives the constant, as Job::constant_at has it.
    const auto outside = static_cast<float>(source_y < 0 ? job.border_y.constant : job.border_x.constant);
    float values[4 + 2 * reach];
#pragma unroll
    for (int i = 0; i < 4 + 2 * reach; ++i) {
      values[i] = outside;
      if (source_y >= 0 && columns[i] >= 0) values[i] = load_constant<In, float>(row + static_cast<std::int64_t>(columns[i]) * static_cast<int>(sizeof(In)));
    }
#pragma unroll
    for (int kx = 0; kx < K; ++kx) {
#pragma unroll
      for (int v = 0; v < 4; ++v) sums[v] += job.weights[ky * K + kx] * values[v + kx * C];
    }
  }
  std::byte* const to = out + y * job.out_row + static_cast<std::int64_t>(x) * element_bytes(job.out_pixel);
#pragma unroll
  for (int v = 0; v < 4; ++v) {
    if (v < count) store(to + v * element_bytes(job.out_pixel), sums[v] + job.offset, job.out_pixel, job.rounding);
  }
}

template <class In, int K, int C>
__global__ void __launch_bounds__(32 * warps, Patch<In, K, C>::blocks) patch(const __grid_constant__ Arguments<K> job) {
  constexpr int V = Patch<In, K, C>::columns;
  constexpr int R = Patch<In, K, C>::rows;
  constexpr int input_rows = R + K - 1;
  // Blocks of the frame are spread among the first half of all.
  const auto frames = static_cast<unsigned>(job.frame_blocks);
  const unsigned frame = job.frame_every.quotient(blockIdx.x);
  const bool between = blockIdx.x - frame * job.frame_every.by != 0;
  if (!between && frame < frames) {
    const std::int64_t index = static_cast<std::int64_t>(frame) * 32 * warps + threadIdx.y * 32 + threadIdx.x;
    const auto plane = static_cast<unsigned>(index / job.frame);
    const unsigned batch = job.depth.quotient(plane);
    const unsigned depth = plane - batch * job.depth.by;
    if (batch >= static_cast<unsigned>(job.batch)) return;
    frame_outputs<In, K, C>(job, job.in + batch * job.in_batch + depth * job.in_plane, job.out + batch * job.out_batch + depth * job.out_plane,
                            index % job.frame);
    return;
  }
  const unsigned block = blockIdx.x - min(frame + (between ? 1 : 0), frames);
  const unsigned row_of_blocks = job.blocks_x.quotient(block);
  const unsigned plane = job.blocks_y.quotient(row_of_blocks);
  const unsigned batch = job.depth.quotient(plane);
  const unsigned depth = plane - batch * job.depth.by;
  const std::byte* in = job.in + batch * job.in_batch + depth * job.in_plane;
  std::byte* out = job.out + batch * job.out_batch + depth * job.out_plane;
  const int column = job.first_x + static_cast<int>((block - row_of_blocks * job.blocks_x.by) * 32 + threadIdx.x) * V;
  const int row = job.first_y + static_cast<int>((row_of_blocks - plane * job.blocks_y.by) * warps + threadIdx.y) * R;
  if (column >= job.end_x || row >= job.end_y) return;
  // The last patches reach up over those above them rather than out of the image; both compute the same.
  const int first = min(row, max(job.end_y - R, 0));
  using Row = typename Patch<In, K, C>::Row;
  Row rows[input_rows];
  const std::byte* from = in + (first + job.shift_y - K / 2) * job.in_row + static_cast<std::int64_t>(column) * static_cast<int>(sizeof(In));
#pragma unroll
  for (int j = 0; j < input_rows; ++j) rows[j].load(from + j * job.in_row);
  float sums[R][V] = {};
#pragma unroll
  for (int j = 0; j < input_rows; ++j) {
#pragma unroll
    for (int ky = 0; ky < K; ++ky) {
      if (j - ky < 0 || j - ky >= R) continue;
#pragma unroll
      for (int kx = 0; kx < K; ++kx) {
#pragma unroll
        for (int v = 0; v < V; ++v) sums[j - ky][v] += job.weights[ky * K + kx] * rows[j][v + (kx - K / 2) * C];
      }
    }
  }
  if (job.offset != 0) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int v = 0; v < V; ++v) sums[r][v] += job.offset;
    }
  }
  store_patch<R, V>(out + first * job.out_row + static_cast<std::int64_t>(column) * element_bytes(job.out_pixel), job.out_row, sums,
                    job.out_pixel, job.rounding);
}

/// The K into whose K × K places the taps are set; 0 where there is none.
int size_for(const Taps& taps, bool only_exact) {
  const std::int64_t longest = std::max(taps.size[1], taps.size[2]);
  if (taps.size[0] != 1 || longest > 7) return 0;
  const int size = longest <= 3 ? 3 : longest <= 5 ? 5 : 7;
  return only_exact && (taps.size[1] != size || taps.size[2] != size) ? 0 : size;
}

class PatchRunner final : public Runner {
 public:
  PatchRunner(std::shared_ptr<const Job> job, Device device, int size)
      : job_(std::move(job)), device_(device), size_(size), any_(make_direct(job_, device)) {}

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "a patch of outputs a thread, input in registers, as " + std::to_string(size_) + "x" + std::to_string(size_) +
           " taps; rows that do not begin on 16-byte boundaries: " + any_->explain();
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const std::optional<Columns> columns = columns_of(in, outs[0]);
    const auto four = static_cast<std::int64_t>(4 * bytes_of(outs[0].pixel));
    if (!columns || in.strides.height < 0 || outs[0].strides.height < 0 || !is_aligned(in, 16) ||
        !is_aligned(outs[0], std::min<std::int64_t>(16, four))) {
      return any_->run(in, outs, workspace, stream);
    }
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int c = 0; c < columns->channels_apart; ++c) {
      const ConstView source = columns->channels_apart > 1 ? in.channel(c) : in;
      const View target = columns->channels_apart > 1 ? outs[0].channel(c) : outs[0];
      visit(job_->in_pixel, size_, columns->channels_in_row, [&]<class In, int K, int C>() { launch<In, K, C>(source, target, queue); });
    }
  }

 private:
  template <class Visitor>
  static void visit(Pixel pixel, int size, int channels, const Visitor& visitor) {
    const auto with_channels = [&]<class In, int K>() {
      switch (channels) {
        case 1: return visitor.template operator()<In, K, 1>();
        case 2: return visitor.template operator()<In, K, 2>();
        case 3: return visitor.template operator()<In, K, 3>();
        default: return visitor.template operator()<In, K, 4>();
      }
    };
    const auto with_size = [&]<class In>() {
      switch (size) {
        case 3: return with_channels.template operator()<In, 3>();
        case 5: return with_channels.template operator()<In, 5>();
        default: return with_channels.template operator()<In, 7>();
      }
    };
    switch (pixel) {
      case Pixel::u16: return with_size.template operator()<std::uint16_t>();
      case Pixel::i16: return with_size.template operator()<std::int16_t>();
      case Pixel::f16: return with_size.template operator()<f16>();
      default: return with_size.template operator()<float>();
    }
  }

  template <class In, int K, int C>
  void launch(const ConstView& in, const View& out, cudaStream_t stream) const {
    constexpr int V = Patch<In, K, C>::columns;
    constexpr int R = Patch<In, K, C>::rows;
    const Taps& taps = job_->filters.front();
    Arguments<K> job{};
    job.in = in.data;
    job.out = out.data;
    job.in_row = in.strides.height;
    job.in_plane = in.strides.depth;
    job.in_batch = in.strides.batch;
    job.out_row = out.strides.height;
    job.out_plane = out.strides.depth;
    job.out_batch = out.strides.batch;
    job.border_y = DeviceBorder(job_->borders[1]);
    job.border_x = DeviceBorder(job_->borders[2]);
    job.columns = static_cast<int>(out.shape.width * C);
    job.rows = static_cast<int>(out.shape.height);
    job.depth = Divisor(in.shape.depth);
    job.batch = static_cast<int>(in.shape.batch);
    job.offset = static_cast<float>(job_->offset);
    job.out_pixel = out.pixel;
    job.rounding = job_->rounding;
    const std::int64_t centre_y = centre_of(taps.lead[1], taps.size[1], K);
    job.shift_y = static_cast<int>(centre_y);
    const std::int64_t first[2] = {taps.lead[1] - centre_y + K / 2, taps.lead[2] + K / 2};
    for (std::int64_t y = 0; y < taps.size[1]; ++y) {
      for (std::int64_t x = 0; x < taps.size[2]; ++x) {
        job.weights[(first[0] + y) * K + first[1] + x] =
            static_cast<float>(job_->scale * taps.weights[static_cast<std::size_t>(y * taps.size[2] + x)]);
      }
    }
    // Patches where all that they load is there.
    constexpr int beside = (Patch<In, K, C>::Row::reach + V - 1) / V * V;
    const int in_columns = static_cast<int>(in.shape.width * C);
    const auto within = [](int value, int low, int high) { return std::min(std::max(value, low), high); };
    job.first_x = beside;
    job.end_x = beside + std::max(in_columns - Patch<In, K, C>::Row::reach - beside, 0) / V * V;
    job.first_y = within(K / 2 - job.shift_y, 0, job.rows);
    job.end_y = within(static_cast<int>(in.shape.height) - K / 2 - job.shift_y, job.first_y, job.rows);
    if (job.end_x == job.first_x || job.end_y - job.first_y < R) {
      job.first_y = job.end_y = 0;
      job.first_x = job.end_x = 0;
    }
    const auto blocks = [](std::int64_t count, std::int64_t per_block) { return (count + per_block - 1) / per_block; };
    const std::int64_t across = blocks(job.end_x - job.first_x, 32 * V);
    const std::int64_t down = blocks(job.end_y - job.first_y, warps * R);
    job.blocks_x = Divisor(std::max<std::int64_t>(across, 1));
    job.blocks_y = Divisor(std::max<std::int64_t>(down, 1));
    const int inner_rows = job.end_y - job.first_y;
    job.frame_rows = job.rows - inner_rows;
    job.frame_across = (job.columns + 3) / 4;
    job.frame_beside = job.first_x / 4 + (job.columns - job.end_x + 3) / 4;
    job.frame = static_cast<std::int64_t>(job.frame_rows) * job.frame_across + static_cast<std::int64_t>(inner_rows) * job.frame_beside;
    const std::int64_t planes = in.shape.depth * in.shape.batch;
    job.frame_blocks = static_cast<int>(blocks(job.frame * planes, 32 * warps));
    const auto grid = static_cast<unsigned>(job.frame_blocks + planes * across * down);
    job.frame_every = Divisor(job.frame_blocks == 0 ? 1 : std::max(1U, grid / (2 * static_cast<unsigned>(job.frame_blocks))));
    patch<In, K, C><<<grid, dim3(32, warps), 0, stream>>>(job);
    HALATION_CUDA_LAUNCHED("patch", stream);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  int size_;
  std::unique_ptr<const Runner> any_;  // for views of other arrangements
};

}  // namespace

bool patch_takes(const Job& job, const Taps& taps) {
  if (job.filters.size() != 1 || job.combine != Combine::none || job.sum_f64 || job.in_pixel == Pixel::u8) return false;
  // Taps that the filter does not have would spread NaN and infinities of float input.
  const int size = size_for(taps, is_float(job.in_pixel));
  if (size == 0 || centre_of(taps.lead[2], taps.size[2], size) != 0 || job.in.width != job.out.width) return false;
  // Columns, rows and blocks are counted in 32 bits.
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const Shape& n = job.in;
  const std::int64_t planes = n.depth * n.batch;
  return n.width * n.channels < most && std::max(n.height, job.out.height) < most && planes < most &&
         (n.height + n.width * n.channels) < most / planes && job.out.elements() / 1024 < most;
}

std::unique_ptr<const Runner> make_patch(std::shared_ptr<const Job> job, Device device) {
  if (job->filters.front().method != Method::direct || !patch_takes(*job, job->filters.front())) return nullptr;
  const int size = size_for(job->filters.front(), is_float(job->in_pixel));
  return std::make_unique<PatchRunner>(std::move(job), device, size);
}

}  // namespace halation::cuda_backend
