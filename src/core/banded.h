// banded.h: a filter over bytes whose weights are whole numbers of 8 or 16 bits, so that sums of products round nothing.
#pragma once

#include <cstdint>
#include <vector>

namespace halation {

/// An output is  round(Σ weights[k] · x[k] · factor + offset), with the job's offset.
struct Banded {
  std::vector<std::int32_t> weights;  ///< as the filter's
  int bytes = 1;                      ///< of a weight
  double scale = 1;                   ///< of the whole numbers over the weights, or over the weights times the job's scale
  bool has_scale = false;             ///< whether the job's scale is part of them
  double error = 0;                   ///< levels of the output that sums are off by at most, before they are rounded

  double factor(double job_scale) const { return (has_scale ? 1 : job_scale) / scale; }
};

}  // namespace halation
