// subcommands.h: what the program can be told to do.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace halation::app {

/// A subcommand: where its options were added, and what is done once they are parsed.
struct Subcommand {
  CLI::App* app;
  std::function<void()> run;  ///< throws `Error` and other std::exceptions
};

Subcommand add_apply(CLI::App& program);
Subcommand add_filters(CLI::App& program);
Subcommand add_explain(CLI::App& program);
Subcommand add_ladder(CLI::App& program);
Subcommand add_bench(CLI::App& program);
Subcommand add_devices(CLI::App& program);
Subcommand add_interactive(CLI::App& program);
Subcommand add_completion(CLI::App& program);

}  // namespace halation::app
