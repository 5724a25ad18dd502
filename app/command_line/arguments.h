// arguments.h: texts from the command line become numbers, borders, anchors and weights.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halation/border.h"
#include "halation/filter.h"
#include "halation/io.h"
#include "halation/plan.h"

namespace halation::app {

// Every function throws `Error{invalid_argument}` with a sentence that begins with the option's name.

/// The parts of `text` between separators; at least one, each possibly empty. They are views of it: a string
/// that goes at the end of the call is refused by the compiler.
std::vector<std::string_view> split(std::string_view text, char separator);
template <std::same_as<std::string> Temporary>
void split(const Temporary&& text, char separator) = delete;

/// A finite number.
double number_from(std::string_view option, std::string_view text);

/// A whole number from `least` to `most`.
std::int64_t whole_number_from(std::string_view option, std::string_view text, std::int64_t least,
                               std::int64_t most);

/// A number of bytes: 512M, 1.5G; K, M, G and T are powers of 1024.
std::size_t bytes_from(std::string_view option, std::string_view text);

/// One mode for all axes, or one each for height,width or depth,height,width; `value` is that of the constant
/// modes.
std::vector<Border> borders_from(std::string_view text, double value);

/// One, two or three places, the last along x, the one before along y, the first of three along z.
std::vector<std::int64_t> anchor_from(std::string_view text);

Rounding rounding_from(std::string_view text);
Sum sum_from(std::string_view text);
ArrayLayout layout_from(std::string_view text);

/// Nothing for "auto"; everything else as `device_named`.
std::optional<Device> device_from(std::string_view text);

/// The same for several GPUs, "cuda:0,cuda:1", or all there are, "cuda:all".
std::vector<Device> devices_from(std::string_view text);

/// Weights written as text ("0 -1 0; -1 5 -1; 0 -1 0"), or the name of a file that holds them: ".txt" in the
/// same notation, ".npy" an array of 1 to 3 axes. Throws `Error{io}` for a file that cannot be read.
Filter weights_from(std::string_view text_or_file);

}  // namespace halation::app
