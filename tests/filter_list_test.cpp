// filter_list_test.cpp: the list of named filters: look-up, dimensions, arguments, and every sentence about a
// wrong one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "halation/error.h"
#include "halation/filters.h"

namespace halation {
namespace {

using testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "accepted";
}

std::string refusal_of(std::string_view name, const Arguments& arguments = {}, int dims = 2) {
  return refusal([&] { make_filter(name, arguments, dims); });
}

TEST(FilterList, HasEveryNameInOrder) {
  std::vector<std::string> names;
  for (const NamedFilter& filter : named_filters()) names.push_back(filter.name);
  EXPECT_THAT(names,
              ElementsAre("identity", "sharpen", "high_pass", "low_pass", "box", "gaussian",
                          "gaussian_derivative", "sobel", "scharr", "prewitt", "laplacian",
                          "laplacian_of_gaussian", "unsharp_mask", "emboss", "motion_blur", "disk", "edges"));
}

TEST(FilterList, FindsByName) {
  for (const NamedFilter& filter : named_filters()) EXPECT_EQ(&filter_named(filter.name), &filter);
}

TEST(FilterList, UnknownNamesGetTheNearestOne) {
  const auto refused = [](const char* name) { return refusal([&] { filter_named(name); }); };
  EXPECT_EQ(refused("gausian"), "unknown filter 'gausian'; did you mean 'gaussian'?");
  EXPECT_EQ(refused("guassian"), "unknown filter 'guassian'; did you mean 'gaussian'?");
  EXPECT_EQ(refused("bxo"), "unknown filter 'bxo'; did you mean 'box'?");
  EXPECT_EQ(refused("high-pass"), "unknown filter 'high-pass'; did you mean 'high_pass'?");
  EXPECT_EQ(refused("Sobel"), "unknown filter 'Sobel'; did you mean 'sobel'?");
  EXPECT_EQ(refused("laplace"), "unknown filter 'laplace'; did you mean 'laplacian'?");
  EXPECT_EQ(refused("edge"), "unknown filter 'edge'; did you mean 'edges'?");
  EXPECT_EQ(refused("unsharpmask"), "unknown filter 'unsharpmask'; did you mean 'unsharp_mask'?");
  const std::string all =
      "choose from identity, sharpen, high_pass, low_pass, box, gaussian, gaussian_derivative, sobel, "
      "scharr, prewitt, "
      "laplacian, laplacian_of_gaussian, unsharp_mask, emboss, motion_blur, disk, edges";
  EXPECT_EQ(refused("frobnicate"), "unknown filter 'frobnicate'; " + all);
  EXPECT_EQ(refused(""), "unknown filter ''; " + all);
}

TEST(FilterList, NamesOfOtherToolsGetTheFilterThatIsMeant) {
  const auto refused = [](const char* name) { return refusal([&] { filter_named(name); }); };
  const std::pair<const char*, const char*> cases[] = {
      {"blur", "gaussian"},     {"gauss", "gaussian"},        {"gaussian_blur", "gaussian"},      {"GaussianBlur", "gaussian"},
      {"mean", "box"},          {"average", "box"},           {"boxfilter", "box"},               {"BoxBlur", "box"},
      {"uniform_filter", "box"}, {"unsharp", "unsharp_mask"}, {"usm", "unsharp_mask"},            {"sharpening", "sharpen"},
      {"edge", "edges"},        {"Canny", "edges"},           {"dog", "laplacian_of_gaussian"},   {"LoG", "laplacian_of_gaussian"},
      {"sobel filter", "sobel"}, {"lens-blur", "disk"},       {"gaussian_laplace", "laplacian_of_gaussian"}};
  for (const auto& [name, meant] : cases)
    EXPECT_EQ(refused(name), std::string("unknown filter '") + name + "'; did you mean '" + meant + "'?");
  EXPECT_THAT(refused("median"), testing::StartsWith("unknown filter 'median'; choose from "));
}

TEST(FilterList, EveryFilterIsNamedAndOrientedInAllItsDimensions) {
  for (const NamedFilter& entry : named_filters()) {
    for (const int dims : entry.dims) {
      const FilterSet set = make_filter(entry.name, {}, dims);
      const FilterSet open = make_filter(entry.name);
      for (const FilterSet* each : {&set, &open}) {
        for (const Filter& filter : each->filters) {
          const Filter settled = filter.with_dims(dims);
          EXPECT_EQ(settled.name(), entry.name);
          EXPECT_TRUE(settled.is_correlation()) << entry.name;
          const FilterSize size = settled.size();
          EXPECT_TRUE(dims > 2 || size.depth == 1) << entry.name;
          EXPECT_TRUE(dims > 1 || size.height == 1) << entry.name;
        }
      }
      for (std::size_t i = 0; i < set.filters.size(); ++i) {
        EXPECT_EQ(open.filters[i].with_dims(dims).weights(), set.filters[i].weights())
            << entry.name << " " << dims;
      }
    }
  }
}

TEST(FilterList, DimensionsFollowTheImageUnlessOnlyOneHasAMeaning) {
  for (const NamedFilter& entry : named_filters()) {
    const Filter filter = make_filter(entry.name).filters.front();
    EXPECT_EQ(filter.dims() == 0, entry.dims.size() > 1) << entry.name;
  }
}

TEST(FilterList, FunctionsMakeWhatTheListMakes) {
  const auto same = [](const Filter& made, std::string_view name, const Arguments& arguments, int dims) {
    const Filter listed = make_filter(name, arguments, dims).filters.front();
    EXPECT_EQ(made.name(), name);
    EXPECT_EQ(made.size(), listed.size()) << name;
    EXPECT_EQ(made.weights(), listed.weights()) << name;
    EXPECT_TRUE(made.is_correlation()) << name;
  };
  same(identity(2), "identity", {}, 2);
  same(sharpen(0.5, 3), "sharpen", {{"strength", {0.5}}}, 3);
  same(high_pass(1), "high_pass", {}, 1);
  same(low_pass(7, 2), "low_pass", {{"divisor", {7}}}, 2);
  same(low_pass({}, 3), "low_pass", {}, 3);
  same(box({.size = {3, 5}, .dims = 2}), "box", {{"size", {3, 5}}}, 2);
  same(gaussian({.sigma = {1, 2}, .radius = 3, .dims = 2}), "gaussian", {{"sigma", {1, 2}}, {"radius", {3}}},
       2);
  same(gaussian_derivative({.sigma = 2, .order_z = 2, .order_y = 1, .order_x = 0, .dims = 3}),
       "gaussian_derivative", {{"sigma", {2}}, {"order_x", {0}}, {"order_y", {1}}, {"order_z", {2}}}, 3);
  same(sobel(Axis::y, 2), "sobel", {{"axis", {1}}}, 2);
  same(scharr(Axis::z, 3), "scharr", {{"axis", {2}}}, 3);
  same(prewitt(Axis::x, 1), "prewitt", {{"axis", {0}}}, 1);
  same(laplacian(8, 2), "laplacian", {{"neighbours", {8}}}, 2);
  same(laplacian_of_gaussian({.sigma = 2, .dims = 2}), "laplacian_of_gaussian", {{"sigma", {2}}}, 2);
  same(unsharp_mask({.sigma = 2, .amount = 3, .radius = 4, .dims = 2}), "unsharp_mask",
       {{"sigma", {2}}, {"amount", {3}}, {"radius", {4}}}, 2);
  same(emboss(30), "emboss", {{"angle", {30}}}, 2);
  same(motion_blur({.length = 7, .angle = 20}), "motion_blur", {{"length", {7}}, {"angle", {20}}}, 2);
  same(disk(2.5, 2), "disk", {{"radius", {2.5}}}, 2);
}

TEST(FilterList, FunctionsDefaultToWhatTheListDefaultsTo) {
  const Filter defaults[] = {identity(2),
                             sharpen(0.8, 2),
                             high_pass(2),
                             low_pass({}, 2),
                             box({.dims = 2}),
                             gaussian({.dims = 2}),
                             gaussian_derivative({.dims = 2}),
                             sobel(Axis::x, 2),
                             scharr(Axis::x, 2),
                             prewitt(Axis::x, 2),
                             laplacian(4, 2),
                             laplacian_of_gaussian({.dims = 2}),
                             unsharp_mask({.dims = 2}),
                             emboss(),
                             motion_blur(),
                             disk(5, 2)};
  for (const Filter& filter : defaults) {
    EXPECT_EQ(filter.weights(), make_filter(filter.name(), {}, 2).filters.front().weights()) << filter.name();
  }
  EXPECT_EQ(sharpen().with_dims(2).weights(), sharpen(0.8, 2).weights());
  EXPECT_EQ(disk().with_dims(2).weights(), disk(5, 2).weights());
  EXPECT_EQ(laplacian().with_dims(2).weights(), laplacian(4, 2).weights());
}

TEST(FilterList, UnknownParametersAreRefused) {
  EXPECT_EQ(refusal_of("gaussian", {{"sgima", {1}}}),
            "gaussian: no parameter 'sgima'; it has sigma, radius; did you mean 'sigma'?");
  EXPECT_EQ(refusal_of("gaussian", {{"strength", {1}}}),
            "gaussian: no parameter 'strength'; it has sigma, radius");
  EXPECT_EQ(refusal_of("high_pass", {{"strength", {1}}}), "high_pass: no parameter 'strength'; it has none");
}

TEST(FilterList, ValuesOutOfRangeAreRefused) {
  EXPECT_EQ(refusal_of("gaussian", {{"sigma", {-1}}}), "gaussian: sigma must be >= 0, got -1");
  EXPECT_EQ(refusal_of("unsharp_mask", {{"sigma", {-1e-300}}}), "unsharp_mask: sigma must be >= 0, got -1e-300");
  EXPECT_EQ(refusal_of("gaussian", {{"sigma", {1, -2}}}), "gaussian: sigma must be >= 0, got -2");
  EXPECT_EQ(refusal_of("gaussian", {{"radius", {-1}}}), "gaussian: radius must be an integer >= 0, got -1");
  EXPECT_EQ(refusal_of("gaussian", {{"radius", {2.5}}}), "gaussian: radius must be an integer >= 0, got 2.5");
  EXPECT_EQ(refusal_of("gaussian_derivative", {{"sigma", {0.05}}}),
            "gaussian_derivative: sigma must be >= 0.1, got 0.05");
  EXPECT_EQ(refusal_of("gaussian_derivative", {{"order_x", {9}}}),
            "gaussian_derivative: order_x must be an integer in [0, 8], got 9");
  EXPECT_EQ(refusal_of("laplacian_of_gaussian", {{"sigma", {0}}}),
            "laplacian_of_gaussian: sigma must be >= 0.1, got 0");
  EXPECT_EQ(refusal_of("sharpen", {{"strength", {1}}}), "sharpen: strength must be in [0, 1), got 1");
  EXPECT_EQ(refusal_of("sharpen", {{"strength", {-0.5}}}), "sharpen: strength must be in [0, 1), got -0.5");
  EXPECT_EQ(refusal_of("low_pass", {{"divisor", {0}}}),
            "low_pass: divisor must be in [0.001, 1000000], got 0");
  EXPECT_EQ(refusal_of("box", {{"size", {0}}}), "box: size must be an integer >= 1, got 0");
  EXPECT_EQ(refusal_of("unsharp_mask", {{"amount", {-1}}}),
            "unsharp_mask: amount must be in [0, 1000], got -1");
  EXPECT_EQ(refusal_of("emboss", {{"angle", {361}}}), "emboss: angle must be in [-360, 360], got 361");
  EXPECT_EQ(refusal_of("motion_blur", {{"length", {0.5}}}), "motion_blur: length must be >= 1, got 0.5");
  EXPECT_EQ(refusal_of("motion_blur", {{"angle", {-400}}}),
            "motion_blur: angle must be in [-360, 360], got -400");
  EXPECT_EQ(refusal_of("disk", {{"radius", {0}}}), "disk: radius must be > 0, got 0");
  EXPECT_EQ(refusal_of("sobel", {{"axis", {3}}}), "sobel: axis must be x, y or z, got 3");
  EXPECT_EQ(refusal_of("sobel", {{"axis", {0.5}}}), "sobel: axis must be x, y or z, got 0.5");
  EXPECT_EQ(refusal_of("laplacian", {{"neighbours", {27}}}),
            "laplacian: neighbours must be an integer in [2, 26], got 27");
}

TEST(FilterList, NotFiniteIsRefusedForEveryParameter) {
  for (const NamedFilter& filter : named_filters()) {
    for (const Parameter& parameter : filter.parameters) {
      const std::string sentence = filter.name + ": " + parameter.name + " must be finite, got ";
      EXPECT_EQ(refusal_of(filter.name, {{parameter.name, {not_a_number}}}), sentence + "nan");
      EXPECT_EQ(refusal_of(filter.name, {{parameter.name, {infinity}}}), sentence + "inf");
      EXPECT_EQ(refusal_of(filter.name, {{parameter.name, {-infinity}}}), sentence + "-inf");
    }
  }
}

TEST(FilterList, NumbersOfValuesAreChecked) {
  EXPECT_EQ(refusal_of("sharpen", {{"strength", {0.1, 0.2}}}), "sharpen: strength takes one value, got 2");
  EXPECT_EQ(refusal_of("sharpen", {{"strength", {}}}), "sharpen: strength takes one value, got 0");
  EXPECT_EQ(refusal_of("gaussian", {{"sigma", {}}}),
            "gaussian: sigma takes one value or one for each axis, got 0");
  EXPECT_EQ(refusal_of("box", {{"size", {3, 3, 3, 3}}}, 0),
            "box: size takes one value or one for each axis, got 4");
  EXPECT_EQ(refusal_of("gaussian", {{"sigma", {1, 2, 3}}}, 2),
            "gaussian: sigma takes one value or one for each of 2 axes, got 3");
  EXPECT_EQ(refusal_of("box", {{"size", {3, 5}}}, 1), "box: size takes one value in 1D, got 2");
  EXPECT_EQ(refusal([] {
              gaussian({.sigma = {1, 2}}).with_dims(3);
            }),
            "gaussian: sigma takes one value or one for each of 3 axes, got 2");
}

TEST(FilterList, DimensionsWithoutMeaningAreRefused) {
  EXPECT_EQ(refusal_of("emboss", {}, 3), "emboss: dims must be 2, got 3");
  EXPECT_EQ(refusal_of("motion_blur", {}, 1), "motion_blur: dims must be 2, got 1");
  EXPECT_EQ(refusal_of("gaussian", {}, 4), "gaussian: dims must be 1, 2 or 3, got 4");
  EXPECT_EQ(refusal_of("edges", {}, -1), "edges: dims must be 1, 2 or 3, got -1");
  EXPECT_EQ(refusal([] { sobel(Axis::y, 1); }), "sobel: axis must be x in 1D, got y");
  EXPECT_EQ(refusal([] { scharr(Axis::z).with_dims(2); }), "scharr: axis must be x or y in 2D, got z");
  EXPECT_EQ(refusal([] { gaussian_derivative({.order_z = 1, .dims = 2}); }),
            "gaussian_derivative: order_z must be 0 in 2D, got 1");
  EXPECT_EQ(refusal([] { laplacian(5, 1); }),
            "laplacian: neighbours must be 2 (4 and 8 mean the same) in 1D, got 5");
  EXPECT_EQ(refusal([] { laplacian(6, 2); }), "laplacian: neighbours must be 4 or 8 in 2D, got 6");
  EXPECT_EQ(refusal([] { laplacian(2, 3); }),
            "laplacian: neighbours must be 6 or 26 (4 and 8 mean the same) in 3D, got 2");
}

TEST(FilterList, TooManyWeightsAreRefused) {
  EXPECT_EQ(refusal_of("gaussian", {{"sigma", {1e7}}}),
            "gaussian: 80000001 weights are too many; at most 16777216 fit");
  EXPECT_EQ(refusal_of("gaussian", {{"radius", {1e300}}}),
            "gaussian: 2e+300 weights are too many; at most 16777216 fit");
  EXPECT_EQ(refusal_of("box", {{"size", {16777217}}}),
            "box: 16777217 weights are too many; at most 16777216 fit");
  EXPECT_EQ(refusal_of("unsharp_mask", {{"radius", {2048}}}),
            "unsharp_mask: 16785409 weights are too many; at most 16777216 fit");
  EXPECT_EQ(refusal_of("laplacian_of_gaussian", {{"sigma", {32}}}, 3),
            "laplacian_of_gaussian: 16974593 weights are too many; at most 16777216 fit");
  EXPECT_EQ(refusal_of("motion_blur", {{"length", {1e9}}}),
            "motion_blur: 1000000001 weights are too many; at most 16777216 fit");
  EXPECT_EQ(refusal_of("disk", {{"radius", {500}}}, 3),
            "disk: 1003003001 weights are too many; at most 16777216 fit");
  EXPECT_EQ(gaussian({.sigma = 1000, .dims = 2}).size(), (FilterSize{1, 8001, 8001}));
}

TEST(FilterList, RangesReadAsWords) {
  const auto range = [](double least, double most, bool integer = false) {
    Parameter parameter;
    parameter.least = least;
    parameter.most = most;
    parameter.integer = integer;
    return allowed_values(parameter);
  };
  const double unlimited = std::numeric_limits<double>::max();
  EXPECT_EQ(range(0, 1), "in [0, 1]");
  EXPECT_EQ(range(0, std::nextafter(1.0, 0.0)), "in [0, 1)");
  EXPECT_EQ(range(std::nextafter(2.0, 3.0), 2.5), "in (2, 2.5]");
  EXPECT_EQ(range(std::nextafter(0.0, 1.0), unlimited), "> 0");
  EXPECT_EQ(range(-0.25, unlimited), ">= -0.25");
  EXPECT_EQ(range(1, unlimited, true), "an integer >= 1");
  EXPECT_EQ(range(2, 26, true), "an integer in [2, 26]");
}

}  // namespace
}  // namespace halation
