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

bool all_timed(const std::vector<std::string>& names, const Row& row) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::any_of(row.peers.begin(), row.peers.end(), [&](const PeerRow& peer) {
      return peer.peer == name && peer.status == PeerRow::Status::verified;
    });
  });
}

/// The last round's row with the median time of all, and their copies.
PeerRow joined(const std::vector<PeerRow>& rounds) {
  PeerRow peer = rounds.back();
  std::vector<double> times_s;
  peer.copies_s.clear();
  for (const PeerRow& round : rounds) {
    times_s.push_back(round.time.median_s);
    peer.copies_s.insert(peer.copies_s.end(), round.copies_s.begin(), round.copies_s.end());
  }
  peer.time = spread_of(times_s);
  return peer;
}

}  // namespace

void repeat_close_rows(Contest& contest, DeviceTimer& timer, ContestOptions options,
                       const std::optional<PythonPeers>& python, int rounds) {
  for (Row& row : contest.rows) {
    if (!is_close(row)) continue;
    options.only = close_peers(row);
    options.threads = {row.threads};
    std::vector<double> times_s, copies_s;
    std::map<std::string, std::vector<PeerRow>> peers;
    for (int round = 0; round < rounds; ++round) {
      Contest again = run_contest({row.job}, timer, options);
      if (python) {
        PythonPeers these = *python;
        these.only = options.only;
        add_python_peers(again, these, options.before_each);
      }
      const Row& timed = again.rows.front();
      if (timed.failed) {
        row.failed = true;
        row.not_run = timed.not_run;
        break;
      }
      if (!timed.ran() || !all_timed(options.only, timed)) continue;
      times_s.push_back(timed.time.median_s);
      copies_s.push_back(timed.copy_s);
      for (const PeerRow& peer : timed.peers) peers[peer.peer].push_back(peer);
    }
    if (row.failed || times_s.empty()) continue;
    row.rounds = static_cast<int>(times_s.size());
    row.time = spread_of(times_s);
    row.copy_s = spread_of(copies_s).median_s;
    for (PeerRow& peer : row.peers) {
      if (const auto timed = peers.find(peer.peer); timed != peers.end()) peer = joined(timed->second);
    }
  }
}

}  // namespace halation::bench
