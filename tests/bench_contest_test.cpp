// bench_contest_test.cpp: what is right and wrong before it is timed, and how rows, peers and targets are
// judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/contest.h"
#include "bench/peer_process.h"
#include "bench/race.h"
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
    return out.view().at<T>({.y = y, .x = x});
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
    const double sum = sums.view().at<double>({.y = y, .x = 7});
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
                        if (way == "wrong") out.at<float>({.y = out.shape.height / 2, .x = out.shape.width / 2}) += 1;
                      }});
    }
    return list;
  }

 private:
  std::vector<std::string> ways_;
};

/// A peer in this process, its ways named by a test.
std::unique_ptr<Contender> fake(std::vector<std::string> ways, DeviceTimer& timer) {
  return std::make_unique<Race>(FoundPeer{"fake", std::make_unique<FakePeer>(std::move(ways)), ""}, timer,
                                3);
}

Contest contest_of(const std::vector<Job>& jobs, std::vector<std::string> ways) {
  const std::unique_ptr<DeviceTimer> timer = cpu_timer();
  ContestOptions options{.repeats = 3};
  options.peers.push_back(fake(std::move(ways), *timer));
  options.peers.push_back(
      std::make_unique<Race>(FoundPeer{"absent", nullptr, "not found: libabsent.so"}, *timer, 3));
  return run_contest(jobs, *timer, options);
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
    const std::unique_ptr<DeviceTimer> timer = cpu_timer();
    ContestOptions options{.repeats = 3};
    options.after_each = [&](const Row&) { ++runs; };
    options.peers.push_back(fake({close ? "right" : "slow"}, *timer));
    Contest contest = run_contest({job_of(R"("extents": [500, 500])")}, *timer, options);
    Row& row = contest.rows[0];
    PeerRow& peer = row.peers[0];
    row.time.median_s = peer.time.median_s / (close ? 1.29 : 1.31);
    const Row before = row;
    repeat_close_rows(contest, *timer, std::move(options), std::nullopt, 4);
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
  std::vector<std::string> begun;
  const std::unique_ptr<DeviceTimer> timer = cpu_timer();
  ContestOptions options{.repeats = 3, .threads = {1, 3}};
  options.before_each = [&](const Row& row, std::string_view who) {
    begun.push_back(row.label() + ": " + std::string(who));
  };
  options.peers.push_back(fake({"right"}, *timer));
  const Contest contest =
      run_contest({job_of(R"("extents": [120, 120])"), job_of(R"("extents": [50])")}, *timer, options);
  ASSERT_EQ(begun.size(), 8U);
  EXPECT_EQ(begun[0], "a job, 1 thread: halation");
  EXPECT_EQ(begun[3], "a job, 3 threads: fake");
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

/// A process that greets, and then does what the shell is told for each job.
PeerProcessOptions shell(const std::string& for_each_job, double seconds) {
  const std::string script = R"(read header; echo '{"peer": "Shell", "version": "7"}'; while read job; do )" +
                             for_each_job + "; done";
  return {.command = {"/bin/sh", "-c", script}, .seconds = seconds};
}
constexpr const char* right_way =
    R"(echo '{"how": "f", "border": "wrap", "status": "verified", "reason": "", "time": [2, 1, 3, 5]}')";
constexpr const char* wrong_way =
    R"(echo '{"how": "g", "border": "wrap", "status": "differs", "reason": "it does"}')";
constexpr const char* copies = R"(echo '{"copies_s": [0.5, 0.25]}')";
constexpr const char* hangs = "kill -STOP $$";
constexpr double ample_s = 100, scant_s = 0.2;

TEST(BenchPeerProcess, TakesTheBestWay) {
  PeerProcess peer("shell",
                   shell(std::string(wrong_way) + ";" + right_way + ";" + wrong_way + ";" + copies, ample_s));
  ASSERT_TRUE(peer.present()) << peer.what();
  EXPECT_EQ(peer.name(), "Shell");
  EXPECT_EQ(peer.what(), "7");
  for (int i = 0; i < 2; ++i) {
    const std::optional<PeerRow> row = peer.run(job_of(R"("extents": [50])"), 1);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->status, PeerRow::Status::verified);
    EXPECT_EQ(row->peer + row->version + row->how + row->border, "Shell7fwrap");
    EXPECT_EQ(row->time.median_s, 2);
    EXPECT_EQ(row->time.repeats, 5);
    EXPECT_THAT(row->copies_s, ElementsAre(0.5, 0.25));
  }
  EXPECT_EQ(PeerProcess("none", shell(copies, ample_s)).run(job_of(R"("extents": [50])"), 1), std::nullopt);
}

TEST(BenchPeerProcess, IsStoppedWhereAJobTakesTooLong) {
  PeerProcess peer("shell", shell(hangs, scant_s));
  for (int i = 0; i < 2; ++i) {
    const std::optional<PeerRow> late = peer.run(job_of(R"("extents": [50])"), 1);
    ASSERT_TRUE(late);
    EXPECT_EQ(late->status, PeerRow::Status::late);
    EXPECT_EQ(name_of(late->status), "took too long");
    EXPECT_EQ(late->reason, "over 0.2 s");
  }
}

TEST(BenchPeerProcess, WaysThatWereRightInTimeCountAndTheNextJobGoesOn) {
  PeerProcess peer(
      "shell", shell(std::string(right_way) + "; case $job in *999*) " + hangs + ";; esac; " + copies, 3));
  const std::optional<PeerRow> row = peer.run(job_of(R"("extents": [999])"), 1);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->how, "f");
  EXPECT_THAT(row->copies_s, IsEmpty());
  EXPECT_THAT(peer.run(job_of(R"("extents": [50])"), 1)->copies_s, ElementsAre(0.5, 0.25));
}

TEST(BenchPeerProcess, OneThatEndsHasFailedAndTheNextJobGoesOn) {
  PeerProcess peer("shell", shell(std::string("case $job in *999*) kill -SEGV $$;; *998*) exit 3;; esac;") +
                                      right_way + ";" + copies,
                                  ample_s));
  const std::vector<std::pair<std::string, std::string>> ends = {{"999", "ended early: Segmentation fault"},
                                                                 {"998", "ended early: status 3"}};
  for (const auto& [extent, reason] : ends) {
    const std::optional<PeerRow> row = peer.run(job_of(R"("extents": [)" + extent + "]"), 1);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->status, PeerRow::Status::failed);
    EXPECT_EQ(row->reason, reason);
    EXPECT_EQ(peer.run(job_of(R"("extents": [50])"), 1)->status, PeerRow::Status::verified);
  }
}

// The other end is this program, called with --serve and the ways of its peer.
std::vector<std::string> ways_served;
FoundPeer find_served() { return {"fake", std::make_unique<FakePeer>(ways_served), ""}; }

TEST(BenchPeerProcess, ServesWhatRunsHere) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const auto served = [&](std::vector<std::string> ways) {
    ways.insert(ways.begin(), {program, "--serve"});
    return PeerProcessOptions{.command = std::move(ways), .repeats = 3, .seconds = ample_s};
  };
  PeerProcess peer("it", served({"wrong", "throws", "right", "slow"}));
  ASSERT_TRUE(peer.present()) << peer.what();
  EXPECT_EQ(peer.name() + peer.what(), "fake1");
  for (const char* job :
       {R"("extents": [120, 120])", R"("extents": [500], "filter": "gaussian", "sigma": 2)"}) {
    const std::optional<PeerRow> row = peer.run(job_of(job), 2);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->status, PeerRow::Status::verified) << row->reason;
    EXPECT_EQ(row->how + ", " + row->border, "right, wrap");
    EXPECT_GT(row->time.median_s, 0);
    EXPECT_EQ(row->copies_s.size(), 2U);
  }
  PeerProcess wrong("it", served({"throws", "wrong"}));
  const std::optional<PeerRow> row = wrong.run(job_of(R"("extents": [120, 120])"), 1);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->status, PeerRow::Status::failed);
  EXPECT_EQ(row->reason, "it refuses");
}

TEST(BenchPeerProcess, SaysWhyItIsNotThere) {
  const auto why = [](std::vector<std::string> command) {
    const PeerProcess peer("it", {.command = std::move(command), .seconds = ample_s});
    EXPECT_FALSE(peer.present());
    return peer.name() + ": " + peer.what();
  };
  EXPECT_EQ(why({"/no/such/program"}), "it: it cannot be started");
  EXPECT_EQ(why({"/bin/sh", "-c", "exit 5"}), "it: ended early: status 5");
  EXPECT_EQ(why({"/bin/sh", "-c", R"(echo '{"peer": "It", "why_not": "not found: libit.so"}')"}),
            "It: not found: libit.so");
  const PeerProcess mute("it", {.command = {"/bin/sleep", "1000"}, .seconds = scant_s, .start_seconds = 0});
  EXPECT_EQ(mute.what(), "took too long to start, over 0.2 s");
}

TEST(BenchDeviceTimer, CopiesEveryByteInEveryWay) {
  const auto timer = cpu_timer();
  for (const std::int64_t bytes : {1, 15, 64, 1001, 70'000}) {
    const Image from = random_image({.width = bytes}, Pixel::u8);
    for (const int threads : {1, 3}) {
      const std::size_t ways = timer->copies(from, Image(from.shape(), Pixel::u8).view(), threads).size();
      EXPECT_EQ(ways, 2U);
      for (std::size_t way = 0; way < ways; ++way) {
        Image to(from.shape(), Pixel::u8);
        timer->once(timer->copies(from, to.view(), threads)[way]);
        EXPECT_EQ(std::memcmp(from.view().data, to.view().data, static_cast<std::size_t>(bytes)), 0) << bytes;
      }
    }
  }
}

TEST(BenchDeviceTimer, CopiesToAnyAddress) {
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

int main(int count, char** words) {
  if (count > 2 && std::string_view(words[1]) == "--serve") {
    halation::bench::ways_served.assign(words + 2, words + count);
    halation::bench::serve_peer(halation::bench::find_served, halation::bench::cpu_timer);
    return 0;
  }
  testing::InitGoogleMock(&count, words);
  return RUN_ALL_TESTS();
}
