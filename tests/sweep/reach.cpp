// reach.cpp: windows over the padded image, one axis after another.
#include "reach.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "values.h"

namespace halation::sweep {
namespace {

/// Joins each run of `taps` lines of `inner` samples: runs of 1, 2, 4, … lines, of which each window is made.
template <class Join>
void join_windows(std::vector<double>& samples, std::int64_t outer, std::int64_t n, std::int64_t inner, std::int64_t taps,
                  const Join& join) {
  if (taps == 1) return;
  const std::int64_t n_out = n - taps + 1;
  std::vector<double> windows(static_cast<std::size_t>(outer * n_out * inner));
  for (std::int64_t block = 0; block < outer; ++block) {
    double* runs = samples.data() + block * n * inner;
    double* window = windows.data() + block * n_out * inner;
    std::int64_t done = 0;
    for (std::int64_t length = 1; length <= taps; length *= 2) {
      if ((taps & length) != 0) {
        const double* from = runs + done * inner;
        for (std::int64_t i = 0; i < n_out * inner; ++i) window[i] = done == 0 ? from[i] : join(window[i], from[i]);
        done += length;
      }
      for (std::int64_t i = 0; i < (n - 2 * length + 1) * inner; ++i) runs[i] = join(runs[i], runs[i + length * inner]);
    }
  }
  samples = std::move(windows);
}

template <class Join>
void join_boxes(std::vector<double>& samples, Space n, const Space& taps, const Join& join) {
  for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
    std::int64_t outer = 1, inner = 1;
    for (std::size_t a = 0; a < axis; ++a) outer *= n[a];
    for (std::size_t a = axis + 1; a < 3; ++a) inner *= n[a];
    join_windows(samples, outer, n[axis], inner, taps[axis], join);
    n[axis] -= taps[axis] - 1;
  }
}

}  // namespace

Reach reach_of(const Arena& in, const Job& job, const Taps& taps) {
  const Space out = job.out.space();
  Space padded = out;
  for (std::size_t axis = 0; axis < 3; ++axis) padded[axis] += taps.size[axis] - 1;
  const auto samples = static_cast<std::size_t>(padded[0] * padded[1] * padded[2]);
  const auto outputs = static_cast<std::size_t>(job.out.elements());
  const std::int64_t channels = job.out.channels;
  Reach reach{std::vector<double>(outputs), std::vector<double>(outputs)};
  for (std::int64_t b = 0; b < job.out.batch; ++b) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const ConstView source = ConstView(in.view).batch(b).channel(c);
      std::vector<double> largest;
      largest.reserve(samples);
      for (std::int64_t z = 0; z < padded[0]; ++z) {
        for (std::int64_t y = 0; y < padded[1]; ++y) {
          for (std::int64_t x = 0; x < padded[2]; ++x) {
            const Space from{job.borders[0].source(z + taps.lead[0]), job.borders[1].source(y + taps.lead[1]),
                             job.borders[2].source(x + taps.lead[2])};
            const bool outside = from[0] < 0 || from[1] < 0 || from[2] < 0;
            const double value =
                outside ? job.constant_at(from)
                        : read(source.data + from[0] * source.strides.depth + from[1] * source.strides.height + from[2] * source.strides.width,
                               job.in_pixel);
            largest.push_back(std::isfinite(value) ? std::fabs(value) : 0);
          }
        }
      }
      // Squares of what is scaled to 1 do not overflow.
      const double greatest = *std::max_element(largest.begin(), largest.end());
      std::vector<double> squares(largest.size());
      for (std::size_t i = 0; greatest > 0 && i < squares.size(); ++i) squares[i] = (largest[i] / greatest) * (largest[i] / greatest);
      join_boxes(largest, padded, taps.size, [](double one, double other) { return std::max(one, other); });
      join_boxes(squares, padded, taps.size, std::plus<>());
      const std::int64_t pixels = out[0] * out[1] * out[2];
      for (std::int64_t i = 0; i < pixels; ++i) {
        const auto at = static_cast<std::size_t>((b * pixels + i) * channels + c);
        reach.largest[at] = largest[static_cast<std::size_t>(i)];
        reach.norm[at] = std::max(reach.largest[at], std::sqrt(squares[static_cast<std::size_t>(i)]) * greatest);
      }
    }
  }
  return reach;
}

}  // namespace halation::sweep
