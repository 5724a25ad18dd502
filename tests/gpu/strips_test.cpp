// strips_test.cpp: strips and frames through a GPU, from host memory of any kind and back: the same results as of the whole there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "ballast.h"
#include "halation/chain.h"
#include "halation/device.h"
#include "halation/filters.h"
#include "halation/frame_filter.h"
#include "halation/strip_filter.h"
#include "halation/transfer.h"

namespace halation::gpu_test {
namespace {

std::int64_t bytes_in(const ConstView& view) { return view.shape.elements() * static_cast<std::int64_t>(bytes_of(view.pixel)); }

void fill(View view) {
  std::mt19937 random(5);
  if (view.pixel == Pixel::f32) {
    std::uniform_real_distribution<float> draw(-1, 1);
    for (std::int64_t i = 0; i < view.shape.elements(); ++i) reinterpret_cast<float*>(view.data)[i] = draw(random);
  } else {
    for (std::int64_t i = 0; i < bytes_in(view); ++i) view.data[i] = static_cast<std::byte>(random());
  }
}

bool are_equal(const ConstView& a, const ConstView& b) {
  return a.shape == b.shape && a.pixel == b.pixel && std::memcmp(a.data, b.data, static_cast<std::size_t>(bytes_in(a))) == 0;
}

/// A source and a sink that are no views: their parts go through the run's own buffers.
class Parts final : public Source {
 public:
  explicit Parts(ConstView view) : view_(view) {}
  const Shape& shape() const override { return view_.shape(); }
  Pixel pixel() const override { return view_.pixel(); }
  void read(std::int64_t first, View to) override { view_.read(first, to); }

 private:
  ViewSource view_;
};

class Collected final : public Sink {
 public:
  explicit Collected(View view) : view_(view) {}
  void write(std::int64_t first, ConstView part) override { view_.write(first, part); }

 private:
  ViewSink view_;
};

/// Many short strips beside the image as a whole on the same GPU; equal where sums are exact.
void check(const Shape& shape, Pixel pixel, const Chain& chain, const Options& options, bool exact, const std::vector<Device>& devices) {
  SCOPED_TRACE(to_string(shape) + " " + std::string(name_of(pixel)) + " " + std::string(name_of(options.border.y.mode)) + " " +
               std::string(name_of(options.extent)));
  Image pinned = allocate_pinned(shape, pixel);
  fill(pinned);
  const Image there = to_device(pinned, cuda());
  const Image whole = to_device(convolve_chain(there, chain, options), cpu());
  StripFilter filter(shape, pixel, chain, options, {}, {}, {.devices = devices, .strip_bytes = 100'000});
  EXPECT_GT(filter.strips(), 8);
  Image from_pinned = allocate_pinned(filter.output_shape(), filter.output_pixel());
  Image to_pinned = allocate_pinned(filter.output_shape(), filter.output_pixel());
  Image from_pageable(filter.output_shape(), filter.output_pixel());
  Image from_parts(filter.output_shape(), filter.output_pixel());
  const Image pageable = pinned.clone();
  for (int again = 0; again < 3; ++again) {
    std::memset(from_pinned.view().data, 0xEE, static_cast<std::size_t>(bytes_in(from_pinned)));
    filter.run(pinned, from_pinned);
    filter.run(pageable, from_pageable);
    filter.run(pageable, to_pinned);
    EXPECT_TRUE(are_equal(from_pinned, to_pinned));
    Parts source(pinned);
    Collected sink(from_parts);
    filter.run(source, sink);
    EXPECT_TRUE(are_equal(from_pinned, from_pageable));
    EXPECT_TRUE(are_equal(from_pinned, from_parts));
  }
  if (exact) {
    EXPECT_TRUE(are_equal(from_pinned, whole));
    return;
  }
  ASSERT_EQ(whole.pixel(), Pixel::f32);
  for (std::int64_t i = 0; i < whole.shape().elements(); ++i) {
    // Weights of sum about 1, at most 17 × 17 taps a stage, over values up to 1
    ASSERT_NEAR(reinterpret_cast<const float*>(from_pinned.view().data)[i], reinterpret_cast<const float*>(whole.view().data)[i], 2e-5F)
        << "element " << i;
  }
}

const Border borders[] = {Border::reflect101(), Border::reflect(), Border::replicate(), Border::wrap(), Border::constant(0.5)};

TEST(GpuStrips, AreTheWhole) {
  const Filter weights = Filter::dense({.height = 3, .width = 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  for (const Border& border : borders) {
    for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
      check({.height = 2001, .width = 301, .channels = 3}, Pixel::u8, weights, {.border = border, .extent = extent, .scale = 1 / 64.0}, true,
            {cuda()});
    }
    check({.height = 1500, .width = 533}, Pixel::f32, gaussian({.sigma = 2}), {.border = border}, false, {cuda()});
    check({.height = 1500, .width = 533}, Pixel::f32, chain_from("gaussian sigma=1 | unsharp_mask amount=0.5"), {.border = border}, false,
          {cuda()});
  }
  check({.depth = 120, .height = 70, .width = 61}, Pixel::u8, box({.size = 3}), {}, true, {cuda()});
  check({.width = 2'000'003}, Pixel::u16, Filter({1, 2, 3, 2, 1}), {.scale = 0.125}, true, {cuda()});
}

TEST(GpuStrips, AreTheSameOnTwoGpus) {
  std::vector<Device> gpus;
  for (const DeviceInfo& info : devices()) {
    if (info.device.kind == Device::Kind::cuda) gpus.push_back(info.device);
  }
  if (gpus.size() < 2) GTEST_SKIP() << "one GPU";
  const Shape shape{.height = 3000, .width = 701};
  Image in = allocate_pinned(shape, Pixel::f32);
  fill(in);
  const Image pageable = in.clone();
  const StripOptions by_one{.devices = {gpus[0]}, .strip_bytes = 200'000};
  const StripOptions by_two{.devices = {gpus[0], gpus[1]}, .strip_bytes = 200'000};
  for (const Border& border : borders) {
    Image one(shape, Pixel::f32), two(shape, Pixel::f32);
    StripFilter(shape, Pixel::f32, gaussian({.sigma = 3}), {.border = border}, {}, {}, by_one).run(in, one);
    StripFilter filter(shape, Pixel::f32, gaussian({.sigma = 3}), {.border = border}, {}, {}, by_two);
    filter.run(in, two);
    EXPECT_TRUE(are_equal(one, two)) << name_of(border.mode);
    std::memset(two.view().data, 0xEE, static_cast<std::size_t>(bytes_in(two)));
    filter.run(pageable, two);
    EXPECT_TRUE(are_equal(one, two)) << name_of(border.mode) << " from memory that is not pinned";
  }
}

TEST(GpuStrips, AreShorterWhereMemoryOfTheDeviceIsShort) {
  const Shape shape{.height = 16384, .width = 16384};
  Image in = allocate_pinned(shape, Pixel::u8);
  fill(in);
  Image expected(shape, Pixel::u8), found(shape, Pixel::u8);
  const Filter weights = Filter::dense({.height = 3, .width = 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Options options{.scale = 1 / 45.0};
  const StripOptions long_strips{.devices = {cuda()}, .strip_bytes = std::size_t{384} << 20};
  StripFilter with_memory(shape, Pixel::u8, weights, options, {}, {}, long_strips);
  with_memory.run(in, expected);
  EXPECT_THAT(with_memory.explain(), testing::Not(testing::HasSubstr("shorter than usual")));
  const Ballast ballast(std::size_t{160} << 20);
  StripFilter filter(shape, Pixel::u8, weights, options, {}, {}, long_strips);
  EXPECT_THAT(filter.explain(), testing::HasSubstr("strips are shorter than usual: the device's memory is short\n"));
  EXPECT_GT(filter.strips(), with_memory.strips());
  filter.run(in, found);
  EXPECT_TRUE(are_equal(expected, found));
}

TEST(GpuStrips, NeedMemoryOfTheDevice) {
  // Strips cannot be cut shorter than the filter reaches.
  const Shape shape{.height = 2100, .width = 200'000};
  const Filter tall = Filter::separable({.y = std::vector<double>(1001, 1 / 1001.0), .x = {1}});
  const Ballast ballast(std::size_t{96} << 20);
  try {
    const StripFilter filter(shape, Pixel::u8, tall, {}, {}, {}, {.devices = {cuda()}});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_THAT(error.what(), testing::HasSubstr("of memory of cuda:0, "));
  }
}

TEST(GpuStrips, KeepColourAndViews) {
  const Shape shape{.height = 900, .width = 64, .channels = 4};
  Image in(shape, Pixel::u8);
  fill(in);
  for (const std::optional<Display> view : {std::optional<Display>(), std::optional(Display::stretched)}) {
    const ColourOptions colour{.alpha = true, .linear = true};
    const Image whole = view ? convolve_display(in, gaussian(), *view, {}, colour, cuda()) : convolve_chain(in, gaussian(), {}, colour, cuda());
    StripFilter filter(shape, Pixel::u8, gaussian(), {}, colour, view, {.devices = {cuda()}, .strip_bytes = 50'000});
    Image found(shape, Pixel::u8);
    filter.run(in, found);
    for (std::int64_t i = 0; i < bytes_in(found); ++i)
      ASSERT_NEAR(static_cast<int>(found.view().data[i]), static_cast<int>(whole.view().data[i]), 1) << i;
  }
}

TEST(GpuFrames, AreTheFramesThemselves) {
  constexpr int count = 40;
  const Shape shape{.height = 270, .width = 480, .channels = 3};
  const Chain chain = chain_from("gaussian sigma=2");
  std::vector<Image> in, out, expected;
  for (int i = 0; i < count; ++i) {
    in.push_back(allocate_pinned(shape, Pixel::u8));
    fill(in.back());
    in.back().view().data[i] ^= std::byte{0xFF};
    out.push_back(allocate_pinned(shape, Pixel::u8));
    expected.push_back(to_device(convolve_chain(to_device(in.back(), cuda()), chain), cpu()));
  }
  FrameFilter filter(shape, Pixel::u8, chain, {}, {}, {}, {.devices = {cuda()}});
  const auto at = [](std::int64_t frame) { return static_cast<std::size_t>(frame); };
  for (const bool own_memory : {true, false}) {
    Frames frames{.read = [&](std::int64_t frame, View buffer) -> std::optional<ConstView> {
                    if (frame == count) return {};
                    if (own_memory) return in[at(frame)].view();
                    copy(in[at(frame)].view(), buffer);
                    return buffer;
                  },
                  .write = [&](std::int64_t frame, ConstView result) { EXPECT_TRUE(are_equal(result, expected[at(frame)])) << frame; }};
    if (own_memory) frames.place = [&](std::int64_t frame, View) { return out[at(frame)].view(); };
    EXPECT_EQ(filter.run(frames).frames, count);
  }
}

}  // namespace
}  // namespace halation::gpu_test
