// random_job.cpp: jobs of the ladder on random values.
#include "random_job.h"

#include <algorithm>
#include <random>

namespace halation::app {
namespace {

Image random_plane(const Shape& shape) {
  Image plane(shape, Pixel::f32);
  auto* values = reinterpret_cast<float*>(plane.view().data);
  std::mt19937 generator(1);  // one seed, so that runs can be compared
  std::generate_n(values, shape.elements(), [&] { return static_cast<float>(generator() >> 8) * 0x1p-24f; });
  return plane;
}

}  // namespace

std::vector<std::int64_t> usual_extents(int dims) {
  if (dims == 1) return {16777216};
  if (dims == 2) return {2048, 2048};
  return {256, 256, 256};
}

LadderJob random_job(const std::vector<std::int64_t>& extents) {
  LadderJob job;
  job.dims = static_cast<int>(extents.size());
  job.shape.width = extents.back();
  if (job.dims > 1) job.shape.height = extents[extents.size() - 2];
  if (job.dims > 2) job.shape.depth = extents.front();
  job.source = "random values in [0, 1)";
  job.make_plane = [shape = job.shape](std::size_t) { return random_plane(shape); };
  return job;
}

}  // namespace halation::app
