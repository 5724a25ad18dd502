// peer_npp.cpp: NVIDIA's NPP: its filters with a border, which is replicate for all of them.
#include <array>
#include <cstdint>
#include <optional>

#include "bench/peer.h"
#include "cuda/device/runtime.h"

namespace halation::bench {
namespace {

using cuda_backend::DeviceArray;

// Types and functions of NPP 12 and 13, after their documentation. Pointers to pixels of all types are passed
// alike.
struct NppSize {
  int width, height;
};
struct NppPoint {
  int x, y;
};
struct NppContext {
  cudaStream_t stream;
  int device;
  int multiprocessors;
  int threads_per_multiprocessor;
  int threads_per_block;
  std::size_t shared_bytes_per_block;
  int capability_major;
  int capability_minor;
  unsigned int stream_flags;
  int reserved;
};
constexpr int border_replicate = 2;

using FilterBorder = int(const void* in, int in_step, NppSize in_size, NppPoint in_offset, void* out,
                         int out_step, NppSize roi, const void* weights, NppSize filter, NppPoint anchor,
                         int border, NppContext context);
using FilterBorderInteger = int(const void* in, int in_step, NppSize in_size, NppPoint in_offset, void* out,
                                int out_step, NppSize roi, const void* weights, NppSize filter,
                                NppPoint anchor, int divisor, int border, NppContext context);
using FilterLineBorder = int(const void* in, int in_step, NppSize in_size, NppPoint in_offset, void* out,
                             int out_step, NppSize roi, const void* weights, int taps, int anchor, int border,
                             NppContext context);
using FilterGaussAdvanced = int(const void* in, int in_step, NppSize in_size, NppPoint in_offset, void* out,
                                int out_step, NppSize roi, int taps, const void* weights, int border,
                                NppContext context);
using FilterBoxBorder = int(const void* in, int in_step, NppSize in_size, NppPoint in_offset, void* out,
                            int out_step, NppSize roi, NppSize filter, NppPoint anchor, int border,
                            NppContext context);
using FilterBoxAdvanced = int(const void* in, int in_step, NppSize in_size, NppPoint in_offset, void* out,
                              int out_step, NppSize roi, NppSize filter, NppPoint anchor, int border,
                              void* buffer, NppContext context);
using BoxBufferSize = int(NppSize roi, int channels, int* bytes);
using FilterFixedBorder = int(const void* in, int in_step, NppSize in_size, NppPoint in_offset, void* out,
                              int out_step, NppSize roi, int border, NppContext context);

struct NppVersion {
  int major, minor, build;
};
using GetLibVersion = const NppVersion*();

/// "32f", "8u": none for pixels that NPP's filters do not have.
std::optional<std::string> type_name(Pixel pixel) {
  switch (pixel) {
    case Pixel::u8:
      return "8u";
    case Pixel::u16:
      return "16u";
    case Pixel::i16:
      return "16s";
    case Pixel::f16:
      return "16f";
    case Pixel::f32:
      return "32f";
    default:
      return std::nullopt;
  }
}

template <class T>
std::shared_ptr<DeviceArray<T>> uploaded(const std::vector<T>& values) {
  auto array = std::make_shared<DeviceArray<T>>(values.size());
  HALATION_CUDA_CHECK(
      cudaMemcpy(array->data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return array;
}

void check(int status, const std::string& function) {
  // Above 0 are warnings, which come with a result.
  if (status < 0) throw Error{ErrorCode::device, function + " refuses with status " + std::to_string(status)};
}

/// One image of a batch as NPP takes it.
struct Plane {
  const void* in;
  int in_step;
  NppSize size;
  void* out;
  int out_step;
};

class Npp final : public Peer {
 public:
  explicit Npp(SharedLibrary library) : library_(std::move(library)) {
    cudaDeviceProp properties{};
    HALATION_CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    context_ = {.stream = nullptr,
                .device = 0,
                .multiprocessors = properties.multiProcessorCount,
                .threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor,
                .threads_per_block = properties.maxThreadsPerBlock,
                .shared_bytes_per_block = properties.sharedMemPerBlock,
                .capability_major = properties.major,
                .capability_minor = properties.minor,
                .stream_flags = 0,
                .reserved = 0};
    // The version stands in the library of NPP's basic functions, which that of filters has loaded.
    if (const auto basics = SharedLibrary::open({"libnppc.so.13", "libnppc.so.12"})) {
      if (auto* get_version = basics->find<GetLibVersion>("nppGetLibVersion")) {
        const NppVersion& version = *get_version();
        version_ = std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
                   std::to_string(version.build);
      }
    }
  }

  std::string name() const override { return "NPP"; }
  std::string version() const override { return version_.empty() ? library_.name() : version_; }

  std::vector<Candidate> candidates(const Job& job, const Filter& filter, ConstView in, View out) override {
    const std::int64_t row_bytes = std::max(in.strides.height, out.strides.height);
    const std::optional<std::string> from = type_name(job.pixel);
    const std::optional<std::string> to = type_name(job.output);
    const std::int64_t channels = job.shape.channels;
    if (job.dims() > 2 || !from || !to || (channels != 1 && channels != 3 && channels != 4) ||
        row_bytes > INT32_MAX)
      return {};
    Ways ways{filter, *from + (from == to ? "" : *to), "_C" + std::to_string(channels) + "R_Ctx", {}, {}};
    for (std::int64_t b = 0; b < job.shape.batch; ++b) {
      ways.planes.push_back({in.batch(b).data,
                             static_cast<int>(in.strides.height),
                             {static_cast<int>(job.shape.width), static_cast<int>(job.shape.height)},
                             out.batch(b).data,
                             static_cast<int>(out.strides.height)});
    }
    const bool from_f32 = from == to && job.pixel == Pixel::f32;
    add_dense(ways, from_f32, job);
    if (from == to && (filter.factors() || job.dims() == 1)) add_lines(ways, from_f32, job, out);
    if (from == to && job.dims() == 2) {
      if (job.filter == FilterKind::gaussian) add_gauss(ways);
      if (job.filter == FilterKind::box) add_box(ways, static_cast<int>(channels));
    }
    if (job.filter == FilterKind::sobel) {
      add_fixed(ways, "nppiFilterSobelVertBorder_");
      add_fixed(ways, "nppiFilterSobelHorizBorder_");
    }
    return std::move(ways.list);
  }

 private:
  /// What the candidates of one job share, and the list of them.
  struct Ways {
    const Filter& filter;
    std::string types;   ///< "32f", "8u16s"
    std::string suffix;  ///< "_C3R_Ctx"
    std::vector<Plane> planes;
    std::vector<Candidate> list;

    NppSize size() const {
      const FilterSize taps = filter.size();
      return {static_cast<int>(taps.width), static_cast<int>(taps.height)};
    }
    /// In the order of a convolution.
    NppPoint anchor() const {
      const auto [z, y, x] = filter.anchor();
      const auto [width, height] = size();
      return filter.is_correlation() ? NppPoint{width - 1 - static_cast<int>(x), height - 1 - static_cast<int>(y)}
                               : NppPoint{static_cast<int>(x), static_cast<int>(y)};
    }
  };

  NppContext context_for(Stream stream) const {
    NppContext context = context_;
    context.stream = static_cast<cudaStream_t>(stream.handle);
    HALATION_CUDA_CHECK(cudaStreamGetFlags(context.stream, &context.stream_flags));
    return context;
  }

  /// Adds a candidate that calls `call(function, plane, context)` for each image, where the library has the
  /// function.
  template <class Function, class Call>
  void add(Ways& ways, const std::string& name, Call call) {
    auto* function = library_.find<Function>(name);
    if (function == nullptr) return;
    ways.list.push_back(
        {name, "replicate", [this, function, name, call, planes = ways.planes](Stream stream) {
           const NppContext context = context_for(stream);
           for (const Plane& plane : planes) check(call(function, plane, context), name);
         }});
  }

  void add_dense(Ways& ways, bool from_f32, const Job& job) {
    if (!worth_running_dense(ways.filter)) return;
    const std::vector<float> weights = convolution_weights(ways.filter);
    const NppSize size = ways.size();
    const NppPoint anchor = ways.anchor();
    const auto on_device = uploaded(weights);
    add<FilterBorder>(ways,
                      (from_f32 ? "nppiFilterBorder_" : "nppiFilterBorder32f_") + ways.types + ways.suffix,
                      [=](FilterBorder* filter, const Plane& p, const NppContext& context) {
                        return filter(p.in, p.in_step, p.size, {0, 0}, p.out, p.out_step, p.size,
                                      on_device->data(), size, anchor, border_replicate, context);
                      });
    if (job.filter != FilterKind::integer || is_float(job.pixel)) return;
    const auto whole = uploaded(std::vector<std::int32_t>(weights.begin(), weights.end()));
    add<FilterBorderInteger>(ways, "nppiFilterBorder_" + ways.types + ways.suffix,
                             [=](FilterBorderInteger* filter, const Plane& p, const NppContext& context) {
                               return filter(p.in, p.in_step, p.size, {0, 0}, p.out, p.out_step, p.size,
                                             whole->data(), size, anchor, 1, border_replicate, context);
                             });
  }

  /// Rows into an image between, then columns; a signal has rows alone.
  void add_lines(Ways& ways, bool from_f32, const Job& job, View out) {
    const std::string type = (from_f32 ? "_" : "32f_") + ways.types + ways.suffix;
    auto* rows = library_.find<FilterLineBorder>("nppiFilterRowBorder" + type);
    auto* columns = library_.find<FilterLineBorder>("nppiFilterColumnBorder" + type);
    if (rows == nullptr || columns == nullptr) return;
    const bool two = job.dims() == 2;
    const auto x = uploaded(two ? convolution_factor(ways.filter, 2) : convolution_weights(ways.filter));
    const auto y = uploaded(two ? convolution_factor(ways.filter, 1) : std::vector<float>{1});
    const NppSize taps = ways.size();
    const NppPoint anchor = ways.anchor();
    const auto between = std::make_shared<DeviceArray<std::byte>>(
        two ? static_cast<std::size_t>(out.strides.height) * static_cast<std::size_t>(out.shape.height) : 0);
    ways.list.push_back({two ? "nppiFilterRowBorder + ColumnBorder" + type : "nppiFilterRowBorder" + type,
                         "replicate", [=, this, planes = ways.planes](Stream stream) {
                           const NppContext context = context_for(stream);
                           for (const Plane& p : planes) {
                             void* middle = two ? between->data() : p.out;
                             check(rows(p.in, p.in_step, p.size, {0, 0}, middle, p.out_step, p.size,
                                        x->data(), taps.width, anchor.x, border_replicate, context),
                                   "nppiFilterRowBorder" + type);
                             if (!two) continue;
                             check(columns(middle, p.out_step, p.size, {0, 0}, p.out, p.out_step, p.size,
                                           y->data(), taps.height, anchor.y, border_replicate, context),
                                   "nppiFilterColumnBorder" + type);
                           }
                         }});
  }

  void add_gauss(Ways& ways) {
    const auto factor = uploaded(convolution_factor(ways.filter, 2));
    const int taps = ways.size().width;
    add<FilterGaussAdvanced>(ways, "nppiFilterGaussAdvancedBorder_" + ways.types + ways.suffix,
                             [=](FilterGaussAdvanced* filter, const Plane& p, const NppContext& context) {
                               return filter(p.in, p.in_step, p.size, {0, 0}, p.out, p.out_step, p.size, taps,
                                             factor->data(), border_replicate, context);
                             });
  }

  void add_box(Ways& ways, int channels) {
    const NppSize size = ways.size();
    const NppPoint anchor = ways.anchor();
    add<FilterBoxBorder>(ways, "nppiFilterBoxBorder_" + ways.types + ways.suffix,
                         [=](FilterBoxBorder* filter, const Plane& p, const NppContext& context) {
                           return filter(p.in, p.in_step, p.size, {0, 0}, p.out, p.out_step, p.size, size,
                                         anchor, border_replicate, context);
                         });
    auto* buffer_size = library_.find<BoxBufferSize>("nppiFilterBoxBorderAdvancedGetDeviceBufferSize");
    int bytes = 0;
    if (buffer_size == nullptr || buffer_size(ways.planes.front().size, channels, &bytes) < 0 || bytes <= 0)
      return;
    const auto buffer = std::make_shared<DeviceArray<std::byte>>(static_cast<std::size_t>(bytes));
    add<FilterBoxAdvanced>(ways, "nppiFilterBoxBorderAdvanced_" + ways.types + ways.suffix,
                           [=](FilterBoxAdvanced* filter, const Plane& p, const NppContext& context) {
                             return filter(p.in, p.in_step, p.size, {0, 0}, p.out, p.out_step, p.size, size,
                                           anchor, border_replicate, buffer->data(), context);
                           });
  }

  void add_fixed(Ways& ways, const std::string& name) {
    add<FilterFixedBorder>(ways, name + ways.types + ways.suffix,
                           [](FilterFixedBorder* filter, const Plane& p, const NppContext& context) {
                             return filter(p.in, p.in_step, p.size, {0, 0}, p.out, p.out_step, p.size,
                                           border_replicate, context);
                           });
  }

  SharedLibrary library_;
  NppContext context_{};
  std::string version_;
};

}  // namespace

FoundPeer find_npp() { return find_peer<Npp>("NPP", {"libnppif.so.13", "libnppif.so.12"}); }

}  // namespace halation::bench
