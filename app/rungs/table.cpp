// table.cpp: the results of the ladder as text and as JSON.
#include "table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "app/report/text/printable.h"
#include "app/report/text/wrapped.h"

namespace halation::app {
namespace {

using ladder::HostMemory;
using ladder::Rung;

constexpr const char* notes =
    R"(Times are medians of warm runs, in milliseconds. FPS = 1 / total and 1 / kernel. GFLOPS = 2 · taps · outputs / kernel, with the taps of the dense filter. GB/s = 8 bytes an output / kernel; it passes that of a device copy where both images fit the L2 cache. Over CPU: how many times faster than {}, by kernel and by total. Over before: than the rung before, by kernel. Op per byte and loads per output: what the rung asks global memory for, on paper. Bound: the least time on paper, every pass reading and writing each pixel once and doing the rung's arithmetic, on {}.)";

std::string ms(double seconds) { return short_number(seconds * 1e3); }

std::string number(const std::optional<double>& value) { return value ? short_number(*value) : "-"; }
std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f}%", *share * 100) : "-";
}
std::string times(const std::optional<double>& factor) { return factor ? short_number(*factor) + "x" : "-"; }

bool is_on_gpu(const LadderRow& row) { return row.rung->place == Rung::Place::gpu; }

Table::Row frame_row(const LadderRow& row, const LadderRates& rates) {
  const std::string name(row.rung->name);
  if (!row.ran()) return {name, {}, (row.failed ? "" : "not run: ") + row.not_run};
  const ladder::Phases& phases = row.timings.frame;
  const auto transfer = [&](double seconds) { return is_on_gpu(row) ? ms(seconds) : "-"; };
  return {name,
          {transfer(phases.allocation), transfer(phases.upload), transfer(phases.filter_upload),
           ms(phases.kernel), transfer(phases.download), ms(phases.total), number(rates.fps),
           number(rates.kernel_fps)},
          ""};
}

Table::Row second_filter_row(const LadderRow& row) {
  const ladder::Phases& phases = row.timings.second_filter;
  return {"  second filter",
          {"-", "-", ms(phases.filter_upload), ms(phases.kernel), ms(phases.download), ms(phases.total),
           short_number(1 / phases.total), short_number(1 / phases.kernel)},
          ""};
}

Table::Row rates_row(const LadderRow& row, const LadderRates& rates) {
  Table::Row result{std::string(row.rung->name),
                    {number(rates.gflops), number(rates.gb_per_s), percent(rates.share_of_copy),
                     times(rates.over_cpu_kernel), times(rates.over_cpu_total), times(rates.over_previous),
                     "-", "-", "-", percent(rates.share_of_bound)},
                    ""};
  if (row.paper) {
    result.cells[6] = short_number(row.paper->operations_per_byte());
    result.cells[7] = short_number(row.paper->global_loads);
    result.cells[8] = ms(row.bound_s);
  }
  return result;
}

void add_block(std::vector<Table>& tables, const LadderResults& results, HostMemory memory) {
  Table frames{fmt::format("Milliseconds and frames a second, host memory {}", name_of(memory)),
               "rung",
               {"alloc", "upload", "filter upload", "kernel", "download", "total", "FPS total", "FPS kernel"},
               {}};
  Table rates{fmt::format("Rates, speed-ups and the analysis on paper, host memory {}", name_of(memory)),
              "rung",
              {"GFLOPS", "GB/s", "of dev. copy", "over CPU kernel", "over CPU total", "over before",
               "op per byte", "loads per output", "bound ms", "of bound"},
              {}};
  for (const LadderRow& row : results.rows) {
    if (row.memory != memory) continue;
    const LadderRates row_rates = rates_of(results, row);
    frames.rows.push_back(frame_row(row, row_rates));
    if (row.ran() && is_on_gpu(row)) frames.rows.push_back(second_filter_row(row));
    rates.rows.push_back(rates_row(row, row_rates));
  }
  tables.push_back(std::move(frames));
  tables.push_back(std::move(rates));
}

/// One row a radius, one column a rung that ran at any.
Table sweep_table(const LadderResults& results) {
  Table table{"Kernel milliseconds over radius", "radius", {}, {}};
  if (results.job.planes > 1) table.title += ", of one plane";
  std::vector<const Rung*> rungs;
  for (const Rung* rung : results.job.rungs) {
    const auto ran = [&](const SweepEntry& entry) { return entry.rung == rung && entry.not_run.empty(); };
    if (std::none_of(results.sweep.begin(), results.sweep.end(), ran)) continue;
    rungs.push_back(rung);
    table.headings.emplace_back(rung->name);
  }
  for (const int radius : results.job.radii) {
    Table::Row row{std::to_string(radius), {}, ""};
    for (const SweepEntry& entry : results.sweep) {
      if (entry.radius != radius || std::find(rungs.begin(), rungs.end(), entry.rung) == rungs.end())
        continue;
      row.cells.push_back(entry.not_run.empty() ? ms(entry.kernel_s) : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// From which radius on rungs were left out of the sweep, and why.
Table left_out_table(const LadderResults& results) {
  Table table{"Left out of the sweep", "rung", {}, {}};
  for (const Rung* rung : results.job.rungs) {
    for (const SweepEntry& entry : results.sweep) {
      if (entry.rung != rung || entry.not_run.empty()) continue;
      table.rows.push_back(
          {std::string(rung->name), {}, fmt::format("from radius {}: {}", entry.radius, entry.not_run)});
      break;
    }
  }
  return table;
}

using Json = nlohmann::ordered_json;

Json ms_json(const ladder::Phases& phases) {
  return {{"allocation", phases.allocation * 1e3},       {"upload", phases.upload * 1e3},
          {"filter_upload", phases.filter_upload * 1e3}, {"kernel", phases.kernel * 1e3},
          {"download", phases.download * 1e3},           {"total", phases.total * 1e3}};
}

Json json_of(const LadderResults& results, const LadderRow& row) {
  Json json = {{"rung", row.rung->name},
               {"idea", row.rung->idea},
               {"place", is_on_gpu(row) ? "gpu" : "cpu"},
               {"memory", name_of(row.memory)},
               {"status", row.ran()    ? "verified"
                          : row.failed ? "failed"
                                       : "not run"}};
  if (!row.ran()) json["reason"] = row.not_run;
  if (row.tolerance > 0) json["error"] = {{"largest", row.largest_error}, {"allowed", row.tolerance}};
  if (row.ran()) {
    json["ms"] = ms_json(row.timings.frame);
    if (is_on_gpu(row)) {
      json["second_filter_ms"] = ms_json(row.timings.second_filter);
      json["preparation_ms"] = row.timings.preparation_s * 1e3;
    }
    json["repeats"] = row.timings.repeats;
    const LadderRates rates = rates_of(results, row);
    const auto add = [&](const char* name, const std::optional<double>& value) {
      if (value) json[name] = *value;
    };
    add("fps", rates.fps);
    add("kernel_fps", rates.kernel_fps);
    add("gflops", rates.gflops);
    add("gb_per_s", rates.gb_per_s);
    add("share_of_copy", rates.share_of_copy);
    add("over_cpu_kernel", rates.over_cpu_kernel);
    add("over_cpu_total", rates.over_cpu_total);
    add("over_previous", rates.over_previous);
    add("share_of_bound", rates.share_of_bound);
  }
  if (row.paper) {
    json["paper"] = {{"operations_per_output", row.paper->operations},
                     {"loads_per_output", row.paper->global_loads},
                     {"operations_per_byte", row.paper->operations_per_byte()},
                     {"bound_ms", row.bound_s * 1e3}};
  }
  return json;
}

Json json_of(const SweepEntry& entry) {
  Json json = {{"rung", entry.rung->name}, {"radius", entry.radius}};
  if (entry.not_run.empty()) {
    json["kernel_ms"] = entry.kernel_s * 1e3;
  } else {
    json["status"] = entry.failed ? "failed" : "not run";
    json["reason"] = entry.not_run;
  }
  return json;
}

}  // namespace

std::string job_text(const LadderResults& results) {
  const LadderJob& job = results.job;
  std::string text = fmt::format("{}D {} f32", job.dims, job.size_text());
  if (job.planes > 1) text += fmt::format(", {} planes", job.planes);
  if (job.radius) {
    const int side = 2 * *job.radius + 1;
    text += fmt::format(", Gaussian of radius {} ({} taps)", *job.radius,
                        fmt::join(std::vector<int>(static_cast<std::size_t>(job.dims), side), "x"));
  }
  if (!job.radii.empty()) text += fmt::format(", radii {} to {}", job.radii.front(), job.radii.back());
  return text + fmt::format(", outside {}, {}", job.outside, job.source);
}

std::string gpu_text(const LadderResults& results) {
  if (!results.gpu.usable) return "none, " + results.gpu.why_not;
  return fmt::format("{}, {} multiprocessors, driver {}, device copy {} GB/s", results.gpu.name,
                     results.gpu.multiprocessors, results.gpu.driver,
                     short_number(results.device_copy_bytes_per_s * 1e-9));
}

std::string notes_of(const LadderResults& results) {
  return fmt::format(notes, baseline_rung(results.job.dims), results.device.title);
}

std::vector<Table> tables_of(const LadderResults& results) {
  std::vector<Table> tables;
  if (!results.rows.empty()) {
    for (const HostMemory memory : results.job.memories) add_block(tables, results, memory);
  }
  for (Table table : {sweep_table(results), left_out_table(results)}) {
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

std::string text_of(const LadderResults& results) {
  std::string text =
      fmt::format("job  {}\ncpu  {}\ngpu  {}\n", job_text(results), results.cpu, gpu_text(results));
  if (!results.oracle.empty())
    text += "each rung was compared with the right result before it was timed, by " + results.oracle + "\n";
  for (const Table& table : tables_of(results)) text += text_of(table);
  if (results.pinned_allocation_s > 0) {
    text += fmt::format("\nPinned host memory for input and output, allocated once, in no total: {} ms\n",
                        ms(results.pinned_allocation_s));
  }
  if (!results.rows.empty()) text += "\n" + wrapped(notes_of(results), page_columns) + "\n";
  return text;
}

std::string json_of(const LadderResults& results) {
  const LadderJob& job = results.job;
  Json json = {{"command", results.command}, {"date", results.date}};
  json["machine"] = {{"cpu", results.cpu}};
  if (results.gpu.usable) {
    json["machine"]["gpu"] = {{"name", results.gpu.name},
                              {"driver", results.gpu.driver},
                              {"multiprocessors", results.gpu.multiprocessors},
                              {"memory_bytes", results.gpu.memory_bytes},
                              {"device_copy_gb_per_s", results.device_copy_bytes_per_s * 1e-9}};
  } else {
    json["machine"]["no_gpu"] = results.gpu.why_not;
  }
  json["job"] = {{"dims", job.dims},           {"depth", job.shape.depth},
                 {"height", job.shape.height}, {"width", job.shape.width},
                 {"planes", job.planes},       {"pixel", "f32"},
                 {"source", job.source},       {"filter", "gaussian, weights exp(-(i/r)^2/2)"},
                 {"outside", job.outside}};
  if (!results.rows.empty()) {
    json["job"]["radius"] = *job.radius;
    json["oracle"] = results.oracle;
    json["bound_of"] = results.device.title;
    if (results.pinned_allocation_s > 0) json["pinned_allocation_ms"] = results.pinned_allocation_s * 1e3;
    for (const LadderRow& row : results.rows) json["rungs"].push_back(json_of(results, row));
  }
  for (const SweepEntry& entry : results.sweep) json["sweep"].push_back(json_of(entry));
  return json_text(std::move(json));
}

}  // namespace halation::app
