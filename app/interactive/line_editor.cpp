// line_editor.cpp: lines as they come, and when they are edited instead.
#include "line_editor.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace halation::app {
namespace {

/// A terminal that moves its cursor.
bool on_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && kind != nullptr &&
         std::string_view(kind) != "dumb";
}

}  // namespace

std::optional<std::string> plain_line(const std::string& prompt) {
  std::fputs(prompt.c_str(), stdout);
  std::fflush(stdout);
  std::string line;
  for (int c = std::getchar(); c != '\n'; c = std::getchar()) {
    if (c == EOF) {
      if (line.empty()) return {};
      break;
    }
    line += static_cast<char>(c);
  }
  return line;
}

std::optional<std::string> read_line(const std::string& prompt, const Completions& completions) {
  const std::optional<std::string> line =
      on_terminal() ? edited_line(prompt, completions) : plain_line(prompt);
  if (!line) {
    std::fputs("\n", stdout);
    return {};
  }
  const std::size_t first = line->find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : line->substr(first, line->find_last_not_of(" \t\r") + 1 - first);
}

}  // namespace halation::app
