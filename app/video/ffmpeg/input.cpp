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

std::string without_file_protocol(const std::string& name) {
  constexpr std::string_view protocol = "file:";
  return name.starts_with(protocol) && !is_regular(name) ? name.substr(protocol.size()) : name;
}

bool reads_file(const std::string& text, const std::string& path) {
  constexpr std::string_view separators = ":|=,;'";
  const auto is_end = [&](std::size_t at) { return at == text.size() || separators.find(text[at]) != std::string_view::npos; };
  std::error_code ignored;
  if (is_regular(text)) return std::filesystem::equivalent(path, text, ignored);
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (begin > 0 && !is_end(begin - 1)) continue;
    for (std::size_t end = begin + 1; end <= text.size(); ++end) {
      if (is_end(end) && std::filesystem::equivalent(path, text.substr(begin, end - begin), ignored)) return true;
    }
  }
  return false;
}

std::string address_of(const VideoInput& input) {
  return input.name.find(':') != std::string::npos && is_regular(input.name) ? "file:" + input.name : input.name;
}

namespace {

/// "-r:v" is called "r"; a value, a negative number too, nothing.
std::string_view name_of(std::string_view word) {
  if (word.size() < 2 || word.front() != '-' || std::isalpha(static_cast<unsigned char>(word[1])) == 0) return {};
  return word.substr(1, word.find(':') - 1);
}

void erase_option(Words& options, Words::iterator option) {
  const bool has_value = option + 1 != options.end() && name_of(option[1]).empty();
  options.erase(option, option + (has_value ? 2 : 1));
}

}  // namespace

std::optional<std::string> option_in(const Words& options, std::string_view name) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (name_of(options[i]) == name) value = i + 1 < options.size() && name_of(options[i + 1]).empty() ? options[i + 1] : "";
  }
  return value;
}

Words without(Words options, std::string_view name) {
  const auto is_called_so = [&](const std::string& word) { return name_of(word) == name; };
  for (;;) {
    const auto found = std::find_if(options.begin(), options.end(), is_called_so);
    if (found == options.end()) return options;
    erase_option(options, found);
  }
}

Words for_probe(Words options) {
  for (std::string& word : options) {
    if (name_of(word) == "s") word = "-video_size";
    if (name_of(word) == "pix_fmt") word = "-pixel_format";
  }
  return options;
}

bool leave_out_unknown(Words& options, const std::string& complaint) {
  constexpr std::string_view before = " for option '", after = "': Option not found";
  const std::size_t begin = complaint.find(before);
  if (begin == std::string::npos || !complaint.ends_with(after)) return false;
  const std::size_t name = begin + before.size();
  const auto found = std::find(options.begin(), options.end(), "-" + complaint.substr(name, complaint.size() - after.size() - name));
  if (found == options.end()) return false;
  erase_option(options, found);
  return true;
}

}  // namespace halation::app
