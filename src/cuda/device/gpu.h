// gpu.h: what choices and launches want to know of a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "core/job.h"
#include "cuda/device/costs.h"

namespace halation::cuda_backend {

struct Gpu {
  Device device;
  int multiprocessors = 1;
  std::size_t shared_limit = 0;  ///< bytes of shared memory that one block may ask for
  int code = 0;                  ///< the architecture (10 · major + minor) that kernels here were compiled for
  double cache_bytes = 0;        ///< of the second level
  const Costs* costs = nullptr;
  /// How many times as long as the GPU that `costs` were measured on it takes: a multiprocessor for sums in f32 and in f64, memory for
  /// bytes.
  double slower_f32 = 1, slower_f64 = 1, slower_memory = 1;

  bool copies_in_bulk() const { return code >= 90; }
  bool copies_async() const { return code >= 80; }

  /// What a launch takes: terms of `cost`, and bytes that are read and written.
  template <std::size_t Waited, std::size_t Walked, std::size_t Shared>
  double seconds(const Cost<Waited, Walked, Shared>& cost,
                 const std::type_identity_t<Terms<Waited, Walked, Shared>>& terms, double bytes,
                 bool sum_f64 = false) const {
    const auto sum = [](const auto& figures, const auto& counts) {
      return std::inner_product(figures.begin(), figures.end(), counts.begin(), 0.0);
    };
    return launch_seconds(slower_f32 * sum(cost.waited, terms.waited),
                          slower_f32 * sum(cost.walked, terms.walked),
                          (sum_f64 ? slower_f64 : slower_f32) * sum(cost.shared, terms.shared), bytes,
                          cost.memory, cost.cached);
  }

  /// How blocks live on multiprocessors, so many together on each: how many follow one another in one place,
  /// and how many the multiprocessor has that has most.
  struct Rounds {
    double in_a_place, in_all;
  };
  Rounds rounds_of(std::int64_t blocks, int together) const;

  /// So many outputs in millions, of a GPU of as many multiprocessors as costs were measured on: as many more
  /// of one that has fewer.
  double millions(std::int64_t outputs) const {
    return 1e-6 * 132 / multiprocessors * static_cast<double>(outputs);
  }

 private:
  double launch_seconds(double waited_us, double walked_us, double busy_us, double bytes, double memory,
                        double cached) const;
};

/// The driver is asked once a device. Throws `Error{device}` where it does not exist.
const Gpu& gpu_of(Device device);

}  // namespace halation::cuda_backend
