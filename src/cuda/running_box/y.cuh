// y.cuh: sums over boxes of equal weights along y where rows are f32 that the copy engine brings: one warp asks for rows, some
// weigh them, the others sum along y, all at once on three neighbouring groups of eight rows, and meet once a group.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/parts/bulk_rows.cuh"
#include "cuda/parts/lines.cuh"
#include "cuda/parts/windows.cuh"

namespace halation::cuda_backend {

/// Rows that a group has, and outputs that share a middle.
constexpr int box_group = 8;

/// A box of nine rows and more.
struct BoxSpan {
  int taps = 0;
  int groups = 0;  // of the middle
  int rest = 0;    // rows after these

  BoxSpan() = default;
  explicit BoxSpan(int rows) : taps(rows), groups((rows - 1) / box_group - 1), rest((rows - 1) % box_group) {}
};

constexpr int most_box_buffers = 4;

struct BoxArguments {
  LineArguments lines;
  std::byte* out;
  std::int64_t lead;  // of the window's first row
  BoxSpan box;
  float weight;
  float scale;
  float offset;
  int strip;        // rows of outputs in a block
  int buffers;      // of 8 staged rows
  int ring_groups;  // of 8 rows: all that a window reaches, and one that is being written
};

/// Blocks of `Width` columns of outputs.
template <int Width>
struct BoxBlock {
  static constexpr int width = Width;
  static constexpr int pitch = Width + 4;  // from one row to the next: 4 · odd, so that lanes on 8 rows meet all banks by fours
  static constexpr int threads = 2 * Width + 32;              // those that sum, those that weigh, and the warp that brings rows
  static constexpr int registers = threads > 512 ? 56 : 64;   // of a thread, at most
  static constexpr int blocks = 65536 / registers / threads;  // a multiprocessor has registers for
};

namespace box_steps {

/// What all threads of a block know of its way.
struct Way {
  Place place;
  int count;   // output rows
  int before;  // groups of rows that enter before the first output
  int skip;    // rows of the first group that no output needs
  int steps;   // groups of rows

  __device__ __forceinline__ explicit Way(const BoxArguments& job)
      : place(place_of(job.lines, blockIdx.x, job.strip)),
        count(static_cast<int>(min(job.lines.out.height - place.y, static_cast<std::int64_t>(job.strip)))),
        before((job.box.taps - 1 + box_group - 1) / box_group),
        skip(before * box_group - (job.box.taps - 1)),
        steps(before + (count + box_group - 1) / box_group) {}
};

/// Where shared memory has what.
struct Memory {
  Arrival* there;  // one a buffer
  float* staged;
  float* ring;
  float* turns;

  template <class Block>
  static __device__ __forceinline__ Memory of(const BoxArguments& job, std::byte* bytes) {
    Memory memory;
    memory.there = reinterpret_cast<Arrival*>(bytes);
    memory.staged = reinterpret_cast<float*>(bytes + most_box_buffers * sizeof(Arrival));
    memory.ring = memory.staged + job.buffers * box_group * Block::pitch;
    memory.turns = memory.ring + job.ring_groups * box_group * Block::pitch;
    return memory;
  }
};

/// One warp: while group s is weighed, group s + buffers − 1 is asked for. Rows inside the image need none of what `stage_bulk`
/// looks up.
template <class Block>
__device__ __forceinline__ void bring_rows(const BoxArguments& job, const Memory& memory) {
  const Way way(job);
  const LineArguments& lines = job.lines;
  const int lane = static_cast<int>(threadIdx.x);
  const int rows = way.skip + way.count + job.box.taps - 1;
  const int columns = pixels_left(lines, way.place.x);
  const int copied = (columns + 3) & ~3;
  const std::int64_t x = way.place.x;
  const std::int64_t y = way.place.y + job.lead - way.skip;
  const std::int64_t z = way.place.z;
  const bool inside = x + copied <= lines.borders[2].n;
  const std::byte* const first = way.place.in + z * lines.in_strides.depth + (y + lane) * lines.in_strides.height + x * 4;
  int buffer = 0;
  int s = 0;
  const auto bring = [&] {
    if (s < way.steps) {
      const int skip = s == 0 ? way.skip : 0;
      const int row = s * box_group + skip;
      const int many = min(rows - row, box_group - skip);
      float* const to = memory.staged + (buffer * box_group + skip) * Block::pitch;
      Arrival& there = memory.there[buffer];
      if (inside && y + row >= 0 && y + row + many <= lines.borders[1].n) {
        if (lane == 0) there.announce(many * copied * 4);
        __syncwarp();
        if (lane < many) copy_bulk(to + lane * Block::pitch, first + row * lines.in_strides.height, copied * 4, there);
        there.arrive();
      } else {
        stage_bulk(lines, way.place, z, y + row, x, many, columns, to, Block::pitch, there);
      }
    }
    ++s;
    if (++buffer == job.buffers) buffer = 0;
  };
#pragma unroll 1
  for (int turn = 2 - job.buffers; turn <= way.steps; ++turn) {
    bring();
    if (turn >= 0) meet<Block::threads>();
  }
}

/// The warps that weigh: group s of rows into the ring, 8 columns of a row a thread.
template <class Block>
__device__ __forceinline__ void weigh_rows(const BoxArguments& job, const Memory& memory, int thread) {
  const int steps = Way(job).steps;
  const float weight = job.weight;
  const int own = thread % box_group * Block::pitch + thread / box_group * box_group;
  const float* const from = memory.staged + own;
  float* const ring = memory.ring + own;
  const int ring_end = job.ring_groups * box_group * Block::pitch;
  int ring_at = 0;
  int buffer = 0;
  int time = 0;  // that the next buffer is read
  meet<Block::threads>();
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    memory.there[buffer].wait(time);
    float numbers[box_group];
    load_window<4>(numbers, from + buffer * box_group * Block::pitch);
#pragma unroll
    for (float& number : numbers) number *= weight;
    auto* const to = reinterpret_cast<float4*>(ring + ring_at);
    to[0] = make_float4(numbers[0], numbers[1], numbers[2], numbers[3]);
    to[1] = make_float4(numbers[4], numbers[5], numbers[6], numbers[7]);
    if (++buffer == job.buffers) {
      buffer = 0;
      ++time;
    }
    ring_at += box_group * Block::pitch;
    if (ring_at == ring_end) ring_at = 0;
    meet<Block::threads>();
  }
}

/// A thread's column of outputs, 8 rows at a time.
class Outputs {
 public:
  __device__ __forceinline__ Outputs(const BoxArguments& job, const Way& way, int thread)
      : row_bytes_(job.lines.out_strides.height),
        to_(job.out + way.place.out + way.place.y * row_bytes_ + (way.place.x + thread) * 4),
        left_(thread < pixels_left(job.lines, way.place.x) ? way.count : 0) {}

  __device__ __forceinline__ void put(const BoxArguments& job, const float (&sums)[box_group]) {
    std::byte* to = to_;
    if (left_ >= box_group) {
#pragma unroll
      for (int i = 0; i < box_group; ++i, to += row_bytes_) *reinterpret_cast<float*>(to) = sums[i] * job.scale + job.offset;
    } else {
#pragma unroll
      for (int i = 0; i < box_group - 1; ++i, to += row_bytes_) {
        if (i < left_) *reinterpret_cast<float*>(to) = sums[i] * job.scale + job.offset;
      }
    }
    to_ += box_group * row_bytes_;
    left_ -= box_group;
  }

 private:
  std::int64_t row_bytes_;
  std::byte* to_;
  int left_;
};

/// The warps that sum: group s of the ring while group s + 1 is written.
template <class Block, int Rest>
__device__ __forceinline__ void sum_columns(const BoxArguments& job, const Memory& memory, int thread) {
  constexpr int pitch = Block::pitch;
  constexpr int skip = (box_group - Rest) % box_group;  // rows that have left before, of the ring's oldest group
  constexpr int group_size = box_group * pitch;
  const Way way(job);
  Outputs outputs(job, way, thread);
  const float* const ring = memory.ring + thread;
  float* const turns = memory.turns + thread;
  const int groups = job.box.groups;
  const int ring_size = job.ring_groups * group_size;
  const auto wrapped = [&](int at) { return at >= ring_size ? at - ring_size : at; };
  int entering = 0;
  int oldest = wrapped(2 * group_size);
  float* turn_at = turns;
  float* const turns_end = turns + groups * Block::width;
  float turn = 0;
  float leaving[box_group] = {};
  int before = way.before;
  meet<Block::threads>();
#pragma unroll 1
  for (int steps = way.steps; steps > 0; --steps) {
    meet<Block::threads>();
    const int second = wrapped(oldest + group_size);
    float next[box_group];
#pragma unroll
    for (int i = 0; i < box_group; ++i)
      next[i] = i + skip < box_group ? ring[oldest + (i + skip) * pitch] : ring[second + (i + skip - box_group) * pitch];
    oldest = second;
    float sum = 0;
    if (groups > 0) sum = *turn_at + turn;
#pragma unroll
    for (int i = 0; i < Rest; ++i) sum += next[i];
    float out[box_group];
#pragma unroll
    for (int i = box_group - 1; i >= 0; --i) {
      sum += leaving[i];
      out[i] = sum;
      leaving[i] = next[i];
    }
    float entered = 0;
#pragma unroll
    for (int i = 0; i < box_group; ++i) {
      entered += ring[entering + i * pitch];
      out[i] += entered;
    }
    entering = wrapped(entering + group_size);
    if (before > 0) --before;
    else outputs.put(job, out);
    if (groups == 0) continue;
    *turn_at = entered;
    turn += entered;
    turn_at += Block::width;
    if (turn_at < turns_end) continue;
    // A turn is complete: each of its sums becomes that to the turn's end.
    turn_at = turns;
    turn = 0;
    float to_end = entered;
    float* from = turns_end - Block::width;
#pragma unroll 4
    for (int g = groups - 1; g > 0; --g) {
      from -= Block::width;
      to_end += *from;
      *from = to_end;
    }
  }
}

}  // namespace box_steps

template <int Width, class Block = BoxBlock<Width>>
__global__ void __launch_bounds__(Block::threads, Block::blocks) running_box_y_kernel(const __grid_constant__ BoxArguments job) {
  using namespace box_steps;
  extern __shared__ __align__(16) std::byte shared_memory[];
  const Memory memory = Memory::of<Block>(job, shared_memory);
  const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
  if (thread < job.buffers) memory.there[thread].start(stage_bulk_arrivals);
  __syncthreads();
  const auto by_rest = [](int rest, const auto& sum) {
    switch (rest) {  // the same for all
      case 0: return sum(std::integral_constant<int, 0>{});
      case 1: return sum(std::integral_constant<int, 1>{});
      case 2: return sum(std::integral_constant<int, 2>{});
      case 3: return sum(std::integral_constant<int, 3>{});
      case 4: return sum(std::integral_constant<int, 4>{});
      case 5: return sum(std::integral_constant<int, 5>{});
      case 6: return sum(std::integral_constant<int, 6>{});
      default: return sum(std::integral_constant<int, 7>{});
    }
  };
  if (thread < Width) {
    by_rest(job.box.rest, [&](auto rest) { sum_columns<Block, decltype(rest)::value>(job, memory, thread); });
  } else if (thread < 2 * Width) {
    weigh_rows<Block>(job, memory, thread - Width);
  } else {
    bring_rows<Block>(job, memory);
  }
}

}  // namespace halation::cuda_backend
