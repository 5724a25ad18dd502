// frame_filter_test.cpp: frames one after the other are the frames filtered by themselves.
#include "halation/frame_filter.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "colour_oracle.h"
#include "message_of.h"

namespace halation {
namespace {

constexpr Shape shape{.height = 30, .width = 20, .channels = 3};

Image frame_of(std::int64_t number) {
  std::vector<double> values = random_values(shape, 0, 255, true);
  for (double& value : values) value = static_cast<double>((static_cast<std::int64_t>(value) + 7 * number) % 256);
  return image_of<std::uint8_t>(shape, values);
}

void check(const Chain& chain, const ColourOptions& colour, std::optional<Display> view) {
  FrameFilter filter(shape, Pixel::u8, chain, {}, colour, view);
  std::int64_t written = 0;
  const FrameReport report = filter.run({.read = [](std::int64_t frame, View buffer) -> std::optional<ConstView> {
                                           if (frame == 20) return {};
                                           copy(frame_of(frame).view(), buffer);
                                           return buffer;
                                         },
                                         .write =
                                             [&](std::int64_t frame, ConstView result) {
                                               EXPECT_EQ(frame, written++);
                                               const Image in = frame_of(frame);
                                               const Image expected = view ? convolve_display(in, chain, *view, {}, colour)
                                                                           : convolve_chain(in, chain, {}, colour);
                                               EXPECT_EQ(result.shape, filter.output_shape());
                                               EXPECT_EQ(values_of(result), values_of(expected.view())) << "frame " << frame;
                                             }});
  EXPECT_EQ(report.frames, 20);
  EXPECT_EQ(written, 20);
}

TEST(FrameFilter, FiltersEachFrameInOrder) {
  check(chain_from("gaussian sigma=2"), {}, {});
  check(chain_from("gaussian sigma=1 | sharpen"), {}, {});
  check(chain_from("edges"), {.gray = true}, {});
  check(chain_from("box size=3"), {.linear = true}, {});
  check(chain_from("sobel"), {}, Display::signed_values);
  check(chain_from("sobel"), {}, Display::stretched);
}

TEST(FrameFilter, TakesFramesAndPlacesOfTheCallersOwn) {
  const Chain chain = chain_from("box size=5");
  for (const bool gray : {false, true}) {  // the second by way of images in colour
    FrameFilter filter(shape, Pixel::u8, chain, {}, {.gray = gray});
    std::vector<Image> in, out;
    for (int i = 0; i < 9; ++i) {
      in.push_back(frame_of(i));
      out.emplace_back(filter.output_shape(), Pixel::u8);
    }
    const auto at = [](std::int64_t frame) { return static_cast<std::size_t>(frame); };
    filter.run({.read = [&](std::int64_t frame, View) -> std::optional<ConstView> {
                  if (at(frame) == in.size()) return {};
                  return in[at(frame)].view();
                },
                .place = [&](std::int64_t frame, View) { return out[at(frame)].view(); },
                .write = [&](std::int64_t frame, ConstView result) { EXPECT_EQ(result.data, out[at(frame)].view().data); }});
    for (std::size_t i = 0; i < in.size(); ++i)
      EXPECT_EQ(values_of(out[i].view()), values_of(convolve_chain(in[i], chain, {}, {.gray = gray}).view())) << i;
  }
}

TEST(FrameFilter, EndsWithWhatAStageThrowsAndRefusesOtherShapes) {
  FrameFilter filter(shape, Pixel::u8, chain_from("box"));
  const auto nothing = [](std::int64_t, ConstView) {};
  EXPECT_THROW(filter.run({.read = [](std::int64_t frame, View buffer) -> std::optional<ConstView> {
                             if (frame == 3) throw std::runtime_error("the camera is gone");
                             return buffer;
                           },
                           .write = nothing}),
               std::runtime_error);
  const Image other({.height = 3, .width = 4}, Pixel::u8);
  EXPECT_EQ(message_of([&] { filter.run({.read = [&](std::int64_t, View) -> std::optional<ConstView> { return other.view(); }, .write = nothing}); }),
            "a frame must be 30x20x3 u8, got 3x4 u8");
  EXPECT_EQ(filter.run({.read = [](std::int64_t, View) -> std::optional<ConstView> { return {}; }, .write = nothing}).frames, 0);
}

}  // namespace
}  // namespace halation
