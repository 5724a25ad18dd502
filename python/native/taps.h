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
  bool is_finite = false;  ///< elements and constant are: weights of 0 are left out, and those that meet the
                           ///< same element added up; else only those of one sign, 0 being one
};

/// Immutable; any number of threads may run one. On a GPU each output is summed by a thread, or a warp where
/// outputs are few and taps many; cost: a product and a cached read for each tap, but for those of 0 where
/// elements are finite, at some 10^12 a second, and one read and write of the arrays. On the CPU by plain
/// loops, which is for tests.
class Taps {
 public:
  /// Throws `Error{unsupported}` for arrays of more axes or elements than a launch counts.
  Taps(const TapInput& in, const TapOutput& out, const TapFilter& filter, Device device);

  /// From memory to memory of the device, queued on a stream of it.
  void run(const std::byte* from, std::byte* to, void* stream) const;

 private:
  /// What the taps weigh together that read at one place.
  struct Place {
    double weight = 0;
    bool is_read = false;  ///< by any tap that counts

    Place& operator+=(const Place& other) {
      weight += other.weight;
      is_read = is_read || other.is_read;
      return *this;
    }
  };

  void place_axes(const TapInput& in, const TapOutput& out, const TapFilter& filter);
  void find_folded(const TapFilter& filter);
  void find_inner();
  void find_sets(const TapFilter& filter);
  double fold(const TapFilter& filter, std::int64_t set, std::vector<Place>& places,
              std::vector<std::int64_t>& taps) const;
  void find_rows(const std::vector<Place>& places, const std::vector<std::int64_t>& taps, double constant);
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
