// stated_job.h: a filter's job without a file: the image is stated by its size and pixels.
#pragma once

#include <string>
#include <vector>

#include "filter_options.h"
#include "halation/plan.h"

namespace halation::app {

/// A filter, the image that it is asked about, and how.
struct StatedJob {
  FilterSet filter;
  Shape shape;
  Pixel pixel = Pixel::f32;
  Options options;
};

/// The options that state it: --size, --pixel, --channels, --border, --border-value, --accuracy. A filter's
/// own parameter size is typed "9" or "3,5", the image's "4096x4096": one option takes both, so that
/// `FilterOptions` leaves --size out.
class StatedJobOptions {
 public:
  /// `sizes`: which image is meant unless one is given, for the help.
  StatedJobOptions(Command& command, const std::string& heading, const std::string& sizes);
  StatedJobOptions(const StatedJobOptions&) = delete;  // the command keeps the addresses of members
  StatedJobOptions& operator=(const StatedJobOptions&) = delete;

  /// Without a size the image has `dims` dimensions, 2 where that is 0; without `dims` the filter has those
  /// of the image. Throws `Error`.
  StatedJob job(const std::string& filter, const FilterOptions& filter_options, int dims = 0) const;

 private:
  std::vector<std::string> sizes_;
  Given pixel_, channels_, border_, border_value_, accuracy_;
};

}  // namespace halation::app
