// stack_description.h: what programs for microscopes write into a TIFF's ImageDescription of all its pages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/codec.h"

namespace halation::io {

/// How many images ImageJ says that the file holds; 1 in the words of others.
std::int64_t images_said_by_imagej(std::string_view description);

/// The program of microscopes, "ImageJ" or "OME", whose description this is; empty for any other.
std::string_view stack_program(std::string_view description);

/// Whether what ImageJ, OME or tifffile say of a file's pages (how many, of which extents and samples) holds of these. Other texts say
/// nothing of them.
bool describes(std::string_view description, std::span<const PageView> pages);

/// The description in the Exif of one of these pages; empty where it has none, or one that does not hold of them.
std::string kept_description(std::span<const PageView> pages, const PageView& page);

/// Whether a TIFF of these pages has the description that the program in `described_by` has written.
bool keeps_stack_description(std::span<const PageFacts> pages);

}  // namespace halation::io
