// filters.cpp: `halation filters`: the list of filters, or one explained.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/command_line/arguments.h"
#include "app/command_line/filter_options.h"
#include "app/refuse.h"
#include "app/report/text/wrapped.h"
#include "subcommands.h"

namespace halation::app {
namespace {

constexpr const char* custom_summary = "Weights of your own, given by --weights";
constexpr double most_printed = 1 << 24;  ///< weights, as many as a filter may have that is no product of factors

struct Flags {
  explicit Flags(Command& command) : filter_options(command) {
    command.positional("filter", name, "FILTER", "a filter's name; without one, all are listed",
                       Command::Need::optional);
    command.group("Options").text("--dims", dims, "1|2|3",
                                  "dimensions in which the weights are printed [2 where there are any]");
    command.footer("Example:\n  halation filters gaussian --sigma 1,2 --dims 2");
  }
  std::string name;
  Given dims;
  FilterOptions filter_options;
};

void print_entry(std::string_view label, std::string_view text) {
  constexpr std::size_t column = 14;
  fmt::print("{:<{}}{}\n", label, column, wrapped(text, page_columns - column, column));
}

void list() {
  for (const NamedFilter& filter : named_filters())
    fmt::print("{:<22}{}\n", filter.name, wrapped(filter.summary, page_columns - 22, 22));
  fmt::print("{:<22}{}\n", custom_name, custom_summary);
}

void describe_custom() {
  fmt::print("{}: {}\n\n", custom_name, custom_summary);
  for (const auto& [option, text] : explained_options(custom_name)) print_entry(option, text);
}

void describe(const NamedFilter& filter) {
  fmt::print("{}: {}\n\n", filter.name, filter.summary);
  print_entry("formula", filter.formula);
  print_entry("source", filter.source);
  print_entry("dimensions", fmt::format("{}", fmt::join(filter.dims, ", ")));
  for (const Parameter& parameter : filter.parameters)
    print_entry(option_name(parameter.name), explanation(parameter));
}

/// One slice of weights, its columns aligned.
void print_matrix(const double* weights, std::int64_t rows, std::int64_t columns) {
  std::size_t width = 0;
  for (std::int64_t i = 0; i < rows * columns; ++i)
    width = std::max(width, fmt::formatted_size("{:.6g}", weights[i]));
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < columns; ++x)
      fmt::print("{}{:>{}.6g}", x == 0 ? "" : " ", weights[y * columns + x], width);
    fmt::print("\n");
  }
}

void print_weights(const Filter& filter) {
  const FilterSize size = filter.size();
  const Anchor anchor = filter.anchor();
  const auto tail = [&](std::int64_t z, std::int64_t y, std::int64_t x, const char* joint) {
    const std::int64_t all[] = {z, y, x};
    return fmt::format("{}", fmt::join(all + (3 - filter.dims()), all + 3, joint));
  };
  fmt::print("\n{} taps, anchor {}, sum {:.6g}\n", tail(size.depth, size.height, size.width, "x"),
             tail(anchor.z, anchor.y, anchor.x, ","), filter.sum());
  const std::vector<double> weights = filter.weights();
  for (std::int64_t z = 0; z < size.depth; ++z) {
    if (size.depth > 1) fmt::print("z = {}\n", z);
    print_matrix(weights.data() + z * size.height * size.width, size.height, size.width);
  }
}

void filters(const Flags& flags) {
  int dims = flags.dims ? static_cast<int>(whole_number_from("--dims", *flags.dims, 1, 3)) : 0;
  if (flags.name.empty()) {
    const char* name_it = "name it, as in filters gaussian --sigma 2";
    flags.filter_options.refuse_any(name_it);
    if (flags.dims) refuse(fmt::format("--dims goes with one filter; {}", name_it));
    return list();
  }
  if (flags.name == custom_name && !flags.filter_options.has_weights()) {
    flags.filter_options.refuse_any("custom has --weights");
    return describe_custom();
  }
  if (is_filter(flags.name) && dims == 0) {
    const std::vector<int>& possible = filter_named(flags.name).dims;
    dims = std::find(possible.begin(), possible.end(), 2) != possible.end() ? 2 : possible.front();
  }
  const FilterSet set = flags.filter_options.make(flags.name, dims);
  for (const Filter& filter : set.filters) {
    const auto taps = static_cast<double>(filter.size().taps());
    if (taps > most_printed)
      refuse(fmt::format("{}: {:.3g} weights are too many to print, at most {:.3g}; ask for a smaller filter", flags.name, taps, most_printed));
  }
  if (flags.name != custom_name) describe(filter_named(flags.name));
  for (const Filter& filter : set.filters) print_weights(filter);
  if (set.combine == Combine::magnitude)
    fmt::print("\nresult: the square root of the sum of their squares\n");
}

}  // namespace

void add_filters(Program& program) { program.add("filters", "Lists the filters, or explains one and prints its weights", filters); }

}  // namespace halation::app
