// memory_option.h: the option --memory of commands that read images.
#pragma once

#include "command.h"

namespace halation::app {

/// From its parsing on the process takes no more for pixels.
void add_memory_option(OptionGroup& options);

}  // namespace halation::app
