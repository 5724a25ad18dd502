// display.h: results as pictures: values that a pixel cannot hold are counted, and shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "halation/chain.h"

namespace halation {

/// What a pixel shows of a value x of the result, which is Options::scale · sum + Options::offset, in levels
/// of the output and not yet rounded. [lo, hi] is the pixel's range: [0, 255], [0, 65535], [−32768, 32767],
/// and [0, 1] of floats.
enum class Display {
  /// "signed": mid + (hi − mid) · x / X. Zero is middle grey: mid is 128, 32768, 0 and 0.5. X is the largest
  /// |x| that the weights give of any input, scale 1 and offset 0 (`results_of`), so that nothing is lost and
  /// every picture has the same factor; a larger `scale` is more contrast. Two cases go beyond X: floats
  /// outside [0, 1], and weights below 0 over partial transparency.
  signed_values,
  /// "abs": |x|, saturated.
  magnitude,
  /// "stretch": linear, from the smallest to the largest finite value of all colours of the image to the
  /// pixel's whole range; an image of one value becomes the middle of it.
  stretched,
};

/// "signed", "abs" or "stretch". Throws `Error{invalid_argument}` naming the choices.
Display display_named(std::string_view name);
std::string_view name_of(Display display);

/// A closed interval.
struct Interval {
  double least = 0;
  double most = 0;
};

/// Where the results lie, in levels of `output`, whatever an image of `input` holds: with P and N the sums of
/// the positive and of the negative weights and pixels in [lo, hi], the border's constant among them, [P·lo +
/// N·hi, P·hi + N·lo]; of magnitudes [0, the root of the sum of squares]. Float pixels are taken to hold [0,
/// 1]. In linear light the same of light, encoded again. Of a chain, whose filters' dimensions are settled, each stage's results are the
/// next one's pixels. `options.scale` and `offset` count.
Interval results_of(const Chain& chain, Pixel input, Pixel output, const Options& options = {},
                    bool linear = false);

/// Samples of colour that lie beyond the range of integer pixels, so that rounding made them its ends.
struct Clipped {
  std::int64_t samples = 0;  ///< all that there are
  std::int64_t below = 0;
  std::int64_t above = 0;

  double share() const {
    return samples == 0 ? 0 : static_cast<double>(below + above) / static_cast<double>(samples);
  }
  Clipped& operator+=(const Clipped& more);
};

/// How many samples of `result`, which `convolve_chain` has made of `in`, were clipped. Where the results
/// cannot leave the range (`results_of`), or where at most `least_share` of the samples stands at its ends,
/// which one look at the result tells, the answer is 0 and 0; else the image is filtered once more, to i16
/// where that holds the results of u8, to floats otherwise, and the answer is exact but for what these sums
/// round. Floats are not clipped. Errors as `convolve_chain`; both images must lie in host memory.
Clipped count_clipped(ConstView in, ConstView result, const Chain& chain, const Options& options = {},
                      const ColourOptions& colour = {}, double least_share = 0,
                      std::optional<Device> device = {});

/// `convolve_chain` with the result shown by `display`: filtered to f32 (f64 where the input is or
/// `options.sum` asks for it), then rounded once, to `options.output`. Alpha is as `convolve_colour` leaves
/// it. `clipped`, where given, receives what is clipped all the same. Errors as `convolve_chain`; the image
/// must lie in host memory.
Image convolve_display(ConstView in, const Chain& chain, Display display, const Options& options = {},
                       const ColourOptions& colour = {}, std::optional<Device> device = {},
                       Clipped* clipped = nullptr);

}  // namespace halation
