// expected.cpp: arithmetic and memory together, and what tiles come to.
#include "cpu/expected.h"

#include <algorithm>
#include <cmath>

namespace halation::cpu_backend {

double seconds_of(double nanoseconds, int times_shared, double bytes, const Rates& rates) {
  // Little work is shared by no threads; somewhat more is no leap. How many threads a job may have counts for nothing: others would
  // choose another family, and give other bits.
  const double shared = std::min(1.0, nanoseconds / rates.threads_from);
  const double busy = nanoseconds + shared * times_shared * rates.start;
  return 1e-9 * std::hypot(busy, bytes * share_beyond(bytes, rates.cached_bytes, rates) * rates.memory_byte);
}

double share_beyond(double bytes, double cache_bytes, const Rates& rates) {
  return 1 / (1 + std::exp((1 - bytes / cache_bytes) / rates.softness));
}

double seconds_of_filters(const Request& request, double (*of_filter)(const Request&, const Taps&)) {
  double seconds = 0;
  for (const Taps& taps : request.filters) seconds += of_filter(request, taps);
  return seconds;
}

TileCounts::TileCounts(const Job& job, const Taps& taps, const Tiles& tiles)
    : samples(static_cast<double>(job.out.elements())),
      image_rows(static_cast<double>(job.out.batch * job.out.depth * job.out.height)),
      rows(image_rows * static_cast<double>(tiles.across())) {
  const auto more = [](std::int64_t n, std::int64_t taps_along) {
    return static_cast<double>(n + taps_along - 1) / static_cast<double>(n);
  };
  again_rows = more(tiles.height(), taps.size[1]);
  again_columns = more(tiles.width(), taps.size[2]);
  again_planes =
      tiles.keeps_planes() ? more(tiles.planes(), taps.size[0]) : static_cast<double>(taps.size[0]);
}

double padded_share(const Job& job, double block) {
  const auto samples = static_cast<double>(job.out.width * job.out.channels);
  return std::ceil(samples / block) * block / samples;
}

}  // namespace halation::cpu_backend
