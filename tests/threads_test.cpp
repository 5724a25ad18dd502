// threads_test.cpp: the limit on CPU threads: of a thread, of the environment, of options.
#include "halation/threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cstdlib>
#include <thread>

#include "core/thread_limit.h"
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

}  // namespace
}  // namespace halation
