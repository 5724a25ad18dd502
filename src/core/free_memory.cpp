// free_memory.cpp: how much memory the system would still hand out.
#include "core/free_memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace halation {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::size_t difference(std::size_t whole, std::size_t taken) { return whole - std::min(whole, taken); }

/// The number behind `key`, or at the file's beginning where there is none.
std::optional<std::size_t> number_in(const std::filesystem::path& path, std::string_view key = "") {
  std::ifstream file(path);
  std::string word;
  while (!key.empty() && file >> word && word != key) continue;
  std::size_t number = 0;
  if (file >> number) return number;
  return {};
}

std::size_t left_in_machine() {
  const auto kibibytes = number_in("/proc/meminfo", "MemAvailable:");
  return kibibytes ? *kibibytes * 1024 : unlimited;
}

/// Version 2 of control groups. Cached files are given up where a group needs their memory.
std::size_t left_in_groups() {
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line) && !line.starts_with("0::/")) continue;
  if (!line.starts_with("0::/")) return unlimited;
  std::size_t left = unlimited;
  for (std::filesystem::path group = (root / line.substr(4)).lexically_normal();
       group.string().starts_with(root.string()); group = group.parent_path()) {
    const auto most = number_in(group / "memory.max");
    const auto taken = number_in(group / "memory.current");
    if (!most || !taken) continue;
    std::size_t cached = 0;
    for (const char* kind : {"inactive_file", "active_file"})
      cached += number_in(group / "memory.stat", kind).value_or(0);
    left = std::min(left, difference(*most, difference(*taken, cached)));
  }
  return left;
}

std::size_t left_of_addresses() {
#if defined(__linux__)
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const auto pages = number_in("/proc/self/statm");
    return difference(limit.rlim_cur, pages.value_or(0) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  }
#endif
  return unlimited;
}

}  // namespace

std::size_t free_memory_bytes() {
  return std::min({left_in_machine(), left_in_groups(), left_of_addresses()});
}

}  // namespace halation
