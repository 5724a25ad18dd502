// temporary.cpp: files without a name, or under one of their own, until they are complete.
#include "core/temporary.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "halation/error.h"

namespace halation {
namespace {

namespace fs = std::filesystem;

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU};

std::mutex one_at_a_time;
std::atomic<bool> naming = false;  // a thread is inside `Naming`
std::atomic<bool> ending = false;  // a signal is about to end the process

/// Names of files that are not complete. A function's own, so that it outlives what ends with the process.
std::vector<std::string>& unfinished() {
  static auto* names =
      new std::vector<std::string>;  // NOLINT(cppcoreguidelines-owning-memory): never freed, see above
  return *names;
}

/// While one lives, names of temporary files change: the handler of a signal waits for its end, and none
/// begins once it has run. Its thread takes no such signal, so the handler never waits for itself.
class Naming {
 public:
  Naming() {
    sigset_t held;
    sigemptyset(&held);
    for (const int number : ending_signals) sigaddset(&held, number);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
    one_at_a_time.lock();
    naming = true;
    while (ending) {
      naming = false;
      sched_yield();
    }
  }
  ~Naming() {
    naming = false;
    one_at_a_time.unlock();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Naming(const Naming&) = delete;
  Naming& operator=(const Naming&) = delete;

 private:
  sigset_t before_;
};

/// Calls nothing but what POSIX allows in a handler. No thread changes the list once `naming` has been seen
/// false.
void remove_and_end(int number) {
  ending = true;
  while (naming) sched_yield();
  for (const std::string& name : unfinished()) ::unlink(name.c_str());
  ::signal(number, SIG_DFL);
  ::raise(number);  // held back until this returns
}

fs::path next_name(const fs::path& folder) {
  static std::atomic<unsigned> count = 0;
  return folder / (".halation-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".part");
}

std::string link_to(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

/// Gives the nameless file the name `target`. Only a rename replaces a file, and needs a name for a moment.
bool linked(const std::string& nameless, const fs::path& target) {
  const auto link = [&](const fs::path& name) {
    return ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link(target)) return true;
  if (errno != EEXIST) return false;
  const fs::path name = next_name(target.parent_path());
  if (!link(name)) return false;
  if (::rename(name.c_str(), target.c_str()) == 0) return true;
  const int error = errno;
  ::unlink(name.c_str());
  errno = error;
  return false;
}

/// True where all that was written has arrived: what some file systems say only on closing, said before the
/// file has its name.
bool has_arrived(int descriptor) {
  const int copy = ::dup(descriptor);
  return copy >= 0 && ::close(copy) == 0;
}

}  // namespace

Temporary::Temporary(const fs::path& folder, Kind kind) : folder_(folder) {
  if (kind == Kind::named || !open_anonymous()) open_named();
}

Temporary::~Temporary() {
  if (file_ != nullptr) std::fclose(file_);
  if (name_.empty()) return;
  const Naming lock;
  ::unlink(name_.c_str());
  std::erase(unfinished(), name_.string());
}

bool Temporary::open_anonymous() {
#ifdef O_TMPFILE
  const int descriptor = ::open(folder_.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  if (::access(link_to(descriptor).c_str(), F_OK) == 0) file_ = ::fdopen(descriptor, "w+b");
  if (file_ == nullptr) ::close(descriptor);
#endif
  return file_ != nullptr;
}

void Temporary::open_named() {
  const Naming lock;
  int descriptor = -1;
  do {
    name_ = next_name(folder_);
    descriptor = ::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor >= 0) file_ = ::fdopen(descriptor, "w+b");
  if (file_ != nullptr) {
    unfinished().push_back(name_.string());
    return;
  }
  const std::string reason = std::generic_category().message(errno);
  if (descriptor >= 0) {
    ::close(descriptor);
    ::unlink(name_.c_str());
  }
  throw Error(ErrorCode::io, "cannot write into folder " + folder_.string() + ": " + reason);
}

bool Temporary::become(const fs::path& target) {
  if (std::fflush(file_) != 0 || !has_arrived(::fileno(file_))) return false;
  const Naming lock;
  if (name_.empty()) return linked(link_to(::fileno(file_)), target);
  if (::rename(name_.c_str(), target.c_str()) != 0) return false;
  std::erase(unfinished(), name_.string());
  name_.clear();
  return true;
}

void remove_unfinished_on_signals() {
  (void)unfinished();  // made now, not in a handler
  for (const int number : ending_signals) {
    struct sigaction action = {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_end;
    sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace halation
