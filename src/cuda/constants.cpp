// constants.cpp: weights and border tables on their way to the device.
#include "cuda/constants.h"

#include <algorithm>
#include <array>
#include <vector>

namespace halation::cuda_backend {

DeviceConstants::DeviceConstants(const Job& job) {
  // Offsets first; pointers once the block's address is known.
  std::size_t bytes = 3 * sizeof(DeviceBorder) + job.filters.size() * sizeof(DeviceTaps);
  const auto reserve = [&](std::size_t more) {
    const std::size_t offset = (bytes + 15) / 16 * 16;
    bytes = offset + more;
    return offset;
  };
  std::array<std::size_t, 3> before{};
  std::array<std::size_t, 3> after{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const BorderTable& table = job.borders[axis];
    before[axis] = reserve(static_cast<std::size_t>(-std::min<std::int64_t>(table.low(), 0)) * sizeof(std::int64_t));
    after[axis] = reserve(static_cast<std::size_t>(std::max<std::int64_t>(table.high() - table.size(), 0)) * sizeof(std::int64_t));
  }
  std::vector<std::size_t> weights;
  for (const Taps& taps : job.filters) weights.push_back(reserve(taps.weights.size() * (job.sum_f64 ? sizeof(double) : sizeof(float))));

  block_ = DeviceArray<std::byte>(bytes);
  std::vector<std::byte> image(bytes);
  auto* borders = reinterpret_cast<DeviceBorder*>(image.data());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const BorderTable& table = job.borders[axis];
    borders[axis] = {table.low(), table.high(), table.size(), reinterpret_cast<const std::int64_t*>(block_.data() + before[axis]),
                     reinterpret_cast<const std::int64_t*>(block_.data() + after[axis]), table.constant()};
    auto* to = reinterpret_cast<std::int64_t*>(image.data() + before[axis]);
    for (std::int64_t c = table.low(); c < 0; ++c) *to++ = table.source(c);
    to = reinterpret_cast<std::int64_t*>(image.data() + after[axis]);
    for (std::int64_t c = table.size(); c < table.high(); ++c) *to++ = table.source(c);
  }
  auto* entries = reinterpret_cast<DeviceTaps*>(image.data() + 3 * sizeof(DeviceBorder));
  for (std::size_t i = 0; i < job.filters.size(); ++i) {
    const Taps& taps = job.filters[i];
    entries[i].weights = block_.data() + weights[i];
    std::copy(taps.size.begin(), taps.size.end(), entries[i].size);
    std::copy(taps.lead.begin(), taps.lead.end(), entries[i].lead);
    if (job.sum_f64) {
      std::copy(taps.weights.begin(), taps.weights.end(), reinterpret_cast<double*>(image.data() + weights[i]));
    } else {
      std::transform(taps.weights.begin(), taps.weights.end(), reinterpret_cast<float*>(image.data() + weights[i]),
                     [](double weight) { return static_cast<float>(weight); });
    }
  }
  HALATION_CUDA_CHECK(cudaMemcpyAsync(block_.data(), image.data(), bytes, cudaMemcpyHostToDevice, nullptr));
  HALATION_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

}  // namespace halation::cuda_backend
