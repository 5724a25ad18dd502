// filter_file_test.cpp: files filtered into others are what their pages filtered are, strip by strip or whole, and nothing half-written stays.
#include "halation/filter_file.h"

#include "halation/filters.h"
#include "parts.h"

namespace halation::test {
namespace {

/// The pages of a file are those of another, filtered.
void expect_filtered(const std::string& in, const std::string& out, const Chain& chain, const FileOptions& asked) {
  const std::vector<Page> before = read_pages(in, asked.read), after = read_pages(out);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Page& page = before[i];
    const ColourOptions colour{.alpha = page.alpha,
                               .linear = asked.linear && !page.linear_light,
                               .gray = asked.gray && page.colour != ColourModel::gray};
    const Image expected = asked.view ? convolve_display(page.image, chain, *asked.view, asked.options, colour)
                                      : convolve_chain(page.image, chain, asked.options, colour);
    expect_same_pixels(after[i].image.view(), expected.view());
    EXPECT_EQ(after[i].colour, asked.gray ? ColourModel::gray : page.colour);
    EXPECT_EQ(after[i].alpha, page.alpha);
    EXPECT_EQ(after[i].metadata.dots_per_inch_x, page.metadata.dots_per_inch_x);
  }
}

const Chain weights = Filter::dense({.height = 3, .width = 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
const Options to_range{.scale = 1 / 64.0};

TEST(FilterFile, FiltersAllPagesStripByStrip) {
  const Folder folder;
  std::vector<Page> pages;
  pages.push_back(random_page(Pixel::u8, 2100, 1000, ColourModel::rgb, false, 1));
  pages.push_back(random_page(Pixel::u8, 2100, 1000, ColourModel::rgb, true, 2));
  pages.push_back(random_page(Pixel::u8, 30, 20, ColourModel::gray, false, 3));
  for (Page& page : pages) page.metadata.dots_per_inch_x = page.metadata.dots_per_inch_y = 300;
  write_pages(folder / "in.tif", pages);
  std::vector<FileProgress> told;
  FileOptions options{.options = to_range, .progress = [&](const FileProgress& now) { told.push_back(now); }};
  filter_file(weights, folder / "in.tif", folder / "out.tif", options);
  expect_filtered(folder / "in.tif", folder / "out.tif", weights, options);
  constexpr std::int64_t all = 2 * 2100 * 1000 + 30 * 20;
  ASSERT_GT(told.size(), 4U);
  EXPECT_EQ(told.front().done, 0);
  EXPECT_EQ(told.back().done, all);
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_LT(told[i - 1].done, told[i].done);
    EXPECT_EQ(told[i].all, all);
  }
  options.memory_bytes = std::size_t{64} << 20;
  options.progress = {};
  filter_file(weights, folder / "in.tif", folder / "again.tif", options);
  EXPECT_EQ(bytes_in(folder / "again.tif"), bytes_in(folder / "out.tif"));
  filter_file(weights, folder / "in.tif", folder / "in.tif", options);  // into itself
  EXPECT_EQ(bytes_in(folder / "in.tif"), bytes_in(folder / "out.tif"));
}

TEST(FilterFile, TakesOtherFormatsWhole) {
  const Folder folder;
  write_one(folder / "in.png", random_page(Pixel::u8, 41, 30, ColourModel::rgb, true, 4));
  for (const FileOptions& options : {FileOptions{.options = to_range}, FileOptions{.linear = true}, FileOptions{.gray = true},
                                     FileOptions{.view = Display::stretched}}) {
    filter_file(weights, folder / "in.png", folder / "out.png", options);
    expect_filtered(folder / "in.png", folder / "out.png", weights, options);
  }
}

TEST(FilterFile, FollowsTheDimensionsOfAnArray) {
  const Folder folder;
  for (const Shape& shape : {Shape{.width = 50}, Shape{.height = 9, .width = 11}, Shape{.depth = 5, .height = 6, .width = 7},
                             Shape{.height = 1, .width = 3}}) {
    Page page;
    page.image = random_image(Pixel::f32, shape, 5);
    write_one(folder / "in.npy", page);
    const Chain chain = chain_from("gaussian sigma=1 | edges");
    filter_file(chain, folder / "in.npy", folder / "out.npy");
    expect_filtered(folder / "in.npy", folder / "out.npy", chain, {});
  }
}

TEST(FilterFile, LeavesWhatWasThereWhereItEndsEarly) {
  const Folder folder;
  write_one(folder / "in.tif", random_page(Pixel::u8, 3000, 2000, ColourModel::rgb, false, 6));
  write_one(folder / "out.tif", random_page(Pixel::u8, 3, 2, ColourModel::gray, false, 7));
  const auto earlier = bytes_in(folder / "out.tif");
  struct Enough {};
  int calls = 0;
  const FileOptions options{.progress = [&](const FileProgress&) {
    if (++calls == 3) throw Enough();
  }};
  EXPECT_THROW(filter_file(weights, folder / "in.tif", folder / "out.tif", options), Enough);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(bytes_in(folder / "out.tif"), earlier);
  EXPECT_EQ(folder.files(), 2U);
}

TEST(FilterFile, RefusesWhatMeansNothing) {
  const Folder folder;
  Page volume;
  volume.image = random_image(Pixel::u8, {.depth = 3, .height = 4, .width = 5}, 8);
  write_one(folder / "volume.npy", volume);
  write_one(folder / "deep.png", random_page(Pixel::u16, 4, 5, ColourModel::rgb));
  const auto refused = [&](const char* in, const char* out, const FileOptions& options) {
    return message_of([&] { filter_file(weights, folder / in, folder / out, options); });
  };
  EXPECT_EQ(refused("volume.npy", "out.npy", {.has_depth_border = false}),
            "border is one name or one each for depth, height and width where image or filter have depth, got two");
  EXPECT_EQ(refused("volume.npy", "out.npy", {.devices = {}}), "a device is needed, got none");
  EXPECT_THAT(refused("none.png", "out.png", {}), testing::HasSubstr("none.png"));
  EXPECT_THAT(refused("deep.png", "out.jpg", {}), testing::HasSubstr("JPEG holds 8-bit pixels, got u16"));
  EXPECT_EQ(folder.files(), 2U);
}

}  // namespace
}  // namespace halation::test
