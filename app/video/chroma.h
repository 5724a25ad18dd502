// chroma.h: what becomes of the chroma planes of a frame whose luma is filtered.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/filter_options.h"
#include "app/video/pixel_format.h"
#include "core/queue.h"
#include "halation/chain.h"
#include "pipeline/chain/prepared_chain.h"

namespace halation::app {

/// The chain for the chroma planes: that of luma with its lengths (parameters in px) brought to their resolution, to 1 / 2^chroma_x and
/// 1 / 2^chroma_y, whole ones to the next that will do. Nothing where chroma stays as it is: where a filter has no length to bring
/// (sharpen, custom), or one that cannot be brought (one for both axes, which are halved differently). `text` and `options` are as for
/// `FilterOptions::chain`, which has taken them.
std::optional<Chain> chroma_chain(const std::string& text, const FilterOptions& options, const FrameFormat& format);

/// Whether a result says what changes and not what is there: where a stage's weights cancel, or its filters combine to a magnitude. Beside
/// the chroma that was, it would be no picture.
bool shows_change(const Chain& chain);

/// The options for chroma, whose zero is in the middle of its range: the border constant is that, the scale works about it, and the offset
/// is left to luma.
Options chroma_options(const Options& of_luma, const Chain& chain, const FrameFormat& format);

/// Both chroma planes of one frame after the other, on the device that filters luma.
class ChromaFilter {
 public:
  ChromaFilter(const Shape& planes, Pixel pixel, const Chain& chain, const Options& options, Device device);

  /// Filtered planes, packed as they are in a frame, until the next call. `planes` may be of any alignment that the pixel has.
  View run(const std::byte* planes);

 private:
  PreparedChain chain_;
  std::unique_ptr<Queue> queue_;  // before what is allocated in its order, which it must outlive
  Image in_, out_;                // on a GPU
  std::vector<Image> between_;
  Image result_;
};

}  // namespace halation::app
