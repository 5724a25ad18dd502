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
  bool has_sound;
  std::string_view subtitles;  ///< "copy", the codec that they become, or "" for none
};

Container container_of(const std::string& muxer) {
  constexpr Container known[] = {
      {"mp4", true, "mov_text"},   {"mov", true, "mov_text"}, {"matroska", true, "copy"}, {"webm", true, "webvtt"}, {"gif", false, ""},
      {"apng", false, ""},         {"webp", false, ""},       {"h264", false, ""},        {"hevc", false, ""},      {"mjpeg", false, ""},
      {"yuv4mpegpipe", false, ""}, {"ivf", false, ""},        {"rawvideo", false, ""}};
  for (const Container& each : known) {
    if (each.muxer == muxer) return each;
  }
  return {.muxer = "", .has_sound = true, .subtitles = ""};
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
  if (container.has_sound && !facts.sound.empty()) {
    carried.sound.assign(facts.sound.size(), takes_sound_as_it_is(container.muxer, facts.sound) ? "copy" : "");
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
  if (facts.covers > 0) carried.lost.emplace_back("the cover picture is lost");
  return carried;
}

}  // namespace halation::app
