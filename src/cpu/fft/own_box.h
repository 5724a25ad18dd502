// own_box.h: what keeps each output's error to what lies under its own box (core/own_box.h): which tiles need more than one transform,
// and which samples each of them sees.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "cpu/fft/steps/kernels.h"
#include "cpu/fft/windows.h"

namespace halation::cpu_backend {

/// What a tile's samples are like; those that are left out are not among them.
template <class Sum>
struct TileFacts {
  Extremes<Sum> extremes;
  bool any_infinity = false;  ///< among those left out
  Sum least_block = std::numeric_limits<Sum>::infinity();  ///< at most the largest number
  double squares = 0;  ///< Σx²

  bool is_finite() const { return extremes.largest <= std::numeric_limits<Sum>::max(); }
  /// Of so many samples: whether Σx² says that all are finite, and the largest not far from 1 (scaling.h).
  bool is_moderate(double samples) const;
  bool has_numbers() const { return extremes.largest > 0; }
  /// Of so many samples: whether no square overflowed, and those that vanished are less than what is rounded.
  bool squares_are_right(double samples) const;
  bool has_blocks() const { return least_block <= std::numeric_limits<Sum>::max(); }
  /// Whether each output's box has its share of them.
  bool passes(double samples) const;
  /// The magnitude from which on samples are outliers: all others pass. `least_outlier` where they have to be 0 for that.
  Sum outliers_from(double samples) const;
};

/// Times weights of at most 1 it is a number that what is rounded away is nothing beside.
template <class Sum>
inline constexpr Sum least_outlier = sizeof(Sum) == 4 ? static_cast<Sum>(0x1p-60) : static_cast<Sum>(0x1p-600);

/// The same from several threads.
template <class Sum>
class SharedFacts {
 public:
  void add(const Extremes<Sum>& extremes) {
    raise(largest_, extremes.largest);
    add_signs(extremes.any_negative, extremes.any_positive);
  }
  void add(const PartSums<Sum>& parts) {
    raise(least_block_, -parts.least);
    add_signs(parts.any_negative, parts.any_positive);
  }
  void add_infinity() { any_infinity_.store(true, std::memory_order_relaxed); }
  TileFacts<Sum> facts() const { return {{largest_, any_negative_, any_positive_}, any_infinity_, -least_block_, 0}; }

 private:
  void add_signs(bool any_negative, bool any_positive) {
    if (any_negative) any_negative_.store(true, std::memory_order_relaxed);
    if (any_positive) any_positive_.store(true, std::memory_order_relaxed);
  }
  static void raise(std::atomic<Sum>& most, Sum value) {
    Sum before = most.load(std::memory_order_relaxed);
    while (before < value && !most.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
    }
  }

  std::atomic<Sum> largest_{0}, least_block_{-std::numeric_limits<Sum>::infinity()};  // of the blocks' negatives the largest
  std::atomic<bool> any_negative_{false}, any_positive_{false}, any_infinity_{false};
};

/// One transform of a tile, and the outputs that are taken from it.
template <class Sum>
struct Round {
  int number = 0;
  bool has_marks = false;                                    ///< without them all outputs are taken
  Sum gone_from = std::numeric_limits<Sum>::infinity();      ///< magnitudes from here on are left out
  Sum strong_from = std::numeric_limits<Sum>::infinity();    ///< an output whose box has such a sample is taken
  bool by_taps = false;                                      ///< without a transform: all that is left
  TileFacts<Sum> facts{};
  int exponent = 0;  ///< that samples are divided by
};

/// The least magnitude of which one alone makes a box strong enough, of a tile of so many samples whose Σ(scale · x)² is `squares`.
template <class Sum>
Sum strong_from(double squares, double scale, double samples);

/// take(begin, count) for each run of outputs that are taken in a later round. Returns how many are left.
template <class Take>
std::int64_t for_each_taken(const std::uint8_t* windows, std::int64_t n, bool by_taps, const Take& take) {
  constexpr std::uint8_t bits = mark::has_number | mark::has_strong | mark::has_gone;
  const std::uint8_t taken = by_taps ? mark::has_number : mark::has_number | mark::has_strong;
  std::int64_t left = 0;
  for (std::int64_t i = 0; i < n;) {
    if ((windows[i] & bits) != taken) {
      left += (windows[i] & bits) == mark::has_number ? 1 : 0;
      ++i;
      continue;
    }
    const std::int64_t begin = i;
    while (i < n && (windows[i] & bits) == taken) ++i;
    take(begin, i - begin);
  }
  return left;
}

}  // namespace halation::cpu_backend
