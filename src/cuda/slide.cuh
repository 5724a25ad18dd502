// slide.cuh: a lane slides along a row of numbers in shared memory, sums and inputs in registers.
//
// A step is 8 taps of 16 outputs: 128 multiply-adds for two reads of 4 new inputs and two of 4 weights, which
// lie in shared memory too. Reads begin on 16-byte boundaries, so up to 7 taps come before the steps and up
// to 3 after them, behind tests that all lanes share. A tap that the filter does not have is never
// multiplied, not even by 0.
#pragma once

#include <algorithm>

#include "cuda/runtime.h"

namespace halation::cuda_backend {

constexpr int run = 16;   // outputs of a lane, neighbours
constexpr int ring = 24;  // inputs of a lane: 8 taps of 16 outputs
constexpr int step_taps = 8;

/// How the taps of a part are summed: `head` before the steps, `tail` after them.
struct Cut {
  int taps;
  int head;  // tap `head` meets the lane's first output on a 16-byte boundary
  int steps;
  int tail;
};

/// Of `taps` taps, the first of which meets a lane's first output `shift` numbers behind a 16-byte boundary.
inline Cut cut_for(int taps, int shift) {
  const int unaligned = -shift & 3;
  const int others = std::max(taps - unaligned, 0);
  return {.taps = taps, .head = unaligned + (others & 4), .steps = others / step_taps, .tail = others & 3};
}

/// Where input `value` is kept, counted from the one that the first tap of a round of three steps and the
/// lane's first output meet in.
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

/// Step `Step` of a round; the weights and inputs of the step after it are read meanwhile. `now` are its
/// first four weights.
template <int Step>
__device__ __forceinline__ void add_step(float (&sums)[run], float (&window)[ring], const float* from,
                                         const float* weights, Weights& now) {
  constexpr int first = Step * step_taps;
  const Weights after(weights + first + 4);
#pragma unroll
  for (int t = 0; t < 4; ++t) add_tap(sums, window, first + t, now.of[t]);
  read_four<first + ring>(window, from);
  now = Weights(weights + first + step_taps);
#pragma unroll
  for (int t = 0; t < 4; ++t) add_tap(sums, window, first + 4 + t, after.of[t]);
  read_four<first + ring + 4>(window, from);
}

/// The taps after the last step.
template <int Step>
__device__ __forceinline__ void add_tail(float (&sums)[run], const float (&window)[ring], const Weights& now,
                                         int tail) {
#pragma unroll
  for (int t = 0; t < 3; ++t) {
    if (t < tail) add_tap(sums, window, Step * step_taps + t, now.of[t]);
  }
}

/// Adds the taps of a part, in their order; `from` is the input that tap `head` and the lane's first output
/// meet in, `weights` that tap's weight. 8 more lie before each.
__device__ __forceinline__ void add_part(const Cut& cut, const float* from, const float* weights,
                                         float (&sums)[run]) {
  float window[ring];
  read_four<0>(window, from);
  read_four<4>(window, from);
  read_four<8>(window, from);
  read_four<12>(window, from);
  if (cut.head > 0) {
    read_four<-8>(window, from);
    read_four<-4>(window, from);
    const Weights early(weights - 8);
    const Weights late(weights - 4);
#pragma unroll
    for (int t = 7; t > 0; --t) {
      if (t <= cut.head && cut.head - t < cut.taps)
        add_tap(sums, window, -t, t > 4 ? early.of[(8 - t) % 4] : late.of[(8 - t) % 4]);
    }
  }
  read_four<16>(window, from);
  read_four<20>(window, from);
  Weights now(weights);
  int steps = cut.steps;
#pragma unroll 1
  for (;; from += ring, weights += ring) {
    if (steps-- == 0) return add_tail<0>(sums, window, now, cut.tail);
    add_step<0>(sums, window, from, weights, now);
    if (steps-- == 0) return add_tail<1>(sums, window, now, cut.tail);
    add_step<1>(sums, window, from, weights, now);
    if (steps-- == 0) return add_tail<2>(sums, window, now, cut.tail);
    add_step<2>(sums, window, from, weights, now);
  }
}

/// A lane's sums, to a 16-byte boundary.
__device__ __forceinline__ void write_run(const float (&sums)[run], float* to) {
#pragma unroll
  for (int i = 0; i < run; i += 4)
    *reinterpret_cast<float4*>(to + i) = make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]);
}

/// Numbers of a row or, of several channels, of a plane's row, that lanes may read: 8 before the taps of a
/// part meet 16-byte boundaries, and what the last run reads ahead.
inline int line_numbers(int pixels, int taps) {
  return (pixels + run - 1) / run * run + taps / step_taps * step_taps + ring;
}

}  // namespace halation::cuda_backend
