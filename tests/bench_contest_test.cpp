// bench_contest_test.cpp: what is right and wrong before it is timed, and how rows, peers and targets are
// judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/contest.h"
#include "bench/rounds.h"
#include "bench/verify.h"
#include "halation/convolve.h"
#include "halation/error.h"

namespace halation::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Job job_of(const std::string& fields) {
  return jobs_from(R"({"schema": "halation-bench-matrix-1", "jobs": [{"name": "a job", )" + fields + "}]}",
                   "m.json")
      .front();
}

/// A job, the CPU's result, and what it is compared with.
struct Trial {
  explicit Trial(const std::string& fields)
      : job(job_of(fields)),
        filter(filter_of(job)),
        plan(spec_of(job, cpu())),
        in(random_image(job.shape, job.pixel)),
        out(plan.output_shape(), plan.output_pixel()),
        expected(job, filter, in) {
    plan.run(in, out.view());
  }

  Verdict judge() const { return expected.judge(plan, out); }
  Verdict judge_peer() const { return expected.judge_peer(out); }
  template <class T>
  T& at(std::int64_t y, std::int64_t x) {
    return out.view().at<T>(y, x);
  }

  Job job;
  Filter filter;
  Plan plan;
  Image in, out;
  Expected expected;
};

// The plan's own borders and those that `Expected` puts around its windows were written apart from each
// other.
TEST(BenchVerify, AgreesWithTheCpuForEveryBorderFilterAndShape) {
  const std::vector<std::string> shapes = {
      R"("extents": [5000], "size": 9)",
      R"("extents": [90, 150], "size": 5)",
      R"("extents": [90, 150], "size": 4, "pixel": "f16")",
      R"("extents": [90, 70], "size": 3, "filter": "sobel", "pixel": "u8", "output": "i16")",
      R"("extents": [90, 70], "size": 5, "filter": "integer", "pixel": "u16")",
      R"("extents": [70, 90], "size": 31, "filter": "box", "pixel": "u8", "channels": 3)",
      R"("extents": [70, 90], "size": 9, "filter": "gaussian", "pixel": "i16", "channels": 4, "batch": 3)",
      R"("extents": [3, 2], "size": 9, "filter": "separable")",
      R"("extents": [30, 40, 50], "size": 3, "pixel": "f64")"};
  for (const std::string& shape : shapes) {
    for (const char* border : {"constant", "replicate", "reflect", "reflect101", "wrap"}) {
      const Verdict verdict = Trial(shape + R"(, "border": ")" + border + "\"").judge();
      EXPECT_GT(verdict.outputs, 0) << shape << border;
      EXPECT_TRUE(verdict.right()) << shape << border << ": " << verdict.sentence();
    }
  }
}

TEST(BenchVerify, SeesOneWrongFloatInEveryWindow) {
  Trial trial(R"("extents": [300, 200], "size": 5)");
  for (const std::int64_t y : {0, 150, 299}) {
    for (const std::int64_t x : {0, 100, 199}) {
      float& value = trial.at<float>(y, x);
      const float right = std::exchange(value, value * 1.00001F);
      EXPECT_EQ(trial.judge().wrong, 1) << y << " " << x;
      value = std::numeric_limits<float>::quiet_NaN();
      EXPECT_EQ(trial.judge().wrong, 1);
      EXPECT_EQ(trial.judge().largest_error, std::numeric_limits<double>::infinity());
      value = right;
    }
  }
  EXPECT_TRUE(trial.judge().right());
}

TEST(BenchVerify, AllowsALevelOnlyWhereRoundingChanges) {
  Trial trial(R"("extents": [100, 100], "size": 3, "pixel": "u8")");
  const Image sums = convolve(trial.in, trial.filter, {.output = Pixel::f64}, reference());
  int near = 0, far = 0;
  for (std::int64_t y = 0; y < 60; ++y) {
    const double sum = sums.view().at<double>(y, 7);
    const double from_boundary = std::fabs(sum - std::floor(sum) - 0.5);
    auto& level = trial.at<std::uint8_t>(y, 7);
    const std::uint8_t right = level;
    // The neighbour on the other side of the boundary, and one level on.
    const int other = sum > right ? right + 1 : right - 1;
    level = static_cast<std::uint8_t>(other);
    const bool allowed = from_boundary <= 1.0 / 16;
    EXPECT_EQ(trial.judge().right(), allowed) << sum;
    ++(allowed ? near : far);
    level = static_cast<std::uint8_t>(sum > right ? right + 2 : right - 2);
    EXPECT_FALSE(trial.judge().right());
    level = right;
  }
  EXPECT_GT(near, 0);
  EXPECT_GT(far, 0);
}

TEST(BenchVerify, HoldsWholeWeightsToEquality) {
  Trial trial(R"("extents": [100, 100], "size": 3, "pixel": "u8", "output": "i16", "filter": "sobel")");
  EXPECT_TRUE(trial.judge().right());
  trial.at<std::int16_t>(0, 99) += 1;
  EXPECT_EQ(trial.judge().wrong, 1);
}

TEST(BenchVerify, PeersMayDifferAtTheBorderAlone) {
  Trial trial(R"("extents": [300, 300], "size": 5)");
  for (std::int64_t i = 0; i < 300; ++i) trial.at<float>(i, 1) = trial.at<float>(298, i) = -7;
  EXPECT_FALSE(trial.judge().right());
  EXPECT_TRUE(trial.judge_peer().right());
  trial.at<float>(150, 150) += 1e-3F;
  EXPECT_EQ(trial.judge_peer().wrong, 1);
}

TEST(BenchSpread, IsMedianAndQuartiles) {
  const Spread spread = spread_of({5, 1, 4, 2, 3});
  EXPECT_EQ(spread.median_s, 3);
  EXPECT_EQ(spread.low_s, 2);
  EXPECT_EQ(spread.high_s, 4);
  EXPECT_EQ(spread.repeats, 5);
  EXPECT_EQ(spread_of({1, 2}).median_s, 1.5);
}

/// Offers ways that a test names.
class FakePeer final : public Peer {
 public:
  explicit FakePeer(std::vector<std::string> ways) : ways_(std::move(ways)) {}
  std::string name() const override { return "fake"; }
  std::string version() const override { return "1"; }
  std::vector<Candidate> candidates(const Job& job, const Filter&, ConstView in, View out) override {
    const auto plan = std::make_shared<Plan>(spec_of(job, cpu()));
    std::vector<Candidate> list;
    for (const std::string& way : ways_) {
      list.push_back({way, "wrap", [way, plan, in, out](Stream) {
                        if (way == "throws") throw Error{ErrorCode::device, "it refuses"};
                        const int runs = way == "slow" ? 40 : 1;
                        for (int i = 0; i < runs; ++i) plan->run(in, out);
                        if (way == "wrong") out.at<float>(out.shape.height / 2, out.shape.width / 2) += 1;
                      }});
    }
    return list;
  }

 private:
  std::vector<std::string> ways_;
};

Contest contest_of(std::vector<Job> jobs, std::vector<std::string> ways) {
  ContestOptions options{.repeats = 3, .peers = {}, .after_each = {}};
  options.peers.push_back({"fake", std::make_unique<FakePeer>(std::move(ways)), ""});
  options.peers.push_back({"absent", nullptr, "not found: libabsent.so"});
  return run_contest(std::move(jobs), *cpu_stopwatch(), options);
}

TEST(BenchContest, TakesThePeersFastestRightWay) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"slow", "right"}, "right"}, {{"wrong", "slow"}, "slow"}, {{"throws", "right", "wrong"}, "right"}};
  for (const auto& [ways, best] : cases) {
    const Contest contest = contest_of({job_of(R"("extents": [120, 120])")}, ways);
    ASSERT_TRUE(contest.rows[0].ran());
    ASSERT_EQ(contest.rows[0].peers.size(), 1U);
    EXPECT_EQ(contest.rows[0].peers[0].how, best);
    EXPECT_EQ(contest.rows[0].peers[0].status, PeerRow::Status::verified);
    EXPECT_EQ(contest.rows[0].best_peer(), contest.rows[0].peers.data());
  }
}

TEST(BenchContest, DoesNotTimeAPeerThatDiffersOrFails) {
  const Contest wrong = contest_of({job_of(R"("extents": [120, 120])")}, {"wrong"});
  EXPECT_EQ(wrong.rows[0].peers[0].status, PeerRow::Status::differs);
  EXPECT_THAT(wrong.rows[0].peers[0].reason, HasSubstr("outputs are wrong, the largest by 1"));
  EXPECT_EQ(wrong.rows[0].best_peer(), nullptr);
  EXPECT_EQ(wrong.rows[0].over_best_peer(), std::nullopt);
  const Contest failing = contest_of({job_of(R"("extents": [120, 120])")}, {"throws"});
  EXPECT_EQ(failing.rows[0].peers[0].status, PeerRow::Status::failed);
  EXPECT_EQ(failing.rows[0].peers[0].reason, "it refuses");
  EXPECT_THAT(failing.complaint(), IsEmpty());
  EXPECT_THAT(failing.peers,
              ElementsAre(testing::Pair("fake", "1"), testing::Pair("absent", "not found: libabsent.so")));
}

/// A contest of one row that takes 2 ms for 10⁶ pixels, a copy of as many bytes 1 ms.
Contest contest_with_target(Target target) {
  Contest contest;
  contest.device = cuda();
  Row& row = contest.rows.emplace_back();
  row.job = job_of(R"("extents": [1000, 1000])");
  row.job.target = std::move(target);
  row.time.median_s = 2e-3;
  row.copy_s = 1e-3;
  return contest;
}

TEST(BenchContest, JudgesTargets) {
  using Unit = Target::Unit;
  const auto verdict = [](const Target& target) {
    const Contest contest = contest_with_target(target);
    return contest.verdict_on_target(contest.rows[0]);
  };
  EXPECT_EQ(verdict({Unit::share_of_copy, 0.4, 0.5, ""}), "aim");
  EXPECT_EQ(verdict({Unit::share_of_copy, 0.5, 0.6, ""}), "least");
  EXPECT_EQ(verdict({Unit::share_of_copy, 0.51, 0.6, ""}), "missed");
  EXPECT_EQ(verdict({Unit::gpix_per_s, 0.5, 0.5, ""}), "aim");
  EXPECT_EQ(verdict({Unit::gpix_per_s, 0.501, 0.6, ""}), "missed");
  EXPECT_EQ(verdict({Unit::us, 2000, 1000, ""}), "least");
  EXPECT_EQ(verdict({Unit::us, 1999, 1000, ""}), "missed");
  EXPECT_EQ(verdict({Unit::share_of_job, 1, 1, "a job"}), "aim");
  EXPECT_EQ(verdict({Unit::share_of_job, 1, 1, "a job that did not run"}), "");
}

TEST(BenchContest, JudgesTargetsBesideThePeers) {
  using Unit = Target::Unit;
  const auto verdict = [](const Target& target, double peer_s) {
    Contest contest = contest_with_target(target);
    PeerRow& peer = contest.rows[0].peers.emplace_back();
    peer.time.median_s = peer_s;
    if (peer_s == 0) contest.rows[0].peers.clear();
    return contest.verdict_on_target(contest.rows[0]);
  };
  EXPECT_EQ(verdict({Unit::times_best_peer, 2, 3, ""}, 6e-3), "aim");
  EXPECT_EQ(verdict({Unit::times_best_peer, 2, 3, ""}, 4e-3), "least");
  EXPECT_EQ(verdict({Unit::times_best_peer, 2, 3, ""}, 3.9e-3), "missed");
  EXPECT_EQ(verdict({Unit::times_best_peer, 2, 3, ""}, 0), "");
  EXPECT_EQ(verdict({Unit::times_best_peer, 2, 3, "", 0.5}, 3.9e-3), "aim");
  EXPECT_EQ(verdict({Unit::times_best_peer, 2, 3, "", 0.5}, 0), "aim");
  EXPECT_EQ(verdict({Unit::times_best_peer, 2, 3, "", 0.51}, 3.9e-3), "missed");
}

TEST(BenchContest, RowsThatAreCloseAreTimedAgainByTurns) {
  for (const bool close : {true, false}) {
    int runs = 0;
    ContestOptions options{.repeats = 3, .peers = {}, .after_each = [&](const Row&) { ++runs; }};
    options.peers.push_back({"fake", std::make_unique<FakePeer>(std::vector<std::string>{close ? "right" : "slow"}), ""});
    const std::unique_ptr<Stopwatch> stopwatch = cpu_stopwatch();
    Contest contest = run_contest({job_of(R"("extents": [500, 500])")}, *stopwatch, options);
    Row& row = contest.rows[0];
    PeerRow& peer = row.peers[0];
    row.time.median_s = peer.time.median_s / (close ? 1.29 : 1.31);
    const Row before = row;
    repeat_close_rows(contest, *stopwatch, std::move(options), std::nullopt, 4);
    EXPECT_EQ(runs, close ? 5 : 1);
    EXPECT_EQ(row.rounds, close ? 4 : 0);
    if (close) {
      EXPECT_EQ(row.time.repeats, 4);
      EXPECT_EQ(peer.time.repeats, 4);
    } else {
      EXPECT_EQ(row.time.median_s, before.time.median_s);
    }
  }
}

TEST(BenchContest, EachJobRunsWithEachNumberOfThreads) {
  Contest contest;
  {
    ContestOptions options{.repeats = 3, .threads = {1, 3}, .peers = {}, .after_each = {}};
    options.peers.push_back({"fake", std::make_unique<FakePeer>(std::vector<std::string>{"right"}), ""});
    contest = run_contest({job_of(R"("extents": [120, 120])"), job_of(R"("extents": [50])")},
                          *cpu_stopwatch(), options);
  }
  ASSERT_EQ(contest.rows.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const Row& row = contest.rows[i];
    EXPECT_TRUE(row.ran());
    EXPECT_EQ(row.threads, i % 2 == 0 ? 1 : 3);
    EXPECT_EQ(row.job.dims(), i < 2 ? 2 : 1);
    EXPECT_EQ(row.label(), i % 2 == 0 ? "a job, 1 thread" : "a job, 3 threads");
    ASSERT_EQ(row.peers.size(), 1U);
    EXPECT_EQ(row.peers[0].copies_s.size(), 2U);
  }
}

TEST(BenchStopwatch, CopiesEveryByteInEveryWay) {
  const auto stopwatch = cpu_stopwatch();
  for (const std::int64_t bytes : {1, 15, 64, 1001, 70'000}) {
    const Image from = random_image({.width = bytes}, Pixel::u8);
    for (const int threads : {1, 3}) {
      const std::size_t ways = stopwatch->copies(from, Image(from.shape(), Pixel::u8).view(), threads).size();
      EXPECT_EQ(ways, 2U);
      for (std::size_t way = 0; way < ways; ++way) {
        Image to(from.shape(), Pixel::u8);
        stopwatch->once(stopwatch->copies(from, to.view(), threads)[way]);
        EXPECT_EQ(std::memcmp(from.view().data, to.view().data, static_cast<std::size_t>(bytes)), 0) << bytes;
      }
    }
  }
}

TEST(BenchStopwatch, CopiesToAnyAddress) {
  const Image from = random_image({.width = 300}, Pixel::u8);
  for (std::size_t offset = 0; offset < 33; ++offset) {
    std::vector<std::byte> to(400);
    copy_past_caches(from.view().data + offset / 2, to.data() + offset, 200);
    EXPECT_EQ(std::memcmp(from.view().data + offset / 2, to.data() + offset, 200), 0) << offset;
    EXPECT_EQ(to[200 + offset], std::byte{0});
  }
}

TEST(BenchContest, AnH200RunIsVoidWhereCopyOrPeersAreSlow) {
  Contest contest = contest_with_target({});
  contest.copy_f32_8192_bytes_per_s = 4.1e12;
  EXPECT_THAT(contest.void_reasons("NVIDIA H200"), IsEmpty());
  contest.copy_f32_8192_bytes_per_s = 3.9e12;
  EXPECT_THAT(contest.void_reasons("NVIDIA H200"),
              ElementsAre("the copy of 8192x8192 f32 reached 3.90 TB/s, under 4.0"));
  EXPECT_THAT(contest.void_reasons("NVIDIA L4"), IsEmpty());
  contest.copy_f32_8192_bytes_per_s = 4.1e12;
  PeerRow& peer = contest.rows[0].peers.emplace_back();
  peer.peer = "NPP";
  peer.time.median_s = 1e-3;  // 1 GPix/s
  contest.rows[0].job.known_gpix_per_s["NPP"] = 1.17;
  EXPECT_THAT(contest.void_reasons("NVIDIA H200"), IsEmpty());
  contest.rows[0].job.known_gpix_per_s["NPP"] = 1.25;
  EXPECT_THAT(contest.void_reasons("NVIDIA H200"),
              ElementsAre("a job: NPP reached 80% of what it is known for"));
}

}  // namespace
}  // namespace halation::bench
