// filter.h: the weights of a filter, their size and their anchor.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halation/by_name.h"

namespace halation {

/// Number of taps along depth, height and width.
struct FilterSize {
  std::int64_t depth = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;

  /// The product of all three; the largest number where it is beyond that.
  std::int64_t taps() const {
    std::int64_t product = 0;
    const bool is_beyond = __builtin_mul_overflow(depth, height, &product) || __builtin_mul_overflow(product, width, &product);
    return is_beyond ? std::numeric_limits<std::int64_t>::max() : product;
  }
  std::array<std::int64_t, 3> space() const { return {depth, height, width}; }
  bool operator==(const FilterSize&) const = default;
};

/// The tap that lies over the output pixel, counted from 0 along each axis of the filter.
struct Anchor {
  std::int64_t z = 0;
  std::int64_t y = 0;
  std::int64_t x = 0;
  bool operator==(const Anchor&) const = default;
};

/// One row of weights along each axis, of which a separable filter is the outer product z ⊗ y ⊗ x. By name alone:
/// `{.y = {1, 2, 1}, .x = {-1, 0, 1}}`.
struct Factors {
  ByName<Factors> by_name = ByName<Factors>();
  std::vector<double> z = {};  ///< along depth; empty: one weight of 1
  std::vector<double> y = {};  ///< along height; the same
  std::vector<double> x = {};  ///< along width; the same

  /// Along z, y and x, for loops. They are those of this object, which must live as long.
  std::array<std::span<const double>, 3> axes() const& { return {z, y, x}; }
  std::array<std::span<const double>, 3> axes() && = delete;

  bool operator==(const Factors&) const = default;
};

/// What to compute: the weights, kept in double, of a 1D, 2D or 3D filter of any size, odd or even.
///
/// Convolution is  out[p] = Σ w[k] · in[p − (k − a)],  correlation  out[p] = Σ w[k] · in[p + (k − a)]. The default
/// anchor is a = ⌊n/2⌋ along each axis, as in OpenCV and scipy.ndimage.
///
/// A deferred filter, as most named ones are, takes its dimensions from the image (`dims()` is 0 until `with_dims`). Filters
/// are immutable and cheap to copy.
class Filter {
 public:
  /// A 1D filter along x.
  explicit Filter(std::vector<double> weights);

  /// Weights in row-major order (depth, height, width). Throws `Error{invalid_argument}` where a weight is not finite
  /// or their number is not depth·height·width.
  static Filter dense(FilterSize size, std::vector<double> weights);

  /// The outer product z ⊗ y ⊗ x: `Filter::separable({.y = {1, 2, 1}, .x = {-1, 0, 1}})`. Throws `Error{invalid_argument}` where a
  /// weight is not finite or all factors are empty.
  static Filter separable(Factors factors);

  /// A filter that is built once the image's dimensions are known: by `make(1)`, `make(2)` or `make(3)`.
  static Filter deferred(std::string name, std::function<Filter(int dims)> make);

  /// The same weights with another anchor. Throws `Error{invalid_argument}` where it lies outside the filter.
  Filter with_anchor(Anchor anchor) const;
  /// The filter for images of 1, 2 or 3 dimensions; itself where the dimensions are settled.
  Filter with_dims(int dims) const;
  /// The same filter under a name that `explain` and errors use.
  Filter with_name(std::string name) const;
  /// The same weights applied as a correlation whichever operation is asked for. Named filters are so, which is why a named
  /// derivative is positive where brightness rises along its axis.
  Filter as_correlation() const;

  /// 0 while the dimensions follow the image, else 1, 2 or 3.
  int dims() const;
  const std::string& name() const;
  FilterSize size() const;
  Anchor anchor() const;
  /// Whether `as_correlation` made it.
  bool is_correlation() const;
  /// The factors where the filter was made from such, each with one weight at least.
  const std::optional<Factors>& factors() const;
  /// All weights in row-major order; multiplied out from the factors where there are some.
  std::vector<double> weights() const;
  double sum() const;

  /// The same weights, by the same factors if any, under the same anchor and operation, whatever the names; deferred filters where one is a
  /// copy of the other.
  bool operator==(const Filter& other) const;

 private:
  struct Data;
  explicit Filter(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  const Data& settled() const;
  std::shared_ptr<const Data> data_;
};

/// How the results of several filters become outputs.
enum class Combine {
  none,       ///< one output for each filter
  magnitude,  ///< one output: the square root of the sum of squares, which are in f64: those of sums beyond 1e154 overflow, below 1e-154 vanish
};

/// Filters that run together over one image, and what becomes of their results.
struct FilterSet {
  std::vector<Filter> filters;
  Combine combine = Combine::none;

  FilterSet() = default;
  FilterSet(Filter filter) { filters.push_back(std::move(filter)); }
  FilterSet(std::vector<Filter> list, Combine how) : filters(std::move(list)), combine(how) {}
};

}  // namespace halation
