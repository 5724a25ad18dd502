// probe.cpp: what ffprobe says of a video.
#include "probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "halation/error.h"
#include "io/file.h"

namespace halation::app {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

[[noreturn]] void fail(const VideoInput& input, const std::string& sentence) { throw Error(ErrorCode::io, input.name + ": " + sentence); }

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

/// Frames a second, of "30000/1001" or "29.97"; nothing for "0/0".
std::optional<double> rate_from(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  double over = 0, under = 1;
  if (std::from_chars(text.data(), text.data() + slash, over).ptr != text.data() + slash) return {};
  if (slash < text.size()) std::from_chars(text.data() + slash + 1, text.data() + text.size(), under);
  if (over <= 0 || under <= 0) return {};
  return over / under;
}

FormatFacts facts_of_format(const Json& format) {
  const Json& flags = format.at("flags");
  FormatFacts facts{.name = text_in(format, "name")};
  facts.components = whole_in(format, "nb_components");
  facts.chroma_x = whole_in(format, "log2_chroma_w");
  facts.chroma_y = whole_in(format, "log2_chroma_h");
  facts.is_planar = whole_in(flags, "planar") != 0;
  facts.is_rgb = whole_in(flags, "rgb") != 0;
  facts.has_alpha = whole_in(flags, "alpha") != 0;
  facts.has_palette = whole_in(flags, "palette") != 0;
  if (const auto found = format.find("components"); found != format.end()) {
    for (const Json& component : *found) facts.depth = std::max(facts.depth, whole_in(component, "bit_depth"));
  }
  return facts;
}

FormatFacts format_facts(const Json& formats, const std::string& name) {
  for (const Json& each : formats) {
    if (text_in(each, "name") == name) return facts_of_format(each);
  }
  return {.name = name};
}

/// Whether the stream says which light HDR10's display and frames have.
bool has_light_levels(const Json& stream) {
  const auto found = stream.find("side_data_list");
  return found != stream.end() && std::any_of(found->begin(), found->end(), [](const Json& each) {
           const std::string type = text_in(each, "side_data_type");
           return type == "Mastering display metadata" || type == "Content light level metadata";
         });
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

constexpr std::size_t packets_read = 300;

/// Whether frames come at other times than one rate has: by the two rates that ffprobe gives, of which the one that all times are multiples
/// of is twice the other where fields are told apart, or by the times themselves, as far as they have been read.
bool is_variable(const Json& answer, int stream, double rate, double of_all_times) {
  const double ratio = of_all_times / rate;
  if (std::abs(ratio - std::round(ratio)) > 0.001) return true;
  const auto packets = answer.find("packets");
  if (packets == answer.end()) return false;
  std::vector<double> times;
  for (const Json& packet : *packets) {
    const std::optional<double> time = number_in(packet, "pts_time");
    if (time && whole_in(packet, "stream_index") == stream) times.push_back(*time);
  }
  std::sort(times.begin(), times.end());
  // Where reading stopped, frames are missing that are stored behind those that they precede.
  constexpr std::size_t most_reordered = 20;
  if (packets->size() >= packets_read) times.resize(times.size() - std::min(times.size(), most_reordered));
  const double step = 1 / rate, tolerance = std::max(0.0015, 0.1 * step);  // times may be rounded to milliseconds
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (std::abs(times[i] - times[i - 1] - step) > tolerance) return true;
  }
  return false;
}

/// The pixel formats that lose nothing of this one's but alpha.
std::vector<std::string> formats_that_hold(const FormatFacts& format, const Json& formats) {
  const auto colours = [](const FormatFacts& of) { return of.components - (of.has_alpha ? 1 : 0); };
  std::vector<std::string> names;
  for (const Json& each : formats) {
    const FormatFacts other = facts_of_format(each);
    const bool has_chroma = colours(format) == 1 || (other.chroma_x <= format.chroma_x && other.chroma_y <= format.chroma_y);
    if (!other.has_palette && other.depth >= format.depth && colours(other) >= colours(format) && has_chroma)
      names.push_back(other.name);
  }
  return names;
}

/// Alpha that VP8 and VP9 have beside their frames, of which ffmpeg's own decoders know nothing.
void take_alpha(VideoFacts& facts, const Json& stream, const Json& formats) {
  for (const Json& each : formats) {
    const Json& flags = each.at("flags");
    if (whole_in(flags, "alpha") != 0 && whole_in(flags, "palette") == 0) facts.formats_with_alpha.push_back(text_in(each, "name"));
  }
  const auto tags = stream.find("tags");
  const bool is_beside = tags != stream.end() && (text_in(*tags, "alpha_mode") == "1" || text_in(*tags, "ALPHA_MODE") == "1");
  if (!is_beside || facts.format.name != "yuv420p" || (facts.codec != "vp8" && facts.codec != "vp9")) return;
  const std::string decoder = facts.codec == "vp8" ? "libvpx" : "libvpx-vp9";
  if (answer_of({"ffmpeg", "-v", "error", "-h", "decoder=" + decoder}).text.starts_with("Decoder ")) {
    facts.decoder = decoder;
    facts.format = format_facts(formats, "yuva420p");
  } else {
    facts.notes.push_back(fmt::format("alpha is lost: this ffmpeg lacks the decoder {}, which knows of it", decoder));
  }
}

/// How often a GIF or APNG is shown, 0: without end; ffprobe does not say it. It stands before the first frame.
std::optional<std::uint32_t> plays_of(const std::string& name, std::string_view codec) {
  if (codec != "gif" && codec != "apng") return {};
  const io::Input file(name);
  constexpr std::size_t most_before_frames = std::size_t{1} << 20;
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()), std::min(file.bytes().size(), most_before_frames));
  const auto byte_at = [&](std::size_t at) { return at < bytes.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at])) : 0; };
  constexpr std::string_view gif_loops = "NETSCAPE2.0\3\1", png_frames = "acTL";
  if (codec == "gif") {
    const std::size_t at = bytes.find(gif_loops);
    if (at == std::string_view::npos) return 1;
    const std::uint32_t repeats = byte_at(at + gif_loops.size()) | byte_at(at + gif_loops.size() + 1) << 8U;
    return repeats == 0 ? 0 : repeats + 1;
  }
  const std::size_t at = bytes.find(png_frames);
  if (at == std::string_view::npos) return {};
  const std::size_t plays = at + png_frames.size() + 4;  // behind the number of frames
  return byte_at(plays) << 24U | byte_at(plays + 1) << 16U | byte_at(plays + 2) << 8U | byte_at(plays + 3);
}

/// Whether the first frame has no transparent pixel, of which nothing tells but the pixels.
bool is_opaque(const VideoInput& input, int stream) {
  Words words{"ffmpeg", "-v", "error", "-nostdin"};
  append(words, input.options);
  append(words, {"-i", address_of(input), "-map", fmt::format("0:{}", stream), "-frames:v", "1", "-vf", "format=rgba,alphaextract", "-f", "rawvideo",
                 "-pix_fmt", "gray", "pipe:1"});
  return answer_of(words).text.find_first_not_of('\xff') == std::string::npos;
}

/// What options change of it that ffprobe knows nothing of.
void take_options(VideoFacts& facts, const Words& options) {
  if (const std::optional<std::string> rate = option_in(options, "r")) {
    const std::optional<double> frames_per_second = rate_from(*rate);
    if (!frames_per_second)
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--input-options: -r takes frames a second, such as 30 or 30000/1001, got '{}'", *rate));
    facts.rate = *rate;
    facts.is_variable = false;
    facts.frames_per_second = *frames_per_second;
  }
  if (option_in(options, "an")) facts.sound.clear();
  if (option_in(options, "sn")) facts.subtitles.clear();
  for (const char* name : {"ss", "sseof", "t", "to", "stream_loop", "itsscale"}) {
    if (option_in(options, name)) facts.frames.reset();
  }
}

void take_video(VideoFacts& facts, const Json& stream, const Json& answer, const Words& options) {
  facts.stream = whole_in(stream, "index");
  facts.width = whole_in(stream, "width");
  facts.height = whole_in(stream, "height");
  facts.codec = text_in(stream, "codec_name");
  facts.format = format_facts(answer.at("pixel_formats"), text_in(stream, "pix_fmt"));
  take_alpha(facts, stream, answer.at("pixel_formats"));
  facts.formats_that_hold = formats_that_hold(facts.format, answer.at("pixel_formats"));
  facts.aspect = text_in(stream, "sample_aspect_ratio");
  if (is_turned(stream) && !option_in(options, "noautorotate")) {
    std::swap(facts.width, facts.height);
    facts.aspect = turned_aspect(facts.aspect);
  }
  if (facts.aspect == "1:1" || facts.aspect.starts_with("0:") || facts.aspect.ends_with(":0")) facts.aspect.clear();
  facts.range = text_in(stream, "color_range");
  facts.matrix = text_in(stream, "color_space");
  facts.primaries = text_in(stream, "color_primaries");
  facts.transfer = text_in(stream, "color_transfer");
  facts.has_light_levels = has_light_levels(stream);
  constexpr std::string_view interlaced[] = {"tt", "bb", "tb", "bt"};
  facts.is_interlaced = std::find(std::begin(interlaced), std::end(interlaced), text_in(stream, "field_order")) != std::end(interlaced);
  facts.rate = "25/1";  // that of pictures that tell none
  for (const char* name : {"r_frame_rate", "avg_frame_rate"}) {
    if (rate_from(text_in(stream, name))) facts.rate = text_in(stream, name);
  }
  facts.frames_per_second = *rate_from(facts.rate);
  const double of_all_times = rate_from(text_in(stream, "r_frame_rate")).value_or(facts.frames_per_second);
  facts.is_variable = is_variable(answer, facts.stream, facts.frames_per_second, of_all_times);
  constexpr double most_repeated = 4;  // where there must be one rate
  if (facts.is_variable && of_all_times <= most_repeated * facts.frames_per_second) {
    facts.rate = text_in(stream, "r_frame_rate");
    facts.frames_per_second = of_all_times;
  }
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

/// ffprobe's answer. Throws where it has none.
std::string ask_ffprobe(const VideoInput& input) {
  Words options = for_probe(input.options);
  for (;;) {
    Words words{"ffprobe", "-v", "error", "-of", "json", "-show_pixel_formats", "-show_streams", "-show_format", "-show_chapters"};
    // A camera's packets would have to be waited for.
    if (is_regular(input.name)) append(words, {"-show_packets", "-read_intervals", fmt::format("%+#{}", packets_read)});
    append(words, options);
    append(words, {"-i", address_of(input)});
    Answer answer = answer_of(words);
    if (answer.code == 0) return std::move(answer.text);
    if (leave_out_unknown(options, answer.complaint)) continue;
    std::error_code ignored;
    const bool is_path = input.options.empty() && input.name.find("://") == std::string::npos;
    if (is_path && !fs::exists(input.name, ignored)) fail(input, "no such file");
    if (is_path && fs::is_directory(input.name, ignored)) fail(input, "is a folder; a file was expected");
    if (const std::string name = address_of(input) + ": "; answer.complaint.starts_with(name)) answer.complaint.erase(0, name.size());
    fail(input, "ffprobe: " + answer.complaint);
  }
}

}  // namespace

VideoFacts probe(const VideoInput& input) {
  const Json answer = Json::parse(ask_ffprobe(input), nullptr, false);
  if (!answer.is_object() || !answer.contains("streams") || !answer.contains("pixel_formats"))
    fail(input, "ffprobe gave an answer that cannot be read");

  VideoFacts facts{.is_file = is_regular(input.name)};
  // Texts of any kind are drawings to ffmpeg, unless it is told what they are.
  const bool is_text = input.options.empty() && answer.contains("format") && text_in(answer.at("format"), "format_name") == "tty";
  int videos = 0;
  for (const Json& stream : answer.at("streams")) {
    const std::string type = text_in(stream, "codec_type");
    if (type == "audio") facts.sound.push_back(text_in(stream, "codec_name"));
    if (type == "subtitle") facts.subtitles.push_back(text_in(stream, "codec_name"));
    if (type == "attachment") ++facts.attachments;
    // The cover of an album is no video.
    const bool is_cover = stream.contains("disposition") && whole_in(stream.at("disposition"), "attached_pic") != 0;
    if (is_cover) ++facts.covers;
    if (type != "video" || is_cover || is_text || ++videos > 1) continue;
    take_video(facts, stream, answer, input.options);
  }
  if (videos == 0) fail(input, "holds no video");
  if (facts.width <= 0 || facts.height <= 0 || facts.format.components == 0) fail(input, "its video cannot be decoded");
  if (videos > 1) facts.notes.push_back(fmt::format("only the first of {} video streams is taken", videos));
  if (answer.contains("format")) facts.demuxer = text_in(answer.at("format"), "format_name");
  if (answer.contains("chapters")) facts.chapters = answer.at("chapters").size();
  take_options(facts, input.options);
  if (facts.is_file) facts.plays = plays_of(input.name, facts.codec);
  if (facts.format.has_palette || facts.codec == "gif") facts.is_opaque = !facts.is_file || is_opaque(input, facts.stream);
  return facts;
}

}  // namespace halation::app
