// command.cpp: `halation explain`: a filter's weights, methods and limits; or tiles, or occupancy.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/command_line/arguments.h"
#include "app/command_line/filter_options.h"
#include "app/command_line/stated_job.h"
#include "app/report/filter_facts.h"
#include "app/report/records.h"
#include "app/report/text/printable.h"
#include "app/subcommands.h"
#include "core/nearest.h"
#include "core/stopwatch.h"
#include "halation/error.h"
#include "io/formats.h"
#include "job.h"
#include "model.h"
#include "model/tile.h"
#include "report.h"

namespace halation::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* tiling_subject = "tiling";
constexpr const char* occupancy_subject = "occupancy";

constexpr const char* footer =
    R"(Operations are multiplications and additions in f32 (f64 for f64 pixels), 2 a tap of a sample;
bytes are each sample read and written once. The least time is
  max(bytes / bandwidth, operations / rate) + 3 us to start a kernel;
tensor cores and integer products can pass this bound on arithmetic.

Examples:
  halation explain gaussian --sigma 2 --size 4096x4096 --pixel u8 --gpu h200
  halation explain unsharp_mask --sigma 3 --size 4000x6000 --pixel u8 --channels 3 --report page.html
  halation explain tiling --tile 8 --mask 5 --dims 1
  halation explain occupancy --registers 35 --threads 256 --gpu course)";

// Headings of the help; each says which subjects its options go with.
constexpr const char* for_filters = "Filter's job";
constexpr const char* for_tiling = "Tiling";
constexpr const char* for_occupancy = "Occupancy";
constexpr const char* for_filters_and_tiling = "Filter and tiling";
constexpr const char* for_filters_and_occupancy = "Filter and occupancy";
constexpr const char* for_all = "Report";

/// The command line as it was typed.
struct Flags {
  explicit Flags(Command& command);

  std::string subject;
  FilterOptions filter_options;
  StatedJobOptions job_options;
  Given method, tune;
  Given tile, mask, dims;
  Given registers, threads, shared, gpu, report;
  bool json = false;
};

Flags::Flags(Command& command)
    : filter_options(command, "--size"),
      job_options(command, for_filters, "4096x4096; 1x16777216 with --dims 1, 256x256x256 with --dims 3") {
  command.positional("subject", subject, "FILTER|tiling|occupancy",
                     "a filter's name (see halation filters), custom with --weights, tiling or occupancy");
  OptionGroup job = command.group(for_filters);
  job.text("--method", method, "automatic|direct|separable|low_rank|banded|box|fft|multirate", "how to filter [automatic]");
  job.text("--tune", tune, "estimate|measure",
           "whether plans here time the three best methods, on images of that size [estimate]");
  OptionGroup tiles = command.group(for_tiling);
  tiles.text("--tile", tile, "T", "outputs of a block along each axis [8]");
  tiles.text("--mask", mask, "M", "taps of the filter along each axis, odd [5]");
  command.group(for_filters_and_tiling)
      .text("--dims", dims, "1|2|3", "dimensions [those of --size; 2 for tiling]");
  OptionGroup kernel = command.group(for_occupancy);
  kernel.text("--registers", registers, "R", "registers a thread");
  kernel.text("--threads", threads, "N", "threads a block");
  kernel.text("--shared", shared, "BYTES", "shared memory a block [0]");
  std::vector<std::string> gpus;
  for (const model::DeviceDescription& device : model::built_in_devices()) gpus.push_back(device.name);
  command.group(for_filters_and_occupancy)
      .text("--gpu", gpu, fmt::format("{}|present", fmt::join(gpus, "|")),
            "whose limits; course is the lecture's example, for occupancy alone, and present the GPU that is "
            "here [h200]");
  OptionGroup all = command.group(for_all);
  all.flag("--json", json, "as a JSON object, instead of the text");
  all.text("--report", report, "FILE", "write a page with charts (HTML, self-contained); - is standard output, instead of the text");
  command.everyday({"--size", "--pixel", "--channels", "--method", "--tile", "--mask", "--registers", "--threads", "--gpu", "--report"});
  command.footer(footer);
}

/// Throws for an option that means nothing to the subject.
void check_options(const Command& command, const std::string& subject) {
  std::vector<std::string> fitting = {for_all};
  if (subject == tiling_subject) {
    fitting.insert(fitting.end(), {for_tiling, for_filters_and_tiling});
  } else if (subject == occupancy_subject) {
    fitting.insert(fitting.end(), {for_occupancy, for_filters_and_occupancy});
  } else {
    fitting.insert(fitting.end(), {"Filter", for_filters, for_filters_and_tiling, for_filters_and_occupancy});
  }
  for (const Declared& option : command.declared()) {
    if (option.is_given && !option.positional &&
        std::find(fitting.begin(), fitting.end(), option.heading) == fitting.end())
      throw Error{
          ErrorCode::invalid_argument,
          fmt::format("explain {}: no option {}; see halation explain --help", subject, option.name())};
  }
}

int dims_of(const Flags& flags, int by_default) {
  return flags.dims ? static_cast<int>(whole_number_from("--dims", *flags.dims, 1, 3)) : by_default;
}

Question question_of(const Flags& flags) {
  Question question{flags.job_options.job(flags.subject, flags.filter_options, dims_of(flags, 0)), nullptr};
  Options& options = question.options;
  if (flags.method) options.method = method_named(*flags.method);
  if (flags.tune) options.tune = tune_named(*flags.tune);
  question.gpu = &gpu_named(flags.gpu.value_or("h200"));
  return question;
}

const char* yes_or_no(bool fact) { return fact ? "yes" : "no"; }

std::string facts_text(const Filter& filter, const model::WeightFacts& facts) {
  return fmt::format(
      "{}\n"
      "  size        {}, {} taps\n"
      "  symmetry    {}\n"
      "  separable   {}\n"
      "  rank        {}\n"
      "  integers    {}\n"
      "  all equal   {}\n"
      "  sum         {:.6g}\n",
      filter.name(), size_text(facts.size), facts.size.taps(), symmetry_text(facts),
      yes_or_no(facts.separable), rank_text(facts), yes_or_no(facts.integers), yes_or_no(facts.equal),
      facts.sum);
}

std::string costs_text(const std::vector<MethodCost>& costs) {
  std::string text = fmt::format("\n  {:<12}{:>16}{:>13}{:>9}{:>13}{:>11}   bound by\n", "method",
                                 "operations/pixel", "bytes/pixel", "op/B", "least time", "GPix/s");
  for (const MethodCost& cost : costs)
    text += fmt::format("  {:<12}{:>16}{:>13}{:>9.1f}{:>13}{:>11.1f}   {}\n", name_of(cost.method), cost.operations, cost.bytes,
                        cost.operations / cost.bytes, time_text(cost.roofline.seconds), cost.gpix_per_second,
                        model::name_of(cost.roofline.bound));
  return text;
}

/// Lines of `text` set in by two blanks.
std::string indented(const std::string& text) {
  std::string result;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) result += fmt::format("  {}\n", line);
  return result;
}

std::string text_of(const Explanation& explanation) {
  const Question& question = explanation.question;
  const std::string on_paper = on_paper_text(explanation);
  std::string text = fmt::format("{} {} on {}: {}\n", to_string(question.shape), name_of(question.pixel), question.gpu->title, limits_text(question));
  if (const Shape& shape = question.shape; io::looks_like_channels(shape))
    text += fmt::format("(a volume, DEPTHxHEIGHTxWIDTH; an image of {} channels is --size {}x{} --channels {})\n", shape.width, shape.depth, shape.height,
                        shape.width);
  if (!on_paper.empty()) text += fmt::format("({}; what its CPU does stands last, under \"plan on cpu\")\n", on_paper);
  for (const ExplainedFilter& each : explanation.filters) text += "\n" + facts_text(each.filter, each.facts) + costs_text(each.costs);
  for (const PlanAnswer& answer : explanation.plans) {
    text += fmt::format("\nplan on {}\n{}", answer.device, indented(answer.text));
    if (answer.error_bound) text += "  error bound " + error_bound_text(answer) + "\n";
  }
  return text;
}

Json json_of(const ExplainedFilter& each) {
  Json report = app::json_of(each.filter, each.facts);
  for (const MethodCost& cost : each.costs)
    report["methods"].push_back({{"method", name_of(cost.method)},
                                 {"operations_per_pixel", cost.operations},
                                 {"bytes_per_pixel", cost.bytes},
                                 {"least_milliseconds", cost.roofline.seconds * 1e3},
                                 {"gpix_per_second", cost.gpix_per_second},
                                 {"bound_by", model::name_of(cost.roofline.bound)}});
  return report;
}

Json json_of(const Explanation& explanation) {
  const Question& question = explanation.question;
  const model::DeviceDescription& gpu = *question.gpu;
  const Shape& shape = question.shape;
  Json report{{"image",
               {{"depth", shape.depth},
                {"height", shape.height},
                {"width", shape.width},
                {"channels", shape.channels},
                {"pixel", name_of(question.pixel)}}},
              {"gpu",
               {{"name", gpu.name},
                {"bytes_per_second", gpu.bytes_per_second()},
                {"operations_per_second", gpu.operations_per_second(question.pixel == Pixel::f64)}}}};
  for (const ExplainedFilter& each : explanation.filters) report["filters"].push_back(json_of(each));
  for (const PlanAnswer& answer : explanation.plans) {
    Json plan{{"device", answer.device}, {"explanation", answer.text}, {"methods", Json::array()}};
    for (const Method method : answer.methods) plan["methods"].push_back(name_of(method));
    for (const std::vector<RankedMethod>& ranking : answer.ranking)
      plan["ranking"].push_back(app::json_of(ranking));
    if (answer.error_bound) {
      plan["error_bound"] = *answer.error_bound;
      plan["largest_input"] = answer.largest_input;
    }
    report["plans"].push_back(std::move(plan));
  }
  return report;
}

/// The forms that an answer can have.
struct Forms {
  std::function<std::string()> text, json, page;
};

Forms forms_of_filter(const Flags& flags, const std::string& command) {
  if (const std::string hint = meant(flags.subject, {tiling_subject, occupancy_subject}); !hint.empty() && !is_filter(flags.subject))
    throw Error{ErrorCode::invalid_argument, fmt::format("unknown subject '{}'{}", flags.subject, hint)};
  const auto explanation = std::make_shared<const Explanation>(explanation_of(question_of(flags)));
  return {.text = [explanation] { return text_of(*explanation); },
          .json = [explanation] { return json_text(json_of(*explanation)); },
          .page = [explanation, command] { return report_of(*explanation, command); }};
}

Forms forms_of_tiling(const Flags& flags, const std::string& command) {
  const Tiling asked{.dims = dims_of(flags, 2),
                      .tile = whole_number_from("--tile", flags.tile.value_or("8"), 1, model::most_tile),
                      .mask = whole_number_from("--mask", flags.mask.value_or("5"), 1, model::most_mask)};
  return {.text = [asked] { return text_of(asked); },
          .json = [asked] { return json_text(json_of(asked)); },
          .page = [asked, command] { return report_of(asked, command); }};
}

Forms forms_of_occupancy(const Flags& flags, const std::string& command) {
  if (!flags.registers || !flags.threads)
    throw Error{ErrorCode::invalid_argument, "explain occupancy needs --registers and --threads"};
  const std::int64_t shared =
      flags.shared ? whole_number_from("--shared", *flags.shared, 0, std::int64_t{1} << 30) : 0;
  const model::BlockNeeds needs{
      .registers_per_thread = static_cast<int>(whole_number_from("--registers", *flags.registers, 0, 65536)),
      .threads_per_block = static_cast<int>(whole_number_from("--threads", *flags.threads, 1, 65536)),
      .shared_bytes_per_block = shared};
  const OccupancyQuestion question{.device = &gpu_named(flags.gpu.value_or("h200")), .needs = needs};
  return {.text = [question] { return text_of(question); },
          .json = [question] { return json_text(json_of(question)); },
          .page = [question, command] { return report_of(question, command); }};
}

void explain(const Command& command, const Flags& flags) {
  check_options(command, flags.subject);
  check_files(flags.json ? Given("-") : Given(), flags.report);
  const auto forms_of = flags.subject == tiling_subject ? forms_of_tiling : flags.subject == occupancy_subject ? forms_of_occupancy : forms_of_filter;
  const Forms forms = forms_of(flags, command.as_typed());
  // As text where neither of the others takes its place on standard output.
  if (flags.json) {
    fmt::print("{}", forms.json());
  } else if (flags.report != "-") {
    fmt::print("{}", forms.text());
  }
  if (!flags.report) return;
  write_file(*flags.report, forms.page());
}

}  // namespace

void add_explain(Program& program) {
  Command& command =
      program.add("explain", "Explains what a filter costs by each method, or tiles and occupancy, on paper");
  const auto flags = std::make_shared<Flags>(command);
  command.does([&command, flags] { explain(command, *flags); });
}

}  // namespace halation::app
