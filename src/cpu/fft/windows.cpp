// windows.cpp: bits of samples, joined along one axis after the other.
#include "cpu/fft/windows.h"

#include <algorithm>

#include "cpu/fft/steps/kernels.h"

namespace halation::cpu_backend {

void Windows::spread(std::uint8_t* marks, const Space& input) const {
  const MarkKernels& kernels = mark_kernels();
  const std::int64_t samples = input[0] * input[1] * input[2];
  kernels.begin_windows(marks, samples);
  std::int64_t apart = 1;  // samples along the axis
  for (std::size_t axis = 3; axis-- > 0; apart *= input[axis]) {
    // What holds for windows of some samples holds for twice as many of two of them.
    for (std::int64_t width = 1; width < size_[axis];) {
      const std::int64_t step = std::min(width, size_[axis] - width);
      kernels.join_windows(marks, step * apart, std::max<std::int64_t>(0, samples - step * apart));
      width += step;
    }
  }
}

}  // namespace halation::cpu_backend
