// histogram.h: how often each brightness occurs in a picture.
#pragma once

#include <cstdint>
#include <vector>

#include "halation/io.h"

namespace halation::app {

/// Counts of 256 levels a channel, alpha among them, from black to white as side_by_side.h has them: what is darker counts to the first,
/// what is brighter to the last, NaN to none. The picture may come in parts, each of its own samples.
class Histogram {
 public:
  static constexpr std::size_t levels = 256;
  using Counts = std::vector<std::int64_t>;  // levels of a channel

  explicit Histogram(const PageFacts& page);
  void take(const ConstView& part);

  const std::vector<Counts>& channels() const { return channels_; }
  /// Samples that no level was counted for.
  std::int64_t not_numbers() const { return not_numbers_; }

 private:
  Pixel pixel_;
  std::vector<Counts> channels_;
  std::int64_t not_numbers_ = 0;
};

}  // namespace halation::app
