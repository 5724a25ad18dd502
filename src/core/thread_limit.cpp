// thread_limit.cpp: the limit on CPU threads: of the thread, else of the environment.
#include "core/thread_limit.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

#include "core/threads.h"
#include "halation/error.h"
#include "halation/threads.h"

namespace halation {
namespace {

constexpr int most_threads = 1024;

thread_local int limit_of_thread = 0;  // 0: none

}  // namespace

int thread_limit_from(const char* text) {
  const std::string_view value = text == nullptr ? "" : text;
  if (value.empty()) return most_threads;
  int threads = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (error != std::errc{} || end != value.data() + value.size() || threads < 1 || threads > most_threads) {
    throw Error(ErrorCode::invalid_argument, "HALATION_THREADS must be a whole number from 1 to " + std::to_string(most_threads) +
                                                 ", got '" + std::string(value) + "'");
  }
  return threads;
}

int available_threads() {
  static const int limit_of_process = thread_limit_from(std::getenv("HALATION_THREADS"));
  return std::min(limit_of_thread > 0 ? limit_of_thread : limit_of_process, arena_threads());
}

ThreadLimit::ThreadLimit(int threads) : before_(limit_of_thread) {
  if (threads < 1 || threads > most_threads) {
    throw Error(ErrorCode::invalid_argument,
                "threads must be from 1 to " + std::to_string(most_threads) + ", got " + std::to_string(threads));
  }
  limit_of_thread = threads;
}

ThreadLimit::~ThreadLimit() { limit_of_thread = before_; }

}  // namespace halation
