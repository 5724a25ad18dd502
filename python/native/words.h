// words.h: what Python says of filters, borders and options, as the library has it; for both modules.
#pragma once

#include <halation/chain.h>
#include <halation/display.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "text.h"

namespace halation::python {

namespace nb = nanobind;

Operation operation_named(const std::string& name);
Rounding rounding_named(const std::string& name);
Overflow overflow_named(const std::string& name);
Sum sum_named(const std::string& name);

using Triple = std::array<std::int64_t, 3>;
/// Size and anchor along depth, height and width, and weights: a row of f8 in row-major order, or a tuple of
/// factors z, y, x.
using FilterWords = std::tuple<Triple, Triple, nb::object>;
using BorderWords = std::pair<std::string, double>;

/// A filter given for correlation, as `operation` takes it.
Filter filter_from(const FilterWords& words, Operation operation);
Border border_from(const BorderWords& words);

/// A chain as a list of its stages: texts (`chain_from`), which may have several themselves, and filters,
/// (words, whether it always correlates), their weights as they are. Named filters follow the image.
Chain chain_of(const nb::list& stages);

/// What is asked of every stage of a chain, or of the last: names as in `Options`, of choices their words,
/// `output` a pixel's name or None; and `borders`, a tuple of 1 to 3 BorderWords for the innermost axes, of
/// which the first is that of those further out.
Options options_of(const nb::dict& words);

/// `alpha`, `linear` and `gray` of a dictionary, and its `view`, a name or None.
ColourOptions colours_of(const nb::dict& words);
std::optional<Display> view_of(const nb::dict& words);

}  // namespace halation::python
