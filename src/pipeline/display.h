// display.h: results as pictures, with the time that transfers took.
#pragma once

#include "halation/display.h"
#include "pipeline/via_device.h"

namespace halation {

/// `options` by which an image becomes results that are not yet rounded to integers: f32 or f64, in levels of
/// the output pixel.
Options unrounded(const Options& options, Pixel input, const ColourOptions& colour);

/// False where no input can give results beyond the range of the output's integers, and for floats.
bool can_clip(const FilterSet& filter, Pixel input, Pixel output, const Options& options,
              const ColourOptions& colour);

/// What is done to an unrounded value x: round(scale · x + offset), of |x| for a magnitude.
struct Tone {
  bool magnitude = false;
  double scale = 1;
  double offset = 0;
};

/// The tone of `Display::signed_values`; `results` are those of scale 1 and offset 0.
Tone signed_tone(Interval results, Pixel output);

/// `convolve_display` of halation/display.h for an image in host memory, on any device.
Image convolve_display_on(Device device, ConstView in, const FilterSet& filter, Display display,
                          const Options& options, const ColourOptions& colour, TransferTimes* times = nullptr,
                          Clipped* clipped = nullptr);

}  // namespace halation
