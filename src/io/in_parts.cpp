// in_parts.cpp: the public calls that read and write pages part by part, and when that is worth it.
#include "io/in_parts.h"

#include <filesystem>
#include <utility>

#include "halation/error.h"
#include "io/file.h"
#include "io/formats.h"
#include "io/metadata/exif_in_place.h"
#include "io/metadata/orientation.h"
#include "io/metadata/resolution.h"
#include "io/naming.h"

namespace halation {
namespace {

namespace fs = std::filesystem;

/// Throws `Error{invalid_argument}` where a part of that shape does not lie in the page.
void check_part(const PageFacts& page, std::int64_t first, const ConstView& part) {
  const std::int64_t length = length_of_part(part.shape, page.shape), whole = length_of(page.shape);
  const auto refuse = [](const std::string& sentence) { throw Error(ErrorCode::invalid_argument, sentence); };
  if (part.data == nullptr) refuse("a part without pixels");
  if (part.pixel != page.pixel || part.shape != with_length(page.shape, length)) {
    refuse("a part " + to_string(part.shape) + " " + std::string(name_of(part.pixel)) + " of an image " + to_string(page.shape) + " " +
           std::string(name_of(page.pixel)));
  }
  if (length < 1 || first < 0 || first > whole - length) {
    refuse("a part " + std::to_string(first) + "+" + std::to_string(length) + " of an image that is " + std::to_string(whole) + " long");
  }
  if (!shares_memory(part.device, cpu())) refuse("a part on " + name_of(part.device) + "; bring it to the CPU first");
}

/// A page of a file that stays open while one of its pages is there.
class FilePage : public PageSource {
 public:
  FilePage(std::string path, std::shared_ptr<const io::Input> file, io::OpenPage page)
      : path_(std::move(path)), file_(std::move(file)), page_(std::move(page)) {}

  const PageFacts& facts() const override { return page_.facts; }

  void read(std::int64_t first, View to) override {
    io::naming(path_, "standard input", [&] {
      check_part(page_.facts, first, to);
      page_.reader->read(first, to);
    });
    file_->forget();
  }

 private:
  std::string path_;
  std::shared_ptr<const io::Input> file_;
  io::OpenPage page_;
};

/// What the file will say of pages; their metadata stay with `pages`.
std::vector<io::PageView> views_of(const io::Codec& codec, std::span<const PageFacts> pages) {
  std::vector<io::PageView> views;
  for (const PageFacts& page : pages) {
    ConstView pixels;
    pixels.shape = page.shape;
    pixels.pixel = page.pixel;
    views.push_back(io::as_held(codec, io::PageView::of(pixels, page)));
  }
  return views;
}

bool takes_parts(const io::Codec& codec, std::span<const PageFacts> pages) {
  if (codec.create == nullptr) return false;
  for (const PageFacts& page : pages) {
    io::PageView view;
    view.colour = page.colour;
    if (io::becomes_rgb(codec, view)) return false;
  }
  return true;
}

class FileSink : public PagesSink, private Sink {
 public:
  FileSink(const std::string& path, const io::Codec& codec, std::vector<PageFacts> pages, const WriteOptions& options)
      : path_(path), pages_(std::move(pages)), output_(path) {
    reporting([&] { encoder_ = codec.create(views_of(codec, pages_), options, output_); });
  }

  Sink& page(std::size_t number) override {
    io::naming_output(path_, [&] {
      if (number == number_) return;
      if (number != number_ + 1 || number >= pages_.size()) {
        throw Error(ErrorCode::invalid_argument, "page " + std::to_string(number + 1) + " of " + std::to_string(pages_.size()) +
                                                     " does not follow page " + std::to_string(number_ + 1));
      }
      check_complete();
      number_ = number;
      next_ = 0;
    });
    return *this;
  }

  void commit() override {
    io::naming_output(path_, [&] {
      check_open();
      check_complete();
      if (number_ + 1 < pages_.size()) {
        throw Error(ErrorCode::invalid_argument,
                    std::to_string(number_ + 1) + " of " + std::to_string(pages_.size()) + " pages have been written");
      }
      reporting([&] { encoder_->finish(); });
      encoder_.reset();
      output_.commit();
    });
  }

 private:
  void write(std::int64_t first, ConstView part) override {
    io::naming_output(path_, [&] {
      check_open();
      const PageFacts& page = pages_[number_];
      check_part(page, first, part);
      if (first != next_) {
        throw Error(ErrorCode::invalid_argument,
                    "a part begins at " + std::to_string(first) + ", the one before ended at " + std::to_string(next_));
      }
      const Image packed = io::rows_are_packed(part) ? Image{} : part_packed(part);
      reporting([&] { encoder_->write(packed.empty() ? part : packed.view()); });
      next_ += length_of_part(part.shape, page.shape);
    });
  }

  static Image part_packed(const ConstView& part) {
    Image packed(part.shape, part.pixel);
    copy(part, packed);
    return packed;
  }

  void check_open() const {
    if (encoder_ == nullptr) throw Error(ErrorCode::invalid_argument, "the file has been written, or could not be");
  }

  void check_complete() const {
    const std::int64_t whole = length_of(pages_[number_].shape);
    if (next_ < whole) {
      throw Error(ErrorCode::invalid_argument, "page " + std::to_string(number_ + 1) + " is not complete: " + std::to_string(next_) +
                                                   " of " + std::to_string(whole) + " have been written");
    }
  }

  /// After a failure nothing more is written. The system's reason says more than the codec's.
  template <class Body>
  void reporting(Body body) {
    try {
      body();
    } catch (const Error&) {
      encoder_.reset();
      if (output_.failed()) output_.throw_failure();
      throw;
    }
  }

  std::string path_;
  std::vector<PageFacts> pages_;
  io::Output output_;
  std::unique_ptr<io::Encoder> encoder_;  // none before the first page, and after the last
  std::size_t number_ = 0;
  std::int64_t next_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<PageSource>> open_pages(const std::string& path, const ReadOptions& options) {
  // What comes from a pipe comes once: it is left to `read_pages`.
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (path == "-" || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))) return {};
  return io::naming(path, "standard input", [&] {
    const auto file = std::make_shared<io::Input>(path, options.memory_bytes);
    if (file->bytes().empty()) throw Error(ErrorCode::io, "the file is empty");
    const io::Codec& codec = io::codec_of(file->bytes());
    std::vector<std::unique_ptr<PageSource>> sources;
    if (codec.open == nullptr) return sources;
    io::check_page(options.page);
    io::Reading reading(options, codec.title);
    std::vector<io::OpenPage> pages = codec.open(file->bytes(), reading);
    io::keep_page(options.page, pages);
    for (io::OpenPage& page : pages) {
      PageFacts& facts = page.facts;
      if (facts.layout == ArrayLayout::by_rank) facts.layout = ArrayLayout::hw;
      io::remove_thumbnail(facts.metadata.exif);
      io::take_resolution_of_exif(facts.metadata);
      const bool lies_right = reading.apply_orientation(facts.metadata, page.orientation) &&
                              reading.apply_orientation(facts.metadata, io::orientation_in(facts.metadata.exif));
      if (page.reader == nullptr || !lies_right) return std::vector<std::unique_ptr<PageSource>>();
      sources.push_back(std::make_unique<FilePage>(path, file, std::move(page)));
    }
    file->forget();
    return sources;
  });
}

bool is_written_in_parts(const std::string& path, std::span<const PageFacts> pages, const WriteOptions& options) {
  try {
    return takes_parts(io::codec_for(path, options.format), pages);
  } catch (const Error&) {  // a format that is not known, of which writing will say more
    return false;
  }
}

std::unique_ptr<PagesSink> create_pages(const std::string& path, std::vector<PageFacts> pages, const WriteOptions& options) {
  return io::naming_output(path, [&]() -> std::unique_ptr<PagesSink> {
    if (pages.empty()) throw Error(ErrorCode::invalid_argument, "no pages to write");
    io::check_options(options);
    const io::Codec& codec = io::codec_for(path, options.format);
    for (const PageFacts& page : pages) {
      io::check_request(codec, {page.pixel, page.shape, page.colour, page.alpha, pages.size()});
    }
    if (!takes_parts(codec, pages)) {
      const bool colours = codec.create != nullptr;
      throw Error(ErrorCode::unsupported, std::string(codec.title) + (colours ? " of CMYK pages" : "") +
                                              " is written whole, not in parts; .npy, .tif and .exr are written in parts");
    }
    return std::make_unique<FileSink>(path, codec, std::move(pages), options);
  });
}

namespace io {
namespace {

double bytes_of_all(const std::vector<PageFacts>& pages) {
  double bytes = 0;
  for (const PageFacts& page : pages) bytes += static_cast<double>(page.shape.elements()) * static_cast<double>(bytes_of(page.pixel));
  return bytes;
}

}  // namespace

PageSources opened_in_parts(const std::string& path, const ReadOptions& options) {
  try {
    return open_pages(path, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    return {};
  }
}

std::vector<PageFacts> facts_of(const PageSources& pages) {
  std::vector<PageFacts> facts;
  facts.reserve(pages.size());
  for (const auto& page : pages) facts.push_back(page->facts());
  return facts;
}

bool is_worth_parts(const std::vector<PageFacts>& pages, const std::vector<PageFacts>& results) {
  constexpr double little = 8 << 20;
  return bytes_of_all(pages) + bytes_of_all(results) > little;
}

}  // namespace io
}  // namespace halation
