// patch.cu: direct filtering with small filters: each thread computes a patch of outputs from input rows held in registers.
//
//   thread → elements  V consecutive columns (16 bytes of input; interleaved channels are columns, C apart) × R rows; a block is 32
//                      threads side by side and 4 such warps stacked: 32·V columns × 4·R rows
//   registers          R + K − 1 rows of V columns and their halos, as many of them under way at once as the cap on registers allows
//                      (all at 3×3); R × V sums
//   shared memory      none: halos of neighbours come from L1 and L2
//   traffic            DRAM: each input element once, each output once; L1: (R + K − 1) / R · (V + halos) / V loads an element
//   borders            patches are those that read inside the image alone (of f32 3×3, inside its rows' heights; beside their ends lies
//                      what the border puts there); the outputs around them, the frame, are computed one a thread
//                      by blocks of their own, early among the others, so that none is waited for at the end
//   limits             rows on 16-byte boundaries, outputs over their inputs; K = 3, 5, 7 (others are set into the next size with zeros,
//                      where 0 · input cannot be NaN); C = 1, 2, 3, 4
//   instantiations     4 input pixels × 3 sizes × 4 channel counts = 48; u8 rolls (roll.cuh)
#include "cuda/patch.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <type_traits>

#include "core/convert.h"
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
  static constexpr bool whole_rows = C == 1 && K == 3;  // patches from side to side
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
  Divisor frame_across;       // outputs of a row above or below the patches
  Divisor frame_beside;       // of others
  Divisor frame;              // of a plane, around the patches
  int frame_blocks;           // for them
  Divisor frame_every;        // of all blocks, until they are done
  int batch;
  int shift_y;
  int beyond[K - 1];          // columns in place of those before the first and after the last; −1 for the constant,
  std::uint32_t beyond_constant;  // an element's bits
  float offset;
  Pixel out_pixel;
  Rounding rounding;
  float weights[K * K];
};

/// All rows of a patch; pixel and rounding are looked at once.
template <int R, int V>
__device__ __forceinline__ void store_patch(std::byte* to, std::int64_t row_bytes, const float (&values)[R][V], Pixel pixel,
                                            Rounding rounding) {
  const auto all = [&]<class T, bool HalfEven>() {
#pragma unroll
    for (int r = 0; r < R; ++r) store_rounded<T, V, HalfEven>(to + r * row_bytes, values[r]);
  };
  const auto integers = [&]<class T>() {
    if (rounding == Rounding::half_even) all.template operator()<T, true>();
    else all.template operator()<T, false>();
  };
  switch (pixel) {
    case Pixel::u8: integers.template operator()<std::uint8_t>(); break;
    case Pixel::u16: integers.template operator()<std::uint16_t>(); break;
    case Pixel::i16: integers.template operator()<std::int16_t>(); break;
    case Pixel::f16: all.template operator()<f16, true>(); break;
    case Pixel::f32: all.template operator()<float, true>(); break;
    case Pixel::f64: all.template operator()<double, true>(); break;
  }
}

/// Output `index` of a frame: the rows above and below the patches, then what lies beside them.
template <class In, int K, int C>
__device__ __noinline__ void frame_output(const Arguments<K>& job, const std::byte* in, std::byte* out, unsigned index) {
  const unsigned above_and_below = static_cast<unsigned>(job.first_y + job.rows - job.end_y) * job.frame_across.by;
  int x = 0;
  int y = 0;
  if (index < above_and_below) {
    y = static_cast<int>(job.frame_across.quotient(index));
    x = static_cast<int>(index) - y * static_cast<int>(job.frame_across.by);
    if (y >= job.first_y) y += job.end_y - job.first_y;
  } else {
    index -= above_and_below;
    y = static_cast<int>(job.frame_beside.quotient(index));
    x = static_cast<int>(index) - y * static_cast<int>(job.frame_beside.by);
    y += job.first_y;
    if (x >= job.first_x) x += job.end_x - job.first_x;
  }
  const int pixel = x / C;
  const int channel = x - pixel * C;
  int columns[K];  // of the row, −1 for the constant
#pragma unroll
  for (int kx = 0; kx < K; ++kx) {
    const int source = job.border_x.source(pixel + kx - K / 2);
    columns[kx] = source < 0 ? -1 : source * C + channel;
  }
  float sum = 0;
#pragma unroll
  for (int ky = 0; ky < K; ++ky) {
    const int source_y = job.border_y.source(y + job.shift_y + ky - K / 2);
    const std::byte* row = in + source_y * job.in_row;
    // Where both axes are outside, height gives the constant, as Job::constant_at has it.
    const auto outside = static_cast<float>(source_y < 0 ? job.border_y.constant : job.border_x.constant);
#pragma unroll
    for (int kx = 0; kx < K; ++kx) {
      float value = outside;
      if (source_y >= 0 && columns[kx] >= 0)
        value = load_constant<In, float>(row + static_cast<std::int64_t>(columns[kx]) * static_cast<int>(sizeof(In)));
      sum += job.weights[ky * K + kx] * value;
    }
  }
  store(out + y * job.out_row + static_cast<std::int64_t>(x) * element_bytes(job.out_pixel), sum + job.offset, job.out_pixel,
        job.rounding);
}

/// What lies beside a thread's columns, one by one: its neighbours, or what the border puts in their place.
template <class In, int K, int V>
class Sides {
  static constexpr int size = static_cast<int>(sizeof(In));
  using Bits = std::conditional_t<sizeof(In) == 4, std::uint32_t, std::uint16_t>;

 public:
  __device__ __forceinline__ Sides(const Arguments<K>& job, int column) : constant_(job.beyond_constant) {
#pragma unroll
    for (int i = 0; i < K - 1; ++i) {
      const int at = i < K / 2 ? i - K / 2 : V + i - K / 2;
      const int source = column + at >= 0 && column + at < job.columns ? column + at : job.beyond[i];
      from_[i] = source < 0 ? nowhere : (source - column) * size;
    }
  }
  /// A row, from the address of the thread's first column on.
  template <class Row>
  __device__ __forceinline__ void load(Row& row, const std::byte* at) const {
    constexpr int halo = Row::halo_words;
    static_assert(Row::middle_words == 4);
    const uint4 four = __ldg(reinterpret_cast<const uint4*>(at));
    row.word[halo] = four.x;
    row.word[halo + 1] = four.y;
    row.word[halo + 2] = four.z;
    row.word[halo + 3] = four.w;
    std::uint32_t beside[K - 1];
#pragma unroll
    for (int i = 0; i < K - 1; ++i) {
      beside[i] = constant_;
      if (from_[i] != nowhere) beside[i] = __ldg(reinterpret_cast<const Bits*>(at + from_[i]));
    }
    if constexpr (size == 4) {
#pragma unroll
      for (int i = 0; i < K - 1; ++i) row.word[i < K / 2 ? i : 4 + i] = beside[i];
    } else {
      static_assert(K <= 5 && halo == 1);
      row.word[0] = K == 3 ? beside[0] << 16 : beside[0] | beside[1] << 16;
      row.word[5] = K == 3 ? beside[1] : beside[2] | beside[3] << 16;
    }
  }

 private:
  static constexpr int nowhere = -0x7fffffff - 1;

  std::uint32_t constant_;
  int from_[K - 1];  // bytes from the first column
};

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
    const unsigned index = frame * 32 * warps + threadIdx.y * 32 + threadIdx.x;
    const unsigned plane = job.frame.quotient(index);
    const unsigned batch = job.depth.quotient(plane);
    const unsigned depth = plane - batch * job.depth.by;
    if (batch >= static_cast<unsigned>(job.batch)) return;
    frame_output<In, K, C>(job, job.in + batch * job.in_batch + depth * job.in_plane,
                           job.out + batch * job.out_batch + depth * job.out_plane, index - plane * job.frame.by);
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
  const std::byte* from =
      in + (first + job.shift_y - K / 2) * job.in_row + static_cast<std::int64_t>(column) * static_cast<int>(sizeof(In));
  if constexpr (Patch<In, K, C>::whole_rows) {
    const Sides<In, K, V> sides(job, column);
#pragma unroll
    for (int j = 0; j < input_rows; ++j) sides.load(rows[j], from + j * job.in_row);
  } else {
#pragma unroll
    for (int j = 0; j < input_rows; ++j) rows[j].load(from + j * job.in_row);
  }
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

/// An element's bits.
template <class T>
std::uint32_t bits_of(double value) {
  const T element = to_element<T>(value, Rounding::half_even);
  if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(element);
  else return std::bit_cast<std::uint16_t>(element);
}

/// The element in place of coordinate c, as DeviceBorder::source has it.
int source_of(const BorderTable& border, std::int64_t c) {
  return static_cast<int>(border.source(std::clamp(c, border.low(), border.high() - 1)));
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
    const auto widest = static_cast<std::int64_t>(16 / bytes_of(in.pixel) * bytes_of(outs[0].pixel));
    if (!columns || in.strides.height < 0 || outs[0].strides.height < 0 || !is_aligned(in, 16) ||
        !is_aligned(outs[0], std::min<std::int64_t>(16, widest))) {
      return any_->run(in, outs, workspace, stream);
    }
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int c = 0; c < columns->channels_apart; ++c) {
      const ConstView source = columns->channels_apart > 1 ? in.channel(c) : in;
      const View target = columns->channels_apart > 1 ? outs[0].channel(c) : outs[0];
      visit(job_->in_pixel, size_, columns->channels_in_row,
            [&]<class In, int K, int C>() { launch<In, K, C>(source, target, queue); });
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
    if constexpr (Patch<In, K, C>::whole_rows) {
      const BorderTable& border = job_->borders[2];
      if (border.mode() != Border::Mode::constant || sizeof(In) == 4 ||
          static_cast<double>(to_element<In>(border.constant(), Rounding::half_even)) == border.constant()) {
        job.first_x = 0;
        job.end_x = in_columns / V * V;
      }
      job.beyond_constant = bits_of<In>(border.constant());
      for (int i = 0; i < K - 1; ++i) job.beyond[i] = source_of(border, i < K / 2 ? i - K / 2 : in_columns + i - K / 2);
    }
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
    const int beside_patches = job.columns - (job.end_x - job.first_x);
    const std::int64_t frame =
        static_cast<std::int64_t>(job.rows - inner_rows) * job.columns + static_cast<std::int64_t>(inner_rows) * beside_patches;
    job.frame_across = Divisor(job.columns);
    job.frame_beside = Divisor(std::max(beside_patches, 1));
    job.frame = Divisor(frame);
    const std::int64_t planes = in.shape.depth * in.shape.batch;
    job.frame_blocks = static_cast<int>(blocks(frame * planes, 32 * warps));
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
  // Outputs around patches, too: at most 32 columns and 16 rows of a plane.
  return n.width * n.channels < most && std::max(n.height, job.out.height) < most && planes < most &&
         32 * std::max(n.height, job.out.height) + 16 * n.width * n.channels < 2 * most / planes &&
         job.out.elements() / 1024 < most;
}

std::unique_ptr<const Runner> make_patch(std::shared_ptr<const Job> job, Device device) {
  if (job->filters.front().method != Method::direct || !patch_takes(*job, job->filters.front())) return nullptr;
  const int size = size_for(job->filters.front(), is_float(job->in_pixel));
  return std::make_unique<PatchRunner>(std::move(job), device, size);
}

}  // namespace halation::cuda_backend
