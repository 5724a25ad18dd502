// timings_file.h: times and figures of machines in a file that processes share.
//
// A line of text each:
//     halation timings 2 of 0.1.0                    the format's version, and the library's
//     machine AMD EPYC 9B14, family 25, …            what the lines below it were measured on
//     figure lines.row; 59.5                         what a backend expects by (core/figures_text.h)
//     time 0.000123 0 0 1 …                          seconds, and the numbers of the key
//     end 8c5f1e0a5d1b2c3d                           FNV-1a of all bytes before this line
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace halation {

/// All that a time depends on but the machine, as numbers in a fixed order.
using TimingKey = std::vector<std::int64_t>;

/// What one run took on a machine.
struct KnownTime {
  std::string machine;  ///< one line
  TimingKey key;
  double seconds = 0;
};

/// What a backend expects by on a machine, a line of its text.
struct KnownFigure {
  std::string machine;
  std::string line;  ///< a name before a semicolon, and what follows
};

/// What a file holds: times, the oldest first, each key once a machine; and figures, each name once.
struct Timings {
  std::vector<KnownTime> times;
  std::vector<KnownFigure> figures;
};

/// Of more times the oldest are dropped: reading these takes a process's first plan some 2 ms.
inline constexpr std::size_t most_times = 2000;

/// Where the file lies by the values of HALATION_CACHE, XDG_CACHE_HOME and HOME, null where they are not set;
/// nowhere where the first is empty, or none names a folder.
std::optional<std::filesystem::path> timings_path_from(const char* cache, const char* xdg_cache_home,
                                                       const char* home);
/// The same by the environment, asked once a process.
const std::optional<std::filesystem::path>& timings_path();

/// What the file holds; nothing where there is none, where another version of format or library has written
/// it, or where it is not whole.
Timings read_timings(const std::filesystem::path& path);

/// Adds to the file, in place of what it had of the same keys and names; what is not whole is
/// replaced, but nothing that does not begin as such a file, nor a device. Links are followed. Folders that
/// lack are made. Processes do so one after the other, by a lock on a file beside it, and readers find the
/// old file or the new one. False where the file cannot be written or is another's, or others have held the
/// lock for 10 s.
bool add_timings(const std::filesystem::path& path, const Timings& more) noexcept;

/// Removes the file and its lock. False where there was none, it cannot be removed, or is another's.
bool remove_timings(const std::filesystem::path& path) noexcept;

}  // namespace halation
