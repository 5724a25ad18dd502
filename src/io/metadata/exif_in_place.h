// exif_in_place.h: Exif changed where it lies, so that nothing in it moves: maker's notes count from places that only their maker knows.
#pragma once

#include <optional>
#include <vector>

#include "io/codec.h"

namespace halation::io {

/// The unsigned number of so many bytes at a place that is there, in the byte order of `exif`.
std::uint32_t exif_number(Bytes exif, std::size_t position, std::size_t bytes);

/// Where the entry of a tag lies in the directory at `directory`; none where there is no such, or the bytes are no Exif.
std::optional<std::size_t> find_entry(Bytes exif, std::size_t directory, std::uint16_t tag);
/// The place of the first directory, 0 where there is none.
std::size_t first_directory(Bytes exif);

/// Leaves the small picture out, which shows what the file was. Its directory is no longer led to; its bytes are cut off where they are
/// the last ones, and zeros where no directory or value lies among them.
void remove_thumbnail(std::vector<std::byte>& exif);

/// Has width and height, and resolution along x and y, of the picture and of the sensor, change places.
void swap_sides(std::vector<std::byte>& exif);

/// Turns the subject's place and extent, of a picture that was stored with that orientation, height and width, upright.
void turn_subject(std::vector<std::byte>& exif, int orientation, const Shape& stored);

}  // namespace halation::io
