// plans_test.cpp: what a run costs besides its kernels: no allocation, no wait, and so a place in a CUDA
// graph; and how fast a plan is made.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "images.h"
#include "plan/timings/tune.h"

namespace halation::gpu_test {
namespace {

/// A plan on the GPU with everything that a run takes, its workspace included.
struct Prepared {
  Plan plan;
  Image in;
  std::vector<Image> outs;
  std::vector<View> views;
  Image scratch;

  explicit Prepared(const PlanSpec& spec, std::uint64_t seed = 1)
      : plan(spec), in(to_device(noise(spec.shape, spec.pixel, seed), cuda())) {
    for (std::size_t i = 0; i < plan.outputs(); ++i) {
      outs.push_back(allocate(plan.output_shape(), plan.output_pixel(), cuda()));
      views.push_back(outs.back().view());
    }
    if (const std::size_t bytes = plan.workspace_bytes(); bytes > 0) {
      scratch = allocate({.width = static_cast<std::int64_t>(bytes)}, Pixel::u8, cuda());
    }
    synchronise(cuda());
  }

  void run(Stream stream) {
    const std::span<std::byte> workspace(scratch.view().data, plan.workspace_bytes());
    plan.run(in, views, {.stream = stream, .workspace = workspace});
  }
  void poison() const {
    for (const View& view : views) ASSERT_EQ(cudaMemset(view.data, 0xa5, bytes_in(view)), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  std::vector<Image> results() const {
    std::vector<Image> list;
    for (const View& view : views) list.push_back(to_device(view, cpu()));
    return list;
  }
};

bool equal(const std::vector<Image>& a, const std::vector<Image>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Image& x, const Image& y) { return same_bits(x, y); });
}

/// Every kind of method that a plan may choose, by what the job is.
std::vector<PlanSpec> specs() {
  const auto of = [](const Shape& shape, Pixel pixel, FilterSet set, const Options& options = {}) {
    return PlanSpec{.shape = shape,
                    .pixel = pixel,
                    .filters = std::move(set.filters),
                    .combine = set.combine,
                    .device = cuda(),
                    .options = options};
  };
  const Shape image{.height = 517, .width = 640};
  const Shape colours{.height = 509, .width = 521, .channels = 3};
  return {
      of(image, Pixel::f32, whole_filter({.height = 3, .width = 3}, 1)),
      of(image, Pixel::f32, whole_filter({.height = 5, .width = 5}, 2), {.border = Border::constant(1)}),
      of(image, Pixel::f16, whole_filter({.height = 9, .width = 9}, 3), {.border = Border::wrap()}),
      of(colours, Pixel::u8, whole_filter({.height = 15, .width = 15}, 4)),
      of(image, Pixel::f32, whole_filter({.height = 33, .width = 21}, 5)),
      of(image, Pixel::f64, whole_filter({.height = 4, .width = 7}, 6)),
      of(colours, Pixel::u8, gaussian({.sigma = 2.0})),
      of(image, Pixel::f32, gaussian({.sigma = 4.0})),
      of(image, Pixel::f32, gaussian({.sigma = 30.0})),
      of(image, Pixel::u16, box({.size = 61})),
      of(image, Pixel::f32, box({.size = 31}), {.method = Method::box}),
      of(colours, Pixel::u8, box({.size = 17}), {.border = Border::wrap(), .method = Method::box}),
      of(image, Pixel::f32, edges()),
      of(image, Pixel::i16,
         FilterSet({whole_filter({.height = 3, .width = 3}, 7), gaussian({.sigma = 1.0})}, Combine::none)),
      of({.width = 1 << 20}, Pixel::f32, gaussian({.sigma = 8.0})),
      of({.depth = 67, .height = 61, .width = 71}, Pixel::f32,
         whole_filter({.depth = 3, .height = 3, .width = 3}, 8)),
      of({.depth = 67, .height = 61, .width = 71}, Pixel::f32, gaussian({.sigma = 1.5})),
      of({.batch = 64, .height = 33, .width = 47}, Pixel::f32, gaussian({.sigma = 1.0}),
         {.extent = Extent::full})};
}

void require(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

/// What `queue` puts on `stream`, as a graph; calls that would wait or allocate at once end the capture with
/// an error.
cudaGraph_t captured(const OwnStream& stream, const std::function<void()>& queue) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), cudaSuccess);
  try {
    queue();
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
  const cudaError_t status = cudaStreamEndCapture(stream.get(), &graph);
  EXPECT_EQ(status, cudaSuccess) << cudaGetErrorString(status);
  (void)cudaGetLastError();
  return graph;
}

TEST(Plans, RunInAGraphThatHoldsNoAllocation) {
  for (const PlanSpec& spec : specs()) {
    Prepared job(spec);
    const OwnStream stream;
    job.poison();
    job.run(stream);  // kernels are loaded at their first launch, and that may wait
    synchronise(cuda(), stream);
    const std::vector<Image> expected = job.results();

    const cudaGraph_t graph = captured(stream, [&] { job.run(stream); });
    ASSERT_NE(graph, nullptr) << job.plan.explain();
    std::size_t count = 0;
    require(cudaGraphGetNodes(graph, nullptr, &count));
    EXPECT_GT(count, 0U) << job.plan.explain();
    std::vector<cudaGraphNode_t> nodes(count);
    require(cudaGraphGetNodes(graph, nodes.data(), &count));
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      require(cudaGraphNodeGetType(node, &type));
      const bool refused = type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree ||
                           type == cudaGraphNodeTypeHost;
      EXPECT_FALSE(refused) << "a run allocates, or calls the host: " << job.plan.explain();
    }
    cudaGraphExec_t ready = nullptr;
    require(cudaGraphInstantiateWithFlags(&ready, graph, 0));
    for (int launch = 0; launch < 3; ++launch) {
      job.poison();
      require(cudaGraphLaunch(ready, stream.get()));
      synchronise(cuda(), stream);
      EXPECT_TRUE(equal(job.results(), expected)) << "launch " << launch << ": " << job.plan.explain();
    }
    // The graph reads what is there when it runs, not what was there when it was captured.
    const Image other = noise(spec.shape, spec.pixel, 2);
    copy(other.view(), job.in.view(), {});
    synchronise(cuda());
    job.poison();
    require(cudaGraphLaunch(ready, stream.get()));
    synchronise(cuda(), stream);
    const std::vector<Image> launched = job.results();
    job.poison();
    job.run(stream);
    synchronise(cuda(), stream);
    EXPECT_TRUE(equal(launched, job.results())) << job.plan.explain();
    EXPECT_FALSE(equal(launched, expected))
        << "the filter gives the same for all inputs: " << job.plan.explain();
    require(cudaGraphExecDestroy(ready));
    require(cudaGraphDestroy(graph));
  }
}

TEST(Plans, RunTakesNoDeviceMemory) {
  for (const PlanSpec& spec : specs()) {
    Prepared job(spec);
    const OwnStream stream;
    job.run(stream);
    synchronise(cuda(), stream);
    const std::size_t before = free_bytes();
    for (int i = 0; i < 20; ++i) job.run(stream);
    EXPECT_EQ(free_bytes(), before) << job.plan.explain();
  }
}

TEST(Plans, RunReturnsWhileTheStreamIsHeldUp) {
  // A function on the stream holds it up until this test lets go; a run that waited for its stream would
  // outlast that.
  struct Gate {
    std::atomic<bool> open{false};
    std::atomic<bool> passed{false};
  };
  for (const PlanSpec& spec : specs()) {
    Prepared job(spec);
    const OwnStream stream;
    job.run(stream);
    synchronise(cuda(), stream);
    const std::vector<Image> expected = job.results();
    job.poison();

    Gate gate;
    const auto wait = [](void* data) {
      auto& held = *static_cast<Gate*>(data);
      const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
      while (!held.open && std::chrono::steady_clock::now() < limit)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      held.passed = true;
    };
    require(cudaLaunchHostFunc(stream.get(), wait, &gate));
    job.run(stream);
    job.run(stream);
    EXPECT_FALSE(gate.passed) << "the run waited for its stream: " << job.plan.explain();
    gate.open = true;
    synchronise(cuda(), stream);
    EXPECT_TRUE(equal(job.results(), expected)) << job.plan.explain();
  }
}

/// Of packed host images.
double largest_difference(const Image& a, const Image& b) {
  return visit_pixel(a.pixel(), [&](auto element) {
    using T = decltype(element);
    const auto* p = reinterpret_cast<const T*>(a.view().data);
    const auto* q = reinterpret_cast<const T*>(b.view().data);
    double most = 0;
    for (std::int64_t i = 0; i < a.shape().elements(); ++i)
      most = std::max(most, std::fabs(static_cast<double>(p[i]) - static_cast<double>(q[i])));
    return most;
  });
}

TEST(Plans, TimeTheirMethodsOnceAndGiveWhatAnEstimateGives) {
  for (PlanSpec spec : specs()) {
    if (spec.pixel == Pixel::f16) spec.options.output = Pixel::f32;  // the bound holds before rounding to f16
    Prepared estimated(spec);
    spec.options.tune = Tune::measure;
    Prepared measured(spec);
    EXPECT_NE(measured.plan.explain().find(", measured "), std::string::npos) << measured.plan.explain();
    const std::int64_t taken = timings_taken();
    const std::size_t free = free_bytes();
    EXPECT_EQ(Plan(spec).explain(), measured.plan.explain());
    EXPECT_EQ(timings_taken(), taken) << "timed again: " << measured.plan.explain();
    EXPECT_EQ(free_bytes(), free) << measured.plan.explain();

    const OwnStream stream;
    for (Prepared* each : {&estimated, &measured}) {
      each->poison();
      each->run(stream);
      synchronise(cuda(), stream);
    }
    const double most = is_float(spec.pixel) ? 1 : std::max(largest(spec.pixel), -smallest(spec.pixel));
    const double bound = is_float(measured.plan.output_pixel())
                             ? measured.plan.error_bound(most) + estimated.plan.error_bound(most)
                             : 1;
    const std::vector<Image> expected = estimated.results();
    const std::vector<Image> found = measured.results();
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_LE(largest_difference(found[i], expected[i]), bound)
          << measured.plan.explain() << estimated.plan.explain();
    }
  }
}

}  // namespace
}  // namespace halation::gpu_test
