// exr.cpp: OpenEXR: half and float in linear light. The picture is the data window; each part of a file is a
// page.
//
// Channels R G B, R G B A, Y and Y A are colour, premultiplied by alpha in the file and straight in a page.
// Any other set is read in the file's (alphabetical) order, its values as they are. Parts that mix half and
// float are read as float.
#include <ImathBox.h>
#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfOutputFile.h>
#include <ImfPartType.h>
#include <ImfStandardAttributes.h>
#include <ImfTileDescription.h>
#include <ImfVersion.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

#include "halation/error.h"
#include "io/channels.h"
#include "io/file.h"
#include "io/metadata/resolution.h"
#include "io/rows.h"

namespace halation::io {
namespace {

[[noreturn]] void throw_truncated() {
  throw Error(ErrorCode::io, "damaged or truncated OpenEXR: the file ends too early");
}

constexpr std::size_t first_header = 8;  // behind the magic number and the version

class MemoryStream : public Imf::IStream {
 public:
  explicit MemoryStream(Bytes file) : IStream("OpenEXR"), file_(file) {}

  bool read(char* to, int size) override {
    const auto wanted = static_cast<std::uint64_t>(size);
    if (position_ > file_.size() || wanted > file_.size() - position_) throw_truncated();
    std::memcpy(to, file_.data() + position_, wanted);
    position_ += wanted;
    return position_ < file_.size();
  }
  std::uint64_t tellg() override { return position_; }
  void seekg(std::uint64_t position) override { position_ = position; }

 private:
  Bytes file_;
  std::uint64_t position_ = 0;
};

class OutputStream : public Imf::OStream {
 public:
  explicit OutputStream(Output& output) : OStream("OpenEXR"), output_(output) {}

  void write(const char* from, int size) override {
    if (!output_.write(from, static_cast<std::size_t>(size))) output_.throw_failure();
  }
  std::uint64_t tellp() override { return static_cast<std::uint64_t>(output_.position()); }
  void seekp(std::uint64_t position) override { output_.seek(static_cast<std::int64_t>(position), SEEK_SET); }

 private:
  Output& output_;
};

/// Turns what OpenEXR throws into an `Error`.
template <class Body>
void translated(const char* trouble, Body body) {
  try {
    body();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorCode::io, std::string(trouble) + ": " + error.what());
  }
}

bool recognises(Bytes file) { return begins_with(file, "\x76\x2f\x31\x01"); }

struct Meaning {
  std::vector<std::string> channels;  // in a page's order
  ColourModel colour = ColourModel::other;
  bool alpha = false;
};

const Meaning colour_sets[] = {
    {{"Y"}, ColourModel::gray, false},
    {{"Y", "A"}, ColourModel::gray, true},
    {{"R", "G", "B"}, ColourModel::rgb, false},
    {{"R", "G", "B", "A"}, ColourModel::rgb, true},
};

Meaning meaning_of(const Imf::ChannelList& list) {
  Meaning meaning;
  for (auto channel = list.begin(); channel != list.end(); ++channel)
    meaning.channels.emplace_back(channel.name());
  for (const Meaning& known : colour_sets) {
    if (std::is_permutation(known.channels.begin(), known.channels.end(), meaning.channels.begin(),
                            meaning.channels.end())) {
      return known;
    }
  }
  return meaning;
}

/// Half where all channels are half, else float.
Pixel pixel_of(const Imf::ChannelList& list) {
  Pixel pixel = Pixel::f16;
  for (auto channel = list.begin(); channel != list.end(); ++channel) {
    if (channel.channel().type == Imf::UINT) {
      throw Error(ErrorCode::unsupported, std::string("OpenEXR channel ") + channel.name() +
                                              " holds 32-bit integers; halation reads half and float");
    }
    if (channel.channel().xSampling != 1 || channel.channel().ySampling != 1) {
      throw Error(ErrorCode::unsupported, std::string("OpenEXR channel ") + channel.name() +
                                              " is subsampled; halation reads full resolution");
    }
    if (channel.channel().type == Imf::FLOAT) pixel = Pixel::f32;
  }
  return pixel;
}

/// The rows of the data window from `top` on.
Imf::FrameBuffer frame_buffer(ConstView pixels, const std::vector<std::string>& channels,
                              Imath::Box2i window, std::int64_t top = 0) {
  window.min.y += static_cast<int>(top);
  const Imf::PixelType type = pixels.pixel == Pixel::f16 ? Imf::HALF : Imf::FLOAT;
  Imf::FrameBuffer frame;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const std::byte* first = pixels.data + static_cast<std::int64_t>(c) * pixels.strides.channels;
    frame.insert(channels[c],
                 Imf::Slice::Make(type, first, window, static_cast<std::size_t>(pixels.strides.width),
                                  static_cast<std::size_t>(pixels.strides.height)));
  }
  return frame;
}

/// Walks over the attributes of all headers: name, type, size, value. OpenEXR would first clear as much
/// memory as a value claims.
void check_attributes(Bytes file, bool many_parts) {
  std::size_t at = first_header;
  const auto skip = [&](std::size_t bytes) {
    if (bytes > file.size() - at) throw_truncated();
    at += bytes;
  };
  const auto skip_name = [&] {  // its length
    const auto end = std::find(file.begin() + static_cast<std::ptrdiff_t>(at), file.end(), std::byte{0});
    const auto length = static_cast<std::size_t>(end - file.begin()) - at;
    skip(length + 1);
    return length;
  };
  do {
    bool empty = true;
    for (; skip_name() > 0; empty = false) {
      skip_name();
      skip(4);
      std::size_t size = 0;
      for (std::size_t i = 1; i <= 4; ++i) size = size << 8 | std::to_integer<std::size_t>(file[at - i]);
      skip(size);
    }
    if (empty) return;
  } while (many_parts);
}

std::vector<Imf::Header> headers_of(Bytes file) {
  constexpr std::size_t flags_at = 5;
  constexpr std::byte many_parts_flag{0x10};
  if (file.size() < first_header) throw_truncated();
  const bool many_parts = (file[flags_at] & many_parts_flag) != std::byte{0};
  check_attributes(file, many_parts);
  MemoryStream stream(file);
  stream.seekg(first_header);
  std::vector<Imf::Header> headers;
  int version = Imf::EXR_VERSION;
  do {
    headers.emplace_back().readFrom(stream, version);
  } while (many_parts && !headers.back().readsNothing());
  if (many_parts) headers.pop_back();
  return headers;
}

Shape shape_of(const Imf::Header& header, std::size_t channels) {
  const Imath::Box2i& window = header.dataWindow();
  return {.height = std::int64_t{window.max.y} - window.min.y + 1,
          .width = std::int64_t{window.max.x} - window.min.x + 1,
          .channels = static_cast<std::int64_t>(channels)};
}

/// How a compression packs chunks of lines, and the memory that takes, in times a chunk's.
struct Packing {
  double lines;
  double most_ratio;
  double buffers = 4;
};

Packing packing_of(Imf::Compression compression) {
  constexpr double no_bound = std::numeric_limits<double>::infinity();
  switch (compression) {
    case Imf::NO_COMPRESSION:
      return {1, 1};
    case Imf::RLE_COMPRESSION:
      return {1, 64};  // runs of up to 128 bytes in two
    case Imf::ZIPS_COMPRESSION:
      return {1, most_deflate_ratio};
    case Imf::ZIP_COMPRESSION:
      return {16, most_deflate_ratio};
    case Imf::PXR24_COMPRESSION:
      return {16, most_deflate_ratio * 4 / 3};  // of each float three bytes
    case Imf::DWAA_COMPRESSION:
      return {32, no_bound, 8};
    case Imf::DWAB_COMPRESSION:
      return {256, no_bound, 8};
    default:
      return {32, no_bound};
  }
}

/// What a part takes. Whatever its compression, each chunk has an offset of 8 bytes and 8 more before its
/// pixels.
Claim claim_of(const Imf::Header& header, double file_bytes) {
  double pixel_bytes = 0;
  std::size_t channels = 0;
  for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel, ++channels) {
    pixel_bytes += channel.channel().type == Imf::HALF ? 2 : 4;
  }
  const Shape shape = shape_of(header, channels);
  if (shape.height < 1 || shape.width < 1 || shape.channels < 1) {
    throw Error(ErrorCode::io, "OpenEXR without pixels (" + to_string(shape) + ")");
  }
  const auto width = static_cast<double>(shape.width), height = static_cast<double>(shape.height);
  const Packing packing = packing_of(header.compression());
  double chunk_width = width, chunk_height = packing.lines;
  if (header.hasTileDescription()) {
    chunk_width = std::max(1U, header.tileDescription().xSize);
    chunk_height = std::max(1U, header.tileDescription().ySize);
  }
  const double chunks = std::ceil(width / chunk_width) * std::ceil(height / chunk_height);
  // Tiles are brought into place by a whole row of them.
  const double row_bytes = (std::max(width, chunk_width) + chunk_width) * chunk_height * pixel_bytes;
  return {.shape = shape,
          .pixel = pixel_of(header.channels()),
          .beside_bytes = packing.buffers * row_bytes + 16 * chunks,
          .plain_bytes = std::max(width * height * pixel_bytes / packing.most_ratio, 16 * chunks),
          .coded_bytes = file_bytes,
          .most_ratio = 1};
}

constexpr const char* damaged = "damaged or truncated OpenEXR";

/// A file whose headers fit its bytes; `check` looks at the claim of each part. Of OpenEXR's own it throws anything.
class InputFile {
 public:
  template <class Check>
  InputFile(Bytes bytes, Check check) : stream_(bytes) {
    // OpenEXR would take memory for tables, lines and tiles of any size that a header states.
    for (const Imf::Header& header : headers_of(bytes)) {
      if (header.hasType() && Imf::isDeepData(header.type())) {
        throw Error(ErrorCode::unsupported, "OpenEXR with deep data; halation reads flat pictures");
      }
      check(claim_of(header, static_cast<double>(bytes.size())));
    }
    file_.emplace(stream_);
  }

  int parts() const { return file_->parts(); }

  /// What is known of a part of which nothing is missing.
  PageFacts facts(int number) {
    if (!file_->partComplete(number)) throw Error(ErrorCode::io, std::string(damaged) + ": scan lines are missing");
    const Imf::Header& header = file_->header(number);
    const Meaning meaning = meaning_of(header.channels());
    PageFacts facts;
    facts.shape = shape_of(header, meaning.channels.size());
    facts.pixel = pixel_of(header.channels());
    facts.colour = meaning.colour;
    facts.alpha = meaning.alpha;
    facts.linear_light = true;
    const auto aspect = static_cast<double>(header.pixelAspectRatio());
    const double density = Imf::hasXDensity(header) ? static_cast<double>(Imf::xDensity(header)) : 0;
    if (density > 0) set_resolution(facts.metadata, {density, density * aspect}, ResolutionUnit::inch);
    if (density == 0 && aspect != 1) set_resolution(facts.metadata, {1, aspect}, ResolutionUnit::unnamed);
    return facts;
  }

  /// Rows from `first` on of a part of the file.
  void read(int number, std::int64_t first, View to) {
    const Imf::Header& header = file_->header(number);
    const Meaning meaning = meaning_of(header.channels());
    const Imath::Box2i& window = header.dataWindow();
    Imf::InputPart part(*file_, number);  // the file keeps what it read for it
    part.setFrameBuffer(frame_buffer(to, meaning.channels, window, first));
    const int top = window.min.y + static_cast<int>(first);
    part.readPixels(top, top + static_cast<int>(to.shape.height) - 1);
    if (meaning.alpha) divide_by_alpha(to);
  }

 private:
  MemoryStream stream_;
  std::optional<Imf::MultiPartInputFile> file_;
};

std::vector<Page> decode(Bytes bytes, Reading& reading) {
  std::vector<Page> pages;
  translated(damaged, [&] {
    InputFile file(bytes, [&](const Claim& claim) { reading.check(claim); });
    for (int number = 0; number < file.parts(); ++number) {
      const PageFacts facts = file.facts(number);
      pages.push_back({.image = Image(facts.shape, facts.pixel),
                       .colour = facts.colour,
                       .alpha = facts.alpha,
                       .linear_light = facts.linear_light,
                       .metadata = facts.metadata});
      file.read(number, 0, pages.back().image);
    }
  });
  return pages;
}

class RowsReader : public PartReader {
 public:
  RowsReader(std::shared_ptr<InputFile> file, int number) : file_(std::move(file)), number_(number) {}
  void read(std::int64_t first, View to) override {
    translated(damaged, [&] { file_->read(number_, first, to); });
  }

 private:
  std::shared_ptr<InputFile> file_;
  int number_;
};

std::vector<OpenPage> open(Bytes bytes, Reading& reading) {
  std::vector<OpenPage> pages;
  translated(damaged, [&] {
    const auto file = std::make_shared<InputFile>(bytes, [&](const Claim& claim) { reading.check_in_parts(claim); });
    for (int number = 0; number < file->parts(); ++number) {
      OpenPage& page = pages.emplace_back();
      page.facts = file->facts(number);
      page.reader = reading_rows(page.facts, std::make_unique<RowsReader>(file, number));
    }
  });
  return pages;
}

std::vector<std::string> channel_names(const PageView& page) {
  const auto count = static_cast<std::size_t>(page.pixels.shape.channels);
  for (const Meaning& known : colour_sets) {
    const bool plain = page.colour == ColourModel::other && !page.alpha && !known.alpha;
    if (known.channels.size() == count &&
        (plain || (known.colour == page.colour && known.alpha == page.alpha))) {
      return known.channels;
    }
  }
  std::vector<std::string> names;
  for (std::size_t c = 0; c < count; ++c) {
    const std::string digits = std::to_string(c);
    names.push_back("channel" + std::string(6 - std::min<std::size_t>(6, digits.size()), '0') + digits);
  }
  return names;
}

class RowsEncoder : public Encoder {
 public:
  RowsEncoder(const PageView& page, Output& output) : page_(page), names_(channel_names(page)), stream_(output) {
    const ConstView& pixels = page.pixels;
    translated(trouble, [&] {
      Imf::Header header(static_cast<int>(pixels.shape.width), static_cast<int>(pixels.shape.height));
      header.compression() = Imf::ZIP_COMPRESSION;
      for (const std::string& name : names_) {
        header.channels().insert(name, Imf::Channel(pixels.pixel == Pixel::f16 ? Imf::HALF : Imf::FLOAT));
      }
      if (has_named_resolution(page)) Imf::addXDensity(header, static_cast<float>(page.dots_per_inch_x));
      if (has_named_resolution(page) || has_unnamed_resolution(page)) {
        header.pixelAspectRatio() = static_cast<float>(page.dots_per_inch_y / page.dots_per_inch_x);
      }
      file_ = std::make_unique<Imf::OutputFile>(stream_, header);
    });
  }

  void write(const ConstView& part) override {
    if (part.shape.width == page_.pixels.shape.width) return write_rows(part);
    // Pieces of the only row.
    if (row_.empty()) row_ = Image(page_.pixels.shape, page_.pixels.pixel);
    copy(part, row_.view().crop({.x = filled_, .width = part.shape.width}));
    filled_ += part.shape.width;
    if (filled_ == page_.pixels.shape.width) write_rows(row_);
  }

  void finish() override {
    translated(trouble, [&] { file_.reset(); });  // writes the table of offsets
  }

 private:
  static constexpr const char* trouble = "OpenEXR could not be written";

  /// Some rows at a time, of which premultiplied copies take little memory.
  void write_rows(const ConstView& rows) {
    constexpr std::int64_t most = 256;
    const Shape& shape = rows.shape;
    for (std::int64_t y = 0; y < shape.height; y += most) {
      const ConstView some = rows.crop({.y = y, .height = std::min(most, shape.height - y), .width = shape.width});
      const Image premultiplied = page_.alpha ? multiplied_by_alpha(some) : Image{};
      translated(trouble, [&] {
        const ConstView pixels = page_.alpha ? premultiplied.view() : some;
        file_->setFrameBuffer(frame_buffer(pixels, names_, file_->header().dataWindow(), file_->currentScanLine()));
        file_->writePixels(static_cast<int>(some.shape.height));
      });
    }
  }

  PageView page_;
  std::vector<std::string> names_;
  OutputStream stream_;
  std::unique_ptr<Imf::OutputFile> file_;
  Image row_;
  std::int64_t filled_ = 0;
};

std::unique_ptr<Encoder> create(std::span<const PageView> pages, const WriteOptions&, Output& output) {
  return std::make_unique<RowsEncoder>(pages.front(), output);
}

constexpr std::string_view endings[] = {".exr"};
constexpr Pixel pixels[] = {Pixel::f32, Pixel::f16};

}  // namespace

constinit const Codec exr_codec = {
    .name = "exr",
    .title = "OpenEXR",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = nullptr,
    .holds = {.pixels = pixels,
              .pixels_in_words = "half and float pixels",
              .most_extent = 0x3fffffff,  // OpenEXR's own limit keeps coordinates within half of an int
              .most_channels = 1000000,
              .alpha = true,
              .cmyk = false,
              .pages = false,
              .volumes = false},
    .open = open,
    .create = create,
};

}  // namespace halation::io
