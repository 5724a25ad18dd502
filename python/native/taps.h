// taps.h: sums of taps prepared for arrays of a shape, of any numbers and any axes, on a device.
#pragma once

#include <halation/image.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tap_sums.h"

namespace halation::python {

/// The array that is read; strides in bytes.
struct TapInput {
  Number number;
  std::vector<std::int64_t> shape, strides;
};

/// The array that is written, and how.
struct TapOutput {
  Number number;
  std::vector<std::int64_t> shape, strides;
  NumberRule rule;
};

/// Dense weights with an axis for each of the arrays'.
struct TapFilter {
  std::span<const double> weights;
  std::vector<std::int64_t> taps;  ///< of each axis
  std::vector<std::int64_t>
      lows;  ///< where the first tap of the first output reads along each axis, 0 or less
  std::vector<std::vector<std::int64_t>>
      outsides;  ///< elements that stand for coordinates low … −1, n …; −1: the constant
  double constant = 0;
  bool has_zeros = false;  ///< weights of 0 read their element too, and make NaN of infinity
  bool is_finite = false;  ///< no element is infinite: weights of both signs that meet the same one may be
                           ///< added up, else those of each
};

/// Immutable; any number of threads may run one. On a GPU each output is summed by a thread, or a warp where
/// outputs are few and taps many; cost: a product and a cached read for each tap that is not 0, at some 10^12
/// a second, and one read and write of the arrays. On the CPU by plain loops, which is for tests.
class Taps {
 public:
  /// Throws `Error{unsupported}` for arrays of more axes or elements than a launch counts.
  Taps(const TapInput& in, const TapOutput& out, const TapFilter& filter, Device device);

  /// From memory to memory of the device, queued on a stream of it.
  void run(const std::byte* from, std::byte* to, void* stream) const;

 private:
  void place_axes(const TapInput& in, const TapOutput& out, const TapFilter& filter);
  void find_folded(const TapFilter& filter);
  void find_inner();
  void find_sets(const TapFilter& filter);
  double fold(const TapFilter& filter, std::int64_t set, std::vector<double>& weights,
              std::vector<std::int64_t>& taps) const;
  void find_rows(const std::vector<double>& weights, const std::vector<double>& counts,
                 const std::vector<std::int64_t>& taps, double constant);
  void upload(const TapFilter& filter);

  Device device_;
  TapJob job_;
  std::vector<std::size_t> axes_;  ///< the arrays' axis of each of the job's
  std::vector<std::int32_t> sets_;
  std::vector<TapRow> rows_;
  std::vector<Tap> taps_;
  Image memory_;  ///< of the device: rows, taps, sets, what stands for outsides
};

}  // namespace halation::python
