// record.h: what every record of a benchmark says beside its figures.
#pragma once

#include <string>

namespace halation::bench {

/// What a record needs beside its figures.
struct Circumstances {
  std::string machine;  ///< the CPU's name
  unsigned cores = 0;
  std::string instruction_set;  ///< that the library uses on the CPU
  std::string system, compiler;
  std::string commit;     ///< that was built; empty where nobody knows
  bool modified = false;  ///< whether the library's sources were not the commit's
  std::string date, command;
};

/// Those of this process, which does what `command` says.
Circumstances circumstances(const std::string& command);

}  // namespace halation::bench
