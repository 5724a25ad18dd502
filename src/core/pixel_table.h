// pixel_table.h: every pixel and the C++ type of its elements: the one list, beside that of the enumeration
// (halation/pixel.h). Names are the enumerators' own; NumPy's follow from size and kind.
#pragma once

#include <cstdint>

#include "halation/pixel.h"

/// Calls X(pixel, type) for each native pixel that sums in f32 may be made of,
#define HALATION_F32_PIXELS(X) \
  X(u8, std::uint8_t)          \
  X(u16, std::uint16_t)        \
  X(i16, std::int16_t)         \
  X(f16, ::halation::f16)      \
  X(f32, float)

/// for each native one,
#define HALATION_NATIVE_PIXELS(X) \
  HALATION_F32_PIXELS(X)          \
  X(f64, double)

/// for each other one that is not complex,
#define HALATION_OTHER_PIXELS(X) \
  X(i8, std::int8_t)             \
  X(u32, std::uint32_t)          \
  X(i32, std::int32_t)           \
  X(u64, std::uint64_t)          \
  X(i64, std::int64_t)

/// and, with the type of its parts, for each complex one.
#define HALATION_COMPLEX_PIXELS(X) \
  X(c64, float)                    \
  X(c128, double)
