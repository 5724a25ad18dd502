// command.cpp: `halation interactive`: filters one image again and again, asking for filter, parameters
// and files.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "app/command_line/arguments.h"
#include "app/command_line/filter_options.h"
#include "app/command_line/memory_option.h"
#include "app/filtering/timing.h"
#include "app/notice.h"
#include "app/report/text/wrapped.h"
#include "app/subcommands.h"
#include "halation/error.h"
#include "halation/io.h"
#include "line_editor.h"
#include "session.h"

namespace halation::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* example_image = "examples/astronaut.png";
constexpr const char* first_filter = "sharpen";
constexpr const char* welcome =
    "Enter takes what stands in brackets; help, list, back and quit are always understood\n";
constexpr const char* commands_help =
    R"(NAME            applies that filter, after asking for its parameters; Enter takes the one in brackets
list            the names of all filters
help [NAME]     this, or what a filter does
write [FILE]    writes the last result once more
compare [FILE]  writes original and last result side by side
result          filters that follow are applied to the last result
original        they are applied to the image as it was read
image [FILE]    another image
view [NAME]     what pictures show of results that pixels cannot hold: signed, abs, stretch; none: values
device [NAME]   another place to compute: auto, cpu, cuda, cuda:1, reference
back            one question back
quit            ends, and so does the end of the input (Ctrl-D)
A file called like a command is written ./quit
)";

constexpr const char* no_view = "none";
constexpr const char* view_help =
    "signed: zero is middle grey, all else as far from it as the weights make sure that nothing is lost; abs: magnitudes;\n"
    "  stretch: from the smallest to the largest value of a page; none: the values themselves, rounded and saturated\n";

constexpr const char* weights_help =
    "custom: weights of your own, rows apart by ';', numbers by blanks or commas, such as 0 -1 0; -1 5 -1; 0 "
    "-1 0,\n"
    "  or a file that holds them, .txt in the same notation or .npy\n";

struct Flags {
  std::string image;
  Given device, threads;
};

std::string list_of_filters() {
  std::string list;
  for (const NamedFilter& filter : named_filters())
    list += fmt::format("{:<22}{}\n", filter.name, wrapped(filter.summary, page_columns - 22, 22));
  return list + fmt::format("{:<22}{}\n", custom_name, "Weights of your own");
}

std::string help_on(const NamedFilter& filter) {
  std::string text =
      fmt::format("{}: {}\n{}\n", filter.name, filter.summary, wrapped(filter.formula, page_columns));
  for (const Parameter& parameter : filter.parameters)
    text += wrapped(fmt::format("{}: {}", parameter.name, explanation(parameter)), page_columns, 2) + "\n";
  return text;
}

/// A question, and what it says of itself when asked for help.
struct Question {
  std::string text;
  std::string by_default = {};
  std::string help = {};
  Completions completions = {};
};

enum class Reply { answered, back, quit };

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

/// The name with the first of "", "_2", "_3" … before its ending that no file has.
std::string free_name(const fs::path& path) {
  std::string name = path.string();
  for (int i = 2; exists(name); ++i)
    name = (path.parent_path() / fmt::format("{}_{}{}", path.stem().string(), i, path.extension().string()))
               .string();
  return name;
}

/// The conversation: what is asked after what.
class Conversation {
 public:
  explicit Conversation(const Flags& flags) {
    if (flags.device) job_.device = device_from(*flags.device);
    if (flags.threads)
      job_.options.threads = static_cast<int>(whole_number_from("--threads", *flags.threads, 0, 1024));
    if (!flags.image.empty()) session_.open(flags.image);
  }

  /// Returns when the user leaves; throws `Error` then where something failed in a script, which nobody saw.
  void hold() {
    fmt::print("{}", welcome);
    if (session_.has_image()) introduce();
    while ((session_.has_image() ? ask_filter() : ask_image()) != Reply::quit) {
    }
    if (complaints_ > 0 && ::isatty(STDIN_FILENO) == 0)
      throw Error{ErrorCode::io, fmt::format("interactive: {} of what was asked for could not be done", complaints_)};
  }

 private:
  void complain(const Error& error) {
    ++complaints_;
    std::fflush(stdout);
    notice(fmt::format("halation: {}\n", error.what()));
  }

  /// Asks until `accept` takes the answer without an `Error`.
  Reply ask(Question question, const std::function<void(const std::string&)>& accept) {
    for (const char* word : {"help", "list", "back", "quit"}) question.completions.words.emplace_back(word);
    const std::string prompt = fmt::format("{}{}: ", question.text,
                                           question.by_default.empty() ? "" : " [" + question.by_default + "]");
    for (;;) {
      const std::optional<std::string> answer = read_line(prompt, question.completions);
      if (!answer || *answer == "quit" || *answer == "q") return Reply::quit;
      if (*answer == "back") return Reply::back;
      if (*answer == "help" || *answer == "?") {
        fmt::print("{}", question.help.empty() ? commands_help : question.help);
      } else if (*answer == "list") {
        fmt::print("{}", list_of_filters());
      } else {
        try {
          accept(answer->empty() ? question.by_default : *answer);
          return Reply::answered;
        } catch (const Error& error) {
          complain(error);
        }
      }
    }
  }

  void open(const std::string& path) {
    session_.open(path);
    introduce();
  }

  void introduce() {
    const Image& image = session_.original().front().image;
    fmt::print("{}: {} {}\n", session_.path(), to_string(image.shape()), name_of(image.pixel()));
  }

  Reply ask_image() {
    const bool has_example = !session_.has_image() && fs::exists(example_image);
    return ask({.text = "image",
                .by_default = has_example ? example_image : session_.path(),
                .help = "The file to filter, of any format that apply reads\n",
                .completions = {.files = true}},
               [this](const std::string& path) { open(path); });
  }

  Reply ask_filter() {
    Completions names{
        .words = {"write", "compare", "result", "original", "image", "view", "device", std::string(custom_name)}};
    for (const NamedFilter& filter : named_filters()) names.words.push_back(filter.name);
    std::function<Reply()> next;
    const Reply reply =
        ask({.text = session_.source_is_original() ? "filter" : "filter for " + session_.source_name(),
             .by_default = filter_,
             .completions = std::move(names)},
            [&](const std::string& answer) { next = step_of(answer); });
    // A step back from here leads nowhere, and neither does one from what follows but here.
    if (reply != Reply::answered) return reply;
    return next() == Reply::quit ? Reply::quit : Reply::answered;
  }

  /// What an answer to "filter" starts. Throws `Error` for one that is none.
  std::function<Reply()> step_of(const std::string& answer) {
    const std::size_t blank = answer.find(' ');
    const std::string word = answer.substr(0, blank);
    const std::size_t rest = answer.find_first_not_of(' ', blank);
    const std::string given =
        blank == std::string::npos || rest == std::string::npos ? "" : answer.substr(rest);
    if (word == "help")
      return done(
          [&] { fmt::print("{}", given == custom_name ? weights_help : help_on(filter_named(given))); });
    if (word == "image" && given.empty()) return [this] { return ask_image(); };
    if (word == "image") return done([&] { open(given); });
    if (word == "view" && given.empty()) return [this] { return ask_view(); };
    if (word == "view") return done([&] { take_view(given); });
    if (word == "device" && given.empty()) return [this] { return ask_device(); };
    if (word == "device") return done([&] { take_device(given); });
    if (word == "original") return done([&] { session_.go_on_from_original(); });
    if (word == "result") return done([&] { session_.go_on_from_result(); });
    if (word == "write" || word == "compare") {
      if (!session_.has_result()) throw Error{ErrorCode::invalid_argument, "there is no result yet"};
      const bool picture = word == "compare";
      return [this, picture, given] { return picture ? write_picture(given) : write_result(given); };
    }
    if (answer == custom_name) return [this] { return filter_by_weights(); };
    const NamedFilter& filter = filter_named(answer);
    (void)make_filter(filter.name, {}, dims());
    return [this, &filter] { return filter_by(filter); };
  }

  static std::function<Reply()> done(const std::function<void()>& work) {
    work();
    return [] { return Reply::answered; };
  }

  int dims() const { return session_.source().front().image.shape().dims(); }

  Reply ask_view() {
    return ask({.text = "view",
                .by_default = job_.view ? std::string(name_of(*job_.view)) : no_view,
                .help = view_help,
                .completions = {.words = {"signed", "abs", "stretch", no_view}}},
               [this](const std::string& name) { take_view(name); });
  }

  void take_view(const std::string& name) {
    job_.view = name == no_view ? std::nullopt : std::optional(display_named(name));
  }

  Reply ask_device() {
    return ask(
        {.text = "device",
         .by_default = job_.device ? name_of(*job_.device) : "auto",
         .help = "auto takes what ends soonest; others: cpu, cuda, cuda:1 for the second GPU, reference\n",
         .completions = {.words = {"auto", "cpu", "cuda", "reference"}}},
        [this](const std::string& name) { take_device(name); });
  }

  void take_device(const std::string& name) {
    const std::optional<Device> device = device_from(name);
    const std::vector<DeviceInfo> present = devices();
    if (device && std::none_of(present.begin(), present.end(),
                               [&](const DeviceInfo& info) { return info.device == *device; }))
      throw Error{ErrorCode::device,
                  fmt::format("there is no {} here; halation devices lists what there is", name_of(*device))};
    job_.device = device;
  }

  /// Each parameter in turn, then the filtering.
  Reply filter_by(const NamedFilter& filter) {
    std::vector<Arguments> given = {{}};  // before each question
    while (given.size() <= filter.parameters.size()) {
      const Parameter& parameter = filter.parameters[given.size() - 1];
      Arguments arguments = given.back();
      const Reply reply = ask_parameter(filter, parameter, arguments);
      if (reply == Reply::quit) return reply;
      if (reply == Reply::answered) {
        given.push_back(std::move(arguments));
      } else {
        given.pop_back();
        if (given.empty()) return Reply::back;
      }
    }
    filter_ = filter.name;
    return apply(make_filter(filter.name, given.back()));
  }

  Reply ask_parameter(const NamedFilter& filter, const Parameter& parameter, Arguments& arguments) {
    const std::string help =
        wrapped(fmt::format("{}: {}", parameter.name, explanation(parameter)), page_columns, 2) + "\n";
    fmt::print("{}", help);
    return ask({.text = parameter.name,
                .by_default = default_of(parameter),
                .help = help,
                .completions = {.words = parameter.choices}},
               [&](const std::string& text) {
                 if (text.empty()) return;  // follows from others
                 Arguments all = arguments;
                 all[parameter.name] = values_from(filter, parameter, text);
                 (void)make_filter(filter.name, all, dims());
                 arguments = std::move(all);
               });
  }

  Reply filter_by_weights() {
    FilterSet filter;
    const Reply reply = ask({.text = "weights", .help = weights_help, .completions = {.files = true}},
                            [&](const std::string& text) { filter = weights_from(text); });
    if (reply != Reply::answered) return reply;
    filter_ = custom_name;
    return apply(std::move(filter));
  }

  Reply apply(FilterSet filter) {
    job_.chain = Chain(std::move(filter));
    try {
      const FilterRun made = session_.apply(job_, filter_);
      fmt::print("{}:\n{}device {}\n", made.first ? "first run" : "later run, image already in memory",
                 table_of(made.timing, made.work), made.device);
      if (!made.note.empty()) fmt::print("{}\n", made.note);
    } catch (const Error& error) {
      complain(error);
      return Reply::answered;
    }
    return write_result("");
  }

  Reply write_result(const std::string& given) {
    return write_to(given, result_name(),
                    [this](const std::string& path) { write_pages(path, session_.result()); });
  }

  Reply write_picture(const std::string& given) {
    return write_to(given, beside_image(session_.result_name() + "_compare.png"),
                    [this](const std::string& path) {
                      const Page picture = session_.picture();
                      write_pages(path, {&picture, 1});
                    });
  }

  using Write = std::function<void(const std::string& path)>;

  /// Writes a file where it was given, else asks where.
  Reply write_to(const std::string& given, const std::string& wanted, const Write& write) {
    const Question where{.text = "write to",
                         .by_default = free_name(wanted),
                         .help = "A file, in the format of its ending, or a folder; no writes nothing\n",
                         .completions = {.words = {"no"}, .files = true}};
    for (std::string path = given;; path.clear()) {
      Reply reply =
          path.empty() ? ask(where, [&](const std::string& answer) { path = answer; }) : Reply::answered;
      if (reply != Reply::answered || path == "no") return reply;
      try {
        reply = write_file(path, wanted, write);
        if (reply != Reply::back) return reply;
      } catch (const Error& error) {
        complain(error);
      }
    }
  }

  /// Over a file that exists only where that is wanted; back: it is not.
  Reply write_file(std::string path, const std::string& wanted, const Write& write) {
    if (path == "-")
      throw Error{ErrorCode::invalid_argument, "standard output holds the questions; name a file"};
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) path = free_name(fs::path(path) / fs::path(wanted).filename());
    if (const Reply reply = exists(path) ? ask_overwrite(path) : Reply::answered; reply != Reply::answered)
      return reply;
    Timing timing;
    timing.measure("write", [&] { write(path); });
    fmt::print("wrote {} ({:.3f} ms)\n", path, timing.total_seconds() * 1e3);
    return Reply::answered;
  }

  /// Answered: yes; back: no.
  Reply ask_overwrite(const std::string& path) {
    bool yes = false;
    const Reply reply =
        ask({.text = path + " exists; overwrite it",
             .by_default = "no",
             .help = "yes replaces the file, no asks for another name\n",
             .completions = {.words = {"yes", "no"}}},
            [&](const std::string& answer) {
              yes = answer == "yes" || answer == "y";
              if (!yes && answer != "no" && answer != "n")
                throw Error{ErrorCode::invalid_argument, fmt::format("answer yes or no, got '{}'", answer)};
            });
    return reply == Reply::answered && !yes ? Reply::back : reply;
  }

  std::string beside_image(const std::string& name) const {
    return (fs::path(session_.path()).parent_path() / name).string();
  }

  /// In the image's format; PNG where its ending names none.
  std::string result_name() const {
    std::string name =
        beside_image(session_.result_name() + fs::path(session_.path()).extension().string());
    try {
      check_place(name, session_.result().front().image.pixel());
      return name;
    } catch (const Error&) {
      return beside_image(session_.result_name() + ".png");
    }
  }

  Job job_;
  FilterSession session_;
  std::string filter_ = first_filter;  ///< the last one, which the next question offers
  int complaints_ = 0;
};

}  // namespace

void add_interactive(Program& program) {
  Command& command = program.add(
      "interactive", "Filters one image again and again, asking for filter, parameters and files");
  const auto flags = std::make_shared<Flags>();
  command.positional("image", flags->image, "FILE", "the image to begin with", Command::Need::optional);
  OptionGroup options = command.group("Options");
  options.text("--device", flags->device, "auto|cpu|cuda|reference", "where to compute [auto]");
  options.text("--threads", flags->threads, "N", "CPU threads, 0 for as many as HALATION_THREADS says, or all [0]");
  add_memory_option(options);
  command.footer(
      fmt::format("Lines of a pipe or a file are answers as well; the exit code is 1 where one could not be followed.\nWhat may be answered to "
                  "\"filter\":\n{}",
                  commands_help));
  command.does([flags] { Conversation(*flags).hold(); });
}

}  // namespace halation::app
