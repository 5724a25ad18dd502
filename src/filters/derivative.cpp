// derivative.cpp: first and second differences of neighbouring pixels.
#include "filters/catalogue.h"
#include "halation/error.h"

namespace halation {
namespace {

using namespace catalogue;

/// (-1 0 1) along `axis` (0: x, 1: y, 2: z), `smooth` along the others.
Filter difference(const char* filter, const std::vector<double>& smooth, int axis, int dims) {
  if (axis >= dims) {
    throw Error{ErrorCode::invalid_argument, std::string(filter) + ": axis must be " +
                                                 (dims == 1 ? "x" : "x or y") + " in " +
                                                 std::to_string(dims) + "D, got " + "xyz"[axis]};
  }
  FactorList factors(dims, smooth);
  factors[dims - 1 - axis] = {-1, 0, 1};
  return separable(factors);
}

int axis_of(const Arguments& arguments) { return static_cast<int>(value_of(arguments, "axis")); }

Arguments axis_arguments(Axis axis) { return {{"axis", {static_cast<double>(axis)}}}; }

Parameter axis_parameter() {
  return {.name = "axis",
          .meaning = "axis of the derivative",
          .unit = "",
          .by_default = 0,
          .least = 0,
          .most = 2,
          .integer = true,
          .choices = {"x", "y", "z"}};
}

std::vector<double> sobel_smooth() { return {1, 2, 1}; }

Filter build_sobel(const Arguments& arguments, int dims) {
  return difference("sobel", sobel_smooth(), axis_of(arguments), dims);
}
Filter build_scharr(const Arguments& arguments, int dims) {
  return difference("scharr", {3, 10, 3}, axis_of(arguments), dims);
}
Filter build_prewitt(const Arguments& arguments, int dims) {
  return difference("prewitt", {1, 1, 1}, axis_of(arguments), dims);
}

/// Sobel along `axis`; all 0 where the image does not have that axis, which adds nothing to a magnitude.
Filter build_edge(int axis, int dims) {
  if (axis < dims) return difference("edges", sobel_smooth(), axis, dims);
  FactorList factors(dims, {1, 1, 1});
  factors.back() = {0, 0, 0};
  return separable(factors);
}

FilterSet make_edges(const Arguments&, int dims) {
  std::vector<Filter> filters;
  if (dims != 0) {
    for (int axis = 0; axis < dims; ++axis) filters.push_back(build_edge(axis, dims));
  } else {
    for (int axis = 0; axis < 3; ++axis) {
      filters.push_back(Filter::deferred("", [axis](int image_dims) { return build_edge(axis, image_dims); }));
    }
  }
  return {filters, Combine::magnitude};
}

Filter build_laplacian(const Arguments& arguments, int dims) {
  struct Choice {
    std::vector<int> along_axes, all;  // numbers of neighbours that may be asked for
    const char* text;
  };
  static const Choice choices[] = {{{2, 4, 8}, {}, "2 (4 and 8 mean the same)"},
                                   {{4}, {8}, "4 or 8"},
                                   {{6, 4}, {26, 8}, "6 or 26 (4 and 8 mean the same)"}};
  const Choice& choice = choices[dims - 1];
  const int neighbours = static_cast<int>(value_of(arguments, "neighbours"));
  const auto is_in = [neighbours](const std::vector<int>& numbers) {
    for (const int number : numbers) {
      if (number == neighbours) return true;
    }
    return false;
  };
  if (!is_in(choice.along_axes) && !is_in(choice.all)) {
    throw Error{ErrorCode::invalid_argument, std::string("laplacian: neighbours must be ") + choice.text +
                                                 " in " + std::to_string(dims) + "D, got " +
                                                 std::to_string(neighbours)};
  }

  const FilterSize size = cube(3, dims);
  std::vector<double> weights(size.taps(), is_in(choice.all) ? 1.0 : 0.0);
  const std::int64_t centre = size.taps() / 2;
  std::int64_t step = 1;
  for (int axis = 0; axis < dims; ++axis, step *= 3) weights[centre - step] = weights[centre + step] = 1;
  weights[centre] = 0;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  weights[centre] = -sum;
  return Filter::dense(size, std::move(weights));
}

}  // namespace

NamedFilter catalogue::sobel_entry() {
  return {
      .name = "sobel",
      .summary = "First derivative along an axis, positive where brightness rises along it",
      .formula =
          "(-1 0 1) along the axis, (1 2 1) along each other axis; 2, 8, 32 times the slope in 1D, 2D, 3D",
      .source = "Sobel and Feldman, 1968; OpenCV Sobel, scipy.ndimage.sobel",
      .parameters = {axis_parameter()},
      .dims = {1, 2, 3},
      .make = make_one<build_sobel>};
}
Filter sobel(Axis axis, int dims) { return make_single("sobel", axis_arguments(axis), dims); }

NamedFilter catalogue::scharr_entry() {
  return {
      .name = "scharr",
      .summary = "First derivative along an axis with the smallest error of direction",
      .formula =
          "(-1 0 1) along the axis, (3 10 3) along each other axis; 2, 32, 512 times the slope in 1D, 2D, 3D",
      .source = "Scharr, Optimale Operatoren in der Digitalen Bildverarbeitung, 2000; OpenCV Scharr",
      .parameters = {axis_parameter()},
      .dims = {1, 2, 3},
      .make = make_one<build_scharr>};
}
Filter scharr(Axis axis, int dims) { return make_single("scharr", axis_arguments(axis), dims); }

NamedFilter catalogue::prewitt_entry() {
  return {
      .name = "prewitt",
      .summary = "First derivative along an axis, averaged evenly over the others",
      .formula =
          "(-1 0 1) along the axis, (1 1 1) along each other axis; 2, 6, 18 times the slope in 1D, 2D, 3D",
      .source = "Prewitt, Object enhancement and extraction, 1970; scipy.ndimage.prewitt",
      .parameters = {axis_parameter()},
      .dims = {1, 2, 3},
      .make = make_one<build_prewitt>};
}
Filter prewitt(Axis axis, int dims) { return make_single("prewitt", axis_arguments(axis), dims); }

NamedFilter catalogue::laplacian_entry() {
  return {
      .name = "laplacian",
      .summary = "Sum of second derivatives, positive where the neighbours are brighter",
      .formula = "1 for each neighbour, minus their number at the centre",
      .source = "OpenCV Laplacian, scipy.ndimage.laplace (neighbours along the axes)",
      .parameters = {{.name = "neighbours",
                      .meaning =
                          "4: those along the axes (2 in 1D, 6 in 3D); 8: all that touch (2 in 1D, 26 in 3D)",
                      .unit = "",
                      .by_default = 4,
                      .least = 2,
                      .most = 26,
                      .integer = true,
                      .choices = {}}},
      .dims = {1, 2, 3},
      .make = make_one<build_laplacian>};
}
Filter laplacian(int neighbours, int dims) {
  return make_single("laplacian", {{"neighbours", {static_cast<double>(neighbours)}}}, dims);
}

NamedFilter catalogue::edges_entry() {
  return {.name = "edges",
          .summary = "Strength of edges: the length of the gradient",
          .formula = "√(Σ over the axes of sobel(axis)²)",
          .source = "Sobel and Feldman, 1968",
          .parameters = {},
          .dims = {1, 2, 3},
          .make = make_edges};
}
FilterSet edges(int dims) { return make_filter("edges", {}, dims); }

}  // namespace halation
