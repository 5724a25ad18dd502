// numbers.cu: integers of any size as f64, and f64 as any pixels: around kernels that take f64.
//
//   thread → elements  one of a row, and of every 65,535th row
//   traffic            each element once, and 8 bytes a number
//   instantiations     5 integers to numbers; 11 pixels of numbers, and of halves of 64-bit integers
#include "cuda/compose/numbers.h"

#include <algorithm>
#include <type_traits>

#include "core/convert.h"
#include "cuda/device/device.h"
#include "cuda/device/runtime.h"

namespace halation::cuda_backend {
namespace {

constexpr unsigned threads = 256;

struct Arguments {
  std::byte* image;
  Strides strides;
  Shape n;
  double* numbers;  ///< packed, channels side by side
  double* low;      ///< the lower halves; null where numbers are whole
  ElementRule rule;
};

/// body(element, i) for each element of the image, the i-th of a packed one.
template <class Body>
__device__ __forceinline__ void for_each_element(const Arguments& job, const Body& body) {
  const std::int64_t row = job.n.width * job.n.channels;
  const std::int64_t rows = job.n.batch * job.n.depth * job.n.height;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (at >= row) return;
  const std::int64_t along = at / job.n.channels * job.strides.width + at % job.n.channels * job.strides.channels;
  for (std::int64_t i = blockIdx.y; i < rows; i += gridDim.y) {
    const std::int64_t plane = i / job.n.height;
    const std::int64_t place = plane / job.n.depth * job.strides.batch + plane % job.n.depth * job.strides.depth +
                               i % job.n.height * job.strides.height;
    body(job.image + place + along, i * row + at);
  }
}

template <class T>
__global__ void __launch_bounds__(threads) read_kernel(const __grid_constant__ Arguments job) {
  for_each_element(job, [&](const std::byte* element, std::int64_t i) {
    const T value = *reinterpret_cast<const T*>(element);
    if constexpr (sizeof(T) == 8) {
      const Halves halves = halves_of(value);
      job.numbers[i] = halves.high;
      job.low[i] = halves.low;
    } else {
      job.numbers[i] = static_cast<double>(value);
    }
  });
}

template <class T, bool AreHalves>
__global__ void __launch_bounds__(threads) write_kernel(const __grid_constant__ Arguments job) {
  for_each_element(job, [&](std::byte* element, std::int64_t i) {
    const auto sum = [&] {
      if constexpr (AreHalves) return sum_of({job.numbers[i], job.low[i]});
      else return job.numbers[i];
    }();
    if constexpr (std::is_same_v<T, f16>) {
      *reinterpret_cast<__half*>(element) = __double2half(element_of<double>(sum, job.rule));
    } else {
      *reinterpret_cast<T*>(element) = element_of<T>(sum, job.rule);
    }
  });
}

using Kernel = void (*)(Arguments);

void launch(Kernel kernel, const Arguments& job, Device device, Stream stream) {
  const UseDevice use(device);
  const std::int64_t row = job.n.width * job.n.channels, rows = job.n.batch * job.n.depth * job.n.height;
  const dim3 grid(static_cast<unsigned>((row + threads - 1) / threads),
                  static_cast<unsigned>(std::min<std::int64_t>(rows, 65535)));
  const auto queue = static_cast<cudaStream_t>(stream.handle);
  kernel<<<grid, threads, 0, queue>>>(job);
  HALATION_CUDA_LAUNCHED("numbers", queue);
}

double* numbers_in(const std::byte* data) { return reinterpret_cast<double*>(const_cast<std::byte*>(data)); }

}  // namespace

void read_numbers(const ConstView& from, std::span<const View> numbers, Stream stream) {
  const auto kernel = visit_number(from.pixel, [](auto like) -> Kernel {
    using T = decltype(like);
    if constexpr (std::is_integral_v<T>) return read_kernel<T>;
    else return nullptr;
  });
  launch(kernel,
         {.image = const_cast<std::byte*>(from.data),
          .strides = from.strides,
          .n = from.shape,
          .numbers = numbers_in(numbers[0].data),
          .low = numbers.size() == 2 ? numbers_in(numbers[1].data) : nullptr,
          .rule = {}},
         from.device, stream);
}

void write_elements(std::span<const ConstView> numbers, const View& to, const ElementRule& rule, Stream stream) {
  const bool are_halves = numbers.size() == 2;
  const auto kernel = visit_number(to.pixel, [&](auto like) -> Kernel {
    using T = decltype(like);
    return are_halves ? write_kernel<T, true> : write_kernel<T, false>;
  });
  launch(kernel,
         {.image = to.data,
          .strides = to.strides,
          .n = to.shape,
          .numbers = numbers_in(numbers[0].data),
          .low = are_halves ? numbers_in(numbers[1].data) : nullptr,
          .rule = rule},
         to.device, stream);
}

}  // namespace halation::cuda_backend
