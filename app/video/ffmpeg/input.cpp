// input.cpp: what is read, and how ffmpeg and ffprobe are told of it.
#include "input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "halation/error.h"

namespace halation::app {

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

bool is_regular(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(name, ignored);
}

std::string address_of(const VideoInput& input) {
  return input.name.find(':') != std::string::npos && is_regular(input.name) ? "file:" + input.name : input.name;
}

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

}  // namespace halation::app
