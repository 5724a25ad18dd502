// job.h: a filter job as backends get it: checked, and turned into one form, correlation from a leading coordinate.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "core/banded.h"
#include "core/border_index.h"
#include "core/multirate.h"
#include "halation/plan.h"

namespace halation {

/// Depth, height and width, in this order.
using Space = std::array<std::int64_t, 3>;

/// How a filter's weights are given, and so what can be summed by them. Methods give them a form
/// (plan/methods), families take some.
enum class Form : std::uint8_t {
  dense,       ///< `weights`: tap by tap
  factors,     ///< `factors`: along one axis after the other
  box,         ///< the same, the weights of each factor equal: sums that neighbours share
  terms,       ///< `terms`: a sum of products of factors
  matrices,    ///< `banded`, and over floats `weights`
  spectrum,    ///< `weights`, and `factors` where it is a product of them: by transforms
  lower_rate,  ///< `factors` and `multirate`
};

/// A product of factors along y and x, several of which make a filter.
struct Term {
  std::vector<double> y, x;
};

/// One filter, flipped where convolution asks for it, so that for output o
///     sum(o) = Σ_k weight[k] · in[o + lead + k],   k from 0 to size − 1 along each axis.
struct Taps {
  Space size{1, 1, 1};
  Space lead{0, 0, 0};
  Form form = Form::dense;
  std::vector<double> weights;                                ///< row-major
  std::optional<std::array<std::vector<double>, 3>> factors;  ///< z, y, x
  std::optional<Banded> banded = {};
  std::vector<Term> terms = {};
  std::optional<Multirate> multirate = {};
};

/// Multiply-adds an output by weights of a form: the product of the taps along the axes; along one axis after
/// the other, their sum, of low rank for each term (one here); for a box three along each axis, whatever its
/// size, and the product with the weight. (A window of k pixels is a suffix of one block of k and a prefix of
/// the next: each pixel is added to one running sum of either kind, and the two are joined.) Banded matrices
/// hold zeros besides; transforms and lower rates are counted otherwise.
inline std::int64_t multiply_adds(const Space& size, Form form) {
  if (form == Form::dense || form == Form::matrices) return size[0] * size[1] * size[2];
  std::int64_t sum = form == Form::box ? 1 : 0;
  for (const std::int64_t taps : size) {
    if (taps > 1) sum += form == Form::box ? 3 : taps;
  }
  return sum;
}

/// Everything a backend needs to prepare. Constant once made.
struct Job {
  Shape in;
  Shape out;
  Pixel in_pixel = Pixel::u8;
  Pixel out_pixel = Pixel::u8;
  std::vector<Taps> filters;
  Combine combine = Combine::none;
  std::array<BorderTable, 3> borders;  ///< cover what all filters read
  double scale = 1;
  double offset = 0;
  Rounding rounding = Rounding::half_even;
  Overflow overflow = Overflow::saturate;
  bool sum_f64 = false;
  Accuracy accuracy = Accuracy::exact;
  int threads = 0;
  int in_alignment = 16, out_alignment = 16;  ///< bytes, see `PlanSpec`
  std::string family = {};  ///< the only one that may do it; empty: any

  std::size_t outputs() const { return combine == Combine::none ? filters.size() : 1; }

  /// Whether weights times the scale are as exact as the weights: a power of two, far from the ends of what f32 holds.
  bool scale_is_exact() const {
    int exponent = 0;
    return std::fabs(std::frexp(scale, &exponent)) == 0.5 && std::abs(exponent) <= 20;
  }

  /// The value seen at input position (z, y, x) = `source` coordinates as the tables give them, where one of them is −1: the first
  /// constant axis wins.
  double constant_at(const Space& source) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (source[axis] < 0) return borders[axis].constant();
    }
    return 0;
  }
};

/// Bytes of the input and of one output.
inline double bytes_moved(const Job& job) {
  return static_cast<double>(job.in.elements()) * static_cast<double>(bytes_of(job.in_pixel)) +
         static_cast<double>(job.out.elements()) * static_cast<double>(bytes_of(job.out_pixel));
}

/// Whether a filter is done by its factors.
inline bool is_by_factors(const Taps& taps) { return taps.form == Form::factors || taps.form == Form::box; }

/// Whether a filter is summed tap by tap, by its weights or its factors: neither by transforms nor at a lower rate.
inline bool is_by_taps(const Taps& taps) { return taps.form == Form::dense || is_by_factors(taps); }

/// A job of one filter whose sums are the output.
inline bool is_one_filter(const Job& job) { return job.filters.size() == 1 && job.combine == Combine::none; }

}  // namespace halation
