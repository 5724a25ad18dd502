// box.cuh: sums over windows of equal weights, by additions alone: what a launch gets, and what its warps do.
//
// A window of K = 9 + 8 g + r numbers (r < 8) is the same for eight neighbouring outputs but for its ends.
// Output i of the eight is
//     (numbers i … 7)  +  (the middle: g whole groups of eight, and r numbers more)  +  (the i + 1 numbers
//     after the middle),
// of which the first are sums that grow from one output to the one before, and the last sums that grow to the
// one after: three additions an output, and the middle, which eight outputs share. Nothing is ever
// subtracted: nothing drifts or cancels, and NaN and infinity stay in the windows that hold them.
//
// Windows of fewer than nine are summed as they are.
#pragma once

#include <cstdint>

#include "cuda/box_ends.cuh"
#include "cuda/box_window.h"
#include "cuda/bulk.cuh"
#include "cuda/lines.cuh"

namespace halation::cuda_backend {

struct BoxArguments {
  Lines lines;
  std::byte* out;
  std::int64_t lead[3];
  std::int64_t rows;  // of outputs in a plane; of a folded signal, stretches of `width`
  BoxWindow y;
  BoxWindow x;
  float weight;
  int strip;        // rows of outputs in a block
  int threads;      // that compute; the movers come after them
  int buffers;      // of 8 staged rows
  int plane_pitch;  // staged numbers from one channel to the next
  int row_pitch;  // from one staged row to the next: 4 · odd, so that lanes on 8 rows meet all banks by fours
  int width;      // of a channel in the ring: shift + lines.width, in whole groups
  int shift;      // columns before the first output's, so that staged rows begin on 16-byte boundaries
  int ring_pitch;   // 4 · odd
  int ring_groups;  // of 8 rows
  int sums_pitch;   // from one row of groups' sums to the next: 4 · odd
  int together;     // groups whose sums are added once for all windows that hold them; 0: a window adds its
                    // groups one by one
  int section;      // pixels of a row that a warp stages at a time
  bool bulk;        // staged rows that lie in the image are copied in bulk
  bool float_rows;  // outputs are f32 of one channel, side by side
};

namespace box_steps {

constexpr int movers = 4;              // warps
constexpr int section_elements = 192;  // of a row that a mover stages together, at most

/// All threads that compute, or (`everyone`) these and the movers, wherever their code has brought them.
__device__ __forceinline__ void meet([[maybe_unused]] int threads, [[maybe_unused]] bool everyone) {
#if defined(__CUDA_ARCH__)
  asm volatile("bar.sync %0, %1;" ::"r"(everyone ? 2 : 1), "r"(threads + (everyone ? 32 * movers : 0))
               : "memory");
#endif
}

/// What all threads of a block know of its way.
struct Way {
  Place place;
  int count;   // output rows
  int before;  // groups of rows that enter before the first output
  int skip;    // rows of the first group that no output needs
  int steps;   // groups of rows
};

__device__ __forceinline__ Way way_of(const BoxArguments& job) {
  Way way;
  way.place = place_of(job.lines, blockIdx.x, job.strip);
  way.count = static_cast<int>(min(job.rows - way.place.y, static_cast<std::int64_t>(job.strip)));
  way.before = (job.y.taps - 1 + box_group - 1) / box_group;
  way.skip = way.before * box_group - (job.y.taps - 1);
  way.steps = way.before + (way.count + box_group - 1) / box_group;
  return way;
}

constexpr int most_buffers = 3;

/// What shared memory begins with: a place for the rows of each buffer to arrive.
struct Arrivals {
  Arrival of[most_buffers];
  std::uint64_t unused;
};
static_assert(sizeof(Arrivals) % 16 == 0);

/// Asks for the part of `rows` rows from y on that lies in the image: elements begin … end − 1 of each.
__device__ __forceinline__ void copy_rows(const BoxArguments& job, const Place& place, std::int64_t z,
                                          std::int64_t y, std::int64_t x, int rows, int begin, int end,
                                          float* to, Arrival& arrival) {
  const Lines& lines = job.lines;
  const int lane = static_cast<int>(threadIdx.x);
  const int bytes = (end - begin) * static_cast<int>(sizeof(float));
  if (lane == 0) arrival.announce(rows * bytes);
  __syncwarp();
  if (lane >= rows || bytes == 0) return;
  const std::byte* const row = place.in + lines.borders[0].source(z) * lines.in_strides.depth +
                               lines.borders[1].source(y + lane) * lines.in_strides.height;
  copy_bulk(to + lane * job.row_pitch + begin, row + (x + begin) * static_cast<std::int64_t>(sizeof(float)),
            bytes, arrival);
}

/// The movers: rows of group s set out while group s − buffers + 1 is summed, and are there when the next is.
__device__ __forceinline__ void move_rows(const BoxArguments& job, const Way& way, float* staged,
                                          Arrivals& arrivals) {
  const Lines& lines = job.lines;
  const int warp = static_cast<int>(threadIdx.y) - job.threads / 32;
  const int columns =
      (lines.folded ? lines.width : pixels_left(lines, way.place.x)) + job.x.taps - 1 + job.shift;
  const int sections = (columns + job.section - 1) / job.section;
  // Elements of a row that are copied in bulk: those inside the image, in whole fours, of which the last may
  // be beyond what is needed.
  const std::int64_t first_x = way.place.x + job.lead[2] - job.shift;
  const auto bulk_begin =
      static_cast<int>(min(max(-first_x, std::int64_t{0}), static_cast<std::int64_t>(columns)));
  const auto bulk_end = static_cast<int>(min((lines.borders[2].n & ~std::int64_t{3}) - first_x,
                                             (static_cast<std::int64_t>(columns) + 3) & ~std::int64_t{3}));
  const bool bulk = job.bulk && bulk_begin < bulk_end;
  const auto exists = [&](const DeviceBorder& border, std::int64_t from, int many) {
    return border.mode != Border::Mode::constant || (from >= 0 && from + many <= border.n);
  };
  const int rows = way.skip + way.count + job.y.taps - 1;
  Place place = way.place;
  place.warps = max(1, movers / sections);  // that share a section
  place.warp = warp % place.warps;
  const int teams = movers / place.warps;
  const int team = warp / place.warps;
  const auto stage_group = [&](int s) {
    if (s >= way.steps) return;
    const int skip = s == 0 ? way.skip : 0;
    const int row = s * box_group + skip;
    const int many = min(rows - row, box_group - skip);
    float* const to = staged + (s % job.buffers * box_group + skip) * job.row_pitch;
    std::int64_t y = way.place.y + job.lead[1] + row - way.skip;
    std::int64_t x = first_x;
    if (lines.folded) {
      x += y * lines.width;
      y = 0;
    }
    const std::int64_t z = way.place.z + job.lead[0];
    Arrival& arrival = arrivals.of[s % job.buffers];
    if (bulk && exists(lines.borders[0], z, 1) && exists(lines.borders[1], y, many)) {
      if (warp == 0) copy_rows(job, place, z, y, x, many, bulk_begin, bulk_end, to, arrival);
      // The image's sides, by all.
      Place beside = place;
      beside.warp = warp;
      beside.warps = movers;
      const int begins[2] = {0, bulk_end};
      const int ends[2] = {bulk_begin, columns};
#pragma unroll 1
      for (int side = 0; side < 2; ++side) {
        if (begins[side] >= ends[side]) continue;
        stage<2>(lines, beside, z, y, x + begins[side], many, ends[side] - begins[side], to + begins[side],
                 job.row_pitch, job.plane_pitch);
      }
      return;
    }
    if (job.bulk && warp == 0 && threadIdx.x == 0) arrival.announce(0);
    if (team >= teams) return;
#pragma unroll 1
    for (int section = team; section < sections; section += teams) {
      const int first = section * job.section;
      stage<section_elements / 32>(lines, place, z, y, x + first, many, min(job.section, columns - first),
                                   to + first, job.row_pitch, job.plane_pitch);
    }
    if (job.bulk) before_bulk();
  };
  const int ahead = job.buffers - 1;
#pragma unroll 1
  for (int s = 0; s < way.steps + ahead; ++s) {
    stage_group(s);
    if (ahead > 1)
      staged_but<1>();
    else
      staged_but<0>();
    if (s >= ahead - 1) meet(job.threads, true);
  }
}

/// Sums of groups of eight along x, of the 8 staged rows from `rows` on.
__device__ __forceinline__ void sum_groups(const BoxArguments& job, const float* rows, float* sums) {
  const int groups = job.width / box_group + job.x.groups;  // of a channel
  const int tasks = groups * job.lines.channels * box_group;
  const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
  for (int task = thread; task < tasks; task += job.threads) {
    const int row = task % box_group;
    const int index = task / box_group;
    const int channel = job.lines.channels == 1 ? 0 : index / groups;
    const float* from =
        rows + row * job.row_pitch + channel * job.plane_pitch + (index - channel * groups) * box_group;
    float group[box_group];
    load_fours(group, from);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < box_group; ++i) sum += job.weight * group[i];
    sums[row * job.sums_pitch + index] = sum;
  }
}

/// Sums of `together` neighbours among these.
__device__ __forceinline__ void sum_neighbours(const BoxArguments& job, const float* sums, float* to) {
  const int groups = job.width / box_group + job.x.groups;
  const int all = groups * job.lines.channels;
  const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
  // Those that would begin too near the end of the last channel are in no window.
  for (int task = thread; task < (all - job.together + 1) * box_group; task += job.threads) {
    const int at = task % box_group * job.sums_pitch + task / box_group;
    float sum = sums[at];
#pragma unroll 4
    for (int i = 1; i < job.together; ++i) sum += sums[at + i];
    to[at] = sum;
  }
}

/// What the middles of windows have in groups: those from `first` on.
__device__ __forceinline__ float middle_groups(const BoxArguments& job, const float* sums,
                                               const float* neighbours, int first) {
  float sum = 0;
  int g = 0;
  if (job.together > 0) {
#pragma unroll 2
    for (; g + job.together <= job.x.groups; g += job.together) sum += neighbours[first + g];
  }
#pragma unroll 4
  for (; g < job.x.groups; ++g) sum += sums[first + g];
  return sum;
}

/// The 8 staged rows from `rows` on, summed along x, to 8 rows of the ring.
__device__ __forceinline__ void sum_rows(const BoxArguments& job, const float* rows, const float* sums,
                                         const float* neighbours, float* ring) {
  const int groups = job.width / box_group;
  const int tasks = groups * job.lines.channels * box_group;
  const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
  for (int task = thread; task < tasks; task += job.threads) {
    const int row = task % box_group;
    const int index = task / box_group;
    const int channel = job.lines.channels == 1 ? 0 : index / groups;
    const int group = index - channel * groups;
    const float* from = rows + row * job.row_pitch + channel * job.plane_pitch + group * box_group;
    float out[box_group];
    if (job.x.has_middle()) {
      const int first = row * job.sums_pitch + channel * (groups + job.x.groups) + group + 1;
      float group[box_group];
      load_fours(group, from);
      float sum = middle_groups(job, sums, neighbours, first);
#pragma unroll
      for (int i = box_group - 1; i >= 0; --i) {
        sum += job.weight * group[i];
        out[i] = sum;
      }
      const float* const after = from + (1 + job.x.groups) * box_group;
      switch (job.x.rest) {  // the same for all
        case 0:
          add_after<0>(job.weight, after, out);
          break;
        case 1:
          add_after<1>(job.weight, after, out);
          break;
        case 2:
          add_after<2>(job.weight, after, out);
          break;
        case 3:
          add_after<3>(job.weight, after, out);
          break;
        case 4:
          add_after<4>(job.weight, after, out);
          break;
        case 5:
          add_after<5>(job.weight, after, out);
          break;
        case 6:
          add_after<6>(job.weight, after, out);
          break;
        default:
          add_after<7>(job.weight, after, out);
          break;
      }
    } else {
      float window[2 * box_group];
      load_fours(window, from);
#pragma unroll
      for (int i = 0; i < box_group; ++i) out[i] = job.weight * window[i];
#pragma unroll
      for (int k = 1; k < box_group; ++k) {
        if (k >= job.x.taps) break;
#pragma unroll
        for (int i = 0; i < box_group; ++i) out[i] += job.weight * window[i + k];
      }
    }
    float4* const to =
        reinterpret_cast<float4*>(ring + row * job.ring_pitch + channel * job.width + group * box_group);
    to[0] = make_float4(out[0], out[1], out[2], out[3]);
    to[1] = make_float4(out[4], out[5], out[6], out[7]);
  }
}

/// A number of each of a thread's columns, which lie `apart`: not side by side, so that no boundary matters.
template <int Columns>
struct Numbers {
  float at[Columns] = {};

  static __device__ __forceinline__ Numbers load(const float* from, int apart) {
    Numbers numbers;
#pragma unroll
    for (int i = 0; i < Columns; ++i) numbers.at[i] = from[i * apart];
    return numbers;
  }
  __device__ __forceinline__ void store(float* to, int apart) const {
#pragma unroll
    for (int i = 0; i < Columns; ++i) to[i * apart] = at[i];
  }
  __device__ __forceinline__ Numbers& operator+=(const Numbers& other) {
#pragma unroll
    for (int i = 0; i < Columns; ++i) at[i] += other.at[i];
    return *this;
  }
};

/// A thread's columns of the ring, summed along y as groups of rows enter it.
template <int Columns, bool Middle>
class ColumnSums;

/// Windows of nine rows and more. The rows that leave are read one step ahead, because the first of them are
/// what the middle has beyond whole groups. The groups of a middle, the last `groups` that have entered, are
/// kept as sums from each to the last of their turn (`groups` of them are a turn), and one sum of those of
/// the present turn (van Herk, and Gil and Werman): a middle is two numbers.
template <int Columns>
class ColumnSums<Columns, true> {
  using Sums = Numbers<Columns>;

 public:
  __device__ __forceinline__ ColumnSums(const BoxArguments& job, const float* ring, float* turns, int column,
                                        int apart)
      : job_(job),
        ring_(ring + column),
        turns_(turns + column),
        apart_(apart),
        skip_((box_group - job.y.rest) % box_group) {}

  /// Once group `slot` of the ring has entered: the 8 rows of outputs that end in it.
  __device__ __forceinline__ void enter(int slot, Sums (&out)[box_group]) {
    const int turn_pitch = job_.width * job_.lines.channels;
    Sums next[box_group];
    const int one = following(slot);
    const float* const upper = ring_ + (one * box_group + skip_) * job_.ring_pitch;
    const float* const lower = ring_ + (following(one) * box_group - (box_group - skip_)) * job_.ring_pitch;
#pragma unroll
    for (int i = 0; i < box_group; ++i)
      next[i] = Sums::load((i + skip_ < box_group ? upper : lower) + i * job_.ring_pitch, apart_);

    Sums sum;
    if (job_.y.groups > 0) {
      sum = Sums::load(turns_ + place_ * turn_pitch, apart_);
      sum += turn_;
    }
#pragma unroll
    for (int i = 0; i < box_group - 1; ++i) {
      if (i < job_.y.rest) sum += next[i];
    }
#pragma unroll
    for (int i = box_group - 1; i >= 0; --i) {
      sum += leaving_[i];
      out[i] = sum;
      leaving_[i] = next[i];
    }
    Sums entered;
    const float* from = ring_ + slot * box_group * job_.ring_pitch;
#pragma unroll
    for (int i = 0; i < box_group; ++i) {
      entered += Sums::load(from + i * job_.ring_pitch, apart_);
      out[i] += entered;
    }
    if (job_.y.groups > 0) keep(entered, turn_pitch);
  }

 private:
  __device__ __forceinline__ int following(int slot) const {
    return slot + 1 == job_.ring_groups ? 0 : slot + 1;
  }

  __device__ __forceinline__ void keep(const Sums& group, int turn_pitch) {
    group.store(turns_ + place_ * turn_pitch, apart_);
    turn_ += group;
    if (++place_ < job_.y.groups) return;
    place_ = 0;
    turn_ = Sums{};
    Sums sum = group;
#pragma unroll 4
    for (int i = job_.y.groups - 2; i >= 0; --i) {
      sum += Sums::load(turns_ + i * turn_pitch, apart_);
      sum.store(turns_ + i * turn_pitch, apart_);
    }
  }

  const BoxArguments& job_;
  const float* const ring_;
  float* const turns_;
  const int apart_;
  const int skip_;  // rows that have left before, of the ring's oldest group
  int place_ = 0;   // in the turn
  Sums turn_;
  Sums leaving_[box_group];
};

/// Windows of eight rows at most: the ring has two groups.
template <int Columns>
class ColumnSums<Columns, false> {
  using Sums = Numbers<Columns>;

 public:
  __device__ __forceinline__ ColumnSums(const BoxArguments& job, const float* ring, float*, int column,
                                        int apart)
      : job_(job), ring_(ring + column), apart_(apart) {}

  __device__ __forceinline__ void enter(int slot, Sums (&out)[box_group]) {
    const int first = slot * box_group + 1 - job_.y.taps;
    const auto row = [&](int i) {
      return Sums::load(ring_ + ((first + i) & (2 * box_group - 1)) * job_.ring_pitch, apart_);
    };
    Sums window[2 * box_group - 1];
#pragma unroll
    for (int i = 0; i < box_group; ++i) out[i] = window[i] = row(i);
#pragma unroll
    for (int k = 1; k < box_group; ++k) {
      if (k >= job_.y.taps) break;
      window[box_group - 1 + k] = row(box_group - 1 + k);
#pragma unroll
      for (int i = 0; i < box_group; ++i) out[i] += window[i + k];
    }
  }

 private:
  const BoxArguments& job_;
  const float* const ring_;
  const int apart_;
};

/// 8 rows of a thread's sums, the first of them output row `first` of the block, as pixels. `column` is the
/// first column that the thread owns, in the ring; of `many` in all. `spare` is a group of the ring that
/// nothing will be read from any more.
template <int Columns>
__device__ __forceinline__ void put_columns(const BoxArguments& job, const Way& way, int first, int column,
                                            int many, const Numbers<Columns> (&sums)[box_group],
                                            float* spare) {
  const Lines& lines = job.lines;
  const auto scale = static_cast<float>(lines.scale);
  const auto offset = static_cast<float>(lines.offset);
  const int rows = min(way.count - first, box_group);
  if (job.float_rows) {
    const std::int64_t row_bytes = lines.folded ? std::int64_t{4} * lines.width : lines.out_strides.height;
#pragma unroll
    for (int v = 0; v < Columns; ++v) {
      const int pixel = column + v * job.threads;
      std::byte* to = job.out + way.place.out + (way.place.y + first) * row_bytes + (way.place.x + pixel) * 4;
      std::int64_t left = lines.out.width - way.place.x - pixel;  // pixels, of a folded signal to its end
      if (lines.folded) left -= (way.place.y + first) * lines.width;
      if (pixel >= many || left <= 0) continue;
      if (rows == box_group && !lines.folded) {
#pragma unroll
        for (int i = 0; i < box_group; ++i, to += row_bytes)
          *reinterpret_cast<float*>(to) = sums[i].at[v] * scale + offset;
        continue;
      }
#pragma unroll
      for (int i = 0; i < box_group; ++i, to += row_bytes) {
        if (i < rows && (!lines.folded || left > std::int64_t{i} * lines.width))
          *reinterpret_cast<float*>(to) = sums[i].at[v] * scale + offset;
      }
    }
    return;
  }
  meet(job.threads, false);  // all have read the last of it
#pragma unroll
  for (int v = 0; v < Columns; ++v) {
    const int at = column + v * job.threads;
    const int channel = lines.channels == 1 ? 0 : at / job.width;
    const int pixel = at - channel * job.width;
    if (at >= many || pixel >= lines.width) continue;
#pragma unroll
    for (int i = 0; i < box_group; ++i)
      spare[i * job.ring_pitch + pixel * lines.channels + channel] = sums[i].at[v] * scale + offset;
  }
  meet(job.threads, false);
  for (int row = static_cast<int>(threadIdx.y); row < rows; row += job.threads / 32) {
    put_rows(lines, way.place, job.out, way.place.y + first + row, way.place.y + way.count, 1,
             spare + row * job.ring_pitch, job.ring_pitch);
  }
}

}  // namespace box_steps
}  // namespace halation::cuda_backend
