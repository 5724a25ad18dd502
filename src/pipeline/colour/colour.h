// colour.h: filtering of photographs, with the time that transfers took.
#pragma once

#include "halation/colour.h"
#include "pipeline/via_device.h"

namespace halation {

/// `convolve_chain` of halation/chain.h for an image in host memory, on any device; without alpha, linear light and gray also for
/// one in that device's memory. The result lies in host memory.
Image convolve_colour_on(Device device, ConstView in, const Chain& chain, const Options& options, const ColourOptions& colour,
                         TransferTimes* times = nullptr);

}  // namespace halation
