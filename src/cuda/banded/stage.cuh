// stage.cuh: rows of bytes on their way into shared memory, as the units of 16 bytes that products take, and bytes on their way out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/banded/arguments.cuh"
#include "cuda/parts/neighbours.cuh"
#include "cuda/parts/pixels.cuh"

namespace halation::cuda_backend::banded_steps {

/// What a block walks down, and where it is.
struct Strip {
  const std::byte* in;  // the plane's first row
  std::byte* out;       // its first output
  int column, row, rows;
};

__device__ __forceinline__ Strip strip_of(const BandedArguments& job, unsigned block) {
  const auto next = [&](const Divisor& divisor) {
    const unsigned quotient = divisor.quotient(block);
    const unsigned rest = block - quotient * divisor.by;
    block = quotient;
    return static_cast<int>(rest);
  };
  Strip strip;
  strip.column = next(job.across) * BandedCut::columns;
  strip.row = next(job.strips) * job.strip;
  strip.rows = min(job.strip, job.rows - strip.row);
  const std::int64_t z = next(job.depth);
  const std::int64_t image = next(job.batch);
  const auto channel = static_cast<std::int64_t>(block);
  strip.in = job.in + z * job.in_plane + image * job.in_batch + channel * job.in_channel;
  strip.out = job.out + z * job.out_plane + image * job.out_batch + channel * job.out_channel + strip.row * job.out_row +
              strip.column * job.out_step;
  return strip;
}

/// The column that stands for another, −1 for the constant.
__device__ __forceinline__ int source_column(const BandedArguments& job, int column) {
  const int pixel = (column >= 0 ? column : column - job.channels + 1) / job.channels;
  const int source = job.border_x.source<int>(pixel);
  return source < 0 ? -1 : source * job.channels + (column - pixel * job.channels);
}

/// Eight bytes of an input.
template <Begins From>
__device__ __forceinline__ uint2 eight_bytes(const std::byte* from) {
  if constexpr (From == Begins::on_8_bytes) {
    return __ldg(reinterpret_cast<const uint2*>(from));
  } else if constexpr (From == Begins::on_4_bytes) {
    const auto* const word = reinterpret_cast<const std::uint32_t*>(from);
    return make_uint2(__ldg(word), __ldg(word + 1));
  } else {
    // From the two words of 8 bytes that they lie in.
    const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) & 7U);
    const auto* const word = reinterpret_cast<const uint2*>(from - shift);
    const uint2 low = __ldg(word);
    const uint2 high = __ldg(word + 1);
    const bool far = shift >= 4;
    const std::uint32_t words[3] = {far ? low.y : low.x, far ? high.x : low.y, far ? high.y : high.x};
    return make_uint2(__funnelshift_r(words[0], words[1], 8 * shift), __funnelshift_r(words[1], words[2], 8 * shift));
  }
}

/// How a block brings rows into shared memory, 16 at a time: each of its warps four rows and the one below them, each lane a piece of 8 bytes
/// of each. Pieces that reach beyond the ends of a row are brought with what lies there, which is then set right from beside them in shared
/// memory. Where there is nothing beside a row (the image's first and last), or borders come from elsewhere, bytes are brought one by one.
template <class Cut, int Windows>
class Stage {
 public:
  static constexpr int pieces = Cut::pieces(Windows);
  static constexpr int pitch = Cut::row_pitch(Windows);
  static constexpr int most_near = 32;  // bytes of a row that are set right

 private:
  static constexpr int own_rows = Cut::group_rows / Cut::warps;
  static constexpr int lanes_a_row = 32 / own_rows;  // of pieces beyond the first 32: of all rows of a warp at once
  static_assert(pieces > 32 && pieces <= 32 + lanes_a_row);

 public:
  /// What a lane has in hand: a piece of each of its warp's rows and the one below; one further on, of one row and the one below.
  struct Held {
    uint2 rows[own_rows + 1];
    uint2 beyond[2];
  };

  /// By all of a block; `table` has room for `most_near` places, the block must meet before it is used.
  __device__ __forceinline__ Stage(const BandedArguments& job, const Strip& strip, int* table)
      : lane_(static_cast<int>(threadIdx.x) % 32), warp_(static_cast<int>(threadIdx.x) / 32), table_(table), plane_(strip.in) {
    first_ = strip.column + job.first_column;
    first_row_ = strip.row + job.first_row + own_rows * warp_;
    end_ = min(8 * pieces, job.columns + job.reach - first_);  // past what outputs of the image read
    const int low = min(max(-first_, 0), end_);                // columns inside of the image, from the first staged
    const int high = min(max(job.in_columns - first_, low), end_);
    bytes_ = low + (end_ - high);
    const bool packed = job.in_step == 1 && (job.in_row >= 16 || job.in_row <= -16);
    const bool may_be_near = packed && bytes_ <= most_near;
    bool all_near = true;
    if (const int i = static_cast<int>(threadIdx.x); may_be_near && i < bytes_) {
      const int column = source_column(job, first_ + (i < low ? i : i - low + high));
      all_near = column < 0 || (column >= first_ && column - first_ < end_);
      table[i] = column < 0 ? -1 : unit_byte(column - first_);
    }
    near_ = __syncthreads_and(all_near ? 1 : 0) != 0 && may_be_near;
    low_ = low;
    high_ = high;
    // Whole pieces; of rows that begin anywhere the words are read in which a piece lies.
    const int first_whole = packed ? (low + 7) / 8 : pieces;
    const int last_whole = packed ? max((high - (job.begins == Begins::anywhere ? 8 : 0)) / 8, first_whole) : pieces;
    whole_low_ = 8 * first_whole;
    whole_high_ = 8 * last_whole;
    const auto is_whole = [&](int piece) { return piece >= first_whole && piece < last_whole; };
    const auto touches = [&](int piece) { return 8 * piece + 8 > low && 8 * piece < high; };
    const int beyond = 32 + lane_ % lanes_a_row;
    whole_ = is_whole(lane_);
    beyond_whole_ = is_whole(beyond);
    touches_ = near_ && touches(lane_);
    beyond_touches_ = near_ && touches(beyond);
    beyond_row_ = lane_ / lanes_a_row * job.in_row;
  }

  /// This warp's share of group `group` of the rows that a strip reads.
  __device__ __forceinline__ void take(const BandedArguments& job, int group, Held& held) const {
    switch (job.begins) {
      case Begins::on_8_bytes: return take<Begins::on_8_bytes>(job, group, held);
      case Begins::on_4_bytes: return take<Begins::on_4_bytes>(job, group, held);
      case Begins::anywhere: return take<Begins::anywhere>(job, group, held);
    }
  }

  /// The same to the group's place in shared memory.
  __device__ __forceinline__ void put(const BandedArguments& job, int group, const Held& held, std::byte* place) const {
    std::byte* const own = own_place(place);
    const bool near = is_near(job, group);
    if (near ? touches_ : whole_) {
#pragma unroll
      for (int i = 0; i < own_rows; ++i) put_unit(own + i * pitch + 16 * lane_, held.rows[i], held.rows[i + 1]);
    }
    if (near ? beyond_touches_ : beyond_whole_)
      put_unit(own + lane_ / lanes_a_row * pitch + 16 * (32 + lane_ % lanes_a_row), held.beyond[0], held.beyond[1]);
    if (bytes_ == 0 || !near) return;
    __syncwarp();
    if (lane_ >= bytes_) return;
    const int from = table_[lane_];
    std::byte* const to = own + unit_byte(lane_ < low_ ? lane_ : lane_ - low_ + high_);
    std::byte values[2 * own_rows];
#pragma unroll
    for (int i = 0; i < 2 * own_rows; ++i) {
      values[i] = static_cast<std::byte>(job.constant_x);
      if (from >= 0) values[i] = own[i / 2 * pitch + i % 2 * 8 + from];
    }
#pragma unroll
    for (int i = 0; i < 2 * own_rows; ++i) to[i / 2 * pitch + i % 2 * 8] = values[i];
  }

  /// The first groups, one after the other from `memory` on.
  __device__ __forceinline__ void fill(const BandedArguments& job, int groups, Held& held, std::byte* memory) const {
    for (int group = 0; group < groups; ++group) {
      take(job, group, held);
      std::byte* const place = memory + group * Cut::group_rows * pitch;
      put(job, group, held, place);
      put_singles<1>(job, group, {place});
    }
  }

  /// What `put` leaves out of `Groups` groups from `group` on, to their places: one loop for all, since each waits for memory.
  template <int Groups>
  __device__ __forceinline__ void put_singles(const BandedArguments& job, int group, std::byte* const (&places)[Groups]) const {
    const int whole = max(whole_high_ - whole_low_, 0);
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      if (is_near(job, group + g) || end_ <= 0 || (whole_low_ == 0 && whole >= end_)) continue;
      put_single_bytes(job, plane_, first_row_ + (group + g) * Cut::group_rows, first_, own_place(places[g]), {whole_low_, whole_high_, end_});
    }
  }

 private:
  /// Where the byte of a column lies in a row of units.
  static __device__ __forceinline__ int unit_byte(int column) { return column / 8 * 16 + column % 8; }
  /// Whether this warp's rows of a group lie inside of the image.
  __device__ __forceinline__ bool rows_inside(const BandedArguments& job, int group) const {
    const int y = first_row_ + group * Cut::group_rows;
    return y >= 0 && y + own_rows < job.border_y.n;
  }
  /// Whether there are rows on both sides of them, and borders are near.
  __device__ __forceinline__ bool is_near(const BandedArguments& job, int group) const {
    const int y = first_row_ + group * Cut::group_rows;
    return near_ && y >= 1 && y + own_rows + 1 < job.border_y.n;
  }
  __device__ __forceinline__ std::byte* own_place(std::byte* place) const {
    return place + own_rows * warp_ * pitch + warp_ * own_rows / 8 * Cut::lift;
  }

  template <Begins From>
  __device__ __forceinline__ void take(const BandedArguments& job, int group, Held& held) const {
    const int y = first_row_ + group * Cut::group_rows;
    const bool near = is_near(job, group);
    const bool own = near ? touches_ : whole_;
    const bool own_beyond = near ? beyond_touches_ : beyond_whole_;
    const std::int64_t from = first_ + 8 * lane_;
    const std::int64_t beyond_from = first_ + 8 * (32 + lane_ % lanes_a_row);
    if (rows_inside(job, group)) {
      const std::byte* row = plane_ + y * job.in_row;
      const std::byte* const beyond = row + beyond_row_ + beyond_from;
      row += from;
#pragma unroll
      for (int i = 0; i <= own_rows; ++i, row += job.in_row) {
        if (own) held.rows[i] = eight_bytes<From>(row);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        if (own_beyond) held.beyond[i] = eight_bytes<From>(beyond + i * job.in_row);
      }
      return;
    }
    const int of_lane = job.border_y.source<int>(y + lane_);
    const auto piece = [&](int row, bool is_own, std::int64_t at) {
      const int source = __shfl_sync(0xffffffff, of_lane, row);
      const unsigned constant = job.constant_y * 0x01010101U;
      return is_own && source >= 0 ? eight_bytes<From>(plane_ + source * job.in_row + at) : make_uint2(constant, constant);
    };
#pragma unroll
    for (int i = 0; i <= own_rows; ++i) held.rows[i] = piece(i, own, from);
#pragma unroll
    for (int i = 0; i < 2; ++i) held.beyond[i] = piece(lane_ / lanes_a_row + i, own_beyond, beyond_from);
  }

  /// Bytes of staged rows before `low` and from `high` to `end`.
  struct Singles {
    int low, high, end;
  };
  static __device__ __noinline__ void put_single_bytes(const BandedArguments& job, const std::byte* plane, int y, int first, std::byte* to,
                                                       Singles singles) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int of_lane = job.border_y.source<int>(y + lane);
    int sources[own_rows + 1];
#pragma unroll
    for (int i = 0; i <= own_rows; ++i) sources[i] = __shfl_sync(0xffffffff, of_lane, i);
    for (int byte = lane; byte < singles.end; byte += 32) {
      if (byte >= singles.low && byte < singles.high) continue;
      const int column = source_column(job, first + byte);
      std::uint8_t values[own_rows + 1];
#pragma unroll
      for (int i = 0; i <= own_rows; ++i) {
        values[i] = sources[i] < 0 ? job.constant_y : job.constant_x;
        if (column >= 0 && sources[i] >= 0)
          values[i] = load_constant<std::uint8_t, std::uint8_t>(plane + sources[i] * job.in_row + column * job.in_step);
      }
      std::byte* const at = to + unit_byte(byte);
#pragma unroll
      for (int i = 0; i < own_rows; ++i) {
        at[i * pitch] = static_cast<std::byte>(values[i]);
        at[i * pitch + 8] = static_cast<std::byte>(values[i + 1]);
      }
    }
  }

  static __device__ __forceinline__ void put_unit(std::byte* to, uint2 row, uint2 below) {
    *reinterpret_cast<uint4*>(to) = make_uint4(row.x, row.y, below.x, below.y);
  }

  int lane_, warp_;
  const int* table_;
  const std::byte* plane_;
  int first_;      // column that is staged first
  int first_row_;  // of this warp's share of the first group
  int end_;
  int low_, high_, bytes_;  // columns inside of the image, and how many are outside
  int whole_low_, whole_high_;
  bool near_;
  bool whole_, beyond_whole_, touches_, beyond_touches_;
  std::int64_t beyond_row_;  // bytes from a warp's first row to that whose piece beyond the first 32 this lane takes
};

/// Four whole numbers as bytes.
__device__ __forceinline__ std::uint32_t saturated([[maybe_unused]] int a, [[maybe_unused]] int b, [[maybe_unused]] int c, [[maybe_unused]] int d) {
  std::uint32_t word = 0;
#if defined(__CUDA_ARCH__)
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(word) : "r"(d), "r"(c));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %0;" : "+r"(word) : "r"(b), "r"(a));
#endif
  return word;
}

/// A warp's rows of outputs as bytes, which lie in shared memory, to rows that begin anywhere: whole words, and what lies before and behind
/// them.
template <class Cut>
__device__ __forceinline__ void put_bytes(const BandedArguments& job, std::byte* to, int rows, int columns, const std::byte* outputs) {
  using Piece = typename Cut::Piece;
  constexpr int size = static_cast<int>(sizeof(Piece));
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto places = reinterpret_cast<std::uintptr_t>(to) | static_cast<std::uintptr_t>(job.out_row);
  if (columns >= Cut::out_columns && places % size == 0) {
    constexpr int pieces = Cut::out_columns / size;
    constexpr int rows_at_once = 32 / pieces;
    const int first = lane / pieces;
    std::byte* const row = to + first * job.out_row + size * (lane % pieces);
    const std::byte* const from = outputs + first * Cut::bytes_pitch + size * (lane % pieces);
    Piece own[Cut::rows / rows_at_once];
#pragma unroll
    for (int i = 0; i < Cut::rows / rows_at_once; ++i) own[i] = *reinterpret_cast<const Piece*>(from + i * rows_at_once * Cut::bytes_pitch);
#pragma unroll
    for (int i = 0; i < Cut::rows / rows_at_once; ++i) {
      if (first + i * rows_at_once < rows) *reinterpret_cast<Piece*>(row + i * rows_at_once * job.out_row) = own[i];
    }
    return;
  }
  const int count = min(columns, Cut::out_columns);
  constexpr int lanes_a_row = Cut::out_columns / 4;
  const int own = lane % lanes_a_row;
#pragma unroll 1
  for (int r = lane / lanes_a_row; r < rows; r += 32 / lanes_a_row) {
    std::byte* const row = to + r * job.out_row;
    const std::byte* const from = outputs + r * Cut::bytes_pitch;
    const int before = min(static_cast<int>(-reinterpret_cast<std::uintptr_t>(row) & 3U), count);
    const int words = (count - before) / 4;
    if (own < words) {
      const auto* const word = reinterpret_cast<const std::uint32_t*>(from) + own;
      *(reinterpret_cast<std::uint32_t*>(row + before) + own) = __funnelshift_r(word[0], word[1], 8 * before);
    }
    const int last = before + 4 * words;
    const int at = own < before ? own : last + own - before;
    if (at < count && (own < before || at >= last)) row[at] = from[at];
  }
}

/// The same as numbers, one by one, to rows whose elements lie anywhere.
template <class Cut>
__device__ __noinline__ void put_numbers(const BandedArguments& job, std::byte* to, int rows, int columns, const float* outputs) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (int i = lane; i < rows * Cut::out_columns; i += 32) {
    const int r = i / Cut::out_columns;
    const int c = i % Cut::out_columns;
    if (c < columns) store(to + r * job.out_row + c * job.out_step, outputs[r * Cut::numbers_pitch + c], job.out_pixel, job.rounding);
  }
}

/// How sums become outputs: as numbers for any pixel; as bytes, by numbers that are rounded; as bytes, by a shift.
enum class Finish { numbers, rounded, shifted };

/// body<finish>() for the job's.
template <class Body>
__device__ __forceinline__ void with_finish(const BandedArguments& job, const Body& body) {
  if (!job.as_bytes) body.template operator()<Finish::numbers>();
  else if (job.by_shift) body.template operator()<Finish::shifted>();
  else body.template operator()<Finish::rounded>();
}

/// A tile's four sums of a lane, low bytes of weights first, of two columns in two rows `Apart` rows apart, to their place in shared memory.
template <class Cut, int Apart, Finish How, int Bytes>
__device__ __forceinline__ void put_sums(const BandedArguments& job, const int (&sums)[Bytes][4], std::byte* outputs, int row, int column) {
  int whole[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) whole[i] = Bytes == 1 ? sums[0][i] : sums[0][i] + (sums[Bytes - 1][i] << 8);
  const auto number = [&](int i) { return static_cast<float>(whole[i]) * job.factor + job.offset; };
  if constexpr (How == Finish::numbers) {
    auto* const at = reinterpret_cast<float2*>(outputs) + (row * Cut::numbers_pitch + column) / 2;
    at[0] = make_float2(number(0), number(1));
    at[Apart * Cut::numbers_pitch / 2] = make_float2(number(2), number(3));
  } else {
    std::uint32_t bytes = 0;
    if constexpr (How == Finish::shifted) {
      bytes = saturated(whole[0] >> job.shift, whole[1] >> job.shift, whole[2] >> job.shift, whole[3] >> job.shift);
    } else {
      const float values[4] = {number(0), number(1), number(2), number(3)};
      words_of<std::uint8_t>(values, &bytes);
    }
    auto* const at = reinterpret_cast<std::uint16_t*>(outputs + row * Cut::bytes_pitch + column);
    at[0] = static_cast<std::uint16_t>(bytes);
    at[Apart * Cut::bytes_pitch / 2] = static_cast<std::uint16_t>(bytes >> 16);
  }
}

/// What lies there, `Cut::out_columns` of them, of which `columns` are inside the image.
template <class Cut, Finish How>
__device__ __forceinline__ void put_outputs(const BandedArguments& job, std::byte* to, int rows, int columns, const std::byte* outputs) {
  __syncwarp();
  if (columns > 0) {
    if constexpr (How == Finish::numbers) put_numbers<Cut>(job, to, rows, columns, reinterpret_cast<const float*>(outputs));
    else put_bytes<Cut>(job, to, rows, columns, outputs);
  }
  __syncwarp();
}

}  // namespace halation::cuda_backend::banded_steps
