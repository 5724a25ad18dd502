// rounds.cpp: rows where halation is not clearly ahead, timed again by turns with the peers.
#include "bench/rounds.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace halation::bench {
namespace {

bool is_close(const Row& row) {
  const std::optional<double> over = row.over_best_peer();
  return over && *over < clearly_ahead;
}

/// Peers that may be the best.
std::vector<std::string> close_peers(const Row& row) {
  std::vector<std::string> names;
  const double most_s = clearly_ahead * row.best_peer()->time.median_s;
  for (const PeerRow& peer : row.peers) {
    if (peer.status == PeerRow::Status::verified && peer.time.median_s < most_s) names.push_back(peer.peer);
  }
  return names;
}

}  // namespace

void repeat_close_rows(Contest& contest, Stopwatch& stopwatch, ContestOptions options, const std::optional<PythonPeers>& python,
                       int rounds) {
  for (Row& row : contest.rows) {
    if (!is_close(row)) continue;
    options.only = close_peers(row);
    options.threads = {row.threads};
    std::vector<double> times_s, copies_s;
    std::map<std::string, std::vector<double>> peers_s;
    for (int round = 0; round < rounds; ++round) {
      Contest again = run_contest({row.job}, stopwatch, options);
      if (python) add_python_peers(again, {.python = python->python, .repeats = python->repeats, .only = options.only});
      const Row& timed = again.rows.front();
      if (!timed.ran()) continue;
      times_s.push_back(timed.time.median_s);
      copies_s.push_back(timed.copy_s);
      for (const PeerRow& peer : timed.peers) {
        if (peer.status == PeerRow::Status::verified) peers_s[peer.peer].push_back(peer.time.median_s);
      }
    }
    if (times_s.empty()) continue;
    row.rounds = static_cast<int>(times_s.size());
    row.time = spread_of(times_s);
    row.copy_s = spread_of(copies_s).median_s;
    for (PeerRow& peer : row.peers) {
      if (const auto timed = peers_s.find(peer.peer); timed != peers_s.end()) peer.time = spread_of(timed->second);
    }
  }
}

}  // namespace halation::bench
