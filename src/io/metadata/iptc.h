// iptc.h: IPTC-IIM, captions and keywords of the press, where files have it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/codec.h"

namespace halation::io {

/// In Photoshop's resources, a list of pieces "8BIM": the piece 0x0404, empty where there is none. Resources that are damaged end the list.
std::vector<std::byte> iptc_in_resources(Bytes resources);
/// As the only piece of such a list; empty where there is no IPTC.
std::vector<std::byte> resources_with(Bytes iptc);

/// In the text of a PNG's "Raw profile type iptc", as ImageMagick and ExifTool write it: hexadecimal, of resources or of IPTC itself. Empty
/// where it is damaged.
std::vector<std::byte> iptc_in_profile_text(std::string_view text);
std::string profile_text_with(Bytes iptc);

/// In the directory of the TIFF or BigTIFF `file` at `at`: its own tag or, where there is none, Photoshop's resources. The bytes are as
/// they lie in the file, whatever type the tag has and the file's byte order; where it counts in fours zeros may follow them.
std::vector<std::byte> iptc_in_tiff(Bytes file, std::uint64_t at);

}  // namespace halation::io
