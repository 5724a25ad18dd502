// command.cpp: `halation video`: a filter, or a chain of them, over every frame of a file or a camera.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/command_line/arguments.h"
#include "app/command_line/job_options.h"
#include "app/notice.h"
#include "app/refuse.h"
#include "app/report/text/printable.h"
#include "app/report/text/status_line.h"
#include "app/subcommands.h"
#include "halation/error.h"
#include "run.h"

namespace halation::app {
namespace {

constexpr const char* footer =
    R"(Frames are decoded and encoded by the program ffmpeg, upright, and filtered in the file's own pixel format where that is
one of gray, RGB or planes of 8, 10, 12 or 16 bits, else in the nearest. Sound, subtitles, chapters and metadata of files are copied
(where the new format does not take the sound, ffmpeg encodes it again); of cameras, streams and other addresses only frames are taken.

Most videos hold luma and two chroma planes, often of half its width and height. Luma is filtered as asked, chroma
  by the same filters with shorter lengths, as many times as its planes are smaller, where every filter has a length in px: gaussian, box,
    disk, motion_blur, unsharp_mask. Its zero stays zero: --scale works about it, the border constant is it, and --offset is for luma only;
  not at all, it stays as it is, with sharpen, custom, ...
Filters that show what changes, whose weights cancel (edges, sobel, gaussian_derivative, some custom ones), are for R, G and B, to which frames
  are converted and back: each frame becomes what halation apply makes of it. --rgb does so whatever the filter. With --gray, which is up to
  twice as quick, luma is filtered and chroma becomes zero.

Alpha is filtered as halation apply filters a photograph's: frames become R, G, B and alpha, taken as straight, and colours are filtered premultiplied by it.
  It is written where the output holds it: .webm and .mkv by libvpx-vp9, .mov by prores_ks or qtrle, .mkv by ffv1, .apng, ...; .gif holds
  transparent pixels and others; else a line says that it is lost.
The codec stays that of the input (H.264, HEVC, VP9, AV1, ProRes, FFV1, PNG, QuickTime RLE, ...) where the format and --crf, --preset and alpha go
  with it; else a line says what became of it.
Frames of variable rate keep their times, to a 60,000th of a second, where the output has frames at any times (.mp4 .mov .mkv .webm .gif ...); else a
  line says at which rate they are written. Whether a file has one rate is read from its first 300 packets.

--input-options takes whatever ffmpeg has before an input, such as -ss, -t, -r, -c:v or -hwaccel; ffprobe, which is asked first, gets what it knows
  of that.

Where more than 1% of the samples of frame 1, 2, 4, 8, ... are clipped (of luma, where there is chroma), a line says so of the frame that lost
  most; not with --view.

Timings: of decoding, filtering and encoding, which go on side by side, waiting for ffmpeg's part of it included; the one that takes
  longest limits the others. FPS = frames / the time from ffmpeg's start to the finished file.

Examples:
  halation video gaussian holiday.mp4 -o soft.mp4 --sigma 3
  halation video "unsharp_mask sigma=1.5 amount=0.8" in.mkv -o crisp.mkv --crf 18 --preset slow --timing
  halation video edges in.mp4 -o edges.mp4 --gray --scale 0.25
  halation video gaussian_derivative in.mov -o slope.mkv --codec ffv1 --view signed --gray
  halation video edges /dev/video0 --input-options "-f v4l2 -framerate 30" --preview
  halation video sharpen "rtsp://camera/stream" -o hour.mkv --frames 90000 --rgb
  halation video box in.mp4 -o out.mp4 --size 5 --input-options "-ss 60 -t 10" --json)";

struct Flags {
  explicit Flags(Command& command);

  JobOptions job_options;
  std::string in;
  Given out;
  Given codec, preset, crf, pixel_format, input_options, frames;
  bool rgb = false, gray = false;
  bool preview = false, realtime = false, keep_going = false;
  bool quiet = false, timing = false, json = false;
};

Flags::Flags(Command& command) : job_options(command, JobOptions::Of::frames) {
  command.positional("input", in, "FILE", "a video that ffmpeg reads, an address, or with --input-options a camera");

  OptionGroup files = command.group("Files");
  files.text("-o,--output", out, "FILE", "where the result goes, in the format of its ending (.mp4 .mkv .mov .webm .avi .gif ...)");
  files.flag("--preview", preview, "shows the result by ffplay, at its own pace; without -o that is all");
  files.text("--frames", frames, "N", "stop after so many [all]");
  files.flag("--realtime", realtime, "read no quicker than the video plays");
  files.flag("--keep-going", keep_going,
             "past what cannot be decoded: ffmpeg conceals it as well as it can [it is an error in a file; cameras and streams go on]");
  files.text("--input-options", input_options, "TEXT",
             "what ffmpeg is to be told before -i, such as \"-f v4l2 -framerate 30 -video_size 1280x720\"");

  OptionGroup encoding = command.group("Encoding");
  encoding.text("--codec", codec, "NAME",
                "ffmpeg's encoder [one of the input's codec where it can be, see below; else libx264 for .mp4, .mkv and .mov]");
  encoding.text("--preset", preset, "NAME", "how much time the encoder takes, of libx264 ultrafast to veryslow [medium]");
  encoding.text("--crf", crf, "N", "quality of libx264 and others, smaller is better [23 of libx264]");
  encoding.text("--pixel-format", pixel_format, "NAME", "of the result, as ffmpeg calls it [that of the input, or the codec's nearest]");

  OptionGroup colours = command.group("Colour");
  colours.flag("--rgb", rgb, "filter R, G and B, to which frames are converted and back");
  colours.flag("--gray", gray, "filter luma; the result is gray");

  OptionGroup reports = command.group("Reports");
  reports.flag("--timing", timing, "frames, seconds and FPS, and what limits them, on standard error");
  reports.flag("--json", json, "the same, and what was told, as a JSON object on standard output");
  reports.flag("--quiet", quiet, "no line that tells how far it is, on a terminal");
  command.everyday({"--output", "--preview", "--border", "--scale", "--view", "--device", "--frames", "--codec", "--crf", "--timing"});
  command.footer(footer);
}

/// For frames, of two dimensions whatever their planes are stored as.
Chain for_frames(Chain chain) {
  for (FilterSet& stage : chain.stages) {
    for (Filter& filter : stage.filters) {
      filter = filter.with_dims(2);
      if (filter.dims() > 2) refuse("frames have 2 dimensions, got a filter of 3");
    }
  }
  return chain;
}

Options for_frames(Options options, const std::vector<Border>& borders) {
  const Border &along_y = borders[borders.size() > 2 ? 1 : 0], &along_x = borders.back();
  options.border = {.z = along_y, .y = along_y, .x = along_x};
  return options;
}

VideoOutput output_of(const Flags& flags) {
  const std::string& path = *flags.out;
  if (path == "-") refuse("-o needs a file, in which a video's beginning is written last; standard output is none");
  if (reads_file(flags.in, path)) refuse("-o needs a file of its own, not the one that is read");
  (void)muxer_for(path);
  VideoOutput output{.path = path, .codec = flags.codec, .preset = flags.preset, .crf = flags.crf, .pixel_format = flags.pixel_format};
  if (flags.crf) (void)number_from("--crf", *flags.crf);
  return output;
}

VideoRequest request_of(const Flags& flags) {
  if (!flags.out && !flags.preview) refuse("-o FILE is needed, or --preview; see halation video --help");
  if (flags.rgb && flags.gray) refuse("--rgb and --gray exclude each other");
  const std::string in = without_file_protocol(flags.in);
  if (in == "-") refuse("a video cannot be read from standard input, which ffmpeg would have to open several times");
  const Job job = flags.job_options.job();
  // GCC 12 destroys twice what braces without a type have made, where an initialiser behind them throws.
  VideoRequest request{.input = VideoInput{.name = in, .options = {}, .realtime = flags.realtime, .keeps_going = flags.keep_going},
                       .shows = flags.preview,
                       .title = "halation " + flags.job_options.filter(),
                       .rgb = flags.rgb,
                       .gray = flags.gray,
                       .chain = for_frames(job.chain),
                       .options = for_frames(job.options, job.borders),
                       .view = job.view,
                       .device = job.device,
                       .more_gpus = job.more_gpus};
  if (flags.input_options) request.input.options = words_of(*flags.input_options);
  if (flags.out) request.output = output_of(flags);
  if (flags.frames) request.frames = whole_number_from("--frames", *flags.frames, 1, std::int64_t{1} << 40);
  request.chroma_chain = [&options = flags.job_options](const FrameFormat& format) {
    return chroma_chain(options.filter(), options.filter_options(), format);
  };
  return request;
}

/// "frame 120, 61 FPS, 45%" in a line that is written over.
class ProgressLine {
 public:
  void show(std::int64_t done, std::optional<std::int64_t> all) {
    using namespace std::chrono;
    const steady_clock::time_point now = steady_clock::now();
    if (now - last_ < milliseconds(100)) return;
    last_ = now;
    const double rate = static_cast<double>(done) / duration<double>(now - begin_).count();
    std::string text = fmt::format("frame {}, {:.0f} FPS", done, rate);
    if (all && *all > 0) text += fmt::format(", {:.0f}%", std::min(100.0, 100 * static_cast<double>(done) / static_cast<double>(*all)));
    line_.show(std::move(text));
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), last_ = begin_;
  StatusLine line_;
};

const char* limit_of(const FrameTimes& times) {
  const double most = std::max({times.decoding, times.filtering, times.encoding});
  return most == times.encoding ? "encoding" : most == times.decoding ? "decoding" : "filtering";
}

double fps_of(const VideoReport& report) { return static_cast<double>(report.times.frames) / report.seconds; }

std::string table_of(const VideoReport& report) {
  std::string text = fmt::format("{:<12}{:>10}\n", "frames", report.times.frames);
  for (const auto& [phase, seconds] : {std::pair("decoding", report.times.decoding), std::pair("filtering", report.times.filtering),
                                       std::pair("encoding", report.times.encoding), std::pair("in all", report.seconds)})
    text += fmt::format("{:<12}{:>10.2f} s\n", phase, seconds);
  text += fmt::format("{:<12}{:>10.1f}, limited by {}\n", "FPS", fps_of(report), limit_of(report.times));
  return text + fmt::format("{}x{} {}, device {}\n", report.width, report.height, report.pixel_format,
                            report.device_chosen.empty() ? report.device : "auto: " + report.device_chosen);
}

std::string json_of(const Flags& flags, const VideoReport& report, const std::vector<std::string>& told) {
  nlohmann::ordered_json json{{"filter", flags.job_options.filter()}, {"input", flags.in}};
  if (flags.out) json["output"] = *flags.out;
  json["frames"] = report.times.frames;
  json["fps"] = fps_of(report);
  json["seconds"] = report.seconds;
  json["limit"] = limit_of(report.times);
  json["stages"] = {{"decoding", report.times.decoding}, {"filtering", report.times.filtering}, {"encoding", report.times.encoding}};
  json["pixel_format"] = report.pixel_format;
  json["width"] = report.width;
  json["height"] = report.height;
  json["device"] = report.device;
  if (!report.device_chosen.empty()) json["device_chosen"] = report.device_chosen;
  if (!told.empty()) json["notes"] = told;
  return json_text(std::move(json));
}

void video(const Flags& flags) {
  VideoRequest request = request_of(flags);
  std::vector<std::string> told;
  const auto tell = [&](const std::string& note) {
    told.push_back(note);
    notice(fmt::format("video: {}\n", note));
  };
  request.tell = tell;
  std::optional<ProgressLine> line;
  if (!flags.quiet && StatusLine::is_possible()) {
    line.emplace();
    request.progress = [&](std::int64_t done, std::optional<std::int64_t> all) { line->show(done, all); };
  }
  const VideoReport report = filter_video(request);
  line.reset();
  for (const std::string& note : report.notes) tell(note);
  if (flags.timing) fmt::print(stderr, "{}", table_of(report));
  if (flags.json) fmt::print("{}", json_of(flags, report, told));
}

}  // namespace

void add_video(Program& program) { program.add("video", "Filters every frame of a video, by way of the program ffmpeg", video); }

}  // namespace halation::app
