// axis.h: a transform along one axis: its length as passes of radices, and the roots of unity that they multiply by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halation::cpu_backend {

/// What passes do, in order, on the way forth; on the way back in reverse. Their product is the length.
std::vector<int> radices_of(std::int64_t length);

/// Complex numbers of type T along an axis. The way forth decimates in frequency, so that the frequency of index k ends at another place,
/// and the way back in time, which begins with the numbers where the other left them.
template <class T>
struct TransformAxis {
  struct Pass {
    int radix;
    std::int64_t block;  ///< points that are transformed alone by this pass and later ones
    const T* roots;      ///< e^{−2πi jq/block}, real and imaginary part, for each j < block / radix, q = 1 … radix − 1
  };

  explicit TransformAxis(std::int64_t points);
  TransformAxis(TransformAxis&&) noexcept = default;

  /// The frequency at each place.
  std::vector<std::int64_t> order() const;

  std::size_t constant_bytes() const { return roots_.size() * sizeof(T); }

  std::int64_t length;
  std::vector<Pass> passes;

 private:
  std::vector<T> roots_;
};

/// Roundings that a number meets one way along an axis of so many points (core/transform.h).
double roundings_along(std::int64_t length);

}  // namespace halation::cpu_backend
