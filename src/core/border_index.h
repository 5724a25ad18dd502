// border_index.h: which pixel stands in for one outside the image, as a formula and as a table.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "halation/border.h"

namespace halation {

/// The index in [0, n) that stands in for coordinate `c` of an axis of n ≥ 1 pixels; −1 stands for the constant. GPUs evaluate it too.
/// `Int` holds 3 · n.
template <class Int = std::int64_t>
constexpr Int border_index(Int c, std::type_identity_t<Int> n, Border::Mode mode) {
  if (c >= 0 && c < n) return c;
  const auto modulo = [](Int value, Int period) {
    const Int r = value % period;
    return r < 0 ? r + period : r;
  };
  switch (mode) {
    case Border::Mode::constant: break;
    case Border::Mode::replicate: return c < 0 ? 0 : n - 1;
    case Border::Mode::reflect: {
      if (c >= -n && c < 2 * n) return c < 0 ? -1 - c : 2 * n - 1 - c;  // the usual case, without a division
      const Int r = modulo(c, 2 * n);
      return r < n ? r : 2 * n - 1 - r;
    }
    case Border::Mode::reflect101: {
      if (n == 1) return 0;
      if (c > -n && c < 2 * n - 1) return c < 0 ? -c : 2 * n - 2 - c;
      const Int r = modulo(c, 2 * n - 2);
      return r < n ? r : 2 * n - 2 - r;
    }
    case Border::Mode::wrap:
      if (c >= -n && c < 2 * n) return c < 0 ? c + n : c - n;
      return modulo(c, n);
  }
  return -1;
}

/// Whether outputs at one end of an axis read pixels at the other.
constexpr bool is_periodic(Border::Mode mode) { return mode == Border::Mode::wrap; }

/// The sources of all coordinates in [low, high) that a job reads along one axis of n pixels; low ≤ 0 and high ≥ n. Only those
/// outside the image take memory; backends read the table, or compute `border_index`, at edges and never inside.
class BorderTable {
 public:
  BorderTable() = default;
  BorderTable(std::int64_t low, std::int64_t high, std::int64_t n, Border border);

  /// For any c in [low, high): the index in [0, n), or −1 for the constant.
  std::int64_t source(std::int64_t c) const {
    if (c < 0) return before_[static_cast<std::size_t>(c - low_)];
    if (c >= n_) return after_[static_cast<std::size_t>(c - n_)];
    return c;
  }

  std::int64_t low() const { return low_; }
  std::int64_t high() const { return high_; }
  std::int64_t size() const { return n_; }
  Border::Mode mode() const { return mode_; }
  double constant() const { return constant_; }
  /// The same sources, another constant.
  BorderTable with_constant(double value) const {
    BorderTable other = *this;
    other.constant_ = value;
    return other;
  }

 private:
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
  std::int64_t n_ = 0;
  Border::Mode mode_ = Border::Mode::constant;
  double constant_ = 0;
  std::vector<std::int64_t> before_;  // [low, min(high, 0)); entry 0 is coordinate low
  std::vector<std::int64_t> after_;   // [n, high); entry 0 is coordinate n
};

}  // namespace halation
