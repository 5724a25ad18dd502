// contest.cpp: the jobs of a matrix on one device, verified, timed, and compared with copies and peers.
#include "bench/contest.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <span>
#include <stdexcept>

#include "bench/race.h"
#include "bench/verify.h"
#include "halation/error.h"
#include "halation/transfer.h"

namespace halation::bench {
namespace {

constexpr double least_copy_bytes_per_s = 4.0e12;
constexpr double least_share_of_known = 0.85;
constexpr std::int64_t judged_copy_bytes = std::int64_t{8192} * 8192 * 4;

/// Everything that is kept from one job to the next.
class Arena {
 public:
  Arena(DeviceTimer& timer, const ContestOptions& options) : timer_(timer), options_(options) {}

  /// The rows of one job: one for each number of threads.
  void run(std::span<Row> rows) {
    const Job& job = rows.front().job;
    std::optional<Expected> expected;
    for (Row& row : rows) {
      try {
        before(row, "halation");
        const Plan plan(spec_of(job, timer_.device(), row.threads));
        for (const Method method : plan.methods())
          row.methods += (row.methods.empty() ? "" : ", ") + std::string(name_of(method));
        input_.take(job, timer_.device());
        if (!expected) expected.emplace(job, filter_of(job), input_.on_host());
        time_halation(row, plan, *expected);
        row.copy_s = copy_s(moved_bytes(job), row.threads);
        add_peers(row);
      } catch (const Error& error) {
        row.not_run = error.what();
        row.failed = error.code() != ErrorCode::unsupported && error.code() != ErrorCode::out_of_memory;
      }
    }
  }

  /// Seconds of a device copy of so many bytes, on the CPU by so many threads.
  double copy_s(std::int64_t bytes, int threads) {
    const auto known = copies_.find({bytes, threads});
    if (known != copies_.end()) return known->second;
    return copies_[{bytes, threads}] =
               copy_seconds(timer_, bytes, threads, repeats_of(options_.repeats, options_.repeats));
  }

 private:
  bool takes_part(const Contender& peer) const {
    const std::vector<std::string>& only = options_.only;
    return only.empty() || std::find(only.begin(), only.end(), peer.name()) != only.end();
  }

  void before(const Row& row, std::string_view who) const {
    if (options_.before_each) options_.before_each(row, who);
  }

  void add_peers(Row& row) {
    for (const std::unique_ptr<Contender>& peer : options_.peers) {
      if (!peer->present() || !takes_part(*peer)) continue;
      before(row, peer->name());
      if (std::optional<PeerRow> made = peer->run(row.job, row.threads))
        row.peers.push_back(std::move(*made));
    }
  }

  void time_halation(Row& row, const Plan& plan, const Expected& expected) {
    Image out = allocate(plan.output_shape(), plan.output_pixel(), timer_.device());
    const Shape scratch{.width = static_cast<std::int64_t>(plan.workspace_bytes())};
    Image workspace;
    if (scratch.width > 0) workspace = allocate(scratch, Pixel::u8, timer_.device());
    std::span<std::byte> bytes;
    if (!workspace.empty()) bytes = {workspace.view().data, plan.workspace_bytes()};
    synchronise(timer_.device());
    const Work work = [&](Stream stream) {
      plan.run(input_.on_device(), out.view(), {.stream = stream, .workspace = bytes});
    };
    timer_.poison(out);
    timer_.once(work);
    row.verdict = expected.judge(plan, out);
    if (!row.verdict.right()) throw Error{ErrorCode::device, row.verdict.sentence()};
    row.time = timer_.time(repeats_of(options_.repeats, options_.repeats), work);
  }

  DeviceTimer& timer_;
  const ContestOptions& options_;
  JobInput input_;
  std::map<std::pair<std::int64_t, int>, double> copies_;  ///< by bytes and threads
};

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f%%", share * 100);
  return text;
}

}  // namespace

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

Contest run_contest(const std::vector<Job>& jobs, DeviceTimer& timer, const ContestOptions& options) {
  Contest contest;
  contest.device = timer.device();
  for (const std::unique_ptr<Contender>& peer : options.peers)
    contest.peers.emplace_back(peer->name(), peer->what());
  Arena arena(timer, options);
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
