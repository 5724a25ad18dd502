// peer_cufft.cpp: filtering by NVIDIA's cuFFT: real to complex, multiply, complex to real; the border is
// wrap, as FFTs have it.
#include <algorithm>
#include <cstdint>

#include "bench/multiply_spectra.h"
#include "bench/peer.h"
#include "cuda/device/runtime.h"
#include "halation/transfer.h"

namespace halation::bench {
namespace {

using cuda_backend::DeviceArray;

// Functions and constants of cuFFT 11 and 12, after their documentation.
using Handle = int;
constexpr int real_to_complex = 0x2a;
constexpr int complex_to_real = 0x2c;
using GetVersion = int(int* version);
using Destroy = int(Handle plan);
using SetStream = int(Handle plan, cudaStream_t stream);
using PlanMany = int(Handle* plan, int rank, int* extents, int* in_storage, int in_stride, int in_distance,
                     int* out_storage, int out_stride, int out_distance, int type, int batch);
using Execute = int(Handle plan, void* in, void* out);

class Cufft final : public Peer {
 public:
  explicit Cufft(SharedLibrary library)
      : library_(std::move(library)),
        plan_many_(library_.get<PlanMany>("cufftPlanMany")),
        destroy_(library_.get<Destroy>("cufftDestroy")),
        set_stream_(library_.get<SetStream>("cufftSetStream")),
        forward_(library_.get<Execute>("cufftExecR2C")),
        backward_(library_.get<Execute>("cufftExecC2R")) {
    check(library_.get<GetVersion>("cufftGetVersion")(&version_), "cufftGetVersion");
  }

  std::string name() const override { return "cuFFT"; }
  std::string version() const override {
    return std::to_string(version_ / 1000) + "." + std::to_string(version_ % 1000 / 100) + "." +
           std::to_string(version_ % 100);
  }

  std::vector<Candidate> candidates(const Job& job, const Filter& filter, ConstView in, View out) override {
    const Shape& shape = job.shape;
    const auto taps = filter.size().space();
    const auto extents = shape.space();
    const bool wider = std::equal(taps.begin(), taps.end(), extents.begin(),
                                  [](std::int64_t k, std::int64_t n) { return k <= n; });
    if (job.pixel != Pixel::f32 || job.output != Pixel::f32 || shape.channels > 1 || shape.batch > 1 ||
        !wider || shape.elements() > INT32_MAX)
      return {};
    const auto transform = std::make_shared<const Transform>(*this, shape);
    const auto weights = std::make_shared<DeviceArray<float>>(transform->complex_floats());
    {
      const Image spread = to_device(spread_weights(filter, shape), cuda(0));
      transform->forward(floats(spread.view()), weights->data(), {});
      synchronise(cuda(0));
    }
    const auto spectrum = std::make_shared<DeviceArray<float>>(transform->complex_floats());
    const float scale = 1.0F / static_cast<float>(shape.elements());
    const auto run = [=](Stream stream) {
      transform->forward(floats(in), spectrum->data(), stream);
      multiply_spectra(spectrum->data(), weights->data(),
                       static_cast<std::int64_t>(transform->complex_floats() / 2), scale, stream);
      transform->backward(spectrum->data(), reinterpret_cast<float*>(out.data), stream);
    };
    return {{"cufftExecR2C, multiply, cufftExecC2R", "wrap", run}};
  }

 private:
  static void check(int status, const char* function) {
    constexpr int allocation_failed = 2;
    if (status == 0) return;
    throw Error{status == allocation_failed ? ErrorCode::out_of_memory : ErrorCode::device,
                std::string(function) + " refuses with status " + std::to_string(status)};
  }

  static const float* floats(ConstView image) { return reinterpret_cast<const float*>(image.data); }

  /// The weights on an image of zeros, each where a circular convolution takes it to.
  static Image spread_weights(const Filter& filter, const Shape& shape) {
    Image image(shape, Pixel::f32);
    auto* values = reinterpret_cast<float*>(image.view().data);
    std::fill_n(values, shape.elements(), 0.0F);
    const FilterSize size = filter.size();
    Anchor anchor = filter.anchor();
    if (filter.is_correlation())
      anchor = {size.depth - 1 - anchor.z, size.height - 1 - anchor.y, size.width - 1 - anchor.x};
    const std::vector<float> weights = convolution_weights(filter);
    const float* weight = weights.data();
    const auto around = [](std::int64_t k, std::int64_t a, std::int64_t n) { return (k - a + n) % n; };
    for (std::int64_t z = 0; z < size.depth; ++z) {
      for (std::int64_t y = 0; y < size.height; ++y) {
        for (std::int64_t x = 0; x < size.width; ++x) {
          const std::int64_t row =
              around(z, anchor.z, shape.depth) * shape.height + around(y, anchor.y, shape.height);
          values[row * shape.width + around(x, anchor.x, shape.width)] = *weight++;
        }
      }
    }
    return image;
  }

  /// Plans there and back for one shape.
  class Transform {
   public:
    Transform(const Cufft& cufft, const Shape& shape) : cufft_(cufft) {
      std::vector<int> extents;
      for (const std::int64_t extent : shape.space()) {
        if (extent > 1 || !extents.empty()) extents.push_back(static_cast<int>(extent));
      }
      if (extents.empty()) extents.push_back(1);
      complex_floats_ = static_cast<std::size_t>(shape.elements() / shape.width * (shape.width / 2 + 1)) * 2;
      const int rank = static_cast<int>(extents.size());
      check(
          cufft.plan_many_(&forward_, rank, extents.data(), nullptr, 1, 0, nullptr, 1, 0, real_to_complex, 1),
          "cufftPlanMany");
      try {
        check(cufft.plan_many_(&backward_, rank, extents.data(), nullptr, 1, 0, nullptr, 1, 0,
                               complex_to_real, 1),
              "cufftPlanMany");
      } catch (...) {
        (void)cufft.destroy_(forward_);
        throw;
      }
    }
    ~Transform() {
      (void)cufft_.destroy_(forward_);
      (void)cufft_.destroy_(backward_);
    }
    Transform(const Transform&) = delete;
    Transform& operator=(const Transform&) = delete;

    std::size_t complex_floats() const { return complex_floats_; }

    void forward(const float* in, float* out, Stream stream) const {
      check(cufft_.set_stream_(forward_, static_cast<cudaStream_t>(stream.handle)), "cufftSetStream");
      check(cufft_.forward_(forward_, const_cast<float*>(in), out), "cufftExecR2C");
    }
    /// Overwrites `in`.
    void backward(float* in, float* out, Stream stream) const {
      check(cufft_.set_stream_(backward_, static_cast<cudaStream_t>(stream.handle)), "cufftSetStream");
      check(cufft_.backward_(backward_, in, out), "cufftExecC2R");
    }

   private:
    const Cufft& cufft_;
    Handle forward_ = 0, backward_ = 0;
    std::size_t complex_floats_ = 0;
  };

  SharedLibrary library_;
  PlanMany* plan_many_;
  Destroy* destroy_;
  SetStream* set_stream_;
  Execute *forward_, *backward_;
  int version_ = 0;
};

}  // namespace

FoundPeer find_cufft() { return find_peer<Cufft>("cuFFT", {"libcufft.so.12", "libcufft.so.11"}); }

}  // namespace halation::bench
