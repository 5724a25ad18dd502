// command.cpp: `halation video`: a filter, or a chain of them, over every frame of a file or a camera.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command_line/arguments.h"
#include "app/command_line/filter_options.h"
#include "app/notice.h"
#include "app/report/status_line.h"
#include "app/subcommands.h"
#include "halation/error.h"
#include "run.h"

namespace halation::app {
namespace {

constexpr const char* footer =
    R"(Frames are decoded and encoded by the program ffmpeg, at one rate and upright, and filtered in the file's own pixel format where that is
one of gray, RGB or planes of 8, 10, 12 or 16 bits, else in the nearest. Sound, subtitles, chapters and metadata of files are copied
(where the new format does not take the sound, ffmpeg encodes it anew); of cameras and streams the frames alone are taken.

Most videos hold luma and two chroma planes, often of half its width and height. Luma is filtered as asked, chroma
  by the same filters with shorter lengths, as many times as its planes are smaller, where every filter has a length in px and weights
    that do not cancel: gaussian, box, disk, motion_blur, unsharp_mask. Its zero stays zero: --scale works about it, the border
    constant is it, and --offset is for luma alone;
  not at all, it stays as it is, with any other filter: edges, sobel, sharpen, custom, ...; --rgb filters colours whatever the filter.
  With --gray it becomes zero.

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

  std::string filter, in;
  FilterOptions filter_options;
  Given out;
  Given border, border_value, scale, offset, view;
  Given device, accuracy, threads;
  Given codec, preset, crf, pixel_format, input_options, frames;
  bool correlate = false, rgb = false, gray = false;
  bool preview = false, realtime = false, keep_going = false;
  bool quiet = false, timing = false, json = false;
};

Flags::Flags(Command& command) : filter_options(command) {
  command.positional("filter", filter, "FILTER",
                     "a filter's name (see halation filters), custom with --weights, or a chain of filters with their parameters, "
                     "\"gaussian sigma=2 | edges\", rounded once, at the end");
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
  encoding.text("--codec", codec, "NAME", "ffmpeg's encoder [libx264 for .mp4, .mkv and .mov, else what ffmpeg takes]");
  encoding.text("--preset", preset, "NAME", "how much time the encoder takes, of libx264 ultrafast to veryslow [medium]");
  encoding.text("--crf", crf, "N", "quality of libx264 and others, smaller is better [23 of libx264]");
  encoding.text("--pixel-format", pixel_format, "NAME", "of the result, as ffmpeg calls it [that of the input, or the codec's nearest]");

  OptionGroup how = command.group("How it is applied");
  how.text("--border", border, "constant|replicate|reflect|reflect101|wrap",
           "what lies outside the frame, one for all axes, or one each for height,width [reflect101]");
  how.text("--border-value", border_value, "V", "the value of the border constant, in levels of the pixel format [0]");
  how.flag("--correlate", correlate, "correlate in place of convolving (named filters give the same either way)");
  how.text("--scale", scale, "S", "S in out = round(S · sum + O) [1]");
  how.text("--offset", offset, "O", "O in out = round(S · sum + O), in levels of the pixel format [0]");
  how.text("--view", view, "signed|abs|stretch",
           "what the picture shows of results that its pixels cannot hold: zero as middle grey, all others as far from it as the "
           "weights make sure that nothing is lost; magnitudes; or all from the smallest to the largest of each frame. Of luma, R, G "
           "and B; chroma and alpha are as without [values, rounded and saturated]");

  OptionGroup colours = command.group("Colour");
  colours.flag("--rgb", rgb, "filter R, G and B, to which frames are converted and back");
  colours.flag("--gray", gray, "filter luma; the result is gray");

  OptionGroup machine = command.group("Machine");
  machine.text("--device", device, "auto|cpu|cuda|reference",
               "where to compute, cuda:1 for the second GPU; auto takes what ends soonest, start-up and transfers included [auto]");
  machine.text("--accuracy", accuracy, "exact|fast",
               "fast allows errors of up to 1/1024 of the brightest, where that is quicker [exact]");
  machine.text("--threads", threads, "N", "CPU threads of the filter, 0 for as many as HALATION_THREADS says, or all [0]");

  OptionGroup reports = command.group("Reports");
  reports.flag("--timing", timing, "frames, seconds and FPS, and what limits them, on standard error");
  reports.flag("--json", json, "the same as a JSON object on standard output");
  reports.flag("--quiet", quiet, "no line that tells how far it is, on a terminal");
  command.footer(footer);
}

[[noreturn]] void refuse(const std::string& sentence) { throw Error{ErrorCode::invalid_argument, sentence}; }

/// For frames, of two dimensions whatever their planes are stored as.
Chain chain_for_frames(const Flags& flags) {
  Chain chain = flags.filter_options.chain(flags.filter);
  for (FilterSet& stage : chain.stages) {
    for (Filter& filter : stage.filters) {
      filter = filter.with_dims(2);
      if (filter.dims() > 2) refuse("frames have 2 dimensions, got a filter of 3");
    }
  }
  return chain;
}

Options options_of(const Flags& flags) {
  Options options;
  const double value = flags.border_value ? number_from("--border-value", *flags.border_value) : 0;
  if (flags.border) {
    const std::vector<Border> borders = borders_from(*flags.border, value);
    const Border &along_y = borders[borders.size() > 2 ? 1 : 0], &along_x = borders.back();
    options.border = {.z = along_y, .y = along_y, .x = along_x};
  }
  const auto axes = options.border.axes();
  if (flags.border_value &&
      std::none_of(axes.begin(), axes.end(), [](const Border& border) { return border.mode == Border::Mode::constant; }))
    refuse("--border-value goes with --border constant");
  if (flags.correlate) options.operation = Operation::correlation;
  if (flags.scale) options.scale = number_from("--scale", *flags.scale);
  if (flags.offset) options.offset = number_from("--offset", *flags.offset);
  if (flags.accuracy) options.accuracy = accuracy_named(*flags.accuracy);
  if (flags.threads) options.threads = static_cast<int>(whole_number_from("--threads", *flags.threads, 0, 1024));
  return options;
}

VideoOutput output_of(const Flags& flags) {
  const std::string& path = *flags.out;
  if (path == "-") refuse("-o needs a file, in which a video's beginning is written last; standard output is none");
  std::error_code ignored;
  if (std::filesystem::equivalent(path, flags.in, ignored)) refuse("-o needs a file of its own, not the one that is read");
  (void)muxer_for(path);
  VideoOutput output{.path = path, .codec = flags.codec, .preset = flags.preset, .crf = flags.crf, .pixel_format = flags.pixel_format};
  if (flags.crf) (void)number_from("--crf", *flags.crf);
  return output;
}

VideoRequest request_of(const Flags& flags) {
  if (!flags.out && !flags.preview) refuse("-o FILE is needed, or --preview; see halation video --help");
  if (flags.rgb && flags.gray) refuse("--rgb and --gray exclude each other");
  if (flags.in == "-") refuse("a video cannot be read from standard input, which ffmpeg would have to open several times");
  VideoRequest request{.input = {.name = flags.in, .options = {}, .realtime = flags.realtime, .keeps_going = flags.keep_going},
                       .shows = flags.preview,
                       .title = "halation " + flags.filter,
                       .rgb = flags.rgb,
                       .gray = flags.gray,
                       .chain = chain_for_frames(flags),
                       .options = options_of(flags)};
  if (flags.input_options) request.input.options = words_of(*flags.input_options);
  if (flags.out) request.output = output_of(flags);
  if (flags.frames) request.frames = whole_number_from("--frames", *flags.frames, 1, std::int64_t{1} << 40);
  if (flags.view) request.view = display_named(*flags.view);
  if (flags.device) request.device = device_from(*flags.device);
  request.chroma_chain = [&flags](const FrameFormat& format) { return chroma_chain(flags.filter, flags.filter_options, format); };
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

std::string json_of(const Flags& flags, const VideoReport& report) {
  nlohmann::ordered_json json{{"filter", flags.filter}, {"input", flags.in}};
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
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void video(const Flags& flags) {
  VideoRequest request = request_of(flags);
  std::optional<ProgressLine> line;
  if (!flags.quiet && StatusLine::is_possible()) {
    line.emplace();
    request.progress = [&](std::int64_t done, std::optional<std::int64_t> all) { line->show(done, all); };
  }
  const VideoReport report = filter_video(request);
  line.reset();
  for (const std::string& note : report.notes) notice(fmt::format("video: {}\n", note));
  if (flags.timing) fmt::print(stderr, "{}", table_of(report));
  if (flags.json) fmt::print("{}\n", json_of(flags, report));
}

}  // namespace

void add_video(Program& program) {
  Command& command = program.add("video", "Filters every frame of a video, by way of the program ffmpeg");
  const auto flags = std::make_shared<Flags>(command);
  command.does([flags] { video(*flags); });
}

}  // namespace halation::app
