// rates.cpp: reads the rows of figures, and says which is this CPU's.
#include "cpu/rates.h"

#include <algorithm>
#include <array>
#include <set>
#include <type_traits>

#include "core/figures_text.h"
#include "cpu/parts/kernels.h"
#include "cpu/rate_names.h"

namespace halation::cpu_backend {

extern const char *const figures_avx2, *const figures_avx512,
                                           *const figures_zen4;  // made by CMake of src/cpu/figures/

namespace {

/// Sets the figure of a line; false where there is none of its name.
bool set(Rates& rates, const FigureLine& line) {
  if (line.fields.size() != 1) refuse_figures(line, "one number follows the name");
  const double value = figure_of(line.fields.front(), line);
  bool is_known = false;
  for_each_rate(rates, [&](std::string_view figure, auto& rate) {
    if (figure != line.name) return;
    rate = static_cast<std::decay_t<decltype(rate)>>(value);
    is_known = true;
  });
  return is_known;
}

}  // namespace

Rates rates_from(std::string_view name, std::string_view text) {
  Rates rates{};
  rates.name = name;
  std::set<std::string_view> missing;
  for_each_rate(rates, [&](std::string_view figure, auto&) { missing.insert(figure); });
  for (const FigureLine& line : figure_lines(text)) {
    if (!set(rates, line) || missing.erase(line.name) == 0)
      refuse_figures(line, "there is no such figure, or it stands there twice");
  }
  if (!missing.empty()) refuse_figures({.text = *missing.begin(), .name = {}, .fields = {}}, "is missing");
  return rates;
}

std::span<const Rates> all_rates() {
  static const std::array rows{rates_from("avx2", figures_avx2), rates_from("avx512", figures_avx512),
                               rates_from("zen4", figures_zen4)};
  return rows;
}

const Rates* rates_named(std::string_view name) {
  const std::span<const Rates> rows = all_rates();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Rates& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

namespace {

const Rates& row_of_machine() {
  const bool is_wide = std::string_view(best_kernels<float>().instruction_set).starts_with("AVX3");
  if (!is_wide) return *rates_named("avx2");
#if defined(__x86_64__)
  if (__builtin_cpu_is("amd")) return *rates_named("zen4");
#endif
  return *rates_named("avx512");
}

struct InUse {
  Rates row = row_of_machine();
  bool is_measured = false;
};

InUse& in_use() {
  static InUse rates;
  return rates;
}

}  // namespace

const Rates& rates() { return in_use().row; }

void use_rates(const Rates& rates) { in_use() = {rates, true}; }

bool are_measured_here() { return in_use().is_measured; }

Rates with(Rates rates, std::string_view text) {
  for (const FigureLine& line : figure_lines(text)) {
    Rates changed = rates;
    if (!set(changed, line)) refuse_figures(line, "there is no such piece of work");
    if (is_piece(line.name)) rates = changed;
  }
  return rates;
}

bool is_piece(std::string_view name) {
  const bool decides = name.starts_with("axis.") || name.ends_with("_bytes") || name == "threads_from" ||
                       name == "softness" || name == "int8.windows";
  return !decides && (!name.starts_with("transforms.") || name == "transforms.strided");
}

}  // namespace halation::cpu_backend
