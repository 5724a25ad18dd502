// job.cpp: what `halation explain` answers of a filter's job: what each method costs on paper, and what plans
// say.
#include "job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/report/filter_facts.h"
#include "halation/error.h"

namespace halation::app {
namespace {

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

}  // namespace

Explanation explanation_of(Question question) {
  Explanation explanation{.question = std::move(question), .filters = {}, .plans = {}};
  const Question& asked = explanation.question;
  explanation.plans = answers_of(asked);
  for (const Filter& filter : asked.filter.filters) {
    const model::WeightFacts facts = weight_facts(filter);
    explanation.filters.push_back({filter, facts, costs_of(asked, facts)});
  }
  return explanation;
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

std::string limits_text(const Question& question) {
  const model::DeviceDescription& gpu = *question.gpu;
  const bool f64 = question.pixel == Pixel::f64;
  return fmt::format("{:.4g} TB/s {}, {:.4g} T operations/s {}", gpu.bytes_per_second() * 1e-12,
                     gpu.measured_copy_bytes_per_second > 0 ? "measured" : "by data sheet",
                     gpu.operations_per_second(f64) * 1e-12,
                     gpu.measured_operations_per_second > 0 && !f64 ? "measured" : "by data sheet");
}

std::string on_paper_text(const Explanation& explanation) {
  const bool has_gpu = std::any_of(explanation.plans.begin(), explanation.plans.end(), [](const PlanAnswer& plan) { return plan.device != "cpu"; });
  return has_gpu ? "" : "on paper, this machine has no GPU";
}

std::string error_bound_text(const PlanAnswer& answer) {
  return fmt::format("{:.3g} before rounding, for inputs up to {:g}", answer.error_bound.value_or(0),
                     answer.largest_input);
}

}  // namespace halation::app
