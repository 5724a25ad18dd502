// blur.cpp: evenly filled windows: box, line of motion, disk.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "filters/catalogue.h"

namespace halation {
namespace {

using namespace catalogue;

constexpr double unlimited = std::numeric_limits<double>::max();

/// Divides by the sum, so that brightness stays.
void normalise(std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
}

Filter build_box(const Arguments& arguments, int dims) {
  FactorList factors;
  double taps = 1;
  for (const double size : values_of("box", arguments, "size", dims)) {
    check_weight_count("box", size);
    factors.emplace_back(static_cast<std::size_t>(size), 1.0);
    taps *= size;
  }
  for (double& weight : factors.back()) weight = 1 / taps;
  return separable(factors);
}

struct Point {
  double x, y;
};
using Polygon = std::vector<Point>;

/// The part of a convex polygon where nx · x + ny · y <= limit.
Polygon clipped(const Polygon& polygon, double nx, double ny, double limit) {
  Polygon inside;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point a = polygon[i];
    const Point b = polygon[(i + 1) % polygon.size()];
    const double beyond_a = nx * a.x + ny * a.y - limit;
    const double beyond_b = nx * b.x + ny * b.y - limit;
    if (beyond_a <= 0) inside.push_back(a);
    if ((beyond_a < 0 && beyond_b > 0) || (beyond_a > 0 && beyond_b < 0)) {
      const double t = beyond_a / (beyond_a - beyond_b);
      inside.push_back({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
    }
  }
  return inside;
}

double area(const Polygon& polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point a = polygon[i];
    const Point b = polygon[(i + 1) % polygon.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  return std::abs(twice) / 2;
}

Filter build_motion_blur(const Arguments& arguments, int) {
  const double half = value_of(arguments, "length") / 2;
  const Step along = step_towards(value_of(arguments, "angle"));
  const Point end{half * along.x, half * along.y};
  const Point side{-along.y / 2, along.x / 2};
  const Polygon line{{end.x + side.x, end.y + side.y},
                     {end.x - side.x, end.y - side.y},
                     {-end.x - side.x, -end.y - side.y},
                     {-end.x + side.x, -end.y + side.y}};

  const double radius_x = std::ceil(std::abs(end.x) + std::abs(side.x) - 0.5);
  const double radius_y = std::ceil(std::abs(end.y) + std::abs(side.y) - 0.5);
  check_weight_count("motion_blur", (2 * radius_x + 1) * (2 * radius_y + 1));
  const FilterSize size{.height = static_cast<std::int64_t>(2 * radius_y + 1),
                        .width = static_cast<std::int64_t>(2 * radius_x + 1)};
  std::vector<double> weights(size.taps(), 0.0);
  // The second half of the taps mirrors the first.
  for (std::int64_t tap = 0; tap <= size.taps() / 2; ++tap) {
    const std::int64_t row = tap / size.width;
    const std::int64_t column = tap % size.width;
    const double x = static_cast<double>(column) - radius_x;
    const double y = static_cast<double>(row) - radius_y;
    const double distance = std::abs(x * along.y - y * along.x);
    if (distance > 0.5 + std::numbers::sqrt2 / 2) continue;
    Polygon part = clipped(line, 1, 0, x + 0.5);
    part = clipped(part, -1, 0, 0.5 - x);
    part = clipped(part, 0, 1, y + 0.5);
    part = clipped(part, 0, -1, 0.5 - y);
    weights[tap] = weights[size.taps() - 1 - tap] = area(part);
  }
  normalise(weights);
  return Filter::dense(size, std::move(weights));
}

/// Area of the disk of the given radius around 0 within the rectangle from 0 to (x, y), negative where one of
/// them is.
double disk_area_to(double x, double y, double radius) {
  const double sign = (x < 0) == (y < 0) ? 1 : -1;
  x = std::min(std::abs(x), radius);
  y = std::min(std::abs(y), radius);
  if (x * x + y * y <= radius * radius) return sign * x * y;
  const auto arc_to = [radius](double t) {  // ∫ √(radius² - t²) dt
    return (t * std::sqrt(radius * radius - t * t) + radius * radius * std::asin(t / radius)) / 2;
  };
  const double leaves_y = std::sqrt(radius * radius - y * y);
  return sign * (leaves_y * y + arc_to(x) - arc_to(leaves_y));
}

/// Area that the disk shares with the pixel at (x, y).
double disk_in_pixel(double x, double y, double radius) {
  const auto to = [radius](double px, double py) { return disk_area_to(px, py, radius); };
  const double near_x = std::max(std::abs(x) - 0.5, 0.0);
  const double near_y = std::max(std::abs(y) - 0.5, 0.0);
  if (near_x * near_x + near_y * near_y >= radius * radius) return 0;
  const double shared =
      to(x + 0.5, y + 0.5) - to(x - 0.5, y + 0.5) - to(x + 0.5, y - 0.5) + to(x - 0.5, y - 0.5);
  return std::clamp(shared, 0.0, 1.0);
}

/// Volume that the ball shares with the voxel: the mean of 64 slices across z, which is best the smallest
/// coordinate.
double ball_in_voxel(double x, double y, double z, double radius) {
  const double far = std::hypot(x + 0.5, y + 0.5, z + 0.5);
  if (far <= radius) return 1;
  constexpr int slices = 64;
  double sum = 0;
  for (int slice = 0; slice < slices; ++slice) {
    const double height = z - 0.5 + (slice + 0.5) / slices;
    const double rest = radius * radius - height * height;
    if (rest > 0) sum += disk_in_pixel(x, y, std::sqrt(rest));
  }
  return sum / slices;
}

/// Length that the interval from -radius to radius shares with the sample at x.
double interval_in_sample(double x, double radius) {
  return std::max(0.0, std::min(x + 0.5, radius) - std::max(x - 0.5, -radius));
}

Filter build_disk(const Arguments& arguments, int dims) {
  const double radius = value_of(arguments, "radius");
  const double reach = std::max(0.0, std::ceil(radius - 0.5));  // taps on each side
  check_weight_count("disk", std::pow(2 * reach + 1, dims));
  const auto half = static_cast<std::int64_t>(reach);
  const FilterSize size = cube(2 * half + 1, dims);
  if (half == 0) return Filter::dense(size, {1});  // also where the radius is so small that its square is 0

  // Taps that mirror or swap axes onto each other share one coverage, found at coordinates in falling order.
  std::vector<double> coverage(cube(half + 1, dims).taps(), -1.0);
  std::vector<double> weights;
  weights.reserve(size.taps());
  for (std::int64_t tap = 0; tap < size.taps(); ++tap) {
    std::array<std::int64_t, 3> at{};
    std::int64_t rest = tap;
    for (int axis = 0; axis < dims; ++axis, rest /= size.width) at[axis] = std::abs(rest % size.width - half);
    std::sort(at.begin(), at.end());
    const auto [z, y, x] = at;
    double& share = coverage[(z * (half + 1) + y) * (half + 1) + x];
    if (share < 0) {
      const auto dx = static_cast<double>(x);
      const auto dy = static_cast<double>(y);
      share = dims == 1   ? interval_in_sample(dx, radius)
              : dims == 2 ? disk_in_pixel(dx, dy, radius)
                          : ball_in_voxel(dx, dy, static_cast<double>(z), radius);
    }
    weights.push_back(share);
  }
  normalise(weights);
  return Filter::dense(size, std::move(weights));
}

}  // namespace

NamedFilter catalogue::box_entry() {
  return {.name = "box",
          .summary = "Mean of a window of any size",
          .formula = "all 1/(number of taps)",
          .source = "OpenCV blur, scipy.ndimage.uniform_filter",
          .parameters = {{.name = "size",
                          .meaning =
                              "taps along each axis; an even window reaches one further to the left and top",
                          .unit = "px",
                          .by_default = 3,
                          .least = 1,
                          .most = unlimited,
                          .integer = true,
                          .per_axis = true,
                          .choices = {}}},
          .dims = {1, 2, 3},
          .make = make_one<build_box>};
}
Filter box(const BoxOptions& options) {
  return make_single("box", {{"size", options.size.values}}, options.dims);
}

NamedFilter catalogue::motion_blur_entry() {
  return {
      .name = "motion_blur",
      .summary = "Blur along a straight line, as by a camera that moved",
      .formula =
          "the area that each pixel shares with a rectangle of length × 1 px, centred and turned by angle, "
          "over the sum of these areas",
      .source = "the area-sampled form of MATLAB's fspecial('motion')",
      .parameters = {{.name = "length",
                      .meaning = "length of the line",
                      .unit = "px",
                      .by_default = 9,
                      .least = 1,
                      .most = unlimited,
                      .choices = {}},
                     {.name = "angle",
                      .meaning = "direction of the line, counter-clockwise from the right",
                      .unit = "degrees",
                      .by_default = 0,
                      .least = -360,
                      .most = 360,
                      .choices = {}}},
      .dims = {2},
      .make = make_one<build_motion_blur>};
}
Filter motion_blur(const MotionBlurOptions& options) {
  return make_single("motion_blur", {{"length", {options.length}}, {"angle", {options.angle}}}, 0);
}

NamedFilter catalogue::disk_entry() {
  return {.name = "disk",
          .summary = "Mean of a round window, as by a lens out of focus",
          .formula =
              "the part of each pixel that lies within the radius, over the sum of these parts; an interval "
              "in 1D, "
              "a disk in 2D, a ball in 3D (there to 4 digits)",
          .source = "the area-sampled form of MATLAB's fspecial('disk')",
          .parameters = {{.name = "radius",
                          .meaning = "distance from the centre of the middle pixel to the rim",
                          .unit = "px",
                          .by_default = 5,
                          .least = std::nextafter(0.0, 1.0),
                          .most = unlimited,
                          .choices = {}}},
          .dims = {1, 2, 3},
          .make = make_one<build_disk>};
}
Filter disk(double radius, int dims) { return make_single("disk", {{"radius", {radius}}}, dims); }

}  // namespace halation
