// peer_cudnn.cpp: NVIDIA's cuDNN: convolution of one channel by the fastest of its algorithms; the border is
// 0.
#include <array>
#include <cstdint>

#include "bench/peer.h"
#include "cuda/device/runtime.h"

namespace halation::bench {
namespace {

using cuda_backend::DeviceArray;

// Types, functions and constants of cuDNN 9, after its documentation.
using Handle = void*;
using Descriptor = void*;
constexpr int data_float = 0, data_half = 2;
constexpr int layout_nchw = 0;
constexpr int math_tensor_op = 1, math_fma = 3;
constexpr int mode_convolution = 0;
constexpr int most_algorithms = 8;

struct Performance {
  int algorithm;
  int status;
  float ms;
  std::size_t workspace_bytes;
  int determinism;
  int math;
  int reserved[3];
};

using GetVersion = std::size_t();
using GetErrorString = const char*(int status);
using Create = int(void** object);
using Destroy = int(void* object);
using SetStream = int(Handle handle, cudaStream_t stream);
using SetTensor = int(Descriptor tensor, int data, int dims, const int* extents, const int* strides);
using SetFilter = int(Descriptor filter, int data, int layout, int dims, const int* extents);
using SetConvolution = int(Descriptor convolution, int dims, const int* padding, const int* strides,
                           const int* dilation, int mode, int compute);
using SetMath = int(Descriptor convolution, int math);
using FindForward = int(Handle handle, Descriptor in_tensor, const void* in, Descriptor filter,
                        const void* weights, Descriptor convolution, Descriptor out_tensor, void* out,
                        int asked, int* found, Performance* results, void* workspace,
                        std::size_t workspace_bytes);
using Forward = int(Handle handle, const void* alpha, Descriptor in_tensor, const void* in, Descriptor filter,
                    const void* weights, Descriptor convolution, int algorithm, void* workspace,
                    std::size_t workspace_bytes, const void* beta, Descriptor out_tensor, void* out);

constexpr std::size_t most_workspace_bytes = std::size_t{1} << 30;

class Cudnn final : public Peer {
 public:
  explicit Cudnn(SharedLibrary library)
      : library_(std::move(library)), error_string_(library_.get<GetErrorString>("cudnnGetErrorString")) {
    handle_ = object("cudnnCreate", "cudnnDestroy");
  }

  std::string name() const override { return "cuDNN"; }
  std::string version() const override {
    const std::size_t version = library_.get<GetVersion>("cudnnGetVersion")();
    return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
           std::to_string(version % 100);
  }

  std::vector<Candidate> candidates(const Job& job, const Filter& filter, ConstView in, View out) override {
    const bool half = job.pixel == Pixel::f16;
    const auto taps = filter.size().space();
    const bool odd = taps[0] % 2 == 1 && taps[1] % 2 == 1 && taps[2] % 2 == 1;
    if ((!half && job.pixel != Pixel::f32) || job.output != job.pixel || job.shape.channels > 1 || !odd ||
        !worth_running_dense(filter) || job.shape.elements() > INT32_MAX)
      return {};
    auto problem = std::make_shared<Problem>();
    const int data = half ? data_half : data_float;
    describe(*problem, job.shape, taps, data);
    call<SetMath>("cudnnSetConvolutionMathType", problem->convolution.get(),
                  half ? math_tensor_op : math_fma);
    upload(*problem, convolution_weights(filter), half);
    problem->workspace = DeviceArray<std::byte>(most_workspace_bytes);

    std::array<Performance, most_algorithms> results{};
    int found = 0;
    call<FindForward>("cudnnFindConvolutionForwardAlgorithmEx", handle_.get(), problem->in_tensor.get(),
                      in.data, problem->filter.get(), problem->weights.data(), problem->convolution.get(),
                      problem->out_tensor.get(), out.data, most_algorithms, &found, results.data(),
                      problem->workspace.data(), most_workspace_bytes);
    const Performance& best = results[0];  // they come sorted by time
    if (found == 0 || best.status != 0) return {};
    call<SetMath>("cudnnSetConvolutionMathType", problem->convolution.get(), best.math);
    auto* forward = library_.get<Forward>("cudnnConvolutionForward");
    const std::string how = "cudnnConvolutionForward, algorithm " + std::to_string(best.algorithm);
    return {{how, "constant", [this, problem, forward, best, in, out](Stream stream) {
               const float one = 1, zero = 0;
               call<SetStream>("cudnnSetStream", handle_.get(), static_cast<cudaStream_t>(stream.handle));
               check(forward(handle_.get(), &one, problem->in_tensor.get(), in.data, problem->filter.get(),
                             problem->weights.data(), problem->convolution.get(), best.algorithm,
                             problem->workspace.data(), best.workspace_bytes, &zero,
                             problem->out_tensor.get(), out.data),
                     "cudnnConvolutionForward");
             }}};
  }

 private:
  using Object = std::shared_ptr<void>;

  struct Problem {
    Object in_tensor, out_tensor, filter, convolution;
    DeviceArray<std::byte> weights, workspace;
  };

  void check(int status, const char* function) const {
    if (status != 0) throw Error{ErrorCode::device, std::string(function) + ": " + error_string_(status)};
  }

  template <class Function, class... Arguments>
  void call(const char* function, Arguments... arguments) const {
    check(library_.get<Function>(function)(arguments...), function);
  }

  /// Something of the library's, destroyed by the library with its last owner.
  Object object(const char* create, const char* destroy) const {
    void* made = nullptr;
    call<Create>(create, &made);
    return {made, library_.get<Destroy>(destroy)};
  }

  /// Batch, one channel, then the axes: height and width, with depth before them in volumes.
  void describe(Problem& problem, const Shape& shape, const std::array<std::int64_t, 3>& taps,
                int data) const {
    problem.in_tensor = object("cudnnCreateTensorDescriptor", "cudnnDestroyTensorDescriptor");
    problem.out_tensor = object("cudnnCreateTensorDescriptor", "cudnnDestroyTensorDescriptor");
    problem.filter = object("cudnnCreateFilterDescriptor", "cudnnDestroyFilterDescriptor");
    problem.convolution = object("cudnnCreateConvolutionDescriptor", "cudnnDestroyConvolutionDescriptor");
    std::vector<int> extents = {static_cast<int>(shape.batch), 1};
    std::vector<int> filter = {1, 1}, padding;
    for (std::size_t axis = shape.depth > 1 ? 0 : 1; axis < 3; ++axis) {
      extents.push_back(static_cast<int>(shape.space()[axis]));
      filter.push_back(static_cast<int>(taps[axis]));
      padding.push_back(static_cast<int>(taps[axis] / 2));
    }
    std::vector<int> strides(extents.size(), 1);
    for (std::size_t axis = extents.size() - 1; axis > 0; --axis)
      strides[axis - 1] = strides[axis] * extents[axis];
    const std::vector<int> ones(padding.size(), 1);
    const int dims = static_cast<int>(extents.size());
    for (const Object& tensor : {problem.in_tensor, problem.out_tensor})
      call<SetTensor>("cudnnSetTensorNdDescriptor", tensor.get(), data, dims, extents.data(), strides.data());
    call<SetFilter>("cudnnSetFilterNdDescriptor", problem.filter.get(), data, layout_nchw, dims,
                    filter.data());
    call<SetConvolution>("cudnnSetConvolutionNdDescriptor", problem.convolution.get(), dims - 2,
                         padding.data(), ones.data(), ones.data(), mode_convolution, data_float);
  }

  static void upload(Problem& problem, const std::vector<float>& weights, bool half) {
    const std::vector<f16> rounded(weights.begin(), weights.end());
    const void* from = half ? static_cast<const void*>(rounded.data()) : weights.data();
    const std::size_t bytes = weights.size() * (half ? sizeof(f16) : sizeof(float));
    problem.weights = DeviceArray<std::byte>(bytes);
    HALATION_CUDA_CHECK(cudaMemcpy(problem.weights.data(), from, bytes, cudaMemcpyHostToDevice));
  }

  SharedLibrary library_;
  GetErrorString* error_string_;
  Object handle_;
};

}  // namespace

FoundPeer find_cudnn() { return find_peer<Cudnn>("cuDNN", {"libcudnn.so.9"}); }

}  // namespace halation::bench
