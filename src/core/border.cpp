// border.cpp: tables of the sources of coordinates outside an image.
#include <algorithm>

#include "core/border_index.h"

namespace halation {
BorderTable::BorderTable(std::int64_t low, std::int64_t high, std::int64_t n, Border border)
    : low_(low), high_(high), n_(n), mode_(border.mode), constant_(border.value) {
  for (std::int64_t c = low; c < std::min<std::int64_t>(high, 0); ++c) {
    before_.push_back(border_index(c, n, border.mode));
  }
  for (std::int64_t c = n; c < high; ++c) after_.push_back(border_index(c, n, border.mode));
}

}  // namespace halation
