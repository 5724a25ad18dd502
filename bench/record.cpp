// record.cpp: what a record says about where it was made.
#include "record.h"

#include <cstdio>
#include <thread>

#include "commit.h"
#include "halation/device.h"

namespace halation::bench {
namespace {

/// What a shell command prints, without the last line's end; empty where it fails.
std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char part[256];
  while (std::fgets(part, sizeof part, pipe) != nullptr) text += part;
  pclose(pipe);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string instruction_set() {
  for (const DeviceInfo& info : devices()) {
    if (info.device == cpu()) return info.description.substr(0, info.description.find(','));
  }
  return "";
}

}  // namespace

Circumstances circumstances(const std::string& command) {
  return {.machine = output_of("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1"),
          .cores = std::thread::hardware_concurrency(),
          .instruction_set = instruction_set(),
          .system = output_of("uname -sr"),
          .compiler = __VERSION__,
          .commit = HALATION_COMMIT,
          .modified = HALATION_MODIFIED,
          .date = output_of("date -u +%Y-%m-%d"),
          .command = command};
}

}  // namespace halation::bench
