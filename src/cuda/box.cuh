// box.cuh: sums over windows of equal weights where rows are f32 that the copy engine brings: one warp asks for rows, some sum along
// x, the others along y, all at once on three neighbouring groups of eight rows, and meet once a group.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/bulk_rows.cuh"
#include "cuda/lines.cuh"

namespace halation::cuda_backend {

/// Numbers that a group has, and outputs that share a middle.
constexpr int box_group = 8;

/// A window along one axis.
struct BoxWindow {
  int taps = 1;
  int groups = 0;  // g
  int rest = 0;    // r

  BoxWindow() = default;
  explicit BoxWindow(int count)
      : taps(count),
        groups(count > box_group ? (count - 1) / box_group - 1 : 0),
        rest(count > box_group ? (count - 1) % box_group : 0) {}
  __host__ __device__ bool has_middle() const { return taps > box_group; }
};

constexpr int most_box_buffers = 4;

struct BoxArguments {
  Lines lines;
  std::byte* out;
  std::int64_t lead[3];
  BoxWindow y;
  BoxWindow x;
  float weight;
  float scale;
  float offset;
  int strip;        // rows of outputs in a block
  int shift;        // columns before the first output's, so that staged rows begin on 16-byte boundaries
  int buffers;      // of 8 staged rows
  int row_pitch;    // from one staged row to the next: 4 · odd, so that lanes on 8 rows meet all banks by fours
  int sums_pitch;   // from one row of groups' sums to the next: 4 · odd
  int ring_groups;  // of 8 rows: all that a window reaches, and one that is being written
};

/// Blocks of `Width` columns of outputs.
template <int Width>
struct BoxBlock {
  static constexpr int width = Width;
  static constexpr int columns = Width + box_group;           // of the ring, which begins `shift` before the outputs
  static constexpr int pitch = columns + 4;                   // of the ring: 4 · odd
  // These sum along x: one for each row and group of columns, and some that have groups' sums alone; more of these in narrow blocks, which
  // are for wide windows.
  static constexpr int row_threads = (Width <= 128 ? 2 : 1) * Width + 32;
  static constexpr int threads = Width + row_threads + 32;    // the others sum along y, and the last warp brings rows
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
        before((job.y.taps - 1 + box_group - 1) / box_group),
        skip(before * box_group - (job.y.taps - 1)),
        steps(before + (count + box_group - 1) / box_group) {}
};

/// Where shared memory has what.
struct Memory {
  Arrival* there;  // one a buffer
  float* staged;
  float* ring;
  float* turns;
  float* sums;  // of two groups of rows, by turns

  template <class Block>
  static __device__ __forceinline__ Memory of(const BoxArguments& job, std::byte* bytes) {
    Memory memory;
    memory.there = reinterpret_cast<Arrival*>(bytes);
    memory.staged = reinterpret_cast<float*>(bytes + most_box_buffers * sizeof(Arrival));
    memory.ring = memory.staged + job.buffers * box_group * job.row_pitch;
    memory.turns = memory.ring + job.ring_groups * box_group * Block::pitch;
    memory.sums = memory.turns + job.y.groups * Block::columns;
    return memory;
  }
};

/// One warp: while group s is summed along x, group s + buffers − 1 is asked for. Rows inside the image need none of what `stage_bulk`
/// looks up.
template <class Block>
__device__ __forceinline__ void bring_rows(const BoxArguments& job, const Memory& memory) {
  const Way way(job);
  const Lines& lines = job.lines;
  const int lane = static_cast<int>(threadIdx.x);
  const int rows = way.skip + way.count + job.y.taps - 1;
  const int columns = pixels_left(lines, way.place.x) + job.x.taps - 1 + job.shift;
  const int copied = (columns + 3) & ~3;
  const std::int64_t x = way.place.x + job.lead[2] - job.shift;
  const std::int64_t y = way.place.y + job.lead[1] - way.skip;
  const std::int64_t z = way.place.z + job.lead[0];
  const bool inside = z >= 0 && z < lines.borders[0].n && x >= 0 && x + copied <= lines.borders[2].n;
  const std::byte* const first = way.place.in + z * lines.in_strides.depth + (y + lane) * lines.in_strides.height + x * 4;
  int buffer = 0;
  int s = 0;
  const auto bring = [&] {
    if (s < way.steps) {
      const int skip = s == 0 ? way.skip : 0;
      const int row = s * box_group + skip;
      const int many = min(rows - row, box_group - skip);
      float* const to = memory.staged + (buffer * box_group + skip) * job.row_pitch;
      Arrival& there = memory.there[buffer];
      if (inside && y + row >= 0 && y + row + many <= lines.borders[1].n) {
        if (lane == 0) there.announce(many * copied * 4);
        __syncwarp();
        if (lane < many) copy_bulk(to + lane * job.row_pitch, first + row * lines.in_strides.height, copied * 4, there);
        there.arrive();
      } else {
        stage_bulk(lines, way.place, z, y + row, x, many, columns, to, job.row_pitch, there);
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

/// Sums of groups of eight along x, of the 8 staged rows from `rows` on: `task` is the first that this thread has of 8 a group.
template <class Block>
__device__ __forceinline__ void sum_groups(float weight, int tasks, int task, const float* from, float* to) {
#pragma unroll 1
  for (; task < tasks; task += Block::row_threads, from += Block::row_threads, to += Block::row_threads / box_group) {
    float group[box_group];
    load_window<4>(group, from);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < box_group; ++i) sum += weight * group[i];
    *to = sum;
  }
}

/// Adds to output i the first Rest + 1 + i numbers after the last whole group of the middle.
template <int Rest>
__device__ __forceinline__ void add_after(float weight, const float* after, float (&out)[box_group]) {
  float numbers[(Rest + box_group + 3) / 4 * 4];
  load_window<4>(numbers, after);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Rest; ++i) sum += weight * numbers[i];
#pragma unroll
  for (int i = 0; i < box_group; ++i) {
    sum += weight * numbers[Rest + i];
    out[i] += sum;
  }
}

/// Eight neighbouring outputs along x of one row, from the numbers at `from` and the sums of the groups of their middle.
template <int Rest>
__device__ __forceinline__ void sum_row(float weight, int groups, const float* from, const float* sums, float (&out)[box_group]) {
  float group[box_group];
  load_window<4>(group, from);
  float sum = 0;
  float other = 0;
  const auto add_pairs = [&](auto pairs) {
#pragma unroll
    for (int i = 0; i < decltype(pairs)::value; ++i) {
      sum += sums[2 * i];
      other += sums[2 * i + 1];
    }
    sums += 2 * decltype(pairs)::value;
  };
#pragma unroll 1
  for (int left = groups; left >= 8; left -= 8) add_pairs(std::integral_constant<int, 4>{});
  if ((groups & 4) != 0) add_pairs(std::integral_constant<int, 2>{});
  if ((groups & 2) != 0) add_pairs(std::integral_constant<int, 1>{});
  if ((groups & 1) != 0) sum += *sums;
  sum += other;
#pragma unroll
  for (int i = box_group - 1; i >= 0; --i) {
    sum += weight * group[i];
    out[i] = sum;
  }
  add_after<Rest>(weight, from + (1 + groups) * box_group, out);
}

/// The warps that sum along x: group s of rows into the ring, and the groups of columns of group s + 1, by turns.
template <class Block, bool Middle, int Rest>
__device__ __forceinline__ void sum_rows(const BoxArguments& job, const Memory& memory, int thread) {
  const int steps = Way(job).steps;
  const float weight = job.weight;
  const int row_pitch = job.row_pitch;
  const int groups = job.x.groups;
  const int all_groups_tasks = Block::columns + box_group * groups;
  // The last warps, which have few outputs or none, begin with groups.
  const int own_group = thread < Block::width ? thread + Block::row_threads - Block::width : thread - Block::width;
  const float* const group_from = memory.staged + own_group % box_group * row_pitch + own_group / box_group * box_group;
  float* const group_to = memory.sums + own_group % box_group * job.sums_pitch + own_group / box_group;
  const int row = thread % box_group;
  const int column = thread / box_group * box_group;
  const bool has_outputs = column < Block::width + (job.shift > 0 ? box_group : 0);
  const float* const from = memory.staged + row * row_pitch + column;
  const float* const sums = memory.sums + row * job.sums_pitch + column / box_group + 1;
  float* const ring = memory.ring + row * Block::pitch + column;
  const int ring_end = job.ring_groups * box_group * Block::pitch;
  int ring_at = 0;
  int buffer = 0;
  int time = 0;  // that the next buffer is read
  int current = 0;
  if constexpr (Middle) {
    memory.there[0].wait(0);
    sum_groups<Block>(weight, all_groups_tasks, own_group, group_from, group_to);
  }
  meet<Block::threads>();
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const int place = buffer * box_group * row_pitch;
    if constexpr (!Middle) memory.there[buffer].wait(time);
    if (++buffer == job.buffers) {
      buffer = 0;
      ++time;
    }
    if (has_outputs) {
      float out[box_group];
      if constexpr (Middle) {
        sum_row<Rest>(weight, groups, from + place, sums + current, out);
      } else {
        float window[2 * box_group];
        load_window<4>(window, from + place);
#pragma unroll
        for (int i = 0; i < box_group; ++i) out[i] = weight * window[i];
#pragma unroll
        for (int k = 1; k < box_group; ++k) {
          if (k >= job.x.taps) break;
#pragma unroll
          for (int i = 0; i < box_group; ++i) out[i] += weight * window[i + k];
        }
      }
      auto* const to = reinterpret_cast<float4*>(ring + ring_at);
      to[0] = make_float4(out[0], out[1], out[2], out[3]);
      to[1] = make_float4(out[4], out[5], out[6], out[7]);
    }
    ring_at += box_group * Block::pitch;
    if (ring_at == ring_end) ring_at = 0;
    if constexpr (Middle) {
      current = box_group * job.sums_pitch - current;
      if (s + 1 < steps) {
        memory.there[buffer].wait(time);
        sum_groups<Block>(weight, all_groups_tasks, own_group, group_from + buffer * box_group * row_pitch, group_to + current);
      }
    }
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

/// The warps that sum along y, windows of nine rows and more: group s of the ring while group s + 1 is written.
template <class Block, int Rest>
__device__ __forceinline__ void sum_columns(const BoxArguments& job, const Memory& memory, int thread) {
  constexpr int pitch = Block::pitch;
  constexpr int skip = (box_group - Rest) % box_group;  // rows that have left before, of the ring's oldest group
  constexpr int group_size = box_group * pitch;
  const Way way(job);
  Outputs outputs(job, way, thread);
  const float* const ring = memory.ring + thread + job.shift;
  float* const turns = memory.turns + thread + job.shift;
  const int groups = job.y.groups;
  const int ring_size = job.ring_groups * group_size;
  const auto wrapped = [&](int at) { return at >= ring_size ? at - ring_size : at; };
  int entering = 0;
  int oldest = wrapped(2 * group_size);
  float* turn_at = turns;
  float* const turns_end = turns + groups * Block::columns;
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
    turn_at += Block::columns;
    if (turn_at < turns_end) continue;
    // A turn is complete: each of its sums becomes that to the turn's end.
    turn_at = turns;
    turn = 0;
    float to_end = entered;
    float* from = turns_end - Block::columns;
#pragma unroll 4
    for (int g = groups - 1; g > 0; --g) {
      from -= Block::columns;
      to_end += *from;
      *from = to_end;
    }
  }
}

/// The same for windows of eight rows at most, which are summed as they are.
template <class Block>
__device__ __forceinline__ void sum_few_rows(const BoxArguments& job, const Memory& memory, int thread) {
  const Way way(job);
  Outputs outputs(job, way, thread);
  const float* const ring = memory.ring + thread + job.shift;
  float window[2 * box_group] = {};
  meet<Block::threads>();
#pragma unroll 1
  for (int s = 0; s < way.steps; ++s) {
    meet<Block::threads>();
    const float* const entering = ring + s % job.ring_groups * box_group * Block::pitch;
    float out[box_group];
#pragma unroll
    for (int i = 0; i < box_group; ++i) {
      window[i] = window[i + box_group];
      out[i] = window[i + box_group] = entering[i * Block::pitch];
    }
#pragma unroll
    for (int k = 1; k < box_group; ++k) {
      if (k >= job.y.taps) break;
#pragma unroll
      for (int i = 0; i < box_group; ++i) out[i] += window[i + box_group - k];
    }
    if (s >= way.before) outputs.put(job, out);
  }
}

}  // namespace box_steps

/// MiddleX, MiddleY: whether windows have nine columns and more, nine rows and more.
template <int Width, bool MiddleX, bool MiddleY, class Block = BoxBlock<Width>>
__global__ void __launch_bounds__(Block::threads, Block::blocks) box(const __grid_constant__ BoxArguments job) {
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
    if constexpr (MiddleY) by_rest(job.y.rest, [&](auto rest) { sum_columns<Block, decltype(rest)::value>(job, memory, thread); });
    else sum_few_rows<Block>(job, memory, thread);
  } else if (thread < Width + Block::row_threads) {
    if constexpr (MiddleX) by_rest(job.x.rest, [&](auto rest) { sum_rows<Block, true, decltype(rest)::value>(job, memory, thread - Width); });
    else sum_rows<Block, false, 0>(job, memory, thread - Width);
  } else {
    bring_rows<Block>(job, memory);
  }
}

}  // namespace halation::cuda_backend
