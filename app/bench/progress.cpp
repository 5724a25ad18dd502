// progress.cpp: what a benchmark is at, on standard error.
#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/report/table.h"

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

BenchProgress::Kind progress_kind(bool lines, bool quiet) {
  if (quiet) return BenchProgress::Kind::none;
  if (lines) return BenchProgress::Kind::lines;
  const char* terminal = std::getenv("TERM");
  const bool writes_over =
      isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
  return writes_over ? BenchProgress::Kind::status : BenchProgress::Kind::none;
}

BenchProgress::~BenchProgress() { clear(); }

void BenchProgress::clear() {
  if (!std::exchange(shown_, false)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

void BenchProgress::before(const bench::Row& row, std::string_view who) {
  if (kind_ != Kind::status) return;
  const std::string label = row.label();
  const auto at = std::find(labels_.begin(), labels_.end(), label) - labels_.begin();
  std::string text = fmt::format("{} of {}: {}: {}", at + 1, labels_.size(), label, who);
  text.resize(std::min(text.size(), columns()));
  std::fputs(("\r" + text + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void BenchProgress::after(const bench::Row& row) {
  if (kind_ != Kind::lines) return;
  const std::string result =
      row.ran() ? fmt::format("{} ms, {:.0f}% of copy", short_number(row.time.median_s * 1e3),
                              row.share_of_copy() * 100)
                : row.not_run;
  std::fputs(fmt::format("{}: {}\n", row.label(), result).c_str(), stderr);
}

void BenchProgress::after(const bench::Row& row, const bench::PeerRow& peer) {
  if (kind_ != Kind::lines) return;
  const std::string result = peer.status == bench::PeerRow::Status::verified
                                 ? short_number(peer.time.median_s * 1e3) + " ms"
                                 : std::string(name_of(peer.status));
  std::fputs(fmt::format("{}: {} {}\n", row.label(), peer.peer, result).c_str(), stderr);
}

}  // namespace halation::app
