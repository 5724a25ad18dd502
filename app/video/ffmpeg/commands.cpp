// commands.cpp: what the programs ffmpeg and ffplay are asked for.
#include "commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/video/ffmpeg/container.h"
#include "app/video/ffmpeg/nut.h"

namespace halation::app {
namespace {

/// VideoOutput options that write the facts of colour down; `for_rgb`: of frames that have no matrix yet.
Words colour_tags(const VideoFacts& facts) {
  // Two curves that ffprobe calls by the standards they come from, ffmpeg by their exponents.
  const std::string transfer = facts.transfer == "bt470m" ? "gamma22" : facts.transfer == "bt470bg" ? "gamma28" : facts.transfer;
  Words words;
  const auto tag = [&](const char* option, const std::string& value) {
    if (!value.empty()) append(words, {option, value});
  };
  if (!facts.format.is_rgb) {
    tag("-color_range", facts.range);
    tag("-colorspace", facts.matrix);
  }
  tag("-color_primaries", facts.primaries);
  tag("-color_trc", transfer);
  return words;
}

/// The matrix between R, G, B and luma, chroma, as ffmpeg's filter scale calls it; empty where it goes by its own.
std::string matrix_for_scale(const VideoFacts& facts) {
  if (facts.format.is_rgb) return "";
  if (facts.matrix == "bt2020nc" || facts.matrix == "bt2020c") return "bt2020";
  constexpr std::string_view known[] = {"bt709", "fcc", "bt470bg", "smpte170m", "smpte240m"};
  return std::find(std::begin(known), std::end(known), facts.matrix) == std::end(known) ? "" : facts.matrix;
}

/// Everything of input 1 but its frames.
Words all_but_frames(const VideoFacts& facts, const Carried& carried) {
  Words words{"-map_metadata",   "1",       "-map_chapters",   "1",          "-map_metadata:s:v:0", "1:s:" + std::to_string(facts.stream),
              "-metadata:s:v:0", "rotate=", "-metadata:s:v:0", "alpha_mode="};  // frames are upright; whether there is alpha, ffmpeg says
  // Streams of one kind. What is said of one stream's metadata, above, ends their copying by default.
  const auto take = [&](const char* kind, const std::vector<std::string>& codecs) {
    if (!codecs.empty()) append(words, {"-map", fmt::format("1:{}", kind)});
    for (std::size_t i = 0; i < codecs.size(); ++i) {
      append(words, {fmt::format("-map_metadata:s:{}:{}", kind, i), fmt::format("1:s:{}:{}", kind, i)});
      if (!codecs[i].empty()) append(words, {fmt::format("-c:{}:{}", kind, i), codecs[i]});
    }
  };
  take("a", carried.sound);
  take("s", carried.subtitles);
  if (carried.attachments) take("t", std::vector<std::string>(facts.attachments, "copy"));
  return words;
}

/// How often an animation is shown, as the format's muxer calls it.
Words plays_in(const std::string& muxer, std::uint32_t plays) {
  const std::int64_t count = std::min(plays, std::uint32_t{65535});
  if (muxer == "gif") return {"-loop", std::to_string(count == 0 ? 0 : count == 1 ? -1 : count - 1)};
  if (muxer == "apng") return {"-plays", std::to_string(count)};
  return {};
}

/// Options of the demuxer for frames: ffmpeg's own -r would undo a delay.
Words frames_from_pipe(const VideoFacts& facts, const FramesInPipe& pipe) {
  if (pipe.keeps_times) return {"-f", "nut"};
  return {"-f",         "rawvideo", "-pixel_format", pipe.format.name, "-video_size", fmt::format("{}x{}", facts.width, facts.height),
          "-framerate", facts.rate};
}

/// Frames and the files that they go to have times to this: most rates are multiples of it, and MPEG-4 takes none that is much finer.
constexpr const char* time_base = "1/60000";

}  // namespace

bool nut_carries(const FrameFormat& format, std::int64_t width, std::int64_t height) {
  constexpr std::string_view not_known[] = {"ya16le", "yuv440p10le", "yuv440p12le"};
  if (std::find(std::begin(not_known), std::end(not_known), format.name) != std::end(not_known)) return false;
  std::int64_t samples = format.image(width, height).elements();
  if (format.kind == FrameFormat::Kind::yuv) samples += format.chroma(width, height).elements();
  return static_cast<std::size_t>(samples) * bytes_of(format.pixel) > NutReader::least_bytes;
}

Words decoder(const VideoInput& input, const VideoFacts& facts, const FramesInPipe& pipe, std::optional<std::int64_t> frames) {
  Words words{"ffmpeg", "-v", "error", "-nostdin"};
  if (!input.keeps_going) words.emplace_back("-xerror");
  if (input.realtime) words.emplace_back("-re");
  if (!facts.decoder.empty()) append(words, {"-c:v", facts.decoder});
  append(words, input.options);
  append(words, {"-i", address_of(input), "-map", "0:" + std::to_string(facts.stream)});
  // Counted from the first frame, or it would be repeated to fill the time before it. Frames of another size, which a file may change to
  // midway, become those of the first.
  std::string scale = fmt::format("setpts=PTS-STARTPTS,scale={}:{}", facts.width, facts.height);
  const FrameFormat& format = pipe.format;
  const bool to_rgb = format.kind != FrameFormat::Kind::yuv && format.kind != FrameFormat::Kind::gray;
  if (const std::string matrix = matrix_for_scale(facts); to_rgb && !matrix.empty()) scale += ":in_color_matrix=" + matrix;
  append(words, {"-vf", scale});
  if (frames) append(words, {"-frames:v", std::to_string(*frames)});
  if (pipe.keeps_times) {
    append(words, {"-fps_mode", "passthrough", "-enc_time_base", time_base, "-c:v", "rawvideo", "-f", "nut"});
  } else {
    append(words, {"-r", facts.rate, "-f", "rawvideo"});
  }
  append(words, {"-pix_fmt", format.name, "pipe:1"});
  return words;
}

Words encoder(const VideoInput& input, const VideoFacts& facts, const FramesInPipe& pipe, const VideoOutput& output,
              const Encoding& encoding, std::optional<std::int64_t> frames) {
  const std::string muxer = muxer_for(output.path);
  const FrameFormat& format = pipe.format;
  const bool from_rgb = format.kind == FrameFormat::Kind::pixels || format.kind == FrameFormat::Kind::rgb_planes;
  Words words{"ffmpeg", "-v", "error", "-nostdin", "-y"};
  const bool seeks = option_in(input.options, "ss") || option_in(input.options, "sseof");
  const double delay = facts.is_file && !seeks ? facts.delay_seconds : 0;
  if (delay > 0) append(words, {"-itsoffset", fmt::format("{:.6f}", delay)});
  append(words, frames_from_pipe(facts, pipe));
  if (!from_rgb) append(words, colour_tags(facts));
  append(words, {"-i", "pipe:0"});
  if (facts.is_file) {
    append(words, without(input.options, "itsoffset"));  // frames come without it
    append(words, {"-i", address_of(input)});
  }
  append(words, {"-map", "0:v:0"});
  if (facts.is_file) append(words, all_but_frames(facts, carried_of(facts, muxer)));

  std::vector<std::string> filters;
  if (const std::string matrix = matrix_for_scale(facts); from_rgb && !matrix.empty())
    filters.push_back(fmt::format("scale=out_color_matrix={}{}", matrix, facts.range == "pc" ? ":out_range=pc" : ""));
  if (!facts.aspect.empty()) filters.push_back("setsar=" + [&] {
    std::string ratio = facts.aspect;
    std::replace(ratio.begin(), ratio.end(), ':', '/');
    return ratio;
  }());
  if (encoding.makes_palettes) filters.emplace_back("split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1");
  if (!filters.empty()) append(words, {"-vf", fmt::format("{}", fmt::join(filters, ","))});
  append(words, colour_tags(facts));
  append(words, {"-fps_mode", "vfr"});  // no frame is repeated before the first, where a delay is

  if (!encoding.encoder.empty()) append(words, {"-c:v", encoding.encoder});
  if (encoding.encoder == "libx265") append(words, {"-x265-params", "log-level=error"});                       // which does not ask -v
  if (encoding.encoder == "libvpx" && facts.format.has_alpha) append(words, {"-auto-alt-ref", "0"});           // it has one of the two
  if (encoding.encoder == "libx265" && (muxer == "mp4" || muxer == "mov")) append(words, {"-tag:v", "hvc1"});  // which Apple's players take
  if (output.preset) append(words, {"-preset", *output.preset});
  if (output.crf) append(words, {"-crf", *output.crf});
  if (encoding.makes_palettes) {
    append(words, {"-pix_fmt", "pal8"});
  } else if (output.pixel_format) {
    append(words, {"-pix_fmt", *output.pixel_format});
  } else if (!facts.format.has_palette) {  // to which ffmpeg converts nothing
    append(words, {"-pix_fmt", facts.format.name});
  }
  if (pipe.keeps_times) append(words, {"-enc_time_base", time_base});
  if (frames && pipe.keeps_times) append(words, {"-shortest"});
  if (frames && !pipe.keeps_times)
    append(words, {"-t", fmt::format("{:.6f}", delay + static_cast<double>(*frames) / facts.frames_per_second)});
  if (facts.plays) append(words, plays_in(muxer, *facts.plays));
  append(words, {"-f", muxer, "/proc/self/fd/3"});
  return words;
}

Words player(const VideoFacts& facts, const FramesInPipe& pipe, const std::string& title) {
  Words words{"ffplay", "-v", "error", "-autoexit", "-window_title", title};
  append(words, frames_from_pipe(facts, pipe));
  append(words, {"-i", "pipe:0"});
  return words;
}

}  // namespace halation::app
