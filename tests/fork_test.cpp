// fork_test.cpp: children that are forked while other threads filter and make plans filter too, in threads,
// and none hangs.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/threads.h"
#include "halation/halation.h"

namespace halation {
namespace {

// The allocator of GCC 12's AddressSanitizer does not let its locks go for a fork, as glibc's does: of children
// that are forked while other threads allocate, one in a few hundred waits for such a lock for ever.
#ifdef __SANITIZE_ADDRESS__
constexpr bool allocator_survives_forks = false;
#else
constexpr bool allocator_survives_forks = true;
#endif
constexpr const char* why_skipped = "AddressSanitizer's allocator keeps its locks across a fork";

// HALATION_FORKS asks for more.
int forks() {
  const char* const asked = std::getenv("HALATION_FORKS");
  return asked != nullptr ? std::stoi(asked) : 60;
}

PlanSpec spec_of(std::int64_t width, Tune tune) {
  return {.shape = {.height = 90, .width = width},
          .pixel = Pixel::f32,
          .filters = {Filter::separable({.y = {1, 3, 5, 3, 1}, .x = {1, 2, 3, 2, 1}})},
          .options = {.tune = tune, .threads = 3}};
}

/// Whole numbers: every sum is exact, in whatever order.
Image input_of(const PlanSpec& spec) {
  Image image(spec.shape, spec.pixel);
  auto* const pixels = reinterpret_cast<float*>(image.view().data);
  for (std::int64_t i = 0; i < spec.shape.elements(); ++i) pixels[i] = static_cast<float>(i * 7919 % 251);
  return image;
}

/// By transforms, which a plan that is measured may take, sums are next to whole numbers.
bool same(const Image& a, const Image& b) {
  const auto* const of_a = reinterpret_cast<const float*>(a.view().data);
  const auto* const of_b = reinterpret_cast<const float*>(b.view().data);
  return a.shape() == b.shape() && std::equal(of_a, of_a + a.shape().elements(), of_b, [](float x, float y) {
           return std::fabs(x - y) < 0.25F;
         });
}

Image filtered(const Plan& plan, const Image& in) {
  Image out(plan.output_shape(), plan.output_pixel());
  plan.run(in, out.view());
  return out;
}

/// Calls `work()` again and again while it lives, in threads that end after each call: oneTBB takes locks as
/// they come and go.
class Load {
 public:
  Load(int threads, const std::function<void()>& work) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, work] {
        for (; !stop_; ++done_) std::thread(work).join();
      });
    }
    while (done_ < threads) std::this_thread::yield();
  }
  ~Load() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> done_ = 0;
  std::vector<std::thread> threads_;
};

/// What became of a child that runs `work`: empty where it returned true. One that hangs is ended by its
/// alarm.
std::string child(const std::function<bool()>& work) {
  const pid_t process = fork();
  if (process == 0) {
    alarm(60);
    _exit(work() ? 0 : 1);
  }
  if (process < 0) return "no child";
  int status = 0;
  waitpid(process, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? "hangs" : "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "other pixels";
}

TEST(Fork, WhileOthersFilter) {
  if (!allocator_survives_forks) GTEST_SKIP() << why_skipped;
  const PlanSpec spec = spec_of(2100, Tune::estimate);
  const Image in = input_of(spec);
  const Plan plan(spec);
  const Image expected = filtered(plan, in);
  const Load load(3, [&] { (void)filtered(plan, in); });
  for (int i = 0; i < forks(); ++i) {
    // With the plan that was made before and with one of its own, and so does a child of its own.
    const auto filters = [&] {
      return same(filtered(plan, in), expected) && same(filtered(Plan(spec), in), expected);
    };
    ASSERT_EQ(child([&] { return filters() && (i % 8 != 0 || child(filters).empty()); }), "")
        << "child " << i;
  }
}

TEST(Fork, WhileOthersMakePlans) {
  if (!allocator_survives_forks) GTEST_SKIP() << why_skipped;
  const PlanSpec spec = spec_of(2100, Tune::estimate);
  const Image in = input_of(spec);
  const Image expected = filtered(Plan(spec), in);
  std::atomic<std::int64_t> width = 40;
  // Each of these is timed anew.
  const Load load(2, [&] { const Plan timed(spec_of(++width, Tune::measure)); });
  for (int i = 0; i < forks() / 6; ++i) {
    const auto filters = [&] { return same(filtered(Plan(spec_of(2100, Tune::measure)), in), expected); };
    ASSERT_EQ(child(filters), "") << "child " << i;
  }
}

TEST(Fork, OwnThreadsDoEachBlockOnceAndPassOnErrors) {
  std::vector<std::atomic<int>> done(100);
  in_own_threads(100, [&](std::int64_t block) { ++done[static_cast<std::size_t>(block)]; });
  for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
  EXPECT_THROW(in_own_threads(100,
                              [](std::int64_t block) {
                                if (block == 37) throw std::runtime_error("37");
                              }),
               std::runtime_error);
}

TEST(Fork, TellsChildren) {
  (void)arena_threads();
  const int before = forks_before();
  EXPECT_FALSE(without_tbb());
  EXPECT_EQ(child([&] { return forks_before() == before + 1 && without_tbb() && arena_threads() >= 1; }),
            "");
  EXPECT_EQ(forks_before(), before);
}

}  // namespace
}  // namespace halation
