// neighbourhood.cpp: filters of a pixel and those that touch it, n = 3^dims taps.
#include <algorithm>
#include <cmath>
#include <utility>

#include "filters/catalogue.h"

namespace halation {
namespace {

using namespace catalogue;

/// `centre` amid neighbours of weight `rest`.
Filter centre_and_rest(double centre, double rest, int dims) {
  const FilterSize size = cube(3, dims);
  std::vector<double> weights(size.taps(), rest);
  weights[weights.size() / 2] = centre;
  return Filter::dense(size, std::move(weights));
}

double taps_of(int dims) { return static_cast<double>(cube(3, dims).taps()); }

Filter build_identity(const Arguments&, int dims) { return separable(FactorList(dims, {1})); }

Filter build_sharpen(const Arguments& arguments, int dims) {
  const double a = value_of(arguments, "strength");
  const double n = taps_of(dims);
  return centre_and_rest((n - a) / (n - n * a), -a / (n - n * a), dims);
}

Filter build_high_pass(const Arguments&, int dims) { return centre_and_rest(taps_of(dims) - 1, -1, dims); }

Filter build_low_pass(const Arguments& arguments, int dims) {
  const double divisor = arguments.contains("divisor") ? value_of(arguments, "divisor") : taps_of(dims);
  FactorList factors(dims, {1, 1, 1});
  factors.back().assign(3, 1 / divisor);
  return separable(factors);
}

Filter build_emboss(const Arguments& arguments, int) {
  const Step light = step_towards(value_of(arguments, "angle"));
  const double longest = std::max(std::abs(light.x), std::abs(light.y));
  const double along_x = light.x / longest;
  const double along_y = light.y / longest;
  std::vector<double> weights;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) weights.push_back(0 - along_x * x - along_y * y);
  }
  weights[4] = 1;
  return Filter::dense(cube(3, 2), std::move(weights));
}

}  // namespace

NamedFilter catalogue::identity_entry() {
  return {.name = "identity",
          .summary = "The image as it is",
          .formula = "δ: one weight of 1",
          .source = "the unit of convolution",
          .parameters = {},
          .dims = {1, 2, 3},
          .make = make_one<build_identity>};
}
Filter identity(int dims) { return make_single("identity", {}, dims); }

NamedFilter catalogue::sharpen_entry() {
  return {.name = "sharpen",
          .summary = "Sharpening by taking away a share of the mean of the neighbourhood",
          .formula =
              "centre (n - a)/(n - n a), others -a/(n - n a), with a = strength and n = 3, 9, 27 taps in 1D, "
              "2D, 3D",
          .source = "xFilters (github.com/tgautam03/xFilters)",
          .parameters = {{.name = "strength",
                          .meaning = "0 changes nothing; 1 would divide by zero",
                          .unit = "",
                          .by_default = 0.8,
                          .least = 0,
                          .most = std::nextafter(1.0, 0.0),
                          .choices = {}}},
          .dims = {1, 2, 3},
          .make = make_one<build_sharpen>};
}
Filter sharpen(double strength, int dims) { return make_single("sharpen", {{"strength", {strength}}}, dims); }

NamedFilter catalogue::high_pass_entry() {
  return {.name = "high_pass",
          .summary = "Edges and detail: what differs from the neighbours",
          .formula = "centre n - 1, others -1, with n = 3, 9, 27 taps in 1D, 2D, 3D",
          .source = "xFilters (github.com/tgautam03/xFilters)",
          .parameters = {},
          .dims = {1, 2, 3},
          .make = make_one<build_high_pass>};
}
Filter high_pass(int dims) { return make_single("high_pass", {}, dims); }

NamedFilter catalogue::low_pass_entry() {
  return {.name = "low_pass",
          .summary = "Mean of the neighbourhood",
          .formula = "all 1/divisor",
          .source = "xFilters (github.com/tgautam03/xFilters)",
          .parameters = {{.name = "divisor",
                          .meaning =
                              "what the sum of the taps is divided by; their number (3, 9, 27 in 1D, 2D, 3D) "
                              "unless given",
                          .unit = "",
                          .by_default = {},
                          .least = 0.001,
                          .most = 1e6,
                          .choices = {}}},
          .dims = {1, 2, 3},
          .make = make_one<build_low_pass>};
}
Filter low_pass(std::optional<double> divisor, int dims) {
  Arguments arguments;
  if (divisor) arguments["divisor"] = {*divisor};
  return make_single("low_pass", arguments, dims);
}

NamedFilter catalogue::emboss_entry() {
  return {.name = "emboss",
          .summary = "Relief: brightness as height, lit from one side",
          .formula =
              "δ - (c X - s Y), with X = (-1 0 1) in each row, Y its transpose, and (c, s) = (cos angle, sin "
              "angle) "
              "stretched until the larger is 1",
          .source = "GIMP's convolution matrix \"emboss\", which is angle 135",
          .parameters = {{.name = "angle",
                          .meaning = "where the light comes from, counter-clockwise from the right",
                          .unit = "degrees",
                          .by_default = 45,
                          .least = -360,
                          .most = 360,
                          .choices = {}}},
          .dims = {2},
          .make = make_one<build_emboss>};
}
Filter emboss(double angle) { return make_single("emboss", {{"angle", {angle}}}, 0); }

}  // namespace halation
