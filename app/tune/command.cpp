// command.cpp: `halation tune`: times the methods here, and keeps what they took for plans to come.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/arguments.h"
#include "app/command_line/filter_options.h"
#include "app/command_line/stated_job.h"
#include "app/report/text/status_line.h"
#include "app/report/text/table.h"
#include "app/subcommands.h"
#include "core/stopwatch.h"
#include "halation/error.h"
#include "plan/timings/rates.h"
#include "plan/timings/shared_timings.h"
#include "plan/timings/time_methods.h"
#include "spread.h"

namespace halation::app {
namespace {

constexpr const char* footer =
    R"(With a filter every method that fits the job is timed, but those that should take more than a second and ten
times as long as another; --tune measure finds the times. Without one typical jobs are timed, some tens of
seconds on a CPU, and the median of measured / expected of each method becomes its rate, from 1/4 to 4: plans
multiply what they expect by it. Both are kept in the file that HALATION_CACHE names, else in
$XDG_CACHE_HOME/halation/timings or ~/.cache/halation/timings; nothing is where HALATION_CACHE is empty. They
count for this machine and this version. Keep the machine idle meanwhile.

Examples:
  halation tune
  halation tune gaussian --sigma 3 --size 2048x2048 --pixel u8
  halation tune --device cuda
  halation tune --forget)";

constexpr const char* for_job = "Filter's job";
constexpr const char* for_machine = "Machine";

/// The command line as it was typed.
struct Flags {
  explicit Flags(Command& command);

  std::string filter;
  FilterOptions filter_options;
  StatedJobOptions job_options;
  Given device, threads;
  bool forget = false;
};

Flags::Flags(Command& command)
    : filter_options(command, "--size"), job_options(command, for_job, "4096x4096") {
  command.positional("filter", filter, "FILTER",
                     "time this filter's job alone: a filter's name (see halation filters), or custom with "
                     "--weights [typical jobs]",
                     Command::Need::optional);
  OptionGroup machine = command.group(for_machine);
  machine.text(
      "--device", device, "cpu|cuda",
      "whose methods, cuda:1 for the second GPU [the CPU's and, where there is one, the first GPU's]");
  machine.text("--threads", threads, "N", "CPU threads, 0 for as many as HALATION_THREADS says, or all [0]");
  command.group("Kept times")
      .flag("--forget", forget, "removes all times and rates that are kept, and measures nothing");
  command.everyday({"--size", "--pixel", "--channels", "--border", "--accuracy", "--device", "--threads", "--forget"});
  command.footer(footer);
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error{ErrorCode::invalid_argument, fmt::format("tune: {}; see halation tune --help", sentence)};
}

void check_options(const Command& command, const Flags& flags) {
  for (const Declared& option : command.declared()) {
    if (!option.is_given) continue;
    if (flags.forget && option.name() != "--forget") refuse("--forget goes alone");
    if (flags.filter.empty() && (option.heading == filter_heading || option.heading == for_job))
      refuse(fmt::format("{} goes with a filter", option.name()));
  }
}

std::vector<Device> devices_of(const Flags& flags) {
  if (flags.device) {
    const Device device = device_named(*flags.device);
    if (device.kind == Device::Kind::reference) refuse("--device must be cpu or cuda, got reference");
    return {device};
  }
  std::vector<Device> chosen;
  for (const DeviceInfo& info : devices()) {
    if (info.device == cpu() || info.device == cuda()) chosen.push_back(info.device);
  }
  return chosen;
}

std::string forget() {
  if (!timings_path()) return "nothing is kept: HALATION_CACHE is empty, or no folder for it is known\n";
  const std::string path = timings_path()->string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return fmt::format("nothing was kept in {}\n", path);
  if (!remove_timings(path)) throw Error{ErrorCode::io, fmt::format("{}: no file of times, or it cannot be removed", path)};
  return fmt::format("removed {}\n", path);
}

/// Where what was measured is now.
std::string place(bool is_kept) {
  if (!timings_path()) return "not kept: HALATION_CACHE is empty, or no folder for it is known\n";
  const std::string path = timings_path()->string();
  return is_kept ? fmt::format("kept in {}\n", path) : fmt::format("not kept: {} cannot be written\n", path);
}

std::string size_text(const FilterSize& size) {
  return fmt::format("{}{}x{}", size.depth > 1 ? fmt::format("{}x", size.depth) : "", size.height,
                     size.width);
}

/// "gaussian 9x9 over 1024x1024 u8 on cpu".
std::string title_of(const PlanSpec& spec, const Filter& filter) {
  return fmt::format("{} {} over {} {} on {}", filter.name(), size_text(filter.size()), to_string(spec.shape),
                     name_of(spec.pixel), name_of(spec.device));
}

std::string text_of(const RankedMethod& method) {
  std::string text = fmt::format("  {:<11}", name_of(method.method));
  if (method.expected_seconds) text += fmt::format("expected {:<8} ", time_text(*method.expected_seconds));
  if (method.measured_seconds) text += fmt::format("measured {:<8} ", time_text(*method.measured_seconds));
  text += method.why_not;
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

/// Times one job; the methods as a plan that measures has them.
std::string tune_job(PlanSpec spec) {
  time_methods(spec);
  spec.options.tune = Tune::measure;
  const std::vector<std::vector<RankedMethod>> ranking = Plan(spec).ranking();
  std::string text;
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    text += title_of(spec, spec.filters[i]) + "\n";
    for (const RankedMethod& method : ranking[i]) text += text_of(method);
  }
  return text;
}

Table table_of(Device device, const std::vector<KnownRate>& rates, const std::string& title) {
  Table table{.title = title, .name_heading = "method", .headings = {}, .rows = {}};
  for (const Pixel pixels : rate_classes) table.headings.emplace_back(name_of(pixels));
  for (const DeviceInfo& info : devices()) {
    if (info.device != device) continue;
    for (const std::string& name : info.methods) {
      Table::Row row{.name = name, .cells = {}, .note = {}};
      for (const Pixel pixels : rate_classes) {
        const auto known = std::find_if(rates.begin(), rates.end(), [&](const KnownRate& rate) {
          return rate.method == method_named(name) && rate.pixels == pixels;
        });
        row.cells.push_back(known == rates.end() ? "-" : fmt::format("{:.2f}", known->factor));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

/// Times the spread, keeps the rates and says what they are.
std::string tune_device(Device device, int threads, bool& is_kept) {
  const std::vector<PlanSpec> jobs = spread_for(device, threads);
  StatusLine status;
  const bool is_shown = StatusLine::is_possible();
  std::vector<TimedMethod> timed;
  double seconds = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (is_shown)
      status.show(
          fmt::format("{} of {}: {}", i + 1, jobs.size(), title_of(jobs[i], jobs[i].filters.front())));
    const std::vector<TimedMethod> more = halation::timed(seconds, [&] { return time_methods(jobs[i]); });
    timed.insert(timed.end(), more.begin(), more.end());
  }
  status.clear();
  const std::vector<KnownRate> rates = rates_from(timed, device);
  is_kept = share({.times = {}, .rates = rates}) && is_kept;
  return text_of(table_of(device, rates,
                          fmt::format("{}: measured / expected, {} times of {} jobs in {}", name_of(device),
                                      timed.size(), jobs.size(), time_text(seconds))));
}

std::string tune(const Command& command, const Flags& flags) {
  check_options(command, flags);
  if (flags.forget) return forget();
  const int threads =
      flags.threads ? static_cast<int>(whole_number_from("--threads", *flags.threads, 0, 1024)) : 0;
  const std::vector<Device> chosen = devices_of(flags);
  std::string text;
  bool is_kept = true;
  if (flags.filter.empty()) {
    for (const Device device : chosen) text += tune_device(device, threads, is_kept);
    return text + "\n" + place(is_kept);
  }
  const StatedJob job = flags.job_options.job(flags.filter, flags.filter_options);
  PlanSpec spec{.shape = job.shape,
                .pixel = job.pixel,
                .filters = job.filter.filters,
                .combine = job.filter.combine,
                .options = job.options};
  spec.options.threads = threads;
  for (const Device device : chosen) {
    spec.device = device;
    text += tune_job(spec);
  }
  return text + place(share({}));
}

}  // namespace

void add_tune(Program& program) {
  Command& command =
      program.add("tune", "Times the methods here, and keeps what they took for plans to come");
  const auto flags = std::make_shared<Flags>(command);
  command.does([&command, flags] { fmt::print("{}", tune(command, *flags)); });
}

}  // namespace halation::app
