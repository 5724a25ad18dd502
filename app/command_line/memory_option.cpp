// memory_option.cpp: the option --memory of commands that read images.
#include "memory_option.h"

#include "arguments.h"
#include "core/memory.h"

namespace halation::app {

void add_memory_option(OptionGroup& options) {
  options.text(
      "--memory", [](const std::string& text) { limit_host_memory(bytes_from("--memory", text)); }, "SIZE",
      "most memory that images and what filtering them takes may use: 512M, 1.5G; larger ones are refused "
      "[what is free]");
}

}  // namespace halation::app
