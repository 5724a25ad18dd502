// command.cpp: `halation explain`: a filter's weights, methods and limits; or tiles, or occupancy.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/command_line/arguments.h"
#include "app/command_line/filter_options.h"
#include "app/command_line/stated_job.h"
#include "app/report/filter_facts.h"
#include "app/report/printable.h"
#include "app/subcommands.h"
#include "halation/error.h"
#include "halation/plan.h"
#include "model.h"
#include "model/roofline.h"
#include "model/tile.h"
#include "model/weights.h"

namespace halation::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* tiling = "tiling";
constexpr const char* occupancy = "occupancy";

constexpr const char* footer =
    R"(Operations are multiplications and additions in f32 (f64 for f64 pixels), 2 a tap of a sample;
bytes are each sample read and written once. The least time is
  max(bytes / bandwidth, operations / rate) + 3 us to start a kernel;
tensor cores and integer products can pass this bound on arithmetic.

Examples:
  halation explain gaussian --sigma 2 --size 4096x4096 --pixel u8 --gpu h200
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
  Given registers, threads, shared, gpu;
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
  command.group(for_all).flag("--json", json, "as a JSON object");
  command.footer(footer);
}

/// Throws for an option that means nothing to the subject.
void check_options(const Command& command, const std::string& subject) {
  std::vector<std::string> fitting = {for_all};
  if (subject == tiling) {
    fitting.insert(fitting.end(), {for_tiling, for_filters_and_tiling});
  } else if (subject == occupancy) {
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

/// A job, and the GPU whose limits are asked for.
struct Question : StatedJob {
  const model::DeviceDescription* gpu = nullptr;
};

Question question_of(const Flags& flags) {
  Question question{flags.job_options.job(flags.subject, flags.filter_options, dims_of(flags, 0)), nullptr};
  Options& options = question.options;
  if (flags.method) options.method = method_named(*flags.method);
  if (flags.tune) options.tune = tune_named(*flags.tune);
  question.gpu = &gpu_named(flags.gpu.value_or("h200"));
  return question;
}

/// What one method costs a pixel, all its channels together, and the least time for the image.
struct MethodCost {
  Method method = Method::direct;
  double operations = 0, bytes = 0;
  double gpix_per_second = 0;
  model::Roofline roofline;
};

double pixels_of(const Shape& shape) {
  return static_cast<double>(shape.depth) * static_cast<double>(shape.height) *
         static_cast<double>(shape.width);
}

std::vector<MethodCost> costs_of(const Question& question, const model::WeightFacts& facts) {
  const double pixels = pixels_of(question.shape);
  const auto channels = static_cast<double>(question.shape.channels);
  std::vector<MethodCost> costs;
  for (const model::MethodWork& work : model::possible_methods(facts)) {
    MethodCost cost{.method = work.method, .operations = channels * work.operations, .roofline = {}};
    cost.bytes = channels * 2 * static_cast<double>(bytes_of(question.pixel));
    cost.roofline = model::roofline(*question.gpu, {.bytes = pixels * cost.bytes,
                                                    .operations = pixels * cost.operations,
                                                    .f64 = question.pixel == Pixel::f64});
    cost.gpix_per_second = pixels / cost.roofline.seconds * 1e-9;
    costs.push_back(cost);
  }
  return costs;
}

/// What a plan answers, or why there is none.
struct PlanAnswer {
  std::string device;
  std::string text;
  std::vector<Method> methods;
  std::vector<std::vector<RankedMethod>> ranking;  ///< one a filter
  double largest_input = 1;
  std::optional<double> error_bound;
};

PlanAnswer answer_of(const Question& question, Device device) {
  const Plan plan({.shape = question.shape,
                   .pixel = question.pixel,
                   .filters = question.filter.filters,
                   .combine = question.filter.combine,
                   .device = device,
                   .options = question.options});
  PlanAnswer answer{.device = name_of(device),
                    .text = plan.explain(),
                    .methods = plan.methods(),
                    .ranking = plan.ranking(),
                    .error_bound = {}};
  if (!is_float(question.pixel))
    answer.largest_input = std::max(largest(question.pixel), -smallest(question.pixel));
  answer.error_bound = plan.error_bound(answer.largest_input);
  return answer;
}

/// On the CPU and on the first GPU where there is one. What a GPU refuses is its answer, and so is a method
/// that the CPU does not offer and a GPU does. All else that the CPU refuses is the user's error.
std::vector<PlanAnswer> answers_of(const Question& question) {
  const auto refusal = [](Device device, const Error& error) {
    return PlanAnswer{.device = name_of(device),
                      .text = std::string(error.what()) + "\n",
                      .methods = {},
                      .ranking = {},
                      .error_bound = {}};
  };
  const std::vector<DeviceInfo> all = devices();
  const auto gpu = std::find_if(
      all.begin(), all.end(), [](const DeviceInfo& info) { return info.device.kind == Device::Kind::cuda; });
  std::vector<PlanAnswer> answers;
  bool offered = true;
  try {
    answers.push_back(answer_of(question, cpu()));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported || gpu == all.end()) throw;
    answers.push_back(refusal(cpu(), error));
    offered = false;
  }
  if (gpu == all.end()) return answers;
  try {
    answers.push_back(answer_of(question, gpu->device));
  } catch (const Error& error) {
    if (!offered) throw;
    answers.push_back(refusal(gpu->device, error));
  }
  return answers;
}

std::string size_text(const FilterSize& size) {
  return fmt::format("{}{}x{}", size.depth > 1 ? fmt::format("{}x", size.depth) : "", size.height,
                     size.width);
}

std::string symmetry_text(const model::WeightFacts& facts) {
  std::vector<std::string> parts;
  const auto extents = facts.size.space();
  for (std::size_t axis = 3; axis-- > 0;) {
    if (extents[axis] > 1)
      parts.push_back(fmt::format("{} along {}", model::name_of(facts.symmetry[axis]), "zyx"[axis]));
  }
  return parts.empty() ? "one weight" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string rank_text(const model::WeightFacts& facts) {
  if (facts.rank) return std::to_string(*facts.rank);
  return facts.size.depth > 1 ? "of 2D weights alone"
                              : fmt::format("not computed above {}", model::most_ranked);
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
    text +=
        fmt::format("  {:<12}{:>16}{:>13}{:>9.1f}{:>10.4g} ms{:>11.1f}   {}\n", name_of(cost.method),
                    cost.operations, cost.bytes, cost.operations / cost.bytes, cost.roofline.seconds * 1e3,
                    cost.gpix_per_second, model::name_of(cost.roofline.bound));
  return text;
}

/// Lines of `text` set in by two blanks.
std::string indented(const std::string& text) {
  std::string result;
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) result += fmt::format("  {}\n", line);
  return result;
}

std::string text_of(const Question& question, const std::vector<PlanAnswer>& answers) {
  const model::DeviceDescription& gpu = *question.gpu;
  const bool f64 = question.pixel == Pixel::f64;
  std::string text =
      fmt::format("{} {} on {}: {:.4g} TB/s {}, {:.4g} T operations/s {}\n", to_string(question.shape),
                  name_of(question.pixel), gpu.title, gpu.bytes_per_second() * 1e-12,
                  gpu.measured_copy_bytes_per_second > 0 ? "measured" : "by data sheet",
                  gpu.operations_per_second(f64) * 1e-12,
                  gpu.measured_operations_per_second > 0 && !f64 ? "measured" : "by data sheet");
  for (const Filter& filter : question.filter.filters) {
    const model::WeightFacts facts = weight_facts(filter);
    text += "\n" + facts_text(filter, facts) + costs_text(costs_of(question, facts));
  }
  for (const PlanAnswer& answer : answers) {
    text += fmt::format("\nplan on {}\n{}", answer.device, indented(answer.text));
    if (answer.error_bound)
      text += fmt::format("  error bound {:.3g} before rounding, for inputs up to {:g}\n",
                          *answer.error_bound, answer.largest_input);
  }
  return text;
}

Json json_of(const Question& question, const Filter& filter) {
  const model::WeightFacts facts = weight_facts(filter);
  Json report = app::json_of(filter, facts);
  for (const MethodCost& cost : costs_of(question, facts))
    report["methods"].push_back({{"method", name_of(cost.method)},
                                 {"operations_per_pixel", cost.operations},
                                 {"bytes_per_pixel", cost.bytes},
                                 {"least_milliseconds", cost.roofline.seconds * 1e3},
                                 {"gpix_per_second", cost.gpix_per_second},
                                 {"bound_by", model::name_of(cost.roofline.bound)}});
  return report;
}

Json json_of(const Question& question, const std::vector<PlanAnswer>& answers) {
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
  for (const Filter& filter : question.filter.filters) report["filters"].push_back(json_of(question, filter));
  for (const PlanAnswer& answer : answers) {
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

std::string explain_filter(const Flags& flags) {
  const Question question = question_of(flags);
  const std::vector<PlanAnswer> answers = answers_of(question);
  return flags.json ? json_text(json_of(question, answers)) : text_of(question, answers);
}

std::string explain(const Command& command, const Flags& flags) {
  check_options(command, flags.subject);
  const Form form = flags.json ? Form::json : Form::text;
  if (flags.subject == tiling)
    return explain_tiling(dims_of(flags, 2),
                          whole_number_from("--tile", flags.tile.value_or("8"), 1, model::most_tile),
                          whole_number_from("--mask", flags.mask.value_or("5"), 1, model::most_mask), form);
  if (flags.subject != occupancy) return explain_filter(flags);
  if (!flags.registers || !flags.threads)
    throw Error{ErrorCode::invalid_argument, "explain occupancy needs --registers and --threads"};
  const std::int64_t shared =
      flags.shared ? whole_number_from("--shared", *flags.shared, 0, std::int64_t{1} << 30) : 0;
  const model::BlockNeeds needs{
      .registers_per_thread = static_cast<int>(whole_number_from("--registers", *flags.registers, 0, 65536)),
      .threads_per_block = static_cast<int>(whole_number_from("--threads", *flags.threads, 1, 65536)),
      .shared_bytes_per_block = shared};
  return explain_occupancy(gpu_named(flags.gpu.value_or("h200")), needs, form);
}

}  // namespace

void add_explain(Program& program) {
  Command& command =
      program.add("explain", "Explains what a filter costs by each method, or tiles and occupancy, on paper");
  const auto flags = std::make_shared<Flags>(command);
  command.does([&command, flags] { fmt::print("{}", explain(command, *flags)); });
}

}  // namespace halation::app
