// process.h: programs that run beside this one, spoken to through pipes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace halation::app {

/// While one lives, writing to a pipe that nobody reads is a failed write and no signal. Children are started with the signal as it
/// usually is.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal();
  ~WithoutPipeSignal();
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  void (*before_)(int);
};

/// A program started without a shell, by its name on PATH. One thread may write to it and another read from it. Of what it says on
/// standard error the beginning is kept. The object's end is the program's.
class Process {
 public:
  /// By name alone: which ends of it are pipes to this program; the others are /dev/null.
  struct Ends {
    bool in = false;
    bool out = false;
    int as_three = -1;  ///< a descriptor of this program that the other one has as number 3
  };
  /// `settings`, "NAME=value", join the environment where a name is not in it. Throws `Error{io}` where the program cannot be started,
  /// `Error{unsupported}` where there is none.
  Process(const std::vector<std::string>& words, const Ends& ends, const std::vector<std::string>& settings = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// False where it reads no more.
  bool write(const void* data, std::size_t size);
  /// Fewer bytes than asked for only at the end of its output.
  std::size_t read(void* data, std::size_t size);
  /// It sees the end of its input.
  void close_in();
  /// Ends it, whatever it is at. Any thread may call.
  void stop();
  /// Its exit code once it has ended, 128 + the signal's number where one ended it. What it may still write is not read.
  int wait();
  /// What it said on standard error, once it has ended: the first line or the last, without addresses of its memory. Of ffmpeg the first
  /// tells the cause, and the last that "Conversion failed!"; of ffprobe the last sums up.
  std::string first_complaint() const;
  std::string last_complaint() const;

 private:
  void listen();

  pid_t id_ = -1;
  int in_ = -1, out_ = -1, said_end_ = -1;
  std::mutex ending_;
  bool ended_ = false;
  int code_ = 0;
  std::string said_;
  std::thread listener_;
};

}  // namespace halation::app
