// nearest.h: the name that a mistyped one, or one of another tool, was probably meant to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halation {

/// The candidate that other tools call `name`, such as gaussian for "GaussianBlur", or u8 for "uint8".
std::optional<std::string> same_elsewhere(std::string_view name, const std::vector<std::string>& candidates);

/// That, else the candidate that `name` was probably meant to be: at most about every third letter is one more, one less, another one or swapped with
/// the next; the first of equals.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

/// "; did you mean 'sigma'?", or nothing.
std::string meant(std::string_view name, const std::vector<std::string>& candidates);

/// Throws `Error{invalid_argument}`: "unknown border 'wrp'; choose from constant, replicate, reflect, reflect101, wrap; did you mean 'wrap'?".
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view name, const std::vector<std::string>& choices);

}  // namespace halation
