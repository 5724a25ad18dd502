// resolution_test.cpp: how large pixels are goes from format to format.
#include "pictures.h"

namespace halation::test {
namespace {

Page page_of(double x, double y, ResolutionUnit unit) {
  Page page = random_page(Pixel::u8, 6, 8, ColourModel::rgb);
  page.metadata.dots_per_inch_x = x;
  page.metadata.dots_per_inch_y = y;
  page.metadata.resolution_unit = unit;
  return page;
}

const std::vector<std::string> formats = {
    ".png",  ".jpg", ".tif", ".bmp", ".webp",
#ifdef HALATION_AVIF
    ".avif",
#endif
};

TEST(Resolution, PerInchAndPerCentimetreGoesThroughEveryFormat) {
  const Folder folder;
  for (const ResolutionUnit unit : {ResolutionUnit::inch, ResolutionUnit::centimetre}) {
    for (const std::string& ending : formats) {
      SCOPED_TRACE(ending);
      write_one(folder / ("a" + ending), page_of(254, 508, unit));
      const Metadata back = read_one(folder / ("a" + ending)).metadata;
      EXPECT_NEAR(back.dots_per_inch_x, 254, 1e-3);
      EXPECT_NEAR(back.dots_per_inch_y, 508, 1e-3);
      const bool counts_in_metres = ending == ".png" || ending == ".bmp";
      EXPECT_EQ(back.resolution_unit, counts_in_metres ? ResolutionUnit::inch : unit);
    }
  }
}

TEST(Resolution, WithoutAUnitIsTheShapeOfPixelsWhereAFormatHasThat) {
  const Folder folder;
  for (const std::string ending : {".png", ".jpg", ".tif"}) {
    SCOPED_TRACE(ending);
    write_one(folder / ("a" + ending), page_of(4, 3, ResolutionUnit::unnamed));
    const Metadata back = read_one(folder / ("a" + ending)).metadata;
    EXPECT_EQ(back.dots_per_inch_x, 4);
    EXPECT_EQ(back.dots_per_inch_y, 3);
    EXPECT_EQ(back.resolution_unit, ResolutionUnit::unnamed);
    write_one(folder / ("a" + ending), page_of(1e9, 0.5e9 + 1, ResolutionUnit::unnamed));
    const Metadata large = read_one(folder / ("a" + ending)).metadata;
    EXPECT_NEAR(large.dots_per_inch_x / large.dots_per_inch_y, 2, 1e-4);
    // Square pixels of an unknown size: of these formats only TIFF has a place for what their unit is.
    write_one(folder / ("a" + ending), page_of(15.5, 15.5, ResolutionUnit::unnamed));
    EXPECT_EQ(read_one(folder / ("a" + ending)).metadata.dots_per_inch_x, ending == ".tif" ? 15.5 : 0);
  }
  for (const std::string ending : {".bmp", ".webp"}) {
    write_one(folder / ("a" + ending), page_of(4, 3, ResolutionUnit::unnamed));
    EXPECT_EQ(read_one(folder / ("a" + ending)).metadata.dots_per_inch_x, 0) << ending;
  }
}

TEST(Resolution, WithoutAUnitIsTheAspectOfOpenExr) {
  const Folder folder;
  Page page = random_page(Pixel::f32, 6, 8, ColourModel::rgb);
  page.metadata.dots_per_inch_x = 4;
  page.metadata.dots_per_inch_y = 2;
  page.metadata.resolution_unit = ResolutionUnit::unnamed;
  write_one(folder / "a.exr", page);
  const Metadata back = read_one(folder / "a.exr").metadata;
  EXPECT_EQ(back.resolution_unit, ResolutionUnit::unnamed);
  EXPECT_EQ(back.dots_per_inch_x / back.dots_per_inch_y, 2);
}

TEST(Resolution, ThatJpegCannotHoldIsLeftOutAndNotAnother) {
  const Folder folder;
  for (const auto& [written, read] : {std::pair{100000.0, 99999.8}, {1e6, 0.0}, {0.2, 0.0}}) {  // 39,370 a centimetre
    write_one(folder / "a.jpg", page_of(written, written, ResolutionUnit::inch));
    EXPECT_NEAR(read_one(folder / "a.jpg").metadata.dots_per_inch_x, read, 0.01) << written;
  }
}

TEST(Resolution, IsTakenFromExifWhereTheFormatSaysNothing) {
  const Folder folder;
  write_one(folder / "a.webp", page_of(300, 200, ResolutionUnit::inch));  // which has Exif only
  Page page = read_one(folder / "a.webp");
  page.metadata.dots_per_inch_x = page.metadata.dots_per_inch_y = 0;
  for (const std::string ending : {".jpg", ".png"}) {
    write_one(folder / ("b" + ending), page);
    EXPECT_EQ(read_one(folder / ("b" + ending)).metadata.dots_per_inch_x, 300) << ending;
    EXPECT_EQ(read_one(folder / ("b" + ending)).metadata.dots_per_inch_y, 200) << ending;
    write_pages(folder / "c.tif", read_pages(folder / ("b" + ending)));
    EXPECT_EQ(read_one(folder / "c.tif").metadata.dots_per_inch_x, 300) << ending;
  }
}

TEST(Resolution, ThatIsNoneIsNotWritten) {
  const Folder folder;
  for (const double odd : {0.0, -3.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const std::string& ending : formats) {
      write_one(folder / ("a" + ending), page_of(odd, 300, ResolutionUnit::inch));
      EXPECT_EQ(read_one(folder / ("a" + ending)).metadata.dots_per_inch_x, 0) << ending << odd;
    }
  }
}

}  // namespace
}  // namespace halation::test
