// row_layout_test.cpp: every pair of views is of the class that the addresses of its elements say.
#include "cuda/row_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace halation::cuda_backend {
namespace {

/// What the addresses of a view's elements are like.
struct Addresses {
  bool beside = true;              // elements of a row of one channel
  bool pixels = true;              // and channels of a pixel, 2 to 4 of them
  bool boundary = true;            // rows of each channel begin on it
  bool boundary_of_pixels = true;  // rows of channel 0 do
  bool far = false;

  Addresses(const ConstView& view, std::int64_t bytes) {
    const Shape& n = view.shape;
    const Strides& s = view.strides;
    const auto element = static_cast<std::int64_t>(bytes_of(view.pixel));
    pixels = n.channels > 1 && n.channels <= 4;
    for (std::int64_t b = 0; b < n.batch; ++b) {
      for (std::int64_t z = 0; z < n.depth; ++z) {
        for (std::int64_t y = 0; y < n.height; ++y) {
          for (std::int64_t c = 0; c < n.channels; ++c) {
            const auto at = [&](std::int64_t x) {
              return reinterpret_cast<std::intptr_t>(view.data) + b * s.batch + z * s.depth + y * s.height +
                     x * s.width + c * s.channels;
            };
            boundary = boundary && at(0) % bytes == 0;
            if (c == 0) boundary_of_pixels = boundary_of_pixels && at(0) % bytes == 0;
            for (std::int64_t x = 0; x < n.width; ++x) {
              beside = beside && at(x) == at(0) + x * element;
              pixels = pixels && at(x) == at(0) - c * s.channels + (x * n.channels + c) * element;
            }
          }
        }
      }
    }
    far = s.height < 0 || s.height * n.height > 0x7fffffff;
  }
};

RowLayout expected(const ConstView& in_view, const View& out_view) {
  const Addresses in(in_view, 16);
  const auto piece = static_cast<std::int64_t>(
      std::min<std::size_t>(16, 16 / bytes_of(in_view.pixel) * bytes_of(out_view.pixel)));
  const Addresses out(out_view, piece);
  if (in.pixels && out.pixels)
    return in.boundary_of_pixels && out.boundary_of_pixels ? RowLayout::aligned_pixels
                                                           : RowLayout::packed_pixels;
  if (in.pixels || !in.beside) return RowLayout::strided;
  const bool out_beside = out.beside && !out.pixels;
  if (!in.boundary) return out_beside ? RowLayout::packed : RowLayout::strided;
  if (!out_beside) return RowLayout::aligned_gather;
  if (!out.boundary) return RowLayout::aligned_input;
  return in.far || out.far ? RowLayout::aligned_far : RowLayout::aligned;
}

/// Views of a shape with all kinds of strides; the memory is never touched.
std::vector<View> views_of(const Shape& shape, Pixel pixel) {
  std::vector<View> all;
  const auto element = static_cast<std::int64_t>(bytes_of(pixel));
  const std::int64_t c = shape.channels;
  for (const std::int64_t offset : {std::int64_t{0}, element, std::int64_t{16}}) {
    for (const std::int64_t width : {element, element * c, 2 * element * c, -element}) {
      for (const std::int64_t channels : {element, std::int64_t{4096}, std::int64_t{4096} + element}) {
        for (const std::int64_t height :
             {std::int64_t{256}, std::int64_t{256} + element, std::int64_t{-256}, std::int64_t{1} << 30}) {
          for (const std::int64_t depth : {std::int64_t{1} << 14, (std::int64_t{1} << 14) + element}) {
            Strides strides{};
            strides.width = width;
            strides.channels = channels;
            strides.height = height;
            strides.depth = depth;
            strides.batch = std::int64_t{1} << 40;
            const std::uintptr_t address = (std::uintptr_t{1} << 20) + static_cast<std::uintptr_t>(offset);
            // NOLINTNEXTLINE(performance-no-int-to-ptr): nothing lies there
            all.push_back({reinterpret_cast<std::byte*>(address), shape, strides, pixel, cuda()});
          }
        }
      }
    }
  }
  return all;
}

TEST(RowLayout, IsWhatTheAddressesOfElementsSay) {
  std::set<RowLayout> seen;
  for (const Shape& shape : {Shape{.height = 3, .width = 5}, Shape{.depth = 2, .height = 1, .width = 4},
                             Shape{.height = 3, .width = 1, .channels = 3},
                             Shape{.batch = 2, .height = 2, .width = 5, .channels = 4},
                             Shape{.height = 2, .width = 3, .channels = 5}}) {
    for (const auto& [from, to] : {std::pair{Pixel::f32, Pixel::f32},
                                   {Pixel::u8, Pixel::u8},
                                   {Pixel::u8, Pixel::f32},
                                   {Pixel::f32, Pixel::u8},
                                   {Pixel::f64, Pixel::f16}}) {
      const std::vector<View> outs = views_of(shape, to);
      for (const View& in : views_of(shape, from)) {
        for (const View& out : outs) {
          const RowLayout layout = row_layout_of(in, {&out, 1});
          seen.insert(layout);
          ASSERT_EQ(layout, expected(in, out))
              << to_string(shape) << ", strides in " << in.strides.height << ", " << in.strides.width << ", "
              << in.strides.channels << ", out " << out.strides.height << ", " << out.strides.width << ", "
              << out.strides.channels << ": " << words_for(layout);
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), all_row_layouts.size()) << "some class was never met";
}

TEST(RowLayout, OfSeveralOutputsIsWhatAllOfThemAre) {
  const Shape shape{.height = 3, .width = 5};
  const std::vector<View> views = views_of(shape, Pixel::f32);
  for (const View& in : views) {
    for (std::size_t i = 0; i + 1 < views.size(); ++i) {
      const std::vector<View> outs{views[i], views[i + 1]};
      const RowLayout both = row_layout_of(in, outs);
      EXPECT_GE(both, row_layout_of(in, {&outs[0], 1}));
      EXPECT_GE(both, row_layout_of(in, {&outs[1], 1}));
    }
  }
}

TEST(RowLayout, EndsJoinToTheClassThatTheyAreOf) {
  for (const RowLayout layout : all_row_layouts) {
    const RowLayout again = joined(input_end(layout), output_end(layout));
    EXPECT_EQ(again, layout == RowLayout::aligned_far ? RowLayout::aligned : layout) << words_for(layout);
  }
}

TEST(RowLayout, OfAnEndIsAmongThoseThatItMayBeOf) {
  const auto among = [](const std::vector<RowLayout>& list, RowLayout layout) {
    return std::find(list.begin(), list.end(), layout) != list.end();
  };
  for (const Shape& shape : {Shape{.height = 3, .width = 5}, Shape{.height = 2, .width = 4, .channels = 4}}) {
    for (const auto& [from, to] :
         {std::pair{Pixel::u8, Pixel::f32}, {Pixel::f64, Pixel::f32}, {Pixel::f32, Pixel::f32}}) {
      const std::vector<View> outs = views_of(shape, to);
      for (const View& in : views_of(shape, from)) {
        for (const View& out : outs) {
          const RowLayout layout = row_layout_of(in, {&out, 1});
          EXPECT_TRUE(among(layouts_to(row_end_of(out, output_boundary(from, to))), layout))
              << words_for(layout);
          EXPECT_TRUE(among(layouts_from(row_end_of(in, 16)), layout)) << words_for(layout);
        }
      }
    }
  }
  for (const RowEnd end :
       {RowEnd::aligned, RowEnd::packed, RowEnd::apart, RowEnd::aligned_pixels, RowEnd::packed_pixels}) {
    EXPECT_LT(layouts_to(end).size(), all_row_layouts.size());
    EXPECT_LT(layouts_from(end).size(), all_row_layouts.size());
  }
}

}  // namespace
}  // namespace halation::cuda_backend
