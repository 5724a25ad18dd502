// python_peers.h: peers that are Python packages, run by a Python of the user's.
#pragma once

#include <functional>
#include <string>

#include "bench/contest.h"

namespace halation::bench {

/// Runs bench/python/peers.py, which is built in, on the jobs that ran, and adds its rows and peers to the
/// contest. Where the Python cannot be run, or ends early, the contest says so among its peers. Device memory
/// should be free.
void add_python_peers(Contest& contest, const std::string& python, int repeats,
                      const std::function<void(const Row& row, const PeerRow& peer)>& after_each = {});

}  // namespace halation::bench
