// choices_test.cpp: which method and family an H200 is expected to do typical jobs by; no GPU is asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/backend.h"
#include "cuda/families.h"
#include "halation/halation.h"
#include "measured_gpu.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "speed/choice_tool.h"

namespace halation::cuda_backend {
namespace {

/// What the backend offers on an H200, and runs on nothing.
class OnPaper final : public Backend {
 public:
  Device::Kind kind() const override { return Device::Kind::cuda; }
  std::vector<DeviceInfo> devices() const override { return {}; }
  std::span<const Form> forms() const override { return Families::forms(); }
  std::vector<Offer> offers(const Job& job, std::span<const Taps> filters, Device) const override {
    return families().offers(job, filters, gpu_);
  }
  TransformFacts transform_facts(const Job& job, const Taps& taps, Device) const override {
    return Families::transform_facts(job, taps, gpu_);
  }
  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job>, Device) const override { return nullptr; }

 private:
  Gpu gpu_ = h200(shipped_figures());
};

const OnPaper& paper() {
  static const OnPaper backend;
  return backend;
}

/// "direct by register tile".
std::string choice_for(PlanSpec spec) {
  const OnPaper& backend = paper();
  spec.device = cuda();
  const Choice choice = choose(check(spec), spec.options, backend, cuda());
  const Offer offer = best_of(backend.offers(*choice.job, choice.job->filters, cuda()));
  return std::string(name_of(choice.reasons.front().method->method)) + " by " + std::string(offer.family);
}

PlanSpec spec_of(const Shape& shape, Pixel pixel, const Filter& filter, const Options& options = {}) {
  return {.shape = shape, .pixel = pixel, .filters = {filter}, .options = options};
}

/// Integers of both signs, in no product of factors.
Filter whole(const FilterSize& size) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < size.taps(); ++i) weights.push_back(static_cast<double>(i * i * 7919 % 9) - 4);
  weights.back() = 1;
  return Filter::dense(size, std::move(weights));
}

/// Of which one weight in eight is not 0.
Filter sparse(const FilterSize& size) {
  std::vector<double> weights = whole(size).weights();
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = i % 8 == 0 ? 1 + static_cast<double>(i % 5) : 0;
  return Filter::dense(size, std::move(weights));
}

/// Reals whose sum is near 1.
Filter real(const FilterSize& size) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < size.taps(); ++i) {
    const double uniform = static_cast<double>(i * i * 7919 % 1009) / 1009;
    weights.push_back((uniform + 0.5) / static_cast<double>(size.taps()));
  }
  return Filter::dense(size, std::move(weights));
}

constexpr Shape large{.height = 8192, .width = 8192}, middle{.height = 4096, .width = 4096};

TEST(Choices, OfSmallFilters) {
  EXPECT_EQ(choice_for(spec_of(middle, Pixel::f32, whole({.height = 3, .width = 3}))), "direct by register tile");
  EXPECT_EQ(choice_for(spec_of(middle, Pixel::f64, whole({.height = 5, .width = 5}))), "direct by register tile");
  EXPECT_EQ(choice_for(spec_of(middle, Pixel::f32, box({.size = 3, .dims = 2}))), "direct by register tile");
  const Shape pixels{.height = 4096, .width = 4096, .channels = 3};
  EXPECT_EQ(choice_for(spec_of(pixels, Pixel::u8, Filter::separable({.y = {0.25, 0.5, 0.25}, .x = {0.25, 0.5, 0.25}}))),
            "direct by register tile");
  EXPECT_EQ(choice_for(spec_of(pixels, Pixel::u8, Filter::separable({.y = {0.3, 0.4, 0.3}, .x = {0.3, 0.4, 0.3}}))),
            "separable by warp strip, aligned");
}

TEST(Choices, OfNarrowRowsAndManySmallImages) {
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::f32, Pixel::f64}) {
    EXPECT_EQ(choice_for(spec_of({.height = 1'000'000, .width = 3}, pixel, whole({.height = 3, .width = 3}))),
              "direct by narrow rows")
        << name_of(pixel);
  }
  for (const std::int64_t taps : {3, 5, 7}) {
    for (const std::int64_t side : {9, 16, 24, 32, 33, 48}) {
      const Shape shape{.batch = 2'000'003 / side / side, .height = side, .width = side};
      EXPECT_EQ(choice_for(spec_of(shape, Pixel::f32, whole({.height = taps, .width = taps}), {.method = Method::direct})),
                "direct by whole images")
          << taps << ", " << side;
    }
  }
}

/// Prices take planar channels as images of their own; what is offered so must run on rows of one channel.
TEST(Choices, PlanarChannelsRunByWhatTheyAreOffered) {
  const Gpu gpu = h200(shipped_figures());
  const std::vector<Filter> filters = {whole({.height = 3, .width = 3}),
                                       whole({.height = 5, .width = 5}),
                                       whole({.height = 7, .width = 7}),
                                       whole({.height = 11, .width = 11}),
                                       sparse({.height = 9, .width = 9}),
                                       real({.height = 31, .width = 31}),
                                       box({.size = 3, .dims = 2}),
                                       box({.size = 41, .dims = 2}),
                                       gaussian({.sigma = 2, .dims = 2}),
                                       whole({.width = 9}),
                                       whole({.height = 65}),
                                       real({.depth = 3, .height = 3, .width = 3})};
  int offered = 0;
  for (const Pixel pixel : native_pixels) {
    for (const Shape& shape : {Shape{.height = 512, .width = 512, .channels = 3},
                               Shape{.height = 1, .width = 1 << 17, .channels = 2},
                               Shape{.height = 5000, .width = 16, .channels = 4},
                               Shape{.batch = 99, .height = 32, .width = 32, .channels = 3},
                               Shape{.depth = 32, .height = 64, .width = 128, .channels = 2}}) {
      for (const Filter& filter : filters) {
        if (filter.size().depth > shape.depth || (shape.height == 1 && filter.size().height > 1)) continue;
        PlanSpec spec = spec_of(shape, pixel, filter, {.accuracy = Accuracy::fast});
        spec.layout = Layout::planar;
        speed::for_each_method(spec, paper(), [&](Method method, const Choice& choice) {
          const Job& job = *choice.job;
          const View in{nullptr, job.in, strides_of(job.in, job.in_pixel, Layout::planar), job.in_pixel,
                        cuda()};
          const View out{nullptr, job.out, strides_of(job.out, job.out_pixel, Layout::planar), job.out_pixel,
                         cuda()};
          const Request as_it_runs{job, row_layout_of(in, {&out, 1}), gpu, families()};
          for (const Offer& offer : paper().offers(with_channels_apart(job), job.filters, cuda())) {
            if (offer.why_not != nullptr) continue;
            ++offered;
            const auto is_it = [&](const Family* family) { return family->name == offer.family; };
            const Family& family = **std::find_if(families().list().begin(), families().list().end(), is_it);
            EXPECT_STREQ(family.refuses(as_it_runs), nullptr)
                << family.name << ", " << name_of(method) << ", " << to_string(shape) << " " << name_of(pixel)
                << ", " << filter.size().height << "x" << filter.size().width;
          }
        });
      }
    }
  }
  EXPECT_GT(offered, 1000);
}

TEST(Choices, OfManyTaps) {
  const Options direct{.method = Method::direct};
  EXPECT_EQ(choice_for(spec_of(middle, Pixel::f32, sparse({.height = 17, .width = 17}), direct)), "direct by sparse taps");
  EXPECT_EQ(choice_for(spec_of(middle, Pixel::f32, whole({.height = 17, .width = 17}), direct)), "direct by shared tile");
  EXPECT_EQ(choice_for(spec_of(large, Pixel::f32, real({.height = 31, .width = 31}))), "fft by fft tiles");
  EXPECT_EQ(choice_for(spec_of(middle, Pixel::f32, box({.size = 101, .dims = 2}))), "box by axis by axis");
  const Shape volume{.depth = 512, .height = 512, .width = 512};
  for (const std::int64_t taps : {3, 5, 7})
    EXPECT_EQ(choice_for(spec_of(volume, Pixel::f32, gaussian({.sigma = 1, .radius = taps / 2, .dims = 3}))),
              "separable by streaming")
        << taps;
}

TEST(Choices, OfBytesByMatrices) {
  for (const std::int64_t size : {9, 15}) {
    const Filter filter = real({.height = size, .width = size});
    EXPECT_EQ(choice_for(spec_of(large, Pixel::u8, filter)), "banded by banded") << size;
    EXPECT_NE(choice_for(spec_of(large, Pixel::u8, filter, {.output = Pixel::f32})), "banded by banded") << size;
    EXPECT_NE(choice_for(spec_of(large, Pixel::u8, filter, {.rounding = Rounding::truncate})), "banded by banded") << size;
    EXPECT_NE(choice_for(spec_of(large, Pixel::u8, filter, {.sum = Sum::f64})), "banded by banded") << size;
  }
  EXPECT_EQ(choice_for(spec_of({.height = 16384, .width = 16384}, Pixel::u8, box({.size = 9, .dims = 2}))), "banded by banded");
}

TEST(Choices, OfWhatMayApproximate) {
  const Options fast{.accuracy = Accuracy::fast};
  for (const Pixel pixel : {Pixel::f32, Pixel::f16}) {
    const Filter filter = whole({.height = 15, .width = 15});
    EXPECT_EQ(choice_for(spec_of(large, pixel, filter, fast)), "banded by banded floats") << name_of(pixel);
    EXPECT_NE(choice_for(spec_of(large, pixel, filter)), "banded by banded floats") << name_of(pixel);
  }
  const Filter wide = gaussian({.sigma = 32.0, .dims = 2});
  EXPECT_EQ(choice_for(spec_of(large, Pixel::f32, wide, fast)), "multirate by multirate");
  EXPECT_NE(choice_for(spec_of(large, Pixel::f32, wide)), "multirate by multirate");
  EXPECT_NE(choice_for(spec_of(large, Pixel::f32, gaussian({.sigma = 1.0, .dims = 2}), fast)), "multirate by multirate");
}

}  // namespace
}  // namespace halation::cuda_backend
