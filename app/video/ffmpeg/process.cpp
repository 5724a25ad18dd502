// process.cpp: programs that run beside this one, spoken to through pipes.
#include "process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>
#include <utility>

#include "halation/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every unistd.h has it

namespace halation::app {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(ErrorCode::io, what + ": " + std::generic_category().message(error));
}

void close(int& descriptor) {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

/// Both ends of a pipe, which other children do not inherit: an end left open there would keep this one's reader waiting.
struct Pipe {
  int read = -1, write = -1;

  Pipe() = default;
  ~Pipe() {
    close(read);
    close(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void open() {
    std::array<int, 2> ends = {};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("no pipe", errno);
    read = ends[0];
    write = ends[1];
#ifdef F_SETPIPE_SZ
    constexpr int bytes = 1 << 20;  // the most that users may have; where it is refused, the usual 64 KiB serve
    (void)::fcntl(write, F_SETPIPE_SZ, bytes);
#endif
  }
};

/// What is done between fork and exec.
class SpawnActions {
 public:
  SpawnActions() {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void give(int descriptor, int number) { ::posix_spawn_file_actions_adddup2(&files_, descriptor, number); }
  void give_nothing(int number, int way) { ::posix_spawn_file_actions_addopen(&files_, number, "/dev/null", way, 0); }
  int spawn(const std::vector<std::string>& words, const std::vector<std::string>& settings, pid_t& id) const {
    std::vector<char*> arguments, environment;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    // The first of a name counts: what the user has set stays.
    for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
    for (const std::string& setting : settings) environment.push_back(const_cast<char*>(setting.c_str()));
    environment.push_back(nullptr);
    return ::posix_spawnp(&id, arguments.front(), &files_, &attributes_, arguments.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

/// "[libx264 @ 0x55d9f3892280] width not divisible by 2." becomes "libx264: width not divisible by 2".
std::string without_address(std::string_view line) {
  if (line.ends_with('.')) line.remove_suffix(1);
  const std::size_t at = line.find(" @ 0x");
  const std::size_t end = line.find("] ");
  if (!line.starts_with('[') || at == std::string_view::npos || end == std::string_view::npos || at > end) return std::string(line);
  const std::string_view name = line.substr(1, at - 1);
  const std::string_view rest = line.substr(end + 2);
  return name == "NULL" ? std::string(rest) : fmt::format("{}: {}", name, rest);
}

/// Those that are not blank.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t") != std::string_view::npos) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

WithoutPipeSignal::WithoutPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
WithoutPipeSignal::~WithoutPipeSignal() { std::signal(SIGPIPE, before_); }

Process::Process(const std::vector<std::string>& words, const Ends& ends, const std::vector<std::string>& settings) {
  Pipe in, out, said;
  SpawnActions actions;
  said.open();
  if (ends.in) {
    in.open();
    actions.give(in.read, STDIN_FILENO);
  } else {
    actions.give_nothing(STDIN_FILENO, O_RDONLY);
  }
  if (ends.out) {
    out.open();
    actions.give(out.write, STDOUT_FILENO);
  } else {
    actions.give_nothing(STDOUT_FILENO, O_WRONLY);
  }
  actions.give(said.write, STDERR_FILENO);
  if (ends.as_three >= 0) actions.give(ends.as_three, 3);  // last: one of the pipes may have that number here
  const int error = actions.spawn(words, settings, id_);
  if (error == ENOENT) throw Error(ErrorCode::unsupported, "there is no program " + words.front());
  if (error != 0) fail(words.front() + " cannot be started", error);
  in_ = std::exchange(in.write, -1);
  out_ = std::exchange(out.read, -1);
  said_end_ = std::exchange(said.read, -1);
  try {
    listener_ = std::thread([this] { listen(); });
  } catch (...) {
    stop();
    ::waitpid(id_, nullptr, 0);
    for (int* end : {&in_, &out_, &said_end_}) close(*end);
    throw;
  }
}

Process::~Process() {
  stop();
  wait();
}

void Process::listen() {
  constexpr std::size_t most_kept = 8192;
  std::array<char, 1024> part = {};
  for (;;) {
    const ssize_t got = ::read(said_end_, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    said_.append(part.data(), std::min(static_cast<std::size_t>(got), most_kept - said_.size()));
  }
}

bool Process::write(const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t put = ::write(in_, next, size);
    if (put >= 0) {
      next += put;
      size -= static_cast<std::size_t>(put);
    } else if (errno == EPIPE) {
      return false;
    } else if (errno != EINTR) {
      fail("a pipe cannot be written", errno);
    }
  }
  return true;
}

std::size_t Process::read(void* data, std::size_t size) {
  char* next = static_cast<char*>(data);
  std::size_t left = size;
  while (left > 0) {
    const ssize_t got = ::read(out_, next, left);
    if (got == 0) break;
    if (got > 0) {
      next += got;
      left -= static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      fail("a pipe cannot be read", errno);
    }
  }
  return size - left;
}

void Process::close_in() { close(in_); }

void Process::stop() {
  const std::lock_guard lock(ending_);
  if (!ended_) ::kill(id_, SIGKILL);
}

int Process::wait() {
  if (ended_) return code_;
  close(in_);
  close(out_);
  // It stays a zombie until the lock is held: `stop` never meets the number of another process.
  siginfo_t facts = {};
  while (::waitid(P_PID, static_cast<id_t>(id_), &facts, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  {
    const std::lock_guard lock(ending_);
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    ended_ = true;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  listener_.join();
  close(said_end_);
  return code_;
}

std::string Process::first_complaint() const {
  const std::vector<std::string_view> lines = lines_of(said_);
  return lines.empty() ? "" : without_address(lines.front());
}

std::string Process::last_complaint() const {
  const std::vector<std::string_view> lines = lines_of(said_);
  return lines.empty() ? "" : without_address(lines.back());
}

}  // namespace halation::app
