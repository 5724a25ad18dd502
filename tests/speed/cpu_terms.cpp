// cpu_terms.cpp: the pieces that families of the CPU count of seeded jobs, for one of the rows of
// src/cpu/rates.cpp, whatever this CPU is. fit_rates.py makes figures of them and of what speed_regret
// measured.
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/families.h"
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
    "usage: speed_cpu_terms [--cases 400] [--seed 1] [--filters usual|large|beside] [--rates avx2|avx512|zen4]\n"
    "A line of JSON for each seeded job: how much of each piece of work each family of the CPU counts, by a row of src/cpu/rates.cpp.\n";

struct Figure {
  const char* name;
  double* nanoseconds;
};

/// All that are fitted: each is a piece of work.
std::vector<Figure> figures_of(Rates& r) {
  return {{"start", &r.start},
          {"outside_sample", &r.outside_sample},
          {"load.integer", &r.load.integer},
          {"load.f16", &r.load.f16},
          {"load.other", &r.load.other},
          {"store.integer", &r.store.integer},
          {"store.f16", &r.store.f16},
          {"store.other", &r.store.other},
          {"lines.row", &r.lines.row},
          {"lines.staged_row", &r.lines.staged_row},
          {"lines.pass", &r.lines.pass},
          {"lines.row_alone", &r.lines.row_alone},
          {"lines.shared_line", &r.lines.shared_line},
          {"lines.direct_tap", &r.lines.direct_tap},
          {"lines.direct", &r.lines.direct},
          {"lines.column_tap", &r.lines.column_tap},
          {"lines.column", &r.lines.column},
          {"lines.row_tap", &r.lines.row_tap},
          {"lines.row_sum", &r.lines.row_sum},
          {"line_boxes.row", &r.line_boxes.row},
          {"line_boxes.low_column_tap", &r.line_boxes.low_column_tap},
          {"line_boxes.low_column", &r.line_boxes.low_column},
          {"line_boxes.low_row_doubling", &r.line_boxes.low_row_doubling},
          {"line_boxes.low_row", &r.line_boxes.low_row},
          {"line_boxes.doubling", &r.line_boxes.doubling},
          {"line_boxes.sum", &r.line_boxes.sum},
          {"line_boxes.column_tap", &r.line_boxes.column_tap},
          {"line_boxes.column", &r.line_boxes.column},
          {"line_boxes.block", &r.line_boxes.block},
          {"running.slid_row", &r.running.slid_row},
          {"running.slide_doubling", &r.running.slide_doubling},
          {"running.slide", &r.running.slide},
          {"running.row", &r.running.row},
          {"running.byte_doubling", &r.running.byte_doubling},
          {"running.byte", &r.running.byte},
          {"running.sum16", &r.running.sum16},
          {"running.sum32", &r.running.sum32},
          {"running.integer", &r.running.integer},
          {"running.other", &r.running.other},
          {"running.begun", &r.running.begun},
          {"int8.row", &r.int8.row},
          {"int8.sums16_column", &r.int8.sums16_column},
          {"int8.sums16_row", &r.int8.sums16_row},
          {"int8.sums16_direct", &r.int8.sums16_direct},
          {"int8.column_pair", &r.int8.column_pair},
          {"int8.column", &r.int8.column},
          {"int8.row_pair", &r.int8.row_pair},
          {"int8.row_sum", &r.int8.row_sum},
          {"int8.row_apart", &r.int8.row_apart},
          {"int8.direct_pair", &r.int8.direct_pair},
          {"int8.direct", &r.int8.direct},
          {"int8.paired", &r.int8.paired},
          {"transforms.strided", &r.transforms.strided},
          {"axis_start", &r.axis_start},
          {"axis_sample", &r.axis_sample},
          {"axis_takes.multiply_add", &r.axis_takes.multiply_add},
          {"axis_takes.single", &r.axis_takes.single},
          {"axis_takes.box", &r.axis_takes.box},
          {"axis_takes.copied_sample", &r.axis_takes.copied_sample},
          {"axis_takes.outside_sample", &r.axis_takes.outside_sample},
          {"axis_takes.gathered_sample", &r.axis_takes.gathered_sample},
          {"axis_takes.call", &r.axis_takes.call}};
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
  const auto print = [&](const char* name, double pieces) {
    if (pieces <= 0) return;
    std::printf("%s\"%s\": %.7g", separator, name, pieces);
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
  const Rates* row = &avx512_rates;
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
