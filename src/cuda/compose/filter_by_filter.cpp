// filter_by_filter.cpp: several filters, one after the other, each with its own output, or with sums that are
// combined.
#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/compose/combine.h"
#include "cuda/compose/compose.h"
#include "cuda/compose/two_passes.h"
#include "cuda/device/device.h"

namespace halation::cuda_backend {
namespace {

class FilterByFilter final : public Runner {
 public:
  FilterByFilter(std::shared_ptr<const Job> job, std::vector<std::unique_ptr<const Runner>> runners,
                 Device device)
      : job_(std::move(job)), runners_(std::move(runners)), device_(device) {}

  std::size_t workspace_bytes() const override {
    std::size_t most = 0;
    for (const auto& runner : runners_) most = std::max(most, runner->workspace_bytes());
    return most + on_boundary(sums_bytes() * (combines() ? runners_.size() : 0));
  }
  std::size_t constant_bytes() const override {
    std::size_t sum = 0;
    for (const auto& runner : runners_) sum += runner->constant_bytes();
    return sum;
  }
  std::string explain() const override {
    std::string text;
    for (const auto& runner : runners_) text += (text.empty() ? "" : "; ") + runner->explain();
    return text + (combines() ? "; then the root of the sum of squares" : "");
  }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace,
           Stream stream) const override {
    if (!combines()) {
      for (std::size_t i = 0; i < runners_.size(); ++i)
        runners_[i]->run(in, outs.subspan(i, 1), workspace, stream);
      return;
    }
    const Pixel pixel = job_->sum_f64 ? Pixel::f64 : Pixel::f32;
    const std::size_t all_sums = on_boundary(sums_bytes() * runners_.size());
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      const View sums{workspace.data() + i * sums_bytes(), job_->out, strides_of(job_->out, pixel), pixel,
                      device_};
      runners_[i]->run(in, {&sums, 1}, workspace.subspan(all_sums), stream);
    }
    const UseDevice use(device_);
    combine_magnitude(workspace.data(), job_->sum_f64, static_cast<int>(runners_.size()), outs[0], *job_,
                      stream);
  }

 private:
  bool combines() const { return job_->combine == Combine::magnitude; }
  std::size_t sums_bytes() const {
    return static_cast<std::size_t>(job_->out.elements()) * (job_->sum_f64 ? 8 : 4);
  }

  std::shared_ptr<const Job> job_;
  std::vector<std::unique_ptr<const Runner>> runners_;
  Device device_;
};

Job of_one_filter(const Job& job, std::size_t filter) {
  Job one = job;
  one.filters = {job.filters[filter]};
  if (job.combine == Combine::magnitude) {
    one.combine = Combine::none;
    one.out_pixel = job.sum_f64 ? Pixel::f64 : Pixel::f32;
    one.scale = 1;
    one.offset = 0;
  }
  return one;
}

}  // namespace

const Family filter_by_filter{
    .name = "filter by filter",
    .refuses = [](const Request& request) -> const char* {
      return is_one_filter(request.job) ? "several filters alone" : nullptr;
    },
    .seconds_of_parts =
        [](const Request& request) {
          double seconds = 0;
          for (std::size_t i = 0; i < request.job.filters.size(); ++i)
            seconds +=
                request.families.cheapest(of_one_filter(request.job, i), request.rows, request.gpu).seconds;
          if (request.job.combine == Combine::none) return seconds;
          const std::int64_t sums =
              request.job.out.elements() * static_cast<std::int64_t>(request.job.filters.size());
          LaunchShape shape{.kernel = "combine"};
          shape.spread(1e-3 * static_cast<double>(sums), request.gpu.multiprocessors);
          shape.bytes = static_cast<double>(sums) * (request.job.sum_f64 ? 8 : 4);
          return seconds + request.gpu.seconds(shape);
        },
    .make = [](const Request& request,
               const std::shared_ptr<const Job>& job) -> std::unique_ptr<const Runner> {
      std::vector<std::unique_ptr<const Runner>> runners;
      for (std::size_t i = 0; i < job->filters.size(); ++i)
        runners.push_back(
            request.families.make(std::make_shared<const Job>(of_one_filter(*job, i)), request.gpu));
      return std::make_unique<FilterByFilter>(job, std::move(runners), request.gpu.device);
    }};

}  // namespace halation::cuda_backend
