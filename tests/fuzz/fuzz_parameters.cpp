// fuzz_parameters.cpp: any command line, one argument a line, in a folder with two small inputs: the
// program's parser and its subcommands return or throw; a job that failed has left no file.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "app/subcommands.h"
#include "core/memory.h"
#include "halation/error.h"
#include "halation/io.h"

namespace {

namespace fs = std::filesystem;
using namespace halation;

const fs::path photo = "in.png";
const fs::path volume = "in.npy";

/// A folder of the process's own with the inputs in it; standard input is empty, standard output goes
/// nowhere.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/halation_fuzz_XXXXXX";
    if (mkdtemp(name) == nullptr || chdir(name) != 0) std::abort();
    path_ = name;
    if (std::freopen("/dev/null", "r", stdin) == nullptr || std::freopen("/dev/null", "w", stdout) == nullptr)
      std::abort();
    std::vector<std::uint8_t> pixels(120);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 41);
    write_image(photo, view_of(pixels.data(), {.height = 5, .width = 6, .channels = 4}));
    write_image(volume, view_of(pixels.data(), {.depth = 4, .height = 5, .width = 6}));
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Removes everything but the inputs; true where there was something.
  bool tidy() const {
    std::vector<fs::path> extra;
    for (const auto& entry : fs::directory_iterator(path_)) {
      if (entry.path().filename() != photo && entry.path().filename() != volume)
        extra.push_back(entry.path());
    }
    for (const fs::path& path : extra) fs::remove_all(path);
    return !extra.empty();
  }

 private:
  fs::path path_;
};

/// Arguments that stay in the folder, leave the inputs alone and ask for work that is small or absurd, but
/// not merely long.
bool is_harmless(const std::string& argument) {
  if (argument.find('/') != std::string::npos || argument.find("..") != std::string::npos) return false;
  for (std::size_t i = 0; i < argument.size(); ++i) {
    const bool begins = std::isdigit(static_cast<unsigned char>(argument[i])) != 0 &&
                        (i == 0 || std::isdigit(static_cast<unsigned char>(argument[i - 1])) == 0);
    const double value = begins ? std::strtod(argument.c_str() + i, nullptr) : 0;
    if (value > 20 && value < 1e12) return false;
  }
  return true;
}

bool names_input(const std::string& argument) {
  return argument.find(photo.string()) != std::string::npos ||
         argument.find(volume.string()) != std::string::npos;
}

/// Lines of text; none where one is not harmless. An input may be named once, as the second argument, so that
/// it is never an output.
std::vector<std::string> arguments_from(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> arguments = {"halation"};
  std::string line;
  for (std::size_t i = 0; i <= size; ++i) {
    if (i < size && data[i] != '\n') {
      line += static_cast<char>(data[i] == 0 ? '0' : data[i]);
      continue;
    }
    if (!is_harmless(line) || (arguments.size() != 3 && names_input(line))) return {};
    arguments.push_back(line);
    line.clear();
  }
  return arguments;
}

/// True where the job was done.
bool run(const std::vector<std::string>& arguments) {
  limit_host_memory(std::numeric_limits<std::size_t>::max());  // none of the line before
  std::vector<const char*> argv(arguments.size());
  std::transform(arguments.begin(), arguments.end(), argv.begin(),
                 [](const std::string& each) { return each.c_str(); });
  app::Program program("", "halation", "");
  app::add_apply(program);
  app::add_filters(program);
  app::add_devices(program);
  app::add_interactive(program);
  app::add_completion(program);
  try {
    if (program.parse(static_cast<int>(argv.size()), argv.data())) return false;
    if (const app::Command* command = program.chosen()) command->run();
    return true;
  } catch (const Error&) {
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const std::vector<std::string> arguments = arguments_from(data, size);
  if (arguments.empty()) return -1;
  const bool done = run(arguments);
  const bool wrote = folder.tidy();
  if (!done && wrote) std::abort();
  return 0;
}
