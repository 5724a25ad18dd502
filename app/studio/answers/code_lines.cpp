// code_lines.cpp: the lines that do elsewhere what the page does.
#include "code_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "app/command_line/quoting.h"
#include "core/convert.h"
#include "halation/error.h"

namespace halation::app {
namespace {

/// A string of C++ or Python.
std::string literal(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      quoted += fmt::format("\\{:03o}", c);  // three octal digits end by themselves in both languages
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// The shortest text that is the same number.
std::string number(double value) { return fmt::format("{}", value); }

std::string_view enumerator(Display view) {
  switch (view) {
    case Display::signed_values: return "signed_values";
    case Display::magnitude: return "magnitude";
    case Display::stretched: return "stretched";
  }
  throw Error(ErrorCode::invalid_argument, "not a view");
}

/// A file's name that no program takes for an option.
std::string file_word(const std::string& name) { return shell_word(name.starts_with('-') ? "./" + name : name); }

std::string in_command(const Asked& asked) {
  std::string text;
  for (const auto& [name, value] : asked.options) text += value.empty() ? fmt::format(" --{}", name) : fmt::format(" --{} {}", name, shell_word(value));
  return text;
}

std::string in_python(const Job& job, const Asked& asked) {
  std::string text;
  const auto add = [&](std::string_view keyword, const std::string& value) { text += fmt::format(", {}={}", keyword, value); };
  const auto word = [&](std::string_view keyword, std::string_view value) { add(keyword, literal(value)); };
  const Options& options = job.options;
  const auto has = [&](std::string_view name) { return asked.options.find(name) != asked.options.end(); };
  std::vector<std::string> names, values;
  for (const Border& border : job.borders) {
    names.push_back(literal(name_of(border.mode)));
    values.push_back(number(border.value));
  }
  if (has("border")) add("border", names.size() == 1 ? names.front() : fmt::format("({})", fmt::join(names, ", ")));
  if (has("border-value")) add("cval", values.size() == 1 ? values.front() : fmt::format("({})", fmt::join(values, ", ")));
  if (has("correlate")) word("operation", name_of(options.operation));
  if (has("extent")) word("extent", name_of(options.extent));
  if (options.output) word("dtype", numpy_name(*options.output));
  if (has("scale")) add("scale", number(options.scale));
  if (has("offset")) add("offset", number(options.offset));
  if (job.linear) add("linear", "True");
  if (job.gray) add("gray", "True");
  if (job.view) word("view", name_of(*job.view));
  if (has("sum")) word("sum", asked.options.find("sum")->second);
  if (has("accuracy")) word("accuracy", name_of(options.accuracy));
  if (job.device) word("device", name_of(*job.device));
  return text;
}

std::string in_cpp(const Border& border) {
  return fmt::format("halation::Border::{}({})", name_of(border.mode),
                     border.mode == Border::Mode::constant ? number(border.value) : std::string());
}

std::string in_cpp(const Job& job, const Asked& asked) {
  const Options& options = job.options;
  const auto has = [&](std::string_view name) { return asked.options.find(name) != asked.options.end(); };
  std::vector<std::string> inner, outer;
  if (has("border")) {
    constexpr std::string_view axes[] = {".z", ".y", ".x"};
    std::vector<std::string> each;
    for (std::size_t i = 0; i < job.borders.size(); ++i)
      each.push_back(fmt::format("{} = {}", axes[3 - job.borders.size() + i], in_cpp(job.borders[i])));
    inner.push_back(".border = " + (each.size() == 1 ? in_cpp(job.borders.front()) : fmt::format("{{{}}}", fmt::join(each, ", "))));
  }
  if (has("extent")) inner.push_back(fmt::format(".extent = halation::Extent::{}", name_of(options.extent)));
  if (has("correlate")) inner.emplace_back(".operation = halation::Operation::correlation");
  if (options.output) inner.push_back(fmt::format(".output = halation::Pixel::{}", name_of(*options.output)));
  if (has("scale")) inner.push_back(".scale = " + number(options.scale));
  if (has("offset")) inner.push_back(".offset = " + number(options.offset));
  if (has("sum")) inner.push_back(".sum = halation::Sum::" + asked.options.find("sum")->second);
  if (has("accuracy")) inner.push_back(fmt::format(".accuracy = halation::Accuracy::{}", name_of(options.accuracy)));
  if (!inner.empty()) outer.push_back(fmt::format(".options = {{{}}}", fmt::join(inner, ", ")));
  if (job.linear) outer.emplace_back(".linear = true");
  if (job.gray) outer.emplace_back(".gray = true");
  if (job.view) outer.push_back(fmt::format(".view = halation::Display::{}", enumerator(*job.view)));
  if (job.device) outer.push_back(fmt::format(".devices = {{halation::device_named(\"{}\")}}", name_of(*job.device)));
  return outer.empty() ? "" : fmt::format(", {{{}}}", fmt::join(outer, ", "));
}

}  // namespace

CodeLines code_lines(const Asked& asked, const std::string& in, const std::string& out) {
  const Job job = asked.job();
  const std::string files = literal(in) + ", " + literal(out);
  return {.command = fmt::format("halation apply {} {} -o {}{}", shell_word(asked.chain), file_word(in), file_word(out), in_command(asked)),
          .python = fmt::format("halation.filter_file({}, {}{})", literal(asked.chain), files, in_python(job, asked)),
          .cpp = fmt::format("halation::filter_file(halation::chain_from({}), {}{});", literal(asked.chain), files, in_cpp(job, asked))};
}

}  // namespace halation::app
