// line_editor.h: one line from the user: edited with history and completion on a terminal, read as it comes
// elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace halation::app {

/// What TAB completes an answer to.
struct Completions {
  std::vector<std::string> words = {};
  bool files = false;
};

/// Shows `prompt` and returns the line without its end and the blanks around it; none at the end of input.
std::optional<std::string> read_line(const std::string& prompt, const Completions& completions);

/// A line that is edited, blanks and all. Asked for where input and output are a terminal; a build without
/// libedit reads it plainly.
std::optional<std::string> edited_line(const std::string& prompt, const Completions& completions);

/// A line as it comes.
std::optional<std::string> plain_line(const std::string& prompt);

}  // namespace halation::app
