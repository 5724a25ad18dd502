// report.cpp: the results of a benchmark as a page with charts.
#include "report.h"

#include <fmt/format.h>

#include "app/report/page.h"
#include "app/report/svg.h"
#include "charts.h"

namespace halation::app {
namespace {

using bench::PeerRow;
using bench::Row;

/// What a copy took before and after the peer ran.
std::string copies_text(const PeerRow& peer) {
  std::string text;
  for (const double copy_s : peer.copies_s) text += (text.empty() ? "" : ", ") + short_number(copy_s * 1e3);
  return text.empty() ? "-" : text;
}

/// Every peer of every row.
Table peers_table(const bench::Contest& contest) {
  Table table{"Peers", "job", {"peer", "ms", "GPix/s", "over peer", "border", "copies, ms", "by"}, {}};
  for (const Row& row : contest.rows) {
    for (const PeerRow& peer : row.peers) {
      if (peer.status != PeerRow::Status::verified) {
        table.rows.push_back(
            {row.label(), {}, fmt::format("{}: {}, {}", peer.peer, name_of(peer.status), peer.reason)});
        continue;
      }
      table.rows.push_back({row.label(),
                            {peer.peer, short_number(peer.time.median_s * 1e3),
                             short_number(row.job.pixels() / peer.time.median_s * 1e-9),
                             row.ran() ? fmt::format("{:.2f}x", peer.time.median_s / row.time.median_s) : "-",
                             peer.border, copies_text(peer), peer.how},
                            ""});
    }
  }
  return table;
}

/// What the run comes to.
std::vector<std::string> lead(const BenchResults& results) {
  std::vector<std::string> sentences;
  if (!results.void_reasons.empty()) sentences.emplace_back("VOID: the figures of this run do not count, see the findings");
  std::size_t compared = 0, ahead = 0;
  for (const Row& row : results.contest.rows) {
    const auto over = row.over_best_peer();
    compared += over ? 1 : 0;
    ahead += over && *over >= 1 ? 1 : 0;
  }
  if (compared > 0) sentences.push_back(fmt::format("Ahead of every peer in {} of {} jobs", ahead, compared));
  return sentences;
}

std::string list_of(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "<p>" + escaped_markup(sentence) + "</p>\n";
  return text;
}

}  // namespace

std::string report_of(const BenchResults& results) {
  const bench::Contest& contest = results.contest;
  const std::vector<Family> families = families_of(contest);
  std::string shares, ratios;
  for (const Family& family : families) {
    const std::string title = "<h3>" + escaped_markup(family.title) + "</h3>\n";
    if (const std::string chart = share_chart(family); !chart.empty()) shares += title + chart;
    if (const std::string chart = peers_chart(family); !chart.empty()) ratios += title + chart;
  }
  std::string figures = markup_of(jobs_table(results)) + "<p>" + escaped_markup(notes_of(results)) + "</p>\n";
  if (const Table peers = peers_table(contest); !peers.rows.empty()) figures += markup_of(peers);
  const bench::Circumstances& here = results.circumstances;
  const std::string commit = here.commit + (here.modified ? ", modified" : "");
  return page(
      "halation bench", "halation beside copies and other libraries", lead(results),
      {{"device", name_of(contest.device) + ", " + place_text(results)},
       {"machine", fmt::format("{}, {} cores, {}, {}", here.machine, here.cores, here.instruction_set, here.system)},
       {"commit", commit.empty() ? "unknown" : commit},
       {"date", here.date}},
      here.command,
      section("Jobs against the best peer", "Right of the mark halation is ahead.",
              bars_chart(contest, families)) +
          section("Ratio to the best peer over the size of the filter",
                  "How many times as fast as the fastest library that computes the same in this run; above the mark halation is ahead.",
                  ratios) +
          section("Share of copy over the size of the filter",
                  "Dense filters with random weights. 100% is as fast as the device copies as many bytes: "
                  "more than that no filter can reach whose pixels come from memory.",
                  shares) +
          section("Findings", "", list_of(findings(results))) +
          folded("Figures", "", figures));
}

}  // namespace halation::app
