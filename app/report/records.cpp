// records.cpp: what a record of measurements says about itself, and how it is written.
#include "records.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string_view>
#include <thread>
#include <vector>

#include "app/refuse.h"
#include "halation/error.h"
#include "halation/io.h"
#include "io/file.h"
#include "io/formats.h"

namespace halation::app {
namespace {

/// Errors name the file that they are about.
template <class Work>
void on_file(const std::string& path, Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    throw Error{error.code(), path + ": " + error.what()};
  }
}

/// Throws where the name's ending is that of something else: of a picture, or of the other of JSON and HTML.
void check_ending(std::string_view option, std::string_view what, std::string_view usual, const std::optional<std::string>& path) {
  if (!path) return;
  const std::string ending = io::ending_of(*path);
  std::vector<std::string> others = readable_endings();
  others.insert(others.end(), {".json", ".html"});
  if (ending != usual && std::find(others.begin(), others.end(), ending) != others.end())
    refuse(fmt::format("{} writes {}, to a file such as report{}, got '{}'", option, what, usual, *path));
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

}  // namespace

std::string present_cpu() {
  const unsigned threads = std::thread::hardware_concurrency();
  return fmt::format("{}, {} thread{}", cpu_model(), threads, threads == 1 ? "" : "s");
}

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

void check_files(const std::optional<std::string>& json, const std::optional<std::string>& report, const std::optional<std::string>& input) {
  check_ending("--json", "JSON", ".json", json);
  check_ending("--report", "a page of HTML", ".html", report);
  if (json == "-" && report == "-") refuse("--json and --report are both for standard output; name a file for one of them");
  for (const std::optional<std::string>* path : {&json, &report}) {
    if (!*path) continue;
    if (input && **path != "-" && io::is_same_place(**path, *input)) refuse(fmt::format("{} is the file that is read; --json and --report need files of their own", **path));
    on_file(**path, [&] { io::check_target(**path); });
  }
  if (json && report && io::is_same_place(*json, *report)) refuse(fmt::format("--json and --report are both for {}; name a file for each", *json));
}

void write_file(const std::string& path, const std::string& text) {
  on_file(path, [&] {
    io::Output file(path);
    file.write(text.data(), text.size());
    file.commit();
  });
}

}  // namespace halation::app
