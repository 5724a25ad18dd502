// multiplier.cpp: finds the multiplier of a factor by trying: few are near, and each is right for all sums or is not.
#include "cpu/parts/multiplier.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/convert.h"

namespace halation::cpu_backend {
namespace {

constexpr std::int64_t most_16 = 65535;

/// A sum, and the pixel that it becomes.
struct Finished {
  std::int64_t sum;
  int pixel;
};

/// The first and the last one of each run of sums, from 0 to `most`, that become the same pixel: round(factor · sum + offset),
/// which grows with the sum, factor > 0.
std::vector<Finished> ends_of_runs(double factor, double offset, Rounding rounding, std::int64_t most) {
  const auto pixel_of = [&](std::int64_t sum) -> int {
    return to_element<std::uint8_t>(factor * static_cast<double>(sum) + offset, rounding);
  };
  const double step = rounding == Rounding::half_even ? 0.5 : 1;  // above a pixel, where the next one begins
  std::vector<Finished> ends;
  ends.reserve(512);
  int pixel = pixel_of(0);
  for (std::int64_t first = 0; first <= most;) {
    const double near = pixel == 255 ? static_cast<double>(most) : std::floor((pixel + step - offset) / factor);
    auto last = static_cast<std::int64_t>(std::clamp(near, static_cast<double>(first), static_cast<double>(most)));
    while (last > first && pixel_of(last) != pixel) --last;  // roundings put it off by one at most
    int next = pixel;
    while (last < most && pixel < 255 && (next = pixel_of(last + 1)) == pixel) ++last;
    ends.push_back({first, pixel});
    ends.push_back({last, pixel});
    first = last + 1;
    pixel = next;
  }
  return ends;
}

}  // namespace

std::optional<Multiplier> find_multiplier(double factor, double offset, Rounding rounding, std::int64_t most) {
  if (factor <= 0 || most > most_16) return std::nullopt;
  const std::vector<Finished> ends = ends_of_runs(factor, offset, rounding, most);
  int left = 0;
  while ((most << (left + 1)) <= most_16) ++left;
  for (int right = 8; right >= 0; --right) {
    const double exact = std::ldexp(factor, 16 - left + right);
    // What is found is a number with a sign to the kernels.
    const double largest = factor * static_cast<double>(most) + std::fabs(offset) + 2;
    if (exact >= most_16 || std::ldexp(largest, right) >= most_16 + 1 || 2 * largest >= most_16 + 1) continue;
    const double half = rounding == Rounding::half_even ? std::ldexp(0.5, right) : 0;
    const double added = half + std::ldexp(offset, right);
    for (const double bias : {std::floor(added), std::ceil(added)}) {
      for (const double multiplier : {std::ceil(exact), std::floor(exact)}) {
        if (bias < 0 || bias > most_16 || multiplier < 1) continue;
        const auto same = [&](const Finished& end) {
          const std::int64_t scaled = ((end.sum << left) * static_cast<std::int64_t>(multiplier)) >> 16;
          const std::int64_t found = std::min<std::int64_t>((scaled + static_cast<std::int64_t>(bias)) >> right, 255);
          return found == end.pixel;
        };
        // What is found grows with the sum too: if right at both ends of a run, it is right within.
        if (!std::all_of(ends.begin(), ends.end(), same)) continue;
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
