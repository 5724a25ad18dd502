// icc.h: what an ICC profile is called.
#pragma once

#include <string>

#include "io/codec.h"

namespace halation::io {

/// The description of a profile, its first if it has several, with '?' for characters beyond ASCII; empty where there is none.
std::string profile_name(Bytes icc);

}  // namespace halation::io
