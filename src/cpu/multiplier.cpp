// multiplier.cpp: finds the multiplier of a factor by trying: few are near, and each is right for all sums or is not.
#include "cpu/multiplier.h"

#include <algorithm>
#include <cmath>

#include "core/convert.h"

namespace halation::cpu_backend {

std::optional<Multiplier> find_multiplier(double factor, double offset, Rounding rounding, std::int64_t most) {
  constexpr std::int64_t most_16 = 65535;
  if (factor <= 0 || most > most_16) return std::nullopt;
  int left = 0;
  while ((most << (left + 1)) <= most_16) ++left;
  for (int right = 8; right >= 0; --right) {
    const double exact = std::ldexp(factor, 16 - left + right);
    if (exact >= most_16 || std::ldexp(factor * static_cast<double>(most) + std::fabs(offset) + 2, right) >= most_16 + 1) continue;
    const double half = rounding == Rounding::half_even ? std::ldexp(0.5, right) : 0;
    const double added = half + std::ldexp(offset, right);
    for (const double bias : {std::floor(added), std::ceil(added)}) {
      for (const double multiplier : {std::ceil(exact), std::floor(exact)}) {
        if (bias < 0 || bias > most_16 || multiplier < 1) continue;
        const auto same = [&](std::int64_t sum) {
          const std::int64_t scaled = ((sum << left) * static_cast<std::int64_t>(multiplier)) >> 16;
          const std::int64_t found = std::min<std::int64_t>((scaled + static_cast<std::int64_t>(bias)) >> right, 255);
          return found == to_element<std::uint8_t>(factor * static_cast<double>(sum) + offset, rounding);
        };
        std::int64_t sum = 0;
        while (sum <= most && same(sum)) ++sum;
        if (sum <= most) continue;
        return Multiplier{.left = left,
                          .right = right,
                          .multiplier = static_cast<std::uint16_t>(multiplier),
                          .bias = static_cast<std::uint16_t>(bias)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace halation::cpu_backend
