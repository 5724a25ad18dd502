// lines.h: rows of the input, extended by the border, as lines of sums.
#pragma once

#include "core/job.h"
#include "cpu/parts/kernels.h"

namespace halation::cpu_backend {

/// One image of a batch (and one channel of it where channels are not interleaved) as a source of lines.
template <class Sum>
class Lines {
 public:
  /// `step` samples stand side by side in each pixel: the channels of interleaved images, else 1. `in` is narrowed to what is
  /// filtered.
  Lines(const Job& job, const Kernels<Sum>& kernels, const ConstView& in, std::int64_t step);

  /// Writes pixels [x_low, x_high) of row (z, y) to `line`; all coordinates may lie outside the image. The inside of the row is
  /// one conversion without tests; only pixels outside are looked up.
  void stage(std::int64_t z, std::int64_t y, std::int64_t x_low, std::int64_t x_high, Sum* line) const;

  /// The same pixels where they lie, as a line, if they are sums already and all inside the image; else null. Nothing may be read
  /// behind them.
  const Sum* in_place(std::int64_t z, std::int64_t y, std::int64_t x_low, std::int64_t x_high) const;

  std::int64_t step() const { return step_; }
  /// For prefetches: where a row lies from x on, which may be outside; null where it is not of sums or not in the image.
  const std::byte* near(std::int64_t z, std::int64_t y, std::int64_t x) const;
  std::int64_t width() const { return in_.shape.width; }
  bool is_one_row() const { return in_.shape.height == 1; }

 private:
  void load(const std::byte* row, std::int64_t x, std::int64_t pixels, Sum* to) const;

  const Job& job_;
  void (*load_)(const std::byte*, std::int64_t, Sum*, std::int64_t);
  const ConstView& in_;
  std::int64_t step_;
  std::int64_t sample_bytes_;  // from one sample of a line to the next
  bool are_sums_;              // packed ones, of the pixel of sums
};

}  // namespace halation::cpu_backend
