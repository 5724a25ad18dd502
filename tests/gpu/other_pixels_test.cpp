// other_pixels_test.cpp: integers that no kernel takes, sums that wrap, and complex images, on a GPU: the bits that the CPU gives.
#include "tests/other_pixels.h"

#include "images.h"

namespace halation::gpu_test {
namespace {

std::vector<Image> by_gpu(PlanSpec spec, const Image& in) {
  spec.device = cuda();
  const Plan plan(spec);
  const Image there = to_device(in, cuda());
  std::vector<Image> outs, here;
  std::vector<View> views;
  outs.reserve(plan.outputs());
  views.reserve(plan.outputs());
  for (std::size_t i = 0; i < plan.outputs(); ++i) outs.push_back(allocate(plan.output_shape(), plan.output_pixel(), cuda()));
  for (Image& out : outs) views.push_back(out.view());
  plan.run(there, views);
  for (const Image& out : outs) here.push_back(to_device(out, cpu()));
  return here;
}

TEST(OtherPixels, AreFilteredAsTheReferenceFiltersThem) {
  for (std::uint64_t seed = 1001; seed <= 1300; ++seed) {
    const OtherJob job = other_job(seed);
    const std::vector<Image> expected = by_reference(job), found = by_gpu(job.spec, job.in);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_TRUE(are_same(found[i], expected[i])) << "seed " << seed << ", " << text(job.spec);
  }
}

TEST(OtherPixels, OfComplexImagesRealAndImaginaryPartsAreFilteredApart) {
  for (const Pixel pixel : {Pixel::c64, Pixel::c128}) {
    for (const std::int64_t channels : {1, 3}) {
      for (const double constant : {0.0, 3.0}) {
        Numbers numbers(11);
        Image image({.height = 67, .width = 131, .channels = channels}, pixel);
        fill(image.view(), numbers);
        const PlanSpec spec{.shape = image.shape(),
                            .pixel = pixel,
                            .filters = {whole_filter({.height = 5, .width = 3}, 7)},
                            .options = {.border = Border::constant(constant), .output = pixel, .offset = -2}};
        Image expected(image.shape(), pixel);
        Plan(spec).run(image, expected.view());
        EXPECT_TRUE(are_same(by_gpu(spec, image)[0], expected)) << text(spec);
      }
    }
  }
}

/// Complex elements begin where their parts may.
TEST(OtherPixels, AreCopiedFromAnyAddress) {
  for (const Pixel pixel : {Pixel::c64, Pixel::c128, Pixel::i8, Pixel::u32}) {
    Numbers numbers(5);
    Image image({.height = 9, .width = 40}, pixel);
    fill(image.view(), numbers);
    View odd = image.view();
    odd.data += alignment_of(pixel);
    odd.shape.width = 13;
    odd.strides.width *= 3;
    Image expected(odd.shape, pixel);
    copy(odd, expected.view());
    const Image room = to_device(image, cuda());
    ConstView there = room.view();
    there.data += alignment_of(pixel);
    there.shape = odd.shape;
    there.strides = odd.strides;
    EXPECT_TRUE(are_same(to_device(there, cpu()), expected)) << name_of(pixel);
  }
}

}  // namespace
}  // namespace halation::gpu_test
