// display.h: results as pictures, with the time that transfers took.
#pragma once

#include <cstdint>
#include <limits>

#include "halation/display.h"
#include "halation/strips.h"
#include "pipeline/via_device.h"

namespace halation {

/// `options` by which an image becomes results that are not yet rounded to integers: f32 or f64, in levels of
/// the output pixel.
Options unrounded(const Options& options, Pixel input, const ColourOptions& colour);

/// False where no input can give results beyond the range of the output's integers, and for floats.
bool can_clip(const Chain& chain, Pixel input, Pixel output, const Options& options,
              const ColourOptions& colour);

/// What is done to an unrounded value x: round(scale · x + offset), of |x| for a magnitude.
struct Tone {
  bool magnitude = false;
  double scale = 1;
  double offset = 0;
};

/// The tone of `Display::signed_values`; `results` are those of scale 1 and offset 0.
Tone signed_tone(Interval results, Pixel output);

/// The smallest and the largest finite value found.
struct Extremes {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  Extremes& operator+=(const Extremes& more);
};

// Of an image that `unrounded` options have made, its last channel alpha or not: extremes of colours; and what becomes of it by a tone. NaN,
// which becomes 0, lies beyond no end.
Extremes extremes_of(const ConstView& unrounded_image, bool alpha, int threads);
Clipped clipped(const ConstView& unrounded_image, const Tone& tone, Pixel output, const Options& options, bool alpha);
Image rounded(const ConstView& unrounded_image, const Tone& tone, Pixel output, const Options& options, bool alpha);

/// What `display` does to the results of a chain whose dimensions are settled; `found` counts where it stretches.
Tone tone_of(Display display, const Chain& chain, Pixel input, Pixel output, const Options& options, bool linear, const Extremes& found);

/// A result, or those outputs of it that are a part from `skipped` on.
struct Taken {
  ConstView result;
  std::int64_t skipped = 0;
  std::int64_t outputs = 0;
};

/// `count_clipped` of halation/display.h.
Clipped count_clipped_on(Device device, ConstView in, const Taken& taken, const Chain& chain, const Options& options,
                         const ColourOptions& colour, double least_share);

/// `convolve_display` of halation/display.h for an image in host memory, on any device.
Image convolve_display_on(Device device, ConstView in, const Chain& chain, Display display,
                          const Options& options, const ColourOptions& colour, TransferTimes* times = nullptr,
                          Clipped* clipped = nullptr);

}  // namespace halation
