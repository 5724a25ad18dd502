// threads_test.cpp: the limit on CPU threads: of a thread, of the environment, of options.
#include "halation/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/thread_limit.h"
#include "core/threads.h"
#include "halation/halation.h"
#include "message_of.h"

namespace halation {
namespace {

using testing::HasSubstr;

/// What whoever runs the tests has said is none of theirs.
[[maybe_unused]] const int unset = unsetenv("HALATION_THREADS");

/// A plan of so much work that it takes all threads that it may.
std::string explained(int threads = 0) {
  const Plan plan({.shape = {.height = 2000, .width = 2000},
                   .pixel = Pixel::f32,
                   .filters = {gaussian({.sigma = 2.0})},
                   .options = {.threads = threads}});
  return plan.explain();
}

TEST(Threads, AreTheArenasUnlessLimited) {
  tbb::task_arena(4).execute([] {
    EXPECT_EQ(available_threads(), 4);
    EXPECT_THAT(explained(), HasSubstr("at most 4 threads"));
    {
      const ThreadLimit limit(2);
      EXPECT_EQ(available_threads(), 2);
      EXPECT_THAT(explained(), HasSubstr("at most 2 threads"));
      EXPECT_THAT(explained(3), HasSubstr("at most 3 threads"));
      {
        const ThreadLimit larger(64);
        EXPECT_EQ(available_threads(), 4);
      }
      EXPECT_EQ(available_threads(), 2);
    }
    EXPECT_EQ(available_threads(), 4);
  });
}

TEST(Threads, LimitsAreOfOneThread) {
  tbb::task_arena(4).execute([] {
    const ThreadLimit limit(1);
    int elsewhere = 0;
    std::thread([&] { tbb::task_arena(4).execute([&] { elsewhere = available_threads(); }); }).join();
    EXPECT_EQ(elsewhere, 4);
    EXPECT_THAT(explained(), HasSubstr("at most 1 thread;"));
  });
}

TEST(Threads, ASmallImageTakesOneUnderAnyLimit) {
  const ThreadLimit limit(2);
  const Plan plan({.shape = {.height = 9, .width = 9}, .pixel = Pixel::f32, .filters = {gaussian({.sigma = 1.0})}});
  EXPECT_THAT(plan.explain(), HasSubstr("at most 1 thread;"));
}

TEST(Threads, OfTheEnvironmentAreRead) {
  EXPECT_EQ(thread_limit_from("1"), 1);
  EXPECT_EQ(thread_limit_from("1024"), 1024);
  EXPECT_EQ(thread_limit_from(nullptr), thread_limit_from(""));
  EXPECT_GE(thread_limit_from(nullptr), 1024);
  for (const char* wrong : {"0", "-1", "1025", "two", "1.5", " 2", "2 ", "0x2", "99999999999"}) {
    EXPECT_EQ(message_of([&] { thread_limit_from(wrong); }),
              "HALATION_THREADS must be a whole number from 1 to 1024, got '" + std::string(wrong) + "'");
  }
}

TEST(Threads, LimitsThatAreNoneAreRefused) {
  for (const int wrong : {0, -1, 1025}) {
    EXPECT_EQ(message_of([&] { ThreadLimit{wrong}; }), "threads must be from 1 to 1024, got " + std::to_string(wrong));
  }
}

// AddressSanitizer and ThreadSanitizer take addresses by the terabyte.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool addresses_can_be_limited = false;
#else
constexpr bool addresses_can_be_limited = true;
#endif

/// Ends the process with 0 where each of 100 blocks is done once, and what one throws comes out, several times over, when there are
/// `spare_bytes` for the stacks of eight threads, of 4 MiB each.
[[noreturn]] void run_blocks_with_little_memory(std::size_t spare_bytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + spare_bytes;
  const rlimit limit = {most, most};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena(8).execute([] {
    for (int round = 0; round < 3; ++round) {
      std::vector<std::atomic<int>> done(100);
      in_threads(100, [&](std::int64_t block) { ++done[static_cast<std::size_t>(block)]; });
      for (const std::atomic<int>& times : done) {
        if (times != 1) _exit(3);
      }
      try {
        in_threads(100, [](std::int64_t block) {
          if (block == 37) throw std::runtime_error("37");
        });
        _exit(4);
      } catch (const std::runtime_error& error) {
        if (error.what() != std::string("37")) {
          std::fputs(error.what(), stderr);
          _exit(5);
        }
      }
    }
  });
  _exit(0);
}

TEST(ThreadsDeathTest, WithLittleMemoryThereAreFewer) {
  if (!addresses_can_be_limited) GTEST_SKIP() << "a sanitizer takes all addresses";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process that has used none
  for (std::size_t mebibytes = 4; mebibytes <= 40; mebibytes += 3) {
    EXPECT_EXIT(run_blocks_with_little_memory(mebibytes << 20), testing::ExitedWithCode(0), "") << mebibytes << " MiB";
  }
}

TEST(Threads, EachBlockIsDoneOnce) {
  for (const std::int64_t blocks : {1, 2, 3, 100, 5000}) {
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(blocks));
    in_threads(blocks, [&](std::int64_t block) { ++done[static_cast<std::size_t>(block)]; });
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(Threads, WhatABlockThrowsComesOutOnceAllAreDone) {
  std::atomic<int> begun = 0, ended = 0;
  EXPECT_EQ(message_of([&] {
              in_threads(100, [&](std::int64_t block) {
                ++begun;
                if (block == 7) throw Error(ErrorCode::invalid_argument, "block 7");
                ++ended;
              });
            }),
            "block 7");
  EXPECT_EQ(begun, ended + 1);
}

}  // namespace
}  // namespace halation
