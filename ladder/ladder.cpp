// ladder.cpp: the list of all rungs, look-up by name, and what a problem must be.
#include "ladder/ladder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "halation/error.h"
#include "ladder/list.h"

// Builds without CUDA list the rungs of the GPU all the same, with nothing to call.
#ifdef HALATION_HAS_CUDA
#define HALATION_GPU_RUNG(name) name
#else
#define HALATION_GPU_RUNG(name) nullptr
#endif

namespace halation::ladder {
namespace {

constexpr Rung rungs_1d[] = {
    {.dims = 1,
     .place = Rung::Place::cpu,
     .name = "cpu",
     .idea = "two loops on one core",
     .most_radius = most_radius::in_memory_1d,
     .cpu = cpu_1d},
    {.dims = 1,
     .name = "basic",
     .idea = "one thread an output, all from global memory",
     .most_radius = most_radius::in_memory_1d,
     .gpu = HALATION_GPU_RUNG(basic_1d)},
    {.dims = 1,
     .name = "constant",
     .idea = "the filter in constant memory",
     .most_radius = most_radius::constant_1d,
     .gpu = HALATION_GPU_RUNG(constant_1d)},
    {.dims = 1,
     .name = "tiled_halo",
     .idea = "left halo, centre and right halo in shared memory",
     .most_radius = most_radius::tiled_halo_1d,
     .gpu = HALATION_GPU_RUNG(tiled_halo_1d)},
    {.dims = 1,
     .name = "tiled_cached",
     .idea = "the tile's inside in shared memory, halos from the caches",
     .most_radius = most_radius::tiled_cached_1d,
     .gpu = HALATION_GPU_RUNG(tiled_cached_1d)},
    {.dims = 1,
     .name = "library",
     .idea = "the library itself",
     .most_radius = most_radius::in_memory_1d,
     .gpu = HALATION_GPU_RUNG(library_1d)},
};

constexpr Rung rungs_2d[] = {
    {.dims = 2,
     .place = Rung::Place::cpu,
     .name = "cpu_naive",
     .idea = "four loops on one core",
     .most_radius = most_radius::in_memory_2d,
     .cpu = cpu_naive_2d},
    {.dims = 2,
     .place = Rung::Place::cpu,
     .name = "cpu_library",
     .idea = "the library on the CPU: vectors and all cores",
     .most_radius = most_radius::in_memory_2d,
     .cpu = cpu_library_2d},
    {.dims = 2,
     .name = "naive",
     .idea = "one thread an output, all from global memory",
     .most_radius = most_radius::in_memory_2d,
     .gpu = HALATION_GPU_RUNG(naive_2d)},
    {.dims = 2,
     .name = "constant",
     .idea = "the filter in constant memory",
     .most_radius = most_radius::constant_2d,
     .gpu = HALATION_GPU_RUNG(constant_2d)},
    {.dims = 2,
     .name = "tiled_input_block",
     .idea = "a tile in shared memory, the block as large as the tile it reads",
     .most_radius = most_radius::tiled_2d,
     .gpu = HALATION_GPU_RUNG(tiled_input_block_2d)},
    {.dims = 2,
     .name = "tiled_output_block",
     .idea = "a tile in shared memory, the block as large as the tile it writes",
     .most_radius = most_radius::tiled_2d,
     .gpu = HALATION_GPU_RUNG(tiled_output_block_2d)},
    {.dims = 2,
     .name = "tiled_cached",
     .idea = "the tile's inside in shared memory, halos from the caches",
     .most_radius = most_radius::tiled_2d,
     .gpu = HALATION_GPU_RUNG(tiled_cached_2d)},
    {.dims = 2,
     .name = "texture",
     .idea = "the image through the texture unit, which knows the border",
     .most_radius = most_radius::in_memory_2d,
     .gpu = HALATION_GPU_RUNG(texture_2d)},
    {.dims = 2,
     .name = "separable_shared",
     .idea = "a row pass and a column pass, each in shared memory",
     .most_radius = most_radius::separable_2d,
     .needs_factors = true,
     .gpu = HALATION_GPU_RUNG(separable_shared_2d)},
    {.dims = 2,
     .name = "separable_optimised",
     .idea = "passes with linear tiles, coalesced access and eight outputs a thread",
     .most_radius = most_radius::separable_2d,
     .needs_factors = true,
     .gpu = HALATION_GPU_RUNG(separable_optimised_2d)},
    {.dims = 2,
     .name = "library",
     .idea = "the library itself",
     .most_radius = most_radius::in_memory_2d,
     .gpu = HALATION_GPU_RUNG(library_2d)},
};

constexpr Rung rungs_3d[] = {
    {.dims = 3,
     .place = Rung::Place::cpu,
     .name = "cpu",
     .idea = "six loops on one core",
     .most_radius = most_radius::in_memory_3d,
     .cpu = cpu_3d},
    {.dims = 3,
     .name = "naive",
     .idea = "one thread an output, all from global memory",
     .most_radius = most_radius::in_memory_3d,
     .gpu = HALATION_GPU_RUNG(naive_3d)},
    {.dims = 3,
     .name = "constant",
     .idea = "the filter in constant memory",
     .most_radius = most_radius::constant_3d,
     .gpu = HALATION_GPU_RUNG(constant_3d)},
    {.dims = 3,
     .name = "tiled",
     .idea = "a brick with its halo in shared memory",
     .most_radius = most_radius::tiled_3d,
     .gpu = HALATION_GPU_RUNG(tiled_3d)},
    {.dims = 3,
     .name = "library",
     .idea = "the library itself",
     .most_radius = most_radius::in_memory_3d,
     .gpu = HALATION_GPU_RUNG(library_3d)},
};

/// Positions along a side fit an `int` with room to spare, and a row's bytes the pitch of any copy.
constexpr std::int64_t most_side = 500'000'000;
constexpr std::int64_t most_elements = std::int64_t{1} << 60;

[[noreturn]] void refuse(const std::string& sentence) { throw Error{ErrorCode::invalid_argument, sentence}; }

/// Letters to insert, leave out or replace until `a` is `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    last = std::exchange(row, std::vector<std::size_t>(b.size() + 1, i));
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
    }
  }
  return row.back();
}

/// A rung with `name` as a part of its own, else that with the fewest letters to change; the lower of equals.
std::string_view nearest(std::span<const Rung> choices, std::string_view name) {
  const auto distance = [&](const Rung& rung) {
    const bool part = !name.empty() && rung.name.find(name) != std::string_view::npos;
    return part ? 0 : edit_distance(name, rung.name);
  };
  return std::min_element(choices.begin(), choices.end(),
                          [&](const Rung& a, const Rung& b) { return distance(a) < distance(b); })
      ->name;
}

void check_side(const Rung& rung, const char* side, std::int64_t value, bool used) {
  const std::int64_t most = !used ? 1 : rung.dims == 1 ? most_elements : most_side;
  if (value >= 1 && value <= most) return;
  const std::string allowed =
      used ? "in [1, " + std::to_string(most) + "]" : "1 in " + std::to_string(rung.dims) + "D";
  refuse(std::string(rung.name) + ": " + side + " must be " + allowed + ", got " + std::to_string(value));
}

}  // namespace

std::span<const Rung> rungs(int dims) {
  switch (dims) {
    case 1:
      return rungs_1d;
    case 2:
      return rungs_2d;
    case 3:
      return rungs_3d;
    default:
      refuse("ladder: dims must be 1, 2 or 3, got " + std::to_string(dims));
  }
}

const Rung& rung_named(int dims, std::string_view name) {
  const std::span<const Rung> choices = rungs(dims);
  const auto found =
      std::find_if(choices.begin(), choices.end(), [&](const Rung& rung) { return rung.name == name; });
  if (found != choices.end()) return *found;
  std::string sentence = "ladder: no rung '" + std::string(name) + "' in " + std::to_string(dims) +
                         "D; did you mean '" + std::string(nearest(choices, name)) + "'? choose from ";
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) sentence += i + 1 < choices.size() ? ", " : " and ";
    sentence += choices[i].name;
  }
  refuse(sentence);
}

void check(const Rung& rung, const Problem& problem) {
  const std::string name(rung.name);
  const std::string dims = std::to_string(rung.dims) + "D";
  if (problem.dims != rung.dims)
    refuse(name + ": takes " + dims + " problems, got " + std::to_string(problem.dims) + "D");
  check_side(rung, "width", problem.width, true);
  check_side(rung, "height", problem.height, rung.dims >= 2);
  check_side(rung, "depth", problem.depth, rung.dims >= 3);
  if (problem.depth > most_elements / (problem.height * problem.width)) {
    refuse(name + ": " + std::to_string(problem.width) + "x" + std::to_string(problem.height) + "x" +
           std::to_string(problem.depth) + " is more than 2^60 elements");
  }

  if (problem.radius < 0 || problem.radius > rung.most_radius) {
    refuse(name + ": radius must be in [0, " + std::to_string(rung.most_radius) + "] in " + dims + ", got " +
           std::to_string(problem.radius));
  }
  const std::size_t side = 2 * static_cast<std::size_t>(problem.radius) + 1;
  std::size_t taps = 1;
  for (int axis = 0; axis < rung.dims; ++axis) taps *= side;
  if (problem.weights.size() != taps) {
    refuse(name + ": radius " + std::to_string(problem.radius) + " takes " + std::to_string(taps) +
           " weights in " + dims + ", got " + std::to_string(problem.weights.size()));
  }

  constexpr const char* axes[] = {"z", "y", "x"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<float>& factor = problem.factors[axis];
    const bool used = axis + static_cast<std::size_t>(rung.dims) >= 3;
    const bool right = used ? factor.size() == side || (factor.empty() && !rung.needs_factors)
                            : factor.empty() || factor == std::vector<float>{1};
    if (right) continue;
    std::string sentence = name;
    sentence += used ? ": radius " + std::to_string(problem.radius) + " takes a factor of " +
                           std::to_string(side) + " weights"
                     : ": " + dims + " takes no factor";
    sentence += std::string(" along ") + axes[axis] + ", got " + std::to_string(factor.size());
    refuse(sentence);
  }
}

}  // namespace halation::ladder
