// record.h: what every record of a benchmark says, and how it is written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace halation::bench {

/// Machine, system, commit that was built, date and command: what a record needs beside its figures.
nlohmann::ordered_json circumstances(const std::string& command);

/// Writes through a temporary file, so that a record is whole or not there.
void write_record(const std::string& path, const nlohmann::ordered_json& record);

}  // namespace halation::bench
