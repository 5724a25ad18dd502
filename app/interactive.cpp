// interactive.cpp: `halation interactive`: asks for image, filter and strength, again and again on the image
// in memory.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "arguments.h"
#include "filter_options.h"
#include "halation/error.h"
#include "halation/io.h"
#include "job.h"
#include "subcommands.h"
#include "timing.h"

namespace halation::app {
namespace {

constexpr const char* example_image = "examples/astronaut.png";
constexpr const char* first_filter = "sharpen";
constexpr const char* image_answer = "image";

struct Flags {
  std::string image;
  Given device, threads;
};

/// One line of standard input without its end; none at the end of input.
std::optional<std::string> read_line() {
  std::string line;
  for (int c = std::getchar(); c != '\n'; c = std::getchar()) {
    if (c == EOF) {
      if (line.empty()) return {};
      break;
    }
    line += static_cast<char>(c);
  }
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

/// The conversation: what is in memory, and what was answered last.
class Conversation {
 public:
  explicit Conversation(const Flags& flags) : given_image_(flags.image) {
    if (flags.device) job_.device = device_from(*flags.device);
    if (flags.threads)
      job_.options.threads = static_cast<int>(whole_number_from("--threads", *flags.threads, 0, 1024));
  }

  /// Returns when the user leaves.
  void hold() {
    fmt::print(
        "q leaves; an empty answer takes what stands in brackets; halation filters lists the filters\n");
    if (!given_image_.empty()) open(given_image_);
    while (pages_.empty() ? ask_image() : ask_filter()) {
    }
  }

 private:
  /// Asks until `accept` takes the answer without an `Error`; false where the user leaves.
  bool ask(const std::string& question, const std::string& by_default,
           const std::function<void(const std::string&)>& accept) {
    for (;;) {
      fmt::print("{}{}: ", question, by_default.empty() ? "" : " [" + by_default + "]");
      std::fflush(stdout);
      const std::optional<std::string> answer = read_line();
      if (!answer) fmt::print("\n");
      if (!answer || *answer == "q") return false;
      try {
        accept(answer->empty() ? by_default : *answer);
        return true;
      } catch (const Error& error) {
        complain(error);
      }
    }
  }

  static void complain(const Error& error) { fmt::print(stderr, "halation: {}\n", error.what()); }

  void open(const std::string& path) {
    if (path.empty()) throw Error{ErrorCode::invalid_argument, "the name of an image is needed"};
    if (path == "-")
      throw Error{ErrorCode::invalid_argument, "standard input holds the answers; name a file"};
    Timing timing;
    pages_ = timing.measure("read", [&] { return read_pages(path); });
    image_ = path;
    timing_ = timing;
    fmt::print("{}: {} {}\n", path, to_string(pages_.front().image.shape()),
               name_of(pages_.front().image.pixel()));
  }

  bool ask_image() {
    const bool has_example = image_.empty() && std::filesystem::exists(example_image);
    return ask("image", has_example ? example_image : image_,
               [this](const std::string& path) { open(path); });
  }

  bool ask_filter() {
    const NamedFilter* filter = nullptr;
    const bool answered =
        ask(fmt::format("filter, or {} for another one", image_answer), filter_,
            [&](const std::string& name) { filter = name == image_answer ? nullptr : &filter_named(name); });
    if (!answered) return false;
    if (filter == nullptr) return ask_image();
    filter_ = filter->name;
    job_.filter = make_filter(filter_);
    if (!filter->parameters.empty() && !ask_strength(*filter)) return false;
    try {
      apply();
    } catch (const Error& error) {
      complain(error);
    }
    return true;
  }

  /// A filter's first parameter is its strength; the others keep their defaults.
  bool ask_strength(const NamedFilter& filter) {
    const Parameter& strength = filter.parameters.front();
    const std::string unit = strength.unit.empty() ? "" : " " + strength.unit;
    return ask(fmt::format("{}, {}{}", strength.name, allowed_values(strength), unit), default_of(strength),
               [&](const std::string& text) {
                 Arguments arguments;
                 if (!text.empty()) arguments[strength.name] = values_from(filter, strength, text);
                 job_.filter = make_filter(filter.name, arguments);
               });
  }

  void apply() {
    const std::string out = output_path();
    Timing timing = timing_.value_or(Timing{});
    Workload work;
    std::vector<Page> results;
    const Prepared prepared = prepare(job_, pages_, timing);
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      results.push_back(run(prepared.jobs[i], pages_[i], timing));
      work += workload_of(prepared.jobs[i], pages_[i]);
    }
    timing.measure("write", [&] { write_pages(out, results); });
    fmt::print("wrote {}\n{}:\n{}", out, timing_ ? "first run" : "later run, image already in memory",
               table_of(timing, work));
    timing_.reset();
  }

  /// "photo_sharpen.png" in the current folder for "pictures/photo.png"; PNG where the ending names no
  /// format.
  std::string output_path() const {
    const std::filesystem::path path = image_;
    const std::string stem = path.stem().string() + "_" + filter_;
    std::string out = stem + path.extension().string();
    try {
      check_place(out, pages_.front().image.pixel());
      return out;
    } catch (const Error&) {
      return stem + ".png";
    }
  }

  std::string given_image_;
  Job job_;
  std::string image_;
  std::vector<Page> pages_;
  std::string filter_ = first_filter;
  std::optional<Timing> timing_;  ///< of reading, until the first run has counted it
};

}  // namespace

Subcommand add_interactive(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "interactive", "Asks for image, filter and strength, again and again on the image in memory");
  const auto flags = std::make_shared<Flags>();
  command.add_option("image", flags->image, "the image to begin with")->type_name("FILE");
  OptionGroup options(command, "Options");
  options.text("--device", flags->device, "auto|cpu|cuda|reference", "where to compute [auto]");
  options.text("--threads", flags->threads, "N", "CPU threads, 0 for all [0]");
  add_memory_option(command, "Options");
  return {&command, [flags] { Conversation(*flags).hold(); }};
}

}  // namespace halation::app
