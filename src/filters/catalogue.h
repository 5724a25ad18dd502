// catalogue.h: what the files of named filters share: the entries, access to arguments, assembly of weights.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halation/filters.h"

namespace halation::catalogue {

// The entries of the list, each defined beside the weights it describes.
NamedFilter identity_entry();
NamedFilter sharpen_entry();
NamedFilter high_pass_entry();
NamedFilter low_pass_entry();
NamedFilter box_entry();
NamedFilter gaussian_entry();
NamedFilter gaussian_derivative_entry();
NamedFilter sobel_entry();
NamedFilter scharr_entry();
NamedFilter prewitt_entry();
NamedFilter laplacian_entry();
NamedFilter laplacian_of_gaussian_entry();
NamedFilter unsharp_mask_entry();
NamedFilter emboss_entry();
NamedFilter motion_blur_entry();
NamedFilter disk_entry();
NamedFilter edges_entry();

/// An entry's `make` for a single filter: `build` is called once the dimensions are known.
template <Filter (*build)(const Arguments&, int dims)>
FilterSet make_one(const Arguments& arguments, int dims) {
  if (dims != 0) return build(arguments, dims);
  return Filter::deferred("", [arguments](int image_dims) { return build(arguments, image_dims); });
}

/// `make_filter` for an entry of one filter.
Filter make_single(std::string_view name, const Arguments& arguments, int dims);

/// The value of a parameter that takes one.
double value_of(const Arguments& arguments, std::string_view parameter);

/// One value for each of `dims` axes, in the order depth, height, width. Throws `Error{invalid_argument}`
/// where there is neither one nor as many.
std::vector<double> values_of(std::string_view filter, const Arguments& arguments, std::string_view parameter,
                              int dims);

/// Throws `Error{invalid_argument}` beyond 2^24 weights (128 MiB). A separable filter asks for each axis by
/// itself.
void check_weight_count(std::string_view filter, double count);

/// The shortest text that reads back as `value`, without an exponent where it is of everyday size.
std::string text_of(double value);

/// One vector for each axis, in the order depth, height, width.
using FactorList = std::vector<std::vector<double>>;

/// The separable filter of 1 to 3 factors.
Filter separable(const FactorList& factors);

/// The weights of the separable filter, multiplied out in row-major order.
std::vector<double> outer_product(const FactorList& factors);

/// `taps` along each of `dims` axes.
FilterSize cube(std::int64_t taps, int dims);

/// The step of length 1 in the direction of `angle_degrees`, counter-clockwise from +x as seen on the screen
/// (y runs down). Components are rounded to 2^-40, so that right angles give whole numbers.
struct Step {
  double x, y;
};
Step step_towards(double angle_degrees);

}  // namespace halation::catalogue
