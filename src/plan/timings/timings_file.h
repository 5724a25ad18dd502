// timings_file.h: times and rates of machines in a file that processes share.
//
// A line of text each:
//     halation timings 1 of 0.1.0                    the format's version, and the library's
//     machine AMD EPYC 9B14, family 25, …            what the lines below it were measured on
//     rate separable u8 1.25                         times as long as expected
//     time 0.000123 0 0 1 …                          seconds, and the numbers of the key
//     end 8c5f1e0a5d1b2c3d                           FNV-1a of all bytes before this line
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "halation/pixel.h"
#include "halation/plan.h"

namespace halation {

/// All that a time depends on but the machine, as numbers in a fixed order.
using TimingKey = std::vector<std::int64_t>;

/// What one run took on a machine.
struct KnownTime {
  std::string machine;  ///< one line
  TimingKey key;
  double seconds = 0;
};

/// How many times as long as expected a method takes over pixels of a class (plan/timings/rates.h) on a machine.
struct KnownRate {
  std::string machine;
  Method method = Method::automatic;
  Pixel pixels = Pixel::u8;
  double factor = 1;
};

/// What a file holds: times, the oldest first, each key once a machine; and rates.
struct Timings {
  std::vector<KnownTime> times;
  std::vector<KnownRate> rates;
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

/// Adds to the file, in place of what it had of the same keys, methods and pixels; what is not whole is
/// replaced, but nothing that does not begin as such a file, nor a device. Links are followed. Folders that lack are made. Processes do so one after the other, by a lock on a file beside it,
/// and readers find the old file or the new one. False where the file cannot be written or is another's, or
/// others have held the lock for 10 s.
bool add_timings(const std::filesystem::path& path, const Timings& more) noexcept;

/// Removes the file and its lock. False where there was none, it cannot be removed, or is another's.
bool remove_timings(const std::filesystem::path& path) noexcept;

}  // namespace halation
