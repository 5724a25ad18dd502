// border.h: what lies outside an image, as kernels get it: by value, computed where it is met.
#pragma once

#include <cstdint>

#include "core/border_index.h"
#include "cuda/device/runtime.h"

namespace halation::cuda_backend {

/// One axis of n pixels, of which a job reads the coordinates from `low` up to `high`.
struct DeviceBorder {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t n = 0;
  double constant = 0;
  Border::Mode mode = Border::Mode::constant;

  DeviceBorder() = default;
  explicit DeviceBorder(const BorderTable& table)
      : low(table.low()), high(table.high()), n(table.size()), constant(table.constant()), mode(table.mode()) {}

  /// The pixel that stands in for coordinate c; −1 for the constant. Coordinates that the job does not read, which no output needs,
  /// give that of the nearest one read, so that all results are inside the image. `Int` holds three times the axis' length.
  template <class Int = std::int64_t>
  __device__ Int source(Int c) const {
    const auto size = static_cast<Int>(n);
    const auto first = static_cast<Int>(low);
    const auto last = static_cast<Int>(high - 1);
    return c >= 0 && c < size ? c : border_index<Int>(c < first ? first : c > last ? last : c, size, mode);
  }
};

/// DeviceBorder::source, the same of every coordinate, without branches, so that loads need not wait for one
/// another. It holds where no coordinate that a job reads lies further outside than the axis is long:
/// outside, a source is a straight line of the coordinate.
struct NearBorder {
  int low, high, n;
  int before, before_each, after, after_each;
  bool holds;  ///< whether it can be asked

  __device__ explicit NearBorder(const DeviceBorder& border)
      : low(static_cast<int>(border.low)),
        high(static_cast<int>(border.high)),
        n(static_cast<int>(border.n)) {
    holds = border.n < (1 << 29) && border.low > -border.n && border.high < 2 * border.n;
    const bool is_reflected = border.mode == Border::Mode::reflect || border.mode == Border::Mode::reflect101;
    const int edge = border.mode == Border::Mode::reflect101 ? 1 : 0;
    before = after = -1;
    before_each = after_each = 0;
    if (border.mode == Border::Mode::replicate) {
      before = 0;
      after = n - 1;
    } else if (is_reflected) {
      before = edge - 1;
      after = 2 * n - 1 - edge;
      before_each = after_each = -1;
    } else if (border.mode == Border::Mode::wrap) {
      before = n;
      after = -n;
      before_each = after_each = 1;
    }
  }
  __device__ __forceinline__ int source(int c) const {
    const int read = min(max(c, low), high - 1);  // low is at most 0, high at least n
    const int below = before + before_each * read, above = after + after_each * read;
    return read < 0 ? below : read >= n ? above : read;
  }
};

}  // namespace halation::cuda_backend
