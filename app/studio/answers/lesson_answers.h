// lesson_answers.h: what the page /lesson is told, as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/studio/picture/workspace.h"

namespace halation::app {

/// A tile in shared memory, of as many outputs along each of `dims` axes: loads, accesses that it replaces, reduction (model/tile.h), and how
/// many outputs use each element along an axis; of a rung also what it asks an output, as model/rungs.h has it: operations, loads from global
/// memory, operations a byte of them. Throws `Error{invalid_argument}` for sizes out of range, even masks and rungs that there are none of.
nlohmann::ordered_json tile_answer(std::int64_t outputs, std::int64_t mask, std::int64_t dims, const std::string& rung);

/// The GPU rungs in so many dimensions, as `halation ladder --json` writes them: as recorded on an H200, or, where that is asked for and
/// there is a GPU, as measured here and now; "measured_here" tells which. "gpu_here" is the GPU that could measure them, or null. Throws
/// `Error{invalid_argument}` for other dimensions, and what `run_ladder` throws.
nlohmann::ordered_json ladder_answer(Workspace& workspace, std::int64_t dims, bool measure);

}  // namespace halation::app
