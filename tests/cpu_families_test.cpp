// cpu_families_test.cpp: the CPU's table: every job has a family that does it, the cheapest is taken, and a
// family is added by a record.
#include "cpu/families.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

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
                        .make = [](std::shared_ptr<const Job>, int) -> std::unique_ptr<const Runner> {
                          return std::make_unique<Sevens>();
                        }};

TEST(CpuFamilies, AreAddedByARecord) {
  std::vector<const Family*> list(families().list().begin(), families().list().end());
  list.push_back(&sevens);
  const Families table(list);
  const auto f32 =
      job_of({.shape = {.height = 2, .width = 3}, .pixel = Pixel::f32, .filters = {gaussian({.sigma = 1})}});
  const Families::Offer offer = table.cheapest({*f32, f32->filters});
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
