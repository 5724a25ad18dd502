// status_line.h: what the program is at, in one line of a terminal.
#pragma once

#include <string>

namespace halation::app {

/// A line on standard error that is written over, and gone with the object.
class StatusLine {
 public:
  /// Whether standard error is a terminal that can write over a line.
  static bool is_possible();

  StatusLine() = default;
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Only where `is_possible`. What is wider than the terminal is cut off.
  void show(std::string text);
  void clear();

 private:
  bool shown_ = false;
};

}  // namespace halation::app
