// bad_input_test.cpp: what a GPU's plans refuse, sentence by sentence, and that the device works on and
// nothing is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "../message_of.h"
#include "ballast.h"
#include "images.h"

namespace halation::gpu_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::StartsWith;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
const Shape small{.height = 6, .width = 8};

Plan plan_of(const Filter& filter, const Shape& shape = small, Pixel pixel = Pixel::f32,
             const Options& options = {}) {
  return Plan({.shape = shape, .pixel = pixel, .filters = {filter}, .device = cuda(), .options = options});
}

/// Bytes that nobody has taken once the library's pool has given back what it keeps, as it does before it
/// refuses a request.
std::size_t free_bytes_without_pool() {
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_NE(message_of([] { (void)allocate({.height = 1 << 22, .width = 1 << 22}, Pixel::f64, cuda()); }),
            "no error");
  return free_bytes();
}

/// After each test the device filters as before, and has as much memory as before.
class BadInput : public testing::Test {
 protected:
  void SetUp() override {
    expect_working_device();
    free_before_ = free_bytes_without_pool();
  }
  void TearDown() override {
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "an error was left behind";
    expect_working_device();
    constexpr std::size_t kernels_loaded_meanwhile = 32 * mebibyte;
    EXPECT_GE(free_bytes_without_pool() + kernels_loaded_meanwhile, free_before_) << "memory was lost";
  }

 private:
  std::size_t free_before_ = 0;
};

TEST_F(BadInput, ViewsOnTheWrongDevice) {
  const Plan plan = plan_of(whole_filter({.height = 3, .width = 3}, 1));
  const Image here = noise(small, Pixel::f32, 1);
  const Image in = to_device(here, cuda());
  Image out = allocate(small, Pixel::f32, cuda());
  Image host_out(small, Pixel::f32);
  EXPECT_EQ(message_of([&] { plan.run(here, out); }),
            "input lies in memory of cpu, the plan runs on cuda:0; copy it there first");
  EXPECT_EQ(message_of([&] { plan.run(in, host_out); }),
            "output lies in memory of cpu, the plan runs on cuda:0; copy it there first");
  ConstView other = in.view();
  other.device = cuda(1);
  EXPECT_EQ(message_of([&] { plan.run(other, out); }),
            "input lies in memory of cuda:1, the plan runs on cuda:0; copy it there first");
  View reference_out = out.view();
  reference_out.device = reference();
  EXPECT_EQ(message_of([&] { plan.run(in, reference_out); }),
            "output lies in memory of reference, the plan runs on cuda:0; copy it there first");
}

TEST_F(BadInput, DevicesThatAreNotThere) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  const std::string there = ": this machine has " + std::to_string(count) + " CUDA device" +
                            (count == 1 ? "" : "s") + ", counted from 0";
  for (const int index : {count, count + 7, -1}) {
    PlanSpec spec{.shape = small, .pixel = Pixel::u8, .filters = {Filter({1, 2, 1})}, .device = cuda(index)};
    const std::string sentence = "no device cuda:" + std::to_string(index) + there;
    EXPECT_EQ(message_of([&] { Plan{spec}; }), sentence);
    EXPECT_EQ(message_of([&] { (void)allocate(small, Pixel::u8, cuda(index)); }), sentence);
    EXPECT_EQ(message_of([&] { synchronise(cuda(index)); }), sentence);
  }
}

TEST_F(BadInput, ViewsWithoutDataOrOfAnotherKind) {
  const Plan plan = plan_of(whole_filter({.height = 3, .width = 3}, 1));
  const Image in = to_device(noise(small, Pixel::f32, 1), cuda());
  Image out = allocate(small, Pixel::f32, cuda());
  ConstView none = in.view();
  none.data = nullptr;
  EXPECT_EQ(message_of([&] { plan.run(none, out); }), "input has no data");
  View nowhere = out.view();
  nowhere.data = nullptr;
  EXPECT_EQ(message_of([&] { plan.run(in, nowhere); }), "output has no data");
  const Image bytes = allocate(small, Pixel::u8, cuda());
  EXPECT_EQ(message_of([&] { plan.run(bytes, out); }), "input must have pixel f32 as planned, got u8");
  Image wide = allocate({.height = 6, .width = 9}, Pixel::f32, cuda());
  EXPECT_EQ(message_of([&] { plan.run(in, wide); }), "output must be 6x8 as planned, got 6x9");
  EXPECT_EQ(message_of([&] { plan.run(in, std::vector<View>{out, wide}); }), "the plan has 1 outputs, got 2");
}

TEST_F(BadInput, ViewsThatOverlap) {
  const Plan plan = plan_of(whole_filter({.height = 3, .width = 3}, 1));
  Image canvas = to_device(noise({.height = 12, .width = 16}, Pixel::f32, 1), cuda());
  const auto part = [&](std::int64_t x, std::int64_t y) {
    return canvas.view().crop({.y = y, .x = x, .height = 6, .width = 8});
  };
  const std::string sentence =
      "output overlaps input: filtering in place would read pixels already replaced; give another output";
  EXPECT_EQ(message_of([&] { plan.run(part(0, 0), part(0, 0)); }), sentence);
  EXPECT_EQ(message_of([&] { plan.run(part(0, 0), part(7, 5)); }), sentence);
  EXPECT_EQ(message_of([&] { plan.run(part(0, 0), part(8, 0)); }), "no error");
  EXPECT_EQ(message_of([&] { plan.run(part(0, 0), part(0, 6)); }), "no error");
  const Plan two(
      {.shape = small,
       .pixel = Pixel::f32,
       .filters = {whole_filter({.height = 3, .width = 3}, 1), whole_filter({.height = 3, .width = 3}, 2)},
       .device = cuda()});
  EXPECT_EQ(message_of([&] {
              two.run(part(0, 0), std::vector<View>{part(8, 0), part(8, 5)});
            }),
            "outputs 0 and 1 overlap; give each its own memory");
  synchronise(cuda());
}

TEST_F(BadInput, ViewsMisalignedForTheirPixel) {
  for (const Pixel pixel : native_pixels) {
    const auto element = static_cast<std::int64_t>(bytes_of(pixel));
    if (element == 1) continue;
    const Plan plan = plan_of(whole_filter({.height = 3, .width = 3}, 1), small, pixel);
    const Image in = allocate({.height = 8, .width = 16}, pixel, cuda());
    Image out = allocate({.height = 8, .width = 16}, pixel, cuda());
    const std::string sentence = ": address and strides must be multiples of " + std::to_string(element) +
                                 " bytes for pixel " + std::string(name_of(pixel));
    ConstView from = in.view();
    View to = out.view();
    from.shape = to.shape = small;
    ConstView crooked = from;
    crooked.data += element / 2;
    EXPECT_EQ(message_of([&] { plan.run(crooked, to); }), "input" + sentence);
    View skewed = to;
    skewed.strides.height += 1;
    EXPECT_EQ(message_of([&] { plan.run(from, skewed); }), "output" + sentence);
  }
}

TEST_F(BadInput, SizesThatOverflow) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Filter filter = whole_filter({.width = 3}, 1);
  EXPECT_EQ(message_of([&] { (void)plan_of(filter, {.height = most, .width = most}); }),
            "image 9223372036854775807x9223372036854775807 has more elements than 63 bits count");
  EXPECT_EQ(message_of([&] { (void)plan_of(filter, {.width = most}, Pixel::u8, {.extent = Extent::full}); }),
            "image 1x9223372036854775807 u8 has more bytes than 61 bits count");
  EXPECT_EQ(message_of([&] { (void)allocate({.height = most, .width = 2}, Pixel::f32, cuda()); }),
            "image 9223372036854775807x2 has more elements than 63 bits count");
  EXPECT_EQ(message_of([&] { (void)allocate_pinned({.height = 0, .width = 2}, Pixel::f32); }),
            "image extents must be at least 1, got 0x2");
  const Plan plan = plan_of(filter);
  const Image in = allocate(small, Pixel::f32, cuda());
  Image out = allocate(small, Pixel::f32, cuda());
  View endless = out.view();
  endless.strides.height = most / 4 * 4;
  EXPECT_EQ(message_of([&] { plan.run(in, endless); }),
            "output: the strides reach beyond what addresses can name");
  ConstView bottomless = in.view();
  bottomless.strides.height = -(std::int64_t{1} << 60);
  EXPECT_EQ(message_of([&] { plan.run(bottomless, out); }),
            "input: the strides reach beyond what addresses can name");
}

TEST_F(BadInput, APitchSmallerThanARow) {
  EXPECT_EQ(message_of([] { (void)strides_of(small, Pixel::f32, Layout::interleaved, 31); }),
            "row pitch must be at least 32 bytes for image 6x8, got 31");
  const Plan plan = plan_of(whole_filter({.height = 3, .width = 3}, 1));
  const Image in = to_device(noise(small, Pixel::f32, 1), cuda());
  Image out = allocate(small, Pixel::f32, cuda());
  View narrow = out.view();
  narrow.strides.height = 28;
  EXPECT_EQ(
      message_of([&] { plan.run(in, narrow); }),
      "output: the stride along height must be at least 32 bytes, or elements would share memory, got 28");
  narrow.strides.height = 0;
  EXPECT_EQ(message_of([&] { plan.run(in, narrow); }),
            "output: a stride of 0 puts several elements in one place");
}

TEST_F(BadInput, NoNumberOfChannelsIsTooLarge) {
  for (const std::int64_t channels : {1, 2, 3, 4, 5, 7, 8, 9, 16, 33, 1000}) {
    for (const Layout layout : {Layout::interleaved, Layout::planar}) {
      const Shape shape{.height = 9, .width = 13, .channels = channels};
      const Image image = noise(shape, Pixel::i16, 3, layout);
      const Filter filter = whole_filter({.height = 3, .width = 5}, 3);
      const Options options{.output = Pixel::f32};
      Image there = allocate(shape, Pixel::i16, cuda(), layout);
      copy(image.view(), there.view(), {});
      const Image found = to_device(convolve(there, filter, options), cpu());
      EXPECT_TRUE(same_bits(found, convolve(image, filter, options, reference()))) << channels << " channels";
    }
  }
}

/// A job whose plan needs scratch, where this build has a method that does.
std::optional<PlanSpec> spec_with_workspace(const Shape& shape) {
  const Filter filters[] = {gaussian({.sigma = 40.0}), gaussian({.sigma = 15.0}), box({.size = 101}),
                            gaussian({.sigma = 4.0})};
  for (const Filter& filter : filters) {
    for (const Pixel pixel : {Pixel::f32, Pixel::f64, Pixel::u8}) {
      PlanSpec spec{.shape = shape, .pixel = pixel, .filters = {filter}, .device = cuda()};
      if (Plan(spec).workspace_bytes() > 0) return spec;
    }
  }
  return std::nullopt;
}

TEST_F(BadInput, WorkspacesTooSmallOrMisaligned) {
  const auto spec = spec_with_workspace({.height = 300, .width = 400});
  if (!spec) GTEST_SKIP() << "no method of this build needs a workspace";
  const Plan plan(*spec);
  const std::size_t needed = plan.workspace_bytes();
  const Image in = to_device(noise(spec->shape, spec->pixel, 1), cuda());
  Image out = allocate(spec->shape, spec->pixel, cuda());
  Image scratch = allocate({.width = static_cast<std::int64_t>(needed + 64)}, Pixel::u8, cuda());
  std::byte* data = scratch.view().data;
  EXPECT_EQ(
      message_of([&] {
        plan.run(in, out.view(), {.workspace = {data, needed - 1}});
      }),
      "workspace must have at least " + std::to_string(needed) + " bytes, got " + std::to_string(needed - 1));
  EXPECT_EQ(message_of([&] {
              plan.run(in, out.view(), {.workspace = {data + 32, needed}});
            }),
            "workspace must begin on a 64-byte boundary");
  // With one that fits, and with the pool's, the same bits come out.
  plan.run(in, out.view(), {.workspace = {data + 64, needed}});
  const Image given = to_device(out, cpu());
  plan.run(in, out.view());
  EXPECT_TRUE(same_bits(given, to_device(out, cpu())));
}

TEST_F(BadInput, NoMemoryForTheOutput) {
  const Shape shape{.height = 8192, .width = 8192};
  const Image in = allocate(shape, Pixel::f32, cuda());
  const Ballast ballast(128 * mebibyte);
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(message_of([&] { (void)convolve(in, whole_filter({.height = 3, .width = 3}, 1)); }),
                AllOf(StartsWith("image 8192x8192 f32 needs 268.4 MB of memory of cuda:0, "),
                      EndsWith("B are available")));
  }
  expect_working_device();  // also while there is little memory
}

TEST_F(BadInput, NoMemoryForTheWorkspace) {
  const auto spec = spec_with_workspace({.height = 8192, .width = 8192});
  if (!spec) GTEST_SKIP() << "no method of this build needs a workspace";
  const Plan plan(*spec);
  if (plan.workspace_bytes() < 256 * mebibyte) {
    GTEST_SKIP() << "a workspace of " << plan.workspace_bytes() << " bytes always finds its place";
  }
  const Image in = to_device(noise(spec->shape, spec->pixel, 1), cuda());
  Image out = allocate(spec->shape, spec->pixel, cuda());
  ASSERT_EQ(cudaMemset(out.view().data, 0xa5, bytes_in(out)), cudaSuccess);
  const Image before = to_device(out, cpu());
  {
    const Ballast ballast(128 * mebibyte);
    for (int i = 0; i < 10; ++i) {
      EXPECT_THAT(message_of([&] { plan.run(in, out.view()); }),
                  AllOf(StartsWith("workspace needs "), EndsWith("B are available")));
    }
    EXPECT_TRUE(same_bits(before, to_device(out, cpu()))) << "the output was touched";
  }
  plan.run(in, out.view());
  EXPECT_FALSE(same_bits(before, to_device(out, cpu())));
}

TEST_F(BadInput, NoMemoryInTheMiddleOfACopy) {
  // An upload into a mirrored image takes a packed copy on the device, for which there is no room any more.
  const Shape shape{.height = 8192, .width = 8192};
  const Image host = noise(shape, Pixel::u16, 1);
  Image there = allocate(shape, Pixel::u16, cuda());
  ASSERT_EQ(cudaMemset(there.view().data, 0xa5, bytes_in(there)), cudaSuccess);
  const Image before = to_device(there, cpu());
  View mirrored = there.view();
  mirrored.data += (shape.width - 1) * mirrored.strides.width;
  mirrored.strides.width = -mirrored.strides.width;
  {
    const Ballast ballast(64 * mebibyte);
    for (int i = 0; i < 10; ++i) {
      EXPECT_THAT(message_of([&] { copy(host.view(), mirrored, {}); }),
                  AllOf(StartsWith("a packed copy of image 8192x8192 u16 needs 134.2 MB of memory of cuda:0, "),
                        EndsWith("B are available")));
    }
    EXPECT_TRUE(same_bits(before, to_device(there, cpu()))) << "the image was touched";
  }
  copy(host.view(), mirrored, {});
  EXPECT_TRUE(same_bits(host, to_device(mirrored, cpu())));
}

TEST_F(BadInput, AThousandRefusalsTakeNothing) {
  const Plan plan = plan_of(whole_filter({.height = 3, .width = 3}, 1));
  const Image in = allocate(small, Pixel::f32, cuda());
  Image out = allocate(small, Pixel::f32, cuda());
  View crooked = out.view();
  crooked.data += 1;
  const std::size_t before = free_bytes_without_pool();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_NE(message_of([&] { plan.run(in, crooked); }), "no error");
    EXPECT_NE(message_of([&] { (void)allocate({.height = 1 << 22, .width = 1 << 22}, Pixel::f64, cuda()); }),
              "no error");
    EXPECT_NE(message_of([&] {
                (void)plan_of(Filter({1, 2}), small, Pixel::u8, {.method = Method::low_rank});
              }),
              "no error");
  }
  EXPECT_EQ(free_bytes_without_pool(), before);
}

}  // namespace
}  // namespace halation::gpu_test
