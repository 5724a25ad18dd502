// job_options.h: the options that say what is done to every image: the filter or chain, how it is applied, colour, the machine.
#pragma once

#include <string>

#include "app/filtering/job.h"
#include "command.h"
#include "filter_options.h"

namespace halation::app {

/// The positional argument FILTER, and groups of options; from the parsing of --memory on the process takes no more for pixels.
class JobOptions {
 public:
  /// Frames of a video keep their size and their pixels, and what is gray of them is for the video's command to say.
  enum class Of { images, frames };
  explicit JobOptions(Command& command, Of what = Of::images);

  /// As it was typed.
  const std::string& filter() const { return filter_; }
  const FilterOptions& filter_options() const { return filter_options_; }
  /// What was asked for. Throws `Error{invalid_argument}`.
  Job job() const;

 private:
  FilterOptions filter_options_;
  std::string filter_;
  Given border_, border_value_, extent_, anchor_, output_pixel_, scale_, offset_, rounding_, view_, sum_;
  Given device_, accuracy_, tune_, threads_;
  bool correlate_ = false, linear_ = false, gray_ = false;
};

}  // namespace halation::app
