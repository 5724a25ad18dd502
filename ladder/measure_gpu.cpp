// measure_gpu.cpp: the phases of a GPU rung, timed by events on one stream.
#include "ladder/measure_gpu.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device/runtime.h"
#include "halation/error.h"
#include "halation/transfer.h"
#include "ladder/gpu_clock.h"

namespace halation::ladder {
namespace {

using cuda_backend::DeviceArray;
using Clock = std::chrono::steady_clock;

constexpr int warm_ups = 3;
constexpr int least_repeats = 11;
constexpr int most_repeats = 201;
constexpr std::size_t copy_bytes = std::size_t{512} << 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A rung made ready, and the queue that all its work goes through.
class Bench {
 public:
  Bench(const Rung& rung, const Problem& problem, HostImages& images) : images_(images) {
    const Clock::time_point start = Clock::now();
    run_ = rung.gpu(problem);
    HALATION_CUDA_CHECK(cudaDeviceSynchronize());  // whatever queue the rung took to make itself ready
    preparation_s_ = seconds_since(start);
  }

  double preparation_s() const { return preparation_s_; }

  Image device_image() const {
    return allocate(images_.in.shape(), Pixel::f32, cuda(0), Layout::interleaved, stream_.stream());
  }

  void upload(Image& in) { transfer(in.view().data, images_.in.view().data, cudaMemcpyHostToDevice); }

  /// Sets all bits, which is not a number.
  void poison(Image& out) {
    HALATION_CUDA_CHECK(cudaMemsetAsync(out.view().data, 0xff, bytes(), stream_.handle()));
  }

  /// The filter, the rung and the result: queued, and waited for.
  void filter_and_download(const Image& in, Image& out) {
    before_filter_.record(stream_);
    run_->upload_filter(stream_.stream());
    before_kernel_.record(stream_);
    run(in, out);
    after_kernel_.record(stream_);
    transfer(images_.out.view().data, out.view().data, cudaMemcpyDeviceToHost);
    after_download_.record(stream_);
    stream_.wait();
  }

  /// An image from the host, through the rung, and back.
  Phases frame() {
    const Clock::time_point start = Clock::now();
    Image in = device_image();
    Image out = device_image();
    const double allocation_s = seconds_since(start);
    before_upload_.record(stream_);
    upload(in);
    filter_and_download(in, out);
    const double total_s = seconds_since(start);
    return {.allocation = allocation_s,
            .upload = before_filter_.seconds_since(before_upload_),
            .filter_upload = before_kernel_.seconds_since(before_filter_),
            .kernel = after_kernel_.seconds_since(before_kernel_),
            .download = after_download_.seconds_since(after_kernel_),
            .total = total_s};
  }

  /// From a new filter to its result on the host, the image being on the device.
  Phases second_filter(const Image& in, Image& out) {
    const Clock::time_point start = Clock::now();
    filter_and_download(in, out);
    const double total_s = seconds_since(start);
    return {.filter_upload = before_kernel_.seconds_since(before_filter_),
            .kernel = after_kernel_.seconds_since(before_kernel_),
            .download = after_download_.seconds_since(after_kernel_),
            .total = total_s};
  }

  /// Seconds of single runs among many.
  std::vector<double> run_times(const Image& in, Image& out, double budget_s) {
    return launch_times(stream_, {.least = least_repeats, .most = most_repeats, .budget_s = budget_s},
                        [&] { run(in, out); });
  }

 private:
  std::size_t bytes() const {
    return static_cast<std::size_t>(images_.in.shape().elements()) * sizeof(float);
  }

  void transfer(std::byte* to, const std::byte* from, cudaMemcpyKind direction) {
    HALATION_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes(), direction, stream_.handle()));
  }

  void run(const Image& in, Image& out) {
    run_->run(reinterpret_cast<const float*>(in.view().data), reinterpret_cast<float*>(out.view().data),
              stream_.stream());
  }

  HostImages& images_;
  OwnStream stream_;  // first, for the rest may give memory back in its order
  Event before_upload_, before_filter_, before_kernel_, after_kernel_, after_download_;
  std::unique_ptr<GpuRun> run_;
  double preparation_s_ = 0;
};

/// Repeats until the budget is spent: warm-ups apart, eleven times at least.
template <class Pass>
std::vector<Phases> repeated(Pass&& pass, double budget_s) {
  for (int i = 0; i < warm_ups; ++i) pass();
  std::vector<Phases> passes;
  const Clock::time_point start = Clock::now();
  while (passes.size() < least_repeats || (passes.size() < most_repeats && seconds_since(start) < budget_s))
    passes.push_back(pass());
  return passes;
}

Phases medians(const std::vector<Phases>& passes) {
  Phases result;
  for (double Phases::*phase : {&Phases::allocation, &Phases::upload, &Phases::filter_upload, &Phases::kernel,
                                &Phases::download, &Phases::total}) {
    std::vector<double> values;
    values.reserve(passes.size());
    for (const Phases& pass : passes) values.push_back(pass.*phase);
    result.*phase = median(std::move(values));
  }
  return result;
}

/// "580.82.07, CUDA 13.0": the driver's own number stands in a file on Linux and nowhere in the runtime.
std::string driver_version() {
  std::string number;
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; number.empty() && file >> word;) {
    if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos)
      number = word + ", ";
  }
  int cuda = 0;
  HALATION_CUDA_CHECK(cudaDriverGetVersion(&cuda));
  return number + "CUDA " + std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
}

}  // namespace

Gpu present_gpu() {
  Gpu gpu;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    gpu.why_not = status == cudaSuccess || status == cudaErrorNoDevice ? "the driver finds no GPU"
                  : status == cudaErrorInsufficientDriver ? "no NVIDIA driver, or one too old for this build"
                                                          : cudaGetErrorString(status);
    return gpu;
  }
  cudaDeviceProp properties{};
  HALATION_CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  HALATION_CUDA_CHECK(cudaSetDevice(0));
  HALATION_CUDA_CHECK(cudaMemGetInfo(&gpu.free_bytes, &gpu.memory_bytes));
  gpu.usable = true;
  gpu.name = properties.name;
  gpu.driver = driver_version();
  gpu.multiprocessors = properties.multiProcessorCount;
  return gpu;
}

double device_copy_bytes_per_s() {
  std::size_t free = 0, all = 0;
  HALATION_CUDA_CHECK(cudaMemGetInfo(&free, &all));
  const std::size_t bytes = std::min(copy_bytes, free / 4);
  const DeviceArray<std::byte> from(bytes), to(bytes);
  const OwnStream stream;
  Event before, after;
  HALATION_CUDA_CHECK(cudaMemsetAsync(from.data(), 0, bytes, stream.handle()));
  std::vector<double> times;
  for (int i = -warm_ups; i < least_repeats; ++i) {
    before.record(stream);
    HALATION_CUDA_CHECK(
        cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream.handle()));
    after.record(stream);
    stream.wait();
    if (i >= 0) times.push_back(after.seconds_since(before));
  }
  return 2 * static_cast<double>(bytes) / median(std::move(times));
}

void run_once_on_gpu(const Rung& rung, const Problem& problem, HostImages& images) {
  Bench bench(rung, problem, images);
  Image in = bench.device_image();
  Image out = bench.device_image();
  bench.upload(in);
  bench.poison(out);
  bench.filter_and_download(in, out);
}

double kernel_s_on_gpu(const Rung& rung, const Problem& problem, HostImages& images, double budget_s) {
  Bench bench(rung, problem, images);
  Image in = bench.device_image();
  Image out = bench.device_image();
  bench.upload(in);
  bench.filter_and_download(in, out);
  return median(bench.run_times(in, out, budget_s));
}

Timings measure_on_gpu(const Rung& rung, const Problem& problem, HostImages& images, double budget_s) {
  Bench bench(rung, problem, images);
  const std::vector<Phases> frames = repeated([&] { return bench.frame(); }, budget_s / 3);

  Image in = bench.device_image();
  Image out = bench.device_image();
  bench.upload(in);
  Timings timings;
  timings.frame = medians(frames);
  timings.second_filter = medians(repeated([&] { return bench.second_filter(in, out); }, budget_s / 3));
  timings.frame.kernel = timings.second_filter.kernel = median(bench.run_times(in, out, budget_s / 3));
  timings.preparation_s = bench.preparation_s();
  timings.repeats = static_cast<int>(frames.size());
  return timings;
}

}  // namespace halation::ladder
