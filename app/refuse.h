// refuse.h: an argument that is refused.
#pragma once

#include <string>

#include "halation/error.h"

namespace halation::app {

/// Throws `Error{invalid_argument}`.
[[noreturn]] inline void refuse(const std::string& sentence) { throw Error{ErrorCode::invalid_argument, sentence}; }

}  // namespace halation::app
