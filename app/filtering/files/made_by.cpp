// made_by.cpp: by what the results of batches were made, noted beside them.
#include "made_by.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <span>
#include <vector>

#include "halation/filters.h"

namespace halation::app {
namespace {

namespace fs = std::filesystem;

/// A name on one line without blanks: all other bytes as %XX.
std::string as_word(std::string_view name) {
  std::string word;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    word += byte > ' ' && byte < 0x7F && c != '%' ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return word;
}

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// The words of each stage; what stands in quotes belongs to its word, blanks and bars included.
std::vector<std::vector<std::string>> stages_of(std::string_view text) {
  std::vector<std::vector<std::string>> stages(1);
  std::string word;
  char quote = 0;
  const auto end_word = [&] {
    if (!word.empty()) stages.back().push_back(std::move(word));
    word.clear();
  };
  for (const char c : text) {
    if (quote == 0 && (c == '|' || is_blank(c))) {
      end_word();
      if (c == '|') stages.emplace_back();
      continue;
    }
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
    word += c;
  }
  end_word();
  return stages;
}

std::string understood(const std::vector<std::string>& stage) {
  if (stage.empty() || stage.front() == "custom") return "custom";
  const NamedFilter& filter = filter_named(stage.front());
  std::string text = filter.name;
  for (const Parameter& parameter : filter.parameters) {
    std::vector<double> values;
    if (parameter.by_default) values = {*parameter.by_default};
    for (std::string word : std::span(stage).subspan(1)) {
      const std::size_t equals = std::min(word.find('='), word.size() - 1);
      std::replace(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), '-', '_');
      std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
      if (word.starts_with(parameter.name + "=")) values = parse_values(filter, parameter, word.substr(equals + 1));
    }
    text += fmt::format(" {}={}", parameter.name, fmt::join(values, ","));
  }
  return text;
}

}  // namespace

std::string understood_chain(std::string_view text) {
  std::string all;
  for (const std::vector<std::string>& stage : stages_of(text)) all += fmt::format("{}{}", all.empty() ? "" : " | ", understood(stage));
  return all;
}

std::string fingerprint_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return fmt::format("{:016x}", hash);
}

MadeBy::Notes& MadeBy::of_folder(const fs::path& folder) {
  const auto [place, is_new] = folders_.try_emplace(folder);
  if (is_new) {
    std::ifstream file(folder / file_name);
    for (std::string line; std::getline(file, line) && !file.eof();) {  // the last is whole where a line end follows
      if (const std::size_t blank = line.find(' '); blank != std::string::npos)
        place->second[line.substr(blank + 1)] = line.substr(0, blank);
    }
  }
  return place->second;
}

std::string MadeBy::noted(const fs::path& result) {
  const std::lock_guard lock(mutex_);
  const Notes& notes = of_folder(result.parent_path());
  const auto found = notes.find(as_word(result.filename().string()));
  return found == notes.end() ? "" : found->second;
}

void MadeBy::note(const fs::path& result, const std::string& fingerprint) {
  const std::lock_guard lock(mutex_);
  const std::string name = as_word(result.filename().string());
  of_folder(result.parent_path())[name] = fingerprint;
  // It begins with a line end as well: a line before that was cut off spoils no other.
  const std::string line = fmt::format("\n{} {}\n", fingerprint, name);
  const int file = ::open((result.parent_path() / file_name).c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return;
  [[maybe_unused]] const auto written = ::write(file, line.data(), line.size());
  ::close(file);
}

}  // namespace halation::app
