// rounds.h: rows where halation is not clearly ahead, timed again by turns with the peers.
#pragma once

#include <optional>

#include "bench/contest.h"
#include "bench/python_peers.h"

namespace halation::bench {

/// Times as fast from which one measurement each tells who is ahead: less may be the pace of a shared machine, which changes between
/// the one and the other.
inline constexpr double clearly_ahead = 1.3;

/// Times rows where halation is not clearly ahead of the best peer so many times again, each time halation and then the peers that
/// are not clearly behind the best. Medians of the rounds in which all of them were timed take the place of what was measured
/// before; a row whose result is wrong in a round has failed. `python`: where peers in Python take part; device memory should be
/// free.
void repeat_close_rows(Contest& contest, DeviceTimer& timer, ContestOptions options, const std::optional<PythonPeers>& python,
                       int rounds);

}  // namespace halation::bench
