// x.cuh: boxes of equal weights along x where rows are f32 on 16-byte boundaries.
//
// The cost hardly depends on the window. Each warp is on its own, with tiles of one to four times 640
// outputs, which it sums one after the other, 20 a lane, side by side. Numbers come in groups of 20, one a
// lane: lane l's is group l, and the lane's windows begin in it. They share what lies whole in all of them:
// the `groups` groups after it, the middle. So an output is the sum from its first number to the end of group
// l, the middle, and the sum from the middle's end to its last number. Nothing is ever subtracted, so that
// what is not finite reaches no output but those whose window holds it.
//
// The two ends of a lane give two groups' sums on the way: that of group l, and that of group l + groups + 1,
// the first after its middle. These are all groups of all middles where a middle has 31 at most. In a longer
// one, the groups 32 to `groups` are part of every lane's middle, so the warp sums them together, and the
// lanes' groups before and after these are summed across the warp.
#pragma once

#include "cuda/parts/rows/stretches.cuh"
#include "cuda/parts/windows.cuh"

namespace halation::cuda_backend {

constexpr int most_box_x_warps = 8;
constexpr int box_x_stages = 2;         // tiles of a warp in shared memory
constexpr int shared_groups = 2 * 32;    // numbers of shared memory that groups' sums take
constexpr int end_numbers = run + 4;     // that a lane's windows begin or end in, from a 16-byte boundary on
constexpr int most_groups_each = 31;     // of a middle that a lane sums by itself
constexpr int most_words = run / 4 - 1;  // between a middle and the numbers that windows end in

/// A window of `last.taps` columns, of `weights[0]` each. Numbers are counted from where a lane begins to
/// read its tile, 20 a lane apart.
struct BoxXArguments : RowArguments<1> {
  int begin;   // where the window of the lane's first output begins, 1 to 4; its group ends before number 24
  int groups;  // of the middle
  int words;   // of 4 numbers after the middle that all windows of a lane hold, up to 4
  int rest;    // numbers after these in the first output's window, up to 3
  int tile;    // outputs of a whole tile
};

/// How a lane's windows are cut, of as many columns as `last` has.
inline void set_middle(BoxXArguments& job) {
  job.begin = step_taps - job.last.head;
  const int after = job.begin + job.last.taps - end_numbers;  // numbers of the first window after group l
  job.groups = after / run;
  job.words = after % run / 4;
  job.rest = after % 4;
}

namespace box_x_steps {

/// Sums to the end of the lane's group, of windows that begin at number `Begin` and after it; gives the
/// group's sum.
template <int Begin>
__device__ __forceinline__ float sum_to_end(float weight, const float* from, float (&sums)[run]) {
  float numbers[end_numbers];
  load_window<4>(numbers, from);
  float sum = 0;
  float group = 0;
#pragma unroll
  for (int n = end_numbers - 1; n >= Begin; --n) {
    sum += weight * numbers[n];
    if (n - Begin < run) sums[n - Begin] = sum;
    if (n == end_numbers - run) group = sum;
  }
  return group;
}

/// Adds to output i the `sum` of the `words` words before `from`, and `Rest` + i numbers from there on; gives
/// the sum of the group that these words begin.
template <int Rest>
__device__ __forceinline__ float add_from_begin(float weight, const float* from, int words, float sum,
                                                float (&sums)[run]) {
  constexpr int last = Rest > 0 ? Rest + run - 1 : run;  // of all that is summed here
  float numbers[end_numbers];
  load_window<4>(numbers, from);
  float group = 0;
#pragma unroll
  for (int n = 0; n <= last; ++n) {
    if (n > 0) sum += weight * numbers[n - 1];
    if (n >= Rest && n - Rest < run) sums[n - Rest] += sum;
    if (n > 0 && n % 4 == 0 && words == (run - n) / 4) group = sum;
  }
  return group;
}

/// Four sums, so that additions need not wait for each other, of words of 4 numbers.
struct FourSums {
  float of[4] = {};

  __device__ __forceinline__ void add(float weight, const float* from) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    of[0] += weight * four.x;
    of[1] += weight * four.y;
    of[2] += weight * four.z;
    of[3] += weight * four.w;
  }
  __device__ __forceinline__ float together() const { return (of[0] + of[1]) + (of[2] + of[3]); }
};

/// The middle of up to 31 groups, by way of shared memory.
__device__ __forceinline__ float middle_each(int groups, int lane, float first, float last, float* shared) {
  shared[lane] = first;
  if (lane + groups + 1 >= 32) shared[lane + groups + 1] = last;
  __syncwarp();
  const float* from = shared + lane + 1;
  float sum = 0;
  float other = 0;
  const auto add_pairs = [&](auto pairs) {
#pragma unroll
    for (int i = 0; i < decltype(pairs)::value; ++i) {
      sum += from[2 * i];
      other += from[2 * i + 1];
    }
    from += 2 * decltype(pairs)::value;
  };
#pragma unroll 1
  for (int left = groups; left >= 8; left -= 8) add_pairs(std::integral_constant<int, 4>{});
  if ((groups & 4) != 0) add_pairs(std::integral_constant<int, 2>{});
  if ((groups & 2) != 0) add_pairs(std::integral_constant<int, 1>{});
  if ((groups & 1) != 0) sum += *from;
  return sum + other;
}

/// The middle of more groups: of those before group 32, of group 32 to `groups`, which lie in `common` words
/// from `from` on, and of those after these.
__device__ __forceinline__ float middle_together(float weight, int lane, const float* from, int common,
                                                 float first, float last) {
  constexpr unsigned all = 0xffffffff;
  FourSums words;
#pragma unroll 4
  for (int word = lane; word < common; word += 32) words.add(weight, from + 4 * word);
  float own = words.together();
#pragma unroll
  for (int apart = 1; apart < 32; apart *= 2) {
    own += __shfl_xor_sync(all, own, apart);
    const float later = __shfl_down_sync(all, first, apart);
    const float earlier = __shfl_up_sync(all, last, apart);
    if (lane + apart < 32) first += later;
    if (lane >= apart) last += earlier;
  }
  const float before = __shfl_down_sync(all, first, 1);
  const float after = __shfl_up_sync(all, last, 1);
  if (lane < 31) own += before;
  if (lane > 0) own += after;
  return own;
}

template <class Sum>
__device__ __forceinline__ auto by_number(int number, const Sum& sum) {
  switch (number) {  // the same for all
    case 0:
      return sum(std::integral_constant<int, 0>{});
    case 1:
      return sum(std::integral_constant<int, 1>{});
    case 2:
      return sum(std::integral_constant<int, 2>{});
    default:
      return sum(std::integral_constant<int, 3>{});
  }
}

/// A lane's outputs of the stretch at `stretch`.
__device__ __forceinline__ void sum_windows(const BoxXArguments& job, const float* stretch, float* shared,
                                            float (&sums)[run]) {
  const int lane = static_cast<int>(threadIdx.x);
  const float weight = job.weights[0];
  const float* const from = stretch + lane * run;
  const float first = by_number(
      job.begin - 1, [&](auto begin) { return sum_to_end<decltype(begin)::value + 1>(weight, from, sums); });
  const float* const after = from + end_numbers + job.groups * run;
  FourSums words;
#pragma unroll
  for (int word = 0; word < most_words; ++word) {
    if (word < job.words) words.add(weight, after + 4 * word);
  }
  const float* const ends = after + 4 * job.words;
  const float sum = words.together();
  const float last = by_number(job.rest, [&](auto rest) {
    return add_from_begin<decltype(rest)::value>(weight, ends, job.words, sum, sums);
  });
  if (job.groups == 0) return;
  const int common = (job.groups - most_groups_each) * (run / 4);
  const float middle = common < 0
                           ? middle_each(job.groups, lane, first, last, shared)
                           : middle_together(weight, lane, stretch + end_numbers + most_groups_each * run,
                                             common, first, last);
#pragma unroll
  for (int i = 0; i < run; ++i) sums[i] += middle;
}

}  // namespace box_x_steps

__global__ void __launch_bounds__(32 * most_box_x_warps, 3)
    running_box_x_kernel(const __grid_constant__ BoxXArguments job) {
  extern __shared__ __align__(128) std::byte shared_memory[];
  const int warps = static_cast<int>(blockDim.y);
  const int warp = static_cast<int>(threadIdx.y);
  const int lane = static_cast<int>(threadIdx.x);
  // A warp's own: where its tiles arrive, its sums on their way out, groups' sums, and its tiles.
  float* const own = reinterpret_cast<float*>(shared_memory) +
                     warp * (arrivals + warp_pixels + shared_groups + box_x_stages * job.row_pitch);
  auto* const there = reinterpret_cast<Arrival*>(own);
  float* const sums_out = own + arrivals;
  float* const groups = sums_out + warp_pixels;
  float* const buffers = groups + shared_groups;
  if (lane == 0) {
    for (int s = 0; s < box_x_stages; ++s) there[s].start(1);
  }
  __syncwarp();

  const int apart = static_cast<int>(gridDim.x) * warps;
  int tile = static_cast<int>(blockIdx.x) * warps + warp;
  int coming = tile;  // which is to be brought
#pragma unroll 1
  for (int s = 0; s < box_x_stages && coming < job.tiles; ++s, coming += apart)
    bring(job, Stretch(job, coming), 0, buffers + s * job.row_pitch, there[s]);

  int s = 0;     // which of the stages,
  int time = 0;  // and how often each has been used
#pragma unroll 1
  for (; tile < job.tiles; tile += apart, coming += apart) {
    float* const buffer = buffers + s * job.row_pitch;
    await_tile(there[s], time);
    const Stretch done(job, tile);
    const int pixels = done.pixels(job);
#pragma unroll 1
    for (int skip = 0; skip < pixels; skip += warp_pixels) {
      float sums[run];
      box_x_steps::sum_windows(job, buffer + skip, groups, sums);
      finish_run(job, sums, sums_out);
      before_bulk();
      __syncwarp();
      take_away(job, done, skip, sums_out);
    }
    if (coming < job.tiles) bring_either(job, Stretch(job, coming), 0, buffer, there[s]);
    if (++s == box_x_stages) {
      s = 0;
      ++time;
    }
  }
  if (lane == 0) stored_bulk();
}

}  // namespace halation::cuda_backend
