// built_in.h: files that the program carries.
#pragma once

#include <string_view>
#include <vector>

namespace halation::bench {

/// bench/matrix.json.
std::string_view built_in_matrix();

struct BuiltInFile {
  std::string_view name, text;
};

/// bench/python: peers.py and what it imports.
std::vector<BuiltInFile> built_in_python_peers();

}  // namespace halation::bench
