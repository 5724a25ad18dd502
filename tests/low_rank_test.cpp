// low_rank_test.cpp: filters as sums of few products of factors: how many, what is left, and sums by them on the CPU.
#include "plan/analysis/low_rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/convert.h"
#include "halation/halation.h"
#include "message_of.h"

namespace halation {
namespace {

using testing::HasSubstr;

std::vector<double> random_matrix(std::int64_t rows, std::int64_t columns, int rank, unsigned seed, double size = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> one(-1, 1);
  std::vector<double> matrix(static_cast<std::size_t>(rows * columns));
  for (int term = 0; term < rank; ++term) {
    std::vector<double> y(static_cast<std::size_t>(rows)), x(static_cast<std::size_t>(columns));
    for (double& value : y) value = size * one(generator);
    for (double& value : x) value = one(generator);
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] += y[i / x.size()] * x[i % x.size()];
  }
  return matrix;
}

double left_of(const LowRank& found, const std::vector<double>& weights) {
  double rest = 0, total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double sum = 0;
    for (const Term& term : found.terms) sum += term.y[i / term.x.size()] * term.x[i % term.x.size()];
    rest += std::fabs(weights[i] - sum);
    total += std::fabs(weights[i]);
  }
  return rest / total;
}

TEST(LowRank, FindsAsManyTermsAsThereAre) {
  unsigned seed = 0;
  for (const auto& [rows, columns] : {std::pair{5, 5}, std::pair{9, 15}, std::pair{31, 31}, std::pair{64, 3}, std::pair{8, 100}}) {
    for (int rank = 1; rank <= 8; ++rank) {
      for (const double size : {1.0, 1e-150, 1e150}) {
        const std::vector<double> weights = random_matrix(rows, columns, rank, ++seed, size);
        const auto found = low_rank_of(columns, weights, 0x1p-40, 8);
        ASSERT_TRUE(found) << rows << "x" << columns << " of rank " << rank;
        EXPECT_EQ(found->terms.size(), static_cast<std::size_t>(std::min({rank, rows, columns})));
        EXPECT_LE(found->residual, 0x1p-40);
        EXPECT_NEAR(left_of(*found, weights), found->residual, 1e-14);
      }
    }
  }
}

TEST(LowRank, FewerTermsLeaveMore) {
  // A disc, whose singular values fall slowly.
  constexpr int side = 31;
  std::vector<double> disc;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) disc.push_back(std::hypot(y - 15, x - 15) <= 15 ? 1 : 0);
  }
  std::size_t before = 99;
  for (const double tolerance : {1e-12, 1e-2, 0.1, 0.3}) {
    const auto found = low_rank_of(side, disc, tolerance, 31);
    ASSERT_TRUE(found);
    EXPECT_LE(found->residual, tolerance);
    EXPECT_LT(found->terms.size(), before);
    before = found->terms.size();
    const auto fewer = low_rank_of(side, disc, tolerance, found->terms.size() - 1);
    EXPECT_FALSE(fewer && fewer->residual > tolerance);
  }
  EXPECT_FALSE(low_rank_of(side, disc, 1e-12, 3));
  EXPECT_FALSE(low_rank_of(3, std::vector<double>(9, 0.0), 1e-6, 3));
  EXPECT_FALSE(low_rank_of(16, random_matrix(16, 16, 16, 1), 1e-6, 8));
}

TEST(LowRank, SumsAreWithinTheBound) {
  std::mt19937 generator(7);
  unsigned seed = 50;
  for (const auto& [rows, columns] : {std::pair{7, 7}, std::pair{9, 14}, std::pair{20, 5}, std::pair{33, 40}}) {
    for (const int rank : {2, 3, 5}) {
      const Filter filter = Filter::dense({.height = rows, .width = columns}, random_matrix(rows, columns, rank, ++seed));
      for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16}) {
        for (const Border::Mode mode : {Border::Mode::constant, Border::Mode::replicate, Border::Mode::reflect, Border::Mode::reflect101, Border::Mode::wrap}) {
          for (const auto& [height, width, channels] : {std::array{1, 1, 1}, std::array{3, 50, 3}, std::array{70, 133, 1}}) {
            Image image({.height = height, .width = width, .channels = channels}, pixel);
            visit_pixel(pixel, [&](auto element) {
              using T = decltype(element);
              auto* to = reinterpret_cast<T*>(image.view().data);
              for (std::int64_t i = 0; i < image.shape().elements(); ++i) to[i] = to_element<T>(static_cast<double>(generator() % 256), Rounding::half_even);
            });
            Options options{.border = Border{mode, mode == Border::Mode::constant ? 3.0 : 0}, .output = rank == 2 ? Pixel::f64 : Pixel::f32,
                            .scale = 0.3, .offset = 2, .method = Method::low_rank};
            const Plan plan({.shape = image.shape(), .pixel = pixel, .filters = {filter}, .options = options});
            ASSERT_EQ(plan.methods().front(), Method::low_rank);
            Image found(plan.output_shape(), plan.output_pixel());
            plan.run(image, found.view());
            options.output = Pixel::f64;
            options.method = Method::direct;
            const Image right = convolve(image, filter, options);
            const double bound = plan.error_bound(256) + 1e-12;
            for (std::int64_t i = 0; i < right.shape().elements(); ++i) {
              const double expected = reinterpret_cast<const double*>(right.view().data)[i];
              const double got = rank == 2 ? reinterpret_cast<const double*>(found.view().data)[i]
                                                     : static_cast<double>(reinterpret_cast<const float*>(found.view().data)[i]);
              ASSERT_NEAR(got, expected, bound + std::fabs(expected) * 0x1p-24)
                  << rows << "x" << columns << " of rank " << rank << ", " << name_of(pixel) << ", element " << i << "\n" << plan.explain();
            }
          }
        }
      }
    }
  }
}

TEST(LowRank, IsChosenWhereItIsQuickest) {
  PlanSpec spec{.shape = {.height = 2048, .width = 2048}, .pixel = Pixel::u16,
                .filters = {Filter::dense({.height = 15, .width = 15}, random_matrix(15, 15, 2, 1))}};
  const Plan plan(spec);
  EXPECT_EQ(plan.methods().front(), Method::low_rank) << plan.explain();
  EXPECT_THAT(plan.explain(), HasSubstr("low_rank as a sum of 2 products of factors, 60 multiply-adds a sample instead of 225"));
  spec.filters = {Filter::dense({.height = 15, .width = 15}, random_matrix(15, 15, 1, 1))};
  EXPECT_EQ(Plan(spec).methods().front(), Method::separable);
  spec.filters = {Filter::dense({.height = 15, .width = 15}, random_matrix(15, 15, 15, 1))};
  EXPECT_NE(Plan(spec).methods().front(), Method::low_rank);
}

TEST(LowRank, RefusesWhatIsNot) {
  const auto refused = [](Pixel pixel, const Filter& filter) {
    return message_of([&] { (void)convolve(Image({.height = 20, .width = 20}, pixel), filter, {.method = Method::low_rank}); });
  };
  const auto of_rank = [](int rank) { return Filter::dense({.height = 15, .width = 15}, random_matrix(15, 15, rank, 1)); };
  EXPECT_EQ(refused(Pixel::u16, of_rank(15)),
            "method low_rank: filter 'custom' over u16: no sum of 8 products of factors or fewer; use automatic or direct");
  EXPECT_EQ(refused(Pixel::u16, gaussian({.sigma = 1.0})),
            "method low_rank: filter 'gaussian' over u16: one product of factors; use automatic or direct");
  EXPECT_EQ(refused(Pixel::f32, of_rank(2)), "method low_rank: filter 'custom' over f32: pixels may be infinite; use automatic or direct");
  // Whose results ties of whole numbers round.
  EXPECT_EQ(refused(Pixel::u16, laplacian()),
            "method low_rank: filter 'laplacian' over u16: sums of whole numbers, which stay exact; use automatic or direct");
}

}  // namespace
}  // namespace halation
