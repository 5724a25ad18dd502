// command.cpp: `halation tune`: times the methods here, and keeps what they took for plans to come.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
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
#include "core/figures_text.h"
#include "core/stopwatch.h"
#include "halation/error.h"
#include "io/file.h"
#include "plan/backends.h"
#include "plan/timings/shared_timings.h"
#include "plan/timings/time_methods.h"
#include "spread.h"

namespace halation::app {
namespace {

constexpr const char* footer =
    R"(With a filter every method that fits the job is timed, but those that should take more than a second and ten
times as long as another; --tune measure finds the times. Without one jobs of all kinds are timed by every family of
kernels, some ten seconds on a CPU and a minute on a GPU, and plans expect by the figures that come nearest to these times:
what a start, a step, a multiply-add, a byte takes here. Both are kept in the file that HALATION_CACHE names, else
in $XDG_CACHE_HOME/halation/timings or ~/.cache/halation/timings; nothing is where HALATION_CACHE is empty. They
count for this machine and this version. Keep the machine idle meanwhile.

Examples:
  halation tune
  halation tune gaussian --sigma 3 --size 2048x2048 --pixel u8
  halation tune --device cuda
  halation tune --forget)";

constexpr const char* for_job = "Filter's job";
constexpr const char* for_machine = "Machine";
constexpr const char* for_figures = "Figures of devices";

/// The command line as it was typed.
struct Flags {
  explicit Flags(Command& command);

  std::string filter;
  FilterOptions filter_options;
  StatedJobOptions job_options;
  Given device, threads, jobs, figures;
  bool forget = false;
};

Flags::Flags(Command& command)
    : filter_options(command, "--size"), job_options(command, for_job, "4096x4096") {
  command.positional("filter", filter, "FILTER",
                     "time this filter's job alone: a filter's name (see halation filters), or custom with "
                     "--weights [jobs of all kinds]",
                     Command::Need::optional);
  OptionGroup machine = command.group(for_machine);
  machine.text(
      "--device", device, "cpu|cuda",
      "whose methods, cuda:1 for the second GPU [the CPU's and, where there is one, the first GPU's]");
  machine.text("--threads", threads, "N", "CPU threads, 0 for as many as HALATION_THREADS says, or all [0]");
  command.group("Kept times")
      .flag("--forget", forget, "removes all times and figures that are kept, and measures nothing");
  OptionGroup figures_group = command.group(for_figures);
  figures_group.text("--jobs", jobs, "N", "jobs of all kinds that are timed [120 on a CPU, 600 on a GPU]");
  figures_group.text(
      "--figures", figures, "FILE",
      "starts from the figures in FILE, one of those that halation is built with, and replaces "
      "those that it finds; keeps nothing");
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
    if (!flags.filter.empty() && option.heading == for_figures)
      refuse(fmt::format("{} goes without a filter", option.name()));
  }
  if (flags.figures && !flags.device)
    refuse("--figures needs --device: a file has the figures of one device");
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

/// Measured over expected, of each family's times.
using Shares = std::map<std::string, std::vector<double>>;

/// What the device's families expect now of what they took.
Shares shares_of(const std::vector<TimedOffer>& timed, Device device) {
  const Backend& backend = backend_for(device);
  Shares shares;
  for (const TimedOffer& each : timed) {
    for (const Offer& offer : backend.offers(*each.job, each.job->filters, device)) {
      if (offer.family == each.family && offer.why_not == nullptr)
        shares[std::string(each.family)].push_back(each.seconds / offer.seconds);
    }
  }
  return shares;
}

std::string median_of(std::vector<double> values) {
  if (values.empty()) return "-";
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return fmt::format("{:.2f}", *middle);
}

Table table_of(const Shares& before, const Shares& after, const std::string& title) {
  Table table{.title = title, .name_heading = "family", .headings = {"times", "before", "now"}, .rows = {}};
  for (const auto& [family, shares] : before) {
    const auto now = after.find(family);
    table.rows.push_back({.name = family,
                          .cells = {std::to_string(shares.size()), median_of(shares),
                                    median_of(now == after.end() ? std::vector<double>() : now->second)},
                          .note = {}});
  }
  return table;
}

/// The figures of a device that jobs of all kinds lead to, and how near they are.
struct Found {
  std::string figures, table;
};

Found figures_found(Device device, const std::vector<PlanSpec>& jobs) {
  StatusLine status;
  const bool is_shown = StatusLine::is_possible();
  std::vector<TimedOffer> all;
  double seconds = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (is_shown)
      status.show(
          fmt::format("{} of {}: {}", i + 1, jobs.size(), title_of(jobs[i], jobs[i].filters.front())));
    const std::vector<TimedOffer> more = timed(seconds, [&] { return time_offers(jobs[i]); });
    all.insert(all.end(), more.begin(), more.end());
  }
  status.clear();
  const Backend& backend = backend_for(device);
  const Shares before = shares_of(all, device);
  std::string figures = timed(seconds, [&] { return backend.figures_of(all, device); });
  backend.use_figures(figures, device);
  return {std::move(figures),
          text_of(table_of(before, shares_of(all, device),
                           fmt::format("{}: measured / expected, median of {} times of {} jobs in {}",
                                       name_of(device), all.size(), jobs.size(), time_text(seconds))))};
}

/// Keeps them for plans to come, unless they cannot be.
bool keep(Device device, const std::string& figures) {
  Timings kept;
  for (const FigureLine& line : figure_lines(figures))
    kept.figures.push_back({machine_of(device), std::string(line.text)});
  return share(kept);
}

/// What the file holds is where the search starts, and is replaced by what it finds.
std::string replace_figures(const std::string& path, Device device, const std::vector<PlanSpec>& jobs) {
  io::check_target(path);
  std::string text;
  try {
    const io::Input file(path);
    text.assign(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    backend_for(device).use_figures(text, device);
  } catch (const Error& error) {
    throw Error{error.code(), fmt::format("{}: {}", path, error.what())};
  }
  Found found = figures_found(device, jobs);
  const std::string whole = with_lines(text, found.figures);
  io::Output file(path);
  file.write(whole.data(), whole.size());
  file.commit();
  return found.table + fmt::format("\nwritten to {}\n", path);
}

std::string tune(const Command& command, const Flags& flags) {
  check_options(command, flags);
  if (flags.forget) return forget();
  const int threads =
      flags.threads ? static_cast<int>(whole_number_from("--threads", *flags.threads, 0, 1024)) : 0;
  const std::vector<Device> chosen = devices_of(flags);
  const int count = flags.jobs ? static_cast<int>(whole_number_from("--jobs", *flags.jobs, 1, 100000)) : 0;
  if (flags.figures)
    return replace_figures(*flags.figures, chosen.front(), spread_for(chosen.front(), threads, count));
  std::string text;
  if (flags.filter.empty()) {
    bool is_kept = true;
    for (const Device device : chosen) {
      Found found = figures_found(device, spread_for(device, threads, count));
      is_kept = keep(device, found.figures) && is_kept;
      text += found.table;
    }
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
