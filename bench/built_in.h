// built_in.h: files that the program carries.
#pragma once

#include <string_view>

namespace halation::bench {

/// bench/matrix.json.
std::string_view built_in_matrix();

/// bench/peers.py.
std::string_view built_in_python_peers();

}  // namespace halation::bench
