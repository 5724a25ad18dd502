// ffmpeg.cpp: what the programs ffmpeg, ffprobe and ffplay are asked for, and what they answer.
#include "ffmpeg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "halation/error.h"

namespace halation::app {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* how_to_install = "; on Debian: apt-get install ffmpeg";

[[noreturn]] void fail(const VideoInput& input, const std::string& sentence) { throw Error(ErrorCode::io, input.name + ": " + sentence); }

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

bool is_regular(const std::string& name) {
  std::error_code ignored;
  return fs::is_regular_file(name, ignored);
}

/// A file's name as ffmpeg takes it: "a:b.mp4" would be the protocol a.
std::string address_of(const VideoInput& input) {
  return input.name.find(':') != std::string::npos && is_regular(input.name) ? "file:" + input.name : input.name;
}

/// Options that ffmpeg has before an input and ffprobe does not know.
Words for_probe(const Words& options) {
  constexpr std::string_view with_value[] = {"-ss",      "-sseof",       "-t",       "-to",
                                             "-itsoffset", "-stream_loop", "-readrate", "-thread_queue_size",
                                             "-hwaccel", "-hwaccel_device", "-hwaccel_output_format"};
  Words kept;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == "-re") continue;
    if (std::find(std::begin(with_value), std::end(with_value), options[i]) != std::end(with_value)) {
      ++i;
    } else {
      kept.push_back(options[i]);
    }
  }
  return kept;
}

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return "";
  const std::string text = *found;
  return text == "unknown" || text == "reserved" || text == "N/A" ? "" : text;
}

/// ffprobe writes some numbers as texts.
std::optional<double> number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  if (found->is_number()) return found->get<double>();
  const std::string text = text_in(object, name);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

int whole_in(const Json& object, const char* name) { return static_cast<int>(number_in(object, name).value_or(0)); }

/// Frames a second; nothing for "0/0".
std::optional<double> rate_from(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {};
  double over = 0, under = 0;
  std::from_chars(text.data(), text.data() + slash, over);
  std::from_chars(text.data() + slash + 1, text.data() + text.size(), under);
  if (over <= 0 || under <= 0) return {};
  return over / under;
}

FormatFacts format_facts(const Json& formats, const std::string& name) {
  FormatFacts facts{.name = name};
  for (const Json& each : formats) {
    if (text_in(each, "name") != name) continue;
    const Json& flags = each.at("flags");
    facts.components = whole_in(each, "nb_components");
    facts.chroma_x = whole_in(each, "log2_chroma_w");
    facts.chroma_y = whole_in(each, "log2_chroma_h");
    facts.is_planar = whole_in(flags, "planar") != 0;
    facts.is_rgb = whole_in(flags, "rgb") != 0;
    facts.has_alpha = whole_in(flags, "alpha") != 0;
    facts.has_palette = whole_in(flags, "palette") != 0;
    if (const auto found = each.find("components"); found != each.end()) {
      for (const Json& component : *found) facts.depth = std::max(facts.depth, whole_in(component, "bit_depth"));
    }
  }
  return facts;
}

/// Whether frames are laid on their side.
bool is_turned(const Json& stream) {
  const auto found = stream.find("side_data_list");
  if (found == stream.end()) return false;
  for (const Json& each : *found) {
    if (whole_in(each, "rotation") % 180 != 0) return whole_in(each, "rotation") % 90 == 0;
  }
  return false;
}

std::string turned_aspect(const std::string& aspect) {
  const std::size_t colon = aspect.find(':');
  return colon == std::string::npos ? aspect : aspect.substr(colon + 1) + ":" + aspect.substr(0, colon);
}

void take_video(VideoFacts& facts, const Json& stream, const Json& answer) {
  facts.stream = whole_in(stream, "index");
  facts.width = whole_in(stream, "width");
  facts.height = whole_in(stream, "height");
  facts.format = format_facts(answer.at("pixel_formats"), text_in(stream, "pix_fmt"));
  facts.aspect = text_in(stream, "sample_aspect_ratio");
  if (is_turned(stream)) {
    std::swap(facts.width, facts.height);
    facts.aspect = turned_aspect(facts.aspect);
  }
  if (facts.aspect == "1:1" || facts.aspect.starts_with("0:") || facts.aspect.ends_with(":0")) facts.aspect.clear();
  facts.range = text_in(stream, "color_range");
  facts.matrix = text_in(stream, "color_space");
  facts.primaries = text_in(stream, "color_primaries");
  facts.transfer = text_in(stream, "color_transfer");
  facts.rate = "25/1";  // that of pictures that tell none
  for (const char* name : {"r_frame_rate", "avg_frame_rate"}) {
    if (rate_from(text_in(stream, name))) facts.rate = text_in(stream, name);
  }
  facts.frames_per_second = *rate_from(facts.rate);
  const std::optional<double> begin = number_in(stream, "start_time");
  if (begin && answer.contains("format")) facts.delay_seconds = std::max(0.0, *begin - number_in(answer.at("format"), "start_time").value_or(*begin));
  std::optional<double> seconds = number_in(stream, "duration");
  if (!seconds && answer.contains("format")) seconds = number_in(answer.at("format"), "duration");
  if (const std::optional<double> frames = number_in(stream, "nb_frames")) {
    facts.frames = static_cast<std::int64_t>(*frames);
  } else if (seconds) {
    facts.frames = std::llround(*seconds * facts.frames_per_second);
  }
}

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

struct Container {
  std::string_view muxer;
  std::string_view default_codec;
  bool has_sound;
  std::string_view subtitles;  ///< "copy", the codec that they become, or "" for none
};

Container container_of(const std::string& muxer) {
  constexpr Container known[] = {{"mp4", "libx264", true, "mov_text"}, {"mov", "libx264", true, "mov_text"},
                                 {"matroska", "libx264", true, "copy"}, {"webm", "", true, "webvtt"},
                                 {"gif", "", false, ""},  {"apng", "", false, ""}, {"webp", "", false, ""},
                                 {"h264", "", false, ""}, {"hevc", "", false, ""}, {"mjpeg", "", false, ""},
                                 {"yuv4mpegpipe", "", false, ""}, {"ivf", "", false, ""}, {"rawvideo", "", false, ""}};
  for (const Container& each : known) {
    if (each.muxer == muxer) return each;
  }
  return {.muxer = "", .default_codec = "", .has_sound = true, .subtitles = ""};
}

bool takes_sound_as_it_is(std::string_view muxer, const std::vector<std::string>& codecs) {
  return std::all_of(codecs.begin(), codecs.end(), [&](const std::string& codec) {
    if (muxer == "webm") return codec == "opus" || codec == "vorbis";
    return muxer != "mp4" || !codec.starts_with("pcm_");
  });
}

/// What is no picture can become another text.
bool are_texts(const std::vector<std::string>& codecs) {
  constexpr std::string_view texts[] = {"subrip", "srt", "ass", "ssa", "webvtt", "mov_text", "text"};
  return std::all_of(codecs.begin(), codecs.end(),
                     [&](const std::string& codec) { return std::find(std::begin(texts), std::end(texts), codec) != std::end(texts); });
}

/// Everything of input 1 but its frames.
Words all_but_frames(const VideoFacts& facts, const Container& container) {
  Words words{"-map_metadata", "1", "-map_chapters", "1", "-map_metadata:s:v:0", "1:s:" + std::to_string(facts.stream),
              "-metadata:s:v:0", "rotate="};  // frames are upright
  // Streams of one kind. What is said of one stream's metadata, above, ends their copying by default.
  const auto take = [&](const char* kind, std::size_t count, const std::string& codec) {
    append(words, {"-map", fmt::format("1:{}", kind)});
    for (std::size_t i = 0; i < count; ++i) append(words, {fmt::format("-map_metadata:s:{}:{}", kind, i), fmt::format("1:s:{}:{}", kind, i)});
    if (!codec.empty()) append(words, {fmt::format("-c:{}", kind), codec});
  };
  if (container.has_sound && !facts.sound.empty())
    take("a", facts.sound.size(), takes_sound_as_it_is(container.muxer, facts.sound) ? "copy" : "");
  const std::string subtitles(container.subtitles);
  if (!facts.subtitles.empty() && (subtitles == "copy" || (!subtitles.empty() && are_texts(facts.subtitles))))
    take("s", facts.subtitles.size(), subtitles);
  if (facts.attachments > 0 && container.muxer == "matroska") take("t", facts.attachments, "copy");
  return words;
}

/// Options of the demuxer for frames: ffmpeg's own -r would undo a delay.
Words frames_from_pipe(const VideoFacts& facts, const FrameFormat& format) {
  return {"-f",          "rawvideo",   "-pixel_format", format.name, "-video_size", fmt::format("{}x{}", facts.width, facts.height),
          "-framerate", facts.rate};
}

}  // namespace

FfmpegProcess::FfmpegProcess(const Words& words, const Ends& ends)
try : Process(words, ends) {
} catch (const Error& error) {
  if (error.code() != ErrorCode::unsupported) throw;
  const bool is_player = words.front() == "ffplay";
  throw Error(ErrorCode::unsupported,
              std::string(is_player ? "--preview needs the program ffplay" : "video needs the programs ffmpeg and ffprobe") + how_to_install);
}

Words words_of(const std::string& text) {
  Words words;
  std::optional<std::string> word;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word->push_back(c);
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      if (!word) word.emplace();
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      if (!word) word.emplace();
      word->push_back(c);
    } else if (word) {
      words.push_back(*std::exchange(word, {}));
    }
  }
  if (quote != '\0') throw Error(ErrorCode::invalid_argument, fmt::format("--input-options: the quote {} is not closed", quote));
  if (word) words.push_back(*word);
  return words;
}

VideoFacts probe(const VideoInput& input) {
  Words words{"ffprobe", "-v", "error", "-of", "json", "-show_pixel_formats", "-show_streams", "-show_format"};
  append(words, for_probe(input.options));
  append(words, {"-i", address_of(input)});
  FfmpegProcess ffprobe(words, {.out = true});
  std::string text(std::size_t{1} << 22, '\0');
  text.resize(ffprobe.read(text.data(), text.size()));
  if (ffprobe.wait() != 0) {
    std::error_code ignored;
    const bool is_path = input.options.empty() && input.name.find("://") == std::string::npos;
    if (is_path && !fs::exists(input.name, ignored)) fail(input, "no such file");
    if (is_path && fs::is_directory(input.name, ignored)) fail(input, "is a folder; a file was expected");
    std::string complaint = ffprobe.last_complaint();
    if (const std::string name = address_of(input) + ": "; complaint.starts_with(name)) complaint.erase(0, name.size());
    fail(input, "ffprobe: " + complaint);
  }
  const Json answer = Json::parse(text, nullptr, false);
  if (!answer.is_object() || !answer.contains("streams") || !answer.contains("pixel_formats"))
    fail(input, "ffprobe gave an answer that cannot be read");

  VideoFacts facts{.is_file = is_regular(input.name)};
  // Texts of any kind are drawings to ffmpeg, unless it is told what they are.
  const bool is_text = input.options.empty() && answer.contains("format") && text_in(answer.at("format"), "format_name") == "tty";
  bool is_there = false;
  for (const Json& stream : answer.at("streams")) {
    const std::string type = text_in(stream, "codec_type");
    if (type == "audio") facts.sound.push_back(text_in(stream, "codec_name"));
    if (type == "subtitle") facts.subtitles.push_back(text_in(stream, "codec_name"));
    if (type == "attachment") ++facts.attachments;
    // The cover of an album is no video.
    const bool is_cover = stream.contains("disposition") && whole_in(stream.at("disposition"), "attached_pic") != 0;
    if (type != "video" || is_cover || is_text || is_there) continue;
    is_there = true;
    take_video(facts, stream, answer);
  }
  if (!is_there) fail(input, "holds no video");
  if (facts.width <= 0 || facts.height <= 0 || facts.format.components == 0) fail(input, "its video cannot be decoded");
  return facts;
}

std::string muxer_for(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  if (ending.size() < 2)
    throw Error(ErrorCode::invalid_argument, fmt::format("{}: needs an ending that says the format, such as .mp4, .mkv, .mov or .webm", path));
  ending.erase(0, 1);
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static const std::map<std::string, std::string, std::less<>> named_otherwise{
      {"mkv", "matroska"}, {"mk3d", "matroska"}, {"m4v", "mp4"},   {"qt", "mov"},    {"ts", "mpegts"},  {"m2ts", "mpegts"},
      {"mts", "mpegts"},   {"mpg", "mpeg"},      {"wmv", "asf"},   {"ogv", "ogg"},   {"264", "h264"},   {"265", "hevc"},
      {"h265", "hevc"},    {"mjpg", "mjpeg"},    {"y4m", "yuv4mpegpipe"}, {"yuv", "rawvideo"}, {"rm", "rm"}};
  const auto found = named_otherwise.find(ending);
  return found == named_otherwise.end() ? ending : found->second;
}

Words decoder(const VideoInput& input, const VideoFacts& facts, const FrameFormat& format, std::optional<std::int64_t> frames) {
  Words words{"ffmpeg", "-v", "error", "-nostdin"};
  if (!input.keeps_going) words.emplace_back("-xerror");
  if (input.realtime) words.emplace_back("-re");
  append(words, input.options);
  append(words, {"-i", address_of(input), "-map", "0:" + std::to_string(facts.stream)});
  // Counted from the first frame, or it would be repeated to fill the time before it. Frames of another size, which a file may change to
  // midway, become those of the first.
  std::string scale = fmt::format("setpts=PTS-STARTPTS,scale={}:{}", facts.width, facts.height);
  const bool to_rgb = format.kind != FrameFormat::Kind::yuv && format.kind != FrameFormat::Kind::gray;
  if (const std::string matrix = matrix_for_scale(facts); to_rgb && !matrix.empty()) scale += ":in_color_matrix=" + matrix;
  append(words, {"-vf", scale});
  if (frames) append(words, {"-frames:v", std::to_string(*frames)});
  append(words, {"-r", facts.rate, "-f", "rawvideo", "-pix_fmt", format.name, "pipe:1"});
  return words;
}

Words encoder(const VideoInput& input, const VideoFacts& facts, const FrameFormat& format, const VideoOutput& output,
              std::optional<std::int64_t> frames) {
  const std::string muxer = muxer_for(output.path);
  const Container container = container_of(muxer);
  const bool from_rgb = format.kind == FrameFormat::Kind::pixels || format.kind == FrameFormat::Kind::rgb_planes;
  Words words{"ffmpeg", "-v", "error", "-nostdin", "-y"};
  const double delay = facts.is_file && input.options.empty() ? facts.delay_seconds : 0;  // options may seek
  if (delay > 0) append(words, {"-itsoffset", fmt::format("{:.6f}", delay)});
  append(words, frames_from_pipe(facts, format));
  if (!from_rgb) append(words, colour_tags(facts));
  append(words, {"-i", "pipe:0"});
  if (facts.is_file) {
    append(words, input.options);
    append(words, {"-i", address_of(input)});
  }
  append(words, {"-map", "0:v:0"});
  if (facts.is_file) append(words, all_but_frames(facts, container));

  std::vector<std::string> filters;
  if (const std::string matrix = matrix_for_scale(facts); from_rgb && !matrix.empty())
    filters.push_back(fmt::format("scale=out_color_matrix={}{}", matrix, facts.range == "pc" ? ":out_range=pc" : ""));
  if (!facts.aspect.empty()) filters.push_back("setsar=" + [&] {
    std::string ratio = facts.aspect;
    std::replace(ratio.begin(), ratio.end(), ':', '/');
    return ratio;
  }());
  if (!filters.empty()) append(words, {"-vf", fmt::format("{}", fmt::join(filters, ","))});
  append(words, colour_tags(facts));
  append(words, {"-fps_mode", "vfr"});  // no frame is repeated before the first, where a delay is

  const std::string codec = output.codec.value_or(std::string(container.default_codec));
  if (!codec.empty()) append(words, {"-c:v", codec});
  if (output.preset) append(words, {"-preset", *output.preset});
  if (output.crf) append(words, {"-crf", *output.crf});
  if (output.pixel_format) {
    append(words, {"-pix_fmt", *output.pixel_format});
  } else if (!facts.format.has_palette) {  // to which ffmpeg converts nothing
    append(words, {"-pix_fmt", facts.format.name});
  }
  if (frames) append(words, {"-t", fmt::format("{:.6f}", delay + static_cast<double>(*frames) / facts.frames_per_second)});
  append(words, {"-f", muxer, "/proc/self/fd/3"});
  return words;
}

Words player(const VideoFacts& facts, const FrameFormat& format, const std::string& title) {
  Words words{"ffplay", "-v", "error", "-autoexit", "-window_title", title};
  append(words, frames_from_pipe(facts, format));
  append(words, {"-i", "pipe:0"});
  return words;
}

}  // namespace halation::app
