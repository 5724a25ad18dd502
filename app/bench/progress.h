// progress.h: what a benchmark is at, on standard error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/report/text/status_line.h"
#include "bench/contest.h"

namespace halation::app {

class BenchProgress {
 public:
  enum class Kind {
    none,
    lines,   ///< one for each result, that stay
    status,  ///< one line that is written over: the job, and who is at it
  };
  /// `labels`: of all rows, in their order.
  BenchProgress(Kind kind, std::vector<std::string> labels) : kind_(kind), labels_(std::move(labels)) {}

  void before(const bench::Row& row, std::string_view who);
  void after(const bench::Row& row);
  void after(const bench::Row& row, const bench::PeerRow& peer);
  /// Takes the status away.
  void clear() { status_.clear(); }

 private:
  Kind kind_;
  std::vector<std::string> labels_;
  StatusLine status_;
};

/// Status where standard error is a terminal that can write over a line, unless lines are wanted, or nothing.
BenchProgress::Kind progress_kind(bool lines, bool quiet);

}  // namespace halation::app
