// y_reread.cuh: sums over boxes of equal weights along y, of any height and any pixels: each lane is on its own, with one column
// of a strip that it walks down a group of rows a step.
//
// Of a window, shared memory has the sums of whole groups alone. The rows at its lower end come from memory for the first time,
// those at its upper end once more. So a step takes two groups of rows, independent loads all of them: the group that enters, and
// the one whose rows leave with the next step. An output is the sum from its first row to the end of the group that leaves, what
// all outputs of the step share (some rows after that, and the middle of whole groups), and the sum from there to its last row. The
// middle is kept as sums to the end of a turn of `groups` groups and one sum of the next turn. Nothing is ever subtracted, so that
// what is not finite reaches no output but those whose window holds it.
#pragma once

#include <cstdint>

#include "cuda/parts/lines.cuh"

namespace halation::cuda_backend {

struct RereadArguments {
  LineArguments lines;
  std::byte* out;
  std::int64_t lead;  // of the window's first row
  int groups;         // of the middle: a window has one row, a group, `rest` rows and these
  int rest;           // less than a group
  float weight;
  float scale;
  float offset;
  int strip;  // rows of outputs in a block
};

constexpr int most_reread_warps = 4;

namespace reread_steps {

/// The rows of an image and how a lane gets its column's numbers from them.
struct Rows {
  const DeviceBorder& border;
  std::int64_t bytes;  // from one to the next
  const std::byte* column;
  float constant;

  template <int Group>
  __device__ __forceinline__ bool holds(std::int64_t first) const {
    return first >= 0 && first + Group <= border.n;
  }

  template <class In, int Group>
  __device__ __forceinline__ void load_inside(std::int64_t first, float (&numbers)[Group]) const {
    const std::byte* from = column + first * bytes;
#pragma unroll
    for (int i = 0; i < Group; ++i, from += bytes) numbers[i] = load_constant<In, float>(from);
  }

  /// Lane i looks up row i for all.
  template <class In, int Group>
  __device__ __forceinline__ void load_anywhere(std::int64_t first, float (&numbers)[Group]) const {
    constexpr unsigned all = 0xffffffff;
    const long long own = border.source(first + static_cast<int>(threadIdx.x) % Group);
#pragma unroll
    for (int i = 0; i < Group; ++i) {
      const long long row = __shfl_sync(all, own, i);
      numbers[i] = row < 0 ? constant : load_constant<In, float>(column + row * bytes);
    }
  }

  /// Two groups of rows, from `first` and from `second` on, weighed. All lanes of a warp ask for the same.
  template <class In, int Group>
  __device__ __forceinline__ void load_two(std::int64_t first, std::int64_t second, float weight, float (&one)[Group],
                                           float (&other)[Group]) const {
    if (holds<Group>(first) && holds<Group>(second)) {
      load_inside<In>(first, one);
      load_inside<In>(second, other);
    } else {
      load_anywhere<In>(first, one);
      load_anywhere<In>(second, other);
    }
#pragma unroll
    for (int i = 0; i < Group; ++i) {
      one[i] *= weight;
      other[i] *= weight;
    }
  }
};

template <int Group>
__device__ __forceinline__ float sum_of(const float (&numbers)[Group]) {
  float sum = 0;
#pragma unroll
  for (const float number : numbers) sum += number;
  return sum;
}

/// A lane's column of sums of groups in shared memory: of `groups` of them, the next to leave is at `at`.
class Middle {
 public:
  __device__ __forceinline__ Middle(float* column, int pitch, int groups)
      : first_(column), end_(column + groups * pitch), at_(column), pitch_(pitch) {}

  __device__ __forceinline__ float sum() const { return first_ == end_ ? 0 : *at_ + turn_; }

  /// Group `index` of those before the first output.
  __device__ __forceinline__ void set(int index, float sum) { first_[index * pitch_] = sum; }

  /// One group takes the place of another.
  __device__ __forceinline__ void enter(float sum) {
    if (first_ == end_) return;
    *at_ = sum;
    turn_ += sum;
    at_ += pitch_;
    if (at_ == end_) end_turn();
  }

  /// Each sum becomes that to the turn's end.
  __device__ __forceinline__ void end_turn() {
    at_ = first_;
    turn_ = 0;
    float to_end = 0;
#pragma unroll 4
    for (float* from = end_; from != first_;) {
      from -= pitch_;
      to_end += *from;
      *from = to_end;
    }
  }

 private:
  float* first_;
  float* end_;
  float* at_;
  int pitch_;
  float turn_ = 0;
};

/// A lane's column of outputs, `left` of them, a group at a time.
struct Outputs {
  std::byte* to;
  std::int64_t row_bytes;
  int left;

  template <class T, int Group>
  __device__ __forceinline__ void put_as(const RereadArguments& job, const float (&sums)[Group]) {
    std::byte* row = to;
    if (left >= Group) {
#pragma unroll
      for (int i = 0; i < Group; ++i, row += row_bytes) store_as<T>(row, sums[i] * job.scale + job.offset, job.lines.rounding);
    } else {
#pragma unroll
      for (int i = 0; i < Group - 1; ++i, row += row_bytes) {
        if (i < left) store_as<T>(row, sums[i] * job.scale + job.offset, job.lines.rounding);
      }
    }
  }

  template <int Group>
  __device__ __forceinline__ void put(const RereadArguments& job, const float (&sums)[Group]) {
    with_f32_pixel(job.lines.out_pixel, [&](auto element) { put_as<decltype(element)>(job, sums); });
    to += Group * row_bytes;
    left -= Group;
  }
};

}  // namespace reread_steps

template <class In, int Group>
__global__ void __launch_bounds__(32 * most_reread_warps) running_box_y_reread_kernel(const __grid_constant__ RereadArguments job) {
  using namespace reread_steps;
  extern __shared__ __align__(16) float group_sums[];
  const LineArguments& lines = job.lines;
  const Place place = place_of(lines, blockIdx.x, job.strip);
  const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
  // Lanes beyond the row's end walk along with its first column, for the others' sake.
  int pixel = thread * lines.by_channels >> 16;
  int channel = thread - pixel * lines.channels;
  const bool exists = pixel < pixels_left(lines, place.x);
  if (!exists) pixel = channel = 0;
  const std::int64_t x = place.x + pixel;
  const auto strip = static_cast<int>(min(lines.out.height - place.y, static_cast<std::int64_t>(job.strip)));
  const Rows rows{lines.borders[1], lines.in_strides.height,
                  place.in + place.z * lines.in_strides.depth + x * lines.in_strides.width + channel * lines.in_strides.channels,
                  static_cast<float>(lines.borders[1].constant)};
  Outputs outputs{
      job.out + place.out + place.y * lines.out_strides.height + x * lines.out_strides.width + channel * lines.out_strides.channels,
      lines.out_strides.height, exists ? strip : 0};
  Middle middle(group_sums + thread, static_cast<int>(blockDim.y) * 32, job.groups);
  const std::int64_t window = place.y + job.lead;             // of the strip's first output
  const std::int64_t middle_row = window + Group + job.rest;  // where its middle begins
  // Steps until the first outputs: two groups of the middle each but the last, which has one.
  const int before = job.groups / 2 + 1;
  float leaving[Group] = {};
#pragma unroll 1
  for (int step = -before; step * Group < strip; ++step) {
    const int pair = 2 * (step + before);
    const std::int64_t first = step < -1 ? middle_row + pair * Group : window + (step + 1) * Group;
    const std::int64_t second = middle_row + (step < -1 ? pair + 1 : step + job.groups) * Group;
    float next[Group];
    float entering[Group];
    rows.load_two<In>(first, second, job.weight, next, entering);
    if (step < -1) {
      middle.set(pair, sum_of(next));
      middle.set(pair + 1, sum_of(entering));
      continue;
    }
    if (step < 0) {
      if (job.groups > 0) middle.set(job.groups - 1, sum_of(entering));
      middle.end_turn();
    } else {
      float sum = middle.sum();
#pragma unroll
      for (int i = 0; i < Group - 1; ++i) {
        if (i < job.rest) sum += next[i];
      }
#pragma unroll
      for (int i = Group - 1; i >= 0; --i) {
        sum += leaving[i];
        leaving[i] = sum;
      }
      float entered = 0;
#pragma unroll
      for (int i = 0; i < Group; ++i) {
        entered += entering[i];
        leaving[i] += entered;
      }
      outputs.put(job, leaving);
      middle.enter(entered);
    }
#pragma unroll
    for (int i = 0; i < Group; ++i) leaving[i] = next[i];
  }
}

}  // namespace halation::cuda_backend
