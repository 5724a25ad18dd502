// strip_filter_test.cpp: images filtered strip by strip are those filtered as a whole.
#include "halation/strip_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "colour_oracle.h"
#include "halation/filters.h"
#include "message_of.h"

namespace halation {
namespace {

Image random_image(const Shape& shape, Pixel pixel) {
  const bool whole = !is_float(pixel);
  const std::vector<double> values = random_values(shape, whole ? 0 : -1, whole ? 255 : 1, whole);
  switch (pixel) {
    case Pixel::u8: return image_of<std::uint8_t>(shape, values);
    case Pixel::u16: return image_of<std::uint16_t>(shape, values);
    case Pixel::i16: return image_of<std::int16_t>(shape, values);
    case Pixel::f16: return image_of<f16>(shape, values);
    case Pixel::f32: return image_of<float>(shape, values);
    case Pixel::f64: return image_of<double>(shape, values);
    default:
      throw std::logic_error("not a native pixel");
  }
}

/// A source that is no view, so that its parts are read.
class Parts final : public Source {
 public:
  explicit Parts(ConstView view) : view_(view) {}
  const Shape& shape() const override { return view_.shape(); }
  Pixel pixel() const override { return view_.pixel(); }
  void read(std::int64_t first, View to) override {
    if (++reads == fails_at) throw std::runtime_error("the disk is gone");
    longest = std::max(longest, length_of_part(to.shape, view_.shape()));
    view_.read(first, to);
  }
  std::int64_t reads = 0, fails_at = 0, longest = 0;

 private:
  ViewSource view_;
};

class Collected final : public Sink {
 public:
  explicit Collected(View view) : view_(view) {}
  void write(std::int64_t first, ConstView part) override {
    if (++writes == fails_at) throw std::runtime_error("the disk is full");
    EXPECT_EQ(first, next) << "parts in order, without gaps";
    next = first + length_of_part(part.shape, view_.view().shape);
    view_.write(first, part);
  }
  std::int64_t next = 0, writes = 0, fails_at = 0;

 private:
  ViewSink view_;
};

struct Case {
  Shape shape;
  Pixel pixel = Pixel::u8;
  Chain chain;
  Options options = {};
  ColourOptions colour = {};
  std::optional<Display> view = {};
};

Image as_a_whole(const Case& c, const Image& in) {
  return c.view ? convolve_display(in, c.chain, *c.view, c.options, c.colour) : convolve_chain(in, c.chain, c.options, c.colour);
}

/// Equal for integers; floats within what their sums round to.
void expect_same(const Image& found, const Image& expected, double tolerance) {
  ASSERT_EQ(found.shape(), expected.shape());
  ASSERT_EQ(found.pixel(), expected.pixel());
  const std::vector<double> a = values_of(found.view()), b = values_of(expected.view());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(b[i])) {
      ASSERT_TRUE(std::isnan(a[i])) << i;
    } else if (a[i] != b[i]) {
      ASSERT_NEAR(a[i], b[i], tolerance) << "element " << i << " of " << to_string(found.shape());
    }
  }
}

void check(const Case& c, std::size_t strip_bytes, double tolerance = 0) {
  SCOPED_TRACE(to_string(c.shape) + " " + std::string(name_of(c.pixel)) + " extent " + std::string(name_of(c.options.extent)) +
               " border " + std::string(name_of(c.options.border.y.mode)));
  const Image in = random_image(c.shape, c.pixel);
  const Image expected = as_a_whole(c, in);
  StripFilter filter(c.shape, c.pixel, c.chain, c.options, c.colour, c.view, {.strip_bytes = strip_bytes});
  EXPECT_EQ(filter.output_shape(), expected.shape());
  EXPECT_EQ(filter.output_pixel(), expected.pixel());
  Image by_parts(expected.shape(), expected.pixel());
  Parts source(in);
  Collected sink(by_parts);
  const StripReport report = filter.run(source, sink);
  EXPECT_EQ(report.strips, filter.strips());
  EXPECT_EQ(sink.next, length_of(expected.shape()));
  expect_same(by_parts, expected, tolerance);
  Image by_views(expected.shape(), expected.pixel());
  filter.run(in, by_views);
  expect_same(by_views, by_parts, 0);
}

const Border borders[] = {Border::reflect101(), Border::reflect(), Border::replicate(), Border::wrap(), Border::constant(300)};

TEST(StripFilter, GivesTheWholesIntegersWithEachBorderExtentAndPixel) {
  const Filter weights = Filter::dense({.height = 3, .width = 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const Border& border : borders) {
    for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
      for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16}) {
        check({{.height = 97, .width = 23, .channels = 3}, pixel, weights, {.border = border, .extent = extent, .scale = 1 / 64.0}}, 1500);
      }
      check({{.height = 60, .width = 9}, Pixel::u8, weights.with_anchor({.y = 0, .x = 3}), {.border = border, .extent = extent}}, 100);
      check({{.height = 60, .width = 9}, Pixel::u8, weights.with_anchor({.y = 2, .x = 0}), {.border = border, .extent = extent}}, 1);
    }
  }
}

TEST(StripFilter, GivesTheWholesFloatsWithinRounding) {
  for (const Border& border : borders) {
    for (const Pixel pixel : {Pixel::f16, Pixel::f32, Pixel::f64}) {
      // 13 × 13 taps of sum 1 over values up to 1, and the border's 300: a unit of f16's last place there, or of f32's
      const double tolerance = pixel == Pixel::f16 ? 0.25 : 300 * 169 * 6e-8;
      check({{.height = 200, .width = 31}, pixel, gaussian({.sigma = 1.6}), {.border = border}}, 3000, tolerance);
    }
  }
}

TEST(StripFilter, CutsVolumesAlongDepthAndSignalsAlongWidth) {
  for (const Border& border : borders) {
    check({{.depth = 50, .height = 7, .width = 6}, Pixel::u8, box({.size = 3}), {.border = border}}, 500);
    check({{.width = 5000}, Pixel::i16, Filter({1, 2, 3, 2, 1}), {.border = border, .scale = 0.1}}, 700);
    check({{.width = 3000, .channels = 2}, Pixel::u16, Filter({1, -1}), {.border = border, .extent = Extent::full, .offset = 1000}}, 700);
    check({{.height = 300, .width = 1}, Pixel::u8, box({.size = 5}), {.border = border}}, 50);
  }
}

TEST(StripFilter, TakesShortImagesWhole) {
  for (const Shape& shape : {Shape{.width = 1}, Shape{.height = 2, .width = 1}, Shape{.height = 1, .width = 3}, Shape{.depth = 2, .width = 2}}) {
    check({shape, Pixel::u8, box({.size = 7}), {}}, 1);
    check({shape, Pixel::u8, Filter::dense({.height = 5, .width = 1}, {1, 2, 3, 2, 1}), {.extent = Extent::full}}, 1);
  }
  EXPECT_EQ(StripFilter({.height = 100, .width = 100}, Pixel::u8, box()).strips(), 1);
}

TEST(StripFilter, RunsChains) {
  const Chain chain = chain_from("gaussian sigma=1 | sobel axis=y | unsharp_mask sigma=0.6 amount=0.5");
  for (const Border& border : borders) {
    for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
      check({{.height = 150, .width = 40}, Pixel::f32, chain, {.border = border, .extent = extent}}, 4000, 300 * 81 * 6e-8 * 8);
    }
  }
}

TEST(StripFilter, KeepsAlphaLinearLightGrayAndViews) {
  const Shape rgba{.height = 120, .width = 17, .channels = 4};
  const Shape rgb{.height = 120, .width = 17, .channels = 3};
  for (const Border& border : {Border::reflect101(), Border::wrap()}) {
    const Options options{.border = border};
    check({rgba, Pixel::u8, gaussian({.sigma = 1.2}), options, {.alpha = true}}, 1000, 1);
    check({rgb, Pixel::u8, gaussian({.sigma = 1.2}), options, {.linear = true}}, 1000, 1);
    check({rgb, Pixel::u8, gaussian({.sigma = 1.2}), options, {.gray = true}}, 1000, 1);
    for (const Display view : {Display::signed_values, Display::magnitude, Display::stretched})
      check({rgb, Pixel::u8, sobel(), options, {}, view}, 1000, 1);
  }
}

TEST(StripFilter, GivesTheSameBitsWhateverMemoryThereIs) {
  const Shape shape{.height = 400, .width = 50};
  const Image in = random_image(shape, Pixel::f32);
  Image first(shape, Pixel::f32);
  for (const std::size_t memory : {std::size_t{0}, std::size_t{1} << 20, std::size_t{300'000}}) {
    StripFilter filter(shape, Pixel::f32, gaussian({.sigma = 2}), {}, {}, {}, {.memory_bytes = memory, .strip_bytes = 20'000});
    Image out(shape, Pixel::f32);
    Parts source(in);
    Collected sink(out);
    filter.run(source, sink);
    if (memory == 0) {
      copy(out.view(), first.view());
    } else {
      EXPECT_EQ(std::memcmp(out.view().data, first.view().data, std::size_t{400} * 50 * 4), 0) << memory;
    }
  }
}

TEST(StripFilter, ReadsNoMoreThanAStripAtATime) {
  const Shape shape{.height = 1000, .width = 100};
  const Image in = random_image(shape, Pixel::u8);
  Image out(shape, Pixel::u8);
  StripFilter filter(shape, Pixel::u8, box({.size = 3}), {}, {}, {}, {.strip_bytes = 4000});
  Parts source(in);
  Collected sink(out);
  filter.run(source, sink);
  EXPECT_EQ(source.longest, 20);
  EXPECT_GT(filter.strips(), 50);
}

TEST(StripFilter, SaysWhatMemoryAStripNeeds) {
  EXPECT_EQ(message_of([] {
              StripFilter({.height = 100'000, .width = 100'000}, Pixel::u8, gaussian({.sigma = 8}), {}, {}, {}, {.memory_bytes = 10'000'000});
            }),
            "filtering in strips of 168x100000 u8 needs 34.4 MB of memory, 10.0 MB are available");
}

TEST(StripFilter, TakesShorterStripsWhereMemoryIsShort) {
  const Shape shape{.depth = 200, .height = 60, .width = 70};
  const Image in = random_image(shape, Pixel::u8);
  const Filter soft = gaussian({.sigma = 2, .dims = 3});
  const Image expected = convolve(in, soft);
  std::int64_t before = 0;
  for (const std::size_t memory : {std::size_t{0}, std::size_t{5} << 20, std::size_t{3} << 20}) {
    StripFilter filter(shape, Pixel::u8, soft, {}, {}, {}, {.memory_bytes = memory, .strip_bytes = 2 << 20});
    EXPECT_GT(filter.strips(), before) << memory;
    before = filter.strips();
    const bool is_short = filter.explain().find("strips are shorter than usual: memory is short\n") != std::string::npos;
    EXPECT_EQ(is_short, memory != 0);
    Image out(shape, Pixel::u8);
    Parts source(in);
    Collected sink(out);
    filter.run(source, sink);
    const auto *const got = out.view().data, *const wanted = expected.view().data;
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      const int apart = std::abs(std::to_integer<int>(got[i]) - std::to_integer<int>(wanted[i]));
      ASSERT_LE(apart, 1) << memory << " at " << i;
    }
  }
}

TEST(StripFilter, TellsHowFarItIs) {
  const Shape shape{.height = 500, .width = 10};
  std::vector<std::int64_t> done;
  StripFilter filter(shape, Pixel::u8, box(), {}, {}, {}, {.strip_bytes = 400, .progress = [&](const StripProgress& now) {
                                                            EXPECT_EQ(now.all, 500);
                                                            done.push_back(now.done);
                                                          }});
  const Image in = random_image(shape, Pixel::u8);
  Image out(shape, Pixel::u8);
  filter.run(in, out);
  EXPECT_EQ(static_cast<std::int64_t>(done.size()), filter.strips());
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 500);
}

TEST(StripFilter, EndsWithWhatASourceASinkOrTheProgressThrows) {
  const Shape shape{.height = 500, .width = 10};
  const Image in = random_image(shape, Pixel::u8);
  Image out(shape, Pixel::u8);
  const auto message = [&](std::int64_t reads, std::int64_t writes, bool cancels) -> std::string {
    StripOptions options{.strip_bytes = 400};
    if (cancels) options.progress = [](const StripProgress& now) { if (now.done > 100) throw std::runtime_error("cancelled"); };
    StripFilter filter(shape, Pixel::u8, box(), {}, {}, {}, options);
    Parts source(in);
    source.fails_at = reads;
    Collected sink(out);
    sink.fails_at = writes;
    try {
      filter.run(source, sink);
    } catch (const std::runtime_error& error) {
      EXPECT_LT(sink.next, 500);
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(4, 0, false), "the disk is gone");
  EXPECT_EQ(message(0, 3, false), "the disk is full");
  EXPECT_EQ(message(0, 0, true), "cancelled");
  EXPECT_EQ(message(0, 0, false), "no error");
}

TEST(StripFilter, CountsWhatIsClippedAsTheWholeDoes) {
  const Shape shape{.height = 200, .width = 30};
  const Image in = random_image(shape, Pixel::u8);
  const Filter sharp = Filter::dense({.height = 3, .width = 3}, {0, -1, 0, -1, 5, -1, 0, -1, 0});
  const Image whole = convolve(in, sharp);
  const Clipped expected = count_clipped(in, whole, sharp, {});
  StripFilter filter(shape, Pixel::u8, sharp, {}, {}, {}, {.strip_bytes = 2000, .counts_clipped = true});
  Image out(shape, Pixel::u8);
  const Clipped found = filter.run(in, out).clipped;
  EXPECT_GT(expected.below, 0);
  EXPECT_EQ(found.below, expected.below);
  EXPECT_EQ(found.above, expected.above);
  EXPECT_EQ(found.samples, expected.samples);
}

TEST(StripFilter, RefusesWhatDoesNotFit) {
  StripFilter filter({.height = 20, .width = 10}, Pixel::u8, box());
  const Image in({.height = 20, .width = 11}, Pixel::u8);
  Image out({.height = 20, .width = 10}, Pixel::u8);
  EXPECT_EQ(message_of([&] { filter.run(in, out); }), "the source is 20x11 u8, the filter was made for 20x10 u8");
  const Image right({.height = 20, .width = 10}, Pixel::u8);
  Image wide({.height = 20, .width = 10}, Pixel::u16);
  EXPECT_EQ(message_of([&] { filter.run(right, wide); }), "the output is 20x10 u16, the filter gives 20x10 u8");
  EXPECT_EQ(message_of([] { StripFilter({.batch = 2, .height = 20, .width = 10}, Pixel::u8, box()); }),
            "strips need one image, got a batch of 2");
  EXPECT_EQ(message_of([] {
              StripFilter({.height = 20, .width = 10}, Pixel::u8, box(), {}, {}, {}, {.devices = {cpu(), cpu()}});
            }),
            "several devices must be GPUs, got cpu");
}

TEST(StripFilter, ExplainsItsStrips) {
  const StripFilter filter({.height = 1000, .width = 100}, Pixel::u8, box({.size = 3}), {}, {}, {}, {.strip_bytes = 4000});
  EXPECT_THAT(filter.explain(), testing::StartsWith("56 strips of 20x100 u8, 3 at a time in 12.0 kB of host memory\n20x100 u8 -> "));
}

}  // namespace
}  // namespace halation
