// orientation.h: pictures that were stored turned or mirrored.
#pragma once

#include "io/codec.h"

namespace halation::io {

/// The orientation 1 to 8 that Exif (CIPA DC-008, tag 0x0112) or TIFF gives; 1, upright, where it says
/// nothing usable.
int orientation_in(Bytes exif);

/// Turns a page that was stored with `orientation` upright: its pixels, its resolution, and the orientation
/// written in its Exif and XMP.
void turn_upright(Page& page, int orientation);

/// Makes the orientation written in Exif and XMP 1, upright.
void clear_orientation(Metadata& metadata);

}  // namespace halation::io
