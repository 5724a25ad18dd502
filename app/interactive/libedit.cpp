// libedit.cpp: lines edited by libedit, in which a signal sets the terminal right before it does what it
// does.
#include <editline/readline.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "line_editor.h"

namespace halation::app {
namespace {

using Text = std::unique_ptr<char, decltype(&std::free)>;

const Completions* offered = nullptr;  // libedit's functions take no data of ours

char* copy_of(const std::string& text) { return strdup(text.c_str()); }

/// Called again and again with a growing `state`: words first, then files.
char* next_completion(const char* text, int state) {
  static std::size_t next_word;
  static int next_file;
  if (state == 0) {
    next_word = 0;
    next_file = 0;
  }
  while (next_word < offered->words.size()) {
    const std::string& word = offered->words[next_word++];
    if (word.starts_with(text)) return copy_of(word);
  }
  if (!offered->files) return nullptr;
  const Text file(rl_filename_completion_function(text, next_file++), &std::free);
  if (!file) return nullptr;
  std::error_code ignored;
  return copy_of(std::filesystem::is_directory(file.get(), ignored) ? std::string(file.get()) + "/"
                                                                    : file.get());
}

char** completions_of(const char* text, int /*start*/, int /*end*/) {
  rl_attempted_completion_over = 1;  // what is not offered is not looked for elsewhere
  return rl_completion_matches(text, next_completion);
}

void set_up() {
  // Names of files may hold any character: a locale that has them, whatever the user's; numbers are read and
  // written as ever.
  std::setlocale(LC_CTYPE, "");
  if (MB_CUR_MAX == 1) std::setlocale(LC_CTYPE, "C.UTF-8");
  static char program[] = "halation";
  static char whole_line[] = "";
  rl_readline_name = program;
  rl_attempted_completion_function = completions_of;
  rl_basic_word_break_characters = whole_line;
  rl_completion_append_character = '\0';
  using_history();
}

/// What cannot be shown (the name of a file may hold anything) would upset the terminal, or libedit.
std::string shown(std::string prompt) {
  std::replace_if(
      prompt.begin(), prompt.end(), [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  if (std::mbstowcs(nullptr, prompt.c_str(), 0) == static_cast<std::size_t>(-1))
    std::replace_if(
        prompt.begin(), prompt.end(), [](unsigned char c) { return c > 127; }, '?');
  return prompt;
}

}  // namespace

std::optional<std::string> edited_line(const std::string& prompt, const Completions& completions) {
  static const bool ready = (set_up(), true);
  (void)ready;
  offered = &completions;
  const Text line(readline(shown(prompt).c_str()), &std::free);
  if (!line) return {};
  if (*line != '\0') add_history(line.get());
  return std::string(line.get());
}

}  // namespace halation::app
