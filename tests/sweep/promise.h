// promise.h: what the documentation promises of each output of a plan, as a rule that tells right from wrong.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "job_case.h"
#include "reach.h"
#include "values.h"

namespace halation::sweep {

/// Of a plan of the case, over the image that it is run on.
class Promise {
 public:
  Promise(const JobCase& job_case, const Plan& plan, const Plan& oracle, const Arena& in, const Filled& filled);

  /// Whether `got` may be element `index` of an output, whose sum the oracle found.
  bool accepts(std::size_t output, std::size_t index, double got, double sum) const;
  /// How far it may be off before it is rounded to a pixel.
  double bound(std::size_t output, std::size_t index) const;

 private:
  enum class Bound { of_image, of_largest, of_norm };

  bool is_close(double got, double sum, double expected, double bound) const;
  bool may_overflow(std::size_t output, std::size_t index) const;
  void find_overflows(const JobCase& job_case, const Arena& in, double greatest, bool by_factors);

  const Plan& plan_;
  const Plan& oracle_;
  Pixel pixel_;
  Rounding rounding_;
  double scale_, offset_;
  bool exact_;             ///< sums are so on both sides
  bool spreads_ = false;   ///< what is not finite may reach further than the filter
  Bound bound_ = Bound::of_image;
  double of_image_;
  std::vector<Reach> reaches_;                ///< of each output, but where the bound is of the image
  std::vector<int> signs_;                    ///< of each output's sums where it is known: 1, −1, else 0
  std::vector<std::vector<double>> sums_;     ///< what a sum may reach on its way, of each output, where that may pass `limit_`
  double limit_ = 0;
};

}  // namespace halation::sweep
