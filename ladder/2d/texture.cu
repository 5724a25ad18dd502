// texture.cu: one thread an output; the image is read through the texture unit.
//
// Idea      The texture unit keeps an image in small squares, so that neighbours in a column are neighbours
//           in its cache, and answers for places outside by itself, with a border colour.
// Map       Block 32 × 8. Thread (tx, ty) of block (bx, by) computes out[8·by + ty][32·bx + tx].
//
//           c c c c c c c c c c
//           c +-------------+ c         window of one      c c c       c, the border colour,
//           c |    image    | c         thread, radius 1   a b .       is `outside`
//           c +-------------+ c                            d e .
//           c c c c c c c c c c
//
// Traffic   2·K² operations and K² fetches an output, K = 2r + 1. The unit answers four fetches a clock and
//           multiprocessor, where plain reads get 32: that is the limit. It has an order of its own, so
//           `run` first copies the image into it: 8 bytes an output more. Weights are plain reads.
// Limits    Radius up to 256; 1 to 8 are unrolled. CUDA only. Textures end at 131,072 × 65,536: larger
//           images pass in windows of 32,768 × 32,768 that overlap by 2r. All have one size; the first
//           begins and the last ends with the image, so that the texture's border is the image's.
// Source    Slides on convolution by A. Abramov, 2011 (texture against separable, radius 1 to 32); xFilters
//           by T. Gautam, chapter 2, on texture memory.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "cuda/device/runtime.h"
#include "ladder/list.h"

namespace halation::ladder {
namespace {

// By the library:  correlate(image, Filter::dense({1, K, K}, weights), {.border = Border::constant(outside)})

constexpr int block_width = 32;
constexpr int block_height = 8;
constexpr int most_window_side = 32'768;

/// The outputs of one launch, and the image's element that is the first of the texture.
struct Part {
  int x, y, width, height, window_x, window_y;
};

template <int CompiledRadius>  // 0: `radius_asked`, known at run time only
__global__ void correlate(cudaTextureObject_t image, const float* __restrict__ weights,
                          float* __restrict__ out, std::int64_t row_elements, int radius_asked, Part part) {
  const int radius = CompiledRadius > 0 ? CompiledRadius : radius_asked;
  const int filter_side = 2 * radius + 1;
  const int column = static_cast<int>(blockIdx.x * block_width + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * block_height + threadIdx.y);
  if (column >= part.width || row >= part.height) return;

  const int x = part.x + column, y = part.y + row;
  // An element's value is found at its middle, half a step from its corner.
  const float left = static_cast<float>(x - part.window_x - radius) + 0.5f;
  const float top = static_cast<float>(y - part.window_y - radius) + 0.5f;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < filter_side; ++j) {
#pragma unroll
    for (int i = 0; i < filter_side; ++i) {
      const float value = tex2D<float>(image, left + static_cast<float>(i), top + static_cast<float>(j));
      sum += weights[j * filter_side + i] * value;
    }
  }
  out[y * row_elements + x] = sum;
}

// By radius; the first serves all that have no kernel of their own.
constexpr decltype(&correlate<0>) kernels[] = {correlate<0>, correlate<1>, correlate<2>,
                                               correlate<3>, correlate<4>, correlate<5>,
                                               correlate<6>, correlate<7>, correlate<8>};

/// Along one axis: where a window begins, and the outputs that it serves.
struct Span {
  int window, first, end;
};

/// The span that follows the outputs before `first`.
Span span_from(int first, int size, int window_side, int radius) {
  const int window = std::clamp(first - radius, 0, size - window_side);
  return {window, first, window + window_side == size ? size : window + window_side - radius};
}

class Texture final : public GpuRun {
 public:
  explicit Texture(const Problem& problem)
      : problem_(problem),
        kernel_(kernels[problem.radius <= 8 ? problem.radius : 0]),
        weights_(problem.weights.size()),
        window_width_(static_cast<int>(std::min<std::int64_t>(problem.width, most_window_side))),
        window_height_(static_cast<int>(std::min<std::int64_t>(problem.height, most_window_side))) {
    const cudaChannelFormatDesc one_float = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    HALATION_CUDA_CHECK(cudaMallocArray(&array, &one_float, window_width_, window_height_));
    array_.reset(array);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture{};
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeBorder;
    texture.borderColor[0] = problem.outside;
    HALATION_CUDA_CHECK(cudaCreateTextureObject(&texture_, &resource, &texture, nullptr));
  }

  ~Texture() override { (void)cudaDestroyTextureObject(texture_); }

  void upload_filter(Stream stream) override {
    const std::size_t bytes = problem_.weights.size() * sizeof(float);
    HALATION_CUDA_CHECK(cudaMemcpyAsync(weights_.data(), problem_.weights.data(), bytes,
                                        cudaMemcpyHostToDevice, static_cast<cudaStream_t>(stream.handle)));
  }

  void run(const float* in, float* out, Stream stream) override {
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const int width = static_cast<int>(problem_.width), height = static_cast<int>(problem_.height);
    for (Span y{}; y.end < height;) {
      y = span_from(y.end, height, window_height_, problem_.radius);
      for (Span x{}; x.end < width;) {
        x = span_from(x.end, width, window_width_, problem_.radius);
        HALATION_CUDA_CHECK(cudaMemcpy2DToArrayAsync(
            array_.get(), 0, 0, in + y.window * problem_.width + x.window, problem_.width * sizeof(float),
            window_width_ * sizeof(float), window_height_, cudaMemcpyDeviceToDevice, queue));
        const Part part{x.first, y.first, x.end - x.first, y.end - y.first, x.window, y.window};
        const int blocks_x = (part.width + block_width - 1) / block_width;
        const int blocks_y = (part.height + block_height - 1) / block_height;
        kernel_<<<dim3(blocks_x, blocks_y), dim3(block_width, block_height), 0, queue>>>(
            texture_, weights_.data(), out, problem_.width, problem_.radius, part);
        HALATION_CUDA_LAUNCHED("texture", queue);
      }
    }
  }

  std::vector<KernelLaunch> launches() const override {
    return {{reinterpret_cast<const void*>(kernel_), block_width * block_height, 0}};
  }

 private:
  Problem problem_;
  decltype(&correlate<0>) kernel_;
  cuda_backend::DeviceArray<float> weights_;
  int window_width_, window_height_;
  std::unique_ptr<cudaArray, cudaError_t (*)(cudaArray_t)> array_{nullptr, cudaFreeArray};
  cudaTextureObject_t texture_ = 0;
};

}  // namespace

std::unique_ptr<GpuRun> texture_2d(const Problem& problem) { return std::make_unique<Texture>(problem); }

}  // namespace halation::ladder
