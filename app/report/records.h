// records.h: what a record of measurements says about itself, and how it is written.
#pragma once

#include <optional>
#include <string>

namespace halation::app {

/// The model's name and how many threads it runs.
std::string present_cpu();

/// "2026-11-21 06:40 UTC".
std::string now_utc();

/// Of the files that are asked for: throws `Error{io}` that names one which could not be made, `Error{invalid_argument}` where a name's
/// ending is that of something else (a picture, HTML for JSON), two would share a place, or one that of the file that is read.
void check_files(const std::optional<std::string>& json, const std::optional<std::string>& report, const std::optional<std::string>& input = {});

/// Nothing half-written stays: the file appears once it is complete; "-" is standard output. Errors name the
/// file.
void write_file(const std::string& path, const std::string& text);

}  // namespace halation::app
