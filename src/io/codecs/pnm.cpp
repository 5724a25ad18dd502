// pnm.cpp: the portable formats: PBM (read only), PGM, PPM (P1 to P6), PAM (P7) and, as a format of its own, PFM (Pf,
// PF).
//
// PNM: samples of a maxval other than 255 and 65535 are scaled, round(v · 255 / maxval) up to 255 and round(v
// · 65535 / maxval) beyond; bits become 0 and 255. Binary files may hold several pictures one after the
// other, each a page; one is written: P5 for gray, P6 for RGB, P7 with alpha. Samples of 16 bits are
// big-endian.
//
// PFM: rows from the bottom up, little-endian where the scale is negative; its magnitude, a unit that nobody
// agrees on, is left aside, so values are as stored. They are taken for light, as in OpenEXR.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "halation/error.h"
#include "io/file.h"

namespace halation::io {
namespace {

constexpr std::string_view blanks = " \t\n\v\f\r";
constexpr std::int64_t most_extent = std::numeric_limits<std::int32_t>::max();

[[noreturn]] void fail(const std::string& sentence) {
  throw Error(ErrorCode::io, "damaged or truncated PNM: " + sentence);
}

bool is_blank(char c) { return blanks.find(c) != std::string_view::npos; }

/// The words of a header, or of samples written as text: apart by blanks, comments from '#' to a line's end.
class Words {
 public:
  explicit Words(Bytes file) : rest_(reinterpret_cast<const char*>(file.data()), file.size()) {}

  std::string_view next() {
    skip();
    const std::size_t length = std::min(rest_.find_first_of(" \t\n\v\f\r#"), rest_.size());
    if (length == 0) fail("the file ends too early");
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }
  std::int64_t number(const std::string& name, std::int64_t least, std::int64_t most) {
    const std::string_view word = next();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < least || value > most) {
      fail(name + " must be " + std::to_string(least) + " to " + std::to_string(most) + ", got '" +
           std::string(word.substr(0, 20)) + "'");
    }
    return value;
  }
  /// One of the bits of a P1, which need no blanks between them.
  bool bit() {
    skip();
    if (rest_.empty()) fail("the file ends too early");
    const char c = rest_.front();
    if (c != '0' && c != '1') fail("a bit must be 0 or 1");
    rest_.remove_prefix(1);
    return c == '1';
  }
  /// The one blank that divides a header from binary samples, and what follows.
  Bytes binary() {
    if (rest_.empty() || !is_blank(rest_.front())) fail("the file ends too early");
    return std::as_bytes(std::span(rest_.substr(1)));
  }
  std::size_t left() const { return rest_.size(); }

 private:
  void skip() {
    for (;;) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
      if (!rest_.starts_with('#')) return;
      rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
    }
  }

  std::string_view rest_;
};

/// What a header says; `channels` without their meaning.
struct Header {
  Shape shape;
  std::int64_t maxval = 1;
  std::string tuple = {};  ///< of a P7
};

/// Of a picture whose samples are the file's last `left` bytes, or less.
Claim claim_of(const Header& header, Pixel pixel, double bytes_a_row, std::size_t left) {
  return {.shape = header.shape,
          .pixel = pixel,
          .plain_bytes = bytes_a_row * static_cast<double>(header.shape.height),
          .coded_bytes = static_cast<double>(left),
          .most_ratio = 1};
}

Header plain_header(Words& words, char kind) {
  Header header;
  header.shape.width = words.number("the width", 1, most_extent);
  header.shape.height = words.number("the height", 1, most_extent);
  const bool bits = kind == '1' || kind == '4';
  if (!bits) header.maxval = words.number("maxval", 1, 65535);
  header.shape.channels = kind == '3' || kind == '6' ? 3 : 1;
  return header;
}

Header pam_header(Words& words) {
  Header header;
  std::int64_t width = 0, height = 0, depth = 0, maxval = 0;
  for (;;) {
    const std::string_view key = words.next();
    if (key == "ENDHDR") break;
    if (key == "WIDTH") {
      width = words.number("WIDTH", 1, most_extent);
    } else if (key == "HEIGHT") {
      height = words.number("HEIGHT", 1, most_extent);
    } else if (key == "DEPTH") {
      depth = words.number("DEPTH", 1, 65535);
    } else if (key == "MAXVAL") {
      maxval = words.number("MAXVAL", 1, 65535);
    } else if (key == "TUPLTYPE") {
      header.tuple = words.next();
    } else {
      fail("unknown header line '" + std::string(key.substr(0, 20)) + "'");
    }
  }
  if (width == 0 || height == 0 || depth == 0 || maxval == 0) {
    fail("the header lacks WIDTH, HEIGHT, DEPTH or MAXVAL");
  }
  header.shape = {.height = height, .width = width, .channels = depth};
  header.maxval = maxval;
  return header;
}

/// Gives the channels their meaning.
void set_colours(Page& page, const std::string& tuple) {
  const std::int64_t channels = page.image.shape().channels;
  page.alpha = (channels == 2 || channels == 4) && tuple.ends_with("_ALPHA");
  const std::int64_t colours = channels - (page.alpha ? 1 : 0);
  page.colour = colours == 1 ? ColourModel::gray : colours == 3 ? ColourModel::rgb : ColourModel::other;
}

/// Fills the image with samples in their order; `next` gives the stored ones.
template <class T, class Next>
void fill(View pixels, std::int64_t maxval, const Next& next) {
  constexpr std::uint32_t full = std::numeric_limits<T>::max();
  const auto most = static_cast<std::uint32_t>(maxval);
  auto* to = reinterpret_cast<T*>(pixels.data);
  for (std::int64_t left = pixels.shape.elements(); left > 0; --left) {
    const auto sample = static_cast<std::int64_t>(next());
    if (sample > maxval) {
      fail("a sample of " + std::to_string(sample) + " is above maxval, " + std::to_string(maxval));
    }
    *to++ = static_cast<T>((static_cast<std::uint32_t>(sample) * full + most / 2) / most);
  }
}

template <class Next>
void fill(View pixels, std::int64_t maxval, const Next& next) {
  pixels.pixel == Pixel::u16 ? fill<std::uint16_t>(pixels, maxval, next)
                             : fill<std::uint8_t>(pixels, maxval, next);
}

/// The binary samples of P5 to P7; returns what follows them.
Bytes read_samples(View pixels, const Header& header, Bytes raster) {
  const std::byte* from = raster.data();
  if (pixels.pixel == Pixel::u16) {
    fill(pixels, header.maxval, [&] {
      const int high = std::to_integer<int>(*from++);
      return high << 8 | std::to_integer<int>(*from++);
    });
  } else if (header.maxval == 255) {
    const auto bytes = static_cast<std::size_t>(pixels.shape.elements());
    std::memcpy(pixels.data, from, bytes);
    from += bytes;
  } else {
    fill(pixels, header.maxval, [&] { return std::to_integer<int>(*from++); });
  }
  return raster.subspan(static_cast<std::size_t>(from - raster.data()));
}

/// The packed bits of a P4, 1 is black; returns what follows them.
Bytes read_bits(View pixels, Bytes raster) {
  const std::int64_t row_bytes = (pixels.shape.width + 7) / 8;
  for (std::int64_t y = 0; y < pixels.shape.height; ++y) {
    for (std::int64_t x = 0; x < pixels.shape.width; ++x) {
      const auto byte = std::to_integer<int>(raster[static_cast<std::size_t>(y * row_bytes + x / 8)]);
      pixels.at<std::uint8_t>({.y = y, .x = x}) = (byte >> (7 - x % 8) & 1) != 0 ? 0 : 255;
    }
  }
  return raster.subspan(static_cast<std::size_t>(pixels.shape.height * row_bytes));
}

bool recognises(Bytes file) {
  if (file.size() < 3 || !begins_with(file, "P")) return false;
  const char kind = std::to_integer<char>(file[1]);
  const char third = std::to_integer<char>(file[2]);
  return kind >= '1' && kind <= '7' && (is_blank(third) || third == '#');
}

/// Reads the picture at the beginning of `rest`, which then begins behind it; a file of text holds one.
Page read_picture(Bytes& rest, Reading& reading) {
  const char kind = std::to_integer<char>(rest[1]);
  Words words(rest.subspan(2));
  const Header header = kind == '7' ? pam_header(words) : plain_header(words, kind);
  const bool text = kind <= '3';
  const bool bits = kind == '1' || kind == '4';
  const double samples_a_row =
      static_cast<double>(header.shape.width) * static_cast<double>(header.shape.channels);
  const double bytes_a_row = kind == '4' ? std::floor((samples_a_row + 7) / 8)
                                         : samples_a_row * (header.maxval > 255 && !text ? 2 : 1);
  Bytes raster = text ? Bytes() : words.binary();

  Page page;
  page.image = reading.image(claim_of(header, header.maxval > 255 ? Pixel::u16 : Pixel::u8, bytes_a_row,
                                      text ? words.left() : raster.size()));
  set_colours(page, header.tuple);
  if (kind == '1') {
    fill(page.image, 1, [&] { return words.bit() ? 0 : 1; });
  } else if (text) {
    fill(page.image, header.maxval, [&] { return words.number("a sample", 0, 65535); });
  } else {
    raster = bits ? read_bits(page.image, raster) : read_samples(page.image, header, raster);
  }
  rest = raster;
  return page;
}

std::vector<Page> decode(Bytes file, Reading& reading) {
  std::vector<Page> pages;
  do {
    pages.push_back(read_picture(file, reading));
  } while (recognises(file));
  return pages;
}

void write_text(Output& output, const std::string& text) { output.write(text.data(), text.size()); }

void encode(std::span<const PageView> pages, const WriteOptions&, Output& output) {
  const PageView& page = pages.front();
  const Shape& shape = page.pixels.shape;
  const bool wide = page.pixels.pixel == Pixel::u16;
  const std::string maxval = wide ? "65535" : "255";
  const bool gray = shape.channels <= 2;
  if (page.alpha) {
    write_text(output, "P7\nWIDTH " + std::to_string(shape.width) + "\nHEIGHT " +
                           std::to_string(shape.height) + "\nDEPTH " + std::to_string(shape.channels) +
                           "\nMAXVAL " + maxval + "\nTUPLTYPE " + (gray ? "GRAYSCALE_ALPHA" : "RGB_ALPHA") +
                           "\nENDHDR\n");
  } else {
    write_text(output, std::string(gray ? "P5" : "P6") + "\n" + std::to_string(shape.width) + " " +
                           std::to_string(shape.height) + "\n" + maxval + "\n");
  }
  std::vector<std::byte> swapped;
  for (std::int64_t y = 0; y < shape.height; ++y) {
    if (!wide || std::endian::native == std::endian::big) {
      output.write(page.row(y), page.row_bytes());
      continue;
    }
    swapped.assign(page.row(y), page.row(y) + page.row_bytes());
    for (std::size_t i = 0; i < swapped.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
    output.write(swapped.data(), swapped.size());
  }
}

bool recognises_pfm(Bytes file) {
  return file.size() >= 3 && (begins_with(file, "PF") || begins_with(file, "Pf")) &&
         is_blank(std::to_integer<char>(file[2]));
}

std::vector<Page> decode_pfm(Bytes file, Reading& reading) {
  Words words(file.subspan(2));
  Header header;
  header.shape.width = words.number("the width", 1, most_extent);
  header.shape.height = words.number("the height", 1, most_extent);
  header.shape.channels = begins_with(file, "PF") ? 3 : 1;
  const std::string_view word = words.next();
  double scale = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), scale);
  if (error != std::errc{} || end != word.data() + word.size() || scale == 0 || !std::isfinite(scale)) {
    fail("the scale of a PFM must be a number other than 0, got '" + std::string(word.substr(0, 20)) + "'");
  }
  const Bytes raster = words.binary();
  const std::int64_t row = header.shape.width * header.shape.channels;

  Page page;
  page.image =
      reading.image(claim_of(header, Pixel::f32, static_cast<double>(row) * sizeof(float), raster.size()));
  page.colour = header.shape.channels == 3 ? ColourModel::rgb : ColourModel::gray;
  page.linear_light = true;
  const bool swapped = (scale < 0) != (std::endian::native == std::endian::little);
  const View pixels = page.image;
  for (std::int64_t y = 0; y < header.shape.height; ++y) {
    float* to = &pixels.at<float>({.y = header.shape.height - 1 - y});
    std::memcpy(to, raster.data() + y * row * static_cast<std::int64_t>(sizeof(float)),
                static_cast<std::size_t>(row) * sizeof(float));
    if (!swapped) continue;
    auto* bytes = reinterpret_cast<std::byte*>(to);
    for (std::int64_t i = 0; i < row; ++i) std::reverse(bytes + 4 * i, bytes + 4 * i + 4);
  }
  std::vector<Page> pages;
  pages.push_back(std::move(page));
  return pages;
}

void encode_pfm(std::span<const PageView> pages, const WriteOptions&, Output& output) {
  const PageView& page = pages.front();
  const Shape& shape = page.pixels.shape;
  write_text(output, std::string(shape.channels == 3 ? "PF" : "Pf") + "\n" + std::to_string(shape.width) +
                         " " + std::to_string(shape.height) + "\n" +
                         (std::endian::native == std::endian::little ? "-1.0" : "1.0") + "\n");
  for (std::int64_t y = shape.height - 1; y >= 0; --y) output.write(page.row(y), page.row_bytes());
}

constexpr std::string_view endings[] = {".pnm", ".pam"};
constexpr std::string_view ppm_endings[] = {".ppm"};
constexpr std::string_view pgm_endings[] = {".pgm"};
constexpr std::string_view pbm_endings[] = {".pbm"};
constexpr Pixel pixels[] = {Pixel::u8, Pixel::u16};
constexpr std::string_view pfm_endings[] = {".pfm"};
constexpr Pixel pfm_pixels[] = {Pixel::f32};

constexpr Holds holds_up_to(std::int64_t channels, bool alpha) {
  return {.pixels = pixels,
          .pixels_in_words = "8-bit and unsigned 16-bit pixels",
          .most_extent = most_extent,
          .most_channels = channels,
          .alpha = alpha,
          .cmyk = false,
          .pages = false,
          .volumes = false};
}

}  // namespace

constinit const Codec pnm_codec = {
    .name = "pnm",
    .title = "PNM",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = encode,
    .holds = holds_up_to(4, true),
};

// What is written under these names is what readers expect there. Whatever a file is called, it is read as PNM.
constinit const Codec ppm_codec = {.name = "ppm", .title = "PPM", .endings = ppm_endings, .encode = encode, .holds = holds_up_to(3, false)};
constinit const Codec pgm_codec = {.name = "pgm", .title = "PGM", .endings = pgm_endings, .encode = encode, .holds = holds_up_to(1, false)};
constinit const Codec pbm_codec = {.name = "pbm", .title = "PBM", .endings = pbm_endings};  // what is filtered is gray

constinit const Codec pfm_codec = {
    .name = "pfm",
    .title = "PFM",
    .endings = pfm_endings,
    .recognises = recognises_pfm,
    .decode = decode_pfm,
    .encode = encode_pfm,
    .holds = {.pixels = pfm_pixels,
              .pixels_in_words = "float pixels",
              .most_extent = most_extent,
              .most_channels = 3,
              .alpha = false,
              .cmyk = false,
              .pages = false,
              .volumes = false},
};

}  // namespace halation::io
