// plain_rows.cuh: rows of bytes on their way into shared memory, as they are, 16 rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/banded/stage.cuh"

namespace halation::cuda_backend::banded_steps {

/// How a block of 128 threads brings groups of 16 rows into shared memory. Pieces of 16 bytes that lie inside a row come as they are; the
/// other bytes one by one, from the columns that stand for them: eight threads a row, eight bytes each that are on their way while the group
/// before is summed, those beyond (of rows whose elements lie apart, say) when it is put.
///
/// In shared memory row 4 q + i of a group is row 2 q + i, or, for i of 2 and 3, 8 + 2 q + i − 2: so a lane's sums of two matrices of rows
/// are four rows on end.
template <int Pieces>
class PlainRows {
 public:
  static constexpr int rows = 16;
  static constexpr int pitch = 16 * Pieces;  // an odd number of pieces: 8 rows meet in no bank
  static_assert(Pieces % 2 == 1);
  static constexpr int most_singles = pitch;  // places of the table

 private:
  static constexpr int threads = 32 * BandedCut::warps;
  static constexpr int each = (rows * Pieces + threads - 1) / threads;
  static constexpr int a_row = threads / rows;
  static constexpr int held_singles = 8;

 public:
  struct Held {
    uint4 pieces[each];
    std::uint8_t singles[held_singles];
  };

  /// By all of a block; it must meet before `table` is used.
  __device__ __forceinline__ PlainRows(const BandedPassesArguments& job, const Strip& strip, int* table) : table_(table), plane_(strip.in) {
    first_ = strip.column + job.first_column;
    first_row_ = strip.row + job.first_row;
    const int low = max(-first_, 0);
    const int high = min(job.in_columns - first_, pitch);
    // Words that pieces lie in are read where rows begin anywhere.
    const int beyond = !job.on_16_bytes && job.begins == Begins::anywhere ? 8 : 0;
    whole_low_ = job.in_step == 1 ? min((low + 15) / 16, Pieces) : 0;
    whole_high_ = job.in_step == 1 ? max((high - beyond) / 16, whole_low_) : 0;
    const int end = min(pitch, job.columns + job.reach - first_);  // past what outputs of the image read
    singles_ = max(min(end, 16 * whole_low_), 0) + max(end - 16 * whole_high_, 0);
    for (int i = static_cast<int>(threadIdx.x); i < singles_; i += threads) table[i] = source_column(job, first_ + place_of(i));
  }

  /// This thread's share of group `group` of the rows that a strip reads.
  __device__ __forceinline__ void take(const BandedPassesArguments& job, int group, Held& held) const {
    take_singles(job, group, held);
    const auto take_pieces = [&](const auto& load) {
      for_each_piece(job, group, [&](int i, const std::byte* from) {
        const std::uint32_t four = job.constant_y * 0x01010101U;
        held.pieces[i] = from == nullptr ? make_uint4(four, four, four, four) : load(from);
      });
    };
    if (job.on_16_bytes) return take_pieces([](const std::byte* from) { return __ldg(reinterpret_cast<const uint4*>(from)); });
    const auto by_halves = [&]<Begins From>() {
      take_pieces([](const std::byte* from) {
        const uint2 low = eight_bytes<From>(from);
        const uint2 high = eight_bytes<From>(from + 8);
        return make_uint4(low.x, low.y, high.x, high.y);
      });
    };
    switch (job.begins) {
      case Begins::on_8_bytes: return by_halves.template operator()<Begins::on_8_bytes>();
      case Begins::on_4_bytes: return by_halves.template operator()<Begins::on_4_bytes>();
      case Begins::anywhere: return by_halves.template operator()<Begins::anywhere>();
    }
  }

  /// The same to the group's place in shared memory; the block must meet before others read it.
  __device__ __forceinline__ void put(const BandedPassesArguments& job, int group, const Held& held, std::byte* place) const {
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const Piece piece = piece_of(i);
      if (piece.is_whole) *reinterpret_cast<uint4*>(place + slot_of(piece.row) * pitch + 16 * piece.across) = held.pieces[i];
    }
    if (singles_ == 0) return;
    const int row = static_cast<int>(threadIdx.x) / a_row;
    std::byte* const to = place + slot_of(row) * pitch;
#pragma unroll
    for (int i = 0; i < held_singles; ++i) {
      const int single = static_cast<int>(threadIdx.x) % a_row + i * a_row;
      if (single < singles_) to[place_of(single)] = static_cast<std::byte>(held.singles[i]);
    }
    const std::byte* const from = row_of(job, group, row);
    for (int single = static_cast<int>(threadIdx.x) % a_row + held_singles * a_row; single < singles_; single += a_row)
      to[place_of(single)] = static_cast<std::byte>(single_byte(job, from, single));
  }

 private:
  static __device__ __forceinline__ int slot_of(int row) { return (row & 2) * 4 + (row >> 2) * 2 + (row & 1); }
  /// Where a single byte lies in a row.
  __device__ __forceinline__ int place_of(int single) const {
    return single < 16 * whole_low_ ? single : single + 16 * (whole_high_ - whole_low_);
  }

  /// A row of the input; null where the constant stands for it.
  __device__ __forceinline__ const std::byte* row_of(const BandedPassesArguments& job, int group, int row) const {
    const int source = job.border_y.source<int>(first_row_ + group * rows + row);
    return source < 0 ? nullptr : plane_ + source * job.in_row;
  }
  __device__ __forceinline__ std::uint8_t single_byte(const BandedPassesArguments& job, const std::byte* from, int single) const {
    if (from == nullptr) return job.constant_y;
    const int column = table_[single];
    return column < 0 ? job.constant_x : load_constant<std::uint8_t, std::uint8_t>(from + column * job.in_step);
  }

  /// This thread's piece i of a group.
  struct Piece {
    int row, across;
    bool is_whole;
  };
  __device__ __forceinline__ Piece piece_of(int i) const {
    const int piece = static_cast<int>(threadIdx.x) + i * threads;
    const int row = piece / Pieces;
    const int across = piece - row * Pieces;
    return {row, across, row < rows && across >= whole_low_ && across < whole_high_};
  }
  /// body(i, from) for its whole pieces: where one lies in the image, null where the constant stands for it.
  template <class Body>
  __device__ __forceinline__ void for_each_piece(const BandedPassesArguments& job, int group, const Body& body) const {
    const int y = first_row_ + group * rows;
    const bool inside = y >= 0 && y + rows <= static_cast<int>(job.border_y.n);
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const Piece piece = piece_of(i);
      if (!piece.is_whole) continue;
      const std::byte* const row = inside ? plane_ + (y + piece.row) * job.in_row : row_of(job, group, piece.row);
      body(i, row == nullptr ? nullptr : row + first_ + 16 * piece.across);
    }
  }
  __device__ __forceinline__ void take_singles(const BandedPassesArguments& job, int group, Held& held) const {
    if (singles_ == 0) return;
    const int row = static_cast<int>(threadIdx.x) / a_row;
    const std::byte* const from = row_of(job, group, row);
#pragma unroll
    for (int i = 0; i < held_singles; ++i) {
      const int single = static_cast<int>(threadIdx.x) % a_row + i * a_row;
      if (single < singles_) held.singles[i] = single_byte(job, from, single);
    }
  }

  const int* table_;
  const std::byte* plane_;
  int first_;      // column that is staged first
  int first_row_;  // of the first group
  int whole_low_, whole_high_;  // pieces
  int singles_;    // bytes of a row that come one by one
};

}  // namespace halation::cuda_backend::banded_steps
