// options.h: what every subcommand's options share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace halation::app {

/// The text given for an option, none where the option was left out.
using Given = std::optional<std::string>;

/// Adds an option that takes one text and stores it in `given`, which must live as long as the app. Its `kind` is shown in the help
/// and drives completion: words with '|' between them are the choices, one that holds FILE stands for files, FILTER for the names of
/// filters; anything else is free.
CLI::Option* add_text(CLI::App& command, const std::string& names, Given& given, const std::string& kind,
                      const std::string& description);

/// CLI11's help with descriptions broken into lines.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace halation::app
