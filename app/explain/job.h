// job.h: what `halation explain` answers of a filter's job: what each method costs on paper, and what plans
// say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command_line/stated_job.h"
#include "halation/plan.h"
#include "model/device_description.h"
#include "model/roofline.h"
#include "model/weights.h"

namespace halation::app {

/// A job, and the GPU whose limits are asked for.
struct Question : StatedJob {
  const model::DeviceDescription* gpu = nullptr;
};

/// What one method costs a pixel, all its channels together, and the least time for the image.
struct MethodCost {
  Method method = Method::direct;
  double operations = 0, bytes = 0;
  double gpix_per_second = 0;
  model::Roofline roofline;
};

/// One filter of the job.
struct ExplainedFilter {
  Filter filter;
  model::WeightFacts facts;
  std::vector<MethodCost> costs;
};

/// What a plan answers, or why there is none.
struct PlanAnswer {
  std::string device;
  std::string text;
  std::vector<Method> methods;
  std::vector<std::vector<RankedMethod>> ranking;  ///< one a filter
  double largest_input = 1;
  std::optional<double> error_bound;
};

struct Explanation {
  Question question;
  std::vector<ExplainedFilter> filters;
  std::vector<PlanAnswer> plans;
};

/// With plans on the CPU and on the first GPU where there is one. What a GPU refuses is its answer, and so is
/// a method that the CPU does not offer and a GPU does. All else that the CPU refuses is the user's error.
/// Throws `Error`.
Explanation explanation_of(Question question);

std::string size_text(const FilterSize& size);
std::string symmetry_text(const model::WeightFacts& facts);
std::string rank_text(const model::WeightFacts& facts);
/// "4.1 TB/s measured, 64.6 T operations/s measured".
std::string limits_text(const Question& question);
/// "on paper, this machine has no GPU"; empty where it has one.
std::string on_paper_text(const Explanation& explanation);
/// "0.0291 before rounding, for inputs up to 255"; of an answer that has one.
std::string error_bound_text(const PlanAnswer& answer);

}  // namespace halation::app
