// answers.h: what the page is told, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/studio/picture/asked.h"
#include "app/studio/picture/workspace.h"

namespace halation::app {

using Json = nlohmann::ordered_json;

/// The library's list of filters: name, summary, formula, source, dims, parameters; the choices of borders, pixels and views; devices.
Json filters_answer(const Workspace& workspace);

/// The picture: name, shape, pixel, colour, alpha, pages; {"picture": null} where there is none.
Json picture_answer(const Workspace& workspace);

/// The weights of a chain's stage, counted from 0, of each of its filters: facts, up to `most_shown_taps` weights along an axis (of a volume
/// the slice at the anchor), and the magnitude of the frequency response at fz = 0,
///     |Σ w[z, y, x] · exp(−2πi (fy y + fx x))|,  fy and fx in [−1/2, 1/2].
inline constexpr std::int64_t most_shown_taps = 129;
/// The filters of a set that say anything: along an axis that the picture does not have a filter of a set is 0.
std::vector<Filter> telling(const FilterSet& set);
Json weights_answer(Workspace& workspace, const Picture& picture, const Asked& asked, std::size_t stage, const Turn& turn);

/// Method chosen and why, other methods, error bound, device; under "elsewhere" the same on every other device that there is, or its "error".
Json explain_answer(Workspace& workspace, const Picture& picture, const Asked& asked, const Turn& turn);

/// Counts of levels of the picture; of a result, with the share of clipped samples and the sentence that `halation apply` says.
Json histogram_answer(Workspace& workspace, const Picture& picture, const Turn& turn);
Json histogram_answer(Workspace& workspace, const Picture& picture, const Asked& asked, const Turn& turn);

/// The lines that do it to the file of that name.
Json code_answer(const std::string& name, const Asked& asked);

}  // namespace halation::app
