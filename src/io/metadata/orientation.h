// orientation.h: pictures that were stored turned or mirrored.
#pragma once

#include "io/codec.h"

namespace halation::io {

/// The orientation 1 to 8 that Exif (CIPA DC-008, tag 0x0112) or TIFF gives; 1, upright, where it says
/// nothing usable.
int orientation_in(Bytes exif);

/// What turns pixels stored with an orientation upright: mirrored rows or columns, and after that the exchange of both.
constexpr bool mirrors_rows(int orientation) { return orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7; }
constexpr bool mirrors_columns(int orientation) { return orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8; }
constexpr bool swaps_sides(int orientation) { return orientation >= 5; }

/// Turns a page that was stored with `orientation`, 1 to 8, upright: its pixels, tiles, resolution, and what
/// Exif and XMP say of these.
void turn_upright(Page& page, int orientation);

/// Has Exif, which is made where it is missing, and XMP say an orientation.
void set_orientation(Metadata& metadata, int orientation);

}  // namespace halation::io
