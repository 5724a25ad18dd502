// encoders.cpp: which of ffmpeg's encoders a video goes through, and what it cannot keep.
#include "encoders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>

#include "app/refuse.h"
#include "app/video/ffmpeg/container.h"
#include "core/nearest.h"
#include "halation/error.h"
#include "io/formats.h"

namespace halation::app {
namespace {

/// Encoders whose results are good without a bit rate, and the formats that players take their codecs in.
struct Family {
  std::string_view codec;
  std::vector<std::string_view> encoders;
  std::vector<std::string_view> muxers;
};

const std::vector<Family>& families() {
  static const std::vector<Family> known{{"h264", {"libx264"}, {"mp4", "mov", "matroska", "avi", "flv", "mpegts", "h264"}},
                                         {"hevc", {"libx265"}, {"mp4", "mov", "matroska", "mpegts", "hevc"}},
                                         {"vp9", {"libvpx-vp9"}, {"mp4", "matroska", "webm"}},
                                         {"av1", {"libsvtav1", "libaom-av1", "librav1e"}, {"mp4", "matroska", "webm"}},
                                         {"prores", {"prores_ks"}, {"mov", "matroska"}},
                                         {"ffv1", {"ffv1"}, {"matroska", "avi"}},
                                         {"ffvhuff", {"ffvhuff"}, {"matroska", "avi"}},
                                         {"huffyuv", {"huffyuv"}, {"matroska", "avi"}},
                                         {"utvideo", {"utvideo"}, {"matroska", "avi"}},
                                         {"png", {"png"}, {"mov", "matroska", "avi"}},
                                         {"qtrle", {"qtrle"}, {"mov", "matroska"}}};
  return known;
}

/// What a format's frames are encoded by where they come from another codec: usually, and with alpha.
struct Usual {
  std::string_view muxer, encoder, with_alpha, advice;
};

Usual usual_for(std::string_view muxer) {
  constexpr Usual known[] = {{"mp4", "libx264", "", ""},
                             {"mov", "libx264", "prores_ks", "--codec prores_ks or qtrle"},
                             {"matroska", "libx264", "libvpx-vp9", "--codec ffv1 or libvpx-vp9"},
                             {"webm", "libvpx-vp9", "libvpx-vp9", "--codec libvpx-vp9"}};
  for (const Usual& each : known) {
    if (each.muxer == muxer) return each;
  }
  return {};
}

/// What ffmpeg says of an encoder.
struct EncoderFacts {
  bool is_there = false;
  bool takes_preset = false, takes_crf = false;
  double most_crf = 51;  ///< of libx264 and libx265, which say none
  std::vector<std::string> formats;
};

EncoderFacts encoder_facts(std::string_view name) {
  const std::string text = answer_of({"ffmpeg", "-v", "error", "-h", fmt::format("encoder={}", name)}).text;
  const bool is_of_sound = text.find("\n    Supported sample formats: ") != std::string::npos;
  EncoderFacts facts{.is_there = text.starts_with("Encoder ") && !is_of_sound,
                     .takes_preset = text.find("\n  -preset ") != std::string::npos,
                     .takes_crf = text.find("\n  -crf ") != std::string::npos,
                     .formats = {}};
  // "  -crf               <int>        E..V....... Select the quality for constant quality mode (from -1 to 63) (default -1)"
  if (const std::size_t crf = text.find("\n  -crf "), to = text.find(" to ", text.find("(from ", crf));
      facts.takes_crf && to != std::string::npos && !text.substr(to + 4).starts_with("FLT_MAX"))
    facts.most_crf = std::strtod(text.c_str() + to + 4, nullptr);
  constexpr std::string_view before = "Supported pixel formats: ";
  if (const std::size_t begin = text.find(before); begin != std::string::npos)
    facts.formats = words_of(text.substr(begin + before.size(), text.find('\n', begin) - begin - before.size()));
  return facts;
}

bool contains(const auto& list, std::string_view name) { return std::find(std::begin(list), std::end(list), name) != std::end(list); }

/// "yuv420p10" is "yuv420p10le" to ffmpeg.
bool contains_format(const std::vector<std::string>& list, const std::string& format) {
  return contains(list, format) || contains(list, format + "le");
}

/// VP8 and VP9 have alpha beside their frames, where only these formats have a place for it.
bool holds_alpha(std::string_view encoder, const EncoderFacts& of_encoder, std::string_view muxer, const VideoFacts& facts) {
  if (encoder.starts_with("libvpx") && muxer != "webm" && muxer != "matroska") return false;
  return std::any_of(of_encoder.formats.begin(), of_encoder.formats.end(),
                     [&](const std::string& format) { return contains(facts.formats_with_alpha, format); });
}

/// An encoder of the input's codec, or why there is none.
struct Kept {
  std::string encoder;
  std::string reason;
};

Kept keep_codec(const VideoFacts& facts, const VideoOutput& output, const std::string& muxer) {
  const auto family = std::find_if(families().begin(), families().end(), [&](const Family& each) { return each.codec == facts.codec; });
  if (family == families().end()) return {};
  if (!contains(family->muxers, muxer)) return {.encoder = "", .reason = fmt::format(" ({} takes no {})", muxer, facts.codec)};
  std::string reason = " (this ffmpeg does not encode it)";
  for (const std::string_view encoder : family->encoders) {
    if (encoder == "libsvtav1" && std::min(facts.width, facts.height) < 64) continue;  // which it refuses
    if (encoder == usual_for(muxer).encoder && !facts.has_alpha()) return {.encoder = std::string(encoder), .reason = ""};
    const EncoderFacts found = encoder_facts(encoder);
    if (!found.is_there) continue;
    if ((output.crf && !found.takes_crf) || (output.preset && !found.takes_preset)) {
      reason = fmt::format(" ({} takes no --{})", encoder, output.crf && !found.takes_crf ? "crf" : "preset");
    } else if (facts.has_alpha() && !usual_for(muxer).with_alpha.empty() && !holds_alpha(encoder, found, muxer, facts)) {
      reason = fmt::format(" ({} holds no alpha)", encoder);
    } else {
      return {.encoder = std::string(encoder), .reason = ""};
    }
  }
  return {.encoder = "", .reason = reason};
}

std::string codec_of(std::string_view encoder) {
  for (const Family& family : families()) {
    if (contains(family.encoders, encoder)) return std::string(family.codec);
  }
  return std::string(encoder);
}

/// The codec that ffmpeg takes for a format. Throws where that is none for video; some for sound take a PNG as their cover.
std::string default_codec(const std::string& muxer, const std::string& path) {
  const std::string text = answer_of({"ffmpeg", "-v", "error", "-h", "muxer=" + muxer}).text;
  constexpr std::string_view before = "Default video codec: ";
  const std::size_t begin = text.find(before);
  std::string codec;
  if (begin != std::string::npos) codec = text.substr(begin + before.size(), text.find(".\n", begin) - begin - before.size());
  if (codec.empty() || (codec == "png" && text.find("Default audio codec: ") != std::string::npos))
    refuse(fmt::format("{}: {} is no format for video; .mp4, .mkv, .mov, .webm, .avi and .gif are", path, muxer));
  return codec;
}

/// "x264" is "libx264" to ffmpeg.
[[noreturn]] void refuse_encoder(const std::string& name) {
  std::vector<std::string> encoders;  // of lines " V....D libx264              libx264 H.264 / AVC ..."
  std::istringstream lines(answer_of({"ffmpeg", "-v", "error", "-encoders"}).text);
  for (std::string line; std::getline(lines, line);) {
    if (std::string flags, encoder; line.starts_with(" V") && std::istringstream(line) >> flags >> encoder) encoders.push_back(encoder);
  }
  const std::string of_library = "lib" + name;
  const std::string near = meant(contains(encoders, of_library) ? of_library : name, encoders);
  refuse(fmt::format("this ffmpeg has no video encoder '{}'{}", name, near.empty() ? "; ffmpeg -encoders lists those that it has" : near));
}

/// Throws where x264 or x265, whose presets have names, has none called so; numbers they take too.
void check_preset(const std::string& preset, const std::string& encoder) {
  static const std::vector<std::string> known{"ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo"};
  const bool has_names = encoder.starts_with("libx264") || encoder == "libx265";
  if (has_names && !contains(known, preset) && (preset.size() != 1 || std::isdigit(static_cast<unsigned char>(preset.front())) == 0))
    refuse(fmt::format("--preset of {} must be one of {}; got '{}'{}", encoder, fmt::join(known, ", "), preset, meant(preset, known)));
}

/// Throws where the encoder would pass over an option, or not take its value.
void check_options(const VideoOutput& output, const std::string& encoder, const EncoderFacts& found) {
  for (const auto& [is_given, is_taken, name] : {std::tuple(output.crf.has_value(), found.takes_crf, "--crf"),
                                                 std::tuple(output.preset.has_value(), found.takes_preset, "--preset")}) {
    if (is_given && !is_taken) refuse(fmt::format("{} takes no {}; --codec NAME chooses another encoder", encoder, name));
  }
  if (output.preset) check_preset(*output.preset, encoder);
  if (output.pixel_format && !found.formats.empty() && !contains_format(found.formats, *output.pixel_format))
    refuse(fmt::format("--pixel-format: {} takes no {}; it takes {}", encoder, *output.pixel_format, fmt::join(found.formats, ", ")));
  if (!output.crf) return;
  const double crf = std::strtod(output.crf->c_str(), nullptr);
  if (crf < 0 || crf > found.most_crf)
    refuse(fmt::format("--crf of {} must be from 0 to {}, got '{}'", encoder, found.most_crf, *output.crf));
}

std::string with_ending(const VideoOutput& output, const char* ending) {
  return std::filesystem::path(output.path).replace_extension(ending).string();
}

/// Whether it is, and what would keep it; empty where it stays.
std::string alpha_is_lost(const VideoFacts& facts, const VideoOutput& output, const std::string& muxer, const std::string& encoder,
                          const EncoderFacts& found) {
  if (!found.is_there) return "";
  if (holds_alpha(encoder, found, muxer, facts) || encoder == "gif") {
    if (!output.pixel_format || contains_format(facts.formats_with_alpha, *output.pixel_format)) return "";
    return fmt::format("alpha is lost: {} holds none; it stays without --pixel-format", *output.pixel_format);
  }
  const bool by_format = std::any_of(found.formats.begin(), found.formats.end(),
                                     [&](const std::string& format) { return contains(facts.formats_with_alpha, format); });
  std::string advice(usual_for(muxer).advice);
  if (advice.empty()) {
    const bool is_film = facts.codec == "prores" || facts.codec == "qtrle" || facts.codec == "png";
    advice = "-o " + with_ending(output, is_film ? ".mov" : ".webm");
  }
  return fmt::format("alpha is lost: {} holds none; {} keeps it", by_format ? muxer : encoder, advice);
}

/// Whether pixels lose bits or chroma for want of a format that the encoder takes; empty where they stay. Of alpha another sentence tells, and
/// that a GIF has few colours is known.
std::string format_is_lost(const VideoFacts& facts, const VideoOutput& output, const std::string& muxer, const std::string& encoder,
                           const EncoderFacts& found) {
  if (output.pixel_format || facts.format.has_palette || !facts.is_file || encoder == "gif") return "";
  // Of which ffmpeg takes one with alpha, where it can.
  const bool with_alpha = facts.format.has_alpha && holds_alpha(encoder, found, muxer, facts);
  const auto holds = [&](const std::string& format) {
    return contains(facts.formats_that_hold, format) && (!with_alpha || contains(facts.formats_with_alpha, format));
  };
  if (found.formats.empty() || std::any_of(found.formats.begin(), found.formats.end(), holds)) return "";
  return fmt::format("{} loses bits or chroma: {} takes no pixel format that holds all; --codec NAME chooses another", facts.format.name, encoder);
}

/// Whether a file says which transfer curve its samples have: where the format does, or the stream of the codec.
bool writes_curve(std::string_view encoder, std::string_view muxer) {
  constexpr std::string_view muxers[] = {"mp4", "mov", "matroska", "webm"};
  constexpr std::string_view encoders[] = {"libx264", "libx265", "libaom-av1", "libsvtav1"};
  return contains(muxers, muxer) || contains(encoders, encoder);
}

/// Whether frames may come at any time, to a 60,000th of a second.
bool takes_any_times(std::string_view encoder, std::string_view muxer) {
  constexpr std::string_view muxers[] = {"mp4", "mov", "matroska", "webm", "gif", "apng", "mpegts", "flv"};
  constexpr std::string_view by_default[] = {"gif", "apng"};
  constexpr std::string_view of_one_rate[] = {"mpeg1video", "mpeg2video", "libtheora", "h261", "h263",
                                              "dvvideo",    "msmpeg4v2",  "msmpeg4",   "wmv1", "wmv2"};
  return contains(muxers, muxer) && (encoder.empty() ? contains(by_default, muxer) : !contains(of_one_rate, encoder));
}

}  // namespace

std::string muxer_for(const std::string& path) {
  std::string ending = io::ending_of(path);
  if (ending.size() < 2)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: needs an ending that says the format, such as .mp4, .mkv, .mov or .webm", path));
  ending.erase(0, 1);
  static const std::map<std::string, std::string, std::less<>> named_otherwise{
      {"mkv", "matroska"}, {"mk3d", "matroska"}, {"m4v", "mp4"},          {"qt", "mov"},       {"ts", "mpegts"}, {"m2ts", "mpegts"},
      {"mts", "mpegts"},   {"mpg", "mpeg"},      {"wmv", "asf"},          {"ogv", "ogg"},      {"264", "h264"},  {"265", "hevc"},
      {"h265", "hevc"},    {"mjpg", "mjpeg"},    {"y4m", "yuv4mpegpipe"}, {"yuv", "rawvideo"}, {"rm", "rm"}};
  const auto found = named_otherwise.find(ending);
  return found == named_otherwise.end() ? ending : found->second;
}

Encoding encoding_for(const VideoFacts& facts, const VideoOutput& output) {
  const std::string muxer = muxer_for(output.path);
  const Usual usual = usual_for(muxer);
  Encoding encoding{.encoder = output.codec.value_or("")};
  const std::string codec = usual.encoder.empty() ? default_codec(muxer, output.path) : "";  // where ffmpeg chooses the encoder
  if (!output.codec) {
    Kept kept = keep_codec(facts, output, muxer);
    encoding.encoder = std::move(kept.encoder);
    if (encoding.encoder.empty() && facts.has_alpha() && !usual.with_alpha.empty() && encoder_facts(usual.with_alpha).is_there)
      encoding.encoder = usual.with_alpha;
    if (encoding.encoder.empty()) encoding.encoder = usual.encoder;
    const std::string becomes = encoding.encoder.empty() ? codec : codec_of(encoding.encoder);
    // Cameras, frames that are not encoded and endings that name a codec leave no doubt.
    if (!becomes.empty() && becomes != facts.codec && becomes != muxer && facts.is_file && facts.codec != "rawvideo")
      encoding.notes.push_back(fmt::format("{} becomes {}{}; --codec NAME chooses another", facts.codec, becomes, kept.reason));
  }
  const std::string encoder = encoding.encoder.empty() ? codec : encoding.encoder;
  const EncoderFacts of_encoder = encoder_facts(encoder);
  if (output.codec && !of_encoder.is_there) refuse_encoder(encoder);
  if (of_encoder.is_there) check_options(output, encoder, of_encoder);
  encoding.makes_palettes = encoder == "gif" && (output.pixel_format ? *output.pixel_format == "pal8" : facts.has_alpha());
  if (encoding.makes_palettes) {
    if (facts.has_alpha() && facts.codec != "gif")
      encoding.notes.push_back(fmt::format("alpha becomes transparent or opaque: gif holds no more; -o {} keeps it", with_ending(output, ".webm")));
  } else if (facts.has_alpha()) {
    const std::string note = alpha_is_lost(facts, output, muxer, encoder, of_encoder);
    if (!note.empty()) encoding.notes.push_back(note);
  }
  if (const std::string note = format_is_lost(facts, output, muxer, encoder, of_encoder); !note.empty()) encoding.notes.push_back(note);
  append(encoding.notes, carried_of(facts, muxer).lost);
  if (facts.has_light_levels || facts.transfer == "smpte2084")  // they may lie in frames
    encoding.notes.push_back(fmt::format("HDR10: the light levels of the mastering display and of the content are not written; the transfer curve is{}",
                                         writes_curve(encoder, muxer) ? "" : fmt::format(" neither, for which {} has no place", muxer)));
  if (facts.is_interlaced)
    encoding.notes.emplace_back("interlaced: both fields of a frame are filtered as one picture; ffmpeg -vf bwdif makes frames of them before");
  encoding.has_times = takes_any_times(encoding.encoder, muxer);
  if (facts.is_variable && !encoding.has_times) {
    const bool by_format = takes_any_times("libx264", muxer);
    encoding.notes.push_back(
        fmt::format("variable frame rate: {} has one, {:.4g} frames a second, for which frames are repeated or left out; {} keeps it",
                    by_format ? encoder : muxer, facts.frames_per_second,
                    by_format ? "--codec libx264" : "-o " + with_ending(output, ".mkv")));
  }
  return encoding;
}

}  // namespace halation::app
