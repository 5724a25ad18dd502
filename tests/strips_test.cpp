// strips_test.cpp: where images are cut: every output is taken once, from a strip that sees all that it depends on.
#include "pipeline/strips.h"

#include <gtest/gtest.h>

#include "halation/strips.h"
#include "message_of.h"

namespace halation {
namespace {

/// Outputs o depend on o − before … o + after of the input; of an image of `input` there are `output`.
void check(std::int64_t input, std::int64_t output, const Reach& reach, bool wraps, double bytes) {
  SCOPED_TRACE(std::to_string(input) + " -> " + std::to_string(output) + " reach " + std::to_string(reach.before) + "," +
               std::to_string(reach.after) + (wraps ? " wrap" : "") + " bytes " + std::to_string(bytes));
  const Strips strips({.input = input, .output = output}, reach, wraps, {.bytes = bytes});
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < strips.count(); ++i) {
    const Strip strip = strips.at(i);
    EXPECT_EQ(strip.output, next);
    EXPECT_GE(strip.outputs, 1);
    next += strip.outputs;
    EXPECT_EQ(strip.skipped, strip.output - strip.first);
    EXPECT_LE(strip.skipped + strip.outputs, strips.output_length());
    if (strips.count() == 1) continue;
    const std::int64_t end = strip.first + strips.length();
    const bool is_begin = !wraps && strip.first == 0;
    const bool is_end = !wraps && end == input;
    if (!wraps) {
      EXPECT_GE(strip.first, 0);
      EXPECT_LE(end, input);
    }
    if (!is_begin) {
      EXPECT_GE(strip.output - reach.before, strip.first);
    }
    if (!is_end) {
      EXPECT_LT(strip.output + strip.outputs - 1 + reach.after, end);
    }
    EXPECT_GE(strips.shared_with_previous(i), 0);
    EXPECT_LT(strips.shared_with_previous(i), strips.length());
  }
  EXPECT_EQ(next, output);
}

TEST(Strips, TakeEachOutputOnceFromAStripThatSeesWhatItDependsOn) {
  for (std::int64_t input = 1; input <= 60; ++input) {
    for (std::int64_t before = 0; before <= 3; ++before) {
      for (std::int64_t after = 0; after <= 3; ++after) {
        for (const double bytes : {2.0, 14.0, 30.0, 64.0, 118.0}) {
          for (const bool wraps : {false, true}) {
            check(input, input, {before, after}, wraps, bytes);
            if (input > after) check(input, input - after, {0, after}, wraps, bytes);  // valid
            check(input, input + before, {before, 0}, wraps, bytes);                   // full
          }
        }
      }
    }
  }
}

TEST(Strips, AreOneWhereTheImageIsShortOrCannotBeCut) {
  EXPECT_EQ(Strips({.input = 1000, .output = 1000, .input_bytes = 1000, .output_bytes = 1000}, {1, 1}, false, {}).count(), 1);
  EXPECT_EQ(Strips({.input = 1000, .output = 1000}, {1, 1}, false, {.bytes = 100, .is_all = true}).count(), 1);
}

TEST(Strips, OverlapByLittleOfTheirLength) {
  const Length wide{.input = 100'000, .output = 100'000, .input_bytes = 50'000, .output_bytes = 50'000};
  const Strips strips(wide, {32, 32}, false, {});
  EXPECT_LE(strips.length(), 16 * 64);
  EXPECT_GT(strips.length(), 15 * 64);
  const Strips shorter(wide, {32, 32}, false, {.halvings = 2});
  EXPECT_LE(shorter.length(), 4 * 64);
  EXPECT_GT(shorter.length(), 3.9 * 64);
}

TEST(Strips, AreManyOnAGpuWhereAnImageHasSomeMegabytes) {
  const Strips strips({.input = 2048, .output = 2048, .input_bytes = 8192, .output_bytes = 8192}, {1, 1}, false,
                      {.device = Device::Kind::cuda});
  EXPECT_GE(strips.count(), 6);
}

TEST(Parts, LieAlongTheOutermostAxis) {
  const Image volume({.depth = 4, .height = 3, .width = 5}, Pixel::u8);
  EXPECT_EQ(length_of(volume.shape()), 4);
  EXPECT_EQ(part_of(volume.view(), 1, 2).data, volume.view().data + 15);
  const Image signal({.width = 7, .channels = 2}, Pixel::u16);
  EXPECT_EQ(length_of(signal.shape()), 7);
  EXPECT_EQ(part_of(signal.view(), 3, 1).data, signal.view().data + 12);
  EXPECT_EQ(length_of_part({.height = 1, .width = 9}, {.height = 4, .width = 9}), 1);
  EXPECT_EQ(with_length({.height = 4, .width = 9}, 2), (Shape{.height = 2, .width = 9}));
  EXPECT_EQ(message_of([&] { part_of(signal.view(), 5, 3); }), "part 5+3 leaves the image 1x7x2, which is 7 long");
}

}  // namespace
}  // namespace halation
