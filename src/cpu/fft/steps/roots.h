// roots.h: roots of unity, many of one order.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace halation::cpu_backend {

/// e^{2πi k/n}: the product of one of about √n roots that lie near 1 and one of as many that lie far apart, each by sine and cosine, all
/// in long double: rounded to f64 or f32 it is as good as by sine and cosine, at a tenth of the time.
class Roots {
 public:
  struct Root {
    long double re, im;
  };

  explicit Roots(std::int64_t n) {
    while ((std::int64_t{1} << (2 * shift_)) < n) ++shift_;
    const std::int64_t near = std::int64_t{1} << shift_;
    for (std::int64_t k = 0; k < near; ++k) near_.push_back(root_of(k, n));
    for (std::int64_t k = 0; k < n; k += near) far_.push_back(root_of(k, n));
  }

  /// 0 ≤ k < n
  Root operator()(std::int64_t k) const {
    const Root& a = far_[static_cast<std::size_t>(k >> shift_)];
    const Root& b = near_[static_cast<std::size_t>(k & ((std::int64_t{1} << shift_) - 1))];
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }

 private:
  static Root root_of(std::int64_t k, std::int64_t n) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    return {std::cos(angle), std::sin(angle)};
  }

  int shift_ = 0;
  std::vector<Root> near_, far_;
};

}  // namespace halation::cpu_backend
