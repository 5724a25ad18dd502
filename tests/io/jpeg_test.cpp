// jpeg_test.cpp: JPEG files, odd ones made by libjpeg itself.
#include <cstddef>
#include <cstdio>

#include <jpeglib.h>

#include <cmath>
#include <functional>
#include <initializer_list>

#include "pictures.h"

namespace halation::test {
namespace {

/// Smooth waves, which JPEG keeps nearly as they are.
Page waves(std::int64_t height, std::int64_t width, ColourModel colour) {
  Page page;
  page.colour = colour;
  page.image = Image({.height = height, .width = width, .channels = channels_of(colour, false)}, Pixel::u8);
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t c = 0; c < page.image.shape().channels; ++c) {
        const double wave =
            std::sin(0.05 * static_cast<double>(x + 9 * c)) * std::cos(0.04 * static_cast<double>(y));
        page.image.view().at<std::uint8_t>({.y = y, .x = x, .c = c}) = static_cast<std::uint8_t>(128 + 100 * wave);
      }
    }
  }
  return page;
}

int largest_difference(ConstView a, ConstView b) {
  EXPECT_EQ(to_string(a.shape), to_string(b.shape));
  int largest = 0;
  for (std::int64_t y = 0; y < a.shape.height; ++y) {
    for (std::int64_t x = 0; x < a.shape.width; ++x) {
      for (std::int64_t c = 0; c < a.shape.channels; ++c) {
        const Position at{.y = y, .x = x, .c = c};
        largest = std::max(largest, std::abs(a.at<std::uint8_t>(at) - b.at<std::uint8_t>(at)));
      }
    }
  }
  return largest;
}

/// Compresses packed samples at quality 100, without subsampling; `change` may turn other screws before it
/// starts.
void write_odd(const std::string& path, const Image& samples, J_COLOR_SPACE space,
               const std::function<void(jpeg_compress_struct&)>& change = {}) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  jpeg_stdio_dest(&info, file);
  info.image_width = static_cast<JDIMENSION>(samples.shape().width);
  info.image_height = static_cast<JDIMENSION>(samples.shape().height);
  info.input_components = static_cast<int>(samples.shape().channels);
  info.in_color_space = space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  for (int i = 0; i < info.num_components; ++i)
    info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  if (change) change(info);
  jpeg_start_compress(&info, TRUE);
  const ConstView view = samples;
  for (std::int64_t y = 0; y < view.shape.height; ++y) {
    auto* row = const_cast<JSAMPLE*>(&view.at<JSAMPLE>({.y = y}));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::fclose(file);
}

/// What libjpeg itself decodes.
Image decoded_by_libjpeg(const std::string& path) {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  jpeg_stdio_src(&info, file);
  jpeg_read_header(&info, TRUE);
  jpeg_start_decompress(&info);
  Image image({.height = info.output_height, .width = info.output_width, .channels = info.output_components},
              Pixel::u8);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = &image.view().at<JSAMPLE>({.y = info.output_scanline});
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_destroy_decompress(&info);
  std::fclose(file);
  return image;
}

TEST(Jpeg, KeepsComments) {
  const Folder folder;
  Page page = random_page(Pixel::u8, 9, 12, ColourModel::rgb);
  page.metadata.jpeg_comments = {to_bytes("one"), to_bytes(std::string(65533, 'x')), to_bytes("t\xC3\xB6")};
  write_one(folder / "a.jpg", page);
  const Page back = read_one(folder / "a.jpg");
  EXPECT_EQ(back.metadata.jpeg_comments, page.metadata.jpeg_comments);
  page.metadata.jpeg_comments = {to_bytes(std::string(65534, 'x')), {}, to_bytes("kept")};  // the first fits no segment
  write_one(folder / "b.jpg", page);
  EXPECT_EQ(read_one(folder / "b.jpg").metadata.jpeg_comments, (std::vector<std::vector<std::byte>>{to_bytes("kept")}));
}

TEST(Jpeg, RoundTripsSmoothPicturesWithinAFewLevels) {
  const Folder folder;
  for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb, ColourModel::cmyk}) {
    for (const auto& [height, width] : {std::pair{1, 1}, {1, 40}, {67, 45}}) {
      const Page page = waves(height, width, colour);
      write_one(folder / "a.jpg", page, {.quality = 100});
      const Page back = read_one(folder / "a.jpg");
      EXPECT_EQ(back.colour, colour);
      EXPECT_FALSE(back.alpha);
      EXPECT_LE(largest_difference(back.image, page.image), 3);
    }
  }
}

TEST(Jpeg, ReadsWhatLibjpegReads) {
  const Folder folder;
  const auto progressive = [](jpeg_compress_struct& info) { jpeg_simple_progression(&info); };
  write_odd(folder / "gray.jpg", waves(50, 61, ColourModel::gray).image, JCS_GRAYSCALE);
  write_odd(folder / "rgb.jpg", waves(50, 61, ColourModel::rgb).image, JCS_RGB);
  write_odd(folder / "progressive.jpg", waves(50, 61, ColourModel::rgb).image, JCS_RGB, progressive);
  for (const char* name : {"gray.jpg", "rgb.jpg", "progressive.jpg"}) {
    expect_same_pixels(read_image(folder / name), decoded_by_libjpeg(folder / name));
  }
}

TEST(Jpeg, QualityGovernsSizeAndChroma) {
  const Folder folder;
  const Page page = random_page(Pixel::u8, 64, 64, ColourModel::rgb);
  std::size_t smaller = 0;
  for (const int quality : {1, 50, 89, 90, 100}) {
    write_one(folder / "a.jpg", page, {.quality = quality});
    const std::string bytes = bytes_in(folder / "a.jpg");
    EXPECT_GT(bytes.size(), smaller);
    smaller = bytes.size();
    const std::size_t frame = bytes.find("\xff\xc0");
    ASSERT_NE(frame, std::string::npos);
    EXPECT_EQ(bytes[frame + 11], quality >= 90 ? 0x11 : 0x22);  // luma's sampling factors
  }
}

TEST(Jpeg, HandsCmykOnWithZeroForNoInk) {
  const Folder folder;
  const Page ink = waves(40, 32, ColourModel::cmyk);
  Image light(ink.image.shape(), Pixel::u8);
  for (std::int64_t i = 0; i < light.shape().elements(); ++i)
    light.view().data[i] = ~ink.image.view().data[i];

  write_odd(folder / "adobe.jpg", light, JCS_CMYK);
  write_odd(folder / "ycck.jpg", light, JCS_CMYK, [](jpeg_compress_struct& info) {
    jpeg_set_colorspace(&info, JCS_YCCK);
    for (int i = 0; i < 4; ++i) info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  });
  write_odd(folder / "plain.jpg", ink.image, JCS_CMYK,
            [](jpeg_compress_struct& info) { info.write_Adobe_marker = FALSE; });
  for (const char* name : {"adobe.jpg", "ycck.jpg", "plain.jpg"}) {
    const Page back = read_one(folder / name);
    EXPECT_EQ(back.colour, ColourModel::cmyk) << name;
    EXPECT_LE(largest_difference(back.image, ink.image), 4) << name;
  }
  write_one(folder / "ours.jpg", ink, {.quality = 100});
  EXPECT_LE(largest_difference(decoded_by_libjpeg(folder / "ours.jpg"), light), 2);
}

TEST(Jpeg, AppliesEveryOrientation) {
  const Folder folder;
  Page page;
  page.image = squares(3, 4, 8);  // flat blocks of 8 by 8 come through unharmed
  page.colour = ColourModel::gray;
  for (int orientation = 1; orientation <= 8; ++orientation) {
    page.metadata.exif = exif_with(orientation);
    page.metadata.xmp = xmp_with(orientation);
    page.metadata.dots_per_inch_x = 72;
    page.metadata.dots_per_inch_y = 96;
    write_one(folder / "a.jpg", page, {.quality = 100});
    const Page back = read_one(folder / "a.jpg");
    expect_upright(back.image, page.image, orientation, 1);
    EXPECT_EQ(back.metadata.exif, exif_with(1));
    EXPECT_EQ(back.metadata.xmp, xmp_with(1));
    EXPECT_EQ(back.metadata.dots_per_inch_x, orientation >= 5 ? 96 : 72);
    EXPECT_EQ(back.metadata.dots_per_inch_y, orientation >= 5 ? 72 : 96);
  }
}

TEST(Jpeg, KeepsMetadata) {
  const Folder folder;
  for (const ColourModel colour : {ColourModel::gray, ColourModel::rgb, ColourModel::cmyk}) {
    Page page = waves(9, 8, colour);
    const char* space = colour == ColourModel::gray ? "GRAY" : colour == ColourModel::rgb ? "RGB " : "CMYK";
    page.metadata = full_metadata(space);
    page.metadata.icc = profile_of(space, 200000);  // four segments
    write_one(folder / "a.jpg", page);
    const Metadata back = read_one(folder / "a.jpg").metadata;
    EXPECT_EQ(back.icc, page.metadata.icc);
    EXPECT_EQ(back.exif, page.metadata.exif);
    EXPECT_EQ(back.xmp, page.metadata.xmp);
    EXPECT_EQ(back.dots_per_inch_x, 300);
    EXPECT_EQ(back.dots_per_inch_y, 150);
  }
}

TEST(Jpeg, LeavesOutMetadataThatNoSegmentHolds) {
  const Folder folder;
  Page page = waves(9, 8, ColourModel::rgb);
  page.metadata = full_metadata("RGB ");
  page.metadata.exif.resize(65528);
  page.metadata.xmp.resize(65505);
  write_one(folder / "a.jpg", page);
  const Metadata back = read_one(folder / "a.jpg").metadata;
  EXPECT_TRUE(back.exif.empty());
  EXPECT_TRUE(back.xmp.empty());
  EXPECT_EQ(back.icc, page.metadata.icc);
  page.metadata.exif.resize(65527);
  page.metadata.xmp.resize(65504);
  write_one(folder / "a.jpg", page);
  EXPECT_EQ(read_one(folder / "a.jpg").metadata.exif, page.metadata.exif);
  EXPECT_EQ(read_one(folder / "a.jpg").metadata.xmp, page.metadata.xmp);
}

TEST(Jpeg, ReadsDotsPerCentimetre) {
  const Folder folder;
  write_odd(folder / "a.jpg", waves(8, 8, ColourModel::gray).image, JCS_GRAYSCALE,
            [](jpeg_compress_struct& info) {
              info.density_unit = 2;
              info.X_density = 100;
              info.Y_density = 50;
            });
  const Metadata back = read_one(folder / "a.jpg").metadata;
  EXPECT_DOUBLE_EQ(back.dots_per_inch_x, 254);
  EXPECT_DOUBLE_EQ(back.dots_per_inch_y, 127);
}

TEST(Jpeg, ForgivesWhatHarmsNoPixel) {
  const Folder folder;
  write_odd(folder / "a.jpg", waves(20, 20, ColourModel::rgb).image, JCS_RGB);
  const std::string bytes = bytes_in(folder / "a.jpg");
  const std::size_t tables = bytes.find("\xff\xdb");
  write_bytes(folder / "gap.jpg", bytes.substr(0, tables) + std::string(5, '\0') + bytes.substr(tables));
  write_bytes(folder / "tail.jpg", bytes + "camera's own data");
  const Image expected = read_image(folder / "a.jpg");
  expect_same_pixels(read_image(folder / "gap.jpg"), expected);
  expect_same_pixels(read_image(folder / "tail.jpg"), expected);
}

TEST(Jpeg, CountsWhatLiesBehindItsPicture) {
  const Folder folder;
  const auto progressive = [](jpeg_compress_struct& info) { jpeg_simple_progression(&info); };
  write_odd(folder / "a.jpg", waves(20, 20, ColourModel::rgb).image, JCS_RGB);
  write_odd(folder / "progressive.jpg", waves(20, 20, ColourModel::rgb).image, JCS_RGB, progressive);
  for (const char* first : {"a.jpg", "progressive.jpg"}) {
    const std::string picture = bytes_in(folder / first);
    const auto expect = [&](std::initializer_list<std::string> behind, std::size_t bytes) {
      std::string file = picture;
      for (const std::string& each : behind) file += each;
      write_bytes(folder / "b.jpg", file);
      const Page page = read_one(folder / "b.jpg");
      EXPECT_EQ(page.bytes_behind, static_cast<std::int64_t>(bytes));
      EXPECT_EQ(facts_of(page).bytes_behind, page.bytes_behind);
      expect_same_pixels(page.image, read_image(folder / first));
    };
    const std::string video("\0\0\0\x18" "ftypmp42\0\0\0\0", 16);
    expect({}, 0);
    expect({std::string(5000, '\0')}, 0);
    expect({"camera's own data"}, 0);
    expect({picture}, picture.size());
    expect({"pad", picture, video}, picture.size() + 16);
    expect({video}, 16);
    expect({"MotionPhoto_Data", video, picture}, picture.size() + 16);
    expect({"ftyp"}, 0);
  }
}

TEST(Jpeg, IsNoMotionPhotoWithoutItsVideo) {
  const Folder folder;
  Page page = waves(9, 8, ColourModel::rgb);
  const auto xmp = [](char flag) {
    return to_bytes(std::string("<rdf:Description GCamera:MicroVideo=\"") + flag + "\" GCamera:MicroVideoVersion=\"1\" GCamera:MicroVideoOffset=\"99\"><Camera:MotionPhoto>" +
                    flag + "</Camera:MotionPhoto></rdf:Description>");
  };
  page.metadata.xmp = xmp('1');
  write_one(folder / "a.jpg", page);
  EXPECT_EQ(read_one(folder / "a.jpg").metadata.xmp, xmp('0'));
}

TEST(Jpeg, RefusesScansWithoutEnd) {
  const Folder folder;
  static const jpeg_scan_info scans[] = {{1, {0}, 0, 0, 0, 0}, {1, {0}, 1, 63, 0, 0}};
  write_odd(folder / "a.jpg", waves(16, 16, ColourModel::gray).image, JCS_GRAYSCALE,
            [](jpeg_compress_struct& info) {
              info.scan_info = scans;
              info.num_scans = 2;
            });
  const std::string bytes = bytes_in(folder / "a.jpg");
  const std::size_t last_scan = bytes.rfind("\xff\xda");
  std::string endless = bytes.substr(0, bytes.size() - 2);
  // A scan that brings coefficients to full precision may be repeated for ever.
  for (int i = 0; i < 600; ++i) endless += bytes.substr(last_scan, bytes.size() - 2 - last_scan);
  write_bytes(folder / "b.jpg", endless + "\xff\xd9");
  EXPECT_THAT(message_of([&] { read_image(folder / "b.jpg"); }), testing::HasSubstr("more than 500 scans"));
}

}  // namespace
}  // namespace halation::test
