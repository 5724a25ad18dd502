// filters_test.cpp: the weights of every named filter: exact coefficients, SciPy's numbers, sums, symmetry,
// signs.
#include "halation/filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace halation {
namespace {

using testing::Each;
using testing::ElementsAre;

double total(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance) << "weight " << i;
}

/// Weight at an offset from the centre of an odd filter.
double at(const Filter& filter, std::int64_t y, std::int64_t x, std::int64_t z = 0) {
  const FilterSize n = filter.size();
  return filter.weights()[((n.depth / 2 + z) * n.height + n.height / 2 + y) * n.width + n.width / 2 + x];
}

/// The answer of a named filter to brightness that rises by 1 a pixel along one axis, at a pixel of
/// brightness 0.
double answer_to_ramp(const Filter& filter, Axis axis) {
  const FilterSize n = filter.size();
  const std::vector<double> weights = filter.weights();
  double sum = 0;
  std::size_t i = 0;
  for (std::int64_t z = 0; z < n.depth; ++z) {
    for (std::int64_t y = 0; y < n.height; ++y) {
      for (std::int64_t x = 0; x < n.width; ++x, ++i) {
        const std::int64_t place = axis == Axis::x   ? x - n.width / 2
                                   : axis == Axis::y ? y - n.height / 2
                                                     : z - n.depth / 2;
        sum += weights[i] * static_cast<double>(place);
      }
    }
  }
  return sum;
}

FilterSize cube(std::int64_t n, int dims) { return {dims > 2 ? n : 1, dims > 1 ? n : 1, n}; }

TEST(XFilters, CoefficientsAreExact) {
  for (const double a : {0.0, 0.1, 0.5, 0.8, 0.99}) {
    const double edge = -a / (9 - 9 * a);
    const double centre = (9 - a) / (9 - 9 * a);
    EXPECT_THAT(sharpen(a, 2).weights(), ElementsAre(edge, edge, edge, edge, centre, edge, edge, edge, edge));
  }
  EXPECT_THAT(high_pass(2).weights(), ElementsAre(-1, -1, -1, -1, 8, -1, -1, -1, -1));
  for (const double a : {9.0, 7.0, 10.5}) EXPECT_THAT(low_pass(a, 2).weights(), Each(1 / a));
  EXPECT_EQ(low_pass(9, 2).weights(), low_pass({}, 2).weights());
}

TEST(XFilters, OtherDimensionsTakeTheirNumberOfTaps) {
  EXPECT_THAT(sharpen(0.5, 1).weights(), ElementsAre(-0.5 / 1.5, 2.5 / 1.5, -0.5 / 1.5));
  EXPECT_DOUBLE_EQ(at(sharpen(0.5, 3), 0, 0), 26.5 / 13.5);
  EXPECT_DOUBLE_EQ(at(sharpen(0.5, 3), 1, 1, -1), -0.5 / 13.5);
  EXPECT_THAT(high_pass(1).weights(), ElementsAre(-1, 2, -1));
  EXPECT_EQ(at(high_pass(3), 0, 0), 26);
  EXPECT_THAT(low_pass({}, 1).weights(), Each(1.0 / 3));
  EXPECT_THAT(low_pass({}, 3).weights(), Each(1.0 / 27));
}

TEST(Identity, IsOneWeight) {
  for (const int dims : {1, 2, 3}) EXPECT_THAT(identity(dims).weights(), ElementsAre(1));
}

TEST(Sums, AreWhatTheFormulasSay) {
  for (const int dims : {1, 2, 3}) {
    const auto d = std::to_string(dims) + "D";
    for (const Filter& filter :
         {identity(dims), low_pass({}, dims), box({.size = 4, .dims = dims}),
          gaussian({.sigma = 1.7, .dims = dims}), gaussian({.sigma = 1e-200, .dims = dims}), disk(3.3, dims),
          unsharp_mask({.sigma = 0.9, .amount = 2, .dims = dims})}) {
      EXPECT_NEAR(total(filter.weights()), 1, 4e-15) << filter.name() << d;
    }
    for (const double a : {0.0, 0.3, 0.8}) EXPECT_NEAR(total(sharpen(a, dims).weights()), 1, 1e-14) << d;
    EXPECT_EQ(total(high_pass(dims).weights()), 0) << d;
    for (const int neighbours : {4, 8}) EXPECT_EQ(total(laplacian(neighbours, dims).weights()), 0) << d;
    for (const Filter& filter : {sobel(Axis::x, dims), scharr(Axis::x, dims), prewitt(Axis::x, dims)}) {
      EXPECT_EQ(total(filter.weights()), 0) << filter.name() << d;
    }
    EXPECT_NEAR(total(gaussian_derivative({.sigma = 2, .dims = dims}).weights()), 0, 1e-16) << d;
    EXPECT_NEAR(total(laplacian_of_gaussian({.sigma = 2, .radius = 20, .dims = dims}).weights()), 0, 1e-14)
        << d;
  }
  for (int angle = -360; angle <= 360; angle += 15) {
    const double degrees = angle;
    EXPECT_NEAR(total(emboss(degrees).weights()), 1, 1e-15) << angle;
    EXPECT_NEAR(total(motion_blur({.length = 6.5, .angle = degrees}).weights()), 1, 1e-15) << angle;
  }
}

// scipy.ndimage.gaussian_filter1d of a centred impulse, sigma 1.
TEST(Gaussian, EqualsSciPy) {
  expect_near(gaussian({.dims = 1}).weights(),
              {1.3383062461474175e-04, 4.4318616200312655e-03, 5.3991127420704409e-02, 2.4197144565660073e-01,
               3.9894346935609776e-01, 2.4197144565660073e-01, 5.3991127420704409e-02, 4.4318616200312655e-03,
               1.3383062461474175e-04},
              1e-16);
}

// scipy.ndimage.gaussian_filter(impulse, [0.5, 0.7])
TEST(Gaussian, TakesSigmaPerAxisInTheOrderHeightWidth) {
  const Filter filter = gaussian({.sigma = {0.5, 0.7}, .dims = 2});
  EXPECT_EQ(filter.size(), (FilterSize{1, 5, 7}));
  EXPECT_NEAR(at(filter, 0, 0), 4.4822401185298621e-01, 1e-15);
  EXPECT_NEAR(at(filter, 0, 1), 1.6156135386885237e-01, 1e-15);
  EXPECT_NEAR(at(filter, 1, 0), 6.0660523597574741e-02, 1e-15);
  EXPECT_NEAR(at(filter, -2, 3), 1.5442604606144001e-08, 1e-20);
  EXPECT_EQ(gaussian({.sigma = {3, 2, 1}, .dims = 3}).size(), (FilterSize{25, 17, 9}));
  EXPECT_EQ(gaussian({.sigma = 2, .radius = PerAxis{0, 3, 5}, .dims = 3}).size(), (FilterSize{1, 7, 11}));
}

TEST(Gaussian, RadiusFollowsSigmaUnlessGiven) {
  const auto radius = [](double sigma) { return gaussian({.sigma = sigma, .dims = 1}).size().width / 2; };
  EXPECT_EQ(radius(0.01), 1);
  EXPECT_EQ(radius(0.37), 1);
  EXPECT_EQ(radius(0.375), 2);
  EXPECT_EQ(radius(2), 8);
  EXPECT_EQ(radius(2.6), 10);
  EXPECT_EQ(gaussian({.sigma = 2, .radius = 0, .dims = 1}).weights(), std::vector<double>{1});
}

// The lecture's Gaussian: radius r = 8, weights exp(-(i/r)²/2) over their sum, by NumPy.
TEST(Gaussian, OfRadius8IsTheLectures) {
  const std::vector<double> half{0.07000899755524628, 0.0694641832139329,  0.06785504714291783,
                                 0.06525556110883714, 0.06178272349555736, 0.05758783055496856,
                                 0.05284556385025149, 0.0477419883829079,  0.04246260347300367};
  const Filter filter = gaussian({.sigma = 8, .radius = 8, .dims = 2});
  EXPECT_EQ(filter.size(), (FilterSize{1, 17, 17}));
  for (int y = -8; y <= 8; ++y) {
    for (int x = -8; x <= 8; ++x) EXPECT_NEAR(at(filter, y, x), half[std::abs(y)] * half[std::abs(x)], 1e-17);
  }
}

TEST(Gaussian, OfTinySigmaIsTheIdentity) {
  EXPECT_THAT(gaussian({.sigma = 5e-324, .dims = 1}).weights(), ElementsAre(0, 1, 0));
}

TEST(Gaussian, OfSigma0BlursNothingAlongThatAxis) {
  const Filter filter = gaussian({.sigma = {0, 2}, .dims = 2});
  EXPECT_EQ(filter.size(), (FilterSize{1, 1, 17}));
  EXPECT_EQ(filter.weights(), gaussian({.sigma = 2, .dims = 1}).weights());
  EXPECT_EQ(gaussian({.sigma = {1, 0, 2}, .radius = 3, .dims = 3}).size(), (FilterSize{7, 1, 7}));
  for (int dims = 1; dims <= 3; ++dims) {
    EXPECT_THAT(gaussian({.sigma = 0, .dims = dims}).weights(), ElementsAre(1));
    EXPECT_THAT(gaussian({.sigma = 0, .radius = 4, .dims = dims}).weights(), ElementsAre(1));
    for (const double amount : {0.1, 0.7, 3.3, 1000.0}) {
      EXPECT_THAT(unsharp_mask({.sigma = 0, .amount = amount, .dims = dims}).weights(), ElementsAre(1));
    }
  }
}

// scipy.ndimage.gaussian_filter1d(impulse, 1.3, order=n)[::-1]: SciPy's answer to an impulse is the weights
// reversed.
TEST(GaussianDerivative, EqualsSciPy) {
  const std::vector<double> first{-0.00055695379745791, -0.00638725980413217, -0.03800163539386518,
                                  -0.1112137503280562,  -0.13508183934568263, 0.,
                                  0.13508183934568263,  0.1112137503280562,   0.03800163539386518,
                                  0.00638725980413217,  0.00055695379745791};
  const std::vector<double> second{0.00153640154067976,  0.01352095973330346,  0.05479131256985294,
                                   0.07600703054964784,  -0.05515175689261601, -0.18158771229498002,
                                   -0.05515175689261601, 0.07600703054964784,  0.05479131256985294,
                                   0.01352095973330346,  0.00153640154067976};
  const std::vector<double> third{-0.00388644976833311, -0.02444338421594643, -0.05229033545670322,
                                  0.04166475713421104,  0.19249434058223738,  0.,
                                  -0.19249434058223738, -0.04166475713421104, 0.05229033545670322,
                                  0.02444338421594643,  0.00388644976833311};
  const std::vector<double> fourth{0.0087710320826191,   0.03385246015613928,  -0.00443960434286926,
                                   -0.1842311277617547,  -0.01599944964756767, 0.32234505141120706,
                                   -0.01599944964756767, -0.1842311277617547,  -0.00443960434286926,
                                   0.03385246015613928,  0.0087710320826191};
  const std::vector<double>* const orders[] = {&first, &second, &third, &fourth};
  for (int order = 1; order <= 4; ++order) {
    expect_near(gaussian_derivative({.sigma = 1.3, .order_x = order, .dims = 1}).weights(),
                *orders[order - 1], 2e-16);
  }
  EXPECT_EQ(gaussian_derivative({.sigma = 1.3, .order_x = 0, .dims = 2}).weights(),
            gaussian({.sigma = 1.3, .dims = 2}).weights());
}

// scipy.ndimage.gaussian_filter(impulse, [0.6, 1.1], order=[1, 2])[::-1, ::-1]
TEST(GaussianDerivative, MixesOrdersAndSigmas) {
  const Filter filter = gaussian_derivative({.sigma = {0.6, 1.1}, .order_y = 1, .order_x = 2, .dims = 2});
  EXPECT_EQ(filter.size(), (FilterSize{1, 5, 9}));
  EXPECT_NEAR(at(filter, -1, 0), 1.3781686124185136e-01, 1e-15);
  EXPECT_NEAR(at(filter, 1, 0), -1.3781686124185136e-01, 1e-15);
  EXPECT_NEAR(at(filter, 1, 2), 6.0852590205198072e-02, 1e-15);
  EXPECT_NEAR(at(filter, 2, -4), 7.0240296699200844e-05, 1e-18);
  EXPECT_EQ(at(filter, 0, 1), 0);
}

TEST(GaussianDerivative, OfFirstOrderMeasuresTheSlope) {
  for (const int dims : {1, 2, 3}) {
    for (int axis = 0; axis < dims; ++axis) {
      const Filter filter = gaussian_derivative({.sigma = 1.5,
                                                 .radius = 12,
                                                 .order_z = axis == 2,
                                                 .order_y = axis == 1,
                                                 .order_x = axis == 0,
                                                 .dims = dims});
      for (int other = 0; other < dims; ++other) {
        EXPECT_NEAR(answer_to_ramp(filter, static_cast<Axis>(other)), axis == other ? 1 : 0, 1e-6);
      }
    }
  }
}

// scipy.ndimage.gaussian_laplace of centred impulses, sigma 1 in 1D, 0.8 in 2D, 0.6 in 3D.
TEST(LaplacianOfGaussian, EqualsSciPy) {
  expect_near(laplacian_of_gaussian({.dims = 1}).weights(),
              {0.00200745936922113, 0.03545489296025012, 0.16197338226211322, 0., -0.39894346935609776, 0.,
               0.16197338226211322, 0.03545489296025012, 0.00200745936922113},
              1e-16);
  const Filter plane = laplacian_of_gaussian({.sigma = 0.8, .dims = 2});
  EXPECT_EQ(plane.size(), (FilterSize{1, 7, 7}));
  EXPECT_NEAR(at(plane, 0, 0), -7.771193868305187e-01, 1e-15);
  EXPECT_NEAR(at(plane, 0, 1), -7.782932092479958e-02, 1e-15);
  EXPECT_NEAR(at(plane, 1, 1), 9.162735336875001e-02, 1e-15);
  EXPECT_NEAR(at(plane, 2, -1), 4.543158554154063e-02, 1e-15);
  EXPECT_NEAR(at(plane, -3, 3), 7.929538191099184e-06, 1e-18);
  const Filter volume = laplacian_of_gaussian({.sigma = 0.6, .dims = 3});
  EXPECT_EQ(volume.size(), (FilterSize{5, 5, 5}));
  EXPECT_NEAR(at(volume, 0, 0), -2.4376226349661492e+00, 1e-14);
  EXPECT_NEAR(at(volume, 1, 1), 1.2910913901318616e-01, 1e-15);
  EXPECT_NEAR(at(volume, 0, 2), 2.5478769403606660e-02, 1e-15);
  EXPECT_NEAR(at(volume, 0, 0, 2), 2.5478769403606660e-02, 1e-15);
  EXPECT_EQ(laplacian_of_gaussian({.sigma = {1, 2}, .dims = 2}).size(), (FilterSize{1, 9, 17}));
}

TEST(UnsharpMask, IsTheImagePlusWhatTheBlurTakesAway) {
  const Filter blur = gaussian({.sigma = {0.7, 1.2}, .dims = 2});
  const Filter filter = unsharp_mask({.sigma = {0.7, 1.2}, .amount = 1.5, .dims = 2});
  ASSERT_EQ(filter.size(), blur.size());
  for (int y = -3; y <= 3; ++y) {
    for (int x = -5; x <= 5; ++x) {
      EXPECT_NEAR(at(filter, y, x), (x == 0 && y == 0 ? 2.5 : 0.0) - 1.5 * at(blur, y, x), 1e-15);
    }
  }
  EXPECT_EQ(at(unsharp_mask({.amount = 0, .dims = 2}), 0, 0), 1);
  const Filter along_x = unsharp_mask({.sigma = {0, 1.2}, .amount = 1.5, .dims = 2});
  EXPECT_EQ(along_x.size(), (FilterSize{1, 1, 11}));
  EXPECT_EQ(along_x.weights(), unsharp_mask({.sigma = 1.2, .amount = 1.5, .dims = 1}).weights());
}

TEST(Derivatives, In2DAreTheBookOnes) {
  EXPECT_THAT(sobel(Axis::x, 2).weights(), ElementsAre(-1, 0, 1, -2, 0, 2, -1, 0, 1));
  EXPECT_THAT(sobel(Axis::y, 2).weights(), ElementsAre(-1, -2, -1, 0, 0, 0, 1, 2, 1));
  EXPECT_THAT(scharr(Axis::x, 2).weights(), ElementsAre(-3, 0, 3, -10, 0, 10, -3, 0, 3));
  EXPECT_THAT(scharr(Axis::y, 2).weights(), ElementsAre(-3, -10, -3, 0, 0, 0, 3, 10, 3));
  EXPECT_THAT(prewitt(Axis::x, 2).weights(), ElementsAre(-1, 0, 1, -1, 0, 1, -1, 0, 1));
  EXPECT_THAT(prewitt(Axis::y, 2).weights(), ElementsAre(-1, -1, -1, 0, 0, 0, 1, 1, 1));
}

TEST(Derivatives, RiseWithBrightnessAlongTheirAxisAlone) {
  const double sobel_gain[] = {2, 8, 32}, scharr_gain[] = {2, 32, 512}, prewitt_gain[] = {2, 6, 18};
  for (int dims = 1; dims <= 3; ++dims) {
    for (int axis = 0; axis < dims; ++axis) {
      for (int other = 0; other < dims; ++other) {
        const auto along = static_cast<Axis>(axis);
        const auto ramp = static_cast<Axis>(other);
        const double own = axis == other;
        EXPECT_EQ(answer_to_ramp(sobel(along, dims), ramp), own * sobel_gain[dims - 1]);
        EXPECT_EQ(answer_to_ramp(scharr(along, dims), ramp), own * scharr_gain[dims - 1]);
        EXPECT_EQ(answer_to_ramp(prewitt(along, dims), ramp), own * prewitt_gain[dims - 1]);
      }
      EXPECT_TRUE(sobel(static_cast<Axis>(axis), dims).factors().has_value());
    }
  }
}

TEST(Laplacian, CountsNeighbours) {
  EXPECT_THAT(laplacian(4, 2).weights(), ElementsAre(0, 1, 0, 1, -4, 1, 0, 1, 0));
  EXPECT_THAT(laplacian(8, 2).weights(), ElementsAre(1, 1, 1, 1, -8, 1, 1, 1, 1));
  for (const int neighbours : {2, 4, 8})
    EXPECT_THAT(laplacian(neighbours, 1).weights(), ElementsAre(1, -2, 1));
  const Filter six = laplacian(6, 3);
  EXPECT_EQ(six.weights(), laplacian(4, 3).weights());
  EXPECT_EQ(at(six, 0, 0), -6);
  EXPECT_EQ(at(six, 0, 0, 1), 1);
  EXPECT_EQ(at(six, 0, 1, 1), 0);
  const Filter all = laplacian(26, 3);
  EXPECT_EQ(all.weights(), laplacian(8, 3).weights());
  EXPECT_EQ(at(all, 0, 0), -26);
  EXPECT_EQ(at(all, 1, -1, 1), 1);
}

TEST(Edges, AreSobelAlongEachAxis) {
  for (const int dims : {1, 2, 3}) {
    const FilterSet set = edges(dims);
    EXPECT_EQ(set.combine, Combine::magnitude);
    ASSERT_EQ(set.filters.size(), static_cast<std::size_t>(dims));
    for (int axis = 0; axis < dims; ++axis) {
      EXPECT_EQ(set.filters[axis].weights(), sobel(static_cast<Axis>(axis), dims).weights());
    }
    // Open, the set has three filters; those of missing axes are all 0, of the size of the others.
    const FilterSet open = edges();
    EXPECT_EQ(open.combine, Combine::magnitude);
    ASSERT_EQ(open.filters.size(), 3U);
    for (int axis = 0; axis < 3; ++axis) {
      const Filter filter = open.filters[axis].with_dims(dims);
      EXPECT_EQ(filter.size(), cube(3, dims));
      if (axis >= dims) {
        EXPECT_THAT(filter.weights(), Each(0));
      }
    }
  }
}

TEST(Emboss, IsLitFromItsAngle) {
  EXPECT_THAT(emboss(135).weights(), ElementsAre(-2, -1, 0, -1, 1, 1, 0, 1, 2));
  EXPECT_THAT(emboss(45).weights(), ElementsAre(0, -1, -2, 1, 1, -1, 2, 1, 0));
  EXPECT_THAT(emboss(0).weights(), ElementsAre(1, 0, -1, 1, 1, -1, 1, 0, -1));
  EXPECT_THAT(emboss(90).weights(), ElementsAre(-1, -1, -1, 0, 1, 0, 1, 1, 1));
  EXPECT_EQ(emboss(-90).weights(), emboss(270).weights());
  for (int angle = 0; angle < 360; angle += 10) {
    const Filter filter = emboss(angle);
    const double radians = angle * std::numbers::pi / 180;
    // Brightness as height: a slope that faces the light, brighter away from it, is bright.
    const double facing = -answer_to_ramp(filter, Axis::x) * std::cos(radians) +
                          answer_to_ramp(filter, Axis::y) * std::sin(radians);
    EXPECT_GT(facing, 5) << angle;
  }
}

TEST(Box, IsFlatOfAnySize) {
  const Filter filter = box({.size = {2, 5}, .dims = 2});
  EXPECT_EQ(filter.size(), (FilterSize{1, 2, 5}));
  EXPECT_THAT(filter.weights(), Each(0.1));
  EXPECT_EQ(filter.anchor(), (Anchor{0, 1, 2}));
  EXPECT_TRUE(filter.factors().has_value());
  EXPECT_EQ(box({.size = {2, 3, 4}, .dims = 3}).size(), (FilterSize{2, 3, 4}));
  EXPECT_THAT(box({.size = 1, .dims = 3}).weights(), ElementsAre(1));
  EXPECT_THAT(box({.size = 4, .dims = 1}).weights(), ElementsAre(0.25, 0.25, 0.25, 0.25));
}

TEST(MotionBlur, AlongTheAxesIsABoxOfItsLength) {
  EXPECT_THAT(motion_blur().weights(), testing::AllOf(testing::SizeIs(9), Each(1.0 / 9)));
  const Filter upright = motion_blur({.length = 5, .angle = 90});
  EXPECT_EQ(upright.size(), (FilterSize{1, 5, 1}));
  EXPECT_THAT(upright.weights(), Each(0.2));
  EXPECT_THAT(motion_blur({.length = 4, .angle = 180}).weights(),
              ElementsAre(0.125, 0.25, 0.25, 0.25, 0.125));
  EXPECT_THAT(motion_blur({.length = 1}).weights(), ElementsAre(1));
}

// Oracle: the share of 100×100 points in a pixel that lie within the turned rectangle.
TEST(MotionBlur, CoversPixelsByArea) {
  constexpr int points = 100;
  for (const double angle : {30.0, -75.0, 45.0, 123.0}) {
    const double length = 7.5;
    const Filter filter = motion_blur({.length = length, .angle = angle});
    const double c = std::cos(angle * std::numbers::pi / 180), s = std::sin(angle * std::numbers::pi / 180);
    const std::int64_t rx = filter.size().width / 2, ry = filter.size().height / 2;
    const std::vector<double> weights = filter.weights();
    std::size_t i = 0;
    for (std::int64_t y = -ry; y <= ry; ++y) {
      for (std::int64_t x = -rx; x <= rx; ++x, ++i) {
        int inside = 0;
        for (int p = 0; p < points * points; ++p) {
          const int row = p / points, column = p % points;
          const double px = static_cast<double>(x) - 0.5 + (column + 0.5) / points;
          const double up = -(static_cast<double>(y) - 0.5 + (row + 0.5) / points);
          inside += std::abs(px * c + up * s) <= length / 2 && std::abs(-px * s + up * c) <= 0.5;
        }
        EXPECT_NEAR(weights[i], inside / (length * points * points), 0.01 / length)
            << angle << ": " << x << "," << y;
        EXPECT_EQ(weights[i], weights[weights.size() - 1 - i]);
      }
    }
  }
}

/// Oracle: the share of the pixel at `place` that lies within `radius`, summing thin slices across all axes
/// but x.
double coverage(int dims, const std::array<double, 3>& place, double radius) {
  constexpr int slices = 400;
  double sum = 0;
  const int slices_y = dims > 1 ? slices : 1, slices_z = dims > 2 ? slices : 1;
  for (int j = 0; j < slices_z; ++j) {
    const double z = dims > 2 ? place[2] - 0.5 + (j + 0.5) / slices : 0;
    for (int i = 0; i < slices_y; ++i) {
      const double y = dims > 1 ? place[1] - 0.5 + (i + 0.5) / slices : 0;
      const double half = std::sqrt(std::max(0.0, radius * radius - y * y - z * z));
      sum += std::max(0.0, std::min(place[0] + 0.5, half) - std::max(place[0] - 0.5, -half));
    }
  }
  return sum / (slices_y * slices_z);
}

TEST(Disk, CoversPixelsByAreaOrVolume) {
  for (const int dims : {1, 2, 3}) {
    for (const double radius : {0.3, 0.5, 0.7, 1.5, 2.3}) {
      const Filter filter = disk(radius, dims);
      const auto reach = static_cast<std::int64_t>(std::max(0.0, std::ceil(radius - 0.5)));
      ASSERT_EQ(filter.size(), cube(2 * reach + 1, dims));
      std::vector<double> expected;
      for (std::int64_t z = dims > 2 ? -reach : 0; z <= (dims > 2 ? reach : 0); ++z) {
        for (std::int64_t y = dims > 1 ? -reach : 0; y <= (dims > 1 ? reach : 0); ++y) {
          for (std::int64_t x = -reach; x <= reach; ++x) {
            expected.push_back(coverage(
                dims, {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}, radius));
          }
        }
      }
      const double sum = total(expected);
      for (double& weight : expected) weight /= sum;
      SCOPED_TRACE(std::to_string(dims) + "D, radius " + std::to_string(radius));
      expect_near(filter.weights(), expected, 2e-4 / sum);
    }
    for (const double tiny : {0.005, 1e-170, 5e-324}) EXPECT_THAT(disk(tiny, dims).weights(), ElementsAre(1)) << tiny;
  }
}

TEST(Disk, LooksTheSameFromEverySide) {
  const Filter plane = disk(4.2, 2);
  const Filter volume = disk(2.6, 3);
  for (int a = -4; a <= 4; ++a) {
    for (int b = -4; b <= 4; ++b) {
      EXPECT_EQ(at(plane, a, b), at(plane, b, a));
      EXPECT_EQ(at(plane, a, b), at(plane, -a, b));
      if (std::max(std::abs(a), std::abs(b)) > 2) continue;
      for (int c = -2; c <= 2; ++c) {
        EXPECT_EQ(at(volume, a, b, c), at(volume, c, a, b));
        EXPECT_EQ(at(volume, a, b, c), at(volume, b, a, -c));
      }
    }
  }
}

TEST(Smoothing, IsSymmetric) {
  for (const int dims : {1, 2, 3}) {
    for (const Filter& filter :
         {gaussian({.sigma = 1.1, .dims = dims}), laplacian_of_gaussian({.sigma = 1.1, .dims = dims}),
          unsharp_mask({.dims = dims}), laplacian(8, dims), high_pass(dims), sharpen(0.4, dims),
          disk(2.2, dims)}) {
      const std::vector<double> weights = filter.weights();
      EXPECT_EQ(weights, std::vector<double>(weights.rbegin(), weights.rend())) << filter.name() << dims;
    }
  }
}

}  // namespace
}  // namespace halation
