// contest.cpp: the jobs of a matrix on one device, verified, timed, and compared with copies and peers.
#include "bench/contest.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <span>
#include <stdexcept>

#include "halation/error.h"
#include "halation/transfer.h"

namespace halation::bench {
namespace {

// A peer may be a hundred times slower; three batches tell as much.
constexpr int least_peer_repeats = 3;
constexpr double budget_s = 0.05;   // for batches beyond the least number
constexpr double patience_s = 0.2;  // of one run: slower ones are timed once
constexpr double least_copy_bytes_per_s = 4.0e12;
constexpr double least_share_of_known = 0.85;
constexpr std::int64_t judged_copy_bytes = std::int64_t{8192} * 8192 * 4;

/// Everything that is kept from one job to the next.
class Arena {
 public:
  Arena(Stopwatch& stopwatch, const ContestOptions& options) : stopwatch_(stopwatch), options_(options) {}

  /// The rows of one job: one for each number of threads.
  void run(std::span<Row> rows) {
    const Job& job = rows.front().job;
    const auto each = [&](const std::function<void(Row&)>& work) {
      for (Row& row : rows) {
        try {
          work(row);
        } catch (const Error& error) {
          row.not_run = error.what();
          row.failed = error.code() != ErrorCode::unsupported && error.code() != ErrorCode::out_of_memory;
        }
      }
    };
    std::optional<Filter> filter;
    std::optional<Expected> expected;
    each([&](Row& row) {
      const Plan plan(spec_of(job, stopwatch_.device(), row.threads));
      for (const Method method : plan.methods())
        row.methods += (row.methods.empty() ? "" : ", ") + std::string(name_of(method));
      take_input(job);
      if (!expected) {
        filter = filter_of(job);
        expected.emplace(job, *filter, host_in_);
      }
      Image out = allocate(plan.output_shape(), plan.output_pixel(), stopwatch_.device());
      time_halation(row, plan, *expected, out);
      row.copy_s = copy_s(moved_bytes(job), row.threads);
      for (const FoundPeer& found : options_.peers) {
        if (found.peer && takes_part(found)) race(row, *found.peer, *filter, *expected, out);
      }
    });
  }

  /// Seconds of a device copy of so many bytes, on the CPU by so many threads.
  double copy_s(std::int64_t bytes, int threads) {
    const auto known = copies_.find({bytes, threads});
    if (known != copies_.end()) return known->second;
    return copies_[{bytes, threads}] = copy_now_s(bytes, threads, options_.repeats);
  }

 private:
  bool takes_part(const FoundPeer& found) const {
    const std::vector<std::string>& only = options_.only;
    return only.empty() || std::find(only.begin(), only.end(), found.peer->name()) != only.end();
  }

  /// What a copy reads, and writes, for the bytes of a job.
  static std::int64_t moved_bytes(const Job& job) {
    return static_cast<std::int64_t>((job.in_bytes() + job.out_bytes()) / 2);
  }

  double copy_now_s(std::int64_t bytes, int threads, int least) {
    const Shape shape{.width = std::max<std::int64_t>(bytes, 1)};
    const Image from = to_device(random_image(shape, Pixel::u8), stopwatch_.device());
    Image to = allocate(shape, Pixel::u8, stopwatch_.device());
    synchronise(stopwatch_.device());
    double fastest_s = std::numeric_limits<double>::infinity();
    for (const Work& copy : stopwatch_.copies(from, to, threads))
      fastest_s = std::min(fastest_s, stopwatch_.time(repeats(least), copy).median_s);
    return fastest_s;
  }

  ladder::Repeats repeats(int least) const {
    return {.least = std::min(least, options_.repeats),
            .most = options_.repeats,
            .budget_s = budget_s,
            .patience_s = patience_s};
  }

  void take_input(const Job& job) {
    if (!in_.empty() && in_.shape() == job.shape && in_.pixel() == job.pixel) return;
    // Given back before more is taken.
    in_ = {};
    host_in_ = {};
    host_in_ = random_image(job.shape, job.pixel);
    in_ = to_device(host_in_, stopwatch_.device());
  }

  void time_halation(Row& row, const Plan& plan, const Expected& expected, Image& out) {
    const Shape scratch{.width = static_cast<std::int64_t>(plan.workspace_bytes())};
    Image workspace;
    if (scratch.width > 0) workspace = allocate(scratch, Pixel::u8, stopwatch_.device());
    std::span<std::byte> bytes;
    if (!workspace.empty()) bytes = {workspace.view().data, plan.workspace_bytes()};
    synchronise(stopwatch_.device());
    const Work work = [&](Stream stream) {
      plan.run(in_, out.view(), {.stream = stream, .workspace = bytes});
    };
    stopwatch_.poison(out);
    stopwatch_.once(work);
    row.verdict = expected.judge(plan, out);
    if (!row.verdict.right()) throw Error{ErrorCode::device, row.verdict.sentence()};
    row.time = stopwatch_.time(repeats(options_.repeats), work);
  }

  /// Every way that the peer has; the fastest of the right ones is its row, else the first of the others.
  void race(Row& row, Peer& peer, const Filter& filter, const Expected& expected, Image& out) {
    std::vector<double> copies_s;
    const auto copy = [&] {
      if (row.threads > 0)
        copies_s.push_back(copy_now_s(moved_bytes(row.job), row.threads, least_peer_repeats));
    };
    copy();
    std::optional<PeerRow> best = best_way(row, peer, filter, expected, out);
    if (!best) return;
    copy();
    best->copies_s = copies_s;
    row.peers.push_back(*best);
  }

  std::optional<PeerRow> best_way(const Row& row, Peer& peer, const Filter& filter, const Expected& expected,
                                  Image& out) {
    std::optional<PeerRow> best;
    const auto better = [&](const PeerRow& other) {
      if (!best) return true;
      const bool right = other.status == PeerRow::Status::verified;
      const bool best_right = best->status == PeerRow::Status::verified;
      return right && (!best_right || other.time.median_s < best->time.median_s);
    };
    const auto failure = [&](const std::string& how, const Error& error) {
      return PeerRow{peer.name(), peer.version(), how, "", PeerRow::Status::failed, error.what(), {}, {}};
    };
    std::vector<Candidate> candidates;
    try {
      peer.use_threads(row.threads);
      candidates = peer.candidates(row.job, filter, in_, out);
    } catch (const Error& error) {
      best = failure("", error);
    }
    for (const Candidate& candidate : candidates) {
      PeerRow tried{peer.name(), peer.version(), candidate.how, candidate.border, {}, "", {}, {}};
      try {
        stopwatch_.poison(out);
        stopwatch_.once(candidate.run);
        const Verdict verdict = expected.judge_peer(out);
        if (verdict.outputs == 0 || !verdict.right()) {
          tried.status = PeerRow::Status::differs;
          tried.reason = verdict.outputs == 0 ? "no output lies away from the border" : verdict.sentence();
        } else {
          tried.time = stopwatch_.time(repeats(least_peer_repeats), candidate.run);
        }
      } catch (const Error& error) {
        tried = failure(candidate.how, error);
      }
      if (better(tried)) best = tried;
    }
    return best;
  }

  Stopwatch& stopwatch_;
  const ContestOptions& options_;
  Image host_in_, in_;
  std::map<std::pair<std::int64_t, int>, double> copies_;  ///< by bytes and threads
};

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f%%", share * 100);
  return text;
}

}  // namespace

std::string_view name_of(PeerRow::Status status) {
  switch (status) {
    case PeerRow::Status::verified:
      return "verified";
    case PeerRow::Status::differs:
      return "differs";
    case PeerRow::Status::failed:
      return "failed";
  }
  throw std::logic_error("no such status");
}

std::string Row::label() const {
  if (threads == 0) return job.name;
  return job.name + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

const PeerRow* Row::best_peer() const {
  const PeerRow* best = nullptr;
  for (const PeerRow& peer : peers) {
    if (peer.status == PeerRow::Status::verified && (!best || peer.time.median_s < best->time.median_s))
      best = &peer;
  }
  return best;
}

std::optional<double> Row::over_best_peer() const {
  const PeerRow* best = best_peer();
  if (!best || !ran()) return std::nullopt;
  return best->time.median_s / time.median_s;
}

std::optional<double> Contest::reached(const Row& row) const {
  if (!row.job.target || !row.ran()) return std::nullopt;
  switch (row.job.target->unit) {
    case Target::Unit::share_of_copy:
      return row.share_of_copy();
    case Target::Unit::gpix_per_s:
      return row.gpix_per_s();
    case Target::Unit::us:
      return row.time.median_s * 1e6;
    case Target::Unit::share_of_job: {
      const auto other = std::find_if(rows.begin(), rows.end(), [&](const Row& known) {
        return known.job.name == row.job.target->than && known.threads == row.threads;
      });
      if (other == rows.end() || !other->ran()) return std::nullopt;
      return row.gpix_per_s() / other->gpix_per_s();
    }
    case Target::Unit::times_best_peer:
      return row.over_best_peer();
  }
  throw std::logic_error("no such unit");
}

std::string_view Contest::verdict_on_target(const Row& row) const {
  if (!row.job.target || !row.ran()) return "";
  const Target& target = *row.job.target;
  if (target.or_share_of_copy > 0 && row.share_of_copy() >= target.or_share_of_copy) return "aim";
  const std::optional<double> value = reached(row);
  if (!value) return "";
  const auto passes = [&](double limit) {
    return target.unit == Target::Unit::us ? *value <= limit : *value >= limit;
  };
  return passes(target.aim) ? "aim" : passes(target.least) ? "least" : "missed";
}

std::vector<std::string> Contest::void_reasons(const std::string& gpu_name) const {
  std::vector<std::string> reasons;
  if (device.kind != Device::Kind::cuda || gpu_name.find("H200") == std::string::npos) return reasons;
  if (copy_f32_8192_bytes_per_s < least_copy_bytes_per_s) {
    char text[96];
    std::snprintf(text, sizeof text, "the copy of 8192x8192 f32 reached %.2f TB/s, under 4.0",
                  copy_f32_8192_bytes_per_s * 1e-12);
    reasons.emplace_back(text);
  }
  for (const Row& row : rows) {
    for (const PeerRow& peer : row.peers) {
      const auto known = row.job.known_gpix_per_s.find(peer.peer);
      if (known == row.job.known_gpix_per_s.end() || peer.status != PeerRow::Status::verified) continue;
      const double share = row.job.pixels() / peer.time.median_s * 1e-9 / known->second;
      if (share < least_share_of_known)
        reasons.push_back(row.label() + ": " + peer.peer + " reached " + percent(share) +
                          " of what it is known for");
    }
  }
  return reasons;
}

std::string Contest::complaint() const {
  for (const Row& row : rows) {
    if (row.failed) return row.label() + ": " + row.not_run;
  }
  return "";
}

Contest run_contest(const std::vector<Job>& jobs, Stopwatch& stopwatch, const ContestOptions& options) {
  Contest contest;
  contest.device = stopwatch.device();
  for (const FoundPeer& found : options.peers)
    contest.peers.emplace_back(found.name, found.peer ? found.peer->version() : found.why_not);
  Arena arena(stopwatch, options);
  if (contest.device.kind == Device::Kind::cuda)
    contest.copy_f32_8192_bytes_per_s =
        2.0 * static_cast<double>(judged_copy_bytes) / arena.copy_s(judged_copy_bytes, 0);
  const std::vector<int> threads =
      contest.device.kind == Device::Kind::cpu ? options.threads : std::vector<int>{0};
  for (const Job& job : jobs) {
    for (const int count : threads) {
      Row& row = contest.rows.emplace_back();
      row.job = job;
      row.threads = count;
    }
  }
  for (std::size_t first = 0; first < contest.rows.size(); first += threads.size()) {
    const std::span rows(contest.rows.data() + first, threads.size());
    arena.run(rows);
    if (options.after_each) std::for_each(rows.begin(), rows.end(), options.after_each);
  }
  return contest;
}

}  // namespace halation::bench
