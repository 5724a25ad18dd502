// tap_sums.cu: sums of taps on a GPU: a thread for each output, or, where outputs are few and taps many, a
// warp.
#include "tap_sums.h"

#include <cuda_runtime.h>

#include <halation/error.h>

#include <algorithm>
#include <string>

namespace halation::python {
namespace {

constexpr int threads = 256;
/// Outputs up to which a warp sums each, and taps from which on.
constexpr std::int64_t few_outputs = 1 << 16;
constexpr int many_taps = 32;
constexpr unsigned all_lanes = 0xFFFF'FFFFU;
constexpr std::uint32_t most_slices = 65535;  // of a launch

/// By threads, an output each. All of a warp go the same way, beside the border the slower one.
template <class T, class Offset, int axes>
__global__ void __launch_bounds__(threads)
    sum_by_threads(const __grid_constant__ TapJob job, std::uint32_t first_slice, const std::byte* from,
                   std::byte* to) {
  const unsigned index = blockIdx.x * threads + threadIdx.x;
  const auto place = place_of<Offset, axes>(job, first_slice + blockIdx.y, min(index, job.elements - 1));
  const bool inside = __all_sync(all_lanes, place.is_inside);
  const bool inner_inside = __all_sync(all_lanes, is_inner_inside(job, place.coordinate));
  const double sum = sum_taps_of<T>(job, from, place, inside, inner_inside, {});
  if (index < job.elements) put(job, sum, to + place.to);
}

/// By warps, an output each.
template <class T, class Offset>
__global__ void __launch_bounds__(threads)
    sum_by_warps(const __grid_constant__ TapJob job, std::uint32_t first_slice, const std::byte* from,
                 std::byte* to) {
  const unsigned index = (blockIdx.x * threads + threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (index >= job.elements) return;
  // Lanes take rows, where there are more of these than taps in a row.
  const bool takes_rows = std::int64_t{job.rows} * job.rows > job.count;
  const TapShare share{takes_rows ? lane : 0, takes_rows ? 32 : 1, takes_rows ? 0 : lane,
                       takes_rows ? 1 : 32};
  const auto place = place_of<Offset, TapJob::most_axes>(job, first_slice + blockIdx.y, index);
  double sum =
      sum_taps_of<T>(job, from, place, place.is_inside, is_inner_inside(job, place.coordinate), share);
  for (unsigned apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(all_lanes, sum, apart);
  if (lane == 0) put(job, sum, to + place.to);
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw Error(ErrorCode::device, std::string("CUDA: ") + cudaGetErrorString(error));
}

/// Makes a device the current one, for as long as it lives.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_));
    if (device != before_) check(cudaSetDevice(device));
    moved_ = device != before_;
  }
  ~OnDevice() {
    if (moved_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool moved_ = false;
};

template <class T, class Offset>
void launch(const TapJob& job, const std::byte* from, std::byte* to, cudaStream_t stream) {
  const bool by_warps = job.count >= many_taps && std::int64_t{job.elements} * job.slices <= few_outputs;
  const std::int64_t block = by_warps ? threads / 32 : threads;
  for (std::uint32_t first = 0; first < job.slices; first += most_slices) {
    const dim3 grid(static_cast<unsigned>((job.elements + block - 1) / block),
                    std::min(job.slices - first, most_slices));
    if (by_warps) {
      sum_by_warps<T, Offset><<<grid, threads, 0, stream>>>(job, first, from, to);
    } else if (job.axes <= 2) {
      sum_by_threads<T, Offset, 2><<<grid, threads, 0, stream>>>(job, first, from, to);
    } else if (job.axes <= 4) {
      sum_by_threads<T, Offset, 4><<<grid, threads, 0, stream>>>(job, first, from, to);
    } else {
      sum_by_threads<T, Offset, TapJob::most_axes><<<grid, threads, 0, stream>>>(job, first, from, to);
    }
    check(cudaGetLastError());
  }
}

}  // namespace

void launch_taps(const TapJob& job, const std::byte* from, std::byte* to, int device, void* stream) {
  const OnDevice there(device);
  const auto queue = static_cast<cudaStream_t>(stream);
  visit(job.in, [&](auto element) {
    if (job.is_small) return launch<decltype(element), std::int32_t>(job, from, to, queue);
    launch<decltype(element), std::int64_t>(job, from, to, queue);
  });
}

}  // namespace halation::python
