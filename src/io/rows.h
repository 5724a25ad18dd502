// rows.h: parts of pages whose coding gives whole rows.
#pragma once

#include <memory>

#include "io/codec.h"

namespace halation::io {

/// A reader of parts from one of rows. Where the page has a single row, which parts cut, it is read once and kept.
std::unique_ptr<PartReader> reading_rows(const PageFacts& page, std::unique_ptr<PartReader> rows);

}  // namespace halation::io
