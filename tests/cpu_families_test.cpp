// cpu_families_test.cpp: the CPU's table: every job has a family that does it, the cheapest is taken, and a
// family is added by a record.
#include "cpu/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cpu/by_images.h"
#include "halation/filters.h"
#include "plan/backends.h"
#include "plan/check.h"
#include "plan/choose.h"

namespace halation::cpu_backend {
namespace {

std::shared_ptr<const Job> job_of(const PlanSpec& spec) {
  return choose(check(spec), spec.options, backend_for(spec.device), spec.device).job;
}

std::string chosen_for(const PlanSpec& spec) {
  const auto job = job_of(spec);
  return std::string(families().cheapest({*job, job->filters}).family->name);
}

TEST(CpuFamilies, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Family* family : families().list())
    EXPECT_TRUE(names.insert(family->name).second) << family->name;
}

TEST(CpuFamilies, ArePickedByPixelsAndShapes) {
  const Shape picture{.height = 1000, .width = 1500};
  EXPECT_EQ(chosen_for({.shape = picture, .pixel = Pixel::f32, .filters = {gaussian({.sigma = 1})}}),
            "float lines");
  EXPECT_EQ(chosen_for({.shape = picture, .pixel = Pixel::u16, .filters = {box({.size = 21})}}),
            "running box");
  const Shape thin{.height = 100000, .width = 3};
  EXPECT_EQ(chosen_for({.shape = thin, .pixel = Pixel::f32, .filters = {gaussian({.sigma = 5})}}),
            "axis by axis");
}

TEST(CpuFamilies, SayWhyTheyRefuse) {
  const auto job =
      job_of({.shape = {.height = 9, .width = 9}, .pixel = Pixel::f32, .filters = {gaussian({.sigma = 1})}});
  const Request request{*job, job->filters};
  EXPECT_STREQ(running_box.refuses(request), "integers, not combined, alone");
  EXPECT_EQ(float_lines.refuses(request), nullptr);
}

/// How images of 4 × 6 pixels lie whose elements have these strides.
ConstView strided(std::int64_t channels, const Strides& strides, std::int64_t batch = 1) {
  static const std::array<float, 1> memory{};
  return {reinterpret_cast<const std::byte*>(memory.data()),
          {.batch = batch, .height = 4, .width = 6, .channels = channels},
          strides,
          Pixel::f32,
          {}};
}

TEST(CpuFamilies, KnowPackedImages) {
  const auto packed = [](std::int64_t channels, const Strides& in, const Strides& out, std::int64_t batch = 1) {
    const ConstView to = strided(channels, out, batch);
    const View view{const_cast<std::byte*>(to.data), to.shape, to.strides, to.pixel, {}};
    return packed_of(strided(channels, in, batch), {&view, 1}).index();
  };
  const Strides plain{.batch = 96, .depth = 96, .height = 24, .width = 4, .channels = 4};
  const Strides padded{.batch = 128, .depth = 128, .height = 32, .width = 4, .channels = 4};
  const Strides every_other{.batch = 192, .depth = 192, .height = 48, .width = 8, .channels = 4};
  EXPECT_EQ(packed(1, plain, plain), 0);
  EXPECT_EQ(packed(1, padded, plain), 1);
  EXPECT_EQ(packed(1, plain, padded), 2);
  EXPECT_EQ(packed(1, every_other, padded), 3);
  const Strides& of_pairs = every_other;
  const Strides swapped{.batch = 192, .depth = 192, .height = 48, .width = 8, .channels = -4};
  const Strides planes{.batch = 192, .depth = 192, .height = 24, .width = 4, .channels = 96};
  EXPECT_EQ(packed(2, of_pairs, of_pairs), 0);
  EXPECT_EQ(packed(2, swapped, of_pairs), 1);
  // Channels in planes are filtered one by one, those of the other image as well.
  EXPECT_EQ(packed(2, planes, planes), 0);
  EXPECT_EQ(packed(2, planes, of_pairs), 2);
  EXPECT_EQ(packed(2, planes, planes, 3), 3);  // other planes lie between two images
}

TEST(CpuFamilies, CostNoLessWhereImagesHaveGaps) {
  for (const Pixel pixel : {Pixel::u8, Pixel::f32, Pixel::f64}) {
    for (const Filter& filter : {gaussian({.sigma = 2}), box({.size = 9}), Filter({1, 2, 3})}) {
      const auto job = job_of({.shape = {.height = 500, .width = 700}, .pixel = pixel, .filters = {filter}});
      for (const Family* family : families().list()) {
        const double packed = family->refuses({*job, job->filters}) != nullptr ? 0 : family->seconds({*job, job->filters});
        for (const Packed images : all_packed) {
          if (packed == 0) continue;
          EXPECT_GE(family->seconds({.job = *job, .filters = job->filters, .packed = images}), packed)
              << family->name << " over " << name_of(pixel) << ", " << images.index();
        }
      }
    }
  }
}

TEST(CpuFamilies, CostTheSameForAnyThreads) {
  for (const std::int64_t width : {9, 100, 3000}) {
    for (const Filter& filter : {gaussian({.sigma = 2}), box({.size = 9})}) {
      const auto job = [&](int threads) {
        return job_of({.shape = {.height = 40, .width = width}, .pixel = Pixel::f32, .filters = {filter}, .options = {.threads = threads}});
      };
      const auto one = job(1);
      const auto many = job(8);
      for (const Family* family : families().list()) {
        if (family->refuses({*one, one->filters}) != nullptr) continue;
        EXPECT_EQ(family->seconds({*one, one->filters}), family->seconds({*many, many->filters})) << family->name;
      }
    }
  }
}

TEST(CpuFamilies, OfARunIsTheOneForItsImages) {
  int with_several = 0;
  for (const Shape shape : {Shape{.height = 60, .width = 60}, Shape{.height = 300, .width = 700}, Shape{.height = 700, .width = 60}}) {
    const Plan plan({.shape = shape, .pixel = Pixel::f32, .filters = {Filter::separable({.y = {1, 2, 3}})}});
    with_several += plan.explain().find("; images with gaps in the input") != std::string::npos ? 1 : 0;
    const std::int64_t row = shape.width + 4;
    std::vector<float> in(static_cast<std::size_t>(shape.height * row));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 1009);
    for (const Packed images : all_packed) {
      const auto strides = [&](bool packed) { return strides_of(shape, Pixel::f32, Layout::interleaved, packed ? 0 : 4 * row); };
      std::vector<float> out(in.size(), -1.0F);
      const ConstView from{reinterpret_cast<const std::byte*>(in.data()), shape, strides(images.in), Pixel::f32, {}};
      const View to{reinterpret_cast<std::byte*>(out.data()), shape, strides(images.out), Pixel::f32, {}};
      ASSERT_EQ(packed_of(from, {&to, 1}).index(), images.index());
      plan.run(from, to);
      for (std::int64_t y = 0; y < shape.height; ++y) {
        for (std::int64_t x = 0; x < shape.width; ++x) {
          const auto at = [&](std::int64_t place) {
            const std::int64_t mirrored = place < shape.height ? std::abs(place) : 2 * (shape.height - 1) - place;
            return from.at<float>({.y = mirrored, .x = x});
          };
          ASSERT_EQ(to.at<float>({.y = y, .x = x}), at(y + 1) + 2 * at(y) + 3 * at(y - 1)) << y << ", " << x << ", " << images.index();
        }
      }
      const std::int64_t begun = images.out ? shape.width : row;  // from a row to the next
      for (std::int64_t i = 0; i < shape.height * row; ++i) {
        const bool is_pixel = i / begun < shape.height && i % begun < shape.width;
        ASSERT_EQ(out[static_cast<std::size_t>(i)] == -1.0F, !is_pixel) << i << ", " << images.index();
      }
    }
  }
  // Of rows with gaps one family or other is quicker; other instruction sets choose by figures of their own.
  EXPECT_TRUE(with_several > 0 || rates().vector_bytes != 32);
}

/// Notes its number where it runs.
class Noting final : public Runner {
 public:
  Noting(int number, std::size_t bytes, int& ran) : number_(number), bytes_(bytes), ran_(ran) {}
  std::size_t workspace_bytes() const override { return bytes_; }
  std::string explain() const override { return "runner " + std::to_string(number_); }
  void run(ConstView, std::span<const View>, std::span<std::byte>, Stream) const override { ran_ = number_; }

 private:
  int number_;
  std::size_t bytes_;
  int& ran_;
};

TEST(CpuFamilies, OfSeveralTheOneForTheImagesRuns) {
  int ran = -1;
  std::vector<ByImages::Way> ways;
  ways.reserve(3);
  for (int i = 0; i < 3; ++i)
    ways.push_back({i == 2 ? "lines" : "planes", std::make_unique<Noting>(i, static_cast<std::size_t>(10 * i), ran)});
  const ByImages runner(std::move(ways), {{{0, 1, 0, 1}, {0, 0, 0, 2}}});
  EXPECT_EQ(runner.workspace_bytes(), 20);
  EXPECT_EQ(runner.explain(),
            "runner 0; images with gaps in the input or gaps in input and output: planes: runner 1; images with channels in planes, gaps "
            "in input and output: lines: runner 2");
  const auto run = [&](const Shape& shape, Layout layout, std::int64_t in_row, std::int64_t out_row) {
    std::array<float, 400> memory{};
    const auto* const data = reinterpret_cast<const std::byte*>(memory.data());
    const View out{reinterpret_cast<std::byte*>(memory.data()), shape, strides_of(shape, Pixel::f32, layout, out_row), Pixel::f32, {}};
    runner.run({data, shape, strides_of(shape, Pixel::f32, layout, in_row), Pixel::f32, {}}, {&out, 1}, {}, {});
    return ran;
  };
  const Shape gray{.height = 4, .width = 6};
  EXPECT_EQ(run(gray, Layout::interleaved, 0, 0), 0);
  EXPECT_EQ(run(gray, Layout::interleaved, 32, 0), 1);
  EXPECT_EQ(run(gray, Layout::interleaved, 0, 32), 0);
  EXPECT_EQ(run(gray, Layout::planar, 32, 32), 1);  // one plane
  const Shape colour{.height = 4, .width = 6, .channels = 3};
  EXPECT_EQ(run(colour, Layout::interleaved, 80, 0), 1);
  EXPECT_EQ(run(colour, Layout::planar, 0, 0), 0);
  EXPECT_EQ(run(colour, Layout::planar, 32, 0), 0);
  EXPECT_EQ(run(colour, Layout::planar, 32, 32), 2);
}

TEST(CpuFamilies, TakeNoLargeScratchForOtherImages) {
  const PlanSpec spec{.shape = {.height = 4000, .width = 4000, .channels = 3},
                      .pixel = Pixel::f32,
                      .filters = {Filter::separable({.y = {1, 2, 3}, .x = {1, 2, 3}})}};
  const auto job = job_of(spec);
  const Families::Choice best = families().cheapest({*job, job->filters});
  EXPECT_LE(Plan(spec).workspace_bytes(), std::max(std::size_t{64} << 20, best.family->make(job, 2)->workspace_bytes()));
}

/// Leaves 7 in every output.
class Sevens final : public Runner {
 public:
  std::size_t workspace_bytes() const override { return 0; }
  std::string explain() const override { return "sevens"; }
  void run(ConstView, std::span<const View> outs, std::span<std::byte>, Stream) const override {
    auto* out = reinterpret_cast<float*>(outs[0].data);
    for (std::int64_t i = 0; i < outs[0].shape.elements(); ++i) out[i] = 7;
  }
};

constexpr Family sevens{.name = "sevens",
                        .refuses = [](const Request& request) -> const char* {
                          return request.job.in_pixel == Pixel::f32 ? nullptr : "f32 alone";
                        },
                        .seconds = [](const Request&) { return 1e-12; },
                        .make = [](const std::shared_ptr<const Job>&, int) -> std::unique_ptr<const Runner> {
                          return std::make_unique<Sevens>();
                        }};

TEST(CpuFamilies, AreAddedByARecord) {
  std::vector<const Family*> list(families().list().begin(), families().list().end());
  list.push_back(&sevens);
  const Families table(list);
  const auto f32 =
      job_of({.shape = {.height = 2, .width = 3}, .pixel = Pixel::f32, .filters = {gaussian({.sigma = 1})}});
  const Families::Choice offer = table.cheapest({*f32, f32->filters});
  ASSERT_EQ(offer.family, &sevens);
  std::array<float, 6> in{};
  std::array<float, 6> out{};
  const View to = view_of(out.data(), f32->out);
  offer.family->make(f32, 1)->run(view_of(in.data(), f32->in), {&to, 1}, {}, {});
  EXPECT_EQ(out, (std::array<float, 6>{7, 7, 7, 7, 7, 7}));
  const auto u8 =
      job_of({.shape = {.height = 2, .width = 3}, .pixel = Pixel::u8, .filters = {gaussian({.sigma = 1})}});
  EXPECT_NE(table.cheapest({*u8, u8->filters}).family, &sevens);
}

TEST(CpuFamilies, ATableThatDoesNotDoAJobSaysSo) {
  const std::array list{&sevens};
  const Families table(list);
  const auto u8 =
      job_of({.shape = {.height = 2, .width = 3}, .pixel = Pixel::u8, .filters = {gaussian({.sigma = 1})}});
  EXPECT_THROW((void)table.cheapest({*u8, u8->filters}), std::logic_error);
}

}  // namespace
}  // namespace halation::cpu_backend
