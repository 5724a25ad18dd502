// race.cpp: a peer in this process: every way that it has for a job verified, then timed.
#include "bench/race.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "bench/workload.h"
#include "halation/transfer.h"

namespace halation::bench {
namespace {

constexpr double budget_s = 0.05;   // for batches beyond the least number
constexpr double patience_s = 0.2;  // of one run: slower ones are timed once

}  // namespace

std::string_view name_of(PeerRow::Status status) {
  switch (status) {
    case PeerRow::Status::verified:
      return "verified";
    case PeerRow::Status::differs:
      return "differs";
    case PeerRow::Status::failed:
      return "failed";
    case PeerRow::Status::late:
      return "took too long";
  }
  throw std::logic_error("no such status");
}

PeerRow::Status status_named(std::string_view name) {
  using Status = PeerRow::Status;
  for (const Status status : {Status::verified, Status::differs, Status::failed, Status::late}) {
    if (name_of(status) == name) return status;
  }
  throw Error{ErrorCode::invalid_argument, "no status of a peer: '" + std::string(name) + "'"};
}

void keep_better(std::optional<PeerRow>& best, const PeerRow& other) {
  const auto right = [](const PeerRow& row) { return row.status == PeerRow::Status::verified; };
  if (!best || (right(other) && (!right(*best) || other.time.median_s < best->time.median_s))) best = other;
}

ladder::Repeats repeats_of(int least, int most) {
  return {.least = std::min(least, most), .most = most, .budget_s = budget_s, .patience_s = patience_s};
}

std::int64_t moved_bytes(const Job& job) {
  return static_cast<std::int64_t>((job.in_bytes() + job.out_bytes()) / 2);
}

double copy_seconds(DeviceTimer& timer, std::int64_t bytes, int threads, const ladder::Repeats& repeats) {
  const Shape shape{.width = std::max<std::int64_t>(bytes, 1)};
  const Image from = to_device(random_image(shape, Pixel::u8), timer.device());
  Image to = allocate(shape, Pixel::u8, timer.device());
  synchronise(timer.device());
  double fastest_s = std::numeric_limits<double>::infinity();
  for (const Work& copy : timer.copies(from, to, threads))
    fastest_s = std::min(fastest_s, timer.time(repeats, copy).median_s);
  return fastest_s;
}

void JobInput::take(const Job& job, Device device) {
  if (!device_.empty() && device_.shape() == job.shape && device_.pixel() == job.pixel) return;
  // Given back before more is taken.
  device_ = {};
  host_ = {};
  host_ = random_image(job.shape, job.pixel);
  device_ = to_device(host_, device);
}

Race::Race(FoundPeer found, DeviceTimer& timer, int repeats)
    : timer_(timer), repeats_(repeats), peer_(std::move(found.peer)) {
  name_ = peer_ ? peer_->name() : std::move(found.name);
  what_ = peer_ ? peer_->version() : std::move(found.why_not);
}

PeerRow Race::row_of(const std::string& how, const std::string& border) const {
  return {name_, what_, how, border, PeerRow::Status::verified, "", {}, {}};
}

PeerRow Race::failure(const std::string& how, const Error& error) const {
  PeerRow row = row_of(how, "");
  row.status = PeerRow::Status::failed;
  row.reason = error.what();
  return row;
}

PeerRow Race::tried(const Candidate& candidate, const Expected& expected, const Image& out) {
  PeerRow row = row_of(candidate.how, candidate.border);
  try {
    timer_.once(candidate.run);
    const Verdict verdict = expected.judge_peer(out);
    if (verdict.outputs == 0 || !verdict.right()) {
      row.status = PeerRow::Status::differs;
      row.reason = verdict.outputs == 0 ? "no output lies away from the border" : verdict.sentence();
    } else {
      row.time = timer_.time(repeats_of(least_peer_repeats, repeats_), candidate.run);
    }
    return row;
  } catch (const Error& error) {
    return failure(candidate.how, error);
  }
}

std::vector<double> Race::run_ways(const Job& job, int threads,
                                   const std::function<void(const PeerRow&)>& after_way) {
  std::vector<double> copies_s;
  const auto copy = [&] {
    if (threads > 0)
      copies_s.push_back(
          copy_seconds(timer_, moved_bytes(job), threads, repeats_of(least_peer_repeats, repeats_)));
  };
  copy();
  try {
    const Filter filter = filter_of(job);
    input_.take(job, timer_.device());
    const Expected expected(job, filter, input_.on_host());
    Image out = allocate(job.shape, job.output, timer_.device());
    peer_->use_threads(threads);
    for (const Candidate& candidate : peer_->candidates(job, filter, input_.on_device(), out)) {
      timer_.poison(out);
      after_way(tried(candidate, expected, out));
    }
  } catch (const Error& error) {
    after_way(failure("", error));
  }
  copy();
  return copies_s;
}

std::optional<PeerRow> Race::run(const Job& job, int threads) {
  std::optional<PeerRow> best;
  std::vector<double> copies_s = run_ways(job, threads, [&](const PeerRow& way) { keep_better(best, way); });
  if (best) best->copies_s = std::move(copies_s);
  return best;
}

}  // namespace halation::bench
