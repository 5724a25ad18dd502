// figures_test.cpp: the figures that GPU kernels are priced by, and how families cut jobs; no GPU is asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cuda/families.h"
#include "cuda/measured_figures.h"
#include "halation/halation.h"
#include "measured_gpu.h"
#include "plan/check.h"
#include "plan/methods/methods.h"
#include "sweep/job_case.h"

namespace halation::cuda_backend {
namespace {

using testing::ElementsAre;

std::string message_of(const std::string& text) {
  try {
    (void)figures_from(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Figures, AreReadFromText) {
  const Figures figures = figures_from(
      "# a comment\ndevice; a GPU\ntwo passes; 1.5\nchannels apart; 0.25\n\nb; 1 2 3 4 5 6 7 8 9 10\na; 0 0 "
      "0 0 0 0 0 0 1 1; of 1 byte 2, beside 1.5\n");
  EXPECT_EQ(figures.device, "a GPU");
  EXPECT_EQ(figures.two_passes, 1.5);
  EXPECT_EQ(figures.longer_apart(3), 1.5);
  const KernelFigures& b = figures.of("b");
  EXPECT_THAT((std::array{b.start_us, b.block_us, b.step_us, b.chain_us, b.output_us, b.steps_us, b.staged_us,
                          b.mad_us, b.memory_tb_s, b.cached_tb_s}),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_EQ(figures.of("a").times[static_cast<std::size_t>(Trait::of_1_byte)], 2);
  EXPECT_EQ(figures.of("a").times[static_cast<std::size_t>(Trait::beside)], 1.5);
  EXPECT_EQ(figures.of("a").times[static_cast<std::size_t>(Trait::wraps)], 1);
}

TEST(Figures, SayWhatIsWrong) {
  EXPECT_EQ(message_of("a; 1 2 3"), "figures: \"a; 1 2 3\": ten figures follow the name");
  EXPECT_EQ(message_of("a; 1 2 3 4 5 6 7 8 9 10 11"),
            "figures: \"a; 1 2 3 4 5 6 7 8 9 10 11\": ten figures follow the name, and traits");
  EXPECT_EQ(message_of("a; 1 2 3 4 5 6 7 8 -9 10"),
            "figures: \"a; 1 2 3 4 5 6 7 8 -9 10\": \"-9\" is no figure: a number of 0 and more");
  EXPECT_EQ(message_of("two passes; nan"),
            "figures: \"two passes; nan\": \"nan\" is no figure: a number of 0 and more");
  EXPECT_EQ(message_of("a; 1 2 3 4 5 6 7 8 9 10; huge 2"),
            "figures: \"a; 1 2 3 4 5 6 7 8 9 10; huge 2\": there is no trait \"huge\"");
  EXPECT_EQ(message_of("a; 1 2 3 4 5 6 7 8 9 10; beside"),
            "figures: \"a; 1 2 3 4 5 6 7 8 9 10; beside\": \"beside\" is no trait and a figure");
}

TEST(Figures, OfAKernelThatWasNotMeasuredAreThoseOfOneBoundByMemory) {
  const Figures figures = figures_from("b; 1 2 3 4 5 6 7 8 9 10");
  EXPECT_EQ(figures.of("another").memory_tb_s, KernelFigures{}.memory_tb_s);
  const Gpu gpu = h200(figures);
  LaunchShape shape{.kernel = "another"};
  shape.bytes = 4e9;
  EXPECT_NEAR(gpu.seconds(shape), 1e-3, 0.1e-3);
}

TEST(LaunchShape, TakesLongerWhateverGrows) {
  const Figures figures = figures_from("a; 1 2 3 4 5 6 7 8 4 4; beside 2");
  const Gpu gpu = h200(figures);
  LaunchShape shape{.kernel = "a",
                    .blocks = 1000,
                    .together = 2,
                    .steps = 3,
                    .chain = 1,
                    .outputs = 1,
                    .staged = 1,
                    .mads = 1,
                    .bytes = 1e6};
  const double least = gpu.seconds(shape);
  const auto with = [&](auto change) {
    LaunchShape changed = shape;
    change(changed);
    return gpu.seconds(changed);
  };
  EXPECT_GT(with([](LaunchShape& s) { s.blocks *= 2; }), least);
  EXPECT_GT(with([](LaunchShape& s) { s.launches = 2; }), least);
  EXPECT_GT(with([](LaunchShape& s) { s.starts = 1; }), least);
  EXPECT_GT(with([](LaunchShape& s) { s.steps += 1; }), least);
  EXPECT_GT(with([](LaunchShape& s) { s.chain += 1; }), least);
  EXPECT_GT(with([](LaunchShape& s) { s.outputs += 1; }), least);
  EXPECT_GT(with([](LaunchShape& s) { s.staged += 1; }), least);
  EXPECT_GT(with([](LaunchShape& s) { s.mads += 1; }), least);
  EXPECT_GT(with([](LaunchShape& s) { s.bytes = 1e9; }), least);
  EXPECT_GT(with([](LaunchShape& s) { s.traits.set(Trait::beside, true); }), least);
  EXPECT_EQ(with([](LaunchShape& s) { s.traits.set(Trait::wraps, true); }), least);
  EXPECT_LT(with([](LaunchShape& s) { s.together = 1000; }), least);
}

/// Every family's shape of seeded jobs counts something, and its kernel has figures.
TEST(LaunchShape, OfSeededJobsHasBlocksAndFigures) {
  const Figures& figures = shipped_figures();
  const Gpu gpu = h200(figures);
  std::set<std::string> without;
  std::set<std::string_view> seen;
  for (const sweep::Filters filters :
       {sweep::Filters::usual, sweep::Filters::large, sweep::Filters::beside}) {
    for (std::uint64_t index = 0; index < 150; ++index) {
      const sweep::JobCase job_case = sweep::case_of(filters, 58, index, 10);
      PlanSpec spec = job_case.spec;
      spec.layout = job_case.in_layout;
      Job job = check(spec).job;
      for (const Form form : Families::forms()) {
        if (form != Form::dense && form != Form::spectrum) continue;  // others need weights in their form
        job.filters.front().form = form;
        for (const RowLayout rows : all_row_layouts) {
          const Request request{job, rows, gpu, families()};
          for (const Family* family : families().list()) {
            if (family->shape == nullptr || family->refuses(request) != nullptr) continue;
            const LaunchShape shape = family->shape(request);
            const std::string what = std::string(family->name) + ": " + job_case.text;
            EXPECT_GE(shape.launches, 1) << what;
            EXPECT_GE(shape.blocks, 1) << what;
            EXPECT_GE(shape.together, 1) << what;
            EXPECT_GT(shape.outputs + shape.mads + shape.staged, 0) << what;
            EXPECT_GT(shape.bytes, 0) << what;
            EXPECT_TRUE(std::isfinite(gpu.seconds(shape)) && gpu.seconds(shape) > 0) << what;
            seen.insert(shape.kernel);
            if (figures.of(shape.kernel).kernel.empty()) without.insert(std::string(shape.kernel));
          }
        }
      }
    }
  }
  EXPECT_THAT(without, testing::IsEmpty());
  EXPECT_GT(seen.size(), 20U);
}

/// Times that other figures would give, measured: the figures found give them too.
TEST(Figures, FromTimesAreNearThoseThatTimesWereMadeOf) {
  const Gpu gpu = h200(shipped_figures());
  Figures truth = shipped_figures();
  for (KernelFigures& kernel : truth.kernels) {
    kernel.start_us *= 1.5;
    kernel.mad_us *= 2;
    kernel.memory_tb_s /= 3;
    kernel.times[static_cast<std::size_t>(Trait::of_2_bytes)] *= 1.3;
  }
  const Gpu other = h200(truth);
  std::vector<TimedOffer> offers;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const sweep::JobCase job_case = sweep::case_of(sweep::Filters::usual, 59, index, 10);
    PlanSpec spec = job_case.spec;
    auto job = std::make_shared<Job>(check(spec).job);
    job->filters.front().form = Form::dense;
    const auto lying = [](const Shape& shape, Pixel pixel) {
      return View{nullptr, shape, strides_of(shape, pixel), pixel, cuda(0)};
    };
    const View in = lying(job->in, job->in_pixel), out = lying(job->out, job->out_pixel);
    const Request request{*job, row_layout_of(in, {&out, 1}), other, families()};
    for (const Family* family : families().list()) {
      if (family->shape != nullptr && family->refuses(request) == nullptr)
        offers.push_back({job, in, out, family->name, family->seconds(request)});
    }
  }
  ASSERT_GT(offers.size(), 3000U);
  const Figures found = with(shipped_figures(), figures_from_times(offers, gpu));
  const auto off = [&](const Figures& figures) {
    const Gpu by = h200(figures);
    double sum = 0;
    for (const TimedOffer& offer : offers) {
      const Request request{*offer.job, row_layout_of(offer.in, {&offer.out, 1}), by, families()};
      for (const Family* family : families().list()) {
        if (family->name == offer.family)
          sum += std::fabs(std::log(family->seconds(request) / offer.seconds));
      }
    }
    return sum / static_cast<double>(offers.size());
  };
  EXPECT_GT(off(shipped_figures()), 0.3);
  EXPECT_LT(off(found), 0.05);
}

TEST(Figures, ComeBackFromTheirText) {
  for (const KernelFigures& kernel : shipped_figures().kernels) {
    const Figures again = figures_from(text_of(kernel));
    ASSERT_EQ(again.kernels.size(), 1U);
    EXPECT_EQ(text_of(again.kernels.front()), text_of(kernel));
  }
}

}  // namespace
}  // namespace halation::cuda_backend
