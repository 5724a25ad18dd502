// colour.h: filtering of photographs, with the time that transfers took.
#pragma once

#include "halation/colour.h"
#include "pipeline/via_device.h"

namespace halation {

/// `convolve_chain` of halation/chain.h for an image in host memory, on any device; without alpha, linear light and gray also for
/// one in that device's memory. The result lies in host memory.
Image convolve_colour_on(Device device, ConstView in, const Chain& chain, const Options& options, const ColourOptions& colour,
                         TransferTimes* times = nullptr);

/// Whether colours are more than filtered: `convolve_colour` is not `convolve` itself.
inline bool is_any(const ColourOptions& colour) { return colour.alpha || colour.linear || colour.gray; }

/// Refuses `Overflow::wrap` for what is rounded here: "alpha, linear light and gray", "views".
void check_saturates(const Options& options, const std::string& what);

/// By what options colours are filtered between decoding and encoding, where `is_any(colour)`; `output`, which is named, is their pixel then.
Options options_between(const Options& options, Pixel input, const ColourOptions& colour);

/// Seconds that decoding and encoding should take beside filtering, on the CPU whichever device filters; 0 where there is nothing to do.
double expected_colour_seconds(const Shape& in, Pixel in_pixel, const Shape& out, Pixel out_pixel, const ColourOptions& colour,
                               int threads);

}  // namespace halation
