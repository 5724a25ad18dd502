// peer_process.cpp: a peer in a process of its own, which is stopped where a job takes too long.
#include "bench/peer_process.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/race.h"

extern char** environ;

namespace halation::bench {
namespace {

using Json = nlohmann::ordered_json;

Json line_of(const PeerRow& row) {
  Json line = {
      {"how", row.how}, {"border", row.border}, {"status", name_of(row.status)}, {"reason", row.reason}};
  if (row.status == PeerRow::Status::verified)
    line["time"] = {row.time.median_s, row.time.low_s, row.time.high_s, row.time.repeats};
  return line;
}

void take_line(const Json& line, PeerRow& row) {
  row.how = line.at("how");
  row.border = line.at("border");
  row.status = status_named(line.at("status").get<std::string>());
  row.reason = line.at("reason");
  if (row.status == PeerRow::Status::verified) {
    const Json& time = line.at("time");
    row.time = {time.at(0), time.at(1), time.at(2), time.at(3)};
  }
}

auto after(double seconds) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds);
  return text;
}

}  // namespace

PeerProcess::PeerProcess(std::string name, PeerProcessOptions options)
    : options_(std::move(options)), name_(std::move(name)) {
  present_ = greeted();
}

PeerProcess::~PeerProcess() { (void)stop(); }

void PeerProcess::start() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  std::vector<char*> words;
  for (std::string& word : options_.command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const int trouble = posix_spawnp(&process_, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket_ = ends[0];
  heard_.clear();
  if (trouble != 0) process_ = -1;
}

std::string PeerProcess::stop() {
  std::string end = "it cannot be started";
  if (process_ > 0) {
    kill(process_, SIGKILL);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    const bool by_signal = WIFSIGNALED(status);
    end = by_signal ? std::string("ended early: ") + strsignal(WTERMSIG(status))
                    : "ended early: status " + std::to_string(WEXITSTATUS(status));
  }
  if (socket_ >= 0) close(socket_);
  process_ = -1;
  socket_ = -1;
  return end;
}

void PeerProcess::tell(const Json& line) {
  const std::string text = line.dump() + "\n";
  // One that has ended is noticed where its answer is awaited.
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t sent = send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return;
    if (sent > 0) at += static_cast<std::size_t>(sent);
  }
}

PeerProcess::Silence PeerProcess::hear(Json& line, Clock::time_point until) {
  for (;;) {
    if (const std::size_t end = heard_.find('\n'); end != std::string::npos) {
      line = Json::parse(heard_.begin(), heard_.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      heard_.erase(0, end + 1);
      return line.is_object() ? Silence::none : Silence::ended;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return Silence::late;
    pollfd waits{socket_, POLLIN, 0};
    const int ready = poll(&waits, 1, static_cast<int>(std::min<std::int64_t>(left, INT_MAX)));
    if (ready < 0 && errno != EINTR) return Silence::ended;
    if (ready <= 0) continue;
    std::array<char, 4096> part{};
    const ssize_t count = recv(socket_, part.data(), part.size(), 0);
    if (count == 0 || (count < 0 && errno != EINTR)) return Silence::ended;
    if (count > 0) heard_.append(part.data(), static_cast<std::size_t>(count));
  }
}

bool PeerProcess::greeted() {
  start();
  if (process_ > 0)
    tell({{"device", options_.device == Device::Kind::cuda ? "cuda" : "cpu"}, {"repeats", options_.repeats}});
  Json line;
  const double seconds = options_.seconds + options_.start_seconds;
  const Silence silence = process_ > 0 ? hear(line, after(seconds)) : Silence::ended;
  if (silence == Silence::none && line.contains("version")) {
    name_ = line.value("peer", name_);
    what_ = line["version"];
    return true;
  }
  const std::string end = stop();
  if (silence == Silence::none) {
    name_ = line.value("peer", name_);
    what_ = line.value("why_not", "not usable");
  } else {
    what_ = silence == Silence::late ? "took too long to start, over " + seconds_text(seconds) : end;
  }
  return false;
}

std::optional<PeerRow> PeerProcess::run(const Job& job, int threads) {
  const std::string version = what_;
  PeerRow row{name_, version, "", "", PeerRow::Status::failed, "", {}, {}};
  if (process_ < 0 && !greeted()) {
    row.reason = std::exchange(what_, version);
    return row;
  }
  Json fields = Json::parse(job.fields);
  fields.erase("target");  // may name another job
  tell({{"job", fields}, {"threads", threads}});
  std::optional<PeerRow> best;
  const Clock::time_point until = after(options_.seconds);
  for (Json line;;) {
    const Silence silence = hear(line, until);
    if (silence != Silence::none) {
      const std::string end = stop();
      if (best && best->status == PeerRow::Status::verified) return best;
      row.status = silence == Silence::late ? PeerRow::Status::late : PeerRow::Status::failed;
      row.reason = silence == Silence::late ? "over " + seconds_text(options_.seconds) : end;
      return row;
    }
    if (line.contains("copies_s")) {
      if (best) best->copies_s = line["copies_s"].get<std::vector<double>>();
      return best;
    }
    PeerRow way = row;
    take_line(line, way);
    keep_better(best, way);
  }
}

void serve_peer(FoundPeer (*find)(), std::unique_ptr<DeviceTimer> (*timer_of)()) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever asks may be killed
  FILE* answers = fdopen(dup(STDOUT_FILENO), "w");
  if (answers == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw Error{ErrorCode::io, "bench: no standard output"};
  const auto answer = [&](const Json& line) {
    std::fputs((line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n").c_str(), answers);
    std::fflush(answers);
  };
  std::string text;
  std::getline(std::cin, text);
  const Json header = Json::parse(text);
  FoundPeer found = find();
  if (!found.peer) return answer({{"peer", found.name}, {"why_not", found.why_not}});
  const std::unique_ptr<DeviceTimer> timer = timer_of();
  Race race(std::move(found), *timer, header.at("repeats"));
  answer({{"peer", race.name()}, {"version", race.what()}});
  while (std::getline(std::cin, text)) {
    const Json line = Json::parse(text);
    const Job job = job_from(line.at("job"));
    answer({{"copies_s",
             race.run_ways(job, line.at("threads"), [&](const PeerRow& row) { answer(line_of(row)); })}});
  }
}

}  // namespace halation::bench
