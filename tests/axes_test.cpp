// axes_test.cpp: values for several axes are given by name; lists of them without names, in whatever order, do not compile.
#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "halation/filters.h"
#include "halation/halation.h"
#include "halation/io.h"

namespace halation {
namespace {

/// Whether `T` can be made of values without names: in braces, in parentheses, and with its first member left empty.
template <class T, class... Values>
concept UnnamedMake = requires(const Values&... values) { T{values...}; } || requires(const Values&... values) { T(values...); } ||
                      requires(const Values&... values) { T{{}, values...}; };

using Weights = std::vector<double>;
using Number = std::int64_t;
static_assert(!UnnamedMake<Factors, Weights>);
static_assert(!UnnamedMake<Factors, Weights, Weights>);
static_assert(!UnnamedMake<Factors, Weights, Weights, Weights>);
static_assert(!UnnamedMake<Region, Number, Number>);
static_assert(!UnnamedMake<Region, Number, Number, Number, Number>);
static_assert(!UnnamedMake<Region, Number, Number, Number, Number, Number, Number>);
static_assert(!UnnamedMake<Position, Number>);
static_assert(!UnnamedMake<Position, Number, Number>);
static_assert(!UnnamedMake<Position, Number, Number, Number>);
static_assert(!UnnamedMake<Position, Number, Number, Number, Number, Number>);
static_assert(!UnnamedMake<Borders, Border, Border>);
static_assert(!UnnamedMake<Borders, Border, Border, Border>);
static_assert(!UnnamedMake<GaussianDerivativeOptions, double, double, int, int, int>);
static_assert(!UnnamedMake<Metadata, std::vector<std::byte>, std::vector<std::byte>, std::vector<std::byte>, double, double>);

/// The calls, in the forms that they had.
template <class Row, class Index, class Edge>
concept UnnamedCalls =
    requires(const Row& row) { Filter::separable(row); } || requires(const Row& row) { Filter::separable(row, row); } ||
    requires(const Row& row) { Filter::separable(row, row, row); } || requires(const Row& row) { Filter::separable({row, row}); } ||
    requires(const View& view, Index i) { view.at<float>(i, i); } ||
    requires(const View& view, Index i) { view.at<float>({i, i}); } ||
    requires(const ConstView& view, Index i) { view.at<float>(i, i, i, i, i); } ||
    requires(const ConstView& view, Index i) { view.crop({i, i, i, i}); } ||
    requires(const Edge& edge) { Options{.border = {edge, edge, edge}}; };
static_assert(!UnnamedCalls<Weights, Number, Border> && !UnnamedCalls<Weights, int, Border>);

// By name they do, which shows that the concepts above ask for nothing impossible.
template <class Row, class Index, class Edge>
concept NamedCalls = requires(const Row& row, const View& view, Index i, const Edge& edge) {
  Filter::separable({.z = row, .y = row, .x = row});
  view.at<float>({.b = i, .z = i, .y = i, .x = i, .c = i});
  view.crop({.z = i, .y = i, .x = i, .depth = i, .height = i, .width = i});
  Options{.border = {.z = edge, .y = edge, .x = edge}};
  Options{.border = edge};
};
static_assert(NamedCalls<Weights, Number, Border> && NamedCalls<Weights, int, Border>);
static_assert(std::is_convertible_v<Border, Borders> && std::copyable<Region> && std::copyable<Factors>);

TEST(Axes, AreThoseNamed) {
  std::vector<float> pixels(std::size_t{2} * 3 * 5 * 7 * 2);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i);
  const ConstView view = view_of(pixels.data(), {.batch = 2, .depth = 3, .height = 5, .width = 7, .channels = 2});
  EXPECT_EQ(view.at<float>({.b = 1, .z = 2, .y = 3, .x = 4, .c = 1}), (((1 * 3 + 2) * 5 + 3) * 7 + 4) * 2 + 1);
  EXPECT_EQ(view.at<float>({.y = 3}), 3 * 7 * 2);
  const ConstView part = view.crop({.z = 1, .y = 2, .x = 3, .depth = 2, .height = 3, .width = 4});
  EXPECT_EQ(part.shape, (Shape{.batch = 2, .depth = 2, .height = 3, .width = 4, .channels = 2}));
  EXPECT_EQ(part.at<float>({}), ((1 * 5 + 2) * 7 + 3) * 2);
}

TEST(Axes, FactorsStandInTheOrderOfArrays) {
  const Filter filter = Filter::separable({.z = {1, 2}, .x = {3, 5, 7}});
  EXPECT_EQ(filter.size(), (FilterSize{.depth = 2, .height = 1, .width = 3}));
  EXPECT_EQ(filter.factors(), (Factors{.z = {1, 2}, .y = {1}, .x = {3, 5, 7}}));
  std::vector<std::size_t> taps;
  for (const std::span<const double> factor : filter.factors()->axes()) taps.push_back(factor.size());
  EXPECT_EQ(taps, (std::vector<std::size_t>{2, 1, 3}));
}

TEST(Axes, OneBorderIsForAllOfThem) {
  Borders borders = Border::wrap();
  EXPECT_EQ(borders, (Borders{.z = Border::wrap(), .y = Border::wrap(), .x = Border::wrap()}));
  borders = {.y = Border::constant(7)};
  EXPECT_EQ(borders.axes(), (std::array<Border, 3>{Border{}, Border::constant(7), Border{}}));
  EXPECT_EQ(Options{}.border, Border::reflect101());
}

}  // namespace
}  // namespace halation
