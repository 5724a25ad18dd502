// non_finite.cpp: NaN by windows along one axis after the other, infinities one by one.
#include "cpu/fft/non_finite.h"

#include <algorithm>

namespace halation::cpu_backend {
namespace {

/// Of a byte: the sample's mark, and that a window which begins there has a NaN.
constexpr std::uint8_t sample_bits = 3, window_bit = 4;

/// Row by row, `apart` apart and of n bytes each: what any of `taps` rows from it on has. The last rows, from which there are fewer, are
/// left half done.
void join_windows(std::uint8_t* lines, std::int64_t apart, std::int64_t rows, std::int64_t taps, std::int64_t n) {
  // What holds for windows of some rows holds for twice as many of two of them.
  for (std::int64_t width = 1; width < taps;) {
    const std::int64_t step = std::min(width, taps - width);
    for (std::int64_t row = 0; row + width + step <= rows; ++row) {
      std::uint8_t* const line = lines + row * apart;
      for (std::int64_t i = 0; i < n; ++i) line[i] |= line[i + step * apart] & window_bit;
    }
    width += step;
  }
}

}  // namespace

WeightSigns::WeightSigns(const Taps& taps, const TapBox& box) : size_(taps.size) {
  for (std::size_t axis = 0; axis < 3; ++axis) begin_[axis] = taps.lead[axis] - box.lead[axis];
  signs_.reserve(taps.weights.size());
  for (std::size_t row = 0; row < taps.weights.size(); row += static_cast<std::size_t>(size_[2])) {
    for (std::size_t x = static_cast<std::size_t>(size_[2]); x-- > 0;) {
      const double weight = taps.weights[row + x];
      signs_.push_back(weight > 0 ? mark::positive : weight < 0 ? mark::negative : mark::nan);
    }
  }
}

void WeightSigns::mark_outputs(std::uint8_t* marks, const Space& input, const Space& output) const {
  const std::int64_t row = input[2];
  const std::int64_t plane = input[1] * row;
  const std::int64_t samples = input[0] * plane;
  // NaN, from wherever windows begin.
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto sample = static_cast<std::uint8_t>(marks[i] & sample_bits);
    marks[i] = static_cast<std::uint8_t>(sample | (sample == mark::nan ? window_bit : 0));
  }
  for (std::int64_t line = 0; line < input[0] * input[1]; ++line) join_windows(marks + line * row, 1, row, size_[2], 1);
  for (std::int64_t z = 0; z < input[0]; ++z) join_windows(marks + z * plane, row, input[1], size_[1], row);
  join_windows(marks, plane, input[0], size_[0], plane);
  for (std::int64_t z = 0; z < output[0]; ++z) {
    for (std::int64_t y = 0; y < output[1]; ++y) {
      const std::uint8_t* const from = marks + (z + begin_[0]) * plane + (y + begin_[1]) * row + begin_[2];
      std::uint8_t* const to = marks + z * plane + y * row;
      for (std::int64_t i = 0; i < output[2]; ++i) {
        to[i] = static_cast<std::uint8_t>(to[i] | ((from[i] & window_bit) != 0 ? mark::nan << mark::output_shift : 0));
      }
    }
  }
  // Infinities: each output whose box holds it gets the sign of its product.
  for (std::int64_t at = 0; at < samples; ++at) {
    const int sample = marks[at] & sample_bits;
    if (sample != mark::positive && sample != mark::negative) continue;
    const bool swap = sample == mark::negative;
    const Space place{at / plane, at % plane / row, at % row};
    const std::int64_t first = place[2] - begin_[2] - size_[2] + 1;  // the output that the last weight meets it from
    const std::int64_t low = std::max<std::int64_t>(0, -first);
    const std::int64_t high = std::min(size_[2], output[2] - first);
    for (std::int64_t kz = 0; kz < size_[0]; ++kz) {
      const std::int64_t z = place[0] - begin_[0] - kz;
      if (z < 0 || z >= output[0]) continue;
      for (std::int64_t ky = 0; ky < size_[1]; ++ky) {
        const std::int64_t y = place[1] - begin_[1] - ky;
        if (y < 0 || y >= output[1]) continue;
        const std::uint8_t* const sign = signs_.data() + (kz * size_[1] + ky) * size_[2];
        std::uint8_t* const to = marks + z * plane + y * row + first;
        const auto add = [&](std::int64_t i, int of_output) { to[i] = static_cast<std::uint8_t>(to[i] | (of_output << mark::output_shift)); };
        if (swap) {
          for (std::int64_t i = low; i < high; ++i) add(i, (sign[i] >> 1) | ((sign[i] & 1) << 1));
        } else {
          for (std::int64_t i = low; i < high; ++i) add(i, sign[i]);
        }
      }
    }
  }
}

}  // namespace halation::cpu_backend
