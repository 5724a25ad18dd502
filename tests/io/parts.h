// parts.h: pages read and written in parts, held against whole ones.
#pragma once

#include "pictures.h"

namespace halation::test {

inline bool same_metadata(const Metadata& a, const Metadata& b) {
  return a.icc == b.icc && a.exif == b.exif && a.xmp == b.xmp && a.iptc == b.iptc && a.dots_per_inch_x == b.dots_per_inch_x &&
         a.dots_per_inch_y == b.dots_per_inch_y && a.tiff == b.tiff && a.resolution_unit == b.resolution_unit && a.geotiff == b.geotiff &&
         a.png_chunks == b.png_chunks && a.jpeg_comments == b.jpeg_comments;
}

inline void expect_same_facts(const PageFacts& actual, const PageFacts& expected) {
  EXPECT_EQ(to_string(actual.shape), to_string(expected.shape));
  EXPECT_EQ(actual.pixel, expected.pixel);
  EXPECT_EQ(actual.colour, expected.colour);
  EXPECT_EQ(actual.alpha, expected.alpha);
  EXPECT_EQ(actual.linear_light, expected.linear_light);
  EXPECT_EQ(actual.layout, expected.layout);
  EXPECT_EQ(actual.dims(), expected.dims());
  EXPECT_EQ(actual.described_by, expected.described_by);
  EXPECT_EQ(std::pair(actual.overviews, actual.masks), std::pair(expected.overviews, expected.masks));
  EXPECT_TRUE(same_metadata(actual.metadata, expected.metadata));
}

/// Lengths that add up to `whole`, most of them short.
inline std::vector<std::int64_t> random_lengths(std::int64_t whole, std::mt19937& random) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t left = whole; left > 0; left -= lengths.back()) {
    const std::int64_t most = std::max<std::int64_t>(1, random() % 4 == 0 ? whole : whole / 5);
    lengths.push_back(std::min(left, 1 + static_cast<std::int64_t>(random()) % most));
  }
  return lengths;
}

/// One part equals that of the page; the memory that takes it is packed, planar or with gaps behind its rows.
inline void expect_same_part(PageSource& source, const Page& page, std::int64_t first, std::int64_t length, unsigned kind) {
  const Shape shape = with_length(page.image.shape(), length);
  const auto row_bytes = shape.width * shape.channels * static_cast<std::int64_t>(bytes_of(page.image.pixel()));
  Image part(shape, page.image.pixel(), kind % 3 == 1 ? Layout::planar : Layout::interleaved, kind % 3 == 2 ? row_bytes + 64 : 0);
  ASSERT_EQ(message_of([&] { source.read(first, part); }), "no error") << first << "+" << length;
  expect_same_pixels(part, part_of(page.image.view(), first, length));
}

/// `open_pages` gives what `read_pages` does, of parts in ascending order and then in any, from page to page.
inline void expect_same_in_parts(const std::string& path, const ReadOptions& options = {}, unsigned seed = 1) {
  const std::vector<Page> pages = read_pages(path, options);
  const auto sources = open_pages(path, options);
  ASSERT_EQ(sources.size(), pages.size()) << path;
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    expect_same_facts(sources[i]->facts(), facts_of(pages[i]));
    ASSERT_EQ(to_string(sources[i]->shape()), to_string(pages[i].image.shape()));
    std::int64_t first = 0;
    for (const std::int64_t length : random_lengths(length_of(sources[i]->shape()), random)) {
      expect_same_part(*sources[i], pages[i], first, length, random());
      first += length;
    }
  }
  for (int times = 0; times < 12; ++times) {
    const std::size_t i = random() % pages.size();
    const std::int64_t whole = length_of(sources[i]->shape());
    const std::int64_t first = static_cast<std::int64_t>(random()) % whole;
    expect_same_part(*sources[i], pages[i], first, 1 + static_cast<std::int64_t>(random()) % (whole - first), random());
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// `create_pages` gives the file that `write_pages` does.
inline void expect_same_written(const std::string& path, std::span<const Page> pages, const WriteOptions& options = {},
                                unsigned seed = 1) {
  write_pages(path, pages, options);
  const std::string whole = bytes_in(path);
  std::filesystem::remove(path);
  std::vector<PageFacts> facts;
  for (const Page& page : pages) facts.push_back(facts_of(page));
  ASSERT_TRUE(is_written_in_parts(path, facts, options));
  const std::unique_ptr<PagesSink> sink = create_pages(path, facts, options);
  facts.clear();
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    std::int64_t first = 0;
    for (const std::int64_t length : random_lengths(length_of(pages[i].image.shape()), random)) {
      const ConstView part = part_of(pages[i].image.view(), first, length);
      Image planar(part.shape, part.pixel, Layout::planar);
      copy(part, planar);
      sink->page(i).write(first, random() % 3 == 0 ? planar.view() : part);
      first += length;
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  sink->commit();
  EXPECT_TRUE(bytes_in(path) == whole) << path;
}

/// What reading all parts of all pages in order says; their pixels, where it succeeds, are those of `pages`.
inline std::string told_in_parts(const std::string& path, const std::vector<Page>& pages, std::int64_t most) {
  return message_of([&] {
    const auto sources = open_pages(path);
    ASSERT_FALSE(sources.empty());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      PageSource& source = *sources[i];
      const std::int64_t whole = length_of(source.shape());
      for (std::int64_t first = 0; first < whole; first += most) {
        const std::int64_t length = std::min(most, whole - first);
        Image part(with_length(source.shape(), length), source.pixel());
        source.read(first, part);
        if (i < pages.size()) expect_same_pixels(part, part_of(pages[i].image.view(), first, length));
      }
    }
  });
}

}  // namespace halation::test
