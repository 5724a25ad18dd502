// options.cpp: what every subcommand's options share.
#include "options.h"

#include "wrapped.h"

namespace halation::app {

CLI::Option* add_text(CLI::App& command, const std::string& names, Given& given, const std::string& kind,
                      const std::string& description) {
  const auto store = [&given](const std::string& text) { given = text; };
  return command.add_option_function<std::string>(names, store, description)->type_name(kind);
}

HelpFormatter::HelpFormatter() {
  column_width(30);
  label("REQUIRED", "");
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return wrapped(option->get_description(), page_columns - get_column_width());
}

}  // namespace halation::app
