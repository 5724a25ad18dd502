// progress.cpp: what a benchmark is at, on standard error.
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/report/text/table.h"

namespace halation::app {

BenchProgress::Kind progress_kind(bool lines, bool quiet) {
  if (quiet) return BenchProgress::Kind::none;
  if (lines) return BenchProgress::Kind::lines;
  return StatusLine::is_possible() ? BenchProgress::Kind::status : BenchProgress::Kind::none;
}

void BenchProgress::before(const bench::Row& row, std::string_view who) {
  if (kind_ != Kind::status) return;
  const std::string label = row.label();
  const auto at = std::find(labels_.begin(), labels_.end(), label) - labels_.begin();
  status_.show(fmt::format("{} of {}: {}: {}", at + 1, labels_.size(), label, who));
}

void BenchProgress::after(const bench::Row& row) {
  if (kind_ != Kind::lines) return;
  const std::string result =
      row.ran() ? fmt::format("{} ms, {:.0f}% of copy", short_number(row.time.median_s * 1e3),
                              row.share_of_copy() * 100)
                : row.not_run;
  std::fputs(fmt::format("{}: {}\n", row.label(), result).c_str(), stderr);
}

void BenchProgress::after(const bench::Row& row, const bench::PeerRow& peer) {
  if (kind_ != Kind::lines) return;
  const std::string result = peer.status == bench::PeerRow::Status::verified
                                 ? short_number(peer.time.median_s * 1e3) + " ms"
                                 : std::string(name_of(peer.status));
  std::fputs(fmt::format("{}: {} {}\n", row.label(), peer.peer, result).c_str(), stderr);
}

}  // namespace halation::app
