// spectrum.h: a filter's spectrum, as tiles are multiplied by it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/job.h"
#include "core/memory.h"
#include "cpu/fft/lengths.h"
#include "cpu/fft/tile.h"

namespace halation::cpu_backend {

template <class T>
struct Spectrum {
  Memory memory;
  std::int64_t count = 0;
  int exponent = 0;  ///< what is left out: products are to be taken times 2^exponent

  /// In blocks (TileTransform); where nothing is transformed along x one number for each row.
  T* numbers() const { return reinterpret_cast<T*>(memory.get()); }
  std::size_t constant_bytes() const { return static_cast<std::size_t>(count) * sizeof(T); }
};

/// Of weights that lie in the box, so that pixel 0 of a tile's product is the sum over the tile's first pixels; divided by what the way
/// there and back multiplies by. Transformed in f64 whatever T is, by so many threads.
template <class T>
Spectrum<T> spectrum_of(const Taps& taps, const TapBox& box, const TileTransform<T>& tiles, int workers);

}  // namespace halation::cpu_backend
