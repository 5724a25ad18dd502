// run.cpp: a video filtered from one file to another.
#include "run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/filtering/clipping.h"
#include "core/stopwatch.h"
#include "core/temporary.h"
#include "halation/error.h"
#include "io/file.h"
#include "io/naming.h"

namespace halation::app {
namespace {

namespace fs = std::filesystem;

/// A file that another program writes and that appears at its path once it is complete.
class Target {
 public:
  explicit Target(const std::string& path) : path_(place_of(path)), temporary_(path_.has_parent_path() ? path_.parent_path() : ".") {
    struct stat replaced = {};
    if (::stat(path_.c_str(), &replaced) == 0) (void)::fchmod(descriptor(), replaced.st_mode & 07777U);
  }
  int descriptor() const { return ::fileno(temporary_.file()); }
  void commit() {
    if (!temporary_.become(path_)) throw Error(ErrorCode::io, "cannot be written: " + std::generic_category().message(errno));
  }

 private:
  /// The file itself where `path` is a link. Throws where none can be made.
  static fs::path place_of(const std::string& path) {
    io::check_target(path);
    std::error_code ignored;
    if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
      throw Error(ErrorCode::io, "is a device or a pipe; a video needs a file, in which its beginning is written last");
    const fs::path place = fs::weakly_canonical(path, ignored);
    return place.empty() ? fs::path(path) : place;
  }

  fs::path path_;
  Temporary temporary_;
};

std::string reason(const Process& process, int code) {
  const std::string complaint = process.first_complaint();
  return complaint.empty() ? fmt::format("ffmpeg ended with exit code {}", code) : "ffmpeg: " + complaint;
}

[[noreturn]] void fail(const std::string& file, const std::string& sentence) { throw Error(ErrorCode::io, file + ": " + sentence); }

/// Throws where the decoder has failed, or said that it could not decode what a file holds.
void check_source(Process& decoder, const VideoInput& input) {
  const int code = decoder.wait();
  // "Unrecognized option 'x'", "Option x cannot be applied to input", "Option x not found".
  const std::string complaint = decoder.first_complaint();
  if (code != 0 && !input.options.empty() && (complaint.starts_with("Unrecognized option") || complaint.starts_with("Option ")))
    throw Error(ErrorCode::invalid_argument, "--input-options: ffmpeg: " + complaint);
  if (code != 0 && input.keeps_going) fail(input.name, reason(decoder, code));
  if (code != 0 || (!input.keeps_going && !decoder.first_complaint().empty()))
    fail(input.name, reason(decoder, code) + "; --keep-going takes what can be decoded");
}

/// What helps where an encoder says so; empty where that is not known.
std::string_view advice_on(std::string_view complaint) {
  struct Known {
    std::string_view said, advice;
  };
  constexpr std::string_view odd = "; a --pixel-format whose chroma is not halved takes odd sizes, such as yuv444p or yuv444p10le";
  constexpr std::string_view codec = "; -o with .mkv takes nearly any codec, --codec NAME chooses another";
  constexpr Known known[] = {{"not divisible by 2", odd},
                             {"integer multiple of the specified chroma subsampling", odd},
                             {"codec not currently supported in container", codec},
                             {"are supported for WebM", codec},
                             {"not compatible with flv", codec},
                             {"Unsupported codec id in stream", codec}};
  const auto found = std::find_if(std::begin(known), std::end(known), [&](const Known& each) { return complaint.find(each.said) != std::string_view::npos; });
  return found == std::end(known) ? std::string_view() : found->advice;
}

void check_encoder(Process& encoder, const std::string& path) {
  encoder.close_in();
  const int code = encoder.wait();
  if (code == 0) return;
  const std::string sentence = reason(encoder, code);
  fail(path, fmt::format("{}{}", sentence, advice_on(sentence)));
}

FrameJob job_for(const VideoRequest& request, const VideoFacts& facts) {
  const bool rgb = request.rgb || (!request.gray && shows_change(request.chain));
  FrameJob job{.format = frame_format_for(facts.format, {.rgb = rgb, .gray = request.gray, .whole_range = request.view.has_value()}),
               .width = facts.width,
               .height = facts.height,
               .chain = request.chain,
               .drops_chroma = request.gray,
               .options = request.options,
               .view = request.view};
  if (job.format.kind == FrameFormat::Kind::yuv && !job.drops_chroma) job.chroma_chain = request.chroma_chain(job.format);
  return job;
}

/// What was clipped, in a sentence; empty where nothing is worth saying.
std::string clipped_text(const FrameJob& job, const FrameTimes& times) {
  const FrameFormat& format = job.format;
  const std::string note = clipping_note(times.clipped, {.chain = job.chain,
                                                         .options = job.options,
                                                         .input = format.pixel,
                                                         .output = format.pixel,
                                                         .most = format.most(),
                                                         .view = "--view"});
  return note.empty() ? "" : fmt::format("frame {}{}: {}", times.clipped_frame, format.kind == FrameFormat::Kind::yuv ? ", luma" : "", note);
}

}  // namespace

VideoReport filter_video(const VideoRequest& request) {
  std::optional<Target> target;
  const std::string path = request.output ? request.output->path : "";
  if (request.output) io::naming_output(path, [&] { target.emplace(path); });
  VideoInput input = request.input;
  const VideoFacts facts = probe(input);
  input.keeps_going = input.keeps_going || !facts.is_file;

  std::optional<std::int64_t> frames = facts.frames;
  if (request.frames) frames = std::min(*request.frames, frames.value_or(*request.frames));
  FrameJob job = job_for(request, facts);
  VideoReport report{.width = facts.width, .height = facts.height, .pixel_format = job.format.name};
  if (request.device) {
    job.device = *request.device;
    job.more_gpus = request.more_gpus;
  } else {
    const ChosenDevice chosen = device_for(job, frames);
    job.device = chosen.device;
    report.device_chosen = chosen.why;
  }
  report.device = name_of(job.device);
  Encoding encoding_as;
  if (request.output) encoding_as = encoding_for(facts, *request.output);
  for (const auto& notes : {facts.notes, encoding_as.notes}) {
    for (const std::string& note : notes) request.tell(note);
  }
  job.keeps_times = facts.is_variable && (encoding_as.has_times || !request.output) && nut_carries(job.format, facts.width, facts.height);
  if (facts.is_variable && encoding_as.has_times && !job.keeps_times)
    request.tell(fmt::format("variable frame rate: frames of {}x{} {} are written at one, {:.4g} a second", facts.width, facts.height,
                             job.format.name, facts.frames_per_second));
  const FramesInPipe pipe{.format = job.format, .keeps_times = job.keeps_times};
  FramesFilter filter(job);

  const WithoutPipeSignal held;
  timed(report.seconds, [&] {
    FfmpegProcess decoding(decoder(input, facts, pipe, request.frames), {.out = true});
    std::optional<FfmpegProcess> encoding, showing;
    if (request.output)
      encoding.emplace(encoder(input, facts, pipe, *request.output, encoding_as, request.frames),
                       Process::Ends{.in = true, .as_three = target->descriptor()});
    if (request.shows) showing.emplace(player(facts, pipe, request.title), Process::Ends{.in = true});
    try {
      report.times = filter.run({.source = decoding,
                                 .encoder = encoding ? &*encoding : nullptr,
                                 .player = showing ? &*showing : nullptr,
                                 .progress = [&](std::int64_t done) {
                                   if (request.progress) request.progress(done, frames);
                                 }});
    } catch (const BrokenPipe broken) {
      if (broken == BrokenPipe::source) {
        check_source(decoding, input);
        fail(input.name, "the decoder ended in the middle of a frame");
      }
      check_encoder(*encoding, path);
      fail(path, "the encoder ended before the video");
    }
    if (!report.times.player_left) check_source(decoding, input);
    if (report.times.frames == 0) fail(input.name, "no frame could be decoded");
    if (!decoding.first_complaint().empty() && !report.times.player_left)
      report.notes.push_back(fmt::format("{}: ffmpeg: {}", input.name, decoding.first_complaint()));
    if (showing) {
      showing->close_in();
      if (const int code = showing->wait(); code != 0) {
        const std::string sentence = fmt::format("--preview: ffplay: {}", showing->first_complaint());
        if (!encoding) throw Error(ErrorCode::io, sentence);
        report.notes.push_back(sentence);
      }
    }
    if (!encoding) return;
    // What the encoder still had to do once all frames were there.
    timed(report.times.encoding, [&] { check_encoder(*encoding, path); });
    // Of a damaged file both have the same to say.
    if (const std::string complaint = encoding->first_complaint(); report.notes.empty() && !complaint.empty()) {
      const bool is_of_input = !facts.demuxer.empty() && complaint.starts_with(facts.demuxer + ": ");  // which the encoder reads sound from
      report.notes.push_back(fmt::format("{}: ffmpeg: {}", is_of_input ? input.name : path, complaint));
    }
    io::naming_output(path, [&] { target->commit(); });
  });
  if (std::string text = clipped_text(job, report.times); !text.empty()) report.notes.push_back(std::move(text));
  return report;
}

}  // namespace halation::app
