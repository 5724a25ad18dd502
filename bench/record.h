// record.h: what every record of a benchmark says beside its figures.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace halation::bench {

/// Machine, system, commit that was built, date and command: what a record needs beside its figures.
nlohmann::ordered_json circumstances(const std::string& command);

}  // namespace halation::bench
