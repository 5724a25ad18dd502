// input.h: what is read, and how ffmpeg and ffprobe are told of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/video/ffmpeg/program.h"

namespace halation::app {

/// A text of options as a shell would cut it: at blanks that stand outside quotes, ' or ". Throws `Error{invalid_argument}`.
Words words_of(const std::string& text);

/// What to read.
struct VideoInput {
  std::string name;      ///< a file, or what the options make of it
  Words options;         ///< before -i
  bool realtime = false; ///< no quicker than it plays
  bool keeps_going = false;  ///< past what cannot be decoded
};

/// "file:in.mp4" is the file in.mp4, unless there is one that is called so.
std::string without_file_protocol(const std::string& name);

/// Whether the text that says what to read names the file `path`, on its own or within an address: "concat:a.mp4|b.mp4".
bool reads_file(const std::string& text, const std::string& path);

/// A file's name as ffmpeg takes it: "a:b.mp4" would be the protocol a.
std::string address_of(const VideoInput& input);

bool is_regular(const std::string& name);

/// The value of the last option called so ("r": -r, -r:v); empty for one that has none; nothing where it is not there.
std::optional<std::string> option_in(const Words& options, std::string_view name);

/// All but those called so.
Words without(Words options, std::string_view name);

/// The options by the names that ffprobe has for them.
Words for_probe(Words options);

/// Leaves out the option that ffprobe complains of not to know, of which ffmpeg knows more, with its value; false where it complains of
/// something else.
bool leave_out_unknown(Words& options, const std::string& complaint);

}  // namespace halation::app
