// bmp.cpp: BMP of Windows and OS/2: 1, 4, 8, 16, 24 and 32 bits a pixel, bit fields, run lengths, either
// direction.
//
// A palette of grays alone becomes gray, any other RGB. There is alpha only where the header's bit fields
// name it. Fields of fewer bits are scaled to 8, of more rounded to 8. What run lengths skip is colour 0.
// Written: gray as 8 bits with a palette, RGB as 24 bits, alpha as 32 bits with fields, and the profile where
// there is one.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "halation/error.h"
#include "io/file.h"
#include "io/metadata/resolution.h"

namespace halation::io {
namespace {

constexpr std::size_t file_header_bytes = 14;
constexpr std::size_t core_header_bytes = 12;  // OS/2 1.x
constexpr std::size_t info_header_bytes = 40;
constexpr std::size_t v4_header_bytes = 108;
constexpr std::size_t v5_header_bytes = 124;
constexpr std::uint32_t srgb = 0x73524742;      // 'sRGB'
constexpr std::uint32_t embedded = 0x4D424544;  // 'MBED'

enum Compression : std::uint32_t {
  plain = 0,
  rle8 = 1,
  rle4 = 2,
  fields = 3,
  jpeg = 4,
  png = 5,
  alpha_fields = 6
};

[[noreturn]] void fail(const std::string& sentence) {
  throw Error(ErrorCode::io, "damaged or truncated BMP: " + sentence);
}
[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::unsupported, sentence); }

/// A little-endian number of `size` bytes.
std::uint32_t number_at(Bytes file, std::size_t at, std::size_t size) {
  if (at > file.size() || size > file.size() - at) fail("the file ends too early");
  std::uint32_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(file[at + i]);
  return value;
}

/// The bits of a pixel that hold one channel.
struct Field {
  std::uint32_t mask = 0;

  std::uint8_t level_of(std::uint32_t pixel) const {
    const int shift = std::countr_zero(mask);
    return static_cast<std::uint8_t>(std::lround(((pixel & mask) >> shift) * 255.0 / (mask >> shift)));
  }
};

struct Header {
  std::int64_t width = 0, height = 0;
  bool top_down = false;
  std::uint32_t bits = 0;
  std::uint32_t compression = plain;
  std::size_t pixels_at = 0;
  std::array<Field, 4> fields = {};                    ///< red, green, blue, alpha
  std::vector<std::array<std::byte, 3>> colours = {};  ///< of a palette: red, green, blue

  bool has_palette() const { return bits <= 8; }
  bool has_runs() const { return compression == rle8 || compression == rle4; }
  bool has_alpha() const { return fields[3].mask != 0; }
  std::size_t row_bytes() const { return (static_cast<std::size_t>(width) * bits + 31) / 32 * 4; }
};

void read_fields(Bytes file, std::size_t header_bytes, Header& header) {
  if (header.compression != fields && header.compression != alpha_fields) {
    if (header.bits == 16) header.fields = {Field{0x7C00}, Field{0x03E0}, Field{0x001F}};
    if (header.bits >= 24) header.fields = {Field{0xFF0000}, Field{0x00FF00}, Field{0x0000FF}};
    return;
  }
  // In the header from its second version on, alpha from the third; behind it before.
  const bool with_alpha = header_bytes >= 56 || header.compression == alpha_fields;
  for (std::size_t i = 0; i < (with_alpha ? 4 : 3); ++i) {
    const std::uint32_t mask = number_at(file, file_header_bytes + info_header_bytes + 4 * i, 4);
    const std::uint32_t ones = mask == 0 ? 0 : mask >> std::countr_zero(mask);
    if ((mask == 0 && i < 3) || (ones & (ones + 1)) != 0) fail("a bit field is empty or has gaps");
    header.fields[i].mask = mask;
  }
}

void read_palette(Bytes file, std::size_t at, std::size_t count, std::size_t entry_bytes, Header& header) {
  for (std::size_t i = 0; i < count; ++i, at += entry_bytes) {
    number_at(file, at, 3);
    header.colours.push_back({file[at + 2], file[at + 1], file[at]});
  }
}

Header read_header(Bytes file) {
  Header header;
  const std::size_t header_bytes = number_at(file, file_header_bytes, 4);
  header.pixels_at = number_at(file, 10, 4);
  const auto field = [&](std::size_t at, std::size_t size) {
    return number_at(file, file_header_bytes + at, size);
  };
  const bool core = header_bytes == core_header_bytes;
  std::uint32_t used = 0;
  if (core) {
    header.width = field(4, 2);
    header.height = field(6, 2);
    header.bits = field(10, 2);
  } else {
    if (header_bytes < 16 || header_bytes > v5_header_bytes) {
      fail("a header of " + std::to_string(header_bytes) + " bytes");
    }
    const auto has = [&](std::size_t end) {
      return header_bytes >= end;
    };  // OS/2 2.x leaves out what comes last
    header.width = static_cast<std::int32_t>(field(4, 4));
    header.height = static_cast<std::int32_t>(field(8, 4));
    header.bits = field(14, 2);
    if (has(20)) header.compression = field(16, 4);
    if (has(36)) used = field(32, 4);
    header.top_down = header.height < 0;
    header.height = std::abs(header.height);
    // Numbers 3 and 4 stand for other methods in the header of OS/2 2.x, which has 64 bytes.
    if (header_bytes == 64 && header.compression >= fields)
      refuse(
          "BMP of OS/2 with Huffman or 24-bit run lengths; halation reads plain ones and run lengths of 4 "
          "and 8 bits");
  }
  if (header.width <= 0 || header.height == 0) fail("a side of 0 pixels");
  const std::uint32_t bits = header.bits;
  if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32) {
    fail(std::to_string(bits) + " bits a pixel; there are 1, 4, 8, 16, 24 and 32");
  }
  const std::uint32_t method = header.compression;
  if (method == jpeg || method == png)
    refuse("BMP around a JPEG or PNG; halation reads plain ones, bit fields and run lengths");
  const bool fits = method == plain || (method == rle8 && bits == 8) || (method == rle4 && bits == 4) ||
                    ((method == fields || method == alpha_fields) && (bits == 16 || bits == 32));
  if (!fits || (header.top_down && header.has_runs())) {
    fail("compression " + std::to_string(method) + " does not go with " + std::to_string(bits) +
         " bits a pixel");
  }
  read_fields(file, header_bytes, header);
  if (header.has_palette()) {
    const std::size_t most = std::size_t{1} << bits;
    const std::size_t entry_bytes = core ? 3 : 4;
    const std::size_t at = file_header_bytes + header_bytes;
    std::size_t count = used == 0 ? most : std::min<std::size_t>(used, most);
    // Some writers of the core header store fewer colours than its bits can name.
    if (core && header.pixels_at > at) count = std::min(count, (header.pixels_at - at) / entry_bytes);
    read_palette(file, at, count, entry_bytes, header);
  }
  return header;
}

Claim claim_of(const Header& header, std::int64_t channels, std::size_t stored_bytes) {
  const double pixels = static_cast<double>(header.width) * static_cast<double>(header.height);
  Claim claim{.shape = {.height = header.height, .width = header.width, .channels = channels}};
  claim.coded_bytes = static_cast<double>(stored_bytes);
  if (header.has_runs()) {
    claim.beside_bytes = pixels;  // the numbers of the colours
    claim.plain_bytes = pixels;
    claim.most_ratio = 128;  // two bytes stand for 255 pixels
  } else {
    claim.plain_bytes = static_cast<double>(header.row_bytes()) * static_cast<double>(header.height);
    claim.most_ratio = 1;
  }
  return claim;
}

/// The colour numbers of a picture in run lengths, row by row from the bottom up.
std::vector<std::uint8_t> indices_from_runs(const Header& header, Bytes runs) {
  const auto width = static_cast<std::size_t>(header.width), height = static_cast<std::size_t>(header.height);
  std::vector<std::uint8_t> indices(width * height);
  std::size_t x = 0, y = 0, at = 0;
  const auto byte = [&] {
    if (at == runs.size()) fail("the file ends too early");
    return std::to_integer<std::uint8_t>(runs[at++]);
  };
  const auto put = [&](std::uint8_t index) {
    if (y >= height || x >= width) fail("a run leaves the picture");
    indices[y * width + x++] = index;
  };
  const bool nibbles = header.compression == rle4;
  const auto half = [](std::uint8_t pair, unsigned i) {
    return static_cast<std::uint8_t>(i % 2 == 0 ? pair >> 4 : pair & 15);
  };
  for (;;) {
    const unsigned count = byte();
    const std::uint8_t value = byte();
    if (count > 0) {
      for (unsigned i = 0; i < count; ++i) put(nibbles ? half(value, i) : value);
    } else if (value == 0) {
      x = 0;
      ++y;
    } else if (value == 1) {
      return indices;
    } else if (value == 2) {
      x += byte();
      y += byte();
    } else {
      std::uint8_t pair = 0;
      for (unsigned i = 0; i < value; ++i) {
        if (!nibbles || i % 2 == 0) pair = byte();
        put(nibbles ? half(pair, i) : pair);
      }
      const unsigned stored = nibbles ? (value + 1U) / 2 : value;
      if (stored % 2 != 0) byte();
    }
  }
}

std::uint8_t index_in(const std::byte* row, std::int64_t x, std::uint32_t bits) {
  const auto first_bit = static_cast<std::uint64_t>(x) * bits;
  const auto byte = std::to_integer<unsigned>(row[first_bit / 8]);
  return static_cast<std::uint8_t>(byte >> (8 - bits - first_bit % 8) & ((1U << bits) - 1));
}

/// Puts the colour of number `index` of a palette.
void put_colour(const Header& header, std::uint8_t index, std::byte* to, std::int64_t channels) {
  if (index >= header.colours.size())
    fail("colour " + std::to_string(index) + " of a palette of " + std::to_string(header.colours.size()));
  std::copy_n(header.colours[index].begin(), channels, to);
}

std::vector<std::byte> profile_in(Bytes file) {
  if (number_at(file, file_header_bytes, 4) != v5_header_bytes ||
      number_at(file, file_header_bytes + 56, 4) != embedded)
    return {};
  const std::size_t at = file_header_bytes + number_at(file, file_header_bytes + 112, 4);
  const std::size_t size = number_at(file, file_header_bytes + 116, 4);
  if (at > file.size() || size > file.size() - at) fail("the file ends too early");
  return bytes_at(file.data() + at, size);
}

bool recognises(Bytes file) {
  // Two letters are little to go by: the header's size must be one that there is.
  if (!begins_with(file, "BM")) return false;
  return file.size() < file_header_bytes + 4 || number_at(file, file_header_bytes, 4) <= v5_header_bytes;
}

std::vector<Page> decode(Bytes file, Reading& reading) {
  const Header header = read_header(file);
  if (header.pixels_at > file.size()) fail("the file ends too early");
  const Bytes stored = file.subspan(header.pixels_at);
  const bool gray = header.has_palette() &&
                    std::all_of(header.colours.begin(), header.colours.end(), [](const auto& colour) {
                      return colour[0] == colour[1] && colour[0] == colour[2];
                    });
  Page page;
  const std::int64_t channels = gray ? 1 : header.has_alpha() ? 4 : 3;
  page.image = reading.image(claim_of(header, channels, stored.size()));
  page.colour = gray ? ColourModel::gray : ColourModel::rgb;
  page.alpha = header.has_alpha();
  const bool runs = header.has_runs();
  const std::vector<std::uint8_t> indices =
      runs ? indices_from_runs(header, stored) : std::vector<std::uint8_t>();
  for (std::int64_t row = 0; row < header.height; ++row) {
    auto* to = &page.image.view().at<std::byte>({.y = header.top_down ? row : header.height - 1 - row});
    const std::byte* from = stored.data() + (runs ? 0 : static_cast<std::size_t>(row) * header.row_bytes());
    const std::size_t bytes = header.bits / 8;
    for (std::int64_t x = 0; x < header.width; ++x, to += channels) {
      if (runs) {
        put_colour(header, indices[static_cast<std::size_t>(row * header.width + x)], to, channels);
      } else if (header.has_palette()) {
        put_colour(header, index_in(from, x, header.bits), to, channels);
      } else {
        const std::uint32_t pixel = number_at({from + static_cast<std::size_t>(x) * bytes, bytes}, 0, bytes);
        for (std::int64_t c = 0; c < channels; ++c)
          to[c] = std::byte{header.fields[static_cast<std::size_t>(c)].level_of(pixel)};
      }
    }
  }
  if (number_at(file, file_header_bytes, 4) >= info_header_bytes) {
    const auto density = [&](std::size_t at) { return number_at(file, file_header_bytes + at, 4) / inches_per_metre; };
    set_resolution(page.metadata, {density(24), density(28)}, ResolutionUnit::inch);
  }
  page.metadata.icc = profile_in(file);
  std::vector<Page> pages;
  pages.push_back(std::move(page));
  return pages;
}

/// A header on its way into a file: little-endian numbers, one after the other.
class Numbers {
 public:
  Numbers& put(std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i) bytes_.push_back(static_cast<std::byte>(value >> 8 * i & 0xFF));
    return *this;
  }
  void fill_up_to(std::size_t size) { bytes_.resize(size); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

std::uint32_t per_metre(double dots_per_inch) {
  return static_cast<std::uint32_t>(
      std::clamp(std::round(dots_per_inch * inches_per_metre), 0.0, 2147483647.0));
}

void encode(std::span<const PageView> pages, const WriteOptions&, Output& output) {
  const PageView& page = pages.front();
  const Shape& shape = page.pixels.shape;
  const bool gray = shape.channels == 1;
  const std::uint32_t bits = gray ? 8 : page.alpha ? 32 : 24;
  const std::size_t header_bytes = !page.icc.empty() ? v5_header_bytes
                                   : page.alpha      ? v4_header_bytes
                                                     : info_header_bytes;
  const std::size_t pixels_at = file_header_bytes + header_bytes + (gray ? 4 * 256 : 0);
  const std::size_t row_bytes = (static_cast<std::size_t>(shape.width) * bits + 31) / 32 * 4;
  const double pixel_bytes = static_cast<double>(row_bytes) * static_cast<double>(shape.height);
  const double total = static_cast<double>(pixels_at + page.icc.size()) + pixel_bytes;
  if (total > std::numeric_limits<std::uint32_t>::max()) {
    refuse("BMP holds at most 4 GiB, got " + to_string(shape) + " pixels; write .tif or .png");
  }
  const auto image_bytes = static_cast<std::uint32_t>(pixel_bytes);

  Numbers head;
  head.put('B' | 'M' << 8, 2)
      .put(static_cast<std::uint32_t>(total), 4)
      .put(0, 4)
      .put(static_cast<std::uint32_t>(pixels_at), 4);
  head.put(static_cast<std::uint32_t>(header_bytes), 4);
  head.put(static_cast<std::uint32_t>(shape.width), 4).put(static_cast<std::uint32_t>(shape.height), 4);
  head.put(1, 2).put(bits, 2).put(page.alpha ? fields : plain, 4).put(image_bytes, 4);
  const bool is_known = has_named_resolution(page);
  head.put(is_known ? per_metre(page.dots_per_inch_x) : 0, 4).put(is_known ? per_metre(page.dots_per_inch_y) : 0, 4);
  head.put(gray ? 256 : 0, 4).put(0, 4);
  if (header_bytes > info_header_bytes) {
    head.put(0xFF0000, 4).put(0x00FF00, 4).put(0x0000FF, 4).put(page.alpha ? 0xFF000000 : 0, 4);
    head.put(page.icc.empty() ? srgb : embedded, 4);
    head.fill_up_to(file_header_bytes + std::min(header_bytes, v4_header_bytes));
  }
  if (header_bytes == v5_header_bytes) {
    head.put(4, 4);  // for pictures
    head.put(static_cast<std::uint32_t>(pixels_at - file_header_bytes) + image_bytes, 4)
        .put(static_cast<std::uint32_t>(page.icc.size()), 4)
        .put(0, 4);
  }
  for (std::uint32_t level = 0; gray && level < 256; ++level) head.put(level * 0x010101, 4);
  output.write(head.bytes().data(), head.bytes().size());

  std::vector<std::byte> row(row_bytes);
  for (std::int64_t y = shape.height - 1; y >= 0; --y) {
    const std::byte* from = page.row(y);
    std::byte* to = row.data();
    for (std::int64_t x = 0; x < shape.width; ++x, from += shape.channels) {
      if (gray) {
        *to++ = from[0];
        continue;
      }
      const bool colour = shape.channels >= 3;
      *to++ = from[colour ? 2 : 0];
      *to++ = from[colour ? 1 : 0];
      *to++ = from[0];
      if (page.alpha) *to++ = from[shape.channels - 1];
    }
    output.write(row.data(), row.size());
  }
  output.write(page.icc.data(), page.icc.size());
}

constexpr std::string_view endings[] = {".bmp", ".dib"};
constexpr Pixel pixels[] = {Pixel::u8};

}  // namespace

constinit const Codec bmp_codec = {
    .name = "bmp",
    .title = "BMP",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = encode,
    .holds = {.pixels = pixels,
              .pixels_in_words = "8-bit pixels",
              .most_extent = std::numeric_limits<std::int32_t>::max(),
              .most_channels = 4,
              .alpha = true,
              .cmyk = false,
              .pages = false,
              .volumes = false},
};

}  // namespace halation::io
