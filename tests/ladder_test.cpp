// ladder_test.cpp: the list of rungs, what is refused, and the rungs of the CPU against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ladder_problem.h"
#include "message_of.h"

namespace halation::ladder {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(int dims) {
  std::vector<std::string> list;
  for (const Rung& rung : rungs(dims)) list.emplace_back(rung.name);
  return list;
}

TEST(Ladder, ListsEveryRungFromBottomToTop) {
  EXPECT_THAT(names(1), ElementsAre("cpu", "basic", "constant", "tiled_halo", "tiled_cached", "library"));
  EXPECT_THAT(names(2), ElementsAre("cpu_naive", "cpu_library", "naive", "constant", "tiled_input_block",
                                    "tiled_output_block", "tiled_cached", "texture", "separable_shared",
                                    "separable_optimised", "library"));
  EXPECT_THAT(names(3), ElementsAre("cpu", "naive", "constant", "tiled", "library"));
}

TEST(Ladder, EveryRungSaysWhatItIs) {
  bool gpu_built = false;
  for (const int dims : {1, 2, 3}) {
    for (const Rung& rung : rungs(dims)) gpu_built = gpu_built || rung.gpu != nullptr;
  }
  for (const int dims : {1, 2, 3}) {
    for (const Rung& rung : rungs(dims)) {
      const bool on_cpu = rung.name.substr(0, 3) == "cpu";
      EXPECT_EQ(rung.dims, dims) << rung.name;
      EXPECT_FALSE(rung.idea.empty()) << rung.name;
      EXPECT_EQ(rung.idea.find('\n'), std::string_view::npos) << rung.name;
      EXPECT_GE(rung.most_radius, dims == 3 ? 4 : 16) << rung.name;
      EXPECT_EQ(rung.needs_factors, rung.name.substr(0, 9) == "separable") << rung.name;
      EXPECT_EQ(rung.place == Rung::Place::cpu, on_cpu) << rung.name;
      EXPECT_EQ(rung.cpu != nullptr, on_cpu) << rung.name;
      EXPECT_EQ(rung.gpu != nullptr, gpu_built && !on_cpu) << rung.name;  // in a build all or none
    }
  }
}

TEST(Ladder, HasThreeGroups) {
  EXPECT_EQ(message_of([] { rungs(0); }), "ladder: dims must be 1, 2 or 3, got 0");
  EXPECT_EQ(message_of([] { rungs(4); }), "ladder: dims must be 1, 2 or 3, got 4");
}

TEST(Ladder, FindsARungByNameOrSuggestsTheNearest) {
  EXPECT_EQ(rung_named(2, "tiled_cached").dims, 2);
  EXPECT_EQ(rung_named(1, "tiled_cached").dims, 1);
  EXPECT_EQ(message_of([] { rung_named(3, "tilled"); }),
            "ladder: no rung 'tilled' in 3D; did you mean 'tiled'? choose from cpu, naive, constant, tiled "
            "and library");
  // The beginning of a name is nearer than a shorter name.
  EXPECT_EQ(message_of([] { rung_named(1, "tiled"); }),
            "ladder: no rung 'tiled' in 1D; did you mean 'tiled_halo'? choose from cpu, basic, constant, "
            "tiled_halo, tiled_cached "
            "and library");
  EXPECT_THAT(message_of([] { rung_named(2, "nave"); }), testing::HasSubstr("did you mean 'naive'?"));
  EXPECT_THAT(message_of([] { rung_named(2, "seperable_optimized"); }),
              testing::HasSubstr("'separable_optimised'?"));
  EXPECT_THAT(message_of([] { rung_named(2, ""); }),
              testing::HasSubstr("no rung '' in 2D; did you mean 'naive'?"));
}

/// What `check` says of the rung on a right problem that `spoil` has changed.
template <class Spoil>
std::string refusal(int dims, std::string_view name, const Spoil& spoil) {
  const Rung& rung = rung_named(dims, name);
  Problem problem = problem_of(dims, shape_of(dims, 7, 5, 3), 1, 0, rung.needs_factors);
  EXPECT_EQ(message_of([&] { check(rung, problem); }), "no error");
  spoil(problem);
  return message_of([&] { check(rung, problem); });
}

TEST(Ladder, RefusesWhatIsNoProblem) {
  EXPECT_EQ(refusal(2, "naive", [](Problem& p) { p.dims = 3; }), "naive: takes 2D problems, got 3D");
  EXPECT_EQ(refusal(2, "naive", [](Problem& p) { p.width = 0; }),
            "naive: width must be in [1, 500000000], got 0");
  EXPECT_EQ(refusal(2, "naive", [](Problem& p) { p.height = -5; }),
            "naive: height must be in [1, 500000000], got -5");
  EXPECT_EQ(refusal(3, "naive", [](Problem& p) { p.depth = 500'000'001; }),
            "naive: depth must be in [1, 500000000], got 500000001");
  EXPECT_EQ(refusal(1, "basic", [](Problem& p) { p.height = 2; }), "basic: height must be 1 in 1D, got 2");
  EXPECT_EQ(refusal(2, "naive", [](Problem& p) { p.depth = 2; }), "naive: depth must be 1 in 2D, got 2");
  EXPECT_EQ(refusal(1, "basic", [](Problem& p) { p.width = std::int64_t{1} << 40; }), "no error");
  EXPECT_EQ(refusal(3, "cpu", [](Problem& p) { p.width = p.height = p.depth = 500'000'000; }),
            "cpu: 500000000x500000000x500000000 is more than 2^60 elements");
}

TEST(Ladder, RefusesRadiiAboveTheLimitAndWeightsThatDoNotFit) {
  EXPECT_EQ(refusal(2, "constant", [](Problem& p) { p.radius = 64; }),
            "constant: radius must be in [0, 63] in 2D, got 64");
  EXPECT_EQ(refusal(2, "constant", [](Problem& p) { p.radius = -1; }),
            "constant: radius must be in [0, 63] in 2D, got -1");
  EXPECT_EQ(refusal(2, "naive", [](Problem& p) { p.weights.pop_back(); }),
            "naive: radius 1 takes 9 weights in 2D, got 8");
  EXPECT_EQ(refusal(3, "tiled", [](Problem& p) { p.radius = 2; }),
            "tiled: radius 2 takes 125 weights in 3D, got 27");
  for (const int dims : {1, 2, 3}) {
    for (const Rung& rung : rungs(dims)) {
      Problem problem = problem_of(dims, shape_of(dims, 7, 5, 3), rung.most_radius, 0, rung.needs_factors);
      EXPECT_NO_THROW(check(rung, problem)) << rung.name;
      ++problem.radius;
      EXPECT_THROW(check(rung, problem), Error) << rung.name;
    }
  }
}

TEST(Ladder, AsksSeparableRungsForFactors) {
  EXPECT_EQ(refusal(2, "separable_shared", [](Problem& p) { p.factors[1].clear(); }),
            "separable_shared: radius 1 takes a factor of 3 weights along y, got 0");
  EXPECT_EQ(refusal(2, "separable_optimised", [](Problem& p) { p.factors[2].push_back(1); }),
            "separable_optimised: radius 1 takes a factor of 3 weights along x, got 4");
  EXPECT_EQ(refusal(2, "separable_shared", [](Problem& p) { p.factors[0] = {2}; }),
            "separable_shared: 2D takes no factor along z, got 1");
  EXPECT_EQ(refusal(2, "separable_shared", [](Problem& p) { p.factors[0] = {1}; }), "no error");
  EXPECT_EQ(refusal(2, "naive", [](Problem& p) { p.factors[1] = {1}; }),
            "naive: radius 1 takes a factor of 3 weights along y, got 1");
}

TEST(CpuRungs, EqualTheReference) {
  const std::int64_t sizes[][3] = {{1, 1, 1}, {3, 1, 1},  {1, 3, 1},  {1, 1, 3},
                                   {2, 5, 3}, {13, 7, 5}, {67, 31, 3}};
  for (const int dims : {1, 2, 3}) {
    for (const auto& [width, height, depth] : sizes) {
      const Shape shape = shape_of(dims, width, height, depth);
      const std::vector<float> image =
          random_numbers(static_cast<std::size_t>(shape.elements()), Numbers::any, 9);
      for (const int radius : {0, 1, 2, 5}) {
        for (const float outside : {0.0F, 0.7F}) {
          for (const bool separable : {false, true}) {
            const Problem problem = problem_of(dims, shape, radius, outside, separable);
            const Image expected = correlate(view_of(image.data(), shape), filter_of(problem),
                                             oracle_options(problem), reference());
            const auto* right = reinterpret_cast<const double*>(expected.view().data);
            for (const Rung& rung : rungs(dims)) {
              if (rung.place != Rung::Place::cpu) continue;
              check(rung, problem);
              // One value before and one behind, which must stay; what is not written stays infinite.
              std::vector<float> out(image.size() + 2, INFINITY);
              rung.cpu(problem, image.data(), out.data() + 1);
              EXPECT_EQ(out.front(), INFINITY);
              EXPECT_EQ(out.back(), INFINITY);
              for (std::size_t i = 0; i < image.size(); ++i) {
                ASSERT_NEAR(out[i + 1], right[i], tolerance(problem))
                    << rung.name << " " << to_string(shape) << " radius " << radius << " outside " << outside
                    << " at " << i;
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace halation::ladder
