// model.h: `halation explain` without a filter: tiles, occupancy, and which GPU is meant.
#pragma once

#include <cstdint>
#include <string>

#include "model/device_description.h"
#include "model/occupancy.h"

namespace halation::app {

/// How a report is written.
enum class Form { text, json };

/// The built-in description of that name, or for "present" the one of the first CUDA device here. Throws
/// `Error{invalid_argument}` for an unknown name, `Error{unsupported}` where no GPU is present or none of the
/// descriptions is its.
const model::DeviceDescription& gpu_named(const std::string& name);

/// Loads, accesses, reuse, tables and operations per byte for blocks of tile^dims outputs, as a page.
std::string explain_tiling(int dims, std::int64_t tile, std::int64_t mask, Form form);

/// What one multiprocessor holds of a kernel, and the same for other sizes of block, as a page.
std::string explain_occupancy(const model::DeviceDescription& device, const model::BlockNeeds& needs,
                              Form form);

}  // namespace halation::app
