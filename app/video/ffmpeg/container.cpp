// container.cpp: what of a video beside its frames an output's format takes.
#include "container.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace halation::app {
namespace {

struct Container {
  std::string_view muxer;
  std::string_view sound;      ///< codecs that players find in it; "*": all
  std::string_view otherwise;  ///< what other sound becomes; empty: ffmpeg's choice
  std::string_view subtitles;  ///< "copy", the codec that they become, or "" for none
  bool has_sound = true;
};

Container container_of(const std::string& muxer) {
  constexpr Container known[] = {
      {"mp4", "aac mp3 mp2 ac3 eac3 dts alac opus", "", "mov_text"},
      {"mov", "aac mp3 mp2 ac3 eac3 dts alac pcm_u8 pcm_s8 pcm_s16le pcm_s16be pcm_s24le pcm_s24be pcm_s32le pcm_s32be pcm_f32le pcm_f32be pcm_alaw pcm_mulaw "
       "adpcm_ima_qt amr_nb", "", "mov_text"},
      {"matroska", "*", "", "copy"},
      {"webm", "opus vorbis", "", "webvtt"},
      {"avi", "aac mp3 mp2 ac3 eac3 dts flac vorbis wmav1 wmav2 pcm_u8 pcm_s16le pcm_s24le pcm_s32le pcm_f32le pcm_alaw pcm_mulaw adpcm_ms "
       "adpcm_ima_wav", "", ""},
      {"asf", "aac mp3 mp2 ac3 eac3 dts wmav1 wmav2 wmapro wmalossless wmavoice pcm_u8 pcm_s16le pcm_s24le pcm_s32le pcm_f32le", "", ""},
      {"flv", "aac mp3", "aac", ""},  // MP3 has few rates there
      {"mpegts", "aac mp3 mp2 ac3 eac3 dts opus", "", ""},
      {"mpeg", "mp3 mp2 ac3 dts", "", ""},
      {"vob", "mp3 mp2 ac3 dts", "", ""},
      {"ogg", "vorbis opus flac speex", "", ""},
      {"nut", "*", "", ""},
      {"mxf", "pcm_s16le pcm_s24le", "", ""},
      {"f4v", "aac mp3", "", ""},
      {"3gp", "aac amr_nb amr_wb", "aac", ""},
      {"3g2", "aac amr_nb amr_wb", "aac", ""}};
  for (const Container& each : known) {
    if (each.muxer == muxer) return each;
  }
  constexpr std::string_view silent[] = {"gif", "apng", "webp", "h264", "hevc", "mjpeg", "yuv4mpegpipe", "ivf", "rawvideo"};
  const bool has_sound = std::find(std::begin(silent), std::end(silent), muxer) == std::end(silent);
  return {.muxer = "", .sound = "", .otherwise = "", .subtitles = "", .has_sound = has_sound};
}

bool holds_sound(const Container& container, const std::string& codec) {
  return container.sound == "*" || fmt::format(" {} ", container.sound).find(fmt::format(" {} ", codec)) != std::string::npos;
}

/// What is no picture can become another text.
bool are_texts(const std::vector<std::string>& codecs) {
  constexpr std::string_view texts[] = {"subrip", "srt", "ass", "ssa", "webvtt", "mov_text", "text"};
  return std::all_of(codecs.begin(), codecs.end(),
                     [&](const std::string& codec) { return std::find(std::begin(texts), std::end(texts), codec) != std::end(texts); });
}

bool has_chapters(std::string_view muxer) {
  constexpr std::string_view known[] = {"mp4", "mov", "matroska", "webm", "ogg", "asf", "nut"};
  return std::find(std::begin(known), std::end(known), muxer) != std::end(known);
}

}  // namespace

Carried carried_of(const VideoFacts& facts, const std::string& muxer) {
  const Container container = container_of(muxer);
  Carried carried;
  if (!facts.is_file) {
    if (!facts.sound.empty() || !facts.subtitles.empty())
      carried.lost.emplace_back("sound and subtitles are lost: of cameras, streams and other addresses only frames are taken");
    return carried;
  }
  if (container.has_sound) {
    for (const std::string& codec : facts.sound) carried.sound.emplace_back(holds_sound(container, codec) ? "copy" : container.otherwise);
  } else if (!facts.sound.empty()) {
    carried.lost.push_back(fmt::format("sound is lost: {} holds none", muxer));
  }
  if (!facts.subtitles.empty() && (container.subtitles == "copy" || (!container.subtitles.empty() && are_texts(facts.subtitles)))) {
    for (const std::string& codec : facts.subtitles)
      carried.subtitles.emplace_back(container.subtitles == "copy" && codec == "mov_text" ? "srt" : container.subtitles);  // only MP4 holds mov_text
  } else if (!facts.subtitles.empty()) {
    const std::set<std::string> codecs(facts.subtitles.begin(), facts.subtitles.end());
    carried.lost.push_back(fmt::format("subtitles are lost: {} takes no {}", muxer, fmt::join(codecs, ", ")));
  }
  carried.attachments = facts.attachments > 0 && muxer == "matroska";
  if (facts.attachments > 0 && !carried.attachments) carried.lost.push_back(fmt::format("attached files are lost: {} holds none", muxer));
  if (facts.chapters > 0 && !has_chapters(muxer)) carried.lost.push_back(fmt::format("chapters are lost: {} holds none", muxer));
  if (facts.plays.value_or(1) != 1 && muxer != "gif" && muxer != "apng")
    carried.lost.push_back(fmt::format("the number of loops is lost: {} holds none", muxer));
  if (facts.covers > 0) carried.lost.emplace_back("the cover picture is lost");
  return carried;
}

}  // namespace halation::app
