// one_factor_dense.cpp: a filter by factors along one axis alone, as one of dense weights.
#include <utility>

#include "cuda/compose/compose.h"

namespace halation::cuda_backend {
namespace {

Job dense(Job job) {
  Taps& taps = job.filters.front();
  taps.form = Form::dense;
  if (!taps.factors) return job;
  taps.weights = {1.0};
  double gain = 1;  // of the axes without a filter
  for (const std::vector<double>& factor : *taps.factors) {
    if (factor.size() > 1)
      taps.weights = factor;
    else
      gain *= factor.front();
  }
  for (double& weight : taps.weights) weight *= gain;
  taps.factors.reset();
  return job;
}

}  // namespace

const Family one_factor_dense{
    .name = "one factor, dense",
    .refuses = [](const Request& request) -> const char* {
      const Space& size = request.taps().size;
      if (!is_one_filter(request.job) || !is_by_factors(request.taps()))
        return "one filter by factors alone";
      return (size[0] > 1) + (size[1] > 1) + (size[2] > 1) > 1 ? "filters along one axis alone" : nullptr;
    },
    .seconds_of_parts =
        [](const Request& request) {
          return request.families.cheapest(dense(request.job), request.rows, request.gpu).seconds;
        },
    .make =
        [](const Request& request, const std::shared_ptr<const Job>& job) {
          return request.families.make(std::make_shared<const Job>(dense(*job)), request.gpu);
        }};

}  // namespace halation::cuda_backend
