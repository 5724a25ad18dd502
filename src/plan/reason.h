// reason.h: why a filter has its method, and that in words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/job.h"
#include "halation/filter.h"

namespace halation {

/// Why a filter has its method.
struct Reason {
  Filter filter;
  Space size;
  Space given{1, 1, 1};  ///< the size before it was folded
  Method method = Method::direct;
  std::array<std::int64_t, 2> factors{1, 1};  ///< of the lower rate along y and x
  double approximation = 0;                   ///< over Σ|w|
  int weight_bits = 0;      ///< of whole weights, or `tf32_bits`
  std::size_t terms = 0;    ///< of low rank
  bool no_product = false;  ///< of factors: known, not only not sought
  double seconds = 0;       ///< expected
  std::string timing;       ///< what was measured of the method, or why nothing was, as words to be added
};
/// A line for `Plan::explain`, put into words when somebody asks, which takes as long as choosing did.
std::string to_string(const Reason& reason);
/// "fft: expected 40 us, measured 35 us", "box: its weights differ".
std::string to_string(const RankedMethod& method);

}  // namespace halation
