// main.cpp: the program halation: which subcommand, and what becomes of errors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fcntl.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "core/temporary.h"
#include "halation/error.h"
#include "notice.h"
#include "subcommands.h"

namespace halation::app {
namespace {

constexpr int failed = 1;
constexpr int wrong_usage = 2;

constexpr const char* footer =
    R"(A command's own help: halation apply --help, or halation help apply; of one filter: halation apply gaussian --help
Exit codes: 0 done, 1 it could not be done, 2 the command line asks for what has no meaning.)";

int report(const std::string& sentence, int exit_code) {
  notice(fmt::format("halation: {}\n", sentence));
  return exit_code;
}

/// What was printed may still wait in a buffer, and the disk behind it may be full.
int finish() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0
             ? 0
             : report("standard output cannot be written", failed);
}

int run(int argc, char** argv) {
  Program program("Filters signals, images and volumes.", "halation", HALATION_VERSION);
  add_apply(program);
  add_batch(program);
  add_video(program);
  add_filters(program);
  add_explain(program);
  add_tune(program);
  add_ladder(program);
  add_bench(program);
  add_devices(program);
  add_interactive(program);
  add_studio(program);
  add_completion(program);
  program.footer(footer);
  if (const std::optional<std::string> answer = program.parse(argc, argv)) {
    fmt::print("{}", *answer);
    return finish();
  }
  if (const Command* command = program.chosen()) {
    command->run();
    return finish();
  }
  std::vector<std::string> names;
  for (const std::unique_ptr<Command>& command : program.commands()) names.push_back(command->name());
  return report(fmt::format("a command is needed: {}; see halation --help", fmt::join(names, ", ")),
                wrong_usage);
}

/// Where the caller has closed a standard stream, the next file to be opened would take its number, and be
/// read or written in its place. What is opened here instead cannot be: input by writing alone, outputs by
/// reading alone.
void hold_standard_streams() {
  constexpr std::array ways = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (std::size_t number = 0; number < ways.size(); ++number) {
    if (::fcntl(static_cast<int>(number), F_GETFD) < 0) (void)::open("/dev/null", ways[number]);
  }
}

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    return report(error.what(), error.code() == ErrorCode::invalid_argument ? wrong_usage : failed);
  } catch (const std::bad_alloc&) {
    return report("not enough memory", failed);
  } catch (const std::exception& error) {
    return report(error.what(), failed);
  }
}

}  // namespace
}  // namespace halation::app

int main(int argc, char** argv) {
  halation::app::hold_standard_streams();
  halation::remove_unfinished_on_signals();
  // A file that outgrows the user's limit is then a failed write, and so an error line without a file left
  // behind.
  std::signal(SIGXFSZ, SIG_IGN);
  return halation::app::run_and_report(argc, argv);
}
