// contender.h: who takes part in a contest beside halation, and what it makes of one job.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/matrix.h"
#include "bench/device_timer.h"

namespace halation::bench {

/// What a peer made of one job.
struct PeerRow {
  enum class Status {
    verified,
    differs,  ///< it computes something else, and was not timed
    failed,
    late,  ///< it took too long, and was stopped
  };
  std::string peer, version;
  std::string how, border;
  Status status = Status::verified;
  std::string reason;  ///< unless verified
  Spread time;         ///< where verified
  /// Seconds that a copy of as many bytes took in the peer's process before and after, by as many threads:
  /// whether the machine went as fast then as for the others. Empty on GPUs.
  std::vector<double> copies_s;
};
std::string_view name_of(PeerRow::Status status);
/// Throws `Error{invalid_argument}` for another name.
PeerRow::Status status_named(std::string_view name);

/// Keeps the better of two ways of one peer: verified before not, the faster of two that are; else what was
/// there.
void keep_better(std::optional<PeerRow>& best, const PeerRow& other);

class Contender {
 public:
  virtual ~Contender() = default;
  virtual const std::string& name() const = 0;
  /// Its version, or why it is not there.
  virtual const std::string& what() const = 0;
  virtual bool present() const = 0;
  /// The fastest of its ways that are right, on the CPU with so many threads, else the first; none where it
  /// has no such function.
  virtual std::optional<PeerRow> run(const Job& job, int threads) = 0;
};

}  // namespace halation::bench
