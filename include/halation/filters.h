// filters.h: filters by name; one list drives C++, the program's help, the docs and Python.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halation/by_name.h"
#include "halation/filter.h"

namespace halation {

/// One value for all axes, or one for each of the filter's axes in the order depth, height, width (as many as it has).
struct PerAxis {
  std::vector<double> values;

  PerAxis() = default;
  PerAxis(double all) : values{all} {}
  PerAxis(std::initializer_list<double> each) : values(each) {}
  PerAxis(std::vector<double> each) : values(std::move(each)) {}
};

/// Values given to a named filter's parameters, by name; parameters left out take their defaults.
using Arguments = std::map<std::string, std::vector<double>, std::less<>>;

/// One parameter of a named filter.
struct Parameter {
  std::string name;
  std::string meaning;
  std::string unit;                   ///< "px", "degrees", "" for a plain number
  std::optional<double> by_default;   ///< none: follows from others, as `meaning` says
  double least = 0, most = 0;         ///< the closed range of allowed values
  bool integer = false;
  bool per_axis = false;              ///< takes one value or one for each axis
  std::vector<std::string> choices;   ///< names of the values 0, 1, 2, …, for a choice such as x, y, z
};

/// One entry of the list.
struct NamedFilter {
  std::string name;
  std::string summary;   ///< one line
  std::string formula;   ///< the weights, in the words of the parameters
  std::string source;    ///< paper, book or program it comes from
  std::vector<Parameter> parameters;
  std::vector<int> dims;  ///< the dimensions in which it has a meaning, such as {1, 2, 3}
  /// For `make_filter`: arguments checked and defaults added; `dims` one of those above, or 0 to follow the image.
  FilterSet (*make)(const Arguments& arguments, int dims) = nullptr;
};

/// The range of a parameter in words: "> 0", "in [0, 1)", "an integer in [0, 8]", "x, y or z".
std::string allowed_values(const Parameter& parameter);

/// All named filters, in the order in which the program lists them.
std::span<const NamedFilter> named_filters();

/// The entry called `name`. Throws `Error{invalid_argument}`: "unknown filter 'gausian'; did you mean 'gaussian'?".
const NamedFilter& filter_named(std::string_view name);

/// The filter `name` with `arguments`; with `dims` 0 it follows the image. Throws `Error{invalid_argument}` for an unknown
/// parameter, a value out of range, NaN or infinite: "gaussian: sigma must be > 0, got -1"; and for more than 2^24 weights (along
/// one axis where the filter is separable).
FilterSet make_filter(std::string_view name, const Arguments& arguments = {}, int dims = 0);

/// Weights written as text, rows apart by ';' or a line's end, numbers by blanks or commas: "0 -1 0; -1 5 -1; 0 -1 0". Blank lines
/// are skipped, and so is what follows a '#' on its line. One row is a 1D filter. Throws `Error{invalid_argument}` for ragged or
/// empty rows and for what is not a finite number: "weights: row 2 has 2 numbers, row 1 has 3".
Filter parse_weights(std::string_view text);

// The same filters as functions. Every one takes `dims` (0: follows the image) and is a correlation
// (`Filter::as_correlation`): `convolve` and `correlate` give the same result. Formulas,
// ranges and sources stand in the list (`halation filters NAME`, docs/filters.md).

struct GaussianOptions { PerAxis sigma = 1.0; std::optional<PerAxis> radius = {}; int dims = 0; };
struct GaussianDerivativeOptions {
  ByName<GaussianDerivativeOptions> by_name = ByName<GaussianDerivativeOptions>();
  PerAxis sigma = 1.0;
  std::optional<PerAxis> radius = {};
  int order_z = 0, order_y = 0, order_x = 1;
  int dims = 0;
};
struct UnsharpMaskOptions { PerAxis sigma = 1.0; double amount = 1.0; std::optional<PerAxis> radius = {}; int dims = 0; };
struct BoxOptions { PerAxis size = 3; int dims = 0; };
struct MotionBlurOptions { double length = 9; double angle = 0; };
enum class Axis { x, y, z };

Filter identity(int dims = 0);
Filter sharpen(double strength = 0.8, int dims = 0);
Filter high_pass(int dims = 0);
Filter low_pass(std::optional<double> divisor = {}, int dims = 0);
Filter box(const BoxOptions& options = {});
Filter gaussian(const GaussianOptions& options = {});
Filter gaussian_derivative(const GaussianDerivativeOptions& options = {});
Filter sobel(Axis axis = Axis::x, int dims = 0);
Filter scharr(Axis axis = Axis::x, int dims = 0);
Filter prewitt(Axis axis = Axis::x, int dims = 0);
Filter laplacian(int neighbours = 4, int dims = 0);
Filter laplacian_of_gaussian(const GaussianOptions& options = {});
Filter unsharp_mask(const UnsharpMaskOptions& options = {});
Filter emboss(double angle = 45);
Filter motion_blur(const MotionBlurOptions& options = {});
Filter disk(double radius = 5, int dims = 0);
/// Gradient magnitude: Sobel along each axis of the image, combined as the root of the sum of squares.
FilterSet edges(int dims = 0);

}  // namespace halation
