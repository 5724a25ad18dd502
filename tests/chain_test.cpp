// chain_test.cpp: chains as text, one filter after the other beside the reference in double, and filters that are joined.
#include "halation/chain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "colour_oracle.h"
#include "halation/filters.h"
#include "message_of.h"
#include "pipeline/chain/join.h"
#include "pipeline/chain/prepared_chain.h"

namespace halation {
namespace {

std::string refusal(const std::string& text) {
  return message_of([&] { chain_from(text); });
}

TEST(ChainText, NamesFiltersAndTheirParameters) {
  const Chain chain = chain_from("gaussian sigma=2,1 | unsharp_mask amount=0.5|edges | custom weights='0 -1 0; -1 5 -1; 0 -1 0'");
  ASSERT_EQ(chain.stages.size(), 4U);
  EXPECT_EQ(chain.stages[0].filters[0].with_dims(2).size(), gaussian({.sigma = {2, 1}, .dims = 2}).size());
  EXPECT_EQ(chain.stages[1].filters[0].with_dims(2).weights(), unsharp_mask({.amount = 0.5, .dims = 2}).weights());
  EXPECT_EQ(chain.stages[2].combine, Combine::magnitude);
  EXPECT_EQ(chain.stages[3].filters[0].weights(), (std::vector<double>{0, -1, 0, -1, 5, -1, 0, -1, 0}));
  EXPECT_EQ(chain_from("sobel axis=y").stages[0].filters[0].with_dims(2).weights(), sobel(Axis::y, 2).weights());
  EXPECT_EQ(chain_from("gaussian_derivative order-x=2").stages.size(), 1U);
  EXPECT_EQ(refusal("custom weights=\"1 2 | 1\""), "weights: row 1: '|' is not a number") << "a bar in quotes parts no stages";
}

TEST(ChainText, IsRefusedWithTheStageAndWhatWasExpected) {
  EXPECT_EQ(refusal(""), "chain: stage 1 is empty; expected a filter's name, such as gaussian sigma=2 | edges");
  EXPECT_EQ(refusal("edges |"), "chain: stage 2 is empty; expected a filter's name, such as gaussian sigma=2 | edges");
  const std::string written = "parameters are written name=value, such as ";
  EXPECT_EQ(refusal("edges | unsharp_mask amount"), "chain: stage 2 (unsharp_mask): " + written + "amount=1, got 'amount'");
  EXPECT_EQ(refusal("edges | unsharp_mask amount="), "chain: stage 2 (unsharp_mask): " + written + "amount=1, got 'amount='");
  EXPECT_EQ(refusal("gaussian sigma=1 sigma=2"), "chain: stage 1: sigma is given twice");
  EXPECT_EQ(refusal("gausian"), "unknown filter 'gausian'; did you mean 'gaussian'?");
  EXPECT_EQ(refusal("gaussian sigma=two"), "gaussian: sigma must be a finite number, got 'two'");
  EXPECT_EQ(refusal("gaussian sigma=-1"), "gaussian: sigma must be >= 0, got -1");
  EXPECT_EQ(refusal("sobel axis=w"), "sobel: axis must be x, y or z, got 'w'");
  EXPECT_EQ(refusal("custom weights='1 2"), "chain: the quote ' is not closed");
  EXPECT_EQ(refusal("custom"), "chain: custom takes weights and nothing else, such as custom weights='0 -1 0; -1 5 -1; 0 -1 0'");
  EXPECT_EQ(refusal("custom weights='1 x'"), "weights: row 1: 'x' is not a number");
}

TEST(ChainText, SaysHowAParameterIsWritten) {
  const auto refusal_of = [](const std::string& parameters) { return refusal("gaussian " + parameters); };
  const std::string written = "chain: stage 1 (gaussian): parameters are written name=value, such as ";
  for (const char* parameters : {"sigma 2", "sigma  2 radius=4", "sigma = 2", "sigma =2", "sigma\n2"})
    EXPECT_EQ(refusal_of(parameters), written + "sigma=2, got 'sigma'") << parameters;
  EXPECT_EQ(refusal_of("sigma= 2,1"), written + "sigma=2,1, got 'sigma='");
  EXPECT_EQ(refusal_of("--sigma 2"), written + "sigma=2, got '--sigma'");
  EXPECT_EQ(refusal_of("--sigma=2 --radius=3"), written + "sigma=2, got '--sigma=2'");
  EXPECT_EQ(refusal_of("sigma"), written + "sigma=1, got 'sigma'") << "its default";
  EXPECT_EQ(refusal_of("sigma two"), written + "sigma=1, got 'sigma'");
  EXPECT_EQ(refusal_of("radius"), written + "radius=2, got 'radius'") << "it has no default";
  EXPECT_EQ(refusal_of("2"), written + "sigma=1, got '2'");
  EXPECT_EQ(refusal_of("=2"), written + "sigma=1, got '=2'");
  EXPECT_EQ(refusal_of("--"), written + "sigma=1, got '--'");
  EXPECT_EQ(refusal("sobel axis y"), "chain: stage 1 (sobel): parameters are written name=value, such as axis=y, got 'axis'");
  EXPECT_EQ(refusal("sobel axis 2"), "chain: stage 1 (sobel): parameters are written name=value, such as axis=x, got 'axis'");
  EXPECT_EQ(refusal("gaussian_derivative order-x 2"),
            "chain: stage 1 (gaussian_derivative): parameters are written name=value, such as order_x=2, got 'order-x'");
  EXPECT_EQ(refusal("custom '0 -1 0'"),
            "chain: stage 1 (custom): parameters are written name=value, such as weights='0 -1 0; -1 5 -1; 0 -1 0', got ''0 -1 0''");
  EXPECT_EQ(refusal("box | edges 3"), "chain: stage 2 (edges): takes no parameters, got '3'");
  EXPECT_EQ(refusal("gausian sigma 2"), "unknown filter 'gausian'; did you mean 'gaussian'?") << "what is wrong first";
}

TEST(ChainText, SaysHowFiltersStandApart) {
  EXPECT_EQ(refusal("gaussian edges"), "chain: stage 1 (gaussian): filters stand apart by '|', such as gaussian | edges, got 'edges'");
  EXPECT_EQ(refusal("gaussian sigma=2 custom weights='1 2'"),
            "chain: stage 1 (gaussian): filters stand apart by '|', such as gaussian | custom, got 'custom'");
  EXPECT_EQ(refusal("custom edges"), "chain: stage 1 (custom): filters stand apart by '|', such as custom | edges, got 'edges'");
}

Filter odd(std::int64_t height, std::int64_t width, int seed) {
  std::vector<double> weights(static_cast<std::size_t>(height * width));
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> draw(-1, 1);
  for (double& weight : weights) weight = draw(random) / static_cast<double>(weights.size());
  return Filter::dense({.height = height, .width = width}, weights);
}

double magnitude(const Filter& filter) {
  const std::vector<double> weights = filter.weights();
  return std::accumulate(weights.begin(), weights.end(), 0.0, [](double sum, double w) { return sum + std::abs(w); });
}

/// A chain of single filters beside the reference in double, stage by stage.
void check(const Shape& shape, Pixel pixel, const std::vector<Filter>& filters, Options options) {
  SCOPED_TRACE(to_string(shape) + " " + std::string(name_of(pixel)) + " " + std::string(name_of(options.extent)));
  const Image in = pixel == Pixel::u8 ? image_of<std::uint8_t>(shape, random_values(shape, 0, 255, true))
                                      : image_of<float>(shape, random_values(shape, -1, 1, false));
  Image exact = in.clone();
  std::vector<FilterSet> stages;
  double largest = pixel == Pixel::u8 ? 255 : 1;
  double bound = 0;
  for (const Filter& filter : filters) {
    Options in_double = options;
    in_double.output = Pixel::f64;
    in_double.sum = Sum::f64;
    Options in_float = options;
    in_float.output = Pixel::f32;
    const double own = Plan({.shape = exact.shape(), .pixel = Pixel::f32, .filters = {filter}, .options = in_float}).error_bound(largest);
    exact = convolve(exact, filter, in_double, reference());
    bound = bound * magnitude(filter) + own;
    largest *= magnitude(filter);
    stages.emplace_back(filter);
  }
  options.output = Pixel::f32;
  const Image found = convolve_chain(in, Chain(stages), options);
  ASSERT_EQ(found.shape(), exact.shape());
  const std::vector<double> a = values_of(found.view());
  const std::vector<double> b = values_of(exact.view());
  // A joined filter has more taps than both: its sums round as often as those of both stages.
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2 * bound) << i;
}

TEST(Chain, AppliesOneFilterAfterTheOther) {
  const std::vector<std::vector<Filter>> chains = {
      {gaussian({.sigma = 1.5, .dims = 2}), unsharp_mask({.dims = 2})},
      {odd(3, 5, 1), odd(4, 2, 2)},
      {gaussian({.sigma = 0.8, .dims = 2}), odd(3, 3, 3), box({.size = 4, .dims = 2})},
      {odd(1, 4, 5), gaussian({.sigma = {0.7, 2.0}, .dims = 2}), sobel(Axis::y, 2)}};
  for (const auto& filters : chains) {
    for (const Border& border : {Border::reflect101(), Border::reflect(), Border::replicate(), Border::wrap(), Border::constant(0.5)}) {
      for (const Extent extent : {Extent::same, Extent::valid, Extent::full}) {
        for (const Operation operation : {Operation::convolution, Operation::correlation}) {
          check({.height = 33, .width = 41}, Pixel::f32, filters, {.border = border, .extent = extent, .operation = operation});
        }
      }
    }
    check({.height = 33, .width = 20, .channels = 3}, Pixel::u8, filters, {});
    check({.height = 3, .width = 2}, Pixel::f32, filters, {});
    check({.height = 2, .width = 50}, Pixel::f32, filters, {.border = Border::wrap()});
  }
}

TEST(Chain, RoundsOnce) {
  // Half of 1 and twice that is 1 again; rounded between it would be 0.
  const Image one = image_of<std::uint8_t>({.height = 4, .width = 4}, std::vector<double>(16, 1.0));
  const Chain halves_and_back({FilterSet(Filter({0.5})), FilterSet(Filter({2.0}))});
  EXPECT_EQ(values_of(convolve_chain(one, halves_and_back).view()), std::vector<double>(16, 1.0));
  // What passes the range on the way is not clipped.
  const Image bright = image_of<std::uint8_t>({.height = 4, .width = 4}, std::vector<double>(16, 200.0));
  const Chain twice_and_back({FilterSet(Filter({2.0})), FilterSet(Filter({0.5}))});
  EXPECT_EQ(values_of(convolve_chain(bright, twice_and_back).view()), std::vector<double>(16, 200.0));
}

TEST(Chain, ScalesAndOffsetsOnceAtTheEnd) {
  const Image two = image_of<std::uint8_t>({.height = 4, .width = 4}, std::vector<double>(16, 2.0));
  const Chain chain({FilterSet(Filter({3.0})), FilterSet(Filter({2.0}))});
  EXPECT_EQ(values_of(convolve_chain(two, chain, {.scale = 4, .offset = 5}).view()), std::vector<double>(16, 2.0 * 3 * 2 * 4 + 5));
}

TEST(Chain, TakesMagnitudesAsStages) {
  const Shape shape{.height = 30, .width = 31};
  const Image in = image_of<float>(shape, random_values(shape, 0, 1, false));
  const Image edge = convolve(in, edges(2), {});
  const Image expected = convolve(edge, gaussian({.dims = 2}), {});
  const Image found = convolve_chain(in, chain_from("edges | gaussian"));
  const std::vector<double> a = values_of(found.view()), b = values_of(expected.view());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5) << i;
}

TEST(Chain, KeepsColourPremultipliedAllTheWay) {
  // Where all is opaque but for one place, a chain of two blurs is the blur of both in premultiplied colour.
  const Shape shape{.height = 24, .width = 20, .channels = 4};
  const Image in = image_of<float>(shape, random_values(shape, 0.2, 1, false));
  const Options wraps{.border = Border::wrap()};
  const Filter first = gaussian({.sigma = 1.0, .dims = 2}), second = box({.size = 3, .dims = 2});
  const std::optional<Filter> both = joined(first, second, wraps);
  ASSERT_TRUE(both);
  const Image one = convolve_colour(in, *both, wraps, {.alpha = true});
  const Image chain = convolve_chain(in, Chain({FilterSet(first), FilterSet(second)}), wraps, {.alpha = true});
  const std::vector<double> a = values_of(one.view()), b = values_of(chain.view());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5) << i;
}

TEST(Chain, OfOneIsTheFilter) {
  const Shape shape{.height = 40, .width = 30, .channels = 3};
  const Image in = image_of<std::uint8_t>(shape, random_values(shape, 0, 255, true));
  EXPECT_EQ(values_of(convolve_chain(in, chain_from("gaussian sigma=2")).view()), values_of(convolve(in, gaussian({.sigma = 2})).view()));
}

TEST(Chain, IsRefusedWithoutStagesAndForSeveralImages) {
  const Image in({.height = 8, .width = 8}, Pixel::u8);
  EXPECT_EQ(message_of([&] { convolve_chain(in, Chain()); }), "a chain needs at least one filter");
  const FilterSet two({sobel(Axis::x), sobel(Axis::y)}, Combine::none);
  EXPECT_EQ(message_of([&] { convolve_chain(in, Chain({two, FilterSet(gaussian())})); }),
            "each stage of a chain gives one image, got 2 filters that are not combined");
}

TEST(Joined, IsOneFilterWhereBordersStayWhatTheyAre) {
  const FilterSet blur = gaussian({.dims = 2}), slope = sobel(Axis::x, 2), odd_one = odd(3, 4, 1);
  EXPECT_TRUE(joined(blur, slope, {}));
  EXPECT_TRUE(joined(blur, odd_one, {.border = Border::reflect()}));
  EXPECT_TRUE(joined(odd_one, blur, {.border = Border::wrap()}));
  EXPECT_TRUE(joined(odd_one, odd_one, {.extent = Extent::valid}));
  EXPECT_FALSE(joined(slope, blur, {})) << "the image of slopes is not mirrored but turned round beyond its border";
  EXPECT_FALSE(joined(odd_one, blur, {}));
  EXPECT_FALSE(joined(blur, blur, {.border = Border::replicate()}));
  EXPECT_FALSE(joined(blur, blur, {.border = Border::constant(0)}));
  EXPECT_FALSE(joined(blur, blur, {.extent = Extent::full}));
  EXPECT_FALSE(joined(FilterSet(edges(2)), blur, {}));
  EXPECT_TRUE(joined(blur, blur, {})->factors()) << "factors stay factors";
}

TEST(Joined, IsDoneWhereItTakesLessTime) {
  const Chain chain = chain_from("gaussian sigma=1 | gaussian sigma=1");
  const PreparedChain prepared({.height = 2000, .width = 2000}, Pixel::f32, chain, cpu(), {});
  EXPECT_EQ(prepared.plans().size(), 1U);
  EXPECT_EQ(prepared.explain().substr(0, 81), "2 filters of the chain are done as 1: the others are joined, which takes less tim");
}

}  // namespace
}  // namespace halation
