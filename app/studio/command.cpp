// command.cpp: `halation studio`: a page to see filters on a picture, served to this machine's browser.
#include <fmt/format.h>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "app/command_line/arguments.h"
#include "app/command_line/memory_option.h"
#include "app/studio/picture/workspace.h"
#include "app/studio/server/guard.h"
#include "app/studio/server/server.h"
#include "app/subcommands.h"
#include "halation/error.h"
#include "halation/transfer.h"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace halation::app {
namespace {

constexpr const char* footer =
    R"(The page answers at 127.0.0.1, under a token that only this line of output has; Ctrl-C ends it.

Examples:
  halation studio photo.jpg
  halation studio huge.tif --memory 2G --no-browser)";

struct Flags {
  explicit Flags(Command& command) {
    command.positional("image", image, "FILE", "the picture to begin with; others can be dropped on the page", Command::Need::optional);
    OptionGroup options = command.group("Options");
    options.text("--port", port, "N", "of 127.0.0.1, 0 for a free one [0]");
    options.flag("--no-browser", no_browser, "print the address, open nothing");
    options.text("--device", device, "cpu|cuda|reference", "where to compute unless the page says otherwise; cuda:1 is the second GPU [a GPU, else the CPU]");
    add_memory_option(options);
    command.footer(footer);
  }
  std::string image;
  Given port, device;
  bool no_browser = false;
};

/// A folder of this process, gone with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "halation-studio-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error{ErrorCode::io, fmt::format("{}: no folder can be made there", name)};
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// While one lives, the signals that end a program stop the server, once there is one, in a thread of its own. To be made before other
/// threads are: these inherit that signals are not theirs.
class OnSignals {
 public:
  OnSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, wake}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
    waits_ = std::thread([this] { wait(); });
  }
  ~OnSignals() {
    pthread_kill(waits_.native_handle(), wake);
    waits_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  OnSignals(const OnSignals&) = delete;
  OnSignals& operator=(const OnSignals&) = delete;

  /// From now on the first signal stops the server; a second, where it still computes, ends the process, without the folder.
  void stop(Server& server, std::filesystem::path folder) {
    folder_ = std::move(folder);
    server_ = &server;
  }

 private:
  static constexpr int wake = SIGUSR2;

  void wait() {
    for (bool stopped = false;; stopped = true) {
      int signal = 0;
      sigwait(&signals_, &signal);
      if (signal == wake) return;
      Server* server = server_;
      if (server == nullptr) {
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        std::raise(signal);
      } else if (!stopped) {
        server->stop();
      } else {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
        ::_exit(128 + signal);
      }
    }
  }

  sigset_t signals_{}, before_{};
  std::filesystem::path folder_;
  std::atomic<Server*> server_{nullptr};
  std::thread waits_;
};

/// By the desktop's own program; where there is no desktop nothing happens.
void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string program = "xdg-open", argument = address;
  std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int output : {1, 2}) posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;  // with the signals that it would have had without this program
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  (void)posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
}

/// One heap for all threads: with one for each, what each has given back stays in its own, 15 MB a step of a
/// picture of 200 megapixels. Blocks of 1 MiB or more go back to the system when they are freed: glibc would
/// raise this threshold with each of them, up to 32 MiB, and the gaps that they leave in the heap took up to
/// 100 MB.
void keep_no_freed_memory() {
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, 1);
#endif
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

void studio(const Flags& flags) {
  keep_no_freed_memory();
  OnSignals signals;
  const int port = flags.port ? static_cast<int>(whole_number_from("--port", *flags.port, 0, 65535)) : 0;
  const std::optional<Device> device = flags.device ? device_from(*flags.device) : std::nullopt;
  if (device) synchronise(*device);  // throws where there is none
  Workspace workspace(device);
  if (flags.image == "-") throw Error{ErrorCode::invalid_argument, "studio reads a file, not standard input"};
  if (!flags.image.empty()) workspace.open(flags.image, std::filesystem::path(flags.image).filename().string());
  const ScratchFolder scratch;
  Server server(workspace, random_token(), scratch.path());
  server.bind(port);
  signals.stop(server, scratch.path());
  fmt::print("halation studio: {}\n", server.address());
  std::fflush(stdout);
  if (!flags.no_browser) open_browser(server.opening_address());
  server.run();
}

}  // namespace

void add_studio(Program& program) { program.add("studio", "Opens a page to see filters on a picture while they are turned", studio); }

}  // namespace halation::app
