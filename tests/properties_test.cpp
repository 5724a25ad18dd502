// properties_test.cpp: what must hold for any image and filter, whatever the numbers: RapidCheck draws them and shrinks failures.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "halation/halation.h"

namespace halation {
namespace {

/// Whole numbers: with them all sums are exact in f32, and properties hold to the bit.
Image drawn_image(Shape shape) {
  Image image(shape, Pixel::f32);
  auto* values = reinterpret_cast<float*>(image.view().data);
  for (std::int64_t i = 0; i < shape.elements(); ++i) values[i] = static_cast<float>(*rc::gen::inRange(-50, 51));
  return image;
}

Shape drawn_shape() {
  return {.depth = *rc::gen::inRange(1, 4), .height = *rc::gen::inRange(1, 9), .width = *rc::gen::inRange(1, 40),
          .channels = *rc::gen::inRange(1, 5)};
}

std::vector<double> drawn_weights(std::int64_t count) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) weights.push_back(*rc::gen::inRange(-5, 6));
  return weights;
}

Filter drawn_filter() {
  const FilterSize size{*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 6), *rc::gen::inRange(1, 8)};
  return Filter::dense(size, drawn_weights(size.taps()))
      .with_anchor({*rc::gen::inRange<std::int64_t>(0, size.depth), *rc::gen::inRange<std::int64_t>(0, size.height),
                    *rc::gen::inRange<std::int64_t>(0, size.width)});
}

Border drawn_border() {
  return *rc::gen::element(Border::constant(0), Border::constant(7), Border::replicate(), Border::reflect(),
                           Border::reflect101(), Border::wrap());
}

std::vector<float> values_of(const Image& image) {
  const auto* first = reinterpret_cast<const float*>(image.view().data);
  return {first, first + image.shape().elements()};
}

RC_GTEST_PROP(Convolution, OfAnImpulseIsTheFilter, ()) {
  const Filter filter = drawn_filter();
  const FilterSize k = filter.size();
  const Anchor a = filter.anchor();
  Image impulse({.depth = 2 * k.depth + 1, .height = 2 * k.height + 1, .width = 2 * k.width + 1}, Pixel::f32);
  std::fill_n(reinterpret_cast<float*>(impulse.view().data), impulse.shape().elements(), 0.0F);
  impulse.view().at<float>({.z = k.depth, .y = k.height, .x = k.width}) = 1;
  const Image out = convolve(impulse, filter, {.border = Border::constant(0)});
  const std::vector<double> weights = filter.weights();
  std::size_t i = 0;
  for (std::int64_t z = 0; z < k.depth; ++z) {
    for (std::int64_t y = 0; y < k.height; ++y) {
      for (std::int64_t x = 0; x < k.width; ++x) {
        RC_ASSERT(out.view().at<float>({.z = k.depth + z - a.z, .y = k.height + y - a.y, .x = k.width + x - a.x}) ==
                  static_cast<float>(weights[i++]));
      }
    }
  }
}

RC_GTEST_PROP(Convolution, IsLinear, ()) {
  const Shape shape = drawn_shape();
  const Image a = drawn_image(shape);
  const Image b = drawn_image(shape);
  Image sum(shape, Pixel::f32);
  const std::vector<float> values_a = values_of(a);
  const std::vector<float> values_b = values_of(b);
  auto* values_sum = reinterpret_cast<float*>(sum.view().data);
  for (std::size_t i = 0; i < values_a.size(); ++i) values_sum[i] = values_a[i] + 3 * values_b[i];
  const Filter filter = drawn_filter();
  Border border = drawn_border();
  border.value = 0;  // a constant is no multiple of the image
  const std::vector<float> of_a = values_of(convolve(a, filter, {.border = border}));
  const std::vector<float> of_b = values_of(convolve(b, filter, {.border = border}));
  const std::vector<float> of_sum = values_of(convolve(sum, filter, {.border = border}));
  for (std::size_t i = 0; i < of_a.size(); ++i) RC_ASSERT(of_sum[i] == of_a[i] + 3 * of_b[i]);
}

RC_GTEST_PROP(Convolution, OfAWrappedShiftIsTheShiftedResult, ()) {
  const Shape shape = drawn_shape();
  const Image image = drawn_image(shape);
  const std::int64_t shift = *rc::gen::inRange<std::int64_t>(0, shape.width);
  const auto shifted = [&](const Image& source) {
    Image moved(shape, Pixel::f32);
    for (std::int64_t z = 0; z < shape.depth; ++z)
      for (std::int64_t y = 0; y < shape.height; ++y)
        for (std::int64_t x = 0; x < shape.width; ++x)
          for (std::int64_t c = 0; c < shape.channels; ++c)
            moved.view().at<float>({.z = z, .y = y, .x = (x + shift) % shape.width, .c = c}) =
                source.view().at<float>({.z = z, .y = y, .x = x, .c = c});
    return moved;
  };
  const Filter filter = drawn_filter();
  const Options options{.border = Border::wrap()};
  RC_ASSERT(values_of(convolve(shifted(image), filter, options)) == values_of(shifted(convolve(image, filter, options))));
}

/// Height and width exchanged, by strides.
ConstView transposed(ConstView view) {
  std::swap(view.shape.height, view.shape.width);
  std::swap(view.strides.height, view.strides.width);
  return view;
}

RC_GTEST_PROP(Convolution, OfTheTransposedImageWithTheTransposedFilterIsTheTransposedResult, ()) {
  const Image image = drawn_image(drawn_shape());
  const FilterSize size{1, *rc::gen::inRange(1, 6), *rc::gen::inRange(1, 6)};
  const std::vector<double> weights = drawn_weights(size.taps());
  std::vector<double> turned;
  for (std::int64_t x = 0; x < size.width; ++x) {
    for (std::int64_t y = 0; y < size.height; ++y) turned.push_back(weights[static_cast<std::size_t>(y * size.width + x)]);
  }
  const Border border = drawn_border();
  const Image straight = convolve(image, Filter::dense(size, weights), {.border = border});
  const Image across =
      convolve(transposed(image), Filter::dense({1, size.width, size.height}, turned), {.border = border});
  Image back(straight.shape(), Pixel::f32);
  copy(transposed(across), back);
  RC_ASSERT(values_of(back) == values_of(straight));
}

RC_GTEST_PROP(Convolution, SeparableEqualsDirect, ()) {
  const Image image = drawn_image(drawn_shape());
  const Filter filter = Filter::separable({.z = drawn_weights(*rc::gen::inRange(1, 4)),
                                           .y = drawn_weights(*rc::gen::inRange(1, 6)),
                                           .x = drawn_weights(*rc::gen::inRange(1, 8))});
  const Border border = drawn_border();
  const Image direct = convolve(image, filter, {.border = border, .method = Method::direct});
  const Image separable = convolve(image, filter, {.border = border, .method = Method::separable});
  RC_ASSERT(values_of(direct) == values_of(separable));
}

RC_GTEST_PROP(Convolution, EqualsTheReference, ()) {
  const Image image = drawn_image(drawn_shape());
  const Filter filter = drawn_filter();
  const Options options{.border = {.z = drawn_border(), .y = drawn_border(), .x = drawn_border()},
                        .extent = *rc::gen::element(Extent::same, Extent::full),
                        .operation = *rc::gen::element(Operation::convolution, Operation::correlation)};
  RC_ASSERT(values_of(convolve(image, filter, options)) == values_of(convolve(image, filter, options, reference())));
}

RC_GTEST_PROP(Convolution, WithFlippedWeightsAndAnchorIsCorrelation, ()) {
  const Image image = drawn_image(drawn_shape());
  const Filter filter = drawn_filter();
  const FilterSize k = filter.size();
  const Anchor a = filter.anchor();
  std::vector<double> flipped = filter.weights();
  std::reverse(flipped.begin(), flipped.end());
  const Filter mirrored =
      Filter::dense(k, flipped).with_anchor({k.depth - 1 - a.z, k.height - 1 - a.y, k.width - 1 - a.x});
  const Border border = drawn_border();
  RC_ASSERT(values_of(convolve(image, filter, {.border = border})) ==
            values_of(correlate(image, mirrored, {.border = border})));
}

/// Weights that sum up to 1 leave pixels that are all 1 as they are, but for a few units in the last place, and never make more of them: what
/// takes 1 for white refuses more.
TEST(Gaussian, ConstantImageIsUnchanged) {
  const Shape shapes[] = {{.height = 1, .width = 300}, {.height = 64, .width = 81}, {.height = 64, .width = 81, .channels = 3},
                          {.height = 5, .width = 40},  {.depth = 9, .height = 10, .width = 22}};
  for (const Shape& shape : shapes) {
    for (int tenths = 3; tenths < 60; tenths += 3) {
      const double sigma = 0.1 * tenths;
      Image ones(shape, Pixel::f32);
      std::fill_n(reinterpret_cast<float*>(ones.view().data), shape.elements(), 1.0F);
      const Filter filter = gaussian({.sigma = sigma}).with_dims(shape.depth > 1 ? 3 : shape.height > 1 ? 2 : 1);
      for (const double value : values_of(convolve(ones, filter, {.method = Method::separable}))) {
        ASSERT_LE(value, 1) << to_string(shape) << ", sigma " << sigma;
        ASSERT_GE(value, 1 - 0x1p-21) << to_string(shape) << ", sigma " << sigma;
      }
    }
  }
}

/// Sums in f64 that f32 cannot hold are infinite there, by every instruction set, at every place of a vector.
TEST(Convolution, SumsInF64BecomeF32AsTheLanguageConverts) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {infinity, -infinity, 1e300, -1e300, 3.5e38, -3.5e38, 3.4e38, -3.4e38, 1.0 / 3, -1e-40, std::nan(""), 0};
  for (const std::int64_t width : {1, 5, 41}) {
    Image in({.height = 3, .width = width}, Pixel::f64);
    auto* at = reinterpret_cast<double*>(in.view().data);
    for (std::int64_t i = 0; i < in.shape().elements(); ++i) at[i] = values[static_cast<std::size_t>(i) % std::size(values)];
    for (const Filter& filter : {Filter(std::vector<double>{1}), Filter::separable({.y = {0.5}, .x = {2}})}) {
      const Image out = convolve(in, filter, {.output = Pixel::f32});
      for (std::int64_t i = 0; i < in.shape().elements(); ++i) {
        const float got = reinterpret_cast<const float*>(out.view().data)[i];
        const bool is_subnormal = at[i] != 0 && std::fabs(at[i]) < 0x1p-126;  // which may be taken as 0
        if (std::isnan(at[i])) EXPECT_TRUE(std::isnan(got)) << i;
        else if (is_subnormal) EXPECT_NEAR(got, at[i], 0x1p-126) << i;
        else EXPECT_EQ(got, static_cast<float>(at[i])) << i;
      }
    }
  }
}

}  // namespace
}  // namespace halation
