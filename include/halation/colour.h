// colour.h: filtering of photographs: alpha, linear light, gray.
#pragma once

#include <optional>

#include "halation/convolve.h"

namespace halation {

/// How the channels of a photograph are treated.
struct ColourOptions {
  bool alpha = false;         ///< the last channel is straight (not premultiplied) alpha
  bool linear = false;        ///< filter in linear light: decode sRGB (IEC 61966-2-1), filter, encode again
  bool gray = false;          ///< filter BT.601 luma, 0.299 R + 0.587 G + 0.114 B, instead of R, G and B
};

/// `convolve` for photographs. Colour is filtered premultiplied by alpha, so that transparent pixels do not bleed, and divided by
/// the filtered alpha afterwards, unless the filter answers to change alone:
///
///     A' = (w * A) / Σw,   C' = (w * (C·A)) / A'       and for filters that cancel:   A' = A,   C' = w * (C·A)
///
/// with A = alpha / full scale and C' = 0 where A' <= 0. Full scale is the largest value of an integer pixel and 1 of a float; floats
/// are not clamped. A filter cancels where |Σw| <= Σ|w| / 256, and where filters combine to a magnitude (`edges`).
///
/// Linear light maps integers from [0, largest] and floats from [0, 1] to light and back to full scale of the output, negative
/// values mirrored: f(-v) = -f(v). Without it colours keep their values, as in `convolve`. Gray with linear light is luma of the
/// light, 0.299 R + 0.587 G + 0.114 B, encoded; the output has one colour. Light from f32 and f16, and f32 and f16 encoded from it, are off by
/// up to 2^-34 of themselves beside their rounding; integers and f64 are encoded as by the formula, to the last bit.
///
/// A constant border is that value in every colour, on the input's scale and opaque. `scale`, `offset` and `rounding` act last, on
/// encoded colour alone; alpha rounds half to even and keeps full scale where input and output pixels differ. Sums, and the images
/// between the steps, are f32, or f64 where input or output is or `options.sum` asks for it.
///
/// Without any of the options it is `convolve` itself. Errors as `convolve`; `gray` needs 3 colours, `alpha` a colour beside it, and
/// the image must lie in host memory; with one of them `device` may be a GPU, and pixels go there and back.
Image convolve_colour(ConstView in, const FilterSet& filter, const Options& options = {},
                      const ColourOptions& colour = {}, std::optional<Device> device = {});

}  // namespace halation
