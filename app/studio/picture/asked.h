// asked.h: what the page asks of a picture: words as the command line has them, and what they come to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "app/filtering/job.h"
#include "screen.h"

namespace halation::app {

/// The parameters of a request, by name.
using Words = std::map<std::string, std::string, std::less<>>;

/// "" where there is none of that name; as a whole number from `least` on; whether it is 1 or true.
std::string word(const Words& words, std::string_view name);
std::int64_t number(const Words& words, std::string_view name, std::int64_t otherwise, std::int64_t least = 0);
bool flag(const Words& words, std::string_view name);

/// What of a picture w, crop=x,y,width,height and z ask for. Throws `Error{invalid_argument}`.
Look look_from(const Words& words, const Shape& shape);

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
