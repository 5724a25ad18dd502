// reason.h: why a filter has its method, and that in words.
#pragma once

#include <span>
#include <string>

#include "core/backend.h"
#include "halation/filter.h"

namespace halation {

struct MethodRecord;

/// Why a filter has its method.
struct Reason {
  Filter filter;
  const MethodRecord* method;
  Space given{1, 1, 1};  ///< the size before it was folded
  double left_out = 0;   ///< on purpose, over Σ|w|
  bool no_product = false;  ///< of factors: known, not only not sought
  double seconds = 0;       ///< expected
  std::string timing = {};  ///< what was measured of the method, or why nothing was, as words to be added
};
/// A line for `Plan::explain`, put into words when somebody asks, which takes as long as choosing did.
std::string to_string(const Reason& reason, const Taps& taps);
/// "fft: expected 40 us, measured 35 us", "box: its weights differ".
std::string to_string(const RankedMethod& method);
/// "float lines; passed over: axis by axis, 1.29 times as long; running box: integers, not combined, only".
/// What the job takes is said once, of its method.
std::string to_string(std::span<const Offer> families);

}  // namespace halation
