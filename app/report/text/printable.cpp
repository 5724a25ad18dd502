// printable.cpp: texts of any origin as a reader of UTF-8 can take them.
#include "printable.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace halation::app {
namespace {

/// Bytes of the character that `text` begins with, 0 where it is none: cut short, longer than need be, a surrogate or beyond U+10FFFF.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  // The range of the second byte is narrower behind four first bytes, and that of the others always the same.
  const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (first < 0xC2 || first > 0xF4 || second < least || second > most) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

void make_printable(nlohmann::ordered_json& json) {
  if (json.is_string()) {
    json = printable(json.get_ref<const std::string&>());
  } else if (json.is_structured()) {
    for (nlohmann::ordered_json& each : json) make_printable(each);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    if (length > 0) {
      result += text.substr(0, length);
    } else {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text.front()));
      result += escaped;
    }
    text.remove_prefix(std::max(length, std::size_t{1}));
  }
  return result;
}

std::string in_one_line(std::string_view text) {
  std::string line = printable(text);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = [&](std::size_t at) { return at < line.size() ? static_cast<unsigned char>(line[at]) : 0U; };
    if (byte(i) < 0x20 || byte(i) == 0x7F) line[i] = ' ';
    if (byte(i) == 0xC2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xA0) line.replace(i, 2, " ");  // U+0080 to U+009F
  }
  return line;
}

std::string json_text(nlohmann::ordered_json json) {
  make_printable(json);
  return json.dump(2) + "\n";
}

}  // namespace halation::app
