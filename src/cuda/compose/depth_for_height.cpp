// depth_for_height.cpp: a filter by a factor or by transforms along depth alone, over views whose depth and height are changed
// for one another.
#include <utility>

#include "cuda/compose/compose.h"

namespace halation::cuda_backend {
namespace {

template <class AnyView>
AnyView turned(AnyView view) {
  std::swap(view.shape.depth, view.shape.height);
  std::swap(view.strides.depth, view.strides.height);
  return view;
}

Job turned(Job job) {
  std::swap(job.in.depth, job.in.height);
  std::swap(job.out.depth, job.out.height);
  std::swap(job.borders[0], job.borders[1]);
  for (Taps& taps : job.filters) {
    std::swap(taps.size[0], taps.size[1]);
    std::swap(taps.lead[0], taps.lead[1]);
    if (taps.factors) std::swap((*taps.factors)[0], (*taps.factors)[1]);
  }
  return job;
}

class DepthForHeight final : public Runner {
 public:
  explicit DepthForHeight(std::unique_ptr<const Runner> runner) : runner_(std::move(runner)) {}
  std::size_t workspace_bytes() const override { return runner_->workspace_bytes(); }
  std::size_t constant_bytes() const override { return runner_->constant_bytes(); }
  std::string explain() const override { return "along depth: " + runner_->explain(); }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace,
           Stream stream) const override {
    const View out = turned(outs[0]);
    runner_->run(turned(in), {&out, 1}, workspace, stream);
  }

 private:
  std::unique_ptr<const Runner> runner_;
};

}  // namespace

const Family depth_for_height{
    .name = "depth for height",
    .refuses = [](const Request& request) -> const char* {
      const Taps& taps = request.taps();
      if (!is_one_filter(request.job) || (!is_by_factors(taps) && taps.form != Form::spectrum))
        return "one filter by factors or transforms alone";
      return taps.size[0] > 1 && taps.size[1] == 1 && taps.size[2] == 1 ? nullptr
                                                                        : "filters along depth alone";
    },
    .seconds_of_parts =
        [](const Request& request) {
          return request.families.cheapest(turned(request.job), request.rows, request.gpu).seconds;
        },
    .make = [](const Request& request,
               const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
      return std::make_unique<DepthForHeight>(
          request.families.make(std::make_shared<const Job>(turned(*job)), request.gpu));
    }};

}  // namespace halation::cuda_backend
