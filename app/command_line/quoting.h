// quoting.h: texts as shells take them.
#pragma once

#include <string>
#include <string_view>

namespace halation::app {

/// `text` as it stands between single quotes: these must leave, come back escaped, and begin again.
std::string between_single_quotes(std::string_view text);

/// One word of a command line, in quotes where it needs them.
std::string shell_word(std::string_view text);

}  // namespace halation::app
