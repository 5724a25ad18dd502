// command.cpp: commands of the program, by CLI11, and their help.
#include "command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "app/report/text/wrapped.h"
#include "core/nearest.h"
#include "filter_options.h"
#include "halation/error.h"
#include "quoting.h"

namespace halation::app {

/// CLI11's help with a usage line that names what is required, descriptions broken into lines, and no doubled blank lines; begun with what
/// the first positional chooses, where that is known; of the options only those of every day, unless all are asked for.
class Help : public CLI::Formatter {
 public:
  using ChosenBy = std::function<std::optional<Command::Chosen>(const std::string&)>;

  explicit Help(const CLI::App& command) : command_(command) {
    column_width(30);
    label("REQUIRED", "");
    label("Positionals", "Arguments");
  }

  void explain_chosen(std::string heading, ChosenBy chosen_by) {
    heading_ = std::move(heading);
    chosen_by_ = std::move(chosen_by);
  }
  void everyday(std::vector<std::string> names) { everyday_ = std::move(names); }
  void show_all() { everyday_.clear(); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = help.find("\n\n\n", at)) != std::string::npos;) help.erase(at, 1);
    return help;
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
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

  std::string make_positionals(const CLI::App* app) const override {
    std::stringstream own;
    if (const std::optional<Command::Chosen> known = chosen()) {
      own << "\n" << known->title << "\n";
      for (const auto& [option, text] : known->options) {
        const std::string typed = option + " " + command_.get_option(option)->get_type_name();
        CLI::detail::format_help(own, typed, described(text), get_column_width());
      }
    }
    return own.str() + CLI::Formatter::make_positionals(app);
  }

  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const override {
    if (const std::optional<Command::Chosen> known = chosen(); known && known->is_known && group == heading_) return "";
    if (!is_positional && !everyday_.empty()) std::erase_if(options, [&](const CLI::Option* option) { return !is_everyday(*option); });
    return options.empty() ? "" : CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }

  std::string make_footer(const CLI::App* app) const override {
    std::string footer = CLI::Formatter::make_footer(app);
    if (everyday_.empty()) return footer;
    return footer + fmt::format("\nhalation {} --help all shows the rest\n", app->get_name());
  }

  std::string make_option_desc(const CLI::Option* option) const override { return described(option->get_description()); }

 private:
  std::string described(const std::string& text) const { return wrapped(text, page_columns - get_column_width()); }

  bool is_everyday(const CLI::Option& option) const {
    return std::any_of(everyday_.begin(), everyday_.end(), [&](const std::string& name) { return option.check_name(name); }) ||
           &option == command_.get_help_ptr();
  }

  std::optional<Command::Chosen> chosen() const {
    if (!chosen_by_) return {};
    const auto positionals = command_.get_options([](const CLI::Option* option) { return option->get_positional(); });
    if (positionals.empty() || positionals.front()->results().empty()) return {};
    const std::string& word = positionals.front()->results().front();
    const std::vector<std::string> words = CLI::detail::split(positionals.front()->get_type_name(), '|');
    return std::find(words.begin(), words.end(), word) == words.end() ? chosen_by_(word) : std::nullopt;
  }

  const CLI::App& command_;
  std::string heading_;
  ChosenBy chosen_by_;
  std::vector<std::string> everyday_;  ///< none: all
};

namespace {

/// A number may be negative.
bool is_option(const std::string& word) { return word.starts_with('-') && word.find_first_not_of("-.0123456789") != std::string::npos; }

/// "unknown option --sgima; did you mean --sigma?", or where to read of all of them; of a file's name how it is given.
std::string unknown_option(const std::string& word, const CLI::App& command, const std::string& see) {
  if (std::error_code ignored; std::filesystem::exists(word, ignored))
    return fmt::format("unknown option {0}; a file of that name is given as ./{0}", word);
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // not shown to users
    for (const std::string& each : option->get_lnames()) known.push_back(each);
  }
  const std::string letters = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  const std::optional<std::string> near = letters.size() > 1 ? nearest(letters, known) : std::nullopt;
  return fmt::format("unknown option {}{}", name, near ? fmt::format("; did you mean --{}?", *near) : see);
}

/// Of a chain's words that stand on their own: "unexpected 'sigma=2'; write --sigma 2"; empty for other words.
std::string unexpected_of_chain(const CLI::App& command, const std::vector<std::string>& unexpected) {
  std::vector<std::string> words = unexpected;
  bool takes_filter = false;
  for (const CLI::Option* option : command.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    words.insert(words.end(), option->results().begin(), option->results().end());
    takes_filter = takes_filter || option->get_type_name().starts_with("FILTER");
  }
  for (const std::string& word : words) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string option = option_name(word.substr(0, equals));
    if (equals + 1 < word.size() && command.get_option_no_throw(option) != nullptr)
      return fmt::format("unexpected '{}'; write {} {}", word, option, shell_word(word.substr(equals + 1)));
  }
  const auto filter = std::find_if(unexpected.begin(), unexpected.end(), is_filter);
  if (filter == unexpected.end() || !takes_filter) return "";
  return fmt::format("unexpected '{}'; a chain of filters is one word in quotes, \"gaussian sigma=2 | edges\"", *filter);
}

/// What CLI11 found wrong with the command line, as one sentence.
std::string sentence_of(const CLI::ParseError& error, const CLI::App& program) {
  const std::vector<CLI::App*> parsed = program.get_subcommands();
  const CLI::App& innermost = parsed.empty() ? program : *parsed.front();
  const std::string see = fmt::format("; see halation {}--help", parsed.empty() ? "" : innermost.get_name() + " ");
  std::string sentence = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // Those behind "--" are the program's, whatever the command.
    std::vector<std::string> words = innermost.remaining();
    for (std::string& word : program.remaining(true)) words.push_back(std::move(word));
    std::erase(words, "--");
    if (!words.empty() && is_option(words.front())) return unknown_option(words.front(), innermost, see);
    if (std::string of_chain = unexpected_of_chain(innermost, words); !of_chain.empty()) return of_chain;
    sentence = "unexpected '" + (words.empty() ? "--" : words.front()) + "'";
  } else if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {  // all that is no flag is taken as text
    const std::size_t name = sentence.find("--"), value = sentence.find(" = ");
    if (name < value) sentence = fmt::format("{} takes no value, got '{}'", sentence.substr(name, value - name), sentence.substr(value + 3));
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    sentence = sentence.substr(0, sentence.find(':')) + " takes one value";
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const std::vector<std::string> words = innermost.remaining();
    const auto option = std::find_if(words.begin(), words.end(), is_option);
    if (option != words.end()) return unknown_option(*option, innermost, see);
    if (!words.empty() && sentence.starts_with("--output ")) return fmt::format("{}; write -o {}", sentence, words.front());
  }
  return sentence + see;
}

}  // namespace

Command::Command(CLI::App& parser) : parser_(parser), help_(std::make_shared<Help>(parser)) { parser_.formatter(help_); }

const std::string& Declared::name() const {
  const auto is_long = [](const std::string& each) { return each.starts_with("--"); };
  const auto found = std::find_if(names.begin(), names.end(), is_long);
  return found == names.end() ? names.front() : *found;
}

std::string Command::name() const { return parser_.get_name(); }

std::string Command::description() const { return parser_.get_description(); }

std::vector<Declared> Command::declared() const {
  std::vector<Declared> all;
  for (const CLI::Option* option : std::as_const(parser_).get_options()) {
    Declared each{.names = {},
                  .kind = option->get_type_name(),
                  .description = option->get_description(),
                  .heading = option->get_group(),
                  .positional = option->get_positional(),
                  .takes_value = option->get_items_expected_max() > 0,
                  .is_given = option->count() > 0,
                  .values = option->results()};
    for (const std::string& name : option->get_snames()) each.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) each.names.push_back("--" + name);
    if (each.names.empty()) each.names.push_back(option->get_name());
    all.push_back(std::move(each));
  }
  return all;
}

std::string Command::as_typed() const {
  std::string text = "halation " + name();
  for (const Declared& each : declared()) {
    if (!each.is_given) continue;
    if (!each.positional) text += " " + each.name();
    if (!each.takes_value) continue;
    for (const std::string& value : each.values) text += " " + shell_word(value);
  }
  return text;
}

void Command::positional(const std::string& name, std::string& given, const std::string& kind,
                         const std::string& description, Need need) {
  parser_.add_option(name, given, description)->required(need == Need::required)->type_name(kind);
}

void Command::positionals(const std::string& name, std::vector<std::string>& given, const std::string& kind,
                          const std::string& description) {
  parser_.add_option(name, given, description)->required()->type_name(kind);
}

void Command::required(const std::string& names, std::string& given, const std::string& kind,
                       const std::string& description) {
  parser_.add_option(names, given, description)->required()->type_name(kind);
}

OptionGroup Command::group(std::string heading) { return {*this, std::move(heading)}; }

void Command::footer(const std::string& text) { parser_.footer(text); }

void Command::show_all() { help_->show_all(); }

void Command::everyday(std::vector<std::string> names) { help_->everyday(std::move(names)); }

void Command::takes_anything() { parser_.allow_extras(); }

void Command::explain_chosen(const std::string& heading,
                             std::function<std::optional<Chosen>(const std::string&)> chosen_by) {
  help_->explain_chosen(heading, std::move(chosen_by));
}

bool Command::parsed() const { return parser_.parsed(); }

void Command::check_names() const {
  for (const Declared& each : declared()) {
    const bool is_name = each.kind == "FILE" || each.kind == "FILE..." || each.kind == "DIR";
    if ((is_name || each.name() == "--format") && std::count(each.values.begin(), each.values.end(), "") > 0)
      throw Error{ErrorCode::invalid_argument, fmt::format("an empty name was given for {}; see halation {} --help", each.name(), name())};
  }
}

void OptionGroup::text(const std::string& names, Given& given, const std::string& kind,
                       const std::string& description) {
  text(
      names, [&given](const std::string& text) { given = text; }, kind, description);
}

void OptionGroup::text(const std::string& names, const std::function<void(const std::string&)>& take,
                       const std::string& kind, const std::string& description) {
  parser_.add_option_function<std::string>(names, take, description)->type_name(kind)->group(heading_);
}

void OptionGroup::texts(const std::string& names, std::vector<std::string>& given, const std::string& kind,
                        const std::string& description, Several several) {
  CLI::Option* option = parser_.add_option(names, given, description)->type_name(kind)->group(heading_);
  if (several == Several::one_each) option->allow_extra_args(false);
}

void OptionGroup::flag(const std::string& name, bool& given, const std::string& description) {
  parser_.add_flag(name, given, description)->group(heading_);
}

Program::Program(std::unique_ptr<CLI::App> parser) : Command(*parser), owned_(std::move(parser)) {}

Program::Program(const std::string& description, const std::string& name, const std::string& version)
    : Program(std::make_unique<CLI::App>(description, name)) {
  parser_.set_help_flag("-h,--help", "explains this command");
  parser_.set_version_flag("--version", name + " " + version, "name and version");
}

Program::~Program() = default;

Command& Program::add(const std::string& name, const std::string& description) {
  CLI::App& parser = *parser_.add_subcommand(name, description)->group("Commands");
  parser.footer("");  // not the program's, which is taken over
  commands_.push_back(std::make_unique<Command>(parser));
  return *commands_.back();
}

std::optional<std::string> Program::parse(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && (words.front() == "help" || words.front() == "--help" || words.front() == "-h")) {
    words.erase(words.begin());
    words.insert(!words.empty() && words.back() == "all" ? words.end() - 1 : words.end(), "--help");
  }
  check_command(words);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] != "all" || (words[i - 1] != "--help" && words[i - 1] != "-h")) continue;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    for (const std::unique_ptr<Command>& command : commands_) command->show_all();
    break;
  }
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  parser_.require_subcommand(0, 1);          // so that a file may be named as a command
  try {
    parser_.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return parser_.help();
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    throw Error{ErrorCode::invalid_argument, sentence_of(error, parser_)};
  }
  if (const Command* command = chosen()) command->check_names();
  return {};
}

void Program::check_command(const std::vector<std::string>& words) const {
  if (words.empty()) return;
  const std::string& first = words.front();
  std::vector<std::string> names;
  for (const std::unique_ptr<Command>& command : commands_) names.push_back(command->name());
  const auto is_command = [&](const std::string& word) { return std::find(names.begin(), names.end(), word) != names.end(); };
  if (first.starts_with('-')) {
    const auto command = std::find_if(words.begin(), words.end(), is_command);
    if (command == words.end() || first == "-h" || first == "--help" || first == "--version") return;
    throw Error{ErrorCode::invalid_argument,
                fmt::format("{} stands before the command; options go behind it, as in halation {} ... {}", first, *command, first)};
  }
  if (is_command(first)) return;
  if (is_filter(first))
    throw Error{ErrorCode::invalid_argument,
                fmt::format("'{0}' is a filter, not a command: halation apply {0} in.png -o out.png; halation filters {0} explains it", first)};
  std::string hint = meant(first, names);
  const std::optional<std::string> filter = same_elsewhere(first, names_of_filters());
  if (hint.empty() && filter) hint = fmt::format("; did you mean halation apply {}?", *filter);
  throw Error{ErrorCode::invalid_argument, fmt::format("unknown command '{}'{}", first, hint.empty() ? "; see halation --help" : hint)};
}

const Command* Program::chosen() const {
  for (const std::unique_ptr<Command>& command : commands_) {
    if (command->parsed()) return command.get();
  }
  return nullptr;
}

}  // namespace halation::app
