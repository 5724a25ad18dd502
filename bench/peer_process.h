// peer_process.h: a peer in a process of its own, which is stopped where a job takes too long.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json_fwd.hpp>

#include "bench/contender.h"
#include "bench/peer.h"

namespace halation::bench {

/// What a process is told, and how long it may take to answer.
struct PeerProcessOptions {
  std::vector<std::string> command;  ///< runs `serve_peer` on its standard input and output
  Device::Kind device = Device::Kind::cpu;
  int repeats = 11;
  double seconds = 60;  ///< of a job: its ways until then count, and without a right one it took too long
  double start_seconds = 60;  ///< more for the first answer: libraries load, a GPU wakes up
};

/// Speaks with the process in lines of JSON: it is told {"device": "cuda", "repeats": 11}, answers {"peer":
/// …, "version": …} or
/// {"peer": …, "why_not": …}, is then told a job at a time, {"job": fields as in a matrix, "threads": 2}, and
/// answers a line for each way, and {"copies_s": […]} at the end. One that ended or was stopped is started
/// again for the next job.
class PeerProcess final : public Contender {
 public:
  /// Starts it. Where that fails, or no answer comes, it is not present.
  PeerProcess(std::string name, PeerProcessOptions options);
  ~PeerProcess() override;
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  const std::string& name() const override { return name_; }
  const std::string& what() const override { return what_; }
  bool present() const override { return present_; }
  std::optional<PeerRow> run(const Job& job, int threads) override;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Silence { none, late, ended };
  void start();
  /// Ends it, whatever it is at; returns how it had ended before, in words.
  std::string stop();
  void tell(const nlohmann::ordered_json& line);
  /// The next line, where one comes by then.
  Silence hear(nlohmann::ordered_json& line, Clock::time_point until);
  /// Starts it, and learns what it is; stopped again where it is not there.
  bool greeted();

  PeerProcessOptions options_;
  std::string name_, what_;
  bool present_ = false;
  pid_t process_ = -1;
  int socket_ = -1;
  std::string heard_;  ///< of a line that is not complete
};

/// The other end: makes what standard input asks for, until it ends. Whatever the peer prints goes to
/// standard error.
void serve_peer(FoundPeer (*find)(), std::unique_ptr<DeviceTimer> (*timer_of)());

}  // namespace halation::bench
