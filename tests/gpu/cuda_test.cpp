// cuda_test.cpp: device memory, copies of every arrangement, streams, and errors after which the device goes on working.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "halation/halation.h"
#include "../message_of.h"
#include "../weights_of_little.h"

namespace halation {
namespace {

/// A host image whose bytes count up, so that any misplaced element shows.
Image counted(const Shape& shape, Pixel pixel, Layout layout = Layout::interleaved, std::int64_t row_bytes = 0) {
  Image image(shape, pixel, layout, row_bytes);
  const Strides& s = image.view().strides;
  const std::int64_t bytes = shape.batch * s.batch;
  for (std::int64_t i = 0; i < bytes; ++i) image.view().data[i] = static_cast<std::byte>(i * 7 + i / 251);
  return image;
}

bool equal(const ConstView& a, const ConstView& b) {
  Image left(a.shape, a.pixel);
  Image right(b.shape, b.pixel);
  copy(a, left);
  copy(b, right);
  return a.shape == b.shape &&
         std::memcmp(left.view().data, right.view().data, static_cast<std::size_t>(a.shape.elements()) * bytes_of(a.pixel)) == 0;
}

std::vector<Pixel> pixels() { return {std::begin(native_pixels), std::end(native_pixels)}; }

class EveryPixel : public testing::TestWithParam<Pixel> {};
INSTANTIATE_TEST_SUITE_P(Cuda, EveryPixel, testing::ValuesIn(pixels()),
                         [](const auto& named) { return std::string(name_of(named.param)); });

TEST_P(EveryPixel, ThereAndBackInEveryArrangement) {
  const Shape shape{2, 3, 5, 7, 3};
  const Image host = counted(shape, GetParam());
  for (const Layout there : {Layout::interleaved, Layout::planar}) {
    Image device = allocate(shape, GetParam(), cuda(), there);
    EXPECT_EQ(device.device(), cuda());
    copy(host.view(), device.view(), {});
    Image back(shape, GetParam(), Layout::planar, 128);
    copy(device.view(), back.view(), {});
    synchronise(cuda());
    EXPECT_TRUE(equal(host, back));
    // Within the device, from one layout to the other.
    Image twin = allocate(shape, GetParam(), cuda(), there == Layout::planar ? Layout::interleaved : Layout::planar);
    copy(device.view(), twin.view(), {});
    EXPECT_TRUE(equal(host, to_device(twin, cpu())));
  }
}

TEST_P(EveryPixel, CropsChannelsMirrorsAndBroadcastsKeepTheirPlaces) {
  const Shape shape{1, 2, 9, 11, 2};
  const Image host = counted(shape, GetParam());
  const Region region{.z = 1, .y = 3, .x = 2, .height = 4, .width = 5};
  const Image there = to_device(host, cuda());
  EXPECT_TRUE(equal(host.view().crop(region), to_device(there.view().crop(region), cpu())));
  EXPECT_TRUE(equal(host.view().channel(1), to_device(there.view().channel(1), cpu())));

  ConstView mirrored = host.view();
  mirrored.data += (shape.width - 1) * mirrored.strides.width;
  mirrored.strides.width = -mirrored.strides.width;
  EXPECT_TRUE(equal(mirrored, to_device(to_device(mirrored, cuda()), cpu())));
  ConstView mirrored_there = there.view();
  mirrored_there.data += (shape.width - 1) * mirrored_there.strides.width;
  mirrored_there.strides.width = -mirrored_there.strides.width;
  EXPECT_TRUE(equal(mirrored, to_device(mirrored_there, cpu())));

  ConstView broadcast = host.view();
  broadcast.strides.height = 0;
  EXPECT_TRUE(equal(broadcast, to_device(to_device(broadcast, cuda()), cpu())));
}

TEST(Cuda, CopyingWritesNothingBesideTheView) {
  const Shape shape{1, 1, 6, 10, 1};
  Image canvas = counted({1, 1, 8, 14, 1}, Pixel::u16);
  Image there = to_device(canvas, cuda());
  const Image patch = counted(shape, Pixel::u16);
  const Region place{.y = 1, .x = 3, .height = 6, .width = 10};
  copy(patch.view(), there.view().crop(place), {});
  copy(patch.view(), canvas.view().crop(place));
  EXPECT_TRUE(equal(canvas, to_device(there, cpu())));
}

TEST(Cuda, ConvolveFiltersWhereTheImageLies) {
  const Image host = counted({1, 1, 100, 130, 3}, Pixel::u8);
  const Filter filter = gaussian({.sigma = 2.0});
  const Image expected = convolve(host, filter, {.sum = Sum::f64}, reference());
  const Image device = to_device(host, cuda());
  const Image filtered = convolve(device, filter, {.sum = Sum::f64});
  EXPECT_EQ(filtered.device(), cuda());
  EXPECT_TRUE(equal(expected, to_device(filtered, cpu())));
}

TEST(Cuda, TheMagnitudeOfOneFilterIsPositive) {
  const Image signal = counted({1, 1, 1, 1000, 1}, Pixel::u8);  // a signal has one axis, so one derivative
  const Options options{.output = Pixel::f64};
  const Image expected = convolve(signal, edges(), options, reference());
  EXPECT_TRUE(equal(expected, to_device(convolve(to_device(signal, cuda()), edges(), options), cpu())));
}

TEST(Cuda, WeightsTooSmallForTheSumsKeepInfinities) { expect_infinities_kept(cuda()); }

TEST(Cuda, OnePlanRunsFromManyThreadsAndStreams) {
  const Image host = counted({1, 1, 257, 301, 1}, Pixel::u16);
  const Plan plan({.shape = host.shape(), .pixel = Pixel::u16, .filters = {sobel()}, .device = cuda(), .options = {.output = Pixel::f32}});
  const Image in = to_device(host, cuda());
  const Image expected = convolve(host, sobel(), {.output = Pixel::f32}, reference());
  std::vector<int> right(8, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      cudaStream_t stream = nullptr;
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
      {
        Image out = allocate(plan.output_shape(), plan.output_pixel(), cuda(), Layout::interleaved, {stream});
        Image back = allocate_pinned(plan.output_shape(), plan.output_pixel());
        for (int i = 0; i < 10; ++i) plan.run(in, out, {.stream = {stream}});
        copy(out.view(), back.view(), {stream});
        synchronise(cuda(), {stream});
        right[t] = equal(expected, back) ? 1 : 0;
      }
      cudaStreamDestroy(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::accumulate(right.begin(), right.end(), 0), 8);
}

TEST(Cuda, TooMuchMemoryIsRefusedInOneSentenceAndTheDeviceGoesOn) {
  const Shape huge{1, 1, 1 << 20, 1 << 20, 1};
  const std::string message = message_of([&] { (void)allocate(huge, Pixel::f32, cuda()); });
  EXPECT_TRUE(message.starts_with("image 1048576x1048576 f32 needs 4398.0 GB of memory of cuda:0, ")) << message;
  const Image host = counted({1, 1, 3, 5, 1}, Pixel::f32);
  EXPECT_TRUE(equal(host, to_device(to_device(host, cuda()), cpu())));
}

TEST(Cuda, MemoryGivenBackIsUsedAgain) {
  const Shape shape{1, 1, 4096, 4096, 1};
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  { const Image warm = allocate(shape, Pixel::f64, cuda()); }
  synchronise(cuda());
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  for (int i = 0; i < 100; ++i) const Image image = allocate(shape, Pixel::f64, cuda());
  synchronise(cuda());
  ASSERT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
  EXPECT_EQ(before, after);
}

TEST(Cuda, WrongDevicesAreNamed) {
  const Image host = counted({1, 1, 4, 4, 1}, Pixel::u8);
  int devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  EXPECT_EQ(message_of([&] { (void)to_device(host, cuda(devices)); }),
            "no device cuda:" + std::to_string(devices) + ": this machine has " + std::to_string(devices) + " CUDA device" +
                (devices == 1 ? "" : "s") + ", counted from 0");
  EXPECT_EQ(message_of([&] { (void)convolve(host, identity(), {}, cuda()); }),
            "input lies in memory of cpu, the plan runs on cuda:0; copy it there first");
  const Image there = to_device(host, cuda());
  EXPECT_EQ(message_of([&] { (void)convolve(there, identity(), {}, cpu()); }),
            "input lies in memory of cuda:0, the plan runs on cpu; copy it there first");
  EXPECT_EQ(message_of([&] { (void)there.clone(); }),
            "copy: a view lies in memory of cuda:0; give the stream to copy in, or use to_device");
  EXPECT_EQ(message_of([&] { (void)convolve(there, gaussian({.sigma = 1.0}), {.method = Method::low_rank}); }),
            "method low_rank is not available on cuda; choose from automatic, direct, separable, banded, box, fft, multirate");
  EXPECT_EQ(message_of([&] { (void)convolve(there, gaussian({.sigma = 32.0}), {.method = Method::multirate}); }),
            "method multirate approximates, which accuracy exact does not allow; use accuracy fast, or method automatic");
}

}  // namespace
}  // namespace halation
