// xmp.h: XMP changed where it lies, without a parser of XML.
#pragma once

#include <string_view>
#include <vector>

#include "io/codec.h"

namespace halation::io {

/// Has XMP say another digit of a property that it has with a digit, as an attribute (tiff:Orientation="6") or as an element
/// (<tiff:Orientation>6<).
void set_xmp_digit(std::vector<std::byte>& xmp, std::string_view property, int digit);

}  // namespace halation::io
