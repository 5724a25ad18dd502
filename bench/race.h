// race.h: a peer in this process: every way that it has for a job verified, then timed.
#pragma once

#include "bench/contender.h"
#include "bench/peer.h"
#include "bench/verify.h"

namespace halation::bench {

/// What is timed of halation, in batches beyond the least number; a peer may be a hundred times slower: three
/// batches tell as much.
ladder::Repeats repeats_of(int least, int most);
inline constexpr int least_peer_repeats = 3;

/// What a copy reads, and writes, for the bytes of a job.
std::int64_t moved_bytes(const Job& job);

/// Seconds of a copy of so many bytes within the timer's device, on the CPU by so many threads.
double copy_seconds(DeviceTimer& timer, std::int64_t bytes, int threads, const ladder::Repeats& repeats);

/// The random image of one job after the other, in host memory and on a device; made anew where the next one
/// differs.
class JobInput {
 public:
  void take(const Job& job, Device device);
  const Image& on_host() const { return host_; }
  const Image& on_device() const { return device_; }

 private:
  Image host_, device_;
};

class Race final : public Contender {
 public:
  /// `timer` must outlive it.
  Race(FoundPeer found, DeviceTimer& timer, int repeats);

  const std::string& name() const override { return name_; }
  const std::string& what() const override { return what_; }
  bool present() const override { return peer_ != nullptr; }
  std::optional<PeerRow> run(const Job& job, int threads) override;
  /// Calls `after_way` for each way; returns what copies of as many bytes took before and after.
  std::vector<double> run_ways(const Job& job, int threads,
                               const std::function<void(const PeerRow&)>& after_way);

 private:
  PeerRow row_of(const std::string& how, const std::string& border) const;
  PeerRow failure(const std::string& how, const Error& error) const;
  PeerRow tried(const Candidate& candidate, const Expected& expected, const Image& out);

  DeviceTimer& timer_;
  int repeats_;
  std::unique_ptr<Peer> peer_;
  std::string name_, what_;
  JobInput input_;
};

}  // namespace halation::bench
