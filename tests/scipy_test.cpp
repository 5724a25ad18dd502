// scipy_test.cpp: reference and cpu against what SciPy answered (scipy/table.json, written by scipy/make_table.py).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "halation/halation.h"

namespace halation {
namespace {

using nlohmann::json;

Shape shape_of(const json& array) {
  std::vector<std::int64_t> extents = array.at("shape");
  while (extents.size() < 3) extents.insert(extents.begin(), 1);
  return {.depth = extents[0], .height = extents[1], .width = extents[2]};
}

Border border_of(const json& entry) {
  const std::string mode = entry.contains("mode") ? entry.at("mode") : entry.at("boundary");
  if (mode == "constant") return Border::constant(entry.at("cval"));
  if (mode == "fill") return Border::constant(entry.at("fillvalue"));
  if (mode == "nearest") return Border::replicate();
  if (mode == "reflect" || mode == "symm") return Border::reflect();
  if (mode == "mirror") return Border::reflect101();
  return Border::wrap();
}

/// ndimage puts the anchor at ⌊n/2⌋ + origin; signal's "same" at ⌊(n − 1)/2⌋.
Filter filter_of(const json& entry) {
  const Shape taps = shape_of(entry.at("weights"));
  const FilterSize size{taps.depth, taps.height, taps.width};
  const Filter filter = Filter::dense(size, entry.at("weights").at("values"));
  if (!entry.contains("origin")) {
    return filter.with_anchor({(size.depth - 1) / 2, (size.height - 1) / 2, (size.width - 1) / 2});
  }
  std::vector<std::int64_t> origin = entry.at("origin");
  while (origin.size() < 3) origin.insert(origin.begin(), 0);
  return filter.with_anchor({size.depth / 2 + origin[0], size.height / 2 + origin[1], size.width / 2 + origin[2]});
}

class SciPyTable : public testing::TestWithParam<Device> {};

TEST_P(SciPyTable, AgreesInEveryCase) {
  std::ifstream file(HALATION_TESTS_DIR "/scipy/table.json");
  ASSERT_TRUE(file) << "table.json is missing";
  const json table = json::parse(file);
  ASSERT_GT(table.at("cases").size(), 200U);
  for (const json& entry : table.at("cases")) {
    const std::vector<double> values = entry.at("image").at("values");
    const std::vector<double> expected = entry.at("result").at("values");
    Options options{.border = border_of(entry)};
    if (entry.contains("extent")) options.extent = extent_named(entry.at("extent").get<std::string>());
    if (entry.at("function") == "ndimage.correlate") options.operation = Operation::correlation;
    const Image out = convolve(view_of(values.data(), shape_of(entry.at("image"))), filter_of(entry), options, GetParam());
    ASSERT_EQ(out.shape(), shape_of(entry.at("result"))) << entry;
    const auto* got = reinterpret_cast<const double*>(out.view().data);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // All values are multiples of 1/64: both sides are exact but for the sums' own rounding.
      ASSERT_NEAR(got[i], expected[i], 1e-10 * std::max(1.0, std::fabs(expected[i]))) << "element " << i << " of " << entry;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SciPyTable, testing::Values(reference(), cpu()),
                         [](const auto& device) { return name_of(device.param); });

}  // namespace
}  // namespace halation
