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

}  // namespace halation::cuda_backend
