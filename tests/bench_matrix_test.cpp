// bench_matrix_test.cpp: the matrix that is built in, how entries multiply out, and which jobs a name finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "bench/built_in.h"
#include "bench/matrix.h"
#include "bench/workload.h"
#include "message_of.h"

namespace halation::bench {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<Job>& jobs) {
  std::vector<std::string> list;
  list.reserve(jobs.size());
  for (const Job& job : jobs) list.push_back(job.name);
  return list;
}

std::vector<Job> jobs_of(const std::string& entries) {
  return jobs_from(R"({"schema": "halation-bench-matrix-1", "jobs": [)" + entries + "]}", "m.json");
}

TEST(BenchMatrix, BuiltInHasTheSweepAndTheBorders) {
  const std::vector<Job> jobs = jobs_from(built_in_matrix(), "built in");
  std::set<std::string> all;
  for (const Job& job : jobs) all.insert(job.name);
  for (const char* pixel : {"u8", "u16", "f16", "f32"}) {
    for (const char* channels : {"1", "3", "4"}) {
      for (const char* extents : {"512x512", "2048x2048", "8192x8192", "4099x8191"}) {
        for (const char* size : {"3x3", "5x5", "7x7", "9x9", "11x11", "13x13", "15x15"})
          EXPECT_EQ(all.count(std::string("sweep ") + pixel + " c" + channels + " " + extents + " " + size),
                    1U);
      }
    }
  }
  for (const char* pixel : {"f32", "u8"}) {
    for (const char* border : {"constant", "replicate", "reflect", "reflect101", "wrap"})
      EXPECT_EQ(all.count(std::string("border ") + pixel + " 7x7 " + border), 1U);
  }
}

TEST(BenchMatrix, EveryJobOfTheBuiltInOneHasItsFilter) {
  for (const Job& job : jobs_from(built_in_matrix(), "built in")) {
    const Filter filter = filter_of(job);
    EXPECT_EQ(filter.size().width, job.size) << job.name;
    EXPECT_EQ(filter.size().height, job.dims() > 1 ? job.size : 1) << job.name;
    EXPECT_NEAR(filter.sum(), job.filter == FilterKind::sobel ? 0 : 1, 1e-12) << job.name;
  }
}

TEST(BenchMatrix, EntriesMultiplyOut) {
  const std::vector<Job> jobs = jobs_of(
      R"({"name": "{pixel} {extents} {size}", "target": {"unit": "share of job", "than": "u8 4x5 {size}", "least": 0.5},
          "each": {"extents": [[4, 5], [6, 7]], "pixel": ["u8", "f32"], "size": [3, 5]}})");
  EXPECT_THAT(names(jobs), ElementsAre("u8 4x5 3", "u8 4x5 5", "f32 4x5 3", "f32 4x5 5", "u8 6x7 3",
                                       "u8 6x7 5", "f32 6x7 3", "f32 6x7 5"));
  EXPECT_EQ(jobs[7].shape, (Shape{.height = 6, .width = 7}));
  EXPECT_EQ(jobs[7].pixel, Pixel::f32);
  EXPECT_EQ(jobs[7].size, 5);
  EXPECT_EQ(jobs[7].target->than, "u8 4x5 5");
  EXPECT_EQ(jobs[7].target->aim, 0.5);
}

TEST(BenchMatrix, GaussiansHaveTheirSigma) {
  const std::vector<Job> jobs = jobs_of(
      R"({"name": "a", "extents": [9, 9], "filter": "gaussian", "size": 7}, {"name": "b", "extents": [9, 9],
          "filter": "gaussian", "sigma": 1.5}, {"name": "c", "extents": [9, 9], "filter": "gaussian", "sigma": 1.5, "size": 3})");
  EXPECT_NEAR(jobs[0].sigma, 0.3 * 2 + 0.8, 1e-12);
  EXPECT_EQ(jobs[1].size, 13);
  EXPECT_EQ(jobs[2].size, 3);
  const auto factor = filter_of(jobs[2]).factors()->x;
  EXPECT_NEAR(factor[0] / factor[1], std::exp(-0.5 / 2.25), 1e-12);
  EXPECT_NEAR(filter_of(jobs[1]).factors()->y[0] / filter_of(jobs[1]).factors()->y[6], std::exp(-8), 1e-12);
}

TEST(BenchMatrix, SymmetricFactorsReadTheSameFromBothEnds) {
  for (const char* size : {"1", "4", "7"}) {
    const std::vector<Job> jobs = jobs_of(
        std::string(R"({"name": "a", "extents": [9, 9], "filter": "symmetric", "size": )") + size + "}");
    const std::vector<double> factor = filter_of(jobs[0]).factors()->x;
    EXPECT_EQ(factor, std::vector<double>(factor.rbegin(), factor.rend()));
    EXPECT_EQ(std::set<double>(factor.begin(), factor.end()).size(), (factor.size() + 1) / 2);
  }
}

TEST(BenchMatrix, NamesFindJobs) {
  const std::vector<Job> jobs = jobs_of(
      R"({"name": "gpu one", "extents": [9], "on": "cuda"}, {"name": "cpu one", "extents": [9], "on": "cpu"},
         {"name": "both", "extents": [9]})");
  EXPECT_THAT(names(jobs_matching(jobs, {}, Device::Kind::cpu)), ElementsAre("cpu one", "both"));
  EXPECT_THAT(names(jobs_matching(jobs, {}, Device::Kind::cuda)), ElementsAre("gpu one", "both"));
  EXPECT_THAT(names(jobs_matching(jobs, {"both", "?pu *"}, Device::Kind::cpu)),
              ElementsAre("gpu one", "cpu one", "both"));
  EXPECT_EQ(message_of([&] { (void)jobs_matching(jobs, {"one"}, Device::Kind::cpu); }),
            "no job is called 'one'; --jobs takes names, * for any characters (halation bench --list)");
}

TEST(BenchMatrix, RandomInputHasNoZerosToSpeakOf) {
  for (const Pixel pixel : native_pixels) {
    const Image image = random_image({.height = 64, .width = 64}, pixel);
    const auto* bytes = reinterpret_cast<const unsigned char*>(image.view().data);
    const std::size_t count = static_cast<std::size_t>(64 * 64) * bytes_of(pixel);
    const std::size_t zeros = static_cast<std::size_t>(std::count(bytes, bytes + count, 0));
    EXPECT_LT(zeros, pixel == Pixel::f64 ? count * 3 / 4 : count / 4) << name_of(pixel);
  }
}

}  // namespace
}  // namespace halation::bench
