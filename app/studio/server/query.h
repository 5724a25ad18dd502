// query.h: words as they stand in an address.
#pragma once

#include <string>
#include <string_view>

#include "app/studio/picture/asked.h"

namespace halation::app {

/// The words of a request's target, behind its '?'; of several of a name the last. What follows the first '=' of each is its value, be there
/// others in it, as in chain=gaussian sigma=3; + is a space and %XX a byte.
Words query_of(std::string_view target);

/// A text that HTTP can carry: what is neither a letter nor a digit nor one of . - _ as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace halation::app
