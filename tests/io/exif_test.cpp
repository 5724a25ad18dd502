// exif_test.cpp: Exif on its way into TIFF files and out of them, held to libtiff's reading.
#include <tiffio.h>

#include <memory>

#include "pictures.h"

namespace halation::test {
namespace {

/// The first `size` bytes, with its zeros.
std::string text(const char* bytes, std::size_t size) { return {bytes, size}; }

/// Exif written out number by number: maker, model, orientation, software, date, artist, copyright; exposure
/// 1/250 s, ISO 400, a date and a maker's note; a latitude of 48° 51' 30" north.
class Blob {
 public:
  explicit Blob(bool little) : little_(little), bytes_(little ? "II" : "MM") {
    number(42, 2), number(8, 4);
    directory({{271, 2, 8, text("halcam\0\0", 8), 0},
               {272, 2, 6, text("M 100\0", 6), 0},
               {274, 3, 1, "", 6},
               {305, 2, 4, text("one\0", 4), 0},
               {306, 2, 20, text("2026:11:22 10:20:30\0", 20), 0},
               {315, 2, 5, text("Anna\0", 5), 0},
               {33432, 2, 10, "(c) Anna B", 0},  // without its end
               {34665, 4, 1, "", photo_at},
               {34853, 4, 1, "", place_at}});
    bytes_.resize(photo_at);
    std::string exposure = four(1) + four(250);
    directory({{33434, 5, 1, exposure, 0},
               {34855, 3, 1, "", 400},
               {36867, 2, 20, text("2026:11:22 10:20:29\0", 20), 0},
               {37500, 7, 9, text("a secret\0", 9), 0}});
    bytes_.resize(place_at);
    directory({{1, 2, 2, std::string("N\0", 2), 0},
               {2, 5, 3, four(48) + four(1) + four(51) + four(1) + four(30) + four(1), 0}});
  }
  std::vector<std::byte> bytes() const { return to_bytes(bytes_); }

 private:
  static constexpr unsigned photo_at = 300, place_at = 500;

  struct Entry {
    unsigned tag, type, count;
    std::string value;  // where it is no number
    unsigned number;
  };

  std::string in_order(unsigned value, int size) const {
    std::string text;
    for (int i = 0; i < size; ++i)
      text += static_cast<char>(value >> 8 * (little_ ? i : size - 1 - i) & 0xFF);
    return text;
  }
  std::string four(unsigned value) const { return in_order(value, 4); }
  void number(unsigned value, int size) { bytes_ += in_order(value, size); }
  void directory(const std::vector<Entry>& entries) {
    std::string values;
    const std::size_t end = bytes_.size() + 2 + 12 * entries.size() + 4;
    number(static_cast<unsigned>(entries.size()), 2);
    for (const Entry& entry : entries) {
      number(entry.tag, 2), number(entry.type, 2), number(entry.count, 4);
      std::string field = entry.type == 3   ? in_order(entry.number, 2)
                          : entry.type == 4 ? four(entry.number)
                                            : entry.value;
      if (field.size() > 4) {
        number(static_cast<unsigned>(end + values.size()), 4);
        values += field;
      } else {
        field.resize(4);
        bytes_ += field;
      }
    }
    number(0, 4);
    bytes_ += values;
  }

  bool little_;
  std::string bytes_;
};

Page page_with_exif(bool little) {
  Page page = random_page(Pixel::u8, 5, 7, ColourModel::rgb);
  page.metadata.exif = Blob(little).bytes();
  return page;
}

std::string text_of(TIFF* tiff, std::uint32_t name) {
  const char* text = nullptr;
  return TIFFGetField(tiff, name, &text) != 0 ? text : "none";
}

/// All of `Blob` but the orientation, which the pixels have by now.
void expect_exif(const std::string& path) {
  const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen(path.c_str(), "r"), &TIFFClose);
  ASSERT_NE(tiff, nullptr);
  EXPECT_EQ(text_of(tiff.get(), TIFFTAG_MAKE), "halcam");
  EXPECT_EQ(text_of(tiff.get(), TIFFTAG_MODEL), "M 100");
  EXPECT_EQ(text_of(tiff.get(), TIFFTAG_SOFTWARE), "one");
  EXPECT_EQ(text_of(tiff.get(), TIFFTAG_DATETIME), "2026:11:22 10:20:30");
  EXPECT_EQ(text_of(tiff.get(), TIFFTAG_ARTIST), "Anna");
  EXPECT_EQ(text_of(tiff.get(), TIFFTAG_COPYRIGHT), "(c) Anna B");
  std::uint16_t orientation = 0;
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_ORIENTATION, &orientation);
  EXPECT_EQ(orientation, ORIENTATION_TOPLEFT);
  toff_t photo = 0, place = 0;
  ASSERT_EQ(TIFFGetField(tiff.get(), TIFFTAG_EXIFIFD, &photo), 1);
  ASSERT_EQ(TIFFGetField(tiff.get(), TIFFTAG_GPSIFD, &place), 1);
  ASSERT_EQ(TIFFReadEXIFDirectory(tiff.get(), photo), 1);
  float exposure = 0;
  EXPECT_EQ(TIFFGetField(tiff.get(), EXIFTAG_EXPOSURETIME, &exposure), 1);
  EXPECT_FLOAT_EQ(exposure, 1.0F / 250);
  EXPECT_EQ(text_of(tiff.get(), EXIFTAG_DATETIMEORIGINAL), "2026:11:22 10:20:29");
  std::uint16_t count = 0;
  const std::uint16_t* speed = nullptr;
  ASSERT_EQ(TIFFGetField(tiff.get(), EXIFTAG_ISOSPEEDRATINGS, &count, &speed), 1);
  EXPECT_EQ(speed[0], 400);
  ASSERT_EQ(TIFFReadGPSDirectory(tiff.get(), place), 1);
  EXPECT_EQ(text_of(tiff.get(), GPSTAG_LATITUDEREF), "N");
  const double* latitude = nullptr;
  ASSERT_EQ(TIFFGetField(tiff.get(), GPSTAG_LATITUDE, &latitude), 1);
  EXPECT_EQ((std::vector<double>{latitude, latitude + 3}), (std::vector<double>{48, 51, 30}));
}

TEST(Exif, SurvivesTheWayIntoTiffAndOutOfIt) {
  const Folder folder;
  for (const bool little : {true, false}) {
    for (const char* from : {"a.jpg", "a.png", "a.webp"}) {
      write_one(folder / from, page_with_exif(little));
      write_pages(folder / "a.tif", read_pages(folder / from));
      expect_exif(folder / "a.tif");
      write_pages(folder / "b.tif", read_pages(folder / "a.tif"));
      expect_exif(folder / "b.tif");
      EXPECT_EQ(read_one(folder / "a.tif").metadata.exif, read_one(folder / "b.tif").metadata.exif);
      write_pages(folder / from, read_pages(folder / "b.tif"));  // as one piece again
      EXPECT_EQ(read_one(folder / from).metadata.exif, read_one(folder / "b.tif").metadata.exif);
      write_pages(folder / "c.tif", read_pages(folder / from));
      expect_exif(folder / "c.tif");
    }
  }
}

/// Exif, or a TIFF without pixels, of Windows' five texts.
std::vector<std::byte> windows_texts(bool little) {
  std::string bytes = little ? "II" : "MM";
  const auto number = [&](unsigned value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * (little ? i : size - 1 - i) & 0xFF);
  };
  number(42, 2), number(8, 4), number(5, 2);
  for (unsigned i = 0; i < 5; ++i) number(0x9C9B + i, 2), number(1, 2), number(6, 4), number(100 + 6 * i, 4);
  bytes.resize(100);
  for (char i = 0; i < 5; ++i) bytes += text("T\0", 2) + static_cast<char>('0' + i) + text("\0\0\0", 3);  // UTF-16, low bytes first
  return to_bytes(bytes);
}

TEST(Exif, TextsOfWindowsSurviveTheWayIntoTiffAndOutOfIt) {
  const Folder folder;
  for (const bool little : {true, false}) {
    Page page = random_page(Pixel::u8, 5, 7, ColourModel::rgb);
    page.metadata.exif = windows_texts(little);
    write_one(folder / "a.jpg", page);
    write_pages(folder / "a.tif", read_pages(folder / "a.jpg"));
    write_pages(folder / "b.tif", read_pages(folder / "a.tif"));
    for (const char* name : {"a.tif", "b.tif"}) {
      const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen((folder / name).c_str(), "r"), &TIFFClose);
      for (char i = 0; i < 5; ++i) {
        std::uint32_t count = 0;
        const char* found = nullptr;
        ASSERT_EQ(TIFFGetField(tiff.get(), static_cast<std::uint32_t>(0x9C9B + i), &count, &found), 1) << name;
        EXPECT_EQ(std::string(found, count), text("T\0", 2) + static_cast<char>('0' + i) + text("\0\0\0", 3));
      }
    }
    write_pages(folder / "b.jpg", read_pages(folder / "b.tif"));
    EXPECT_EQ(read_one(folder / "b.jpg").metadata.exif, read_one(folder / "b.tif").metadata.exif);
  }
}

TEST(Exif, OfEveryPage) {
  const Folder folder;
  std::vector<Page> pages(3);
  for (Page& page : pages) page = page_with_exif(true);
  pages[1].metadata.exif.clear();
  write_pages(folder / "a.tif", pages);
  const std::vector<Page> back = read_pages(folder / "a.tif");
  ASSERT_EQ(back.size(), 3U);
  EXPECT_FALSE(back[0].metadata.exif.empty());
  EXPECT_TRUE(back[1].metadata.exif.empty());
  EXPECT_EQ(back[2].metadata.exif, back[0].metadata.exif);
  for (std::size_t i = 0; i < 3; ++i)
    expect_same_pixels(back[i].image, read_pages(folder / "a.tif")[i].image);
}

TEST(Exif, OutOfOtherTiffs) {
  const Folder folder;
  for (const char* mode : {"wl", "wb", "w8l", "w8b"}) {
    {
      const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen((folder / "a.tif").c_str(), mode),
                                                             &TIFFClose);
      TIFFSetField(tiff.get(), TIFFTAG_IMAGEWIDTH, 2);
      TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, 1);
      TIFFSetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, 8);
      TIFFSetField(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, 1);
      TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
      TIFFSetField(tiff.get(), TIFFTAG_MAKE, "halcam");
      TIFFSetField(tiff.get(), TIFFTAG_IMAGEDESCRIPTION, "two pixels");
      char pixels[] = "ab";
      TIFFWriteEncodedStrip(tiff.get(), 0, pixels, 2);
      TIFFWriteDirectory(tiff.get());
      std::uint64_t photo = 0;
      TIFFCreateEXIFDirectory(tiff.get());
      TIFFSetField(tiff.get(), EXIFTAG_EXPOSURETIME, 0.25);
      TIFFWriteCustomDirectory(tiff.get(), &photo);
      TIFFSetDirectory(tiff.get(), 0);
      TIFFSetField(tiff.get(), TIFFTAG_EXIFIFD, photo);
      TIFFRewriteDirectory(tiff.get());
    }
    write_pages(folder / "b.tif", read_pages(folder / "a.tif"));
    const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen((folder / "b.tif").c_str(), "r"),
                                                           &TIFFClose);
    EXPECT_EQ(text_of(tiff.get(), TIFFTAG_MAKE), "halcam") << mode;
    EXPECT_EQ(text_of(tiff.get(), TIFFTAG_IMAGEDESCRIPTION), "two pixels") << mode;
    toff_t photo = 0;
    ASSERT_EQ(TIFFGetField(tiff.get(), TIFFTAG_EXIFIFD, &photo), 1) << mode;
    ASSERT_EQ(TIFFReadEXIFDirectory(tiff.get(), photo), 1);
    float exposure = 0;
    EXPECT_EQ(TIFFGetField(tiff.get(), EXIFTAG_EXPOSURETIME, &exposure), 1);
    EXPECT_FLOAT_EQ(exposure, 0.25F) << mode;
  }
}

TEST(Exif, DamagedPiecesAreLeftOut) {
  const Folder folder;
  std::mt19937 random(5);
  for (int run = 0; run < 500; ++run) {
    Page page = page_with_exif(true);
    std::vector<std::byte>& exif = page.metadata.exif;
    if (run % 2 == 0) exif.resize(random() % exif.size());
    for (int change = 0; change < 3 && !exif.empty(); ++change)
      exif[random() % exif.size()] = static_cast<std::byte>(random());
    write_one(folder / "a.tif", page);
    expect_same_pixels(as_stored(folder / "a.tif").image, page.image);
  }
}

}  // namespace
}  // namespace halation::test
