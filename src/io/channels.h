// channels.h: changes between the meanings that channels have in files.
#pragma once

#include "io/codec.h"

namespace halation::io {

/// Divides colour by alpha, the last channel, in place. Full alpha is the largest value of integers and 1 of
/// floats; where alpha is 0, colour stays as it is. Channels may be planes.
void divide_by_alpha(View pixels);

/// The same pixels with colour multiplied by alpha.
Image multiplied_by_alpha(ConstView pixels);

/// R = (1 − C)(1 − K), and so for G with M and B with Y; a fifth channel, alpha, is kept.
Image rgb_from_cmyk(ConstView pixels);

/// True where the ICC profile describes pixels of this colour model (ICC.1, header bytes 16 to 19).
bool profile_fits(Bytes icc, ColourModel colour);

}  // namespace halation::io
