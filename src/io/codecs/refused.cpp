// refused.cpp: formats that halation knows by name, and does not read or write.
#include "io/codecs/refused.h"

#include <algorithm>

#include "io/codecs/media_brands.h"

namespace halation::io {
namespace {

bool is_heic(Bytes file) {
  constexpr std::string_view brands[] = {"heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"};
  return std::any_of(std::begin(brands), std::end(brands),
                     [&](std::string_view brand) { return has_brand(file, brand); });
}
constexpr std::string_view heic_endings[] = {".heic", ".heif", ".hif"};

#ifndef HALATION_AVIF
bool is_avif(Bytes file) { return has_brand(file, "avif") || has_brand(file, "avis"); }
constexpr std::string_view avif_endings[] = {".avif"};
#endif

bool is_jpeg_xl(Bytes file) {
  using namespace std::string_view_literals;
  return begins_with(file, "\xff\x0a"sv) || begins_with(file, "\0\0\0\x0cJXL \r\n\x87\n"sv);
}
constexpr std::string_view jpeg_xl_endings[] = {".jxl"};

bool is_jpeg_2000(Bytes file) {
  using namespace std::string_view_literals;
  return begins_with(file, "\0\0\0\x0cjP  \r\n\x87\n"sv) || begins_with(file, "\xff\x4f\xff\x51"sv);
}
constexpr std::string_view jpeg_2000_endings[] = {".jp2", ".j2k", ".jpf", ".jpx", ".j2c", ".jpc"};

/// Those that are no TIFF.
bool is_raw(Bytes file) {
  return has_brand(file, "crx ") || begins_with(file, "FUJIFILMCCD-RAW") || begins_with(file, "IIRO") || begins_with(file, "IIU");
}
constexpr std::string_view raw_endings[] = {".cr2", ".cr3", ".crw", ".nef", ".nrw", ".arw", ".srf", ".sr2", ".dng",
                                            ".raf", ".orf", ".rw2", ".pef", ".srw", ".x3f", ".3fr", ".iiq"};

bool is_psd(Bytes file) { return begins_with(file, "8BPS"); }
constexpr std::string_view psd_endings[] = {".psd", ".psb"};
bool is_pdf(Bytes file) { return begins_with(file, "%PDF-"); }
constexpr std::string_view pdf_endings[] = {".pdf"};
constexpr std::string_view svg_endings[] = {".svg", ".svgz"};

constexpr RefusedFormat formats[] = {
#ifndef HALATION_AVIF
    {"AVIF", is_avif, avif_endings, "AVIF needs libavif, which this build of halation was made without; use PNG, or build with libavif"},
#endif
    {"HEIC", is_heic, heic_endings, "HEIC is left out, for its decoder is under the GPL; use AVIF, JPEG or PNG"},
    {"JPEG XL", is_jpeg_xl, jpeg_xl_endings, "JPEG XL is neither read nor written; use AVIF, TIFF or PNG"},
    {"JPEG 2000", is_jpeg_2000, jpeg_2000_endings, "JPEG 2000 is neither read nor written; use AVIF, TIFF or PNG"},
    {"camera raw", is_raw, raw_endings, "camera raw is neither read nor written; develop it into a TIFF, PNG or JPEG"},
    {"PSD", is_psd, psd_endings, "PSD is neither read nor written; use TIFF or PNG"},
    {"PDF", is_pdf, pdf_endings, "PDF is neither read nor written; render its pages to PNG or TIFF"},
    {"SVG", nullptr, svg_endings, "SVG is neither read nor written; render it to PNG"},
};

}  // namespace

std::string_view refusal_of(Bytes file) {
  for (const RefusedFormat& format : formats) {
    if (format.recognises != nullptr && format.recognises(file)) return format.sentence;
  }
  return {};
}

namespace {

const RefusedFormat* format_of_ending(std::string_view ending) {
  for (const RefusedFormat& format : formats) {
    if (std::find(format.endings.begin(), format.endings.end(), ending) != format.endings.end()) return &format;
  }
  return nullptr;
}

}  // namespace

std::string_view refusal_of_ending(std::string_view ending) {
  const RefusedFormat* const format = format_of_ending(ending);
  return format != nullptr ? format->sentence : std::string_view();
}

}  // namespace halation::io

namespace halation {

std::string_view unread_format(std::string_view ending) {
  const io::RefusedFormat* const format = io::format_of_ending(ending);
  return format != nullptr ? format->title : std::string_view();
}

}  // namespace halation
