// writing_test.cpp: what formats refuse, CMYK for formats without it, profiles, and files that appear whole
// or not at all.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "io/file.h"
#include "pictures.h"

namespace halation::test {
namespace {

constexpr const char* names[] = {"a.png", "a.jpg", "a.tif", "a.webp", "a.exr", "a.npy"};

/// A page that the format of `path` holds.
Page page_for(const std::string& path, std::int64_t side = 20) {
  return random_page(path.ends_with(".exr") ? Pixel::f16 : Pixel::u8, side, side, ColourModel::rgb);
}

struct Request {
  Pixel pixel = Pixel::u8;
  Shape shape = {.height = 4, .width = 5, .channels = 3};
  bool alpha = false;
  ColourModel colour = ColourModel::rgb;
  std::size_t pages = 1;
  WriteOptions options = {};
};

/// ".png, .tif or .npy"; without .avif where it was not built.
std::string either(std::vector<std::string> endings) {
#ifndef HALATION_AVIF
  std::erase(endings, ".avif");
#endif
  std::string text;
  for (std::size_t i = 0; i < endings.size(); ++i)
    text += (i == 0 ? "" : i + 1 < endings.size() ? ", " : " or ") + endings[i];
  return text;
}

#ifdef HALATION_AVIF
constexpr const char* and_avif = ", avif";
constexpr const char* and_avif_ending = ", .avif";
#else
constexpr const char* and_avif = "";
constexpr const char* and_avif_ending = "";
#endif

std::string refused(const std::string& path, const Request& r) {
  return message_of([&] { check_writable(path, r.pixel, r.shape, r.alpha, r.colour, r.pages, r.options); });
}

TEST(CheckWritable, SaysWhatAFormatCannotHoldAndWhatHelps) {
  const Shape rgb = {.height = 4, .width = 5, .channels = 3}, rgba = {.height = 4, .width = 5, .channels = 4};
  const Shape six = {.height = 4, .width = 5, .channels = 6};
  EXPECT_EQ(refused("out.jpg", {.pixel = Pixel::u16}),
            "out.jpg: JPEG holds 8-bit pixels, got u16; use --output-pixel u8 (values stay as they are; --scale 0.003891 makes 255 of 65535) or write " +
                either({".png", ".tif", ".npy", ".pnm", ".ppm", ".avif"}));
  EXPECT_EQ(refused("out.webp", {.pixel = Pixel::f16}),
            "out.webp: WebP holds 8-bit pixels, got f16; use --output-pixel u8 (values stay as they are; --scale 255 makes 255 of 1) or write .tif, .exr or .npy");
  EXPECT_EQ(
      refused("out.exr", {.pixel = Pixel::f64}),
      "out.exr: OpenEXR holds half and float pixels, got f64; use --output-pixel f32 or write .tif or .npy");
  EXPECT_EQ(refused("out.png", {.shape = six, .colour = ColourModel::other}),
            "out.png: PNG holds 1 to 4 channels, got 6; write .tif or .npy");
  EXPECT_EQ(refused("out.jpg", {.shape = rgba, .alpha = true}),
            "out.jpg: JPEG holds no transparency, got 4 channels, the last alpha; write " +
                either({".png", ".tif", ".webp", ".npy", ".bmp", ".pnm", ".avif"}));
  EXPECT_EQ(refused("out.jpg", {.shape = rgba, .colour = ColourModel::other}),
            "out.jpg: JPEG holds no transparency, got 4 channels, the last alpha; write " +
                either({".png", ".tif", ".webp", ".npy", ".bmp", ".pnm", ".avif"}));
  EXPECT_THAT(refused("out.jpg", {.pixel = Pixel::u16, .shape = rgba, .alpha = true}), testing::StartsWith("out.jpg: JPEG holds no transparency, got 4 channels"));
  EXPECT_THAT(refused("out.jpg", {.pixel = Pixel::u16, .shape = six, .colour = ColourModel::other}),
              testing::StartsWith("out.jpg: JPEG holds 1 to 4 channels, got 6"));
  EXPECT_EQ(refused("out.png", {.shape = {.depth = 9, .height = 8, .width = 3}, .colour = ColourModel::gray}),
            "out.png: PNG holds flat pictures, got a volume of 9 slices; read its last axis as channels by --layout hwc or write .npy");
  EXPECT_EQ(refused("out.png", {.pages = 3}), "out.png: PNG holds one page, got 3; take one by --page or write .tif");
  EXPECT_EQ(refused("out.tif", {.shape = {.depth = 9, .height = 4, .width = 5}, .colour = ColourModel::gray}),
            "out.tif: TIFF holds flat pictures, got a volume of 9 slices; write .npy");
  EXPECT_EQ(refused("out.npy", {.shape = {.batch = 2, .height = 4, .width = 5}, .colour = ColourModel::gray}),
            "out.npy: .npy holds no batches, got one of 2; write its images one by one");
  EXPECT_EQ(refused("out.jpg", {.shape = {.height = 1, .width = 65501, .channels = 3}}),
            "out.jpg: JPEG holds at most 65500 pixels a side, got 65501 by 1; write " +
                either({".png", ".tif", ".npy", ".bmp", ".pnm", ".ppm", ".avif"}));
  EXPECT_EQ(
      refused("out.webp", {.shape = {.height = 16384, .width = 1, .channels = 3}}),
      "out.webp: WebP holds at most 16383 pixels a side, got 1 by 16384; write " +
          either({".png", ".jpg", ".tif", ".npy", ".bmp", ".pnm", ".ppm", ".avif"}));
  EXPECT_EQ(refused("out.tif", {.shape = {.width = 5, .channels = 70000}, .colour = ColourModel::other}),
            "out.tif: TIFF holds 1 to 65535 channels, got 70000; write .npy");
  EXPECT_EQ(refused("out.png", {.shape = rgb, .colour = ColourModel::gray}),
            "out.png: the page's colours need 1 channels, the image has 3");
  EXPECT_EQ(refused("out.jpg", {.options = {.quality = 0}}), "out.jpg: quality must be 1 to 100, got 0");
  EXPECT_EQ(refused("out.jpg", {.options = {.quality = 101}}), "out.jpg: quality must be 1 to 100, got 101");
}

TEST(CheckWritable, KnowsFormatsByEndingAndByName) {
  const std::string endings =
      ".png, .jpg, .jpeg, .jpe, .jfif, .tif, .tiff, .webp, .exr, .npy, .bmp, .dib, .pnm, .pam, .ppm, .pgm, .pfm" +
      std::string(and_avif_ending);
  const std::string formats = "png, jpeg, tiff, webp, exr, npy, bmp, pnm, ppm, pgm, pfm" + std::string(and_avif);
  EXPECT_EQ(refused("out.xyz", {}), "out.xyz: unknown format; endings known: " + endings);
  EXPECT_EQ(refused("out", {}), "out: unknown format; endings known: " + endings);
  EXPECT_EQ(refused("out.png", {.options = {.format = "tga"}}),
            "out.png: unknown format 'tga'; formats known: " + formats);
  EXPECT_EQ(refused("-", {}), "standard output: has no ending that tells the format; name one of " + formats);
  EXPECT_EQ(refused("-", {.options = {.format = "png"}}), "no error");
  EXPECT_EQ(refused("out", {.options = {.format = "JPG"}}), "no error");
  EXPECT_EQ(refused("OUT.TIFF", {}), "no error");
  EXPECT_EQ(refused("out.xyz", {.pixel = Pixel::u16, .options = {.format = "jpeg"}}).substr(0, 44),
            "out.xyz: JPEG holds 8-bit pixels, got u16; u");
}

TEST(CheckWritable, SeesAMissingFolder) {
  EXPECT_EQ(refused("/no/such/dir/out.png", {}), "/no/such/dir/out.png: folder /no/such/dir does not exist");
  EXPECT_EQ(refused("/dev/null/out.png", {}), "/dev/null/out.png: /dev/null is not a folder");
  const Folder folder;
  std::filesystem::create_directory(folder / "a.png");
  EXPECT_EQ(refused(folder / "a.png", {}), (folder / "a.png") + ": is a folder; a file name was expected");
}

TEST(Write, RefusesWhatCheckWritableRefuses) {
  const Folder folder;
  const std::string path = folder / "a.jpg";
  const Page page = random_page(Pixel::u16, 4, 5, ColourModel::rgb);
  EXPECT_EQ(message_of([&] { write_one(path, page); }), refused(path, {.pixel = Pixel::u16}));
  EXPECT_EQ(message_of([&] { write_pages(path, {}); }), path + ": no pages to write");
  EXPECT_EQ(message_of([&] { write_one(path, Page{}); }), path + ": the image is empty");
  ConstView elsewhere = page.image;
  elsewhere.device = cuda(0);
  EXPECT_EQ(message_of([&] { write_image(path, elsewhere); }),
            path + ": the image lies on cuda:0; bring it to the CPU first");
  EXPECT_EQ(folder.files(), 0U);
}

TEST(Write, TellsAlphaByTheNumberOfChannels) {
  const Folder folder;
  for (const std::int64_t channels : {1, 2, 3, 4}) {
    write_image(folder / "a.tif", random_image(Pixel::u8, {.height = 3, .width = 2, .channels = channels}));
    const Page page = read_one(folder / "a.tif");
    EXPECT_EQ(page.colour, channels <= 2 ? ColourModel::gray : ColourModel::rgb);
    EXPECT_EQ(page.alpha, channels % 2 == 0);
  }
}

TEST(Write, TurnsCmykIntoRgbWhereAFormatHasNone) {
  const Folder folder;
  Page page = u8_page({.width = 3, .channels = 4}, {0, 0, 0, 0, 255, 0, 128, 0, 100, 50, 0, 51});
  page.colour = ColourModel::cmyk;
  page.alpha = false;
  page.metadata.icc = profile_of("CMYK");
  for (const char* name : {"a.png", "a.webp"}) {
    write_one(folder / name, page);
    const Page back = read_one(folder / name);
    EXPECT_EQ(back.colour, ColourModel::rgb);
    // 155 · 204 / 255 = 124, 205 · 204 / 255 = 164, 255 · 204 / 255 = 204
    EXPECT_EQ(elements_of<std::uint8_t>(back.image),
              (std::vector<std::uint8_t>{255, 255, 255, 0, 255, 127, 124, 164, 204}));
    EXPECT_TRUE(back.metadata.icc.empty());
  }
  Page floats;
  floats.image = Image({.width = 1, .channels = 5}, Pixel::f32);
  const float values[] = {0.5F, 0, 1, 0.5F, 1};
  std::memcpy(floats.image.view().data, values, sizeof values);
  floats.colour = ColourModel::cmyk;
  floats.alpha = true;
  write_one(folder / "a.exr", floats);
  EXPECT_EQ(elements_of<float>(read_image(folder / "a.exr")), (std::vector<float>{0.25F, 0.5F, 0, 1}));
}

TEST(Write, DropsAProfileThatDescribesOtherColours) {
  const Folder folder;
  for (const char* name : {"a.png", "a.jpg", "a.tif", "a.webp"}) {
    Page page = random_page(Pixel::u8, 4, 4, ColourModel::gray);
    page.metadata.icc = profile_of("RGB ");
    page.metadata.xmp = xmp_with(1);
    write_one(folder / name, page);
    EXPECT_TRUE(read_one(folder / name).metadata.icc.empty()) << name;
    EXPECT_EQ(read_one(folder / name).metadata.xmp, page.metadata.xmp) << name;
  }
}

TEST(Write, ReplacesAFileAndKeepsItsPermissions) {
  const Folder folder;
  for (const char* name : names) {
    const std::string path = write_bytes(folder / name, "something else");
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    write_one(path, page_for(path));
    EXPECT_EQ(to_string(read_image(path).shape()), "20x20x3") << name;
    struct stat facts = {};
    ASSERT_EQ(::stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0640U);
  }
  EXPECT_EQ(folder.files(), std::size(names));
}

TEST(Write, NewFilesGetTheUsersPermissions) {
  const Folder folder;
  const mode_t before = ::umask(027);
  write_one(folder / "a.png", page_for("a.png"));
  ::umask(before);
  struct stat facts = {};
  ASSERT_EQ(::stat((folder / "a.png").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0640U);
}

TEST(Write, FollowsALinkToItsFile) {
  const Folder folder, elsewhere;
  write_bytes(elsewhere / "real.png", "old");
  std::filesystem::create_symlink(elsewhere / "real.png", folder / "link.png");
  write_one(folder / "link.png", page_for("a.png"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.png"));
  EXPECT_EQ(to_string(read_image(elsewhere / "real.png").shape()), "20x20x3");
  EXPECT_EQ(elsewhere.files(), 1U);
}

TEST(Write, FollowsLinksToNothing) {
  const Folder folder, elsewhere;
  std::filesystem::create_symlink(elsewhere / "real.png", folder / "link.png");
  std::filesystem::create_symlink("link.png", folder / "twice.png");
  write_one(folder / "twice.png", page_for("a.png"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.png"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "twice.png"));
  EXPECT_EQ(to_string(read_image(elsewhere / "real.png").shape()), "20x20x3");
  std::filesystem::create_symlink("round.png", folder / "round.png");
  EXPECT_EQ(message_of([&] { write_one(folder / "round.png", page_for("a.png")); }),
            (folder / "round.png") + ": cannot be written: Too many levels of symbolic links");
}

/// Writes and replaces files, without an end.
[[noreturn]] void write_for_ever(const std::string& path, Temporary::Kind kind) {
  for (;;) {
    io::Output output(path, kind);
    for (int i = 0; i < 20; ++i) output.write("0123456789", 10);
    output.commit();
  }
}

TEST(Write, NothingStaysWhereASignalEndsTheProcess) {
  std::mt19937 random(3);
  for (const Temporary::Kind kind : {Temporary::Kind::anonymous, Temporary::Kind::named}) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU}) {
      for (int run = 0; run < 8; ++run) {
        const Folder folder;
        const pid_t child = ::fork();
        if (child == 0) {
          const rlimit none = {0, 0};
          setrlimit(RLIMIT_CORE, &none);
          remove_unfinished_on_signals();
          std::thread other([&] { write_for_ever(folder / "a", kind); });
          write_for_ever(folder / "b", kind);
        }
        while (folder.files() == 0) ::usleep(100);  // it is under way
        ::usleep(random() % 3000);
        ::kill(child, number);
        int status = 0;
        ::waitpid(child, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status));
        EXPECT_EQ(WTERMSIG(status), number);
        for (const char* name : {"a", "b"}) {
          EXPECT_TRUE(!std::filesystem::exists(folder / name) || bytes_in(folder / name).size() == 200U);
          std::filesystem::remove(folder / name);
        }
        EXPECT_EQ(folder.files(), 0U);
      }
    }
  }
}

TEST(Write, NamesLastNoLongerThanTheyMust) {
  const Folder folder;
  for (const Temporary::Kind kind : {Temporary::Kind::anonymous, Temporary::Kind::named}) {
    for (int time = 0; time < 2; ++time) {  // a new file, and one in its place
      io::Output output(folder / "a", kind);
      EXPECT_TRUE(output.write("text", 4));
      output.commit();
      EXPECT_EQ(folder.files(), 1U);
      EXPECT_EQ(bytes_in(folder / "a"), "text");
    }
    { const io::Output abandoned(folder / "b", kind); }
    EXPECT_EQ(folder.files(), 1U);
    std::filesystem::remove(folder / "a");
  }
}

TEST(Write, OverTheFileThatIsBeingRead) {
  const Folder folder;
  for (const char* name : {"a.tif", "a.npy"}) {
    const Page page = page_for(name, 300);
    write_one(folder / name, page);
    write_pages(folder / name, read_pages(folder / name));
    expect_same_pixels(read_image(folder / name), name == std::string("a.npy") ? [&] {
      ConstView volume = page.image;  // an hwc array is read as dhw by rank
      volume.shape = {.depth = 300, .height = 300, .width = 3};
      volume.strides = strides_of(volume.shape, Pixel::u8);
      return volume;
    }() : page.image.view());
  }
}

/// No file of this process may grow beyond `bytes`, as on a disk that is nearly full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_ = {};
  void (*handler_)(int);
};

TEST(Write, LeavesNothingBehindOnAFullDisk) {
  const Folder folder;
  for (const char* name : names) {
    const std::string path = folder / name;
    const Page page = page_for(path, 300);
    for (const rlim_t bytes : {1, 100, 5000, 60000}) {
      std::string told;
      {
        const FullDisk disk(bytes);
        told = message_of([&] { write_one(path, page); });
      }
      EXPECT_EQ(told, path + ": cannot be written: File too large") << bytes;
      EXPECT_EQ(folder.files(), 0U) << name;
    }
    write_bytes(path, "kept");
    {
      const FullDisk disk(5000);
      EXPECT_NE(message_of([&] { write_one(path, page); }), "no error");
    }
    EXPECT_EQ(bytes_in(path), "kept");
    std::filesystem::remove(path);
  }
}

TEST(Write, PassesBytesToDevices) {
  for (const char* name : names) {
    WriteOptions options;
    options.format = std::string(name).substr(2);
    EXPECT_EQ(message_of([&] { write_one("/dev/full", page_for(name), options); }),
              "/dev/full: cannot be written: No space left on device");
    EXPECT_EQ(message_of([&] { write_one("/dev/null", page_for(name), options); }), "no error");
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

/// Runs `body` as a user whom permissions bind, where tests run as root.
template <class Body>
std::string told_to_a_user(const std::string& path, Body body) {
  constexpr ::uid_t nobody = 65534;
  const bool is_root = ::geteuid() == 0;
  const auto folder = std::filesystem::path(path).parent_path();
  if (is_root) std::filesystem::permissions(folder, std::filesystem::perms::all);
  if (is_root && ::seteuid(nobody) != 0) return "no other user";
  std::string told = message_of(body);
  if (is_root && ::seteuid(0) != 0) std::abort();
  return told;
}

TEST(Write, AFileThatIsWriteProtected) {
  const Folder folder;
  for (const char* name : names) {
    const std::string path = folder / name;
    write_bytes(path, "mine");
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
    const Page page = page_for(name);
    const PageFacts facts = facts_of(page);
    const std::string told = told_to_a_user(path, [&] { write_one(path, page); });
    if (told == "no other user") GTEST_SKIP() << "root may write everywhere";
    EXPECT_EQ(told, path + ": is write-protected");
    EXPECT_EQ(told_to_a_user(path, [&] { check_writable(path, facts.pixel, facts.shape, facts.alpha, facts.colour, 1); }),
              path + ": is write-protected");
    EXPECT_EQ(bytes_in(path), "mine");
    std::filesystem::permissions(path, std::filesystem::perms::all);
    EXPECT_EQ(told_to_a_user(path, [&] { write_one(path, page); }), "no error");
  }
}

TEST(Write, AFolderThatMustNotBeWrittenInto) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const Folder folder;
  std::filesystem::create_directory(folder / "locked");
  std::filesystem::permissions(folder / "locked",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const std::string path = (folder / "locked") + "/a.png";
  EXPECT_EQ(message_of([&] { write_one(path, page_for(path)); }),
            path + ": cannot write into folder " + (folder / "locked") + ": Permission denied");
}

}  // namespace
}  // namespace halation::test
