// bad_input_test.cpp: missing, empty, foreign, truncated and damaged files of every format.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "io/codec.h"
#include "pictures.h"

namespace halation::test {
namespace {

struct Sample {
  std::string name;
  std::string bytes;
};

/// Small valid files of every format, with metadata, in the kinds that their writers make.
std::vector<Sample> samples() {
  const Folder folder;
  std::vector<Sample> list;
  const auto add = [&](const std::string& name, std::span<const Page> pages,
                       const WriteOptions& options = {}) {
    write_pages(folder / name, pages, options);
    list.push_back({name, bytes_in(folder / name)});
  };
  const auto page = [](Pixel pixel, ColourModel colour, bool alpha) {
    Page made = random_page(pixel, 12, 11, colour, alpha);
    made.metadata = full_metadata(colour == ColourModel::gray  ? "GRAY"
                                  : colour == ColourModel::rgb ? "RGB "
                                                               : "CMYK");
    return made;
  };
  std::vector<Page> one(1), three(3);
  const auto with = [&](Pixel pixel, ColourModel colour, bool alpha) -> std::span<const Page> {
    one[0] = page(pixel, colour, alpha);
    return one;
  };
  add("rgba.png", with(Pixel::u8, ColourModel::rgb, true));
  add("gray.png", with(Pixel::u16, ColourModel::gray, false));
  add("rgb.jpg", with(Pixel::u8, ColourModel::rgb, false));
  add("half.jpg", with(Pixel::u8, ColourModel::rgb, false), {.quality = 60});
  add("cmyk.jpg", with(Pixel::u8, ColourModel::cmyk, false));
  add("rgba.tif", with(Pixel::u8, ColourModel::rgb, true));
  add("float.tif", with(Pixel::f32, ColourModel::gray, false));
  for (Page& made : three) made = page(Pixel::u16, ColourModel::gray, false);
  add("pages.tif", three);
  add("lossless.webp", with(Pixel::u8, ColourModel::rgb, true));
  add("lossy.webp", with(Pixel::u8, ColourModel::rgb, true), {.lossless = false});
  add("half.exr", with(Pixel::f16, ColourModel::rgb, true));
  add("float.exr", with(Pixel::f32, ColourModel::gray, false));
  add("rgb.npy", with(Pixel::f64, ColourModel::rgb, false));
  add("gray.bmp", with(Pixel::u8, ColourModel::gray, false));
  add("rgba.bmp", with(Pixel::u8, ColourModel::rgb, true));
  add("rgb.ppm", with(Pixel::u8, ColourModel::rgb, false));
  add("rgba.pam", with(Pixel::u16, ColourModel::rgb, true));
  add("rgb.pfm", with(Pixel::f32, ColourModel::rgb, false));
#ifdef HALATION_AVIF
  add("rgba.avif", with(Pixel::u8, ColourModel::rgb, true));
  add("gray.avif", with(Pixel::u16, ColourModel::gray, false));
#endif
  // What halation does not write comes from the corpus of the fuzz targets.
  const std::string corpus = HALATION_TESTS_DIR "/fuzz/corpus/files/";
  for (const char* name : {"animated.gif", "runs8.bmp", "runs4.bmp"})
    list.push_back({name, bytes_in(corpus + name)});
  return list;
}

/// A new file under an old name; cutting an old one to nothing first would make some file systems wait for
/// the disk.
std::string write_anew(const std::string& path, std::string_view bytes) {
  std::filesystem::remove(path);
  return write_bytes(path, bytes);
}

TEST(BadInput, MissingEmptyForeign) {
  const Folder folder;
  EXPECT_EQ(message_of([&] { read_pages(folder / "none.png"); }), (folder / "none.png") + ": no such file");
  EXPECT_EQ(message_of([] { read_pages("/tmp"); }), "/tmp: is a folder; a file was expected");
  EXPECT_EQ(message_of([] { read_pages("/dev/null"); }), "/dev/null: the file is empty");
  write_bytes(folder / "empty.png", "");
  EXPECT_EQ(message_of([&] { read_image(folder / "empty.png"); }),
            (folder / "empty.png") + ": the file is empty");
  for (const char* text : {"h", "hello", "RIFF", "RIFF1234WAVEfmt ", "II", "P9 3 3 255 ", "GIF88a"}) {
    write_bytes(folder / "photo.txt", text);
#ifdef HALATION_AVIF
    const std::string avif = ", AVIF";
#else
    const std::string avif;
#endif
    EXPECT_EQ(
        message_of([&] { read_pages(folder / "photo.txt"); }),
        (folder / "photo.txt") +
            ": not an image that halation reads (PNG, JPEG, TIFF, WebP, OpenEXR, .npy, BMP, PNM, PFM, GIF" +
            avif + ")");
  }
}

TEST(BadInput, ErrorsCarryTheirKind) {
  const Folder folder;
  const auto code_of = [](const std::string& path) {
    try {
      read_pages(path);
    } catch (const Error& error) {
      return error.code();
    }
    throw std::logic_error("no error");
  };
  EXPECT_EQ(code_of(folder / "none"), ErrorCode::io);
  EXPECT_EQ(code_of(write_bytes(folder / "text", "text")), ErrorCode::io);
  for (const Sample& sample : samples()) {
    EXPECT_EQ(code_of(write_bytes(folder / sample.name, sample.bytes.substr(0, sample.bytes.size() / 2))),
              ErrorCode::io)
        << sample.name;
  }
}

TEST(BadInput, ContentsCountNotNames) {
  const Folder folder;
  for (const Sample& sample : samples()) {
    write_anew(folder / "liar.png", sample.bytes);
    EXPECT_EQ(message_of([&] { read_pages(folder / "liar.png"); }), "no error") << sample.name;
  }
}

TEST(BadInput, TruncationAnywhereIsAnError) {
  const Folder folder;
  for (const Sample& sample : samples()) {
    const std::size_t size = sample.bytes.size();
    for (std::size_t length = 0; length < size; ++length) {
      write_anew(folder / sample.name, {sample.bytes.data(), length});
      ASSERT_NE(message_of([&] { read_pages(folder / sample.name); }), "no error")
          << sample.name << " cut to " << length << " of " << size;
    }
  }
}

TEST(BadInput, DamagedBytesAreAnErrorOrPages) {
  const Folder folder;
  std::mt19937 random(3);
  for (const Sample& sample : samples()) {
    for (int run = 0; run < 1000; ++run) {
      std::string bytes = sample.bytes;
      for (unsigned flips = 1 + random() % 8; flips > 0; --flips)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      write_anew(folder / sample.name, bytes);
      try {
        const std::vector<Page> pages = read_pages(folder / sample.name);
        ASSERT_FALSE(pages.empty());
        for (const Page& page : pages) {
          ASSERT_GT(page.image.shape().elements(), 0);
          page.image.clone();  // reads every pixel
        }
      } catch (const Error& error) {
        ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }
    }
  }
}

TEST(BadInput, NothingIsPrinted) {
  const Folder folder;
  std::mt19937 random(4);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (const Sample& sample : samples()) {
    for (int run = 0; run < 40; ++run) {
      std::string bytes = sample.bytes;
      bytes[random() % bytes.size()] = static_cast<char>(random());
      write_anew(folder / sample.name, bytes);
      message_of([&] { read_pages(folder / sample.name); });
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Reading, WithinTheMemoryGiven) {
  const Folder folder;
  for (const Sample& sample : samples()) {
    const std::string path = write_anew(folder / sample.name, sample.bytes);
    const std::vector<Page> pages = read_pages(path);
    std::size_t bytes = 0;
    for (const Page& page : pages)
      bytes += static_cast<std::size_t>(page.image.shape().elements()) * bytes_of(page.image.pixel());
    EXPECT_THAT(
        message_of([&] { read_pages(path, {.memory_bytes = bytes - 1}); }),
        testing::MatchesRegex(".*: image [0-9]+x[0-9]+(x[0-9])? [uf][0-9]+ needs .* of memory, .* are available"))
        << sample.name;
    EXPECT_EQ(message_of([&] { read_pages(path, {.memory_bytes = 8 * bytes + (1 << 20)}); }), "no error")
        << sample.name;
    EXPECT_EQ(message_of([&] { read_image(path, {.memory_bytes = 8 * bytes + (1 << 20)}); }), "no error")
        << sample.name;
  }
}

TEST(Reading, ClaimsAreCheckedBeforeMemoryIsTaken) {
  io::Reading reading({.memory_bytes = 1000}, "PNG");
  const io::Claim claim = {.shape = {.height = 20, .width = 20}, .beside_bytes = 100};
  EXPECT_EQ(message_of([&] { reading.check(claim); }), "no error");
  EXPECT_EQ(message_of([&] { reading.check(claim); }), "no error");  // 800 are held now
  EXPECT_EQ(message_of([&] { reading.check(claim); }),
            "image 20x20 u8 needs 500 bytes of memory, 200 bytes are available");
  io::Claim liar = {.shape = {.height = std::int64_t{1} << 62, .width = std::int64_t{1} << 62},
                    .pixel = Pixel::f64};
  EXPECT_THAT(message_of([&] { io::Reading({}, "PNG").check(liar); }), testing::HasSubstr(" GB of memory, "));
  liar = {.plain_bytes = 1033, .coded_bytes = 1, .most_ratio = io::most_deflate_ratio};
  EXPECT_EQ(message_of([&] { reading.check(liar); }), "damaged or truncated PNG: too short for 1x1 pixels");
}

TEST(Reading, FromAPipe) {
  const Folder folder;
  for (const Sample& sample : samples()) {
    const std::string path = folder / sample.name;
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&] { write_bytes(path, sample.bytes); });
    const std::vector<Page> piped = read_pages(path);
    writer.join();
    write_bytes(folder / "file", sample.bytes);
    expect_same_pixels(piped.front().image, read_image(folder / "file"));
  }
}

}  // namespace
}  // namespace halation::test
