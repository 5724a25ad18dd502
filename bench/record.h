// record.h: timing by medians of interleaved runs, and the JSON record that every benchmark leaves.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace halation::bench {

/// One competitor: a name and what is timed.
struct Contender {
  std::string name;
  std::function<void()> run;
};

/// Median milliseconds of each, over `rounds` rounds in which all run once, after one round that does not count. Taking turns lets
/// all of them see the same drift of a shared machine.
std::vector<double> medians_ms(const std::vector<Contender>& contenders, int rounds);

/// Machine, system, commit that was built, date and command: what a record needs beside its figures.
nlohmann::ordered_json circumstances(const std::string& command);

/// Writes through a temporary file, so that a record is whole or not there.
void write_record(const std::string& path, const nlohmann::ordered_json& record);

}  // namespace halation::bench
