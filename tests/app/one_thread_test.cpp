// one_thread_test.cpp: the order in which one thread works for many, and what it leaves undone.
#include "app/studio/picture/one_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "halation/error.h"
#include "tests/message_of.h"

namespace halation::app {
namespace {

using Urgency = OneThread::Urgency;

[[noreturn]] void unwanted() { throw Error{ErrorCode::invalid_argument, "unwanted"}; }

/// Work under way, which ends when it is let go.
class Busy {
 public:
  explicit Busy(OneThread& worker) {
    done_ = std::async(std::launch::async, [this, &worker] {
      worker.run([this] {
        begun_.set_value();
        may_end_.get_future().wait();
      });
    });
    begun_.get_future().wait();
  }
  void end() {
    may_end_.set_value();
    done_.get();
  }

 private:
  std::promise<void> begun_, may_end_;
  std::future<void> done_;
};

/// Hands work in from a thread of its own, and returns once it waits in the queue.
std::future<void> waiting(OneThread& worker, const std::function<void()>& work, Urgency urgency) {
  auto looked_at = std::make_shared<std::promise<void>>();
  std::future<void> is_looked_at = looked_at->get_future();
  auto first = std::make_shared<std::atomic<bool>>(true);
  std::future<void> done = std::async(std::launch::async, [=, &worker] {
    worker.run(work, [=] {
      if (first->exchange(false)) looked_at->set_value();
    }, urgency);
  });
  is_looked_at.wait();
  worker.look_again();  // which waits until it is in the queue
  return done;
}

TEST(OneThread, DoesWhatIsUrgentFirstAndOtherwiseWhatCameFirst) {
  OneThread worker;
  std::string order;
  Busy busy(worker);
  std::vector<std::future<void>> all;
  for (const auto& [name, urgency] : {std::pair{'a', Urgency::usual}, {'b', Urgency::urgent}, {'c', Urgency::usual}, {'d', Urgency::urgent}})
    all.push_back(waiting(worker, [&order, each = name] { order += each; }, urgency));
  busy.end();
  for (std::future<void>& each : all) each.get();
  EXPECT_EQ(order, "bdac");
}

TEST(OneThread, HandsOnWhatWorkThrows) {
  OneThread worker;
  EXPECT_EQ(message_of([&] { worker.run([] { unwanted(); }); }), "unwanted");
  bool works_on = false;
  worker.run([&] { works_on = true; });
  EXPECT_TRUE(works_on);
}

TEST(OneThread, WhatIsUnwantedAsItComesDoesNotWait) {
  OneThread worker;
  Busy busy(worker);
  bool is_done = false;
  EXPECT_EQ(message_of([&] { worker.run([&] { is_done = true; }, unwanted); }), "unwanted");
  busy.end();
  worker.run([] {});
  EXPECT_FALSE(is_done);
}

TEST(OneThread, WhatIsNoLongerWantedWaitsNoMore) {
  OneThread worker;
  Busy busy(worker);
  std::atomic<bool> is_wanted{true}, is_done{false};
  std::promise<void> waits;
  auto done = std::async(std::launch::async, [&] {
    worker.run([&] { is_done = true; }, [&, first = true]() mutable {
      if (first) waits.set_value();
      first = false;
      if (!is_wanted) unwanted();
    });
  });
  waits.get_future().wait();
  worker.look_again();  // which waits until it is in the queue
  is_wanted = false;
  worker.look_again();
  EXPECT_EQ(message_of([&] { done.get(); }), "unwanted");
  busy.end();
  EXPECT_FALSE(is_done);
}

TEST(OneThread, WhatGivesWayIsDoneFromItsBeginning) {
  OneThread worker;
  std::string order;
  std::promise<void> urgent_waits;
  std::future<void> is_waiting = urgent_waits.get_future();
  std::promise<void> begun;
  int times = 0;
  auto usual = std::async(std::launch::async, [&] {
    worker.run([&] {
      order += 'u';
      if (++times == 1) {
        begun.set_value();
        is_waiting.wait();
      }
      worker.give_way();
      order += 'e';
    });
  });
  begun.get_future().wait();
  std::future<void> urgent = waiting(worker, [&] { order += '!'; }, Urgency::urgent);
  urgent_waits.set_value();
  usual.get();
  urgent.get();
  EXPECT_EQ(order, "u!ue");
}

}  // namespace
}  // namespace halation::app
