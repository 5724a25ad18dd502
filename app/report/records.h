// records.h: what a record of measurements says about itself, and how it is written.
#pragma once

#include <string>

namespace halation::app {

/// The model's name and how many threads it runs.
std::string present_cpu();

/// "2026-11-21 06:40 UTC".
std::string now_utc();

/// Throws `Error{io}` that names the file where no file could be made at `path`.
void check_file(const std::string& path);

/// Nothing half-written stays: the file appears once it is complete; "-" is standard output. Errors name the
/// file.
void write_file(const std::string& path, const std::string& text);

}  // namespace halation::app
