// timings_file.cpp: times and figures of machines in a file that processes share.
#include "plan/timings/timings_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "core/temporary.h"

namespace halation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view header = "halation timings 2 of " HALATION_VERSION;
constexpr std::string_view first_words = "halation timings ";  ///< of any version
constexpr std::size_t most_bytes = std::size_t{16} << 20;
constexpr auto longest_wait = std::chrono::seconds(10);

/// An open file, or none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const {
    return number_;
  }  // NOLINT(google-explicit-constructor): as the calls of the system take it

 private:
  int number_;
};

/// All bytes of a regular file; none of anything else, a pipe that would keep the reader waiting among them.
std::string bytes_of(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat facts = {};
  if (file < 0 || ::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  if (facts.st_size < 0 || static_cast<std::size_t>(facts.st_size) > most_bytes) return {};
  std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count <= 0) return {};
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

std::string sum_of(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(sum));
  return text;
}

/// Takes what stands before the next `end` off the front, and that with it.
std::string_view take(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view front = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return front;
}

template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool is_positive(double number) { return std::isfinite(number) && number > 0; }

/// Adds what a line says; false where it says nothing that is known.
bool add_line(std::string_view line, std::string& machine, Timings& timings) {
  const std::string_view kind = take(line, ' ');
  if (kind == "machine") {
    machine = line;
    return true;
  }
  if (kind == "figure") {
    timings.figures.push_back({machine, std::string(line)});
    return line.find(';') != std::string_view::npos;
  }
  if (kind != "time") return false;
  KnownTime time{.machine = machine, .key = {}, .seconds = 0};
  if (!read(take(line, ' '), time.seconds) || !is_positive(time.seconds)) return false;
  constexpr std::size_t usual_numbers = 40;
  time.key.reserve(usual_numbers);
  while (!line.empty()) {
    if (!read(take(line, ' '), time.key.emplace_back())) return false;
  }
  timings.times.push_back(std::move(time));
  return true;
}

Timings timings_in(std::string_view bytes) {
  constexpr std::string_view end = "end ";
  const std::size_t last = bytes.size() < 2 ? std::string_view::npos : bytes.rfind('\n', bytes.size() - 2);
  if (last == std::string_view::npos || bytes.back() != '\n') return {};
  std::string_view body = bytes.substr(0, last + 1);
  const std::string_view closing = bytes.substr(last + 1, bytes.size() - last - 2);
  if (!closing.starts_with(end) || closing.substr(end.size()) != sum_of(body)) return {};
  if (take(body, '\n') != header) return {};
  Timings timings;
  std::string machine;
  while (!body.empty()) {
    if (!add_line(take(body, '\n'), machine, timings)) return {};
  }
  return timings;
}

std::string text_of(double number) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number);
  return {text, end};
}

std::string bytes_from(const Timings& timings) {
  std::string bytes(header);
  bytes += '\n';
  std::string machine;
  const auto under = [&](const std::string& name) {
    if (name == machine) return;
    machine = name;
    bytes += "machine " + name + "\n";
  };
  for (const KnownFigure& figure : timings.figures) {
    under(figure.machine);
    bytes += "figure " + figure.line + "\n";
  }
  for (const KnownTime& time : timings.times) {
    under(time.machine);
    bytes += "time " + text_of(time.seconds);
    for (const std::int64_t number : time.key) bytes += " " + std::to_string(number);
    bytes += '\n';
  }
  return bytes + "end " + sum_of(bytes) + "\n";
}

/// What both hold; `more` counts where both know something.
Timings joined(Timings timings, const Timings& more) {
  const auto of_time = [](const KnownTime& time) { return std::pair(time.machine, time.key); };
  const auto of_figure = [](const KnownFigure& figure) {
    return std::pair(figure.machine, figure.line.substr(0, figure.line.find(';')));
  };
  const auto add = [](auto& list, const auto& added, const auto& key_of) {
    std::set<decltype(key_of(added.front()))> renewed;
    for (const auto& each : added) renewed.insert(key_of(each));
    std::erase_if(list, [&](const auto& each) { return renewed.contains(key_of(each)); });
    const std::size_t kept = list.size();
    for (auto each = added.rbegin(); each != added.rend(); ++each) {  // the last of a key counts
      if (renewed.erase(key_of(*each)) > 0) list.push_back(*each);
    }
    std::reverse(list.begin() + static_cast<std::ptrdiff_t>(kept), list.end());
  };
  add(timings.times, more.times, of_time);
  add(timings.figures, more.figures, of_figure);
  if (timings.times.size() > most_times) {
    timings.times.erase(timings.times.begin(), timings.times.end() - static_cast<std::ptrdiff_t>(most_times));
  }
  return timings;
}

fs::path lock_of(const fs::path& path) { return fs::path(path) += ".lock"; }

/// While one lives that `is_held`, no other process has one for the same path.
class Lock {
 public:
  explicit Lock(const fs::path& path) : path_(path) {
    const auto give_up = std::chrono::steady_clock::now() + longest_wait;
    while (!try_once() && std::chrono::steady_clock::now() < give_up) {
      if (file_ < 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ~Lock() {
    if (is_held_) ::flock(file_, LOCK_UN);  // children of a fork may have the file still open
    if (file_ >= 0) ::close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  bool is_held() const { return is_held_; }

 private:
  /// Not held either where the file that was locked has been removed meanwhile: others lock the one in its
  /// place.
  bool try_once() {
    if (file_ >= 0) ::close(file_);
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) != 0) return false;
    struct stat locked = {}, named = {};
    is_held_ = ::fstat(file_, &locked) == 0 && ::stat(path_.c_str(), &named) == 0 &&
               locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
    return is_held_;
  }

  fs::path path_;
  int file_ = -1;
  bool is_held_ = false;
};

/// A folder for a file without one is the present one.
fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Where links lead, if there is nothing yet or a file of times, damaged or of another version: none that holds anything else, a device or
/// a picture, is replaced or removed.
std::optional<fs::path> place_of_times(const fs::path& path) {
  const fs::path place = fs::weakly_canonical(path);
  const fs::file_status status = fs::symlink_status(place);
  if (!fs::exists(status)) return place;
  if (!fs::is_regular_file(status)) return std::nullopt;
  if (fs::file_size(place) == 0 || bytes_of(place).starts_with(first_words)) return place;
  return std::nullopt;
}

bool replace(const fs::path& path, const std::string& bytes) {
  Temporary file(folder_of(path));
  return std::fwrite(bytes.data(), 1, bytes.size(), file.file()) == bytes.size() &&
         file.become(folder_of(path) / path.filename());
}

}  // namespace

std::optional<fs::path> timings_path_from(const char* cache, const char* xdg_cache_home, const char* home) {
  if (cache != nullptr) return *cache == '\0' ? std::nullopt : std::optional<fs::path>(cache);
  // By its specification a path that is not absolute does not count.
  if (xdg_cache_home != nullptr && *xdg_cache_home == '/')
    return fs::path(xdg_cache_home) / "halation" / "timings";
  if (home != nullptr && *home == '/') return fs::path(home) / ".cache" / "halation" / "timings";
  return std::nullopt;
}

const std::optional<fs::path>& timings_path() {
  static const std::optional<fs::path> path =
      timings_path_from(std::getenv("HALATION_CACHE"), std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
  return path;
}

Timings read_timings(const fs::path& path) { return timings_in(bytes_of(path)); }

bool add_timings(const fs::path& path, const Timings& more) noexcept {
  try {
    std::error_code ignored;
    fs::create_directories(folder_of(path), ignored);
    if (!place_of_times(path)) return false;
    const Lock lock(lock_of(path));
    const std::optional<fs::path> place = place_of_times(path);
    return lock.is_held() && place && replace(*place, bytes_from(joined(read_timings(path), more)));
  } catch (const std::exception&) {
    return false;
  }
}

bool remove_timings(const fs::path& path) noexcept {
  try {
    std::error_code ignored;
    if (!fs::exists(path, ignored) || !place_of_times(path)) return false;
    const Lock lock(lock_of(path));
    const std::optional<fs::path> place = place_of_times(path);
    if (!lock.is_held() || !place) return false;
    const bool removed = fs::remove(*place, ignored);
    fs::remove(lock_of(path), ignored);
    return removed;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace halation
