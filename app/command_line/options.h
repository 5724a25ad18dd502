// options.h: what every subcommand's options share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>

namespace halation::app {

/// The text given for an option, none where the option was left out.
using Given = std::optional<std::string>;

/// Options that stand under one heading of a command's help. Everything given to it must live as long as the
/// command.
class OptionGroup {
 public:
  OptionGroup(CLI::App& command, std::string heading) : command_(command), heading_(std::move(heading)) {}

  /// Adds an option that takes one text. Its `kind` is shown in the help and drives completion: words with
  /// '|' between them are the choices, one that holds FILE stands for files, FILTER for the names of filters;
  /// anything else is free.
  void text(const std::string& names, Given& given, const std::string& kind, const std::string& description);

  void flag(const std::string& name, bool& given, const std::string& description);

 private:
  CLI::App& command_;
  std::string heading_;
};

/// The option --memory of a command that reads images: from its parsing on the process takes no more for
/// pixels.
void add_memory_option(CLI::App& command, const std::string& heading);

/// CLI11's help with a usage line that names what is required, descriptions broken into lines, and no doubled
/// blank lines.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace halation::app
