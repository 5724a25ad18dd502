// contest.h: the jobs of a matrix on one device, verified, timed, and compared with copies and peers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/contender.h"
#include "bench/matrix.h"
#include "bench/device_timer.h"
#include "bench/verify.h"

namespace halation::bench {

/// One job; on the CPU with so many threads.
struct Row {
  Job job;
  int threads = 0;      ///< 0 on GPUs
  std::string not_run;  ///< why it was not timed, if it was not
  bool failed = false;  ///< not timed because something is wrong, rather than not offered
  std::string methods;  ///< that the plan chose
  Verdict verdict;
  Spread time;
  int rounds = 0;              ///< by turns with the best peers, of which its time and theirs are medians; 0: none
  double copy_s = 0;           ///< of a device copy of as many bytes
  std::vector<PeerRow> peers;  ///< those that have it, in the order of the peers

  /// "f32 3x3", "f32 3x3, 2 threads".
  std::string label() const;
  bool ran() const { return not_run.empty(); }
  double gpix_per_s() const { return job.pixels() / time.median_s * 1e-9; }
  double gb_per_s() const { return (job.in_bytes() + job.out_bytes()) / time.median_s * 1e-9; }
  double share_of_copy() const { return copy_s / time.median_s; }
  /// The fastest that computes the same; null without one.
  const PeerRow* best_peer() const;
  /// How many times halation is as fast as the best peer.
  std::optional<double> over_best_peer() const;
};

struct Contest {
  Device device;
  std::vector<Row> rows;
  std::vector<std::pair<std::string, std::string>>
      peers;                             ///< names, each with its version or why it is not there
  double copy_f32_8192_bytes_per_s = 0;  ///< read and written a second by that copy; 0 on the CPU

  /// What the row reached of its target, in the target's unit; none where it did not run or what it compares
  /// with did not.
  std::optional<double> reached(const Row& row) const;
  /// "aim", "least", "missed"; empty without a target or a run.
  std::string_view verdict_on_target(const Row& row) const;
  /// Why the figures of a run on this GPU must not be used: a copy under 4.0 TB/s, or a peer more than 15%
  /// below what it is known for. The figures are those of an H200; on others nothing is known.
  std::vector<std::string> void_reasons(const std::string& gpu_name) const;
  /// The first thing that was wrong, as a sentence; empty where nothing was.
  std::string complaint() const;
};

struct ContestOptions {
  int repeats = 11;
  std::vector<int> threads = {1};  ///< that each job runs with, one after the other, on the CPU
  std::vector<std::unique_ptr<Contender>> peers = {};
  std::vector<std::string> only = {};  ///< the names of those that take part; empty: all
  /// Before halation or a peer begins with a row.
  std::function<void(const Row& row, std::string_view who)> before_each = {};
  std::function<void(const Row& row)> after_each = {};
};

/// Runs everything on the timer's device.
Contest run_contest(const std::vector<Job>& jobs, DeviceTimer& timer, const ContestOptions& options);

}  // namespace halation::bench
