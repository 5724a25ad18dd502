// strips.h: how an image is cut to be filtered part by part, so that nothing shows where.
//
// A strip is a part of the input that is filtered like an image of its own. Where it was cut, its results are wrong as far as the filter
// reaches, and are left out; strips overlap by as much. A strip that begins where the image begins has the image's border there, and
// so at the end: the last strip is moved back to end where the image does, so that all strips have one length and one plan. Of border
// wrap the rows beyond an end are those of the other one, and a strip takes them in.
//
// Where an image is cut depends on the job and the kind of device alone, never on the host memory that there is: what an output is does
// not depend on it either. A GPU's own memory may be too short for such strips; then they are halved.
#pragma once

#include <cstdint>

#include "halation/device.h"
#include "halation/image.h"
#include "pipeline/chain/prepared_chain.h"

namespace halation {

/// One strip and the outputs that are taken from it.
struct Strip {
  std::int64_t first = 0;   ///< of the input; of border wrap also before its begin or beyond its end
  std::int64_t skipped = 0; ///< results of the strip before those taken
  std::int64_t output = 0;  ///< first output taken
  std::int64_t outputs = 0;
};

/// Extents and bytes along the axis of parts (halation/strips.h).
struct Length {
  std::int64_t input = 1;
  std::int64_t output = 1;
  double input_bytes = 1;   ///< of one slice, row or sample
  double output_bytes = 1;
};

/// How long strips are.
struct StripSize {
  Device::Kind device = Device::Kind::cpu;
  double bytes = 0;     ///< of input and output; 0: the usual on the device
  int halvings = 0;     ///< how many times a strip is cut in two for want of memory
  bool is_all = false;  ///< the image cannot be cut
};

class Strips {
 public:
  /// `wraps`: whether the border along the axis is wrap.
  Strips(const Length& length, const Reach& reach, bool wraps, const StripSize& size);

  std::int64_t count() const { return count_; }
  std::int64_t length() const { return strip_; }         ///< of each strip's input
  std::int64_t output_length() const { return strip_ + growth_; }
  Strip at(std::int64_t index) const;
  /// How many inputs at the begin of a strip are also at the end of the one before; 0 of the first.
  std::int64_t shared_with_previous(std::int64_t index) const;

 private:
  std::int64_t input_, output_;
  Reach reach_;
  std::int64_t growth_;  // outputs more than inputs
  std::int64_t strip_ = 1, step_ = 1, count_ = 1;
  bool wraps_ = false;
};

}  // namespace halation
