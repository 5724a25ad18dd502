// ladder.h: what a rung of the teaching ladder is given, what it offers, and the list of them all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halation/stream.h"

namespace halation::ladder {

/// What every rung computes, on packed f32 of one channel:
///     out[p] = Σ_k weights[k] · in[p + k − radius],   k from 0 to 2 · radius along each of `dims` axes,
/// a correlation, as the sources have it, with the value `outside` wherever p + k − radius lies outside the image.
struct Problem {
  int dims = 2;
  std::int64_t depth = 1;   ///< 1 where dims < 3
  std::int64_t height = 1;  ///< 1 where dims < 2
  std::int64_t width = 1;
  int radius = 1;
  float outside = 0;
  std::vector<float> weights;                 ///< (2 · radius + 1)^dims, row-major
  std::array<std::vector<float>, 3> factors;  ///< z, y, x: where given, weights = z ⊗ y ⊗ x; separable rungs need them

  std::int64_t elements() const { return depth * height * width; }
};

/// One kernel as it is launched, for occupancy.
struct KernelLaunch {
  const void* kernel = nullptr;
  int threads_per_block = 0;
  std::size_t dynamic_shared_bytes = 0;
};

/// A GPU rung made ready for one problem. Owns what it allocates on the device; throws `Error` where that fails.
class GpuRun {
 public:
  virtual ~GpuRun() = default;
  /// Weights to where the kernel reads them (global or constant memory). Before the first `run`, and again for new timings.
  virtual void upload_filter(Stream stream) = 0;
  /// in → out, both packed in device memory, queued on the stream. Calls follow each other on one stream.
  virtual void run(const float* in, float* out, Stream stream) = 0;
  /// Every kernel that `run` launches, in order.
  virtual std::vector<KernelLaunch> launches() const = 0;
};

/// One version of the convolution.
struct Rung {
  enum class Place { cpu, gpu };

  int dims = 2;
  Place place = Place::gpu;
  std::string_view name;
  std::string_view idea;  ///< one line
  int most_radius = 0;        ///< its limit, from its own top comment
  bool needs_factors = false;  ///< computes separable filters alone
  /// One of the two, by place; `gpu` is null in a build without CUDA.
  void (*cpu)(const Problem& problem, const float* in, float* out) = nullptr;
  std::unique_ptr<GpuRun> (*gpu)(const Problem& problem) = nullptr;
};

/// All rungs of so many dimensions, bottom to top. Throws `Error{invalid_argument}` unless dims is 1, 2 or 3.
std::span<const Rung> rungs(int dims);

/// Throws `Error{invalid_argument}` naming the nearest rung and all of them.
const Rung& rung_named(int dims, std::string_view name);

/// Throws `Error{invalid_argument}` where the problem is malformed (sizes, radius, count of weights), its radius is above the rung's
/// limit, or factors are missing.
void check(const Rung& rung, const Problem& problem);

}  // namespace halation::ladder
