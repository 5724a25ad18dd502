// filters_doc_test.cpp: docs/filters.md is what the list of named filters says. HALATION_WRITE_DOCS=1 writes
// it anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "halation/filters.h"

namespace halation {
namespace {

const char* const head = R"(# Named filters

Every filter below is a C++ function of `halation/filters.h` and a name for `halation apply NAME` and `make_filter`. This page is
made from the one list that all of them read; `HALATION_WRITE_DOCS=1 ctest -R filters_doc` writes it anew.

- Weights are applied as a correlation, `out[p] = Σ w[k] · in[p + (k − a)]`, whether convolution or correlation is asked for. A
  derivative is positive where brightness rises along its axis: x to the right, y down, z to later planes.
- The dimensions follow the image (signal 1, image 2, volume 3) unless given. δ is a weight of 1 at the centre.
- A parameter "per axis" takes one value for all axes or one for each, in the order depth, height, width.
- A filter has at most 2^24 weights, counted along each axis where it is separable.
- Derivatives and differences are below 0 as often as above, which pixels of a photograph do not hold: `halation apply …
  --view signed` (or `abs`, `stretch`) shows them, as does `view=` in `halation.filters`; `--output-pixel i16` or `f32` keeps them.
  With `signed` one level of u8 is X / 127 of the result, X being 255 times the larger of the sum of the positive weights and
  that of the negative ones.
)";

const char* const tail = R"(
## custom

Any weights of your own: `parse_weights("0 -1 0; -1 5 -1; 0 -1 0")`, `halation apply custom --weights …`. Rows stand apart by `;` or
a line's end, numbers by blanks or commas; what follows a `#` on its line is skipped. One row is a 1D filter. Custom weights
follow the operation: convolution flips them, correlation does not.
)";

std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", value);
  return digits;
}

std::string default_of(const Parameter& parameter) {
  if (!parameter.by_default) return "";
  if (parameter.choices.empty()) return text(*parameter.by_default);
  return parameter.choices[static_cast<std::size_t>(*parameter.by_default)];
}

std::string parameter_table(const NamedFilter& filter) {
  std::string table = "| Parameter | Meaning | Values | Default |\n|---|---|---|---|\n";
  for (const Parameter& parameter : filter.parameters) {
    table += "| `" + parameter.name + "` | " + parameter.meaning + " | " + allowed_values(parameter) +
             (parameter.unit.empty() ? "" : " " + parameter.unit) + (parameter.per_axis ? ", per axis" : "") +
             " | " + default_of(parameter) + " |\n";
  }
  return table;
}

/// The weights in rows of columns aligned on the right.
std::string weights_block(const Filter& filter) {
  const auto width = static_cast<std::size_t>(filter.size().width);
  std::vector<std::string> words;
  std::size_t longest = 0;
  for (const double weight : filter.weights()) {
    words.push_back(text(weight));
    longest = std::max(longest, words.back().size());
  }
  std::string block;
  for (std::size_t i = 0; i < words.size(); ++i) {
    block += (i % width == 0 ? "    " : "  ") + std::string(longest - words[i].size(), ' ') + words[i];
    if (i % width + 1 == width) block += "\n";
  }
  return block;
}

/// The default weights in 2D, or in 1D where those are too many to read.
std::string example(const NamedFilter& filter) {
  constexpr std::int64_t readable = 25;
  const bool has_1d = filter.dims.front() == 1;
  FilterSet set = make_filter(filter.name, {}, 2);
  const bool use_1d = has_1d && set.filters[0].size().taps() > readable;
  if (use_1d) set = make_filter(filter.name, {}, 1);
  std::string lines = std::string("Default weights in ") + (use_1d ? "1D" : "2D") + ":\n";
  for (const Filter& each : set.filters) lines += "\n" + weights_block(each);
  return lines;
}

std::string document() {
  std::string page = head;
  page += "\n| Filter | What it does | Dimensions |\n|---|---|---|\n";
  const auto dims_of = [](const NamedFilter& filter) {
    std::string dims;
    for (const int each : filter.dims) dims += (dims.empty() ? "" : ", ") + std::to_string(each) + "D";
    return dims;
  };
  for (const NamedFilter& filter : named_filters()) {
    page += "| [`" + filter.name + "`](#" + filter.name + ") | " + filter.summary + " | " + dims_of(filter) +
            " |\n";
  }
  for (const NamedFilter& filter : named_filters()) {
    page += "\n## " + filter.name + "\n\n" + filter.summary + ".\n\n";
    page += "**Weights:** " + filter.formula + ".\n\n";
    if (!filter.parameters.empty()) page += parameter_table(filter) + "\n";
    page += example(filter) + "\n**Source:** " + filter.source + ".\n";
  }
  return page + tail;
}

TEST(FiltersDoc, IsUpToDate) {
  const auto path = std::filesystem::path(HALATION_TESTS_DIR).parent_path() / "docs" / "filters.md";
  if (std::getenv("HALATION_WRITE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << document();
  std::ostringstream written;
  written << std::ifstream(path, std::ios::binary).rdbuf();
  EXPECT_TRUE(written.str() == document())
      << path << " is out of date; HALATION_WRITE_DOCS=1 ctest -R filters_doc writes it";
}

TEST(FiltersDoc, EveryEntryIsComplete) {
  for (const NamedFilter& filter : named_filters()) {
    EXPECT_FALSE(filter.summary.empty()) << filter.name;
    EXPECT_FALSE(filter.formula.empty()) << filter.name;
    EXPECT_FALSE(filter.source.empty()) << filter.name;
    EXPECT_FALSE(filter.dims.empty()) << filter.name;
    EXPECT_NE(filter.make, nullptr) << filter.name;
    for (const Parameter& parameter : filter.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << filter.name << " " << parameter.name;
      if (!parameter.by_default) continue;
      EXPECT_GE(*parameter.by_default, parameter.least) << filter.name << " " << parameter.name;
      EXPECT_LE(*parameter.by_default, parameter.most) << filter.name << " " << parameter.name;
    }
  }
}

}  // namespace
}  // namespace halation
