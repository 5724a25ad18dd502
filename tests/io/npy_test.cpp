// npy_test.cpp: .npy arrays, written out byte by byte.
#include <limits>

#include "odd_npy.h"
#include "pictures.h"

namespace halation::test {
namespace {

class Npy : public testing::Test {
 protected:
  Page page_of(const std::string& bytes, ArrayLayout layout = ArrayLayout::by_rank) {
    return read_one(write_bytes(path_, bytes), layout);
  }
  std::string told(const std::string& bytes, ArrayLayout layout = ArrayLayout::by_rank) {
    const std::string message = message_of([&] { read_pages(write_bytes(path_, bytes), layout); });
    EXPECT_EQ(message.substr(0, path_.size() + 2), path_ + ": ");
    return message.substr(path_.size() + 2);
  }

  const Folder folder_;
  const std::string path_ = folder_ / "a.npy";
};

template <class T>
void expect_both_orders(const std::string& path, const std::string& kind, const std::vector<T>& values) {
  for (const bool big : {false, true}) {
    const std::string shape = "(" + std::to_string(values.size()) + ",)";
    write_bytes(path, array(dictionary((big ? ">" : "<") + kind, shape), bytes_of_values(values, big)));
    const auto back = elements_of<T>(read_image(path));
    ASSERT_EQ(back.size(), values.size());
    EXPECT_EQ(std::memcmp(back.data(), values.data(), values.size() * sizeof(T)), 0) << kind << big;
  }
}

TEST_F(Npy, ReadsEveryPixelInBothByteOrders) {
  expect_both_orders<std::uint8_t>(path_, "u1", {0, 1, 255});
  expect_both_orders<std::uint16_t>(path_, "u2", {0, 0x0102, 65535});
  expect_both_orders<std::int16_t>(path_, "i2", {-32768, 0x0102, 32767});
  expect_both_orders<f16>(path_, "f2",
                          {f16(0.1), f16(-65504), f16(std::numeric_limits<double>::quiet_NaN())});
  expect_both_orders<float>(path_, "f4", {0.1F, -1e30F, std::numeric_limits<float>::infinity()});
  expect_both_orders<double>(path_, "f8", {0.1, -1e300, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(elements_of<std::uint8_t>(page_of(array(dictionary("|u1", "(2,)"), "\x07\x09")).image),
            (std::vector<std::uint8_t>{7, 9}));
}

TEST_F(Npy, ReadsBoolAsZeroAndOne) {
  const Page page = page_of(array(dictionary("|b1", "(4,)"), std::string("\0\1\xFF\0", 4)));
  EXPECT_EQ(elements_of<std::uint8_t>(page.image), (std::vector<std::uint8_t>{0, 1, 1, 0}));
}

TEST_F(Npy, ReadsVersionsOneToThreeAndHeadersOfEveryStyle) {
  for (const int version : {1, 2, 3}) {
    const Page page = page_of(
        array(dictionary("<u2", "(2, 3)"), bytes_of_values<std::uint16_t>({1, 2, 3, 4, 5, 6}), version));
    EXPECT_EQ(to_string(page.image.shape()), "2x3");
    EXPECT_EQ(elements_of<std::uint16_t>(page.image), (std::vector<std::uint16_t>{1, 2, 3, 4, 5, 6}));
  }
  EXPECT_EQ(
      to_string(page_of(array("{\"shape\":(2L,1L),\"descr\":\"|u1\",\"fortran_order\":False}   \n", "ab"))
                    .image.shape()),
      "2x1");
}

TEST_F(Npy, ReadsFortranOrder) {
  // numpy.array([[1, 2, 3], [4, 5, 6]], order='F') lies in memory as 1 4 2 5 3 6
  const std::string elements = bytes_of_values<std::int16_t>({1, 4, 2, 5, 3, 6}, true);
  EXPECT_EQ(elements_of<std::int16_t>(page_of(array(dictionary(">i2", "(2, 3)", true), elements)).image),
            (std::vector<std::int16_t>{1, 2, 3, 4, 5, 6}));
  std::vector<std::uint8_t> fortran(120), plain(120);
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t h = 0; h < 3; ++h) {
      for (std::size_t w = 0; w < 4; ++w) {
        for (std::size_t c = 0; c < 5; ++c) {
          fortran[d + 2 * (h + 3 * (w + 4 * c))] = static_cast<std::uint8_t>(1000 * d + 100 * h + 10 * w + c);
          plain[c + 5 * (w + 4 * (h + 3 * d))] = static_cast<std::uint8_t>(1000 * d + 100 * h + 10 * w + c);
        }
      }
    }
  }
  const Page page = page_of(array(dictionary("|u1", "(2, 3, 4, 5)", true), bytes_of_values(fortran)));
  EXPECT_EQ(to_string(page.image.shape()), "2x3x4x5");
  EXPECT_EQ(elements_of<std::uint8_t>(page.image), plain);
}

TEST_F(Npy, TakesAxesByRankOrByLayout) {
  const auto shape_of = [&](const std::string& shape, ArrayLayout layout) {
    const Shape s = page_of(array(dictionary("|u1", shape), std::string(24, 'x')), layout).image.shape();
    return std::vector<std::int64_t>{s.depth, s.height, s.width, s.channels};
  };
  using Extents = std::vector<std::int64_t>;
  EXPECT_EQ(shape_of("(24,)", ArrayLayout::by_rank), (Extents{1, 1, 24, 1}));
  EXPECT_EQ(shape_of("(4, 6)", ArrayLayout::by_rank), (Extents{1, 4, 6, 1}));
  EXPECT_EQ(shape_of("(2, 3, 4)", ArrayLayout::by_rank), (Extents{2, 3, 4, 1}));
  EXPECT_EQ(shape_of("(2, 3, 2, 2)", ArrayLayout::by_rank), (Extents{2, 3, 2, 2}));
  EXPECT_EQ(shape_of("(24,)", ArrayLayout::w), (Extents{1, 1, 24, 1}));
  EXPECT_EQ(shape_of("(4, 6)", ArrayLayout::hw), (Extents{1, 4, 6, 1}));
  EXPECT_EQ(shape_of("(2, 3, 4)", ArrayLayout::hwc), (Extents{1, 2, 3, 4}));
  EXPECT_EQ(shape_of("(2, 3, 4)", ArrayLayout::dhw), (Extents{2, 3, 4, 1}));
  EXPECT_EQ(shape_of("(2, 3, 2, 2)", ArrayLayout::dhwc), (Extents{2, 3, 2, 2}));
  EXPECT_EQ(told(array(dictionary("|u1", "(24,)"), std::string(24, 'x')), ArrayLayout::hwc),
            "layout hwc needs an array of 3 axes, this one has 1");
}

TEST_F(Npy, LayoutsHaveNames) {
  EXPECT_EQ(array_layout_named("by_rank"), ArrayLayout::by_rank);
  EXPECT_EQ(array_layout_named("w"), ArrayLayout::w);
  EXPECT_EQ(array_layout_named("hw"), ArrayLayout::hw);
  EXPECT_EQ(array_layout_named("hwc"), ArrayLayout::hwc);
  EXPECT_EQ(array_layout_named("dhw"), ArrayLayout::dhw);
  EXPECT_EQ(array_layout_named("dhwc"), ArrayLayout::dhwc);
  EXPECT_EQ(message_of([] { array_layout_named("chw"); }),
            "unknown layout 'chw'; choices: by_rank, w, hw, hwc, dhw, dhwc");
}

TEST_F(Npy, SaysWhatIsWrong) {
  const std::string accepted = "; halation reads bool, integers, floats and complex numbers";
  const std::string damaged = "damaged or truncated .npy: ";
  EXPECT_EQ(told(array(dictionary("<i3", "(1,)"), "123")), "elements of type '<i3'" + accepted);
  EXPECT_EQ(told(array(dictionary("<U1", "(1,)"), "1234")), "elements of type '<U1'" + accepted);
  EXPECT_EQ(told(array(dictionary("<c32", "(1,)"), std::string(32, 'x'))),
            "elements of type '<c32'" + accepted);
  EXPECT_EQ(told(array("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234")),
            "elements of type 'structured'" + accepted);
  EXPECT_EQ(told(array(dictionary("|u1", "(0, 3)"), "")), "an array without elements (0x3)");
  EXPECT_EQ(told(array(dictionary("|u1", "()"), "1")), "an array of 0 axes; halation reads 1 to 4");
  EXPECT_EQ(told(array(dictionary("|u1", "(1, 1, 1, 1, 1)"), "1")),
            "an array of 5 axes; halation reads 1 to 4");
  EXPECT_EQ(told(array(dictionary("|u1", "(3,)"), "12")), damaged + "it ends before its 3 elements do");
  EXPECT_EQ(told(array(dictionary("<f8", "(99999999999, 99999)"), "12")),
            damaged + "it ends before its 9999899999900001 elements do");
  EXPECT_THAT(told(array(dictionary("<f8", "(9999999999999999, 99999)"), "12")),
              testing::HasSubstr("more elements than 63 bits count"));
  EXPECT_EQ(told(array(dictionary("|u1", "(-3,)"), "12")), damaged + "an extent expected in the header");
  EXPECT_EQ(told(array(dictionary("|u1", "(99999999999999999999,)"), "12")),
            damaged + "an extent expected in the header");
  EXPECT_EQ(told(array("{'descr': '|u1', 'shape': (1,), }", "1")),
            damaged + "the header lacks descr, fortran_order or shape");
  EXPECT_EQ(told(array("['descr']", "1")), damaged + "'{' expected in the header");
  EXPECT_EQ(told(array("{'descr': '|u1, }", "1")), damaged + "a string without an end in the header");
  EXPECT_EQ(told(array("{'descr': '|u1', 'fortran_order': 0, }", "1")),
            damaged + "True or False expected in the header");
  EXPECT_EQ(told(array("{'kind': 1}", "1")), damaged + "unknown header entry 'kind'");
  EXPECT_EQ(told(array(dictionary("|u1", "(1,)"), "1", 4)), ".npy version 4; halation reads 1 to 3");
  EXPECT_EQ(told("\x93NUMPY\1"), damaged + "the header is incomplete");
}

TEST_F(Npy, RoundTripsEveryPixelAndShape) {
  for (const Pixel pixel : all_pixels) {
    for (const Shape& shape :
         {Shape{.width = 7}, Shape{.height = 5, .width = 7}, Shape{.depth = 3, .height = 5, .width = 7},
          Shape{.depth = 3, .height = 5, .width = 7, .channels = 2}}) {
      const Image image = random_image(pixel, shape);
      write_image(path_, image);
      expect_same_pixels(read_image(path_), image);  // by rank
    }
  }
}

TEST_F(Npy, WritesTheAxesThatTheImageHas) {
  const auto shape_written = [&](const Shape& shape) {
    write_image(path_, random_image(Pixel::u8, shape));
    const std::string bytes = bytes_in(path_);
    EXPECT_EQ((bytes.size() - static_cast<std::size_t>(shape.elements())) % 64, 0U);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\1\0", 8));
    const std::size_t start = bytes.find("'shape': ") + 9;
    return bytes.substr(start, bytes.find(')', start) + 1 - start);
  };
  EXPECT_EQ(shape_written({.width = 5}), "(5,)");
  EXPECT_EQ(shape_written({.height = 4, .width = 5}), "(4, 5)");
  EXPECT_EQ(shape_written({.height = 4, .width = 1}), "(4, 1)");
  EXPECT_EQ(shape_written({.height = 4, .width = 5, .channels = 3}), "(4, 5, 3)");
  EXPECT_EQ(shape_written({.width = 5, .channels = 3}), "(1, 5, 3)");
  EXPECT_EQ(shape_written({.depth = 2, .height = 4, .width = 5}), "(2, 4, 5)");
  EXPECT_EQ(shape_written({.depth = 2, .width = 5}), "(2, 1, 5)");
  EXPECT_EQ(shape_written({.depth = 2, .height = 4, .width = 5, .channels = 3}), "(2, 4, 5, 3)");
  EXPECT_EQ(bytes_in(path_).substr(10, 52), "{'descr': '|u1', 'fortran_order': False, 'shape': (2");
}

}  // namespace
}  // namespace halation::test
