// side_by_side.h: original and result in one picture.
#pragma once

#include "halation/io.h"

namespace halation::app {

/// What is known of a page before its pixels are.
struct PageKind {
  Shape shape;
  ColourModel colour = ColourModel::other;
  bool alpha = false;
};
PageKind kind_of(const Page& page);

/// The picture that `side_by_side` makes of two such pages: 8-bit gray or RGB, with alpha where either page
/// has it.
PageKind kind_of_side_by_side(const PageKind& original, const PageKind& result);

/// Original left, result right, a gap of 8 white pixels between; the smaller one centred on white. Values
/// become 8-bit by 0…255 → 0…255 (u8), 0…65535 → 0…255 (u16), −32768…32767 → 0…255 (i16), 0…1 → 0…255
/// (floats), clipped; light is sRGB-encoded. Colours of both are shown on the scales of the pixels
/// `original_scale` and `result_scale`. Of volumes the middle slice is shown, of channels without a colour
/// model the first three or the first. The profile is the original's.
Page side_by_side(const Page& original, const Page& result, Pixel original_scale, Pixel result_scale);

}  // namespace halation::app
