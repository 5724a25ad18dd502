// threads.h: how many CPU threads filters may take.
#pragma once

namespace halation {

/// CPU threads that a plan made by the caller takes at most where its `Options::threads` is 0: as many as its
/// `ThreadLimit` says, else the environment variable HALATION_THREADS (a whole number from 1 to 1024, read
/// once), and never more than the caller's oneTBB arena has. Throws `Error{invalid_argument}` where the
/// variable holds anything else.
int available_threads();

/// While one lives, plans that its thread makes take at most so many CPU threads, in place of what an earlier
/// one or HALATION_THREADS says. A plan keeps what was said when it was made.
class ThreadLimit {
 public:
  /// Throws `Error{invalid_argument}` unless `threads` is from 1 to 1024.
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int before_;
};

}  // namespace halation
