// orientation_test.cpp: pictures read as they were stored, and written again with what says how they lie.
#include "pictures.h"

namespace halation::test {
namespace {

const std::vector<std::string> endings = {"png", "jpg", "tif", "webp",
#ifdef HALATION_AVIF
                                          "avif"
#endif
};

Page picture(int orientation) {
  const Image gray = squares(3, 4, 8);  // flat blocks of 8 by 8 come through JPEG unharmed
  Page page;
  page.image = Image({.height = 24, .width = 32, .channels = 3}, Pixel::u8);
  for (std::int64_t i = 0; i < gray.shape().elements(); ++i)
    std::memset(page.image.view().data + 3 * i, std::to_integer<int>(gray.view().data[i]), 3);
  page.colour = ColourModel::rgb;
  page.metadata.exif = exif_with(orientation, orientation % 2 == 0);
  page.metadata.xmp = xmp_with(orientation);
  page.metadata.dots_per_inch_x = 72;
  page.metadata.dots_per_inch_y = 96;
  return page;
}

TEST(Orientation, IsKeptWherePixelsAreReadAsStored) {
  const Folder folder;
  const Image stored = picture(1).image.clone();
  for (int orientation = 1; orientation <= 8; ++orientation) {
    write_one(folder / "a.png", picture(orientation));
    for (const std::string& ending : endings) {
      SCOPED_TRACE(ending + ", " + std::to_string(orientation));
      const std::string path = folder / ("a." + ending);
      write_one(path, as_stored(folder / "a.png"), {.quality = 100});
      expect_upright(read_image(path), stored, orientation, 1);
      const Page page = as_stored(path);
      expect_upright(page.image, stored, 1, 1);
      EXPECT_EQ(page.metadata.xmp, xmp_with(orientation));
      if (ending == "jpg" || ending == "tif") {
        EXPECT_NEAR(page.metadata.dots_per_inch_x, 72, 0.02);  // a whole number a metre in PNG
        EXPECT_NEAR(page.metadata.dots_per_inch_y, 96, 0.02);
      }
      write_one(folder / "b.png", page);
      expect_upright(read_image(folder / "b.png"), stored, orientation, 1);
    }
  }
}

}  // namespace
}  // namespace halation::test
