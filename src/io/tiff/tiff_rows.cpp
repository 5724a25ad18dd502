// tiff_rows.cpp: rows of a TIFF's page as halation shows them.
#include "io/tiff/tiff_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "halation/error.h"
#include "io/channels.h"

namespace halation::io {
namespace {

/// The most that is kept, decoded: of strips, and of rows of tiles, which can only be decoded whole.
constexpr double most_kept_strips = 64 << 20;
constexpr double most_kept_tiles = 256 << 20;

/// Reads `count` samples of `bits` bits, most significant bit first, and spreads them over all values of T
/// where `spread`.
template <class T>
void unpack(const std::uint8_t* from, unsigned bits, bool spread, std::int64_t count, std::byte* to,
            std::int64_t step) {
  const std::uint32_t most = (1U << bits) - 1;
  std::uint32_t window = 0;
  unsigned held = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    for (; held < bits; held += 8) window = window << 8 | *from++;
    held -= bits;
    const std::uint32_t value = window >> held & most;
    const auto whole = static_cast<T>(
        spread ? (value * std::uint32_t{std::numeric_limits<T>::max()} + most / 2) / most : value);
    std::memcpy(to + i * step, &whole, sizeof whole);
  }
}

/// The same for single bits side by side in a row, eight at a time: fax codes a row of any length in one bit.
void unpack_bits(const std::uint8_t* from, std::uint8_t one, std::int64_t count, std::byte* to) {
  for (std::int64_t i = 0; i < count; i += 8) {
    // Bit 7 − k of the byte comes to the top of byte k; no two bits meet.
    std::uint64_t eight = (*from++ * std::uint64_t{0x8040201008040201} >> 7 & 0x0101010101010101) * one;
    if constexpr (std::endian::native == std::endian::big) {
      std::reverse(reinterpret_cast<std::byte*>(&eight), reinterpret_cast<std::byte*>(&eight + 1));
    }
    std::memcpy(to + i, &eight, static_cast<std::size_t>(std::min<std::int64_t>(8, count - i)));
  }
}

/// Moves the samples of one row of a strip or tile into place; `step` bytes lie between them there.
void place_row(const std::byte* from, const TiffStored& stored, std::int64_t count, std::byte* to,
               std::int64_t step) {
  const auto element = static_cast<std::int64_t>(bytes_of(stored.pixel));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
  const bool spread = stored.photometric != PHOTOMETRIC_PALETTE;
  if (stored.bits == 1 && step == 1) {
    unpack_bits(bytes, spread ? 255 : 1, count, to);
  } else if (stored.bits < 8) {
    unpack<std::uint8_t>(bytes, stored.bits, spread, count, to, step);
  } else if (stored.bits > 8 && stored.bits < 16) {
    unpack<std::uint16_t>(bytes, stored.bits, spread, count, to, step);
  } else if (step == element) {
    std::memcpy(to, from, static_cast<std::size_t>(count * element));
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * step, from + i * element, static_cast<std::size_t>(element));
  }
}

template <class T>
void invert_first_channel(View pixels) {
  for (std::int64_t y = 0; y < pixels.shape.height; ++y) {
    for (std::int64_t x = 0; x < pixels.shape.width; ++x)
      pixels.at<T>({.y = y, .x = x}) = static_cast<T>(~pixels.at<T>({.y = y, .x = x}));
  }
}


std::vector<std::array<std::uint8_t, 3>> palette_of(TIFF* tiff, const TiffStored& stored, const TiffComplaint& complaint) {
  std::uint16_t* map[3] = {};
  if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]) == 0) fail(complaint);
  const std::size_t entries = std::size_t{1} << stored.bits;
  // The map holds 16-bit values; some writers put 8-bit ones into it.
  const bool wide = std::any_of(map, map + 3, [&](const std::uint16_t* values) {
    return std::any_of(values, values + entries, [](std::uint16_t value) { return value > 255; });
  });
  std::vector<std::array<std::uint8_t, 3>> palette(entries);
  for (std::size_t i = 0; i < entries; ++i) {
    for (std::size_t c = 0; c < 3; ++c) palette[i][c] = static_cast<std::uint8_t>(map[c][i] >> (wide ? 8 : 0));
  }
  return palette;
}

View rows_of(View view, std::int64_t first, std::int64_t count) {
  return view.crop({.y = first, .height = count, .width = view.shape.width});
}

}  // namespace

/// Strips of which a decoded one would be much memory, by a libtiff of its own for each plane: a strip can only be gone through from its
/// top, and libtiff goes through one at a time. Ascending rows go through each once; samples that are not compressed are found at once.
class LongStrips {
 public:
  LongStrips(Bytes file, const TiffStored& stored, const TiffBlocks& blocks)
      : file_(file), stored_(stored), blocks_(blocks), planes_(static_cast<std::size_t>(stored.planes_apart ? stored.samples : 1)) {}

  /// The samples of a row as they are stored, until the next call.
  const std::byte* row(std::int64_t y, std::int64_t plane) {
    std::unique_ptr<Walk>& walk = planes_[static_cast<std::size_t>(plane)];
    if (walk == nullptr) {
      walk = std::make_unique<Walk>(file_);
      if (walk->tiff == nullptr || TIFFSetSubDirectory(walk->tiff.get(), stored_.directory) == 0) {
        const TiffComplaint complaint = walk->complaint;
        walk.reset();
        fail(complaint);
      }
      set_decoding(walk->tiff.get(), stored_);
      walk->row.resize(static_cast<std::size_t>(blocks_.row_bytes));
    }
    const std::int64_t top = y - y % blocks_.height;
    const bool on_the_way = walk->next > top && walk->next <= y;
    std::int64_t from = stored_.compression == COMPRESSION_NONE ? y : on_the_way ? walk->next : top;
    for (; from <= y; ++from) {
      walk->next = -1;  // until it has been read
      walk->complaint = {};
      if (walk->strip != top) check_strip(*walk, plane, y / blocks_.height);
      walk->strip = top;
      const int got = TIFFReadScanline(walk->tiff.get(), walk->row.data(), static_cast<std::uint32_t>(from),
                                       static_cast<std::uint16_t>(plane));
      if (got != 1 || walk->complaint.rows_missing) fail(walk->complaint);
      walk->next = from + 1;
    }
    return walk->row.data();
  }

 private:
  struct Walk {
    explicit Walk(Bytes bytes) : file{bytes, complaint}, tiff(open_mapped(file)) {}
    TiffComplaint complaint;
    TiffBytes file;
    Tiff tiff;
    std::vector<std::byte> row;
    std::int64_t strip = -1;  // the top of that in which libtiff is
    std::int64_t next = -1;   // the row that libtiff would go on with
  };

  /// libtiff has other words for a mapped file that ends within a strip.
  void check_strip(Walk& walk, std::int64_t plane, std::int64_t number) const {
    const auto strip = static_cast<std::uint32_t>(plane * blocks_.down + number);
    const std::uint64_t at = TIFFGetStrileOffset(walk.tiff.get(), strip), size = TIFFGetStrileByteCount(walk.tiff.get(), strip);
    if (at > file_.size() || size > file_.size() - at) {
      complain_of_end(walk.complaint);
      fail(walk.complaint);
    }
  }

  Bytes file_;
  TiffStored stored_;
  TiffBlocks blocks_;
  std::vector<std::unique_ptr<Walk>> planes_;
};

TiffRows::TiffRows(TIFF* tiff, const TiffStored& stored, const TiffComplaint& complaint)
    : tiff_(tiff), stored_(stored), complaint_(complaint), blocks_(blocks_of(tiff, stored, complaint)), shown_(stored.shape()) {
  if (!stored.palette()) return;
  palette_ = palette_of(tiff, stored, complaint);
  shown_.channels = 3;
}

TiffRows::TiffRows(TIFF* tiff, const TiffStored& stored, const TiffComplaint& complaint, Bytes file)
    : TiffRows(tiff, stored, complaint) {
  keeps_ = blocks_.height > 1 && spread_bytes() <= (blocks_.tiled ? most_kept_tiles : most_kept_strips);
  if (!keeps_ && !blocks_.tiled && blocks_.height > 1) long_strips_ = std::make_unique<LongStrips>(file, stored_, blocks_);
}

TiffRows::~TiffRows() = default;

/// Of a row of strips or tiles, all planes.
double TiffRows::spread_bytes() const {
  return static_cast<double>(blocks_.height) * static_cast<double>(shown_.width * shown_.channels) *
         static_cast<double>(bytes_of(stored_.pixel));
}

double TiffRows::beside_bytes() const {
  if (long_strips_ != nullptr) return static_cast<double>(blocks_.row_bytes) * static_cast<double>(stored_.samples);
  return static_cast<double>(blocks_.bytes) + (keeps_ ? spread_bytes() : 0);
}

/// Moves samples of row `y` from column `x` on into place.
void TiffRows::place(const std::byte* samples, std::int64_t columns, std::int64_t plane, std::int64_t y, std::int64_t x, View to) {
  const auto element = static_cast<std::int64_t>(bytes_of(stored_.pixel));
  std::byte* first = &to.at<std::byte>({.y = y, .x = x, .c = plane});
  if (stored_.planes_apart) return place_row(samples, stored_, columns, first, to.strides.width);
  if (!stored_.palette() && rows_are_packed(to)) return place_row(samples, stored_, columns * stored_.samples, first, element);
  row_.resize(static_cast<std::size_t>(columns * stored_.samples * element));
  place_row(samples, stored_, columns * stored_.samples, row_.data(), element);
  if (stored_.palette()) {
    for (std::int64_t i = 0; i < columns; ++i, first += to.strides.width) {
      const std::array<std::uint8_t, 3>& colour = palette_[std::to_integer<std::size_t>(row_[static_cast<std::size_t>(i)])];
      for (std::int64_t c = 0; c < 3; ++c) first[c * to.strides.channels] = static_cast<std::byte>(colour[static_cast<std::size_t>(c)]);
    }
    return;
  }
  const Shape shape = {.width = columns, .channels = stored_.samples};
  copy({row_.data(), shape, strides_of(shape, stored_.pixel), stored_.pixel}, to.crop({.y = y, .x = x, .width = columns}));
}

/// Rows [begin, end) of those of a row of strips or tiles.
void TiffRows::decode(std::int64_t block_row, std::int64_t begin, std::int64_t end, View to) {
  if (block_ == nullptr) block_ = allocate_host(static_cast<std::size_t>(blocks_.bytes), "a strip or tile of a TIFF");
  const std::int64_t rows = std::min(blocks_.height, stored_.height - block_row * blocks_.height);
  for (std::int64_t plane = 0; plane < (stored_.planes_apart ? stored_.samples : 1); ++plane) {
    for (std::int64_t column = 0; column < blocks_.across; ++column) {
      const auto number = static_cast<std::uint32_t>((plane * blocks_.down + block_row) * blocks_.across + column);
      // Of damaged ones libdeflate leaves bytes out without a word; they would show what was in memory before.
      if (stored_.compression != COMPRESSION_NONE) std::memset(block_.get(), 0, static_cast<std::size_t>(blocks_.bytes));
      const tmsize_t got = blocks_.tiled ? TIFFReadEncodedTile(tiff_, number, block_.get(), blocks_.bytes)
                                         : TIFFReadEncodedStrip(tiff_, number, block_.get(), blocks_.bytes);
      if (got < rows * blocks_.row_bytes || complaint_.rows_missing) fail(complaint_);
      const std::int64_t left = column * blocks_.width;
      for (std::int64_t y = begin; y < end; ++y) {
        place(block_.get() + y * blocks_.row_bytes, std::min(blocks_.width, stored_.width - left), plane, y - begin, left, to);
      }
    }
  }
}

void TiffRows::read_blocks(std::int64_t first, View to) {
  const std::int64_t last = first + to.shape.height;
  for (std::int64_t block_row = first / blocks_.height; block_row * blocks_.height < last; ++block_row) {
    const std::int64_t top = block_row * blocks_.height;
    const std::int64_t rows = std::min(blocks_.height, stored_.height - top);
    const std::int64_t begin = std::max(first - top, std::int64_t{0}), end = std::min(last - top, rows);
    const View part = rows_of(to, top + begin - first, end - begin);
    if (!keeps_ || (end - begin == rows && kept_row_ != block_row)) {
      decode(block_row, begin, end, part);
      continue;
    }
    if (kept_row_ != block_row) {
      kept_row_ = -1;  // until it has been decoded
      if (kept_.empty()) kept_ = Image({.height = blocks_.height, .width = shown_.width, .channels = shown_.channels}, stored_.pixel);
      decode(block_row, 0, rows, kept_);
      kept_row_ = block_row;
    }
    copy(rows_of(kept_, begin, end - begin), part);
  }
}

void TiffRows::read(std::int64_t first, View to) {
  if (long_strips_ == nullptr) {
    read_blocks(first, to);
  } else {
    for (std::int64_t y = 0; y < to.shape.height; ++y) {
      for (std::int64_t plane = 0; plane < (stored_.planes_apart ? stored_.samples : 1); ++plane) {
        place(long_strips_->row(first + y, plane), stored_.width, plane, y, 0, to);
      }
    }
  }
  if (stored_.photometric == PHOTOMETRIC_MINISWHITE) {
    stored_.pixel == Pixel::u8 ? invert_first_channel<std::uint8_t>(to) : invert_first_channel<std::uint16_t>(to);
  }
  if (stored_.associated_alpha()) divide_by_alpha(to);
}

}  // namespace halation::io
