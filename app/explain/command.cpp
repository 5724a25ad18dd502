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
#include "app/subcommands.h"
#include "halation/error.h"
#include "halation/plan.h"
#include "model.h"
#include "model/roofline.h"
#include "model/tile.h"
#include "model/weights.h"
#include "plan/analyse.h"

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
  std::vector<std::string> sizes;
  Given pixel, channels, border, border_value, method, accuracy, tune;
  Given tile, mask, dims;
  Given registers, threads, shared, gpu;
  bool json = false;
};

// A filter's own parameter size is typed "9" or "3,5", the image's "4096x4096": one option takes both.
Flags::Flags(Command& command) : filter_options(command, "--size") {
  command.positional("subject", subject, "FILTER|tiling|occupancy",
                     "a filter's name (see halation filters), custom with --weights, tiling or occupancy");
  OptionGroup job = command.group(for_filters);
  job.texts("--size", sizes, "HxW",
            "the image, HEIGHTxWIDTH or DEPTHxHEIGHTxWIDTH [4096x4096; 1x16777216 with --dims 1, "
            "256x256x256 with --dims 3]; without an x the filter's own, as in apply box --size 9",
            OptionGroup::Several::one_each);
  job.text("--pixel", pixel, "u8|u16|i16|f16|f32|f64", "pixels of image and result [f32]");
  job.text("--channels", channels, "N", "channels of the image [1]");
  job.text("--border", border, "constant|replicate|reflect|reflect101|wrap",
           "what lies outside the image, one for all axes or one each [reflect101]");
  job.text("--border-value", border_value, "V", "the value of the border constant [0]");
  job.text("--method", method, "automatic|direct|separable|box|fft|multirate",
           "how to filter [automatic]");
  job.text("--accuracy", accuracy, "exact|fast", "whether methods may approximate, by up to 1/2048 of the largest pixel [exact]");
  job.text("--tune", tune, "estimate|measure",
           "whether plans here time their methods, on images of that size [estimate]");
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

Shape shape_of(std::string_view size) {
  const std::vector<std::string_view> parts = split(size, 'x');
  if (parts.size() < 2 || parts.size() > 3)
    throw Error{ErrorCode::invalid_argument,
                fmt::format("--size must be HEIGHTxWIDTH or DEPTHxHEIGHTxWIDTH, got '{}'", size)};
  std::vector<std::int64_t> extents;
  extents.reserve(parts.size());
  for (const std::string_view part : parts)
    extents.push_back(whole_number_from("--size: each extent", part, 1, std::int64_t{1} << 31));
  Shape shape;
  if (extents.size() == 3) shape.depth = extents.front();
  shape.height = extents[extents.size() - 2];
  shape.width = extents.back();
  return shape;
}

/// A filter, the image that it is asked about, and how.
struct Question {
  FilterSet filter;
  Shape shape;
  Pixel pixel = Pixel::f32;
  Options options;
  const model::DeviceDescription* gpu = nullptr;
};

/// The filter, with a --size of its own where one was given.
FilterSet filter_of(const Flags& flags, const std::string& own_size, int dims) {
  if (own_size.empty()) return flags.filter_options.make(flags.subject, dims);
  if (flags.subject == custom_name)
    throw Error{ErrorCode::invalid_argument,
                fmt::format("{}: no parameter --size; it has --weights", custom_name)};
  const NamedFilter& filter = filter_named(flags.subject);
  const auto parameter = std::find_if(filter.parameters.begin(), filter.parameters.end(),
                                      [](const Parameter& known) { return known.name == "size"; });
  if (parameter == filter.parameters.end())
    throw Error{ErrorCode::invalid_argument,
                fmt::format("{}: no parameter --size; the image's is typed HEIGHTxWIDTH, got '{}'",
                            filter.name, own_size)};
  Arguments arguments = flags.filter_options.arguments_for(filter);
  arguments[parameter->name] = values_from(filter, *parameter, own_size);
  return make_filter(filter.name, arguments, dims);
}

/// Those of the image where the filter has a meaning in them, else 0: its own.
int dims_of_image(const std::string& filter, const Shape& shape) {
  if (filter == custom_name) return 0;
  const std::vector<int>& possible = filter_named(filter).dims;
  return std::find(possible.begin(), possible.end(), shape.dims()) != possible.end() ? shape.dims() : 0;
}

Question question_of(const Flags& flags) {
  Question question;
  std::string own_size, image_size;
  for (const std::string& size : flags.sizes)
    (size.find('x') == std::string::npos ? own_size : image_size) = size;

  const int dims = dims_of(flags, 0);
  if (image_size.empty()) image_size = dims == 3 ? "256x256x256" : dims == 1 ? "1x16777216" : "4096x4096";
  question.shape = shape_of(image_size);
  if (flags.channels) question.shape.channels = whole_number_from("--channels", *flags.channels, 1, 65536);
  if (flags.pixel) question.pixel = pixel_named(*flags.pixel);
  question.filter =
      filter_of(flags, own_size, dims > 0 ? dims : dims_of_image(flags.subject, question.shape));
  for (Filter& filter : question.filter.filters) filter = filter.with_dims(question.shape.dims());

  const double value = flags.border_value ? number_from("--border-value", *flags.border_value) : 0;
  const std::vector<Border> borders = borders_from(flags.border.value_or("reflect101"), value);
  const bool is_constant = std::any_of(borders.begin(), borders.end(), [](const Border& border) {
    return border.mode == Border::Mode::constant;
  });
  if (flags.border_value && !is_constant)
    throw Error{ErrorCode::invalid_argument, "--border-value goes with --border constant"};
  const Border& height = borders.size() == 3 ? borders[1] : borders.front();
  question.options.border = {.z = borders.front(), .y = height, .x = borders.back()};
  if (flags.method) question.options.method = method_named(*flags.method);
  if (flags.accuracy) question.options.accuracy = accuracy_named(*flags.accuracy);
  if (flags.tune) question.options.tune = tune_named(*flags.tune);
  question.gpu = &gpu_named(flags.gpu.value_or("h200"));
  return question;
}

bool is_separable(const FilterSize& size, const std::vector<double>& weights) {
  const std::optional<Separation> separation = separate(size.space(), weights);
  return separation && separation->residual <= separable_tolerance(false);
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
  PlanAnswer answer{
      .device = name_of(device), .text = plan.explain(), .methods = plan.methods(), .error_bound = {}};
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
    const model::WeightFacts facts = model::facts_of(filter, is_separable);
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
  const model::WeightFacts facts = model::facts_of(filter, is_separable);
  const auto [depth, height, width] = facts.size.space();
  Json report{{"name", filter.name()},
              {"size", {{"depth", depth}, {"height", height}, {"width", width}}},
              {"taps", facts.size.taps()}};
  for (std::size_t axis = 0; axis < 3; ++axis)
    report["symmetry"][std::string(1, "zyx"[axis])] = model::name_of(facts.symmetry[axis]);
  report["separable"] = facts.separable;
  report["rank"] = facts.rank ? Json(*facts.rank) : Json(nullptr);
  report["integers"] = facts.integers;
  report["all_equal"] = facts.equal;
  report["sum"] = facts.sum;
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
  return flags.json ? json_of(question, answers).dump(2) + "\n" : text_of(question, answers);
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
