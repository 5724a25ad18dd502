// other_pixels_test.cpp: integers that no kernel takes, sums that wrap, and complex images.
#include "other_pixels.h"

#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <limits>

#include "message_of.h"

namespace halation {
namespace {

/// Returns what is said of the plan.
std::string expect_as_by_reference(const OtherJob& job, const std::string& which) {
  const std::vector<Image> expected = by_reference(job);
  const Plan plan(job.spec);
  std::vector<Image> outs;
  std::vector<View> views;
  views.reserve(plan.outputs());
  for (std::size_t i = 0; i < plan.outputs(); ++i)
    outs.emplace_back(plan.output_shape(), plan.output_pixel());
  for (Image& out : outs) views.push_back(out.view());
  plan.run(job.in, views);
  for (std::size_t i = 0; i < outs.size(); ++i)
    EXPECT_TRUE(are_same(outs[i], expected[i])) << which << ", " << text(job.spec) << "\n" << plan.explain();
  return plan.explain();
}

TEST(OtherPixels, AreFilteredAsTheReferenceFiltersThem) {
  for (std::uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed)
    expect_as_by_reference(other_job(seed), "seed " + std::to_string(seed));
}

/// Along each axis, and the batch, by one thread and by three.
TEST(OtherPixels, AreFilteredInStrips) {
  const Shape shapes[] = {{.batch = 37, .height = 40, .width = 51},
                          {.batch = 2, .height = 260, .width = 171, .channels = 2},
                          {.depth = 23, .height = 61, .width = 57},
                          {.depth = 3, .height = 5, .width = 9000},
                          {.height = 331, .width = 207, .channels = 3},
                          {.height = 3, .width = 40001},
                          {.width = 150001},
                          {.width = 60001, .channels = 3}};
  for (const Shape& shape : shapes) {
    for (std::uint64_t seed = 1; seed <= 12 && !HasFailure(); ++seed) {
      const std::string said =
          expect_as_by_reference(other_job(seed, shape), to_string(shape) + ", seed " + std::to_string(seed));
      EXPECT_THAT(said, testing::HasSubstr("strips of")) << said;
    }
  }
}

/// Constants whose upper halves are alike and whose lower ones are not.
TEST(OtherPixels, OfStripsMeetSeveralConstantsInCorners) {
  for (const Pixel pixel : {Pixel::i64, Pixel::u64, Pixel::i32}) {
    for (const Shape& shape :
         {Shape{.height = 700, .width = 207}, Shape{.depth = 19, .height = 90, .width = 80}}) {
      OtherJob job{.spec = {}, .in = Image(shape, pixel)};
      job.spec.shape = shape;
      job.spec.pixel = pixel;
      Numbers numbers(3);
      fill(job.in.view(), numbers);
      const FilterSize size{.depth = shape.depth > 1 ? 3 : 1, .height = 5, .width = 7};
      job.spec.filters = {
          Filter::dense(size, std::vector<double>(static_cast<std::size_t>(size.taps()), 2.0))};
      job.spec.options = {
          .border = {.z = Border::constant(700), .y = Border::constant(30000), .x = Border::constant(5)},
          .output = pixel,
          .overflow = Overflow::wrap,
          .method = Method::direct,
          .threads = 3};
      expect_as_by_reference(job, to_string(shape));
    }
  }
}

/// Views whose elements lie apart, backwards.
TEST(OtherPixels, MayLieAnywhere) {
  for (const Pixel pixel : {Pixel::i8, Pixel::i32, Pixel::u64, Pixel::c64, Pixel::c128}) {
    Numbers numbers(7);
    Image room({.height = 31, .width = 58, .channels = 3}, pixel);
    fill(room.view(), numbers);
    View in = room.view();
    in.shape = {.height = 31, .width = 29, .channels = 2};
    in.data += 30 * in.strides.height;
    in.strides.height = -in.strides.height;
    in.strides.width *= 2;
    Image packed(in.shape, pixel);
    copy(in, packed.view());
    const Plan plan({.shape = in.shape, .pixel = pixel, .filters = {Filter::dense({.height = 3, .width = 2}, {1, 2, 3, -4, 5, 6})}});
    Image expected(plan.output_shape(), pixel);
    plan.run(packed, expected.view());
    Image out_room(room.shape(), pixel);
    View out = in;
    out.data = out_room.view().data + (in.data - room.view().data);
    plan.run(in, out);
    Image found(in.shape, pixel);
    copy(out, found.view());
    EXPECT_TRUE(are_same(found, expected)) << name_of(pixel);
  }
}

TEST(OtherPixels, HaveExactSumsOf64Bits) {
  Image image({.width = 3}, Pixel::i64);
  auto* const values = reinterpret_cast<std::int64_t*>(image.view().data);
  values[0] = (std::int64_t{1} << 62) + 1;
  values[1] = -3;
  values[2] = std::numeric_limits<std::int64_t>::min();
  const auto sums_of = [&](Overflow overflow) {
    const Image out = convolve(image, Filter::dense({.width = 3}, {1, 1, 1}), {.border = Border::constant(0), .overflow = overflow});
    const auto* const sums = reinterpret_cast<const std::int64_t*>(out.view().data);
    return std::vector<std::int64_t>(sums, sums + 3);
  };
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(sums_of(Overflow::saturate), (std::vector<std::int64_t>{values[0] - 3, values[0] - 3 + least, least}));
  EXPECT_EQ(sums_of(Overflow::wrap), (std::vector<std::int64_t>{values[0] - 3, values[0] - 3 + least, most - 2}));
}

/// What x86-64 makes of numbers that do not fit, as C converts and SciPy stores them.
TEST(OtherPixels, WrapAsX86Converts) {
  constexpr double values[] = {300.9, -1.5, 65536 + 7, 0x1p31, -0x1p31 - 1, 0x1p32 + 3, 0x1p63, 0x1p70, -0x1p63};
  Image image({.width = std::ssize(values)}, Pixel::f64);
  std::memcpy(image.view().data, values, sizeof values);
  const auto made = [&](Pixel output) {
    return convolve(image, Filter::dense({}, {1.0}),
                    {.output = output, .rounding = Rounding::truncate, .overflow = Overflow::wrap});
  };
  const auto values_of = [&]<class T>(T, Pixel pixel) {
    const Image out = made(pixel);
    const auto* const first = reinterpret_cast<const T*>(out.view().data);
    return std::vector<T>(first, first + std::ssize(values));
  };
  EXPECT_EQ(values_of(std::uint8_t{}, Pixel::u8), (std::vector<std::uint8_t>{44, 255, 7, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(values_of(std::int16_t{}, Pixel::i16), (std::vector<std::int16_t>{300, -1, 7, 0, 0, 0, 0, 0, 0}));
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(values_of(std::int32_t{}, Pixel::i32),
            (std::vector<std::int32_t>{300, -1, 65543, least, least, least, least, least, least}));
  EXPECT_EQ(values_of(std::uint32_t{}, Pixel::u32),
            (std::vector<std::uint32_t>{300, 0xFFFFFFFF, 65543, 0x80000000, 0x7FFFFFFF, 3, 0, 0, 0}));
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  EXPECT_EQ(values_of(std::uint64_t{}, Pixel::u64),
            (std::vector<std::uint64_t>{300, ~std::uint64_t{0}, 65543, std::uint64_t{1} << 31, ~std::uint64_t{0} - 0x80000000,
                                        (std::uint64_t{1} << 32) + 3, half, 0, half}));
}

/// A Gaussian's weights sum to 1 but for rounding.
TEST(OtherPixels, TruncateAFlatAreaToItself) {
  for (const Pixel pixel : {Pixel::i8, Pixel::i32, Pixel::u32, Pixel::i64}) {
    for (const double level : {14.0, 99.0, -77.0}) {
      if (pixel == Pixel::u32 && level < 0) continue;
      Image image({.height = 9, .width = 11}, Pixel::f64);
      std::fill_n(reinterpret_cast<double*>(image.view().data), 99, level);
      for (const double sigma : {0.7, 1.0, 1.9}) {
        const Image found =
            convolve(image, gaussian({.sigma = sigma}), {.output = pixel, .rounding = Rounding::truncate});
        const Image expected = convolve(image, Filter::dense({}, {1.0}), {.output = pixel});
        EXPECT_TRUE(are_same(found, expected)) << name_of(pixel) << ", sigma " << sigma;
      }
    }
  }
}

TEST(OtherPixels, OfComplexImagesRealAndImaginaryPartsAreFilteredApart) {
  std::uint64_t seed = 100;
  for (const Pixel pixel : {Pixel::c64, Pixel::c128}) {
    for (const Pixel output : {Pixel::c64, Pixel::c128}) {
      for (const std::int64_t channels : {1, 3}) {
        for (const std::int64_t taps : {1, 5, 41}) {
          Numbers numbers(++seed);
          const Shape shape{.height = 37, .width = 53, .channels = channels};
          Image image(shape, pixel);
          fill(image.view(), numbers);
          std::vector<double> weights;
          for (std::int64_t i = 0; i < taps * taps; ++i) weights.push_back(numbers.next() - 0.3);
          const Filter filter = Filter::dense({.height = taps, .width = taps}, weights);
          Options options{.border = Border::constant(3.5), .output = output, .scale = 0.7, .offset = -2.25};
          const Image found = convolve(image, filter, options);
          for (const int part : {0, 1}) {
            Options of_part = options;
            of_part.output = part_of(output);
            if (part == 1) {
              of_part.border = Border::constant(0);
              of_part.offset = 0;
            }
            ConstView in = image.view();
            in.pixel = part_of(pixel);
            in.data += part * static_cast<std::ptrdiff_t>(bytes_of(in.pixel));
            const Image expected = convolve(in, filter, of_part);
            ConstView out = found.view();
            out.pixel = part_of(output);
            out.data += part * static_cast<std::ptrdiff_t>(bytes_of(out.pixel));
            Image packed(out.shape, out.pixel);
            copy(out, packed.view());
            EXPECT_TRUE(are_same(packed, expected)) << name_of(pixel) << " to " << name_of(output) << ", " << taps << " taps";
          }
        }
      }
    }
  }
}

TEST(OtherPixels, GiveMagnitudes) {
  Image image({.height = 5, .width = 7}, Pixel::i32);
  Numbers numbers(3);
  fill(image.view(), numbers);
  const FilterSet edges_of = edges();
  const PlanSpec spec{.shape = image.shape(), .pixel = Pixel::i32, .filters = edges_of.filters, .combine = edges_of.combine,
                      .options = {.output = Pixel::f64}};
  const Plan plan(spec);
  Image found(plan.output_shape(), Pixel::f64);
  plan.run(image, found.view());
  const Image expected = std::move(by_reference({spec, std::move(image)})[0]);
  for (std::int64_t i = 0; i < 35; ++i) {
    const double value = reinterpret_cast<const double*>(expected.view().data)[i];
    EXPECT_NEAR(reinterpret_cast<const double*>(found.view().data)[i], value, 0x1p-50 * value);
  }
}

TEST(OtherPixels, SayHowTheyAreFiltered) {
  const auto explained = [](Pixel pixel) {
    return Plan({.shape = {.height = 64, .width = 64}, .pixel = pixel, .filters = {Filter::dense({.width = 3}, {1, 2, 1})}}).explain();
  };
  EXPECT_THAT(explained(Pixel::i32), testing::HasSubstr("cpu: by way of f64; "));
  EXPECT_THAT(explained(Pixel::u64), testing::HasSubstr("cpu: upper halves of 64 bits, then lower ones, as f64; "));
  EXPECT_THAT(explained(Pixel::c64), testing::HasSubstr("cpu: real parts, then imaginary ones; "));
}

TEST(OtherPixels, KeepTheirDigitsBetweenTheStagesOfAChain) {
  Image image({.width = 5}, Pixel::i32);
  std::fill_n(reinterpret_cast<std::int32_t*>(image.view().data), 5, 16843009);
  Chain chain;
  chain.stages = {Filter::dense({.width = 2}, {1, 0}), Filter::dense({.width = 2}, {0, 1})};
  EXPECT_TRUE(are_same(convolve_chain(image, chain), image));
  Image waves({.width = 5}, Pixel::c64);
  std::fill_n(reinterpret_cast<std::complex<float>*>(waves.view().data), 5, std::complex<float>(2, -3));
  EXPECT_TRUE(are_same(convolve_chain(waves, chain), waves));
  Image wide({.width = 5}, Pixel::i64);
  EXPECT_EQ(message_of([&] { (void)convolve_chain(wide, chain); }),
            "sums of i64 are exact, and so are no input of a chain; filter images of f64, or one filter "
            "after the other");
}

TEST(OtherPixels, MayBeTimed) {
  for (const Pixel pixel : {Pixel::i8, Pixel::i32, Pixel::u64, Pixel::c64}) {
    const Plan plan({.shape = {.height = 32, .width = 32},
                     .pixel = pixel,
                     .filters = {Filter::dense({.width = 3}, {1, 2, 1})},
                     .options = {.tune = Tune::measure}});
    EXPECT_THAT(plan.explain(), testing::HasSubstr(", measured ")) << name_of(pixel);
  }
}

TEST(OtherPixels, AreAsFarOffAsTheBoundSays) {
  const auto bound = [](Pixel output, double scale) {
    return Plan({.shape = {.width = 8},
                 .pixel = Pixel::i64,
                 .filters = {Filter::dense({.width = 2}, {1, 2})},
                 .options = {.output = output, .scale = scale}})
        .error_bound(0x1p60);
  };
  EXPECT_EQ(bound(Pixel::i64, 1), 0);
  EXPECT_NEAR(bound(Pixel::f64, 0.5), 0.5 * 3 * 0x1p60 * 0x1p-51, 1);
}

TEST(OtherPixels, RefuseWhatHasNoMeaning) {
  const auto refusal = [](Pixel pixel, const Options& options, const FilterSet& set = Filter::dense({.width = 3}, {1, 2, 1})) {
    return message_of([&] {
      Plan({.shape = {.height = 8, .width = 8}, .pixel = pixel, .filters = set.filters, .combine = set.combine, .options = options});
    });
  };
  EXPECT_EQ(refusal(Pixel::c64, {.output = Pixel::f32}), "complex pixels give complex pixels and no others do, got c64 to f32");
  EXPECT_EQ(refusal(Pixel::f32, {.output = Pixel::c64}), "complex pixels give complex pixels and no others do, got f32 to c64");
  EXPECT_EQ(refusal(Pixel::c128, {}, edges()), "the magnitude of several filters is one of real numbers, got pixel c128");
  EXPECT_EQ(refusal(Pixel::i64, {}, edges()), "sums of i64 are exact, and so have no magnitude; filter images of f64");
  EXPECT_EQ(refusal(Pixel::i64, {}, Filter::dense({.width = 2}, {0.5, 1})),
            "sums of i64 are exact, and so weights must be integers whose magnitudes sum up to 2^21 at most, filter 'custom' has others; "
            "filter images of f64");
  EXPECT_EQ(refusal(Pixel::i64, {.method = Method::fft}),
            "method fft on cpu: 64-bit integers are summed tap by tap; use automatic or direct");
  const Image colours({.height = 2, .width = 2, .channels = 2}, Pixel::u8);
  EXPECT_EQ(message_of([&] {
              (void)convolve_colour(colours, box({.size = 3}), {.overflow = Overflow::wrap}, {.alpha = true});
            }),
            "alpha, linear light and gray saturate integers; Overflow::wrap goes with filtering only");
  EXPECT_EQ(refusal(Pixel::u64, {.scale = 0.5}), "sums of u64 are exact, and so the scale must be 1, got 0.500000; filter images of f64");
  EXPECT_EQ(refusal(Pixel::u64, {.offset = 0.5}),
            "sums of u64 are exact, and so the offset must be an integer up to 2^53, got 0.500000; filter images of f64");
  EXPECT_EQ(refusal(Pixel::u64, {.border = Border::constant(1e20)}),
            "sums of u64 are exact, and so the border's constant must be an integer up to 2^53, got 100000000000000000000.000000; "
            "filter images of f64");
}

}  // namespace
}  // namespace halation
