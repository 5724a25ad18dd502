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

/// One value for all axes, or one for each of the filter's axes (as many as it has) in the order of arrays, depth, height, width:
/// `{2, 1}` is 2 along height and 1 along width.
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

/// The values of a parameter written as text: numbers apart by commas, or one of its choices. Throws `Error{invalid_argument}`: "gaussian:
/// sigma must be a finite number, got 'two'"; the range is left to `make_filter`.
std::vector<double> parse_values(const NamedFilter& filter, const Parameter& parameter, std::string_view text);

/// All named filters, in the order in which the program lists them.
std::span<const NamedFilter> named_filters();

/// The entry called `name`. Throws `Error{invalid_argument}`: "unknown filter 'gausian'; did you mean 'gaussian'?".
const NamedFilter& filter_named(std::string_view name);

/// The filter `name` with `arguments`; with `dims` 0 it follows the image. Throws `Error{invalid_argument}` for an unknown
/// parameter, a value out of range, NaN or infinite: "gaussian: sigma must be >= 0, got -1"; and for more than 2^24 weights (along
/// one axis where the filter is separable).
FilterSet make_filter(std::string_view name, const Arguments& arguments = {}, int dims = 0);

/// Weights written as text, rows apart by ';' or a line's end, numbers by blanks or commas: "0 -1 0; -1 5 -1; 0 -1 0". Blank lines
/// are skipped, and so is what follows a '#' on its line. One row is a 1D filter. Throws `Error{invalid_argument}` for ragged or
/// empty rows and for what is not a finite number: "weights: row 2 has 2 numbers, row 1 has 3".
Filter parse_weights(std::string_view text);

// The same filters as functions: one each, of weights w[k] as its formula says, δ being a weight of 1 at the centre and n the
// number of taps: 3, 9 or 27 of a filter of 3 taps along 1, 2 or 3 axes. All of them are correlations
// (`Filter::as_correlation`): `convolve` and `correlate` give the same result. `dims` is 1, 2 or 3, or 0 to follow the image
// (`Filter::deferred`); where it is no parameter, the filter is for images of 2 dimensions. Lengths are in pixels, angles in
// degrees, counter-clockwise from +x as seen on the screen, where y runs down.
//
// All throw `Error{invalid_argument}` for a value that is not finite or lies outside its range, "gaussian: sigma must be >= 0,
// got -1", and for other `dims`; what depends on the dimensions (the number of values per axis, an axis that there is not,
// more than 2^24 weights) is refused once they are known, which with `dims` 0 is when an image is there. Cost: the weights,
// of a deferred filter once a plan. The list says the same (`halation filters NAME`, docs/filters.md).

/// An axis of an image: z is depth, y height (downwards), x width. Counted from the innermost, so that x is there in any image.
enum class Axis { x, y, z };

/// What `gaussian` and `laplacian_of_gaussian` take.
struct GaussianOptions {
  /// Standard deviation in px: >= 0, and along an axis of 0 nothing is blurred, whatever the radius; of `laplacian_of_gaussian` >= 0.1.
  PerAxis sigma = 1.0;
  std::optional<PerAxis> radius = {};  ///< taps on each side of the centre, in px: whole, >= 0; none: ⌊4 sigma + 0.5⌋, 1 at least
  int dims = 0;                        ///< 1, 2, 3, or 0: those of the image
};

/// What `gaussian_derivative` takes, by name alone.
struct GaussianDerivativeOptions {
  ByName<GaussianDerivativeOptions> by_name = ByName<GaussianDerivativeOptions>();
  PerAxis sigma = 1.0;                 ///< standard deviation in px: >= 0.1, below which samples see nothing of the flanks
  std::optional<PerAxis> radius = {};  ///< taps on each side of the centre, in px: whole, >= 0; none: ⌊4 sigma + 0.5⌋, 1 at least
  int order_z = 0;                     ///< order of the derivative along z: 0 to 8; 0 in 1D and 2D
  int order_y = 0;                     ///< along y: 0 to 8; 0 in 1D
  int order_x = 1;                     ///< along x: 0 to 8
  int dims = 0;                        ///< 1, 2, 3, or 0: those of the image
};

/// What `unsharp_mask` takes.
struct UnsharpMaskOptions {
  PerAxis sigma = 1.0;                 ///< standard deviation of the blur in px: >= 0; along an axis of 0 nothing is blurred
  double amount = 1.0;                 ///< how much of what the blur takes away is added: 0 to 1000
  std::optional<PerAxis> radius = {};  ///< taps on each side of the centre, in px: whole, >= 0; none: ⌊4 sigma + 0.5⌋, 1 at least
  int dims = 0;                        ///< 1, 2, 3, or 0: those of the image
};

/// What `box` takes.
struct BoxOptions {
  PerAxis size = 3;  ///< taps along each axis: a whole number >= 1; an even window reaches one px further to the left and top
  int dims = 0;      ///< 1, 2, 3, or 0: those of the image
};

/// What `motion_blur` takes.
struct MotionBlurOptions {
  double length = 9;  ///< of the line, in px: >= 1
  double angle = 0;   ///< its direction in degrees, counter-clockwise from +x: -360 to 360
};

/// The image as it is: δ, one weight of 1. Source: the unit of convolution.
Filter identity(int dims = 0);

/// Sharpening by taking away a share of the mean of the neighbourhood, of 3 taps along each axis: with a = `strength`,
///
///     centre (n − a) / (n − n a),   others −a / (n − n a)
///
/// `strength` is in [0, 1): 0 changes nothing, 1 would divide by zero. The sum is 1. Source: xFilters
/// (github.com/tgautam03/xFilters).
Filter sharpen(double strength = 0.8, int dims = 0);

/// Edges and detail, what differs from the neighbours: centre n − 1, others −1, of 3 taps along each axis. The sum is 0.
/// Source: xFilters.
Filter high_pass(int dims = 0);

/// Mean of the neighbourhood of 3 taps along each axis: all weights 1 / `divisor`, which is from 0.001 to 10^6, and n unless
/// given. Source: xFilters.
Filter low_pass(std::optional<double> divisor = {}, int dims = 0);

/// Mean of a window of any size: all weights 1 / (number of taps), as factors along the axes. Costs the same at any size
/// (method `box`). Source: OpenCV's blur, scipy.ndimage.uniform_filter.
Filter box(const BoxOptions& options = {});

/// Gaussian blur, as factors along the axes, each of sum 1:
///
///     w[i] = exp(−i² / (2 sigma²)) / Σ,   i = −radius … radius
///
/// Source: scipy.ndimage.gaussian_filter, with its default radius.
Filter gaussian(const GaussianOptions& options = {});

/// Derivative of the image that `gaussian` blurs, positive where brightness rises along the axis; as factors along the axes,
/// with g the weights of `gaussian`, n the axis' order and He_n the Hermite polynomial (He_1(t) = t, He_2(t) = t² − 1):
///
///     w[i] = g[i] · He_n(i / sigma) / sigmaⁿ
///
/// The first derivative along x unless given. Source: scipy.ndimage.gaussian_filter with order=.
Filter gaussian_derivative(const GaussianDerivativeOptions& options = {});

/// First derivative along `axis`, positive where brightness rises along it, as factors: (−1 0 1) along it, (1 2 1) along each
/// other axis. It is 2, 8 or 32 times the slope in 1D, 2D or 3D. Refused where the image does not have the axis. Source:
/// Sobel and Feldman, 1968; OpenCV's Sobel, scipy.ndimage.sobel.
Filter sobel(Axis axis = Axis::x, int dims = 0);

/// As `sobel`, with the smallest error of direction: (3 10 3) along each other axis, 2, 32 or 512 times the slope. Source:
/// Scharr, Optimale Operatoren in der Digitalen Bildverarbeitung, 2000; OpenCV's Scharr.
Filter scharr(Axis axis = Axis::x, int dims = 0);

/// As `sobel`, averaged evenly: (1 1 1) along each other axis, 2, 6 or 18 times the slope. Source: Prewitt, Object
/// enhancement and extraction, 1970; scipy.ndimage.prewitt.
Filter prewitt(Axis axis = Axis::x, int dims = 0);

/// Sum of second derivatives, positive where the neighbours are brighter: 1 for each neighbour, minus their number at the
/// centre. `neighbours` 4 are those along the axes (2 in 1D, 6 in 3D), 8 all that touch (2 in 1D, 26 in 3D); the number that
/// there are in the dimension may be given as well, others are refused. Source: OpenCV's Laplacian, scipy.ndimage.laplace.
Filter laplacian(int neighbours = 4, int dims = 0);

/// Laplacian of the image that `gaussian` blurs, negative on bright blobs, 0 across edges: Σ over the axes of
/// `gaussian_derivative` with order 2 along that axis and 0 along the others. Cut off at the radius, the sum is near 0 but
/// not 0. Its weights are no product of factors: 2^24 of them at most. Source: scipy.ndimage.gaussian_laplace; Marr and
/// Hildreth, Theory of edge detection, 1980.
Filter laplacian_of_gaussian(const GaussianOptions& options = {});

/// Sharpening by what a Gaussian blur takes away: (1 + amount) δ − amount · `gaussian`. The sum is 1. Its weights are no
/// product of factors: 2^24 of them at most. Source: the darkroom technique; Gonzalez and Woods, Digital Image Processing.
Filter unsharp_mask(const UnsharpMaskOptions& options = {});

/// Relief, brightness as height and lit from one side, of images of 2 dimensions: δ − (c X − s Y), with X = (−1 0 1) in each
/// of three rows, Y its transpose, and (c, s) = (cos `angle`, sin `angle`) stretched until the larger is 1. The light comes
/// from `angle`, −360 to 360. Source: GIMP's convolution matrix "emboss", which is angle 135.
Filter emboss(double angle = 45);

/// Blur along a straight line, as by a camera that moved, of images of 2 dimensions: each weight is the area that its pixel
/// shares with a rectangle of length × 1 px, centred and turned by the angle, over the sum of these areas. Source: the
/// area-sampled form of MATLAB's fspecial('motion').
Filter motion_blur(const MotionBlurOptions& options = {});

/// Mean of a round window, as by a lens out of focus: each weight is the part of its pixel that lies within `radius` of the
/// centre, over the sum of these parts; an interval in 1D, a disk in 2D, a ball in 3D (there to 4 digits). `radius` reaches
/// from the centre of the middle pixel to the rim and is > 0. Source: the area-sampled form of MATLAB's fspecial('disk').
Filter disk(double radius = 5, int dims = 0);

/// Strength of edges, the length of the gradient: √(Σ over the axes of `sobel`(axis)²), as a filter for each axis and
/// `Combine::magnitude`. Source: Sobel and Feldman, 1968.
FilterSet edges(int dims = 0);

}  // namespace halation
