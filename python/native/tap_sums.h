// tap_sums.h: sums of taps over arrays of any numbers and any axes, an output at a time: what a thread of a
// GPU does, and plain loops on the CPU.
//
//   out[c] = rule(Σ_t weight[t] · in[c + place[t] + low])     along each axis; outside: the element or
//   constant that the border says
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "number_rule.h"

/// Loops whose arrays are to be registers of a GPU.
#ifdef __CUDA_ARCH__
#define HALATION_UNROLL(times) _Pragma(HALATION_WORDS(unroll times))
#define HALATION_WORDS(words) #words
#else
#define HALATION_UNROLL(times)
#endif

namespace halation::python {

/// n / d for 0 ≤ n < 2^31 and 1 ≤ d < 2^31, by a multiplication: with s = ⌈log2 d⌉ and m = ⌈2^(31 + s) / d⌉ <
/// 2^32 it is n · m >> (31 + s).
struct Divisor {
  std::uint32_t multiplier = 0;
  int shift = -1;  ///< s − 1; −1: by 1

  Divisor() = default;
  explicit Divisor(std::int64_t d) {
    while (std::int64_t{1} << (shift + 1) < d) ++shift;
    const std::uint64_t power = std::uint64_t{1} << (shift + 32);
    multiplier = d == 1 ? 0
                        : static_cast<std::uint32_t>((power + static_cast<std::uint64_t>(d) - 1) /
                                                     static_cast<std::uint64_t>(d));
  }
  HALATION_HOST_DEVICE std::uint32_t quotient(std::uint32_t n) const {
    const auto high = static_cast<std::uint32_t>(std::uint64_t{n} * multiplier >> 32);
    return shift < 0 ? n : high >> shift;
  }
};

/// An axis of both arrays, outermost in the output's memory first.
struct TapAxis {
  static constexpr std::uint32_t all = 0xFFFF'FFFF;

  std::int32_t outputs = 1;
  std::int32_t inputs = 1;
  std::int32_t low = 0;   ///< where the first tap of the first output reads
  std::int32_t taps = 1;  ///< places along the axis; 1: it is not filtered
  std::int64_t from = 0;  ///< bytes from one element to the next
  std::int64_t to = 0;
  const std::int32_t* outside =
      nullptr;  ///< elements that stand for coordinates low … −1, then inputs … ; −1: the constant
  // What follows from these, so that every output adds alike whatever the axis is.
  Divisor divisor = {};          ///< by `outputs`
  std::int32_t is_inner = 0;     ///< 1 where rows of taps lie along it
  std::int32_t set_step = 0;     ///< sets of rows from one coordinate to the next, where it is folded; else 0
  std::int64_t inside_from = 0;  ///< `from`, or 0 of the inner axis and of folded ones
  std::int64_t origin_from = 0;  ///< `from` where it is not filtered, else 0
  std::int32_t first_inside =
      0;  ///< outputs whose taps all read inside; along the inner axis and folded ones, all
  std::uint32_t inside_outputs = all;  ///< so many

  HALATION_HOST_DEVICE bool is_filtered() const { return taps != 1 || low != 0 || outputs != inputs; }
};

struct Tap {
  double weight;
  std::int32_t place;  ///< along the inner axis, from where the first place reads
};

/// Taps that lie one beside the other along the inner axis.
struct TapRow {
  std::int32_t begin, end;  ///< its taps
  double constant;          ///< what is added whatever is read
  std::int64_t offset;  ///< bytes from where the first place reads along the outer axes; from element 0 along
                        ///< folded ones
  std::int64_t folded;  ///< of these, those along folded axes
  std::array<std::int32_t, 8> places;
};

/// All that a launch knows. Memory is the device's that it runs on.
///
/// An axis that is shorter than the filter may be folded: each of its elements then has, for each output
/// coordinate, one place, which weighs what all taps do that meet it by way of the border; where elements may
/// be infinite, one for each sign of these, 0 included.
struct TapJob {
  static constexpr int most_axes = 8;

  Number in = Number::f8;
  Number out = Number::f8;
  NumberRule rule;
  bool is_plain = true;  ///< sums are rounded as they are
  double constant = 0;
  int axes = 0;
  int inner = 0;                 ///< the axis that rows of taps lie along
  bool inner_is_folded = false;  ///< places along it count from element 0
  bool is_folded = false;        ///< any axis
  std::uint32_t slices =
      1;  ///< of the outermost axis, which then has no part in a slice, or 1: all axes at once
  std::uint32_t elements = 1;  ///< outputs of a slice
  int count = 0;               ///< taps of the largest set
  int rows = 0;                ///< of the largest set
  bool is_small = false;       ///< whether all offsets in bytes are below 2^31
  const std::int32_t* set =
      nullptr;  ///< first row of each set, and behind the last: sets for the coordinates along folded axes
  const std::int32_t* inner_sources =
      nullptr;  ///< along the inner axis, for each sum of output coordinate and place; null: too many
  const TapRow* row = nullptr;
  const Tap* taps = nullptr;
  std::array<TapAxis, most_axes> axis;
};

/// An element as f64. Whole numbers of up to 32 bits are put into the fraction of 2^52, from which 2^52 is
/// taken again: an addition costs a GPU a quarter of a conversion.
template <class T>
HALATION_HOST_DEVICE inline double element_as_f64(const std::byte* from) {
  if constexpr (std::is_same_v<T, bool>) {
    return *reinterpret_cast<const std::uint8_t*>(from) != 0 ? 1.0 : 0.0;
  } else {
    const T value = *reinterpret_cast<const T*>(from);
    if constexpr (std::is_same_v<T, f16>) {
      return as_f64(value);
    } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 4) {
      constexpr std::uint32_t flip = std::is_signed_v<T> ? 0x8000'0000U : 0U;
      const auto word = static_cast<std::uint32_t>(
          static_cast<std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>>(value));
      return std::bit_cast<double>(std::uint64_t{0x4330'0000} << 32 | (word ^ flip)) - (0x1p52 + flip);
    } else {
      return static_cast<double>(value);
    }
  }
}

/// Where an output lies, and what its taps read; offsets in bytes, of 32 bits where that is enough.
template <class Offset, int axes>
struct TapPlace {
  Offset inside =
      0;  ///< where its first place reads along all axes but the inner one, if none of them reads outside
  Offset origin = 0;  ///< the same with coordinate 0 along filtered axes
  Offset to = 0;
  bool is_inside = true;                      ///< along all axes but the inner one
  std::int32_t coordinate = 0;                ///< along the inner one
  std::int32_t set = 0;                       ///< of rows
  std::array<std::int32_t, axes> first = {};  ///< coordinates that its first place reads
};

/// Of output `index` of a slice of a job of `axes` axes at most.
template <class Offset, int axes>
HALATION_HOST_DEVICE inline TapPlace<Offset, axes> place_of(const TapJob& job, std::uint32_t slice,
                                                            std::uint32_t index) {
  TapPlace<Offset, axes> place;
  HALATION_UNROLL()
  for (int a = axes - 1; a >= 0; --a) {
    const TapAxis& axis = job.axis[a];
    std::uint32_t at = index;
    if (a > 0) {
      index = axis.divisor.quotient(index);
      at -= index * static_cast<std::uint32_t>(axis.outputs);
    } else if (job.slices > 1) {
      at = slice;
    }
    const auto coordinate = static_cast<std::int32_t>(at);
    place.first[a] = coordinate + axis.low;
    place.to += static_cast<Offset>(coordinate) * static_cast<Offset>(axis.to);
    place.inside += static_cast<Offset>(place.first[a]) * static_cast<Offset>(axis.inside_from);
    place.origin += static_cast<Offset>(coordinate) * static_cast<Offset>(axis.origin_from);
    place.coordinate += coordinate * axis.is_inner;
    place.set += coordinate * axis.set_step;
    place.is_inside =
        place.is_inside && static_cast<std::uint32_t>(coordinate - axis.first_inside) < axis.inside_outputs;
  }
  return place;
}

/// The element that stands for a coordinate along an axis; −1: the constant.
HALATION_HOST_DEVICE inline std::int32_t source_of(const TapAxis& axis, std::int32_t at) {
  if (static_cast<std::uint32_t>(at) < static_cast<std::uint32_t>(axis.inputs)) return at;
  return axis.outside[(at < 0 ? at : at - axis.inputs) - axis.low];
}

/// Where a row begins along the outer axes, coordinate 0 along the inner one; false where all of it reads the
/// constant.
template <class Offset, int axes>
HALATION_HOST_DEVICE inline bool row_anywhere(const TapJob& job, const TapPlace<Offset, axes>& place,
                                              const TapRow& row, Offset& from) {
  from = place.origin + static_cast<Offset>(row.folded);
  bool is_read = true;
  HALATION_UNROLL()
  for (int a = 0; a < axes; ++a) {
    const TapAxis& axis = job.axis[a];
    if (axis.inside_outputs == TapAxis::all) continue;  // the inner one, folded, or not filtered
    const std::int32_t at = source_of(axis, place.first[a] + row.places[a]);
    is_read = is_read && at >= 0;
    from += static_cast<Offset>(at) * static_cast<Offset>(axis.from);
  }
  return is_read;
}

/// Which of a job's rows and of their taps are summed.
struct TapShare {
  int row = 0, row_step = 1, tap = 0, tap_step = 1;
};

/// Whether all taps of an output read inside along the inner axis.
HALATION_HOST_DEVICE inline bool is_inner_inside(const TapJob& job, std::int32_t coordinate) {
  const TapAxis& inner = job.axis[job.inner];
  const std::int32_t first = coordinate + inner.low;
  return job.inner_is_folded || (first >= 0 && first + inner.taps <= inner.inputs);
}

/// The sum of an output's taps. `inside`: whether neither it nor those beside it read outside along outer
/// axes, `inner_inside`: along the inner one.
template <class T, class Offset, int axes>
HALATION_HOST_DEVICE inline double sum_taps_of(const TapJob& job, const std::byte* in,
                                               const TapPlace<Offset, axes>& place, bool inside,
                                               bool inner_inside, const TapShare& share) {
  double sum = 0;
  const TapAxis& inner = job.axis[job.inner];
  const auto step = static_cast<Offset>(inner.from);
  const std::int32_t first = job.inner_is_folded ? 0 : place.coordinate + inner.low;
  const int last_row = job.set == nullptr ? job.rows : job.set[place.set + 1];
  for (int r = share.row + (job.set == nullptr ? 0 : job.set[place.set]); r < last_row; r += share.row_step) {
    const TapRow& row = job.row[r];
    const int last = row.end;
    Offset from = place.inside + static_cast<Offset>(row.offset);
    if (job.is_folded && share.tap == 0) sum += row.constant;
    if (!inside && !row_anywhere(job, place, row, from)) {
      for (int t = row.begin + share.tap; t < last; t += share.tap_step)
        sum = std::fma(job.taps[t].weight, job.constant, sum);
    } else if (inner_inside) {
      const std::byte* read = in + (from + static_cast<Offset>(first) * step);
      HALATION_UNROLL(4)
      for (int t = row.begin + share.tap; t < last; t += share.tap_step) {
        const Tap tap = job.taps[t];
        sum = std::fma(tap.weight, element_as_f64<T>(read + static_cast<Offset>(tap.place) * step), sum);
      }
    } else {
      const std::byte* read = in + from;
      const std::int32_t* sources = job.inner_sources;
      HALATION_UNROLL(4)
      for (int t = row.begin + share.tap; t < last; t += share.tap_step) {
        const Tap tap = job.taps[t];
        const std::int32_t at =
            sources == nullptr ? source_of(inner, first + tap.place) : sources[place.coordinate + tap.place];
        sum = std::fma(tap.weight,
                       at < 0 ? job.constant : element_as_f64<T>(read + static_cast<Offset>(at) * step), sum);
      }
    }
  }
  return sum;
}

/// A sum as what the output has.
HALATION_HOST_DEVICE inline void put(const TapJob& job, double sum, std::byte* to) {
  const double value = job.is_plain ? sum : value_of(job.rule, sum);
  visit(job.out, [&](auto element) {
    using T = decltype(element);
    if constexpr (std::is_same_v<T, bool>) {
      *reinterpret_cast<std::uint8_t*>(to) = number_from<std::uint8_t>(job.rule, value) != 0 ? 1 : 0;
    } else {
      *reinterpret_cast<T*>(to) = number_from<T>(job.rule, value);
    }
  });
}

/// On a GPU, queued on a stream of it (a `cudaStream_t`).
void launch_taps(const TapJob& job, const std::byte* from, std::byte* to, int device, void* stream);

}  // namespace halation::python
