// command.h: commands of the program: what they take, how it is parsed, and their help.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;  // of CLI11, which command.cpp alone includes: compiling it takes seconds
}

namespace halation::app {

/// The text given for an option, none where the option was left out.
using Given = std::optional<std::string>;

/// An option or a positional argument as it was declared, and what was given for it.
struct Declared {
  std::vector<std::string> names;  ///< "-o", "--output"; of a positional its name alone
  std::string kind;                ///< of its value
  std::string description;
  std::string heading;  ///< empty where the help does not show it
  bool positional = false;
  bool takes_value = true;
  bool is_given = false;
  std::vector<std::string> values;  ///< those given

  /// By which users call it: the first long name.
  const std::string& name() const;
};

class OptionGroup;
class Help;

/// A command of the program. What values are stored in must live as long as the command. The `kind` of a
/// value is shown in the help and drives completion: words with '|' between them are the choices, one that
/// holds FILE stands for files, FILTER for the names of filters, RUNG for those of rungs; anything else is
/// free. Of a FILE, a FILE... or a DIR the name must not be empty.
class Command {
 public:
  explicit Command(CLI::App& parser);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  std::string name() const;
  std::string description() const;
  /// In the order in which they were declared, the help's own first.
  std::vector<Declared> declared() const;
  /// With the options that were given, as it could be typed again.
  std::string as_typed() const;

  enum class Need { required, optional };
  /// An argument that is known by its place.
  void positional(const std::string& name, std::string& given, const std::string& kind,
                  const std::string& description, Need need = Need::required);
  /// All that follow, one at least.
  void positionals(const std::string& name, std::vector<std::string>& given, const std::string& kind, const std::string& description);
  /// An option that must be given.
  void required(const std::string& names, std::string& given, const std::string& kind,
                const std::string& description);
  OptionGroup group(std::string heading);
  void footer(const std::string& text);
  /// The options, by their long names, that the help shows unless it is asked for all; for a command with many.
  void everyday(std::vector<std::string> names);
  /// Has the help show all of them.
  void show_all();
  /// What else follows it is no mistake: for a command that is left out, whose one sentence is the answer to all.
  void takes_anything();

  /// One filter of many, as the help of a command explains it.
  struct Chosen {
    std::string title;
    std::vector<std::pair<std::string, std::string>> options = {};  ///< names of options, and what they mean to it
    bool is_known = true;                                           ///< else `title` says that there is none
  };
  /// Where the first positional was given and is none of the words of its kind, the help begins with what `chosen_by` says of it; where that
  /// knows it, in place of the options under `heading`.
  void explain_chosen(const std::string& heading,
                      std::function<std::optional<Chosen>(const std::string& first)> chosen_by);

  /// Whether the command line names it.
  bool parsed() const;
  /// Throws `Error{invalid_argument}` where the name of a file or folder was given and is empty.
  void check_names() const;
  /// What is done once the command line is parsed; may throw `Error` and other std::exceptions.
  void does(std::function<void()> work) { work_ = std::move(work); }
  void run() const { work_(); }

 protected:
  CLI::App& parser_;
  std::shared_ptr<Help> help_;

 private:
  friend OptionGroup;
  std::function<void()> work_;
};

/// Options that stand under one heading of a command's help; without a heading they are shown nowhere.
class OptionGroup {
 public:
  OptionGroup(Command& command, std::string heading)
      : parser_(command.parser_), heading_(std::move(heading)) {}

  void text(const std::string& names, Given& given, const std::string& kind, const std::string& description);
  /// `take` is called while the command line is parsed, and may throw `Error`.
  void text(const std::string& names, const std::function<void(const std::string&)>& take, const std::string& kind,
            const std::string& description);

  /// Of several texts, the option is followed by all or goes before each.
  enum class Several { after_one, one_each };
  void texts(const std::string& names, std::vector<std::string>& given, const std::string& kind,
             const std::string& description, Several several = Several::after_one);

  void flag(const std::string& name, bool& given, const std::string& description);

 private:
  CLI::App& parser_;
  std::string heading_;
};

/// The program as a whole: a command that has others.
class Program : public Command {
 public:
  Program(const std::string& description, const std::string& name, const std::string& version);
  ~Program();

  Command& add(const std::string& name, const std::string& description);
  /// The same of a command whose options are a `Flags`, made of the command, and that does `work` with them.
  template <class Flags>
  void add(const std::string& name, const std::string& description, void (*work)(const Flags&)) {
    Command& command = add(name, description);
    command.does([work, flags = std::make_shared<Flags>(command)] { work(*flags); });
  }
  const std::vector<std::unique_ptr<Command>>& commands() const { return commands_; }

  /// What is to be printed in place of any work, help or version; nothing where a command is to run. `help apply` and `--help apply` are
  /// `apply --help`, and `--help all` shows all options. Throws `Error{invalid_argument}` with what is wrong with the command line.
  std::optional<std::string> parse(int argc, const char* const* argv);
  /// The command that the line names; none where it names none.
  const Command* chosen() const;

 private:
  /// Throws `Error{invalid_argument}` where the first word should be a command and is none.
  void check_command(const std::vector<std::string>& words) const;
  explicit Program(std::unique_ptr<CLI::App> parser);

  std::unique_ptr<CLI::App> owned_;
  std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace halation::app
