// gaussian.cpp: the Gaussian and its family: derivatives, Laplacian of Gaussian, unsharp mask.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "filters/catalogue.h"
#include "halation/error.h"

namespace halation {
namespace {

using namespace catalogue;

constexpr double unlimited = std::numeric_limits<double>::max();

/// The probabilists' Hermite polynomial He_n(t):  He_0 = 1, He_1 = t, He_(n+1) = t He_n - n He_(n-1).
double hermite(int order, double t) {
  double before = 0, value = 1;
  for (int n = 0; n < order; ++n) before = std::exchange(value, t * value - n * before);
  return value;
}

/// The Gaussian along one axis, normalised to sum 1, or its derivative of the given order as a correlation
/// sees it. Of sigma 0 one tap.
std::vector<double> gaussian_factor(double sigma_px, std::int64_t radius, int order) {
  if (sigma_px == 0) return {1};
  std::vector<double> half;  // from the centre outwards
  for (std::int64_t i = 0; i <= radius; ++i) {
    const double t = static_cast<double>(i) / sigma_px;
    half.push_back(std::exp(-0.5 * t * t));
  }
  double sum = 0;  // smallest terms first: the normalised sum is 1 within a few rounding errors
  for (std::int64_t i = radius; i > 0; --i) sum += 2 * half[i];
  sum += half[0];

  std::vector<double> factor;
  for (std::int64_t i = -radius; i <= radius; ++i) {
    const double weight = half[std::abs(i)] / sum;
    const double t = static_cast<double>(i) / sigma_px;
    // Far out the Gaussian is 0 in double, and stronger than any polynomial.
    factor.push_back(order == 0 || weight == 0 ? weight
                                               : weight * hermite(order, t) / std::pow(sigma_px, order));
  }
  return factor;
}

/// Sigma and radius of each axis.
struct Widths {
  std::vector<double> sigma_px;
  std::vector<std::int64_t> radius;
};

Widths widths_of(std::string_view filter, const Arguments& arguments, int dims) {
  Widths widths{.sigma_px = values_of(filter, arguments, "sigma", dims), .radius = {}};
  std::vector<double> radius;
  if (arguments.contains("radius")) {
    radius = values_of(filter, arguments, "radius", dims);
  } else {
    for (const double sigma : widths.sigma_px) radius.push_back(std::max(1.0, std::floor(4 * sigma + 0.5)));
  }
  for (std::size_t axis = 0; axis < radius.size(); ++axis) {
    if (widths.sigma_px[axis] == 0) radius[axis] = 0;
  }
  for (const double r : radius) {
    check_weight_count(filter, 2 * r + 1);
    widths.radius.push_back(static_cast<std::int64_t>(r));
  }
  return widths;
}

/// A filter that is no product of factors: all its weights must fit.
Widths dense_widths_of(std::string_view filter, const Arguments& arguments, int dims) {
  Widths widths = widths_of(filter, arguments, dims);
  double count = 1;
  for (const std::int64_t r : widths.radius) count *= static_cast<double>(2 * r + 1);
  check_weight_count(filter, count);
  return widths;
}

FilterSize size_of(const Widths& widths) {
  FilterSize size;
  std::int64_t* const taps[] = {&size.width, &size.height, &size.depth};
  const std::size_t dims = widths.radius.size();
  for (std::size_t axis = 0; axis < dims; ++axis) *taps[dims - 1 - axis] = 2 * widths.radius[axis] + 1;
  return size;
}

/// The factors for derivatives of the given order along each axis.
FactorList gaussian_factors(const Widths& widths, const std::vector<int>& orders) {
  FactorList factors;
  for (std::size_t axis = 0; axis < orders.size(); ++axis) {
    factors.push_back(gaussian_factor(widths.sigma_px[axis], widths.radius[axis], orders[axis]));
  }
  return factors;
}

Parameter sigma_parameter(const char* meaning, double least) {
  return {.name = "sigma",
          .meaning = meaning,
          .unit = "px",
          .by_default = 1,
          .least = least,
          .most = unlimited,
          .per_axis = true,
          .choices = {}};
}
Parameter blur_sigma() { return sigma_parameter("standard deviation; along an axis of 0 nothing is blurred", 0); }
/// Below 0.1 px the samples see nothing of the Gaussian's flanks.
Parameter derivative_sigma() { return sigma_parameter("standard deviation", 0.1); }

Parameter radius_parameter() {
  return {.name = "radius",
          .meaning = "taps on each side of the centre; ⌊4 sigma + 0.5⌋, at least 1, unless given",
          .unit = "px",
          .by_default = {},
          .least = 0,
          .most = unlimited,
          .integer = true,
          .per_axis = true,
          .choices = {}};
}

Parameter order_parameter(const char* axis, double by_default) {
  return {.name = std::string("order_") + axis,
          .meaning = std::string("order of the derivative along ") + axis,
          .unit = "",
          .by_default = by_default,
          .least = 0,
          .most = 8,
          .integer = true,
          .choices = {}};
}

/// The arguments that the C++ functions share.
Arguments width_arguments(const PerAxis& sigma, const std::optional<PerAxis>& radius) {
  Arguments arguments{{"sigma", sigma.values}};
  if (radius) arguments["radius"] = radius->values;
  return arguments;
}

Filter build_gaussian(const Arguments& arguments, int dims) {
  return separable(gaussian_factors(widths_of("gaussian", arguments, dims), std::vector<int>(dims, 0)));
}

Filter build_gaussian_derivative(const Arguments& arguments, int dims) {
  const char* const parameters[] = {"order_x", "order_y", "order_z"};
  std::vector<int> orders(dims);
  for (int axis = 0; axis < 3; ++axis) {
    const int order = static_cast<int>(value_of(arguments, parameters[axis]));
    if (axis < dims) {
      orders[dims - 1 - axis] = order;
    } else if (order != 0) {
      throw Error{ErrorCode::invalid_argument, std::string("gaussian_derivative: ") + parameters[axis] +
                                                   " must be 0 in " + std::to_string(dims) + "D, got " +
                                                   std::to_string(order)};
    }
  }
  return separable(gaussian_factors(widths_of("gaussian_derivative", arguments, dims), orders));
}

Filter build_laplacian_of_gaussian(const Arguments& arguments, int dims) {
  const Widths widths = dense_widths_of("laplacian_of_gaussian", arguments, dims);
  std::vector<double> weights(size_of(widths).taps(), 0.0);
  for (int axis = 0; axis < dims; ++axis) {
    std::vector<int> orders(dims, 0);
    orders[axis] = 2;
    const std::vector<double> term = outer_product(gaussian_factors(widths, orders));
    std::transform(weights.begin(), weights.end(), term.begin(), weights.begin(), std::plus<>{});
  }
  return Filter::dense(size_of(widths), std::move(weights));
}

Filter build_unsharp_mask(const Arguments& arguments, int dims) {
  const Widths widths = dense_widths_of("unsharp_mask", arguments, dims);
  const double amount = value_of(arguments, "amount");
  std::vector<double> weights = outer_product(gaussian_factors(widths, std::vector<int>(dims, 0)));
  if (weights.size() == 1) return Filter::dense(size_of(widths), {1});  // which 1 + amount - amount need not be
  for (double& weight : weights) weight *= -amount;
  weights[weights.size() / 2] += 1 + amount;
  return Filter::dense(size_of(widths), std::move(weights));
}

}  // namespace

NamedFilter catalogue::gaussian_entry() {
  return {.name = "gaussian",
          .summary = "Gaussian blur",
          .formula = "w[i] = exp(-i²/(2 sigma²)) / Σ along each axis, i = -radius … radius",
          .source =
              "scipy.ndimage.gaussian_filter, default radius included. A. Abramov's CUDA lecture (BCCN "
              "Göttingen, 2011) "
              "has sigma = radius; xFilters' Gaussian is the weights \"1 2 1; 2 4 2; 1 2 1\" with scale 1/16",
          .parameters = {blur_sigma(), radius_parameter()},
          .dims = {1, 2, 3},
          .make = make_one<build_gaussian>};
}
Filter gaussian(const GaussianOptions& options) {
  return make_single("gaussian", width_arguments(options.sigma, options.radius), options.dims);
}

NamedFilter catalogue::gaussian_derivative_entry() {
  return {
      .name = "gaussian_derivative",
      .summary = "Derivative of the Gaussian-blurred image, positive where brightness rises along the axis",
      .formula =
          "along each axis g[i] He_n(i/sigma) / sigmaⁿ, with g the normalised Gaussian of `gaussian`, n the "
          "axis' "
          "order and He_n the Hermite polynomial (He_1(t) = t, He_2(t) = t² - 1)",
      .source = "scipy.ndimage.gaussian_filter with order=",
      .parameters = {derivative_sigma(), radius_parameter(), order_parameter("x", 1), order_parameter("y", 0),
                     order_parameter("z", 0)},
      .dims = {1, 2, 3},
      .make = make_one<build_gaussian_derivative>};
}
Filter gaussian_derivative(const GaussianDerivativeOptions& options) {
  Arguments arguments = width_arguments(options.sigma, options.radius);
  arguments["order_z"] = {static_cast<double>(options.order_z)};
  arguments["order_y"] = {static_cast<double>(options.order_y)};
  arguments["order_x"] = {static_cast<double>(options.order_x)};
  return make_single("gaussian_derivative", arguments, options.dims);
}

NamedFilter catalogue::laplacian_of_gaussian_entry() {
  return {
      .name = "laplacian_of_gaussian",
      .summary = "Laplacian of the Gaussian-blurred image: negative on bright blobs, changes sign at edges",
      .formula =
          "Σ over the axes of `gaussian_derivative` with order 2 along that axis and 0 along the others; "
          "cut off at the radius, the sum is near 0 but not 0",
      .source = "scipy.ndimage.gaussian_laplace; Marr and Hildreth, Theory of edge detection, 1980",
      .parameters = {derivative_sigma(), radius_parameter()},
      .dims = {1, 2, 3},
      .make = make_one<build_laplacian_of_gaussian>};
}
Filter laplacian_of_gaussian(const GaussianOptions& options) {
  return make_single("laplacian_of_gaussian", width_arguments(options.sigma, options.radius), options.dims);
}

NamedFilter catalogue::unsharp_mask_entry() {
  return {.name = "unsharp_mask",
          .summary = "Sharpening by what a Gaussian blur takes away",
          .formula = "(1 + amount) δ - amount · gaussian(sigma, radius)",
          .source = "the darkroom technique; Gonzalez and Woods, Digital Image Processing",
          .parameters = {blur_sigma(),
                         {.name = "amount",
                          .meaning = "how much of the lost detail is added",
                          .unit = "",
                          .by_default = 1,
                          .least = 0,
                          .most = 1000,
                          .choices = {}},
                         radius_parameter()},
          .dims = {1, 2, 3},
          .make = make_one<build_unsharp_mask>};
}
Filter unsharp_mask(const UnsharpMaskOptions& options) {
  Arguments arguments = width_arguments(options.sigma, options.radius);
  arguments["amount"] = {options.amount};
  return make_single("unsharp_mask", arguments, options.dims);
}

}  // namespace halation
