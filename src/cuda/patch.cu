// patch.cu: direct filtering with small filters: each thread computes a patch of outputs from input rows held in registers.
//
//   thread → elements  V consecutive columns (16 bytes of input; interleaved channels are columns, C apart) × R rows; a block is 32
//                      threads side by side and 8 such warps stacked: 32·V columns × 8·R rows
//   registers          R + K − 1 rows of V columns and their halos, as many of them under way at once as the cap on registers allows
//                      (all at 3×3); R × V sums
//   shared memory      none: halos of neighbours come from L1 and L2
//   traffic            DRAM: each input element once, each output once; L1: (R + K − 1) / R · (V + halos) / V loads an element
//   borders            rows outside are other rows, or one of constants; threads at the left and right edge set the elements of
//                      their halos one by one; inside nothing is looked up
//   limits             K = 3, 5, 7 (others are set into the next size with zeros, where 0 · input cannot be NaN); C = 1, 2, 3, 4
//   instantiations     5 input pixels × 3 sizes × 4 channel counts = 60, and as many where rows are not aligned
#include "cuda/patch.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "core/convert.h"
#include "cuda/constants.h"
#include "cuda/device.h"
#include "cuda/direct.h"
#include "cuda/pixels.cuh"
#include "cuda/window.cuh"

namespace halation::cuda_backend {
namespace {

/// Outputs of a thread, and blocks that a multiprocessor must hold: the more rows, the less is read twice; the fewer registers, the
/// more warps hide the wait for memory. Measured on an H200 (docs/performance.md).
template <class In, int K, int C>
struct Patch {
  static constexpr int columns = 16 / static_cast<int>(sizeof(In));
  static constexpr int rows = sizeof(In) == 1 ? 2 : sizeof(In) == 4 && K == 5 ? 6 : 4;
  using Row = Window<In, columns, K / 2 * C>;
  static constexpr int blocks = Row::words > 16 ? 2 : Row::words > 12 || sizeof(In) == 2 ? 3 : 4;
};
constexpr int warps = 8;
constexpr int most_blocks = 0xffff;  // of a grid along y and z

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
  int first_row, first_plane;  // of this launch: a grid has at most 65,535 blocks along y and z
  const std::byte* constant_row;  // stands in for rows outside: as wide as the input, halos included; null where none is needed
  std::uint32_t constant_x;       // as the bits of an input element
  const DeviceBorder* borders;
  float offset;
  Pixel out_pixel;
  Rounding rounding;
  float weights[K * K];
};

__device__ __forceinline__ int element_bytes(Pixel pixel) {
  return pixel == Pixel::u8 ? 1 : pixel == Pixel::f64 ? 8 : pixel == Pixel::f32 ? 4 : 2;
}

/// All rows of a patch; the pixel is looked at once.
template <int R, int V>
__device__ __forceinline__ void store_patch(std::byte* to, std::int64_t row_bytes, int rows, const float (&values)[R][V], Pixel pixel,
                                            Rounding rounding) {
  const auto all = [&](auto element) {
    using T = decltype(element);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= rows) break;
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

/// The elements of a row that one thread needs, wherever they lie: places found once, elements loaded one by one.
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

/// The output rows of one thread, every element looked up; a row at a time, which keeps registers few.
template <class In, int K, int C, int V>
__device__ __forceinline__ void edge_rows(const Arguments<K>& job, const std::byte* in, std::byte* to, int element, int column,
                                       int first_row, int rows) {
  const DeviceBorder& above = job.borders[1];
  EdgeWindow<In, V, K / 2 * C, C> window;
  window.find(job, column);
#pragma unroll 1
  for (int r = 0; r < rows; ++r, to += job.out_row) {
    float sums[V] = {};
#pragma unroll 1
    for (int ky = 0; ky < K; ++ky) {
      const int at = first_row + r + ky;
      // Rows beyond what the job reads meet taps of 0 alone.
      const int y = at >= above.low && at < above.high ? static_cast<int>(above.source(at)) : -1;
      if (y < 0) window.fill(static_cast<float>(above.constant));
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

/// The elements of a row's halo, one by one, for threads whose vectors they do not lie beside.
template <class In, int C, int K, int V, int H>
__device__ __forceinline__ void set_halo(Window<In, V, H>& window, const Arguments<K>& job, const std::byte* row, int column, bool first,
                                         bool last) {
  constexpr int size = static_cast<int>(sizeof(In));
  const DeviceBorder& beside = job.borders[2];
#pragma unroll
  for (int n = 0; n < 2 * H; ++n) {
    const int i = n < H ? n - H : V + n - H;
    if (i < 0 ? !first : !last) continue;
    const int at = column + i + (K + V) * C;  // not negative, so that division rounds down
    const int pixel = at / C - (K + V);
    const bool needed = pixel >= beside.low && pixel < beside.high;  // by a tap that the filter has
    const std::int64_t source = needed ? beside.source(pixel) : 0;
    std::uint32_t bits = job.constant_x;
    if (source >= 0 || row == job.constant_row) {
      const In element = *reinterpret_cast<const In*>(row + ((source < 0 ? 0 : source) * C + at % C) * size);
      bits = 0;
      memcpy(&bits, &element, size);
    }
    window.set(i, bits);
  }
}

/// A patch, from its first input row on. `start(j)` is where input row j begins; at edges, halos that do not exist are set.
template <class In, int K, int C, bool Edge, class Start>
__device__ __forceinline__ void filter_patch(const Arguments<K>& job, const Start& start, int column, std::byte* to, int rows_left) {
  constexpr int V = Patch<In, K, C>::columns;
  constexpr int R = Patch<In, K, C>::rows;
  constexpr int input_rows = R + K - 1;
  using Row = typename Patch<In, K, C>::Row;
  const bool first = Edge && column < Row::reach;
  const bool last = Edge && column + V + Row::reach > job.in_columns;
  Row rows[input_rows];
#pragma unroll
  for (int j = 0; j < input_rows; ++j) {
    rows[j].load(start(j) + static_cast<std::int64_t>(column) * static_cast<int>(sizeof(In)), !first, !last);
  }
  if (first || last) {
#pragma unroll
    for (int j = 0; j < input_rows; ++j) set_halo<In, C>(rows[j], job, start(j), column, first, last);
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
  store_patch<R, V>(to, job.out_row, rows_left, sums, job.out_pixel, job.rounding);
}

/// Where output and input rows are whole vectors side by side. Registers are those of the inside; edges, a few warps in a hundred, may
/// spill.
template <class In, int K, int C>
__global__ void __launch_bounds__(32 * warps, Patch<In, K, C>::blocks) patch(const __grid_constant__ Arguments<K> job) {
  constexpr int V = Patch<In, K, C>::columns;
  constexpr int R = Patch<In, K, C>::rows;
  constexpr int input_rows = R + K - 1;
  constexpr int reach = Patch<In, K, C>::Row::reach;
  const int warp_column = static_cast<int>(blockIdx.x) * 32 * V;
  const int column = warp_column + static_cast<int>(threadIdx.x) * V;
  const int plane = job.first_plane + static_cast<int>(blockIdx.z);
  const std::byte* in = job.in + plane / job.planes * job.in_batch + plane % job.planes * job.in_plane;
  const int out_row = job.first_row + (static_cast<int>(blockIdx.y) * warps + static_cast<int>(threadIdx.y)) * R;
  if (column >= job.in_columns || out_row >= job.out_rows) return;
  const int first_row = out_row + job.shift_y - K / 2;  // of the input
  std::byte* to = job.out + plane / job.planes * job.out_batch + plane % job.planes * job.out_plane + out_row * job.out_row +
                  static_cast<std::int64_t>(column) * element_bytes(job.out_pixel);
  const bool inside = warp_column >= reach && warp_column + 32 * V + reach <= job.in_columns && first_row >= 0 &&
                      first_row + input_rows <= job.in_rows && out_row + R <= job.out_rows;
  if (inside) {
    const std::byte* from = in + first_row * job.in_row;
    filter_patch<In, K, C, false>(job, [&](int j) { return from + j * job.in_row; }, column, to, R);
    return;
  }
  // Where input row j begins, or the row that stands in for it; any where no output needs it.
  const auto start = [&](int j) {
    const DeviceBorder& above = job.borders[1];
    const int y = min(max(first_row + j, static_cast<int>(above.low)), static_cast<int>(above.high) - 1);
    const std::int64_t source = above.source(y);
    return source < 0 ? job.constant_row : in + source * job.in_row;
  };
  filter_patch<In, K, C, true>(job, start, column, to, min(R, job.out_rows - out_row));
}

/// Anything else: unaligned rows, widths that are no whole vectors, outputs shifted against their inputs.
template <class In, int K, int C>
__global__ void __launch_bounds__(32 * warps) patch_anywhere(const __grid_constant__ Arguments<K> job) {
  constexpr int V = Patch<In, K, C>::columns;
  constexpr int R = Patch<In, K, C>::rows;
  const int column = job.first_column + static_cast<int>(blockIdx.x * 32 + threadIdx.x) * V;
  const int plane = job.first_plane + static_cast<int>(blockIdx.z);
  const std::byte* in = job.in + plane / job.planes * job.in_batch + plane % job.planes * job.in_plane;
  const int out_row = job.first_row + (static_cast<int>(blockIdx.y) * warps + static_cast<int>(threadIdx.y)) * R;
  if (out_row >= job.out_rows) return;
  const int element = element_bytes(job.out_pixel);
  std::byte* to = job.out + plane / job.planes * job.out_batch + plane % job.planes * job.out_plane + out_row * job.out_row +
                  static_cast<std::int64_t>(column - job.shift_x) * element;
  edge_rows<In, K, C, V>(job, in, to, element, column, out_row + job.shift_y - K / 2, min(R, job.out_rows - out_row));
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

/// A number as an element's bits.
template <class T>
std::uint32_t bits_of(double value) {
  const T element = to_element<T>(value, Rounding::half_even);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &element, sizeof element);
  return bits;
}

/// Whether the borders' constants can stand among input elements; f32 rounds them as all its sums do.
bool constants_are_elements(const Job& job) {
  if (job.in_pixel == Pixel::f32) return true;
  return visit_pixel(job.in_pixel, [&](auto element) {
    const auto fits = [](double value) { return static_cast<double>(to_element<decltype(element)>(value, Rounding::half_even)) == value; };
    return fits(job.borders[1].constant()) && fits(job.borders[2].constant());
  });
}

/// A row of the constant above and below the image, on the present device; nothing where no job reads one.
DeviceArray<std::byte> constant_row_of(const Job& job) {
  const BorderTable& rows = job.borders[1];
  const bool read = (rows.low() < 0 && rows.source(rows.low()) < 0) || (rows.high() > rows.size() && rows.source(rows.high() - 1) < 0);
  if (!read) return {};
  return visit_pixel(job.in_pixel, [&](auto element) {
    using T = decltype(element);
    const std::vector<T> row(static_cast<std::size_t>(job.in.width * job.in.channels), to_element<T>(rows.constant(), Rounding::half_even));
    DeviceArray<std::byte> on_device(row.size() * sizeof(T));
    HALATION_CUDA_CHECK(cudaMemcpyAsync(on_device.data(), row.data(), row.size() * sizeof(T), cudaMemcpyHostToDevice, nullptr));
    HALATION_CUDA_CHECK(cudaStreamSynchronize(nullptr));
    return on_device;
  });
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
      : job_(std::move(job)), device_(device), size_(size), constants_(*job_), constant_row_(constant_row_of(*job_)),
        constants_are_elements_(constants_are_elements(*job_)), any_(make_direct(job_, device)) {}

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
    constexpr int V = Patch<In, K, C>::columns;
    constexpr int R = Patch<In, K, C>::rows;
    const auto multiple = [](std::int64_t bytes, std::int64_t of) { return bytes % of == 0; };
    job.constant_row = constant_row_.data();
    job.constant_x = bits_of<In>(job_->borders[2].constant());
    job.first_column = job.shift_x >= 0 ? job.shift_x / V * V : -((-job.shift_x + V - 1) / V * V);
    const auto element = static_cast<std::int64_t>(bytes_of(out.pixel));
    const auto rows_begin_on = [&](const ConstView& view, std::int64_t boundary) {
      return multiple(reinterpret_cast<std::intptr_t>(view.data), boundary) && multiple(view.strides.height, boundary) &&
             (view.shape.depth == 1 || multiple(view.strides.depth, boundary)) &&
             (view.shape.batch == 1 || multiple(view.strides.batch, boundary));
    };
    const bool whole = job.shift_x == 0 && job.in_columns == job.out_columns && job.in_columns % V == 0 && rows_begin_on(in, 16) &&
                       rows_begin_on(out, std::min<std::int64_t>(16, 4 * element)) && constants_are_elements_;
    const dim3 block(32, warps);
    const auto blocks = [](std::int64_t count, std::int64_t per_block, std::int64_t most) {
      return static_cast<unsigned>(std::min((count + per_block - 1) / per_block, most));
    };
    const int planes = job.planes * job.batch;
    for (job.first_plane = 0; job.first_plane < planes; job.first_plane += most_blocks) {
      for (job.first_row = 0; job.first_row < job.out_rows; job.first_row += most_blocks * warps * R) {
        const dim3 grid(blocks(std::int64_t{job.shift_x} + job.out_columns - job.first_column, 32 * V, 0x7fffffff),
                        blocks(job.out_rows - job.first_row, warps * R, most_blocks),
                        blocks(planes - job.first_plane, 1, most_blocks));
        (whole ? patch<In, K, C> : patch_anywhere<In, K, C>)<<<grid, block, 0, stream>>>(job);
        HALATION_CUDA_LAUNCHED("patch", stream);
      }
    }
  }

  std::shared_ptr<const Job> job_;
  Device device_;
  int size_;
  DeviceConstants constants_;
  DeviceArray<std::byte> constant_row_;
  bool constants_are_elements_;
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
