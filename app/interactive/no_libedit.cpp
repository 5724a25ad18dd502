// no_libedit.cpp: what a build without libedit does on a terminal, which edits a line itself as far as it
// goes.
#include "line_editor.h"

namespace halation::app {

std::optional<std::string> edited_line(const std::string& prompt, const Completions& /*completions*/) {
  return plain_line(prompt);
}

}  // namespace halation::app
