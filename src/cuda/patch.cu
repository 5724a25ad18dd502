// patch.cu: the direct method by the kernels of patch.cuh, and the jobs that they take.
#include "cuda/patch.h"

#include <algorithm>
#include <optional>

#include "cuda/columns.h"
#include "cuda/device.h"
#include "cuda/direct.h"
#include "cuda/patch_launch.cuh"
#include "cuda/products.h"

namespace halation::cuda_backend {
namespace {

PatchLaunch launch_of(Pixel pixel, int size, int channels) {
  switch (pixel) {
    case Pixel::u8: return patch_u8(size, channels);
    case Pixel::u16: return patch_u16(size, channels);
    case Pixel::i16: return patch_i16(size, channels);
    case Pixel::f16: return patch_f16(size, channels);
    default: return patch_f32(size, channels);
  }
}

/// The K into whose K × K places the taps are set; 0 where there is none.
int size_for(const Taps& taps, bool only_exact) {
  const std::int64_t longest = std::max(taps.size[1], taps.size[2]);
  if (taps.size[0] != 1 || longest > 7) return 0;
  const int size = longest <= 3 ? 3 : longest <= 5 ? 5 : 7;
  return only_exact && (taps.size[1] != size || taps.size[2] != size) ? 0 : size;
}

class PatchRunner final : public Runner {
 public:
  PatchRunner(std::shared_ptr<const Job> job, Device device, int size)
      : job_(std::move(job)), device_(device), size_(size), any_(make_direct(job_, device)) {}

  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override {
    return "a patch of outputs a thread, input in registers, as " + std::to_string(size_) + "x" + std::to_string(size_) +
           " taps; rows that do not begin on 16-byte boundaries: " + any_->explain();
  }

  void run(ConstView in, std::span<const View> outs, std::span<std::byte> workspace, Stream stream) const override {
    const std::optional<Columns> columns = columns_of(in, outs[0]);
    if (!columns || in.strides.height < 0 || outs[0].strides.height < 0 || !is_aligned_alike(in, outs[0])) {
      return any_->run(in, outs, workspace, stream);
    }
    const UseDevice use(device_);
    const auto queue = static_cast<cudaStream_t>(stream.handle);
    const PatchLaunch launch = launch_of(job_->in_pixel, size_, columns->channels_in_row);
    for (int c = 0; c < columns->channels_apart; ++c) {
      const ConstView source = columns->channels_apart > 1 ? in.channel(c) : in;
      const View target = columns->channels_apart > 1 ? outs[0].channel(c) : outs[0];
      launch(*job_, source, target, queue);
    }
  }

 private:
  std::shared_ptr<const Job> job_;
  Device device_;
  int size_;
  std::unique_ptr<const Runner> any_;  // for views of other arrangements
};

}  // namespace

bool patch_takes(const Job& job, const Taps& taps) {
  if (job.filters.size() != 1 || job.combine != Combine::none || job.sum_f64) return false;
  // Taps that the filter does not have would spread NaN and infinities of float input.
  const int size = size_for(taps, is_float(job.in_pixel));
  if (job.in_pixel == Pixel::u8 && !((size == 3 || (size == 5 && job.in.channels == 1)) && to_whole(taps.weights))) return false;
  if (size == 0 || centre_of(taps.lead[2], taps.size[2], size) != 0 || job.in.width != job.out.width) return false;
  // Columns, rows and blocks are counted in 32 bits.
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const Shape& n = job.in;
  const std::int64_t planes = n.depth * n.batch;
  // Outputs around patches, too: at most 32 columns and 16 rows of a plane.
  return n.width * n.channels < most && std::max(n.height, job.out.height) < most && planes < most &&
         32 * std::max(n.height, job.out.height) + 16 * n.width * n.channels < 2 * most / planes &&
         job.out.elements() / 1024 < most;
}

std::unique_ptr<const Runner> make_patch(std::shared_ptr<const Job> job, Device device) {
  if (job->filters.front().method != Method::direct || !patch_takes(*job, job->filters.front())) return nullptr;
  const int size = size_for(job->filters.front(), is_float(job->in_pixel));
  return std::make_unique<PatchRunner>(std::move(job), device, size);
}

}  // namespace halation::cuda_backend
