// asked.h: what the page asks of a picture: words as the command line has them, and what they come to.
#pragma once

#include <map>
#include <string>

#include "app/filtering/job.h"

namespace halation::app {

/// The parameters of a request, by name.
using Words = std::map<std::string, std::string, std::less<>>;

/// A chain and options of `halation apply`, by their names without dashes: border, border-value, linear …
struct Asked {
  std::string chain;
  Words options;  ///< of flags the value is empty

  /// One text for all that ask for the same.
  std::string key() const;
  /// What `halation apply` makes of them. Throws `Error{invalid_argument}` with its sentences.
  Job job() const;
};

/// What a request's words ask for; words for other things are passed over. Throws `Error{invalid_argument}` where there is no chain.
Asked asked_from(const Words& words);

}  // namespace halation::app
