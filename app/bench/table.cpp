// table.cpp: the results of a benchmark as text and as JSON.
#include "table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "app/report/text/printable.h"
#include "app/report/text/wrapped.h"
#include "bench/contest_json.h"

namespace halation::app {
namespace {

using bench::Contest;
using bench::PeerRow;
using bench::Row;
using Json = nlohmann::ordered_json;

constexpr const char* notes =
    R"(Every result was compared with the reference on parts of the image before it was timed; peers away from the border alone, which they treat differently. Times are medians of {} in milliseconds, spread the range between the quartiles. GPix/s counts positions, not channels. Of copy: the time of a copy of as many bytes {} over the job's. Over peer: how many times as fast as the fastest peer that computes the same.)";

std::string spread_text(const bench::Spread& time) {
  return fmt::format("{:.1f}%", 100 * (time.high_s - time.low_s) / time.median_s);
}

std::string verdict_text(const Contest& contest, const Row& row) {
  const std::string_view verdict = contest.verdict_on_target(row);
  if (verdict.empty()) return "-";
  if (verdict == "aim") return "aim";
  const double wanted = verdict == "least" ? row.job.target->aim : row.job.target->least;
  return fmt::format("{} ({})", verdict == "least" ? "least" : "MISSED",
                     target_text(*row.job.target, wanted));
}

/// "name, name and 3 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, "; "));
  return fmt::format("{}; and {} more", fmt::join(names.begin(), names.begin() + most, "; "),
                     names.size() - most);
}

/// The best peer; where there is none because one took too long, that.
std::string best_peer_text(const Row& row) {
  if (const PeerRow* best = row.best_peer()) return best->peer;
  const auto late = std::find_if(row.peers.begin(), row.peers.end(),
                                 [](const PeerRow& peer) { return peer.status == PeerRow::Status::late; });
  return late == row.peers.end() ? "-" : fmt::format("{} {}", late->peer, name_of(late->status));
}

bool on_gpu(const BenchResults& results) { return results.contest.device.kind == Device::Kind::cuda; }

}  // namespace

std::string target_text(const bench::Target& target, double value) {
  switch (target.unit) {
    case bench::Target::Unit::share_of_copy:
    case bench::Target::Unit::share_of_job:
      return fmt::format("{:.0f}%", value * 100);
    case bench::Target::Unit::gpix_per_s:
      return fmt::format("{} GPix/s", short_number(value));
    case bench::Target::Unit::us:
      return fmt::format("{} us", short_number(value));
    case bench::Target::Unit::times_best_peer:
      return fmt::format("{:.2f}x", value);
  }
  throw std::logic_error("no such unit");
}

Table jobs_table(const BenchResults& results) {
  Table table{"Jobs", "job", {"ms", "spread", "GPix/s", "of copy", "target", "best peer", "over peer"}, {}};
  if (!on_gpu(results)) table.headings.insert(table.headings.begin(), "threads");
  for (const Row& row : results.contest.rows) {
    if (!row.ran()) {
      table.rows.push_back({row.label(), {}, (row.failed ? "" : "not run: ") + row.not_run});
      continue;
    }
    const PeerRow* best = row.best_peer();
    Table::Row& line = table.rows.emplace_back();
    line.name = row.job.name;
    line.cells = {short_number(row.time.median_s * 1e3),
                  spread_text(row.time),
                  short_number(row.gpix_per_s()),
                  fmt::format("{:.0f}%", row.share_of_copy() * 100),
                  verdict_text(results.contest, row),
                  best_peer_text(row),
                  best ? fmt::format("{:.2f}x", *row.over_best_peer()) : "-"};
    if (!on_gpu(results)) line.cells.insert(line.cells.begin(), std::to_string(row.threads));
  }
  return table;
}

std::vector<std::string> findings(const BenchResults& results) {
  const Contest& contest = results.contest;
  std::vector<std::string> sentences;
  for (const std::string& reason : results.void_reasons) sentences.push_back("VOID: " + reason);
  std::size_t targets = 0, aims = 0, leasts = 0, compared = 0;
  std::vector<std::string> missed, behind, differing;
  for (const Row& row : contest.rows) {
    const std::string_view verdict = contest.verdict_on_target(row);
    aims += verdict == "aim" ? 1 : 0;
    leasts += verdict == "least" ? 1 : 0;
    targets += row.job.target && row.ran() ? 1 : 0;
    if (verdict == "missed")
      missed.push_back(
          fmt::format("{} ({})", row.label(), target_text(*row.job.target, *contest.reached(row))));
    if (const auto over = row.over_best_peer()) {
      ++compared;
      if (*over < 1)
        behind.push_back(fmt::format("{} ({}, {:.2f}x)", row.label(), row.best_peer()->peer, *over));
    }
    for (const PeerRow& peer : row.peers) {
      if (peer.status != PeerRow::Status::verified)
        differing.push_back(fmt::format("{} on {}: {}{}", peer.peer, row.label(), name_of(peer.status),
                                        peer.reason.empty() ? "" : ", " + peer.reason));
    }
  }
  if (aims + leasts + missed.size() > 0) {
    sentences.push_back(fmt::format("targets: {} reached the aim, {} the least, {} missed{}{}", aims, leasts,
                                    missed.size(), missed.empty() ? "" : ": ", listed(missed)));
  }
  if (const std::size_t unjudged = targets - aims - leasts - missed.size(); unjudged > 0)
    sentences.push_back(fmt::format("{} of {} targets cannot be judged: what they compare with was not timed",
                                    unjudged, targets));
  for (const auto& [name, version] : contest.peers)
    sentences.push_back(fmt::format("peer {}: {}", name, version));
  if (compared > 0) {
    sentences.push_back(fmt::format("ahead of every peer in {} of {} rows{}{}", compared - behind.size(),
                                    compared, behind.empty() ? "" : "; behind: ", listed(behind)));
  }
  if (!differing.empty())
    sentences.push_back(
        fmt::format("{} rows of peers are not counted: {}", differing.size(), listed(differing)));
  return sentences;
}

std::string notes_of(const BenchResults& results) {
  return fmt::format(notes, "warm batches of 2 ms at least",
                     on_gpu(results)
                         ? "within the device"
                         : "by as many threads, by memcpy or past the caches, whichever is faster");
}

std::string place_text(const BenchResults& results) {
  if (!on_gpu(results)) return results.circumstances.machine + ", " + results.circumstances.instruction_set;
  return fmt::format("{}, driver {}, copy of 8192x8192 f32 {} GB/s", results.gpu.name, results.gpu.driver,
                     short_number(results.contest.copy_f32_8192_bytes_per_s * 1e-9));
}

std::string text_of(const BenchResults& results) {
  std::string text = fmt::format("device  {}, {}\n", name_of(results.contest.device), place_text(results));
  text += text_of(jobs_table(results)) + "\n";
  for (const std::string& sentence : findings(results)) text += wrapped(sentence, page_columns, 2) + "\n";
  return text + "\n" + wrapped(notes_of(results), page_columns) + "\n";
}

std::string json_of(const BenchResults& results) {
  const bench::Circumstances& here = results.circumstances;
  Json json = {{"schema", bench::record_schema}, {"machine", here.machine},   {"cores", here.cores},
               {"instruction_set", here.instruction_set},
               {"system", here.system},          {"compiler", here.compiler}, {"commit", here.commit},
               {"modified", here.modified},      {"date", here.date},         {"command", here.command}};
  if (on_gpu(results)) {
    json["gpu"] = {{"name", results.gpu.name},
                   {"driver", results.gpu.driver},
                   {"multiprocessors", results.gpu.multiprocessors},
                   {"memory_bytes", results.gpu.memory_bytes}};
  }
  json["void"] = results.void_reasons;
  json.update(json_of(results.contest));
  return json_text(std::move(json));
}

}  // namespace halation::app
