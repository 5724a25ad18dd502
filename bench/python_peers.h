// python_peers.h: peers that are Python packages, run by a Python of the user's.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/contest.h"

namespace halation::bench {

struct PythonPeers {
  std::string python;
  int repeats = 11;
  double seconds = 60;                 ///< that each may take for a job
  std::vector<std::string> only = {};  ///< the names of those that take part; empty: all
};

/// Runs bench/python/peers.py, which is built in, on the jobs that ran, and adds its rows and peers to the
/// contest. Where the Python cannot be run, or ends early, the contest says so among its peers. Device memory
/// should be free. `before_each` hears who begins with a row.
void add_python_peers(Contest& contest, const PythonPeers& peers,
                      const std::function<void(const Row& row, std::string_view who)>& before_each = {},
                      const std::function<void(const Row& row, const PeerRow& peer)>& after_each = {});

}  // namespace halation::bench
