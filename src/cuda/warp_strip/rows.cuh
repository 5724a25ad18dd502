// rows.cuh: the rows of a warp (warp_strip.cuh), on their way into shared memory: where it goes, which pieces each lane brings,
// and what lies beyond a row's ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/parts/lines.cuh"
#include "cuda/warp_strip/size.cuh"

namespace halation::cuda_backend {

namespace warp_strip_steps {

/// Rows on their way, beside the one that is filtered and the one that lanes may still read.
constexpr int ahead = staged_strip_rows - 2;

/// A warp's way down.
struct Way {
  const std::byte* in;  // the plane's first element
  std::byte* out;       // the warp's first output
  int column;
  int row;
  int count;  // of rows of outputs

  template <class R>
  static __device__ __forceinline__ Way of(const WarpStripArguments& job, unsigned warp, int out_size) {
    const unsigned strip = job.across.quotient(warp);
    const unsigned plane = job.strips.quotient(strip);
    const unsigned batch = job.depth.quotient(plane);
    const unsigned depth = plane - batch * job.depth.by;
    Way way;
    // The last warp reaches back over its neighbour's columns rather than out of the image; both compute the same.
    way.column = min(static_cast<int>(warp - strip * job.across.by) * R::warp_columns, job.last_column);
    way.row = static_cast<int>(strip - plane * job.strips.by) * job.strip;
    way.count = min(job.strip, job.rows - way.row);
    way.in = job.in + batch * job.in_batch + depth * job.in_plane;
    way.out = job.out + batch * job.out_batch + depth * job.out_plane + way.row * job.out_row +
              static_cast<std::int64_t>(way.column) * out_size;
    return way;
  }
};

__device__ __noinline__ inline int source_of(const DeviceBorder& border, int c) { return border.source(c); }

/// What a lane brings of each row: pieces of the warp's own, 32 apart; the first few, one beside them as well. A row's pieces begin
/// `shift` bytes before the warp's first column.
template <class R>
class Share {
 public:
  __device__ __forceinline__ Share(const WarpStripArguments& job, const Way& way) {
    const int lane = static_cast<int>(threadIdx.x);
    const int row_bytes = job.columns * R::size;
    const int first = way.column * R::size;
    const int piece = lane < R::before ? lane - R::before : lane + R::pieces - R::before;
    int other = first + 16 * piece;
    if (job.wraps && has_other()) other += other < 0 ? row_bytes : other >= row_bytes ? -row_bytes : 0;
    own_bytes_ = row_bytes - (first + 16 * lane);
    other_bytes_ = has_other() && other > -16 ? row_bytes - other : -16;
    other_ = other - (first + 16 * lane);
    other_end_ = other + 16;
    other_to_ = 16 * (piece - lane);
    // Bytes are counted where not all pieces are whole.
    const bool is_full = own_bytes_ >= 512 * (R::groups - 1) + 16 && (!has_other() || (other >= 0 && other_bytes_ >= 16));
    full_ = __all_sync(0xffffffff, is_full) != 0;
  }

  /// From and to a lane's first piece of a row. Pieces at the ends of rows on no boundary bring what lies beside
  /// them.
  __device__ __forceinline__ void bring(const WarpStripArguments& job, const std::byte* from, int shift, unsigned to) const {
    from -= shift;
    if (full_) {
#pragma unroll
      for (int g = 0; g < R::groups; ++g) copy_16(to + 512 * g, from + 512 * g);
      if (has_other()) copy_16(to + other_to_, from + other_);
    } else {
#pragma unroll
      for (int g = 0; g < R::groups; ++g) {
        bring_piece(job, from + 512 * g, own_bytes_ + shift - 512 * g, to + 512 * g);
      }
      if (R::aligned || other_end_ > shift) bring_piece(job, from + other_, other_bytes_ + shift, to + other_to_);
    }
  }
  /// A row of constants, by words.
  __device__ __forceinline__ void fill(std::uint32_t word, unsigned to) const {
#pragma unroll
    for (int g = 0; g < R::groups; ++g) fill_16(to + 512 * g, word);
    if (has_other()) fill_16(to + other_to_, word);
  }

 private:
  static __device__ __forceinline__ void bring_piece(const WarpStripArguments& job, const std::byte* from, int bytes, unsigned to) {
    if (bytes <= 0) return;
    if constexpr (R::aligned) copy_16(to, from, min(bytes, 16));
    else if (from + 16 <= job.in_end) copy_16(to, from);
    else copy_first(to, from, min(bytes, 16));
  }
  static __device__ __forceinline__ bool has_other() { return threadIdx.x < R::before + R::behind; }
  static __device__ __forceinline__ void fill_16([[maybe_unused]] unsigned to, [[maybe_unused]] std::uint32_t word) {
#if defined(__CUDA_ARCH__)
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(to), "r"(word) : "memory");
#endif
  }

  bool full_;                   // of the warp
  int own_bytes_, other_bytes_;  // to the row's end
  int other_, other_to_;         // from the lane's first piece
  int other_end_;                // from the row's beginning
};

/// The element beyond a row's ends that a lane sets in each staged row.
template <class In, class R>
class Beyond {
 public:
  template <int C>
  static __device__ __forceinline__ Beyond of(const WarpStripArguments& job, const Way& way) {
    Beyond beyond;
    const int lane = static_cast<int>(threadIdx.x);
    const bool left = lane < R::reach;
    const int column = left ? lane - R::reach : job.columns + lane - R::reach;
    const int pixel = (column + R::reach) / C - R::reach / C;  // reach is a multiple of C
    const int source = source_of(job.border_x, pixel);
    constexpr int staged = R::before * R::columns;  // columns in front of a warp's own
    beyond.any_ = !job.wraps && (way.column < R::reach || way.column + R::warp_columns + R::reach > job.columns);
    beyond.own_ = beyond.any_ && lane < 2 * R::reach &&
                  (left ? column >= way.column - R::reach : column < way.column + R::warp_columns + staged);
    beyond.to_ = (column - way.column + staged) * R::size;
    beyond.constant_ = source < 0;
    beyond.from_ = (source * C + (column - pixel * C) - way.column + staged) * R::size;
    return beyond;
  }

  /// Whether there are such in the warp.
  __device__ __forceinline__ bool any() const { return any_; }
  /// In a row of the image, when it is there for all lanes; after it, they must meet.
  __device__ __forceinline__ void set(const WarpStripArguments& job, std::byte* row) const {
    if (!own_) return;
    *reinterpret_cast<In*>(row + to_) =
        *reinterpret_cast<const In*>(constant_ ? reinterpret_cast<const std::byte*>(&job.constant_x) : row + from_);
  }

 private:
  bool any_;   // of the warp
  bool own_;   // of the lane
  bool constant_;
  int to_, from_;  // bytes from the staged row's first
};

}  // namespace warp_strip_steps

}  // namespace halation::cuda_backend
