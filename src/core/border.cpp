// border.cpp: the five borders as index arithmetic.
#include <algorithm>
#include <stdexcept>

#include "core/border_index.h"

namespace halation {
namespace {

std::int64_t modulo(std::int64_t c, std::int64_t period) {
  const std::int64_t r = c % period;
  return r < 0 ? r + period : r;
}

}  // namespace

std::int64_t border_index(std::int64_t c, std::int64_t n, Border::Mode mode) {
  if (c >= 0 && c < n) return c;
  switch (mode) {
    case Border::Mode::constant: return -1;
    case Border::Mode::replicate: return c < 0 ? 0 : n - 1;
    case Border::Mode::reflect: {
      const std::int64_t r = modulo(c, 2 * n);
      return r < n ? r : 2 * n - 1 - r;
    }
    case Border::Mode::reflect101: {
      if (n == 1) return 0;
      const std::int64_t r = modulo(c, 2 * n - 2);
      return r < n ? r : 2 * n - 2 - r;
    }
    case Border::Mode::wrap: return modulo(c, n);
  }
  throw std::logic_error("no such border");
}

BorderTable::BorderTable(std::int64_t low, std::int64_t high, std::int64_t n, Border border)
    : low_(low), high_(high), n_(n), constant_(border.value) {
  for (std::int64_t c = low; c < std::min<std::int64_t>(high, 0); ++c) {
    before_.push_back(border_index(c, n, border.mode));
  }
  for (std::int64_t c = n; c < high; ++c) after_.push_back(border_index(c, n, border.mode));
}

}  // namespace halation
