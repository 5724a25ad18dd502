// plan_test.cpp: what a plan refuses, which methods it chooses, and how it may be run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "halation/halation.h"
#include "message_of.h"

namespace halation {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const Shape small{.height = 6, .width = 8};

PlanSpec spec_of(Filter filter, const Options& options = {}, Shape shape = small) {
  return {.shape = shape, .pixel = Pixel::f32, .filters = {std::move(filter)}, .options = options};
}

TEST(Plan, RefusesJobsThatMeanNothing) {
  const Filter filter({1, 2, 1});
  EXPECT_EQ(message_of([] { Plan({.shape = small, .filters = {}}); }), "a plan needs at least one filter");
  EXPECT_EQ(message_of([&] { Plan(spec_of(filter, {}, {.height = 0, .width = 5})); }),
            "image is empty: every extent must be at least 1, got 0x5");
  EXPECT_EQ(message_of([&] { Plan(spec_of(filter, {.scale = NAN})); }), "scale must be finite, got nan");
  EXPECT_EQ(message_of([&] { Plan(spec_of(filter, {.offset = INFINITY})); }), "offset must be finite, got inf");
  EXPECT_EQ(message_of([&] { Plan(spec_of(filter, {.threads = -1})); }), "threads must be at least 0, got -1");
  PlanSpec spec = spec_of(filter);
  spec.input_alignment = 12;
  EXPECT_EQ(message_of([&] { Plan{spec}; }),
            "the alignment of input rows must be 1, 2, 4, 8 or 16 bytes, got 12");
  spec.input_alignment = 4;
  spec.output_alignment = 0;
  EXPECT_EQ(message_of([&] { Plan{spec}; }),
            "the alignment of output rows must be 1, 2, 4, 8 or 16 bytes, got 0");
  EXPECT_EQ(message_of([&] { Plan(spec_of(Filter(std::vector<double>(9, 1)), {.extent = Extent::valid})); }),
            "extent valid: the filter (1x9) is larger than the image (6x8) along width; use same or full");
  EXPECT_EQ(message_of([&] {
              Plan({.shape = small,
                    .filters = {filter, Filter({1, 1})},
                    .options = {.extent = Extent::full}});
            }),
            "extent full: all filters of a plan must have one size, got 1x3 and 1x2; use same");
}

TEST(Plan, RefusesSizesThatOverflow) {
  const Filter filter({1, 2, 1});
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(message_of([&] { Plan(spec_of(filter, {}, {.height = most, .width = most})); }),
            "image 9223372036854775807x9223372036854775807 has more elements than 63 bits count");
  EXPECT_EQ(message_of([&] { Plan(spec_of(filter, {.extent = Extent::full}, {.width = most})); }),
            "image 1x9223372036854775807 f32 has more bytes than 61 bits count");
  const std::int64_t largest = (std::int64_t{1} << 61) / 4;
  EXPECT_EQ(message_of([&] { Plan(spec_of(filter, {.extent = Extent::full}, {.width = largest})); }),
            "image 1x576460752303423490 f32 has more bytes than 61 bits count");
  EXPECT_EQ(message_of([&] { Plan(spec_of(filter, {.extent = Extent::valid, .output = Pixel::f64}, {.width = largest})); }),
            "image 1x576460752303423486 f64 has more bytes than 61 bits count");
}

TEST(Plan, RefusesWhatNoDeviceOffersYet) {
  for (const auto& [device, offered] : {std::pair{cpu(), "direct, separable, low_rank, box, fft, multirate"}, std::pair{reference(), "direct"}}) {
    for (const Tune tune : {Tune::estimate, Tune::measure}) {
      for (const Method method : {Method::low_rank, Method::banded}) {
        if (method == Method::low_rank && device == cpu()) continue;
        PlanSpec spec = spec_of(Filter({1, 2, 1}), {.method = method, .tune = tune});
        spec.device = device;
        EXPECT_EQ(message_of([&] { Plan{spec}; }), "method " + std::string(name_of(method)) + " is not available on " +
                                                       name_of(device) + "; choose from automatic, " + offered);
      }
    }
    // Where nothing approximates quicker, fast is exact.
    PlanSpec spec = spec_of(Filter({1, 2, 1}), {.accuracy = Accuracy::exact});
    spec.device = device;
    const Plan exact(spec);
    spec.options.accuracy = Accuracy::fast;
    EXPECT_EQ(Plan(spec).methods(), exact.methods());
    EXPECT_EQ(Plan(spec).error_bound(1), exact.error_bound(1));
  }
}

TEST(Plan, RefusesMethodsAndDevicesThatAreNotThere) {
  EXPECT_THAT(message_of([] { Plan(spec_of(Filter::dense({1, 2, 2}, {1, 2, 3, 5}), {.method = Method::separable})); }),
              HasSubstr("method separable: filter 'custom' is not separable: the nearest product of factors leaves "));
  const Filter faint = Filter::dense({1, 2, 2}, {1, 1e-20, 1e-20, -1e-20});
  EXPECT_EQ(message_of([&] { Plan(spec_of(faint, {.method = Method::separable})); }),
            "method separable: filter 'custom' is not separable: the nearest product of factors changes weights far below the largest, which "
            "zeros and infinite pixels would show; use automatic or direct");
  EXPECT_EQ(Plan({.shape = {.height = 4, .width = 4}, .pixel = Pixel::u8, .filters = {faint}, .options = {.method = Method::separable}}).methods().front(),
            Method::separable);
  const Options to_floats{.output = Pixel::f32, .method = Method::separable};
  EXPECT_THAT(message_of([&] { Plan({.shape = {.height = 4, .width = 4}, .pixel = Pixel::u8, .filters = {faint}, .options = to_floats}); }),
              HasSubstr("which zeros and infinite pixels would show"));
  PlanSpec far = spec_of(Filter({1}));
  far.device = cuda(1000);
  // By what the build and the machine lack: a backend, any GPU, or so many.
  EXPECT_THAT(message_of([&] { Plan{far}; }),
              AnyOf("this build has no backend for device cuda:1000; use cpu",
                    AllOf(StartsWith("cuda:1000: no CUDA device: "), EndsWith("; use cpu")),
                    AllOf(StartsWith("no device cuda:1000: this machine has "), EndsWith(", counted from 0"))));
}

TEST(Plan, BoundsWhatFoldingRounds) {
  // Ten weights of an exact sum of 1 − 2^-54, folded to one.
  std::vector<double> weights(10, 0.1);
  weights[0] = 0.1 - 0x1p-54;
  Image one({.width = 1}, Pixel::u16);
  *reinterpret_cast<std::uint16_t*>(one.view().data) = 65535;
  long double right = 0;
  for (const double w : weights) right += 65535.0L * w;
  for (const Method method : {Method::direct, Method::automatic, Method::fft}) {
    const Plan plan({.shape = one.shape(), .pixel = Pixel::u16, .filters = {Filter(weights)}, .options = {.output = Pixel::f64, .method = method}});
    Image out(one.shape(), Pixel::f64);
    plan.run(one, out.view());
    EXPECT_LE(std::fabs(static_cast<double>(*reinterpret_cast<const double*>(out.view().data) - right)), plan.error_bound(65535)) << plan.explain();
  }
  const Plan whole({.shape = one.shape(), .pixel = Pixel::u16, .filters = {Filter(std::vector<double>(10, 3))}, .options = {.output = Pixel::f64}});
  EXPECT_EQ(whole.error_bound(65535), 0);
}

TEST(Plan, RefusesViewsThatDoNotFit) {
  const Plan plan(spec_of(Filter({1, 2, 1})));
  Image in(small, Pixel::f32);
  Image out(small, Pixel::f32);
  Image other(small, Pixel::u8);
  Image wide({.height = 6, .width = 9}, Pixel::f32);
  EXPECT_EQ(message_of([&] { plan.run(in, View{}); }), "output has no data");
  EXPECT_EQ(message_of([&] { plan.run(other, out.view()); }), "input must have pixel f32 as planned, got u8");
  EXPECT_EQ(message_of([&] { plan.run(in, wide.view()); }), "output must be 6x8 as planned, got 6x9");
  EXPECT_EQ(message_of([&] { plan.run(in, std::vector<View>{out, wide}); }), "the plan has 1 outputs, got 2");
  View away = out.view();
  away.device = cuda(0);
  EXPECT_EQ(message_of([&] { plan.run(in, away); }),
            "output lies in memory of cuda:0, the plan runs on cpu; copy it there first");
  View crooked = out.view();
  crooked.data += 1;
  EXPECT_EQ(message_of([&] { plan.run(in, crooked); }),
            "output: address and strides must be multiples of 4 bytes for pixel f32");
  View stacked = out.view();
  stacked.strides.height = 0;
  EXPECT_EQ(message_of([&] { plan.run(in, stacked); }), "output: a stride of 0 puts several elements in one place");
  View endless = in.view();
  endless.strides.height = std::numeric_limits<std::int64_t>::max() / 4 * 4;
  EXPECT_EQ(message_of([&] { plan.run(endless, out.view()); }), "input: the strides reach beyond what addresses can name");
  endless.strides.height = -(std::int64_t{1} << 60);  // not beyond 61 bits, but below address 0
  EXPECT_EQ(message_of([&] { plan.run(in, endless); }), "output: the strides reach beyond what addresses can name");
}

TEST(Plan, RefusesOutputsThatShareBytesButNotInputs) {
  const Plan plan(spec_of(Filter({1})));
  Image in(small, Pixel::f32);
  Image out(small, Pixel::f32);
  View narrow = out.view();
  narrow.strides.height = 28;  // rows of 8 elements take 32
  EXPECT_EQ(message_of([&] { plan.run(in, narrow); }),
            "output: the stride along height must be at least 32 bytes, or elements would share memory, got 28");
  narrow.data += std::ptrdiff_t{5} * 28;
  narrow.strides.height = -28;
  EXPECT_EQ(message_of([&] { plan.run(in, narrow); }),
            "output: the stride along height must be at least 32 bytes, or elements would share memory, got 28");
  View turned = out.view();  // columns first, too close
  turned.strides.height = 4;
  turned.strides.width = 20;
  EXPECT_EQ(message_of([&] { plan.run(in, turned); }),
            "output: the stride along width must be at least 24 bytes, or elements would share memory, got 20");
  turned.strides.width = 24;
  EXPECT_EQ(message_of([&] { plan.run(in, turned); }), "no error");
  // Windows that slide over a signal are rows that share elements.
  std::vector<float> signal(13);
  for (std::size_t i = 0; i < signal.size(); ++i) signal[i] = static_cast<float>(i);
  ConstView windows = view_of(signal.data(), small);
  windows.strides.height = 4;
  plan.run(windows, out.view());
  EXPECT_EQ(out.view().at<float>({.y = 5, .x = 7}), 12);
  EXPECT_EQ(out.view().at<float>({.y = 2, .x = 3}), 5);
}

TEST(Plan, RefusesToFilterInPlaceButNotBesideIt) {
  const Plan plan(spec_of(Filter({1, 2, 1}), {}, {.height = 3, .width = 4}));
  Image image({.height = 6, .width = 8}, Pixel::f32);
  std::fill_n(reinterpret_cast<float*>(image.view().data), 48, 1.0F);
  const Region left{.height = 3, .width = 4};
  const char* refusal = "output overlaps input: filtering in place would read pixels already replaced; give another output";
  EXPECT_EQ(message_of([&] { plan.run(image.view().crop(left), image.view().crop(left)); }), refusal);
  EXPECT_EQ(message_of([&] { plan.run(image.view().crop(left), image.view().crop({.y = 2, .x = 3, .height = 3, .width = 4})); }),
            refusal);
  const View right = image.view().crop({.x = 4, .height = 3, .width = 4});
  EXPECT_EQ(message_of([&] { plan.run(image.view().crop(left), right); }), "no error");
  EXPECT_EQ(right.at<float>({.y = 1, .x = 1}), 4);
}

TEST(Plan, RefusesOverlappingOutputs) {
  const Plan plan({.shape = small, .pixel = Pixel::f32, .filters = {Filter({1}), Filter({2})}});
  Image in(small, Pixel::f32);
  Image out(small, Pixel::f32);
  EXPECT_EQ(message_of([&] { plan.run(in, std::vector<View>{out, out}); }),
            "outputs 0 and 1 overlap; give each its own memory");
}

TEST(Plan, TakesAWorkspace) {
  const Plan plan(spec_of(Filter({1, 2, 1})));
  Image in(small, Pixel::f32);
  std::fill_n(reinterpret_cast<float*>(in.view().data), 48, 2.0F);
  Image out(small, Pixel::f32);
  alignas(64) static std::byte memory[1 << 20];
  ASSERT_LE(plan.workspace_bytes() + 64, sizeof memory);
  plan.run(in, out.view(), {.workspace = std::span(memory, plan.workspace_bytes())});
  EXPECT_EQ(out.view().at<float>({.y = 5, .x = 7}), 8);
  EXPECT_THAT(message_of([&] { plan.run(in, out.view(), {.workspace = std::span(memory, 8)}); }),
              HasSubstr("workspace must have at least "));
  EXPECT_EQ(message_of([&] { plan.run(in, out.view(), {.workspace = std::span(memory + 8, plan.workspace_bytes())}); }),
            "workspace must begin on a 64-byte boundary");
}

TEST(Plan, FindsFactorsInWeights) {
  const auto method_of = [](Filter filter) {
    return Plan(spec_of(std::move(filter), {}, {.height = 300, .width = 400})).methods();
  };
  const std::vector<double> row{1, 6, 15, 20, 15, 6, 1};
  const Filter dense = Filter::dense({1, 7, 7}, Filter::separable({.y = row, .x = row}).weights());
  EXPECT_THAT(method_of(dense), ElementsAre(Method::separable));
  std::vector<double> bent = dense.weights();
  bent[3] += 1e-6 * 400;
  EXPECT_THAT(method_of(Filter::dense({1, 7, 7}, bent)), ElementsAre(Method::direct));
  EXPECT_THAT(method_of(Filter(row)), ElementsAre(Method::direct));
  EXPECT_THAT(method_of(Filter::dense({1, 5, 5}, std::vector<double>(25))), ElementsAre(Method::direct));
}

TEST(Plan, ChoosesByTheFilterWhateverTheImage) {
  // On the CPU a product is worth its two passes where that clearly saves more than sixteen multiply-adds,
  // and of images of a few pixels may save less than a pass takes to start; in fixed point where it saves
  // more than three, of several channels more than eleven. Cases between are for the rates of the machine.
  const auto passes = [](std::int64_t taps) { return taps > 1 ? taps : 0; };
  for (const Shape shape :
       {small, Shape{.height = 300, .width = 400}, Shape{.height = 30000, .width = 40000, .channels = 3}}) {
    for (const Pixel pixel : {Pixel::u8, Pixel::f32, Pixel::f64}) {
      for (std::int64_t height = 1; height <= 6; ++height) {
        for (std::int64_t width = 1; width <= 6; ++width) {
          std::vector<double> column(static_cast<std::size_t>(height));
          std::vector<double> row(static_cast<std::size_t>(width));
          std::iota(column.begin(), column.end(), 1.0);
          std::iota(row.begin(), row.end(), 1.0);
          const Filter product = Filter::separable({.y = column, .x = row});
          PlanSpec spec = spec_of(Filter::dense(product.size(), product.weights()), {}, shape);
          spec.pixel = pixel;
          const bool fixed = pixel == Pixel::u8;
          const std::int64_t saved = height * width - passes(height) - passes(width) - 3;
          const bool worth_it =
              fixed ? saved > (shape.channels > 1 ? 8 : 0) : saved > 16 && shape.height > small.height;
          if (!worth_it && !(fixed ? height == 1 || width == 1 : saved < -1)) continue;
          EXPECT_THAT(Plan(spec).methods(), ElementsAre(worth_it ? Method::separable : Method::direct))
              << height << "x" << width << " on " << to_string(shape) << " " << name_of(pixel);
        }
      }
    }
  }
}

TEST(Plan, PricesPlanarImagesAsImagesOfOneChannel) {
  const auto reason_of = [](Shape shape, Layout layout) {
    PlanSpec spec = spec_of(gaussian({.sigma = 3}), {}, shape);
    spec.layout = layout;
    const std::string text = Plan(spec).explain();
    const std::size_t line = text.find('\n') + 1;
    return text.substr(line, text.find('\n', line) - line);  // method, and time expected
  };
  const Shape planes{.batch = 3, .height = 200, .width = 300}, pixels{.height = 200, .width = 300, .channels = 3};
  EXPECT_EQ(reason_of(pixels, Layout::planar), reason_of(planes, Layout::interleaved));
}

TEST(Plan, SumsInDoubleWhereFloatCouldMissALevel) {
  const auto explain = [](Pixel pixel, std::int64_t taps, std::optional<Pixel> output = {}) {
    return Plan({.shape = {.height = 99, .width = 99},
                 .pixel = pixel,
                 .filters = {Filter::dense({1, taps, taps}, std::vector<double>(static_cast<std::size_t>(taps * taps), 0.3))},
                 .options = {.output = output, .method = Method::direct}})
        .explain();
  };
  EXPECT_THAT(explain(Pixel::u8, 3), HasSubstr("sums in f32"));
  EXPECT_THAT(explain(Pixel::u16, 31), HasSubstr("sums in f64"));
  EXPECT_THAT(explain(Pixel::f32, 31), HasSubstr("sums in f32"));
  EXPECT_THAT(explain(Pixel::f64, 3), HasSubstr("sums in f64"));
  // Floats turned into integers: whatever the size of the weights, which the inputs make up for.
  EXPECT_THAT(explain(Pixel::f32, 15, Pixel::u16), HasSubstr("sums in f32"));
  EXPECT_THAT(explain(Pixel::f32, 31, Pixel::u8), HasSubstr("sums in f32"));
  EXPECT_THAT(explain(Pixel::f32, 31, Pixel::u16), HasSubstr("sums in f64"));
  EXPECT_THAT(explain(Pixel::f16, 81, Pixel::i16), HasSubstr("sums in f64"));
}

TEST(Plan, SkipsTheDerivativesOfAxesThatTheImageLacks) {
  const FilterSet gradient = edges();
  const auto filters_run = [&](Shape shape) {
    return Plan({.shape = shape, .pixel = Pixel::f32, .filters = gradient.filters, .combine = gradient.combine}).methods().size();
  };
  EXPECT_EQ(filters_run({.width = 9}), 1U);
  EXPECT_EQ(filters_run({.height = 9, .width = 9}), 2U);
  EXPECT_EQ(filters_run({.depth = 9, .height = 9, .width = 9}), 3U);
}

TEST(Plan, MagnitudesOfLongFactorsAreNotMultipliedOut) {
  const std::vector<double> row(4001, 1.0 / 4001);
  const std::vector<double> nothing(4001, 0.0);
  const Filter first = Filter::separable({.z = row, .y = row, .x = row});  // 6.4e10 weights
  const Plan plan({.shape = {.depth = 5, .height = 6, .width = 8},
                   .pixel = Pixel::f32,
                   .filters = {first, Filter::separable({.z = row, .y = nothing, .x = row}), first},
                   .combine = Combine::magnitude});
  EXPECT_EQ(plan.methods().size(), 2u);  // the filter of zeros is left out
}

TEST(Plan, ExplainsItself) {
  const std::string text = Plan(spec_of(Filter({1, 2, 1}).with_name("tent"))).explain();
  EXPECT_THAT(text, HasSubstr("6x8 f32 -> 6x8 f32, convolution, extent same, border reflect101\n"));
  EXPECT_THAT(text,
              ContainsRegex("tent 1x3: direct, 3 multiply-adds a sample; expected [0-9.]+ (us|ms|s)\n"));
  const PlanSpec correlation = spec_of(Filter({1, 2, 1}), {.operation = Operation::correlation});
  EXPECT_THAT(Plan(correlation).explain(), HasSubstr("f32, correlation, extent"));
}

TEST(Plan, IsSharedByThreads) {
  const Shape shape{.height = 300, .width = 400};
  const Plan plan(spec_of(Filter::separable({.y = {1, 2, 3, 2, 1}, .x = {1, 2, 3, 2, 1}}), {.threads = 2}, shape));
  Image in(shape, Pixel::f32);
  auto* values = reinterpret_cast<float*>(in.view().data);
  for (std::int64_t i = 0; i < shape.elements(); ++i) values[i] = static_cast<float>(i * 7919 % 1009);
  Image expected(shape, Pixel::f32);
  plan.run(in, expected.view());
  std::vector<std::thread> threads;
  std::vector<int> equal(4, 0);
  for (std::size_t t = 0; t < equal.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        Image out(shape, Pixel::f32);
        plan.run(in, out.view());
        equal[t] += std::equal(out.view().data, out.view().data + shape.elements() * 4, expected.view().data) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(equal, ElementsAre(5, 5, 5, 5));
}

TEST(Plan, GivesTheSameBitsWhateverTheThreads) {
  const Shape shape{.height = 257, .width = 3001};
  Image in(shape, Pixel::f32);
  auto* values = reinterpret_cast<float*>(in.view().data);
  for (std::int64_t i = 0; i < shape.elements(); ++i) values[i] = std::sin(static_cast<float>(i));
  std::vector<Image> results;
  for (const int threads : {1, 2, 5}) {
    results.push_back(convolve(in, gaussian({.sigma = 3.0}), {.threads = threads}));
  }
  for (const Image& result : results) {
    EXPECT_TRUE(std::equal(result.view().data, result.view().data + shape.elements() * 4, results[0].view().data));
  }
}

}  // namespace
}  // namespace halation
