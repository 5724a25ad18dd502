// cpu_terms.cpp: the pieces that families of the CPU count of seeded jobs, for one of the rows of
// src/cpu/figures, whatever this CPU is. fit_rates.py makes figures of them and of what speed_regret
// measured.
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cpu/families.h"
#include "cpu/rate_names.h"
#include "plan/backends.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "speed/choice_tool.h"
#include "sweep/job_case.h"
#include "sweep/seeded.h"

namespace {

using namespace halation;
using namespace halation::cpu_backend;

constexpr const char* usage =
    "usage: speed_cpu_terms [--cases 400] [--seed 1] [--filters usual|large|beside] [--rates "
    "avx2|avx512|zen4]\n"
    "A line of JSON for each seeded job: how much of each piece of work each family of the CPU counts, by a "
    "row of src/cpu/figures.\n";

struct Figure {
  std::string_view name;
  double* nanoseconds;
};

/// All that are fitted: each is a piece of work. What a pass along an axis chooses its way by is none, as
/// others would give other bits.
std::vector<Figure> figures_of(Rates& rates) {
  std::vector<Figure> list;
  for_each_rate(rates, [&](std::string_view name, auto& figure) {
    const bool is_rare = name == "int8.matrix" || name == "int8.matrices" || name == "int8.grouped";
    const bool is_counted = is_piece(name) && !is_rare && name != "memory_byte";
    if constexpr (std::is_same_v<std::decay_t<decltype(figure)>, double>) {
      if (is_counted) list.push_back({name, &figure});
    }
  });
  return list;
}

/// Pieces one by one: what is expected where all other figures are 0. `rates` is that of the request, all its
/// figures 0. Transforms are one piece, of as many nanoseconds as the row says.
void print_terms(const Family& family, const Request& request, Rates& rates,
                 const std::vector<Figure>& figures) {
  rates.cached_bytes = 1;
  rates.threads_from = 0;
  rates.memory_byte = 1;
  std::printf(", \"bytes\": %.0f, \"terms\": {", 1e9 * family.seconds(request));
  rates.memory_byte = 0;
  const char* separator = "";
  const auto print = [&](std::string_view name, double pieces) {
    if (pieces <= 0) return;
    std::printf("%s\"%s\": %.7g", separator, std::string(name).c_str(), pieces);
    separator = ", ";
  };
  const double transforms = 1e9 * family.seconds(request);
  print("transforms", transforms);
  for (const Figure& figure : figures) {
    *figure.nanoseconds = 1;
    print(figure.name, 1e9 * family.seconds(request) - transforms);
    *figure.nanoseconds = 0;
  }
  std::printf("}");
}

void print_job(std::uint64_t seed, std::uint64_t index, sweep::Filters filters, const Rates& row) {
  const sweep::JobCase job_case = sweep::case_of(filters, seed, index);
  PlanSpec spec = job_case.spec;
  spec.layout = job_case.in_layout;
  spec.device = cpu();
  const Backend& backend = backend_for(spec.device);
  std::printf("{\"case\": %llu, \"seed\": %llu, \"job\": \"%s\", \"cached_bytes\": %.0f, \"ways\": [",
              static_cast<unsigned long long>(index), static_cast<unsigned long long>(seed),
              job_case.text.c_str(), row.cached_bytes);
  const auto views = speed::views_without_memory(*choose(check(spec), spec.options, backend, spec.device).job, job_case);
  const char* separator = "";
  speed::for_each_method(spec, backend, [&](Method method, const Choice& choice) {
    const speed::AsFiltered job(*choice.job, views.first, views.second);
    Rates pieces = row;
    const std::vector<Figure> figures = figures_of(pieces);
    for (const Figure& figure : figures) *figure.nanoseconds = 0;
    for (const Family* family : families().list()) {
      const Request priced{job.job, choice.job->filters, row, job.packed};
      if (family->refuses(priced) != nullptr) continue;
      std::printf("%s{\"method\": \"%s\", \"family\": \"%s\", \"expected_us\": %.3f", separator,
                  std::string(name_of(method)).c_str(), std::string(family->name).c_str(),
                  1e6 * family->seconds(priced));
      print_terms(*family, {job.job, choice.job->filters, pieces, job.packed}, pieces, figures);
      std::printf("}");
      separator = ", ";
    }
  });
  std::printf("]}\n");
}

}  // namespace

int main(int count, char** words) try {
  sweep::Seeded seeded{.cases = 400};
  sweep::Filters filters = sweep::Filters::usual;
  const Rates* row = rates_named("avx512");
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = words[i];
    const char* value = i + 1 < count ? words[i + 1] : "";
    if (seeded.take(name, value)) continue;
    if (const auto named = sweep::filters_named(value); name == "--filters" && named) {
      filters = *named;
    } else if (name == "--rates" && rates_named(value) != nullptr) {
      row = rates_named(value);
    } else {
      std::cerr << usage;
      return 2;
    }
  }
  for (std::uint64_t i = 0; i < seeded.cases; ++i) print_job(seeded.seed, i, filters, *row);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "speed_cpu_terms: " << error.what() << "\n";
  return 2;
}
