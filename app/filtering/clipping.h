// clipping.h: the sentence about samples that pixels cannot hold.
#pragma once

#include <optional>
#include <string>

#include "halation/chain.h"
#include "halation/display.h"

namespace halation::app {

/// Clipped samples up to this share of all are not spoken of.
inline constexpr double clipping_worth_saying = 0.01;

/// `count_clipped`. Where memory is short for that none are known, rather than the result lost.
Clipped counted(const ConstView& in, const ConstView& result, const Chain& chain, const Options& options, const ColourOptions& colour, Device device,
                double least_share = clipping_worth_saying);

/// What the sentence depends on. It refers to the caller's chain and options.
struct ClippingJob {
  const Chain& chain;
  const Options& options;
  Pixel input, output;
  std::optional<double> most = {};  ///< what samples of the output are at most, where that is less than its pixel holds
  bool linear = false, has_view = false;
  std::string view, floats = {};  ///< how the user asks for a view, and for f32; empty where that cannot be asked for
};

/// "49% of the samples are below 0 and became 0; --view signed shows them", of filters that sharpen what clips less; empty where nothing is
/// worth saying.
std::string clipping_note(const Clipped& clipped, const ClippingJob& job);

}  // namespace halation::app
