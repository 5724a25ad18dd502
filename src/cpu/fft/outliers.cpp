// outliers.cpp: outliers of a tile, and their products with weights.
#include "cpu/fft/outliers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cpu/fft/scaling.h"

namespace halation::cpu_backend {

template <class Sum>
OutlierWeights<Sum>::OutlierWeights(const Taps& taps, std::int64_t lanes) : size_(taps.size), lanes_(lanes), pitch_(taps.size[2] + 2 * lanes) {
  double magnitudes = 0;
  for (const double weight : taps.weights) magnitudes += std::fabs(weight);
  if (magnitudes > 0) exponent_ = std::clamp(std::ilogb(magnitudes), -largest_exponent<Sum>, largest_exponent<Sum> - 8) + 8;
  const double* weight = taps.weights.data();
  for (std::int64_t row = 0; row < size_[0] * size_[1]; ++row) {
    // From the end of the row backwards: zeros, the sums, and the last of them once more.
    sums_.resize(sums_.size() + static_cast<std::size_t>(pitch_));
    double sum = 0;
    for (std::int64_t k = 0; k < size_[2] + lanes_; ++k) {
      if (k < size_[2]) sum += std::ldexp(*weight++, -exponent_);
      *(sums_.end() - lanes_ - 1 - k) = static_cast<Sum>(sum);
    }
  }
}

template <class Sum>
OutlierLayer<Sum>::OutlierLayer(const TileTransform<Sum>& tiles, const Space& needed, std::int64_t most, Scratch& scratch)
    : tiles_(&tiles),
      needed_(needed),
      lines_(lines_of(tiles.lengths(), needed)),
      begins_(scratch.take<std::int64_t>(lines_ + 1)),
      list_(scratch.take<Outliers<Sum>>(most)) {}

template <class Sum>
std::int64_t OutlierLayer<Sum>::scratch_bytes(const TileTransform<Sum>& tiles, const Space& needed, std::int64_t most) {
  return Scratch::bytes<std::int64_t>(lines_of(tiles.lengths(), needed) + 1) + Scratch::bytes<Outliers<Sum>>(most);
}

template <class Sum>
bool OutlierLayer<Sum>::take(Sum* tile, Sum from, std::int64_t most, int workers) {
  const TransformKernels<Sum>& kernels = tiles_->kernels();
  begins_[0] = 0;
  tiles_->for_each_piece(tile, needed_, workers, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, const Sum* line, int) {
    begins_[line_of(z, y, x) + 1] = kernels.count_outliers(line, n, from);
  });
  std::partial_sum(begins_, begins_ + lines_ + 1, begins_);
  if (begins_[lines_] > most) return false;
  count_ = begins_[lines_];
  tiles_->for_each_piece(tile, needed_, workers, [&](std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t n, Sum* line, int) {
    const std::int64_t* const begin = begins_ + line_of(z, y, x);
    if (begin[0] < begin[1]) kernels.take_outliers(line, n, from, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), list_ + begin[0]);
  });
  return true;
}

template <class Sum>
bool OutlierLayer<Sum>::sum(const OutlierWeights<Sum>& weights, const Space& at, std::int64_t n, Sum* sums) const {
  bool any = false;
  for (std::int64_t z = 0; z < weights.size()[0]; ++z) {
    const std::int64_t begin = begins_[line_of(at[0] + z, at[1], at[2])];
    const std::int64_t end = begins_[line_of(at[0] + z, at[1] + weights.size()[1] - 1, at[2] + n + weights.size()[2] - 2) + 1];
    if (begin == end) continue;
    if (!any) std::fill_n(sums, n + tiles_->kernels().lanes, Sum(0));
    any = true;
    tiles_->kernels().add_outliers(list_ + begin, end - begin, at[2], at[1], weights.plane(z), sums, n);
  }
  return any;
}

template class OutlierWeights<float>;
template class OutlierWeights<double>;
template class OutlierLayer<float>;
template class OutlierLayer<double>;

}  // namespace halation::cpu_backend
