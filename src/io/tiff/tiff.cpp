// tiff.cpp: TIFF and BigTIFF by libtiff, one page or many.
//
// Samples of 1 to 7 bits become u8 and those of 9 to 15 bits u16, spread over the full range; MINISWHITE is
// inverted; palettes become RGB. One extra sample that is alpha is alpha; where there are other or more extra
// samples, all channels are handed on as they are, without a colour model. Reduced pictures and masks that
// accompany a page are left out. Of Exif the texts of a page's directory, and the directories of photograph
// and place are kept.
#include <limits>
#include <memory>
#include <utility>

#include "halation/error.h"
#include "io/rows.h"
#include "io/tiff/stack_description.h"
#include "io/tiff/tiff_rows.h"
#include "io/tiff/tiff_stored.h"
#include "io/tiff/tiff_writing.h"

namespace halation::io {
namespace {

bool recognises(Bytes file) {
  using namespace std::string_view_literals;
  return begins_with(file, "II*\0"sv) || begins_with(file, "MM\0*"sv) || begins_with(file, "II+\0"sv) ||
         begins_with(file, "MM\0+"sv);
}

/// A file being read. It stays where it is: libtiff has its address.
struct OpenFile {
  explicit OpenFile(Bytes bytes) : file{bytes, complaint}, tiff(open_for_reading(file)) {
    if (tiff == nullptr) fail(complaint);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// Calls `each`, which adds to `pages`, at every page that is wanted, and adds an empty one for any other up to it: they may be damaged.
  /// What follows a page and belongs to it is counted there.
  template <class OnePage, class Each>
  void for_each_page(std::vector<OnePage>& pages, const Reading& reading, Each each) {
    const auto description = tag<const char*>(tiff.get(), TIFFTAG_IMAGEDESCRIPTION, "");
    const std::string_view described_by = stack_program(description);
    check_whole(images_said_by_imagej(description));
    has_several = TIFFLastDirectory(tiff.get()) == 0;
    for (;;) {
      const auto kind = tag<std::uint32_t>(tiff.get(), TIFFTAG_SUBFILETYPE, 0);
      if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) == 0) {
        if (reading.ends_with(pages.size())) break;
        if (const std::size_t number = pages.size() + 1; reading.wants(number)) {
          naming_page(number, [&] {
            each(stored_as(tiff.get()));
            if (file.read_past_end) fail(complaint);
          });
          facts_in(pages.back()).described_by = described_by;
        } else {
          pages.emplace_back();
        }
      } else if (!pages.empty()) {
        if ((kind & FILETYPE_MASK) == 0) ++facts_in(pages.back()).overviews;
        if ((kind & FILETYPE_REDUCEDIMAGE) == 0) ++facts_in(pages.back()).masks;
      }
      if (file.read_past_end) fail(complaint);
      if (TIFFLastDirectory(tiff.get()) != 0) break;
      if (TIFFReadDirectory(tiff.get()) == 0) fail(complaint);
    }
    if (pages.empty()) throw Error(ErrorCode::unsupported, "TIFF with nothing but reduced pictures and masks");
  }

  static Page& facts_in(Page& page) { return page; }
  static PageFacts& facts_in(OpenPage& page) { return page.facts; }

  /// Puts the page in front of what `body` throws, where there are several. Memory is short for all of them.
  template <class Body>
  void naming_page(std::size_t number, Body body) const {
    try {
      body();
    } catch (const Error& error) {
      if (!has_several || error.code() == ErrorCode::out_of_memory) throw;
      throw Error(error.code(), "page " + std::to_string(number) + ": " + error.what());
    }
  }

  /// At the first page: ImageJ writes stacks of more than 4 GB as one page, the others' samples behind its own.
  void check_whole(std::int64_t images) {
    const double page_bytes = static_cast<double>(tag<std::uint32_t>(tiff.get(), TIFFTAG_IMAGELENGTH, 0)) * static_cast<double>(TIFFScanlineSize(tiff.get()));
    const bool has_all = static_cast<double>(images) * page_bytes <= static_cast<double>(file.bytes.size());
    const bool is_plain = tag<std::uint16_t>(tiff.get(), TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_NONE;
    if (images == 1 || TIFFLastDirectory(tiff.get()) == 0 || !has_all || !is_plain) return;
    throw Error(ErrorCode::unsupported, "TIFF of " + std::to_string(images) +
                                            " images in one page, as ImageJ writes stacks of more than 4 GB; save it as OME-TIFF, or as BigTIFF with a page for each");
  }

  TiffComplaint complaint;
  TiffBytes file;
  Tiff tiff;
  bool has_several = false;  // directories
};

std::vector<Page> decode(Bytes bytes, Reading& reading) {
  OpenFile open(bytes);
  std::vector<Page> pages;
  open.for_each_page(pages, reading, [&](const TiffStored& stored) {
    TIFF* tiff = open.tiff.get();
    TiffRows rows(tiff, stored, open.complaint);
    Claim claim = claim_of(tiff, stored, bytes.size());
    claim.beside_bytes = rows.beside_bytes();
    reading.check(claim);
    const PageFacts facts = facts_of(tiff, stored, bytes);
    Page page{.image = Image(facts.shape, facts.pixel),
              .colour = facts.colour,
              .alpha = facts.alpha,
              .metadata = facts.metadata,
              .overviews = facts.overviews};
    rows.read(0, page.image);
    reading.apply_orientation(page, stored.orientation);
    pages.push_back(std::move(page));
  });
  return pages;
}

/// The pages of one file in parts: libtiff is at one of them, which alone takes memory.
class PartsOfPages {
 public:
  explicit PartsOfPages(Bytes bytes) : bytes_(bytes), open_(bytes) {}

  std::vector<TiffStored> check_pages(const Reading& reading, std::vector<OpenPage>& pages) {
    std::vector<TiffStored> all;
    open_.for_each_page(pages, reading, [&](const TiffStored& stored) {
      TIFF* tiff = open_.tiff.get();
      const TiffRows rows(tiff, stored, open_.complaint, bytes_);
      Claim claim = claim_of(tiff, stored, bytes_.size());
      claim.beside_bytes = rows.beside_bytes();
      reading.check_in_parts(claim);
      pages.push_back({.facts = facts_of(tiff, stored, bytes_), .orientation = stored.orientation, .reader = nullptr});
      all.resize(pages.size());
      all.back() = stored;
    });
    opened_ = open_.complaint;
    return all;
  }

  void read(std::size_t number, const TiffStored& stored, std::int64_t first, View to) {
    open_.naming_page(number, [&] { read(stored, first, to); });
  }

 private:
  void read(const TiffStored& stored, std::int64_t first, View to) {
    open_.complaint = opened_;  // a part that failed may be asked for again
    open_.file.read_past_end = false;
    TIFF* tiff = open_.tiff.get();
    if (at_ != stored.directory) {
      rows_.reset();
      at_ = 0;
      if (TIFFSetSubDirectory(tiff, stored.directory) == 0) fail(open_.complaint);
      set_decoding(tiff, stored);
      at_ = stored.directory;
      rows_.emplace(tiff, stored, open_.complaint, bytes_);
    }
    rows_->read(first, to);
    if (open_.file.read_past_end) fail(open_.complaint);
  }

  Bytes bytes_;
  OpenFile open_;
  TiffComplaint opened_;
  std::uint64_t at_ = 0;  // the directory of `rows_`; 0: none
  std::optional<TiffRows> rows_;
};

class TiffReader : public PartReader {
 public:
  TiffReader(std::shared_ptr<PartsOfPages> file, std::size_t number, TiffStored stored)
      : file_(std::move(file)), number_(number), stored_(std::move(stored)) {}
  void read(std::int64_t first, View to) override { file_->read(number_, stored_, first, to); }

 private:
  std::shared_ptr<PartsOfPages> file_;
  std::size_t number_;
  TiffStored stored_;
};

std::vector<OpenPage> open(Bytes bytes, Reading& reading) {
  const auto file = std::make_shared<PartsOfPages>(bytes);
  std::vector<OpenPage> pages;
  const std::vector<TiffStored> all = file->check_pages(reading, pages);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (reading.wants(i + 1)) pages[i].reader = reading_rows(pages[i].facts, std::make_unique<TiffReader>(file, i + 1, all[i]));
  }
  return pages;
}

constexpr std::string_view endings[] = {".tif", ".tiff"};

}  // namespace

constinit const Codec tiff_codec = {
    .name = "tiff",
    .title = "TIFF",
    .endings = endings,
    .recognises = recognises,
    .decode = decode,
    .encode = nullptr,
    .holds =
        {.pixels = native_pixels,
         .pixels_in_words = "u8, u16, i16, f16, f32 and f64 pixels",
         .most_extent =
             std::numeric_limits<std::int32_t>::max(),  // libtiff counts a row's bytes in 32 bits at places
         .most_channels = std::numeric_limits<std::uint16_t>::max(),
         .alpha = true,
         .cmyk = true,
         .pages = true,
         .volumes = false},
    .open = open,
    .create = create_tiff,
};

}  // namespace halation::io
