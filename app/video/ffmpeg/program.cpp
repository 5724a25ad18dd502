// program.cpp: the programs ffmpeg, ffprobe and ffplay, started.
#include "program.h"

#include "halation/error.h"

namespace halation::app {
namespace {

constexpr const char* how_to_install = "; on Debian: apt-get install ffmpeg";

}  // namespace

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// SVT-AV1 tells of errors, and of nothing else.
FfmpegProcess::FfmpegProcess(const Words& words, const Ends& ends) try : Process(words, ends, {"SVT_LOG=1"}) {
} catch (const Error& error) {
  if (error.code() != ErrorCode::unsupported) throw;
  const bool is_player = words.front() == "ffplay";
  throw Error(ErrorCode::unsupported,
              std::string(is_player ? "--preview needs the program ffplay" : "video needs the programs ffmpeg and ffprobe") + how_to_install);
}

Answer answer_of(const Words& words) {
  FfmpegProcess program(words, {.out = true});
  Answer answer;
  std::string part(std::size_t{1} << 20, '\0');
  for (std::size_t got = part.size(); got == part.size();) {
    got = program.read(part.data(), part.size());
    answer.text.append(part, 0, got);
  }
  answer.code = program.wait();
  answer.complaint = program.last_complaint();
  return answer;
}

}  // namespace halation::app
