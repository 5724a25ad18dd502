// slide.cuh: a lane slides along a row of numbers in shared memory, sums and inputs in registers.
//
// A step is 4 taps of 20 outputs: 80 multiply-adds for one read of 4 new inputs and one of 4 weights, which
// lie in shared memory too. Reads begin on 16-byte boundaries, so up to 3 taps come before the steps and up
// to 3 after them, behind tests that all lanes share. A tap that the filter does not have is never
// multiplied, not even by 0. Runs of 20 numbers side by side are an odd number of 16-byte words apart: the 8
// lanes that a read serves at once meet all banks, however the row lies.
#pragma once

#include <algorithm>

#include "cuda/device/runtime.h"

namespace halation::cuda_backend {

constexpr int run = 20;   // outputs of a lane, neighbours
constexpr int ring = 28;  // inputs of a lane: those of a step, and 4 of the step after it
constexpr int step_taps = 4;
constexpr int round_steps = ring / step_taps;  // until inputs are in the same registers again

/// How the taps of a part are summed: `head` before the steps, `tail` after them.
struct TapSteps {
  int taps;
  int head;  // tap `head` meets the lane's first output on a 16-byte boundary
  int steps;
  int tail;
};

/// Of `taps` taps, the first of which meets a lane's first output `shift` numbers behind a 16-byte boundary.
inline TapSteps cut_for(int taps, int shift) {
  const int head = -shift & 3;
  const int others = std::max(taps - head, 0);
  return {.taps = taps, .head = head, .steps = others / step_taps, .tail = others % step_taps};
}

/// Where input `value` is kept, counted from the one that the first tap of a round and the lane's first
/// output meet in.
__host__ __device__ constexpr int slot(int value) { return (value + ring) % ring; }

/// Inputs `Value` to `Value` + 3.
template <int Value>
__device__ __forceinline__ void read_four(float (&window)[ring], const float* from) {
  const float4 four = *reinterpret_cast<const float4*>(from + Value);
  window[slot(Value)] = four.x;
  window[slot(Value + 1)] = four.y;
  window[slot(Value + 2)] = four.z;
  window[slot(Value + 3)] = four.w;
}

/// Adds one tap, whose first input is `value`.
__device__ __forceinline__ void add_tap(float (&sums)[run], const float (&window)[ring], int value,
                                        float weight) {
#pragma unroll
  for (int i = 0; i < run; ++i) sums[i] += weight * window[slot(value + i)];
}

/// Four weights, which all lanes read from shared memory.
struct Weights {
  float of[4];
  __device__ __forceinline__ explicit Weights(const float* from) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    of[0] = four.x;
    of[1] = four.y;
    of[2] = four.z;
    of[3] = four.w;
  }
};

/// Step `Step` of a round, with the weights `now`; those of the step after it are read meanwhile, and the
/// inputs that the one after that needs first.
template <int Step>
__device__ __forceinline__ void add_step(float (&sums)[run], float (&window)[ring], const float* from,
                                         const float* weights, Weights& now) {
  constexpr int first = Step * step_taps;
  const Weights after(weights + first + step_taps);
#pragma unroll
  for (int t = 0; t < step_taps; ++t) add_tap(sums, window, first + t, now.of[t]);
  read_four<first + ring>(window, from);
  now = after;
}

/// The steps from `Step` of a round on, fewer than a round, and the taps after them.
template <int Step>
__device__ __forceinline__ void add_rest(float (&sums)[run], float (&window)[ring], const float* from,
                                         const float* weights, Weights& now, int steps, int tail) {
  if constexpr (Step + 1 < round_steps) {
    if (steps > Step) {
      add_step<Step>(sums, window, from, weights, now);
      add_rest<Step + 1>(sums, window, from, weights, now, steps, tail);
      return;
    }
  }
#pragma unroll
  for (int t = 0; t < step_taps - 1; ++t) {
    if (t >= tail) return;
    add_tap(sums, window, Step * step_taps + t, now.of[t]);
  }
}

/// Adds the taps of a part, in their order; `from` is the input that tap `head` and the lane's first output
/// meet in, `weights` that tap's weight. 4 more lie before each.
__device__ __forceinline__ void add_part(const TapSteps& cut, const float* from, const float* weights,
                                         float (&sums)[run]) {
  float window[ring];
  read_four<0>(window, from);
  read_four<4>(window, from);
  read_four<8>(window, from);
  read_four<12>(window, from);
  read_four<16>(window, from);
  Weights now(weights);
  if (cut.head > 0) {
    read_four<-4>(window, from);
    const Weights before(weights - 4);
#pragma unroll
    for (int t = 3; t > 0; --t) {
      if (t <= cut.head && cut.head - t < cut.taps) add_tap(sums, window, -t, before.of[4 - t]);
    }
  }
  read_four<20>(window, from);
  read_four<24>(window, from);
  int steps = cut.steps;
#pragma unroll 1
  for (; steps >= round_steps; steps -= round_steps, from += ring, weights += ring) {
    add_step<0>(sums, window, from, weights, now);
    add_step<1>(sums, window, from, weights, now);
    add_step<2>(sums, window, from, weights, now);
    add_step<3>(sums, window, from, weights, now);
    add_step<4>(sums, window, from, weights, now);
    add_step<5>(sums, window, from, weights, now);
    add_step<6>(sums, window, from, weights, now);
  }
  add_rest<0>(sums, window, from, weights, now, steps, cut.tail);
}

/// A lane's sums, to a 16-byte boundary.
__device__ __forceinline__ void write_run(const float (&sums)[run], float* to) {
#pragma unroll
  for (int i = 0; i < run; i += 4)
    *reinterpret_cast<float4*>(to + i) = make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]);
}

/// Numbers of a row or, of several channels, of a plane's row, that lanes may read: 4 before the taps of a
/// part meet 16-byte boundaries, and what the last run reads ahead.
inline int line_numbers(int pixels, int taps) {
  return (pixels + run - 1) / run * run + taps / step_taps * step_taps + 4 * step_taps;
}

}  // namespace halation::cuda_backend
