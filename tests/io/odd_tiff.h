// odd_tiff.h: TIFF files of every kind, made by libtiff itself.
#pragma once

#include <tiffio.h>

#include <functional>
#include <memory>

#include "pictures.h"

namespace halation::test {

/// How libtiff is to store samples, given in row-major order with channels side by side.
struct Odd {
  const char* mode = "w";  // "wl", "wb" for the byte order, "w8" for BigTIFF
  int bits = 8;
  int format = SAMPLEFORMAT_UINT;
  int samples = 1;
  int photometric = PHOTOMETRIC_MINISBLACK;
  int compression = COMPRESSION_NONE;
  bool planes_apart = false;
  int tile_width = 0, tile_height = 0;  // 0: strips of `rows_per_strip`
  int rows_per_strip = 3;
  std::vector<std::uint16_t> extras = {};
  std::function<void(TIFF*)> more = {};
};

inline std::unique_ptr<TIFF, decltype(&TIFFClose)> opened(const std::string& path, const char* mode) {
  return {TIFFOpen(path.c_str(), mode), &TIFFClose};
}

/// Writes one page into an open file; `row_of` gives the packed bytes of columns [left, left + columns) of
/// one row and plane.
using Row = std::function<std::string(int plane, int row, int left, int columns)>;

inline void write_page(TIFF* tiff, const Odd& odd, int height, int width, const Row& row_of) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, odd.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, odd.samples);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, odd.format);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, odd.photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, odd.compression);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, odd.planes_apart ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (!odd.extras.empty())
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(odd.extras.size()), odd.extras.data());
  const bool tiled = odd.tile_width > 0;
  if (tiled) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, odd.tile_width);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, odd.tile_height);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, odd.rows_per_strip);
  }
  if (odd.more) odd.more(tiff);
  const int block_width = tiled ? odd.tile_width : width;
  const int block_height = tiled ? odd.tile_height : odd.rows_per_strip;
  std::uint32_t number = 0;
  for (int plane = 0; plane < (odd.planes_apart ? odd.samples : 1); ++plane) {
    for (int top = 0; top < height; top += block_height) {
      for (int left = 0; left < width; left += block_width, ++number) {
        std::string block;
        for (int y = top; y < (tiled ? top + block_height : std::min(top + block_height, height)); ++y) {
          std::string row =
              y < height ? row_of(plane, y, left, std::min(block_width, width - left)) : std::string();
          if (tiled)
            row.resize(static_cast<std::size_t>(TIFFTileRowSize(tiff)), '\x55');  // beyond the edge: rubbish
          block += row;
        }
        const auto size = static_cast<tmsize_t>(block.size());
        ASSERT_EQ(tiled ? TIFFWriteEncodedTile(tiff, number, block.data(), size)
                        : TIFFWriteEncodedStrip(tiff, number, block.data(), size),
                  size);
      }
    }
  }
  ASSERT_NE(TIFFWriteDirectory(tiff), 0);
}

/// The rows of an image whose pixels are stored as they are.
inline Row rows_of(const Image& image, bool planes_apart) {
  return [&image, planes_apart](int plane, int row, int left, int columns) {
    const ConstView view = image;
    std::string bytes;
    for (int x = left; x < left + columns; ++x) {
      for (int c = planes_apart ? plane : 0;
           c < (planes_apart ? plane + 1 : static_cast<int>(view.shape.channels)); ++c) {
        bytes.append(&view.at<char>({.y = row, .x = x, .c = c}), bytes_of(view.pixel));
      }
    }
    return bytes;
  };
}

inline Row packed_rows(std::vector<std::string> rows) {
  return [rows = std::move(rows)](int, int row, int, int) { return rows[static_cast<std::size_t>(row)]; };
}

inline void write_odd(const std::string& path, const Odd& odd, int height, int width, const Row& row_of) {
  const auto tiff = opened(path, odd.mode);
  ASSERT_NE(tiff, nullptr);
  write_page(tiff.get(), odd, height, width, row_of);
}

inline int format_of(Pixel pixel) {
  return is_float(pixel) ? SAMPLEFORMAT_IEEEFP : pixel == Pixel::i16 ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT;
}

}  // namespace halation::test
