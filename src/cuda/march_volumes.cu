// march_volumes.cu: the sizes of volumes' filters that march.cuh is compiled for, and the choice among all.
// Instantiations: 3.
#include "cuda/march.cuh"

namespace halation::cuda_backend {
namespace {

constexpr std::int64_t many_outputs = std::int64_t{1} << 23;

const MarchSize* find(std::span<const MarchSize> sizes, const Space& size, bool factored) {
  const auto found = std::find_if(sizes.begin(), sizes.end(), [&](const MarchSize& one) {
    return one.size == size && one.factored == factored;
  });
  return found == sizes.end() ? nullptr : &*found;
}

const MarchSize* find(const Taps& taps, Method method) {
  const bool factored = method != Method::direct;
  return find(taps.size[0] == 1 ? march_images() : march_volumes(), taps.size, factored);
}

}  // namespace

std::span<const MarchSize> march_volumes() {
  static constexpr MarchSize sizes[] = {
      march_size<3, 3, 3, false>(),
      march_size<5, 5, 5, false>(),
      march_size<7, 7, 7, false>(),
  };
  return sizes;
}

bool march_takes(const Job& job, const Taps& taps, Method method) {
  // Tiles (direct.cu) are quicker for interleaved channels, whose rows all warps stage there, and for images too small for strips that
  // are many times as high as their filter.
  if (method == Method::direct && taps.size[0] == 1 && (job.in.channels > 1 || job.out.elements() < many_outputs)) return false;
  return job.filters.size() == 1 && job.combine == Combine::none && !job.sum_f64 &&
         find(taps, method) != nullptr;
}

std::unique_ptr<const Runner> make_march(std::shared_ptr<const Job> job, Device device) {
  const Taps& taps = job->filters.front();
  if (!march_takes(*job, taps, taps.method)) return nullptr;
  return find(taps, taps.method)->make(std::move(job), device);
}

}  // namespace halation::cuda_backend
