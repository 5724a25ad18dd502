// axis.cpp: lengths as radices, and roots of unity.
#include "cpu/fft/steps/axis.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "core/transform.h"
#include "cpu/fft/steps/roots.h"

namespace halation::cpu_backend {

std::vector<int> radices_of(std::int64_t length) {
  std::vector<int> list;
  for (const int radix : {5, 3}) {
    for (; length % radix == 0; length /= radix) list.push_back(radix);
  }
  int twos = 0;
  for (; length % 2 == 0; length /= 2) ++twos;
  if (length != 1) throw std::logic_error("a transform's length must be a product of 2, 3 and 5");
  // The last pass needs no roots: the largest radix saves most there.
  const int fours = twos % 3 == 0 ? 0 : twos % 3 == 2 ? 1 : twos >= 4 ? 2 : 0;
  if (twos == 1) list.push_back(2);
  list.insert(list.end(), static_cast<std::size_t>(fours), 4);
  if (twos > 1) list.insert(list.end(), static_cast<std::size_t>((twos - 2 * fours) / 3), 8);
  return list;
}

double roundings_along(std::int64_t length) {
  double sum = 0;
  const std::vector<int> radices = radices_of(length);
  for (const int radix : radices) sum += roundings_of_pass(radix) + roundings_of_twiddle;
  return radices.empty() ? 0 : sum - roundings_of_twiddle;
}

template <class T>
TransformAxis<T>::TransformAxis(std::int64_t points) : length(points) {
  const Roots roots(points);
  std::vector<std::size_t> begins;
  std::int64_t block = points;
  for (const int radix : radices_of(points)) {
    begins.push_back(roots_.size());
    const std::int64_t part = block / radix;
    for (std::int64_t j = 0; j < part; ++j) {
      for (int q = 1; q < radix; ++q) {
        const Roots::Root root = roots(j * q * (points / block));
        roots_.push_back(static_cast<T>(root.re));
        roots_.push_back(static_cast<T>(-root.im));
      }
    }
    passes.push_back({radix, block, nullptr});
    block = part;
  }
  for (std::size_t i = 0; i < passes.size(); ++i) passes[i].roots = roots_.data() + begins[i];
}

template <class T>
std::vector<std::int64_t> TransformAxis<T>::order() const {
  std::vector<std::int64_t> frequencies(static_cast<std::size_t>(length));
  for (std::int64_t place = 0; place < length; ++place) {
    std::int64_t frequency = 0;
    std::int64_t weight = 1;
    std::int64_t rest = place;
    for (const Pass& pass : passes) {
      const std::int64_t part = pass.block / pass.radix;
      frequency += weight * (rest / part);
      weight *= pass.radix;
      rest %= part;
    }
    frequencies[static_cast<std::size_t>(place)] = frequency;
  }
  return frequencies;
}

template struct TransformAxis<float>;
template struct TransformAxis<double>;

}  // namespace halation::cpu_backend
