// status_line.cpp: what the program is at, in one line of a terminal.
#include "status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace halation::app {
namespace {

/// So many that the line does not wrap, which could not be written over.
std::size_t columns() {
  constexpr std::size_t usual = 80;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : usual) - 1;
}

}  // namespace

bool StatusLine::is_possible() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

void StatusLine::show(std::string text) {
  text.resize(std::min(text.size(), columns()));
  std::fputs(("\r" + text + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::clear() {
  if (!std::exchange(shown_, false)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace halation::app
