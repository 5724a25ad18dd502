// determinism_test.cpp: the same bits in every run, alone and from many threads, streams and plans at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "images.h"

namespace halation::gpu_test {
namespace {

constexpr std::size_t threads_at_once = 8;
constexpr int repeats = 100;

/// A job, its input on the GPU, and the bits of its outputs when it ran alone.
struct Job {
  std::string name;
  Plan plan;
  PlanSpec spec;
  Image in;
  std::vector<Image> expected;
};

/// Outputs of a job on the GPU, and where they come back to.
struct Outputs {
  std::vector<Image> there;
  std::vector<Image> back;
  std::vector<View> views;

  Outputs(const Plan& plan, Stream stream) {
    for (std::size_t i = 0; i < plan.outputs(); ++i) {
      there.push_back(
          allocate(plan.output_shape(), plan.output_pixel(), cuda(), Layout::interleaved, stream));
      back.push_back(allocate_pinned(plan.output_shape(), plan.output_pixel()));
      views.push_back(there.back().view());
    }
  }

  /// Queues a run over outputs that were filled with `poison`, and their way back.
  void run(const Plan& plan, const ConstView& in, int poison, const OwnStream& stream) {
    for (const View& view : views) {
      ASSERT_EQ(cudaMemsetAsync(view.data, poison, bytes_in(view), stream.get()), cudaSuccess);
    }
    plan.run(in, views, {.stream = stream});
    for (std::size_t i = 0; i < there.size(); ++i) copy(there[i].view(), back[i].view(), stream);
  }

  bool equal(const std::vector<Image>& expected) const {
    return std::equal(back.begin(), back.end(), expected.begin(), expected.end(),
                      [](const Image& a, const Image& b) { return same_bits(a, b); });
  }
};

Border border_of(std::size_t i) {
  const Border all[] = {Border::reflect101(), Border::constant(3), Border::replicate(), Border::reflect(),
                        Border::wrap()};
  return all[i % std::size(all)];
}

/// Jobs of every kind: each pixel with each size of filter, separable and box filters, signals, volumes,
/// batches, several outputs.
std::vector<PlanSpec> specs() {
  std::vector<PlanSpec> list;
  const auto add = [&](const Shape& shape, Pixel pixel, FilterSet filters) {
    const std::size_t i = list.size();
    Options options{
        .border = border_of(i), .scale = i % 3 == 0 ? 0.25 : 1.0, .offset = i % 4 == 0 ? 1.0 : 0.0};
    if (i % 5 == 4) options.extent = i % 2 == 0 ? Extent::valid : Extent::full;
    if (i % 7 == 6) options.output = Pixel::f32;
    list.push_back({.shape = shape,
                    .pixel = pixel,
                    .filters = std::move(filters.filters),
                    .combine = filters.combine,
                    .device = cuda(),
                    .options = options});
  };
  for (const Pixel pixel : native_pixels) {
    for (std::int64_t taps = 3; taps <= 15; ++taps) {
      const auto i = static_cast<std::int64_t>(list.size());
      // Widths in turn a multiple of all vectors, odd, and prime.
      const std::int64_t width = i % 3 == 0 ? 512 : i % 3 == 1 ? 515 : 523;
      add({.height = 389, .width = width, .channels = 1 + i % 4}, pixel,
          whole_filter({.height = taps, .width = i % 2 == 0 ? taps : 5}, static_cast<std::uint64_t>(i)));
    }
    for (const double sigma : {0.7, 1.5, 4.0, 11.0}) {
      add({.height = 401, .width = 640, .channels = pixel == Pixel::u8 ? 3 : 1}, pixel,
          gaussian({.sigma = sigma}));
    }
    add({.height = 401, .width = 640}, pixel, box({.size = 31}));
    add({.width = 1'000'003}, pixel, gaussian({.sigma = 9.0}));
    add({.width = 1'000'003}, pixel, whole_filter({.width = 5}, 5));
    add({.depth = 61, .height = 67, .width = 71}, pixel,
        whole_filter({.depth = 3, .height = 5, .width = 3}, 3));
    add({.depth = 61, .height = 67, .width = 71}, pixel, gaussian({.sigma = 1.2}));
    add({.batch = 97, .height = 47, .width = 61}, pixel, whole_filter({.height = 3, .width = 3}, 4));
    add({.height = 389, .width = 515}, pixel, edges());
  }
  const FilterSet both(
      {whole_filter({.height = 3, .width = 3}, 7), whole_filter({.height = 3, .width = 3}, 8)},
      Combine::none);
  add({.height = 389, .width = 515}, Pixel::f32, both);
  add({.height = 389, .width = 515}, Pixel::u8, both);
  return list;
}

/// The jobs, each having run alone: twice, over two poisons, so that every byte was written.
const std::vector<Job>& jobs() {
  static const std::vector<Job>& all = *new std::vector<Job>([] {
    std::vector<Job> made;
    const OwnStream stream;
    for (PlanSpec& spec : specs()) {
      Plan plan(spec);
      Job job{.name = "job " + std::to_string(made.size()) + ", " + plan.explain(),
              .plan = plan,
              .spec = std::move(spec),
              .in = {},
              .expected = {}};
      job.in = to_device(noise(job.spec.shape, job.spec.pixel, made.size()), cuda());
      Outputs zeros(plan, stream);
      Outputs ones(plan, stream);
      zeros.run(plan, job.in, 0x00, stream);
      synchronise(cuda(), stream);
      ones.run(plan, job.in, 0xff, stream);
      synchronise(cuda(), stream);
      EXPECT_TRUE(ones.equal(zeros.back)) << "two runs differ, or left bytes as they were: " << job.name;
      for (const Image& image : zeros.back) job.expected.push_back(image.clone());
      made.push_back(std::move(job));
    }
    return made;
  }());
  return all;
}

TEST(Determinism, GivesTheSameBitsInAHundredRuns) {
  constexpr int at_once = 10;  // runs in the queue before the first is looked at
  for (const Job& job : jobs()) {
    const OwnStream stream;
    std::vector<Outputs> outputs;
    outputs.reserve(at_once);
    for (int i = 0; i < at_once; ++i) outputs.emplace_back(job.plan, stream);
    int different = 0;
    for (int run = 0; run < repeats; run += at_once) {
      for (Outputs& output : outputs) output.run(job.plan, job.in, run, stream);
      synchronise(cuda(), stream);
      for (const Outputs& output : outputs) different += output.equal(job.expected) ? 0 : 1;
    }
    EXPECT_EQ(different, 0) << "of " << repeats << " runs: " << job.name;
  }
}

TEST(Determinism, GivesTheSameBitsFromEightThreadsWithEightStreamsAndAllPlansAtOnce) {
  const std::vector<Job>& all = jobs();
  std::mutex mutex;
  std::vector<std::string> wrong;
  const auto note = [&](const std::string& what) {
    const std::lock_guard lock(mutex);
    wrong.push_back(what);
  };
  std::barrier start(threads_at_once);
  const auto work = [&](std::size_t thread) {
    const OwnStream stream;
    std::vector<Outputs> outputs;
    outputs.reserve(all.size());
    for (const Job& job : all) outputs.emplace_back(job.plan, stream);
    synchronise(cuda(), stream);
    for (int round = 0; round < 4; ++round) {
      start.arrive_and_wait();
      std::vector<Plan> own;  // outlive the work that is queued with them
      for (std::size_t step = 0; step < all.size(); ++step) {
        const std::size_t i = (step + thread * all.size() / threads_at_once) % all.size();
        // Plans shared by all threads, and, in turn, plans that this thread makes while others run theirs.
        const bool shared = (step + static_cast<std::size_t>(round)) % 2 == 0;
        if (!shared) own.emplace_back(all[i].spec);
        outputs[i].run(shared ? all[i].plan : own.back(), all[i].in, round, stream);
      }
      synchronise(cuda(), stream);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!outputs[i].equal(all[i].expected)) note("thread " + std::to_string(thread) + ", " + all[i].name);
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < threads_at_once; ++thread) {
    threads.emplace_back([&, thread] {
      try {
        work(thread);
      } catch (const std::exception& error) {
        note("thread " + std::to_string(thread) + ": " + error.what());
        start.arrive_and_drop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::IsEmpty());
}

}  // namespace
}  // namespace halation::gpu_test
