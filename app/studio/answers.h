// answers.h: what the page is told, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "asked.h"
#include "workspace.h"

namespace halation::app {

using Json = nlohmann::ordered_json;

/// The library's list of filters: name, summary, formula, source, dims, parameters; the choices of borders, pixels and views; devices.
Json filters_answer(const Workspace& workspace);

/// The picture: name, shape, pixel, colour, alpha, pages; {"picture": null} where there is none.
Json picture_answer(const Workspace& workspace);

/// The weights of a chain's stage, counted from 0, of each of its filters: facts, up to `most_shown_taps` weights along an axis (of a volume
/// the slice at the anchor), and the magnitude of the frequency response,  |Σ w[y, x] · exp(−2πi (fy y + fx x))|,  fy and fx in [−1/2, 1/2].
inline constexpr std::int64_t most_shown_taps = 129;
Json weights_answer(Workspace& workspace, const Asked& asked, std::size_t stage);

/// Method chosen and why, other methods, error bound, device; the same on every other device that there is.
Json explain_answer(Workspace& workspace, const Asked& asked);

/// Counts of levels of the picture and of the result, the share of clipped samples with the sentence that `halation apply` says.
Json histogram_answer(Workspace& workspace, const Asked& asked, const Turn& turn);

/// A pixel of a stage's result: neighbourhood, weights, their products' sum. `before`: the stages before, "" where there are none.
Json inspect_answer(Workspace& workspace, const Asked& asked, const std::string& before, std::int64_t x, std::int64_t y, const Turn& turn);

/// A tile in shared memory, along two axes: loads, accesses that it replaces, reduction (model/tile.h), and how many outputs use each element
/// along an axis. Throws `Error{invalid_argument}` for sizes out of range and even masks.
Json tile_answer(std::int64_t outputs, std::int64_t mask);

Json code_answer(const Workspace& workspace, const Asked& asked);

}  // namespace halation::app
