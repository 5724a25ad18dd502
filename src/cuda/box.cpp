// box.cpp: which windows of equal weights are summed as such, and how.
#include "cuda/box.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuda/box_bulk.h"
#include "cuda/device.h"

namespace halation::cuda_backend {
namespace {

// Measured on an H200 (docs/performance.md). Along columns every window of 18 and more is faster so. Along rows as many multiply-adds
// (rows.cu) are up to 128, and both at once in registers (march_image.cuh) up to 33.
constexpr std::size_t least_rows = 18;
constexpr std::size_t least_columns = 129;
constexpr std::size_t most_at_once = 33;
constexpr std::size_t most_taps = 4096;

double weight_of(const Taps& taps) {
  const auto& [z, y, x] = *taps.factors;
  return z.front() * y.front() * x.front();
}

/// Whether a filter has equal weights whose product is as good as one after the other.
bool has_one_weight(const Job& job) {
  if (job.filters.size() != 1 || job.combine != Combine::none || job.sum_f64) return false;
  const Taps& taps = job.filters.front();
  if (taps.method != Method::box || taps.size[0] != 1) return false;
  const double weight = std::fabs(weight_of(taps));
  return weight >= std::numeric_limits<float>::min() && weight <= std::numeric_limits<float>::max();
}

class BoxRunner final : public Runner {
 public:
  BoxRunner(std::shared_ptr<const Job> job, std::unique_ptr<const BoxBulk> box, std::unique_ptr<const Runner> otherwise, Device device)
      : job_(std::move(job)), box_(std::move(box)), otherwise_(std::move(otherwise)), device_(device) {}

  std::size_t workspace_bytes() const override { return otherwise_->workspace_bytes(); }
  std::string explain() const override {
    return "sums to and from whole eights, in strips of " + std::to_string(box_->width()) + " columns";
  }
  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const UseDevice use(device_);
    if (!box_->launch(in, outs[0], stream)) otherwise_->run(in, outs, workspace, stream);
  }

 private:
  std::shared_ptr<const Job> job_;  // which box_ refers to
  std::unique_ptr<const BoxBulk> box_;
  std::unique_ptr<const Runner> otherwise_;  // for rows that the copy engine cannot bring
  Device device_;
};

}  // namespace

bool box_by_axes(const Job& job) {
  if (!has_one_weight(job) || job.out_pixel != Pixel::f32) return false;
  const auto& [z, y, x] = *job.filters.front().factors;
  return y.size() > 1 && x.size() > 1 && y.size() >= least_rows && std::max(y.size(), x.size()) > most_at_once;
}

std::unique_ptr<const Runner> make_box(std::shared_ptr<const Job> job, Device device, const MakeRunner& otherwise) {
  if (!has_one_weight(*job) || job->in_pixel != Pixel::f32 || job->out_pixel != Pixel::f32) return nullptr;
  const Taps& taps = job->filters.front();
  const auto& [z, y, x] = *taps.factors;
  const bool rows = x.size() == 1 && y.size() >= least_rows && y.size() <= most_taps;
  const bool columns = y.size() == 1 && x.size() >= least_columns && x.size() <= most_taps && job->out.height > 1;
  if (!rows && !columns) return nullptr;
  std::unique_ptr<const BoxBulk> box = make_box_bulk(*job, device, BoxWindow(static_cast<int>(y.size())),
                                                     BoxWindow(static_cast<int>(x.size())), static_cast<float>(weight_of(taps)));
  if (!box) return nullptr;
  return std::make_unique<BoxRunner>(std::move(job), std::move(box), otherwise(), device);
}

}  // namespace halation::cuda_backend
