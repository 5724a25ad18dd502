// jpeg.cpp: JPEG by libjpeg-turbo: gray, RGB and CMYK. CMYK is handed on with 0 for no ink, whichever way
// round the file has it.
//
// Warnings that tell of missing or damaged data are errors here: half a picture filtered would pass for a
// whole one. Written: chroma at full resolution from quality 90 on, below that at half. Exif and XMP larger
// than one segment are left out.
#include <cstddef>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "halation/error.h"
#include "io/file.h"
#include "io/metadata/iptc.h"
#include "io/metadata/resolution.h"
#include "io/metadata/xmp.h"

namespace halation::io {
namespace {

constexpr std::string_view exif_signature{"Exif\0\0", 6};
constexpr std::string_view xmp_signature{"http://ns.adobe.com/xap/1.0/\0", 29};
constexpr int app1 = JPEG_APP0 + 1;
constexpr int app2 = JPEG_APP0 + 2;
constexpr int app13 = JPEG_APP0 + 13;
constexpr std::string_view resources_signature{"Photoshop 3.0\0", 14};
constexpr std::size_t most_segment_bytes = 65533;

/// libjpeg's error manager, and where to go on.
struct ErrorManager {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  char sentence[JMSG_LENGTH_MAX];
};

[[noreturn]] void on_error(j_common_ptr info) {
  auto* manager = reinterpret_cast<ErrorManager*>(info->err);
  info->err->format_message(info, manager->sentence);
  std::longjmp(manager->jump, 1);
}

/// What careless writers leave behind, and what leaves the pixels as they were meant.
bool is_harmless(int message) {
  switch (message) {
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA:
    case JWRN_BOGUS_ICC:
      return true;
    default:
      return false;
  }
}

void on_message(j_common_ptr info, int level) {
  if (level < 0 && !is_harmless(info->err->msg_code)) on_error(info);
}

jpeg_error_mgr* set_up(ErrorManager& manager) {
  jpeg_error_mgr* base = jpeg_std_error(&manager.base);
  base->error_exit = on_error;
  base->emit_message = on_message;
  return base;
}

/// Runs `body`, which must own nothing: libjpeg leaves it by longjmp, past destructors.
template <class Body>
void guarded(ErrorManager& manager, const char* trouble, const Body& body) {
  if (setjmp(manager.jump) != 0) {
    throw Error(ErrorCode::io, std::string(trouble) + ": " + manager.sentence);
  }
  body();
}

/// Progressive files may repeat scans over a large picture for hours.
void refuse_endless_scans(j_common_ptr info) {
  constexpr int most_scans = 500;
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= most_scans) return;
  auto* manager = reinterpret_cast<ErrorManager*>(info->err);
  std::snprintf(manager->sentence, sizeof manager->sentence, "more than %d scans", most_scans);
  std::longjmp(manager->jump, 1);
}

struct Reader {
  ErrorManager errors;
  jpeg_decompress_struct info = {};
  jpeg_progress_mgr progress = {};

  Reader() {
    info.err = set_up(errors);
    run([&] { jpeg_create_decompress(&info); });
    progress.progress_monitor = refuse_endless_scans;
    info.progress = &progress;
  }
  ~Reader() { jpeg_destroy_decompress(&info); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  template <class Body>
  void run(const Body& body) {
    guarded(errors, "damaged or truncated JPEG", body);
  }
};

bool recognises(Bytes file) { return begins_with(file, "\xff\xd8\xff"); }

J_COLOR_SPACE wanted_space(J_COLOR_SPACE stored) {
  switch (stored) {
    case JCS_GRAYSCALE:
      return JCS_GRAYSCALE;
    case JCS_RGB:
    case JCS_YCbCr:
      return JCS_RGB;
    case JCS_CMYK:
    case JCS_YCCK:
      return JCS_CMYK;
    default:
      throw Error(ErrorCode::unsupported, "JPEG with a colour space that is neither gray, RGB nor CMYK");
  }
}

Metadata metadata_of(Reader& reader) {
  const jpeg_decompress_struct& info = reader.info;
  Metadata kept;
  std::vector<std::byte> resources;  // those of Photoshop may be cut into several segments
  for (jpeg_saved_marker_ptr marker = info.marker_list; marker != nullptr; marker = marker->next) {
    const Bytes data(reinterpret_cast<const std::byte*>(marker->data), marker->data_length);
    const auto keep_after = [&](std::string_view signature, std::vector<std::byte>& where) {
      if (marker->marker == app1 && where.empty() && begins_with(data, signature)) {
        where.assign(data.begin() + static_cast<std::ptrdiff_t>(signature.size()), data.end());
      }
    };
    if (marker->marker == JPEG_COM) kept.jpeg_comments.push_back(bytes_at(marker->data, marker->data_length));
    keep_after(exif_signature, kept.exif);
    keep_after(xmp_signature, kept.xmp);
    if (marker->marker == app13 && begins_with(data, resources_signature))
      resources.insert(resources.end(), data.begin() + static_cast<std::ptrdiff_t>(resources_signature.size()), data.end());
  }
  kept.iptc = iptc_in_resources(resources);
  JOCTET* profile = nullptr;
  unsigned profile_bytes = 0;
  reader.run([&] { jpeg_read_icc_profile(&reader.info, &profile, &profile_bytes); });
  const std::unique_ptr<JOCTET, decltype(&std::free)> owner(profile, &std::free);
  if (profile != nullptr) kept.icc = bytes_at(profile, profile_bytes);
  if (info.saw_JFIF_marker && (info.density_unit != 0 || info.X_density != info.Y_density)) {
    constexpr ResolutionUnit units[] = {ResolutionUnit::unnamed, ResolutionUnit::inch, ResolutionUnit::centimetre};
    set_resolution(kept, {static_cast<double>(info.X_density), static_cast<double>(info.Y_density)},
                   units[std::min<UINT8>(info.density_unit, 2)]);
  }
  return kept;
}

/// 255 − v for every sample of a row.
void invert(const std::byte* from, std::byte* to, std::size_t samples) {
  std::transform(from, from + samples, to, [](std::byte value) { return ~value; });
}

/// What the picture takes once its header has been read. Coefficients of all blocks wait in memory where a
/// file has several scans.
Claim claim_of(jpeg_decompress_struct& info, double coded_bytes) {
  double samples = 0, coefficients = 0;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    samples +=
        static_cast<double>(component.downsampled_width) * static_cast<double>(component.downsampled_height);
    // whole blocks, in whole groups of them
    coefficients += static_cast<double>(component.width_in_blocks + component.h_samp_factor) *
                    static_cast<double>(component.height_in_blocks + component.v_samp_factor) * DCTSIZE2;
  }
  constexpr double most_huffman_ratio = 256;  // two bits or more for each block of 64 samples
  const bool waits = jpeg_has_multiple_scans(&info) != 0;
  const bool huffman = !waits && info.arith_code == 0;
  return {.shape = {.height = info.output_height,
                    .width = info.output_width,
                    .channels = info.out_color_components},
          .beside_bytes = waits ? coefficients * sizeof(JCOEF) : 0,
          .plain_bytes = samples,
          .coded_bytes = coded_bytes,
          .most_ratio = huffman ? most_huffman_ratio : std::numeric_limits<double>::infinity()};
}

/// How many bytes there are from another picture, or a video, on, of those behind a picture. What else cameras leave there, zeros and notes,
/// is none of the picture's.
std::int64_t bytes_of_more(std::string_view behind) {
  constexpr std::string_view jpeg_begin = "\xff\xd8\xff", video_brand = "ftyp";
  constexpr std::size_t before_brand = 4;  // the size of the box that it names
  const std::size_t picture = behind.find(jpeg_begin), video = behind.find(video_brand, before_brand);
  const std::size_t begin = std::min(picture, video == std::string_view::npos ? video : video - before_brand);
  return static_cast<std::int64_t>(behind.size() - std::min(begin, behind.size()));
}

std::vector<Page> decode(Bytes file, Reading& reading) {
  Reader reader;
  jpeg_decompress_struct& info = reader.info;
  reader.run([&] {
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_save_markers(&info, app1, 0xFFFF);
    jpeg_save_markers(&info, app2, 0xFFFF);
    jpeg_save_markers(&info, app13, 0xFFFF);
    jpeg_save_markers(&info, JPEG_COM, 0xFFFF);
    jpeg_read_header(&info, TRUE);
  });
  info.out_color_space = wanted_space(info.jpeg_color_space);
  reader.run([&] { jpeg_calc_output_dimensions(&info); });
  Page page;
  page.image = reading.image(claim_of(info, static_cast<double>(file.size())));
  page.colour = info.out_color_space == JCS_GRAYSCALE ? ColourModel::gray
                : info.out_color_space == JCS_RGB     ? ColourModel::rgb
                                                      : ColourModel::cmyk;
  page.metadata = metadata_of(reader);  // finishing frees what the markers hold
  const View pixels = page.image;
  reader.run([&] {
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = &pixels.at<JSAMPLE>({.y = info.output_scanline});
      jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
  });
  page.bytes_behind = bytes_of_more({reinterpret_cast<const char*>(info.src->next_input_byte), info.src->bytes_in_buffer});
  // The video is not read, and a result that says it had one would send programs looking for it.
  for (const char* flag : {"Camera:MicroVideo", "Camera:MotionPhoto"}) set_xmp_digit(page.metadata.xmp, flag, 0);
  // Adobe's programs mark their files and store CMYK as the light that is left, 255 for no ink.
  if (page.colour == ColourModel::cmyk && info.saw_Adobe_marker) {
    const auto samples = static_cast<std::size_t>(pixels.shape.elements());
    invert(pixels.data, pixels.data, samples);
  }
  std::vector<Page> pages;
  pages.push_back(std::move(page));
  return pages;
}

/// libjpeg's destination manager, writing to `output`.
struct Destination {
  jpeg_destination_mgr base = {};
  Output* output = nullptr;
  JOCTET buffer[1 << 16];

  static Destination& of(j_compress_ptr info) { return *reinterpret_cast<Destination*>(info->dest); }
  static void start(j_compress_ptr info) {
    Destination& self = of(info);
    self.base.next_output_byte = self.buffer;
    self.base.free_in_buffer = sizeof self.buffer;
  }
  static boolean flush_all(j_compress_ptr info) {
    Destination& self = of(info);
    if (!self.output->write(self.buffer, sizeof self.buffer)) ERREXIT(info, JERR_FILE_WRITE);
    start(info);
    return TRUE;
  }
  static void finish(j_compress_ptr info) {
    Destination& self = of(info);
    const std::size_t used = sizeof self.buffer - self.base.free_in_buffer;
    if (!self.output->write(self.buffer, used)) ERREXIT(info, JERR_FILE_WRITE);
  }
  explicit Destination(Output& to) : output(&to) {
    base.init_destination = start;
    base.empty_output_buffer = flush_all;
    base.term_destination = finish;
  }
};

struct Writer {
  ErrorManager errors;
  jpeg_compress_struct info = {};

  Writer() {
    info.err = set_up(errors);
    run([&] { jpeg_create_compress(&info); });
  }
  ~Writer() { jpeg_destroy_compress(&info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  template <class Body>
  void run(const Body& body) {
    guarded(errors, "JPEG could not be written", body);
  }
};

std::vector<std::byte> segment(std::string_view signature, Bytes data) {
  if (data.empty() || signature.size() + data.size() > most_segment_bytes) return {};
  std::vector<std::byte> bytes = bytes_at(signature.data(), signature.size());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

void write_marker(jpeg_compress_struct& info, int marker, const std::vector<std::byte>& bytes) {
  if (bytes.empty() || bytes.size() > most_segment_bytes) return;
  jpeg_write_marker(&info, marker, reinterpret_cast<const JOCTET*>(bytes.data()), static_cast<unsigned>(bytes.size()));
}

/// Photoshop's resources with the IPTC, as many segments as they take.
std::vector<std::vector<std::byte>> resource_segments(Bytes iptc) {
  std::vector<std::vector<std::byte>> segments;
  const std::vector<std::byte> resources = resources_with(iptc);
  for (Bytes rest = resources; !rest.empty();) {
    const std::size_t bytes = std::min(rest.size(), most_segment_bytes - resources_signature.size());
    segments.push_back(segment(resources_signature, rest.first(bytes)));
    rest = rest.subspan(bytes);
  }
  return segments;
}

J_COLOR_SPACE space_of(ColourModel colour) {
  switch (colour) {
    case ColourModel::gray:
      return JCS_GRAYSCALE;
    case ColourModel::rgb:
      return JCS_RGB;
    case ColourModel::cmyk:
      return JCS_CMYK;
    case ColourModel::other:
      break;
  }
  throw Error(ErrorCode::unsupported, "JPEG holds gray, RGB and CMYK");
}

/// Integers of 16 bits per inch or, where that is how the page counts or an inch has more, per centimetre; nothing where they would
/// not do.
void set_density(jpeg_compress_struct& info, const PageView& page) {
  constexpr double most = 65535;
  if (!has_named_resolution(page) && !has_unnamed_resolution(page)) return;
  if (has_unnamed_resolution(page)) {
    const auto [x, y] = ratio_of_density(page, 65535);
    info.X_density = static_cast<UINT16>(x);
    info.Y_density = static_cast<UINT16>(y);
  } else {
    const bool metric = page.resolution_unit == ResolutionUnit::centimetre || std::max(page.dots_per_inch_x, page.dots_per_inch_y) > most;
    const double scale = metric ? 1 / centimetres_per_inch : 1;
    const double x = std::round(page.dots_per_inch_x * scale), y = std::round(page.dots_per_inch_y * scale);
    if (x < 1 || y < 1 || x > most || y > most) return;
    info.density_unit = metric ? 2 : 1;
    info.X_density = static_cast<UINT16>(x);
    info.Y_density = static_cast<UINT16>(y);
  }
  info.write_JFIF_header = TRUE;  // of itself libjpeg leaves it out of CMYK, and density with it
}

void encode(std::span<const PageView> pages, const WriteOptions& options, Output& output) {
  const PageView& page = pages.front();
  const Shape& shape = page.pixels.shape;
  const J_COLOR_SPACE space = space_of(page.colour);
  const std::vector<std::byte> exif = segment(exif_signature, page.exif);
  const std::vector<std::byte> xmp = segment(xmp_signature, page.xmp);
  const std::vector<std::vector<std::byte>> iptc = resource_segments(page.iptc);
  std::vector<std::byte> inverted(space == JCS_CMYK ? page.row_bytes() : 0);

  const auto destination = std::make_unique<Destination>(output);
  Writer writer;
  jpeg_compress_struct& info = writer.info;
  writer.run([&] {
    info.dest = &destination->base;
    info.image_width = static_cast<JDIMENSION>(shape.width);
    info.image_height = static_cast<JDIMENSION>(shape.height);
    info.input_components = static_cast<int>(shape.channels);
    info.in_color_space = space;
    jpeg_set_defaults(&info);  // CMYK gets Adobe's marker
    jpeg_set_quality(&info, options.quality, TRUE);
    if (options.quality >= 90) {
      for (int i = 0; i < info.num_components; ++i) {
        info.comp_info[i].h_samp_factor = 1;
        info.comp_info[i].v_samp_factor = 1;
      }
    }
    set_density(info, page);
    jpeg_start_compress(&info, TRUE);
    write_marker(info, app1, exif);
    write_marker(info, app1, xmp);
    for (const std::vector<std::byte>& resources : iptc) write_marker(info, app13, resources);
    for (const std::vector<std::byte>& comment : page.jpeg_comments) write_marker(info, JPEG_COM, comment);
    if (!page.icc.empty()) {
      jpeg_write_icc_profile(&info, reinterpret_cast<const JOCTET*>(page.icc.data()),
                             static_cast<unsigned>(page.icc.size()));
    }
    for (std::int64_t y = 0; y < shape.height; ++y) {
      const std::byte* row = page.row(y);
      if (space == JCS_CMYK) {
        invert(row, inverted.data(), inverted.size());
        row = inverted.data();
      }
      JSAMPROW samples =
          reinterpret_cast<JSAMPROW>(const_cast<std::byte*>(row));  // libjpeg does not write to it
      jpeg_write_scanlines(&info, &samples, 1);
    }
    jpeg_finish_compress(&info);
  });
}

constexpr std::string_view endings[] = {".jpg", ".jpeg", ".jpe", ".jfif"};
constexpr Pixel pixels[] = {Pixel::u8};

}  // namespace

constinit const Codec jpeg_codec = {
    .name = "jpeg",
    .title = "JPEG",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = encode,
    .holds = {.pixels = pixels,
              .pixels_in_words = "8-bit pixels",
              .most_extent = JPEG_MAX_DIMENSION,
              .most_channels = 4,
              .alpha = false,
              .cmyk = true,
              .pages = false,
              .volumes = false},
};

}  // namespace halation::io
