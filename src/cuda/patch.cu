// patch.cu: direct filtering with small filters: each thread computes a patch of outputs from input rows held in registers.
//
//   thread → elements  V consecutive columns (16 bytes of input; interleaved channels are columns, C apart) × R rows; a block is 32
//                      threads side by side, 8 of them stacked: 32·V columns × 8·R rows
//   registers          R + K − 1 rows of V columns and their halos, all loaded before the first is used, so that many loads are under
//                      way; R × V sums
//   shared memory      none: halos of neighbours come from L1 and L2
//   traffic            DRAM: each input element once, each output once; L1: (R + K − 1) / R · (V + halos) / V loads an element
//   borders            rows outside are other rows, by the table; only warps at the left and right edge, and those that meet a constant
//                      row, look elements up one by one
//   limits             K = 3, 5, 7 (others are set into the next size with zeros, where 0 · input cannot be NaN); C = 1, 2, 3, 4
//   instantiations     5 input pixels × 3 sizes × 4 channel counts = 60
#include "cuda/patch.h"

#include <algorithm>
#include <optional>

#include "cuda/constants.h"
#include "cuda/device.h"
#include "cuda/direct.h"
#include "cuda/pixels.cuh"
#include "cuda/window.cuh"

namespace halation::cuda_backend {
namespace {

/// Outputs of a thread: so many elements are 16 bytes of input, and so many rows fit its registers.
template <class In, int K>
struct Patch {
  static constexpr int columns = 16 / static_cast<int>(sizeof(In));
  static constexpr int rows = sizeof(In) == 1 ? 4 : K == 3 ? 4 : K == 5 ? 6 : 4;
};
constexpr int warps = 8;

/// What a launch gets by value. Columns are elements of a row; strides are bytes. Output (x, y) is centred on input (x + shift_x, y +
/// shift_y).
template <int K>
struct Arguments {
  const std::byte* in;
  std::byte* out;
  std::int64_t in_row, in_plane, in_batch;
  std::int64_t out_row, out_plane, out_batch;
  int in_columns, in_rows;
  int out_columns, out_rows;
  int shift_x, shift_y;
  int first_column;  // of the input, a multiple of V, at or before the first output's centre
  int planes, batch;
  bool aligned;      // rows of the input begin on 16-byte boundaries
  bool whole_stores; // so do four elements of the output
  const DeviceBorder* borders;
  float offset;
  Pixel out_pixel;
  Rounding rounding;
  float weights[K * K];
};

template <int V>
__device__ __forceinline__ void store_row(std::byte* to, const float (&values)[V], Pixel pixel, Rounding rounding) {
  const auto all = [&](auto element) {
    using T = decltype(element);
#pragma unroll
    for (int v = 0; v < V; v += 4) store_four<T>(to + v * static_cast<int>(sizeof(T)), values + v, rounding);
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

/// The elements of a row that one thread needs, at and outside the edges: places found once, elements loaded one by one.
template <class In, int V, int H, int C>
struct EdgeWindow {
  int place[V + 2 * H];  // the source column of element i − H of the thread; −1 for the constant
  float value[V + 2 * H];

  template <class Arguments>
  __device__ __forceinline__ void find(const Arguments& job, int column) {
    const DeviceBorder& border = job.borders[2];
#pragma unroll
    for (int i = 0; i < V + 2 * H; ++i) {
      const int at = column + i - H + border_margin * C;  // not negative, so that division rounds down
      const int pixel = at / C - border_margin;
      // Beyond what the job reads lie columns that no output of the thread needs.
      const bool needed = pixel >= border.low && pixel < border.high;
      place[i] = needed ? static_cast<int>(border.source(pixel)) : -1;
      if (place[i] >= 0) place[i] = place[i] * C + at % C;
    }
  }
  __device__ __forceinline__ void load(const std::byte* row, float outside) {
#pragma unroll
    for (int i = 0; i < V + 2 * H; ++i) {
      value[i] = place[i] < 0 ? outside : cuda_backend::load<In, float>(row + static_cast<std::int64_t>(place[i]) * sizeof(In));
    }
  }
  __device__ __forceinline__ void fill(float outside) {
#pragma unroll
    for (int i = 0; i < V + 2 * H; ++i) value[i] = outside;
  }
  __device__ __forceinline__ float operator[](int i) const { return value[i + H]; }

 private:
  static constexpr int border_margin = 1 << 20;
};

/// The output rows of one thread where elements are looked up. A row at a time: this must not cost the other path its registers.
template <class In, int K, int C, int V, int R, class Source>
__device__ __noinline__ void edge_rows(const Arguments<K>& job, const std::byte* in, std::byte* to, int element, int column, int rows,
                                       const Source& source) {
  EdgeWindow<In, V, K / 2 * C, C> window;
  window.find(job, column);
#pragma unroll 1
  for (int r = 0; r < rows; ++r, to += job.out_row) {
    float sums[V] = {};
#pragma unroll 1
    for (int ky = 0; ky < K; ++ky) {
      const int y = source(r + ky);
      if (y < 0) window.fill(static_cast<float>(job.borders[1].constant));
      else window.load(in + y * job.in_row, static_cast<float>(job.borders[2].constant));
#pragma unroll
      for (int kx = 0; kx < K; ++kx) {
#pragma unroll
        for (int v = 0; v < V; ++v) sums[v] += job.weights[ky * K + kx] * window[v + (kx - K / 2) * C];
      }
    }
#pragma unroll
    for (int v = 0; v < V; ++v) {
      const int out_column = column + v - job.shift_x;
      if (out_column >= 0 && out_column < job.out_columns) store(to + v * element, sums[v] + job.offset, job.out_pixel, job.rounding);
    }
  }
}

template <class In, int K, int C>
__global__ void __launch_bounds__(32 * warps) patch(const __grid_constant__ Arguments<K> job) {
  constexpr int V = Patch<In, K>::columns;
  constexpr int R = Patch<In, K>::rows;
  constexpr int halo = K / 2 * C;
  constexpr int input_rows = R + K - 1;
  using Row = Window<In, V, halo>;
  const int column = job.first_column + static_cast<int>(blockIdx.x * 32 + threadIdx.x) * V;
  const int warp_column = job.first_column + static_cast<int>(blockIdx.x) * 32 * V;
  const bool columns_inside = job.aligned && job.whole_stores && warp_column - Row::reach >= 0 &&
                              warp_column + 32 * V + Row::reach <= job.in_columns && warp_column >= job.shift_x &&
                              warp_column + 32 * V - job.shift_x <= job.out_columns;
  const int element = job.out_pixel == Pixel::u8 ? 1 : job.out_pixel == Pixel::f64 ? 8 : job.out_pixel == Pixel::f32 ? 4 : 2;

  for (int plane = blockIdx.z; plane < job.planes * job.batch; plane += static_cast<int>(gridDim.z)) {
    const std::byte* in = job.in + plane / job.planes * job.in_batch + plane % job.planes * job.in_plane;
    std::byte* out = job.out + plane / job.planes * job.out_batch + plane % job.planes * job.out_plane;
    for (int tile = static_cast<int>(blockIdx.y); tile * warps * R < job.out_rows; tile += static_cast<int>(gridDim.y)) {
      const int out_row = (tile * warps + static_cast<int>(threadIdx.y)) * R;
      if (out_row >= job.out_rows) break;
      const int first_row = out_row + job.shift_y - K / 2;  // of the input
      const bool rows_inside = first_row >= 0 && first_row + input_rows <= job.in_rows;
      // The source of input row j; −1 for the constant and for rows that no output needs.
      const auto source = [&](int j) {
        const int y = first_row + j;
        if (rows_inside) return y;
        return y >= job.borders[1].low && y < job.borders[1].high ? static_cast<int>(job.borders[1].source(y)) : -1;
      };
      std::byte* to = out + out_row * job.out_row + static_cast<std::int64_t>(column - job.shift_x) * element;
      const int rows_left = min(R, job.out_rows - out_row);
      bool looked_up = !columns_inside;
      if (!rows_inside) {
#pragma unroll 1
        for (int j = 0; j < input_rows; ++j) looked_up = looked_up || source(j) < 0;
      }
      if (looked_up) {
        edge_rows<In, K, C, V, R>(job, in, to, element, column, rows_left, source);
        continue;
      }
      Row rows[input_rows];
#pragma unroll
      for (int j = 0; j < input_rows; ++j) {
        rows[j].load(in + source(j) * job.in_row + static_cast<std::int64_t>(column) * static_cast<int>(sizeof(In)));
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
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (r < rows_left) store_row<V>(to + r * job.out_row, sums[r], job.out_pixel, job.rounding);
      }
    }
  }
}

/// The K into whose K × K places the taps are set; 0 where there is none.
int size_for(const Taps& taps, bool only_exact) {
  const std::int64_t longest = std::max(taps.size[1], taps.size[2]);
  if (taps.size[0] != 1 || longest > 7) return 0;
  const int size = longest <= 3 ? 3 : longest <= 5 ? 5 : 7;
  return only_exact && (taps.size[1] != size || taps.size[2] != size) ? 0 : size;
}

/// Where `size` places are centred that hold [lead, lead + taps): at 0 where that can be, for then loads and stores are aligned alike.
std::int64_t centre_of(std::int64_t lead, std::int64_t taps, int size) {
  const bool around_0 = -lead <= size / 2 && lead + taps - 1 <= size / 2;
  return around_0 ? 0 : lead + size / 2;
}

/// A job's rows as columns of elements: interleaved channels beside each other, or one channel.
struct Rows {
  int channels_in_row = 1;
  int channels_apart = 1;
};

std::optional<Rows> rows_of(const ConstView& in, const ConstView& out) {
  const auto arranged = [](const ConstView& view, std::int64_t channels) {
    const auto element = static_cast<std::int64_t>(bytes_of(view.pixel));
    return (view.shape.width == 1 || view.strides.width == element * channels) && (channels == 1 || view.strides.channels == element) &&
           view.strides.height >= 0;
  };
  const std::int64_t channels = in.shape.channels;
  if (channels <= 4 && arranged(in, channels) && arranged(out, channels)) return Rows{static_cast<int>(channels), 1};
  if (arranged(in, 1) && arranged(out, 1)) return Rows{1, static_cast<int>(channels)};
  return {};
}

class PatchRunner final : public Runner {
 public:
  PatchRunner(std::shared_ptr<const Job> job, Device device, int size)
      : job_(std::move(job)), device_(device), size_(size), constants_(*job_), any_(make_direct(job_, device)) {}

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "a patch of outputs a thread, input in registers, as " + std::to_string(size_) + "x" + std::to_string(size_) +
           " taps; views that are not packed or planar rows: " + any_->explain();
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const std::optional<Rows> rows = rows_of(in, outs[0]);
    constexpr std::int64_t most = 0x7fff0000 / 8;  // columns and rows are counted in 32 bits
    const auto countable = [&](const Shape& n) { return n.width * n.channels < most && n.height < most && n.depth * n.batch < most; };
    if (!rows || !countable(in.shape) || !countable(job_->out)) return any_->run(in, outs, workspace, stream);
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    for (int c = 0; c < rows->channels_apart; ++c) {
      const ConstView source = rows->channels_apart > 1 ? in.channel(c) : in;
      const View target = rows->channels_apart > 1 ? outs[0].channel(c) : outs[0];
      visit(job_->in_pixel, size_, rows->channels_in_row, [&]<class In, int K, int C>() { launch<In, K, C>(source, target, queue); });
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
      case Pixel::u8: return with_size.template operator()<std::uint8_t>();
      case Pixel::u16: return with_size.template operator()<std::uint16_t>();
      case Pixel::i16: return with_size.template operator()<std::int16_t>();
      case Pixel::f16: return with_size.template operator()<f16>();
      default: return with_size.template operator()<float>();
    }
  }

  template <class In, int K, int C>
  void launch(const ConstView& in, const View& out, cudaStream_t stream) const {
    const Taps& taps = job_->filters.front();
    const std::int64_t centre_y = centre_of(taps.lead[1], taps.size[1], K);
    const std::int64_t centre_x = centre_of(taps.lead[2], taps.size[2], K);
    Arguments<K> job{};
    job.in = in.data;
    job.out = out.data;
    job.in_row = in.strides.height;
    job.in_plane = in.strides.depth;
    job.in_batch = in.strides.batch;
    job.out_row = out.strides.height;
    job.out_plane = out.strides.depth;
    job.out_batch = out.strides.batch;
    job.in_columns = static_cast<int>(in.shape.width * C);
    job.in_rows = static_cast<int>(in.shape.height);
    job.out_columns = static_cast<int>(out.shape.width * C);
    job.out_rows = static_cast<int>(out.shape.height);
    job.shift_x = static_cast<int>(centre_x * C);
    job.shift_y = static_cast<int>(centre_y);
    job.planes = static_cast<int>(in.shape.depth);
    job.batch = static_cast<int>(in.shape.batch);
    job.borders = constants_.borders();
    job.offset = static_cast<float>(job_->offset);
    job.out_pixel = out.pixel;
    job.rounding = job_->rounding;
    const std::int64_t first[2] = {taps.lead[1] - centre_y + K / 2, taps.lead[2] - centre_x + K / 2};
    for (std::int64_t y = 0; y < taps.size[1]; ++y) {
      for (std::int64_t x = 0; x < taps.size[2]; ++x) {
        job.weights[(first[0] + y) * K + first[1] + x] =
            static_cast<float>(job_->scale * taps.weights[static_cast<std::size_t>(y * taps.size[2] + x)]);
      }
    }
    constexpr int V = Patch<In, K>::columns;
    constexpr int R = Patch<In, K>::rows;
    const auto multiple = [](std::int64_t bytes, std::int64_t of) { return bytes % of == 0; };
    job.first_column = job.shift_x >= 0 ? job.shift_x / V * V : -((-job.shift_x + V - 1) / V * V);
    job.aligned = multiple(reinterpret_cast<std::intptr_t>(in.data), 16) && multiple(job.in_row, 16) &&
                  (job.planes == 1 || multiple(job.in_plane, 16)) && (job.batch == 1 || multiple(job.in_batch, 16));
    const auto element = static_cast<std::int64_t>(bytes_of(out.pixel));
    const std::int64_t four = std::min<std::int64_t>(16, 4 * element);
    job.whole_stores = multiple(reinterpret_cast<std::intptr_t>(out.data) - job.shift_x * element, four) && multiple(job.out_row, four) &&
                       (job.planes == 1 || multiple(job.out_plane, four)) && (job.batch == 1 || multiple(job.out_batch, four));
    const dim3 block(32, warps);
    const auto blocks = [](std::int64_t count, std::int64_t per_block, std::int64_t most) {
      return static_cast<unsigned>(std::min((count + per_block - 1) / per_block, most));
    };
    const dim3 grid(blocks(std::int64_t{job.shift_x} + job.out_columns - job.first_column, 32 * V, 0x7fffffff),
                    blocks(job.out_rows, warps * R, 0xffff), blocks(std::int64_t{job.planes} * job.batch, 1, 0xffff));
    patch<In, K, C><<<grid, block, 0, stream>>>(job);
    HALATION_CUDA_LAUNCHED("patch", stream);
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  int size_;
  DeviceConstants constants_;
  std::unique_ptr<const Runner> any_;  // for views of other arrangements
};

}  // namespace

std::unique_ptr<const Runner> make_patch(std::shared_ptr<const Job> job, Device device) {
  if (job->filters.size() != 1 || job->combine != Combine::none || job->sum_f64 || job->filters.front().method != Method::direct) return nullptr;
  // Taps that the filter does not have would spread NaN and infinities of float input.
  const int size = size_for(job->filters.front(), is_float(job->in_pixel));
  return size == 0 ? nullptr : std::make_unique<PatchRunner>(std::move(job), device, size);
}

}  // namespace halation::cuda_backend
