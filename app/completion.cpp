// completion.cpp: `halation completion`: scripts by which shells complete the program's command lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/arguments.h"
#include "app/command_line/filter_options.h"
#include "app/command_line/quoting.h"
#include "core/nearest.h"
#include "ladder/ladder.h"
#include "subcommands.h"

namespace halation::app {
namespace {

/// What may stand in a place of the command line.
struct Values {
  std::vector<std::string> words;
  bool files = false;
};

/// An option or a positional argument, as far as completion cares.
struct Argument {
  std::vector<std::string> names;  ///< "-o", "--output"; for a positional its name alone
  std::string summary;
  bool takes_value = true;
  Values values;
};

/// A command as far as completion cares, or the program as one.
struct Completed {
  std::string name, summary;
  std::vector<Argument> positionals, options;
  std::vector<Argument> filter_options;  ///< of all filters, where the first positional is one
};

/// The rungs of all dimensions, each name once.
std::vector<std::string> rung_names() {
  std::set<std::string> names;
  for (const int dims : {1, 2, 3}) {
    for (const ladder::Rung& rung : ladder::rungs(dims)) names.emplace(rung.name);
  }
  return {names.begin(), names.end()};
}

/// What `OptionGroup::text` says a kind of value is.
Values values_of(const std::string& kind) {
  Values values;
  if (kind == "FILTER" || kind == "RUNG" || kind.find('|') != std::string::npos) {
    for (const std::string_view word : split(kind, '|')) {
      if (word == "FILTER") {
        for (const NamedFilter& filter : named_filters()) values.words.push_back(filter.name);
        values.words.emplace_back(custom_name);
      } else if (word == "RUNG") {
        values.words = rung_names();
      } else {
        values.words.emplace_back(word);
      }
    }
  }
  values.files = kind.find("FILE") != std::string::npos;
  return values;
}

/// The first clause of a description.
std::string summary_of(const std::string& description) {
  return description.substr(0, description.find_first_of("\n;"));
}

Completed completed_from(const Command& command) {
  Completed completed{.name = command.name(),
                      .summary = command.description(),
                      .positionals = {},
                      .options = {},
                      .filter_options = {}};
  for (const Declared& declared : command.declared()) {
    if (declared.heading.empty()) continue;  // not shown to users
    Argument argument{.names = {},
                      .summary = summary_of(declared.description),
                      .takes_value = declared.takes_value,
                      .values = {}};
    if (declared.takes_value) argument.values = values_of(declared.kind);
    for (const std::string& name : declared.names) {
      if (declared.positional || name.find('_') == std::string::npos)  // --order_x is also --order-x
        argument.names.push_back(name);
    }
    auto& kind = declared.positional                  ? completed.positionals
                 : declared.heading == filter_heading ? completed.filter_options
                                                      : completed.options;
    kind.push_back(std::move(argument));
  }
  return completed;
}

std::vector<Completed> completed_from(const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<Completed> completed;
  completed.reserve(commands.size());
  for (const std::unique_ptr<Command>& command : commands) completed.push_back(completed_from(*command));
  return completed;
}

/// All names of options, those of one option side by side.
std::vector<std::string> names_of(const std::vector<Argument>& options) {
  std::vector<std::string> names;
  for (const Argument& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> names_of(const std::vector<Completed>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const Completed& command : commands) names.push_back(command.name);
  return names;
}

/// The names of all filters, custom weights among them.
std::vector<std::string> filter_names() { return values_of("FILTER").words; }

/// The options that the filter `name` takes, explained for it alone.
std::vector<Argument> own_options(const std::vector<Argument>& of_all, const std::string& name) {
  std::vector<Argument> own;
  for (const auto& [option, text] : explained_options(name)) {
    for (const Argument& known : of_all) {
      if (known.names.front() != option) continue;
      own.push_back(known);
      own.back().summary = summary_of(text);
    }
  }
  return own;
}

/// `text` with a backslash before each character of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// One branch of a bash `case`; none where there are no words.
std::string bash_case(const std::string& pattern, const std::vector<std::string>& words) {
  return words.empty() ? "" : fmt::format("      {}) words=\"{}\" ;;\n", pattern, fmt::join(words, " "));
}

/// An empty COMPREPLY leaves the place to bash's own completion of files.
std::string bash_script(const Completed& program, const std::vector<Completed>& commands) {
  std::string values, places, options, filters;
  std::vector<std::string> take_value;
  for (const Completed& command : commands) {
    const std::string prefix = command.name + ":";
    std::vector<Argument> all = command.options;
    all.insert(all.end(), command.filter_options.begin(), command.filter_options.end());
    for (const Argument& option : all) {
      if (!option.takes_value) continue;
      const std::string pattern =
          fmt::format("{}{}", prefix, fmt::join(option.names, fmt::format("|{}", prefix)));
      take_value.push_back(pattern);
      values += bash_case(pattern, option.values.words);
    }
    for (std::size_t i = 0; i < command.positionals.size(); ++i)
      places += bash_case(prefix + std::to_string(i), command.positionals[i].values.words);
    options += bash_case(command.name, names_of(command.options));
    if (command.filter_options.empty()) continue;
    const auto add_case = [&](const std::string& filter, const std::vector<Argument>& own) {
      filters +=
          fmt::format("      {}{}) words+=\" {}\" ;;\n", prefix, filter, fmt::join(names_of(own), " "));
    };
    for (const std::string& filter : filter_names())
      add_case(filter, own_options(command.filter_options, filter));
    add_case("*", command.filter_options);
  }
  return fmt::format(R"(# bash completion for halation; load it by: source <(halation completion bash)
_halation_takes_value() {{
  case $1 in
    {0}) return 0 ;;
  esac
  return 1
}}
_halation() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command="" filter="" place=0 words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ -z $command ]]; then
      [[ ${{COMP_WORDS[i]}} == -* ]] || command=${{COMP_WORDS[i]}}
    elif _halation_takes_value "$command:${{COMP_WORDS[i]}}"; then
      ((i++))
    elif [[ ${{COMP_WORDS[i]}} != -?* ]]; then
      ((place++ == 0)) && filter=${{COMP_WORDS[i]}}
    fi
  done
  if _halation_takes_value "$command:$previous"; then
    case $command:$previous in
{1}    esac
  elif [[ -z $command ]]; then
    words="{2}"
    [[ $current == -* ]] && words="{3}"
  elif [[ $current == -* ]]; then
    case $command in
{4}    esac
    case $command:$filter in
{5}    esac
  else
    case $command:$place in
{6}    esac
  fi
  COMPREPLY=()
  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o bashdefault -o default -F _halation halation
)",
                     fmt::join(take_value, "|"), values, fmt::join(names_of(commands), " "),
                     fmt::join(names_of(program.options), " "), options, filters, places);
}

std::string zsh_values(const Argument& argument) {
  if (!argument.values.words.empty()) return fmt::format("({})", fmt::join(argument.values.words, " "));
  return argument.values.files ? "_files" : " ";
}

std::string zsh_specification(const Argument& option) {
  // Brackets and colons divide a specification.
  const std::string summary = between_single_quotes(escaped(option.summary, "[]:\\"));
  const std::string value =
      option.takes_value ? fmt::format(":{}:{}", option.names.back().substr(2), zsh_values(option)) : "";
  std::string specification;
  for (const std::string& name : option.names)
    specification +=
        fmt::format(" \\\n        '({}){}[{}]{}'", fmt::join(option.names, " "), name, summary, value);
  return specification;
}

std::string zsh_script(const Completed& program, const std::vector<Completed>& commands) {
  std::string described, cases, filters;
  for (const Completed& command : commands) {
    described += fmt::format("    '{}:{}'\n", command.name, escaped(command.summary, ":"));
    std::string specifications;
    for (const Argument& option : command.options) specifications += zsh_specification(option);
    for (const Argument& positional : command.positionals)
      specifications +=
          fmt::format(" \\\n        ':{}:{}'", positional.names.front(), zsh_values(positional));
    const bool with_filter = !command.filter_options.empty();
    cases += fmt::format("    {})\n      _arguments -s -S{}{} ;;\n", command.name, with_filter ? " $own" : "",
                         specifications);
    if (!with_filter) continue;
    const auto add_case = [&](const std::string& filter, const std::vector<Argument>& own) {
      std::string all;
      for (const Argument& option : own) all += zsh_specification(option);
      filters += fmt::format("    {}:{})\n      own=({}) ;;\n", command.name, filter, all);
    };
    for (const std::string& filter : filter_names())
      add_case(filter, own_options(command.filter_options, filter));
    add_case("*", command.filter_options);
  }
  std::string options;
  for (const Argument& option : program.options) options += zsh_specification(option);
  return fmt::format(R"(#compdef halation
# zsh completion for halation; put it into a folder of $fpath as _halation, or load it by: source <(halation completion zsh)
_halation() {{
  local -a commands
  commands=(
{0}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments{1}
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  # The first word that is a filter's name, but for the one being typed.
  local -a before=("${{(@)words[2,CURRENT-1]}}") own
  local filter=${{before[(r)({4})]}}
  case $command:$filter in
{3}  esac
  case $command in
{2}  esac
}}
if [[ $funcstack[1] == _halation ]]; then
  _halation "$@"
else
  compdef _halation halation
fi
)",
                     described, options, cases, filters, fmt::join(filter_names(), "|"));
}

std::string fish_script(const Completed& program, const std::vector<Completed>& commands) {
  const auto quoted = [](std::string_view text) { return "'" + escaped(text, "'\\") + "'"; };
  const auto option_line = [&](const std::string& condition, const Argument& option) {
    std::string line = "complete -c halation -n " + quoted(condition);
    for (const std::string& name : option.names)
      line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    line += " -d " + quoted(option.summary);
    if (option.takes_value) line += option.values.files ? " -r -F" : " -x";
    if (!option.values.words.empty())
      line += " -a " + quoted(fmt::format("{}", fmt::join(option.values.words, " ")));
    return line + "\n";
  };
  std::string script =
      "# fish completion for halation; load it by: halation completion fish | source\ncomplete -c halation "
      "-f\n";
  for (const Argument& option : program.options) script += option_line("__fish_use_subcommand", option);
  for (const Completed& command : commands) {
    script += fmt::format("complete -c halation -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          quoted(command.summary));
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    for (const Argument& option : command.options) script += option_line(condition, option);
    if (!command.filter_options.empty()) {
      const auto named = [](const std::string& filters) { return "__fish_seen_subcommand_from " + filters; };
      for (const std::string& filter : filter_names()) {
        for (const Argument& option : own_options(command.filter_options, filter))
          script += option_line(condition + "; and " + named(filter), option);
      }
      for (const Argument& option : command.filter_options)
        script += option_line(
            condition + "; and not " + named(fmt::format("{}", fmt::join(filter_names(), " "))), option);
    }
    for (const Argument& positional : command.positionals) {
      if (positional.values.files)
        script += fmt::format("complete -c halation -n {} -F\n", quoted(condition));
      if (positional.values.words.empty()) continue;
      script += fmt::format("complete -c halation -n {} -a {}\n", quoted(condition),
                            quoted(fmt::format("{}", fmt::join(positional.values.words, " "))));
    }
  }
  return script;
}

}  // namespace

void add_completion(Program& program) {
  Command& command = program.add("completion", "Prints a script by which a shell completes command lines");
  const auto shell = std::make_shared<std::string>();
  command.positional("shell", *shell, "bash|zsh|fish", "the shell that reads the script");
  command.footer("Examples:\n  source <(halation completion bash)\n  halation completion fish | source");
  command.does([&program, shell] {
    const Completed whole = completed_from(program);
    const std::vector<Completed> commands = completed_from(program.commands());
    if (*shell == "bash") {
      fmt::print("{}", bash_script(whole, commands));
    } else if (*shell == "zsh") {
      fmt::print("{}", zsh_script(whole, commands));
    } else if (*shell == "fish") {
      fmt::print("{}", fish_script(whole, commands));
    } else {
      refuse_unknown("shell", *shell, {"bash", "zsh", "fish"});
    }
  });
}

}  // namespace halation::app
