// verify.h: compares results with the reference on parts of an image, before anything is timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workload.h"
#include "halation/image.h"
#include "halation/plan.h"

namespace halation::bench {

/// What comparing found.
struct Verdict {
  std::int64_t outputs = 0;  ///< compared
  std::int64_t wrong = 0;    ///< beyond what is allowed
  double largest_error = 0;  ///< infinite where an output is not a number
  double largest_allowed = 0;

  bool right() const { return wrong == 0; }
  /// "12 of 36864 outputs are wrong, the largest by 0.25 where 1e-06 is allowed".
  std::string sentence() const;
};

/// The right results of a job on windows at every corner, edge and middle of an image, up to 64 outputs along
/// an axis.
class Expected {
 public:
  /// Computes them by the reference in f64 from the input in host memory, the border put around each window
  /// by this class: so that the plan's own border is tested too.
  Expected(const Job& job, const Filter& filter, ConstView host_in);

  /// Compares a result of the whole image, wherever it lies, by the rules of exact accuracy. Floats: within
  /// the plan's error bound and half a step of the output pixel. Integers: equal where the weights are whole
  /// and every sum exact in f32, else one level off at most, and only where the sum lies within 1/16 level or
  /// the bound, whichever is more, of where rounding changes.
  Verdict judge(const Plan& plan, ConstView out) const;

  /// Compares a peer's result away from the border, where peers differ by design: floats within 10⁻⁴
  /// (f16: 4·10⁻³) of Σ|w| · max|x|, which leaves room for f32 sums in any order, FFTs and products in half
  /// precision; integers within one level.
  Verdict judge_peer(ConstView out) const;

 private:
  struct Window {
    std::int64_t batch = 0;
    Region region;
    Image sums;  ///< f64, before rounding to the output pixel
  };
  template <class Judge>
  Verdict compare(ConstView out, Judge&& judge) const;

  const Job& job_;
  std::int64_t reach_;
  bool exact_sums_;
  double peer_tolerance_;
  std::vector<Window> windows_;
};

}  // namespace halation::bench
