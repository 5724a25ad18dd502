// options.cpp: what every subcommand's options share.
#include "options.h"

#include "app/report/wrapped.h"
#include "arguments.h"
#include "core/memory.h"

namespace halation::app {

void OptionGroup::text(const std::string& names, Given& given, const std::string& kind,
                       const std::string& description) {
  const auto store = [&given](const std::string& text) { given = text; };
  command_.add_option_function<std::string>(names, store, description)->type_name(kind)->group(heading_);
}

void OptionGroup::flag(const std::string& name, bool& given, const std::string& description) {
  command_.add_flag(name, given, description)->group(heading_);
}

void add_memory_option(CLI::App& command, const std::string& heading) {
  const auto limit = [](const std::string& text) { limit_host_memory(bytes_from("--memory", text)); };
  command
      .add_option_function<std::string>("--memory", limit,
                                        "most memory that images and what filtering them takes may use: "
                                        "512M, 1.5G; larger ones are refused [what is free]")
      ->type_name("SIZE")
      ->group(heading);
}

HelpFormatter::HelpFormatter() {
  column_width(30);
  label("REQUIRED", "");
  label("Positionals", "Arguments");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = 0; (at = help.find("\n\n\n", at)) != std::string::npos;) help.erase(at, 1);
  return help;
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = "Usage: " + name;
  const auto add = [&usage](const std::string& words, bool required) {
    usage += required ? " " + words : " [" + words + "]";
  };
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional()) {
      add(CLI::detail::to_lower(option->get_name()), option->get_required());
    } else if (option->get_required()) {
      add("-" + option->get_snames().front() + " " + option->get_lnames().front(), true);
    }
  }
  if (!app->get_subcommands([](const CLI::App*) { return true; }).empty()) add("command", true);
  add("options", false);
  return usage + "\n";
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return wrapped(option->get_description(), page_columns - get_column_width());
}

}  // namespace halation::app
