// cpu_odd_rows_test.cpp: outputs that go past the caches, with rows that begin anywhere: the bits are those of an output that does
// not, and nothing beside the output is written.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "halation/halation.h"

namespace halation {
namespace {

/// An output within a buffer: rows of a pitch, from some element behind a cache line on, or behind the input's place within pages.
struct Place {
  std::int64_t begin, row_padding;
  bool behind_input = false;
};

class Buffer {
 public:
  Buffer(const Shape& shape, Pixel pixel, const Place& place, const std::byte* input = nullptr) {
    constexpr std::uintptr_t page = 4096;
    const auto element = static_cast<std::int64_t>(bytes_of(pixel));
    view_ = {.shape = shape, .strides = strides_of(shape, pixel), .pixel = pixel};
    view_.strides.height += place.row_padding * element;
    view_.strides.depth = view_.strides.height * shape.height;
    view_.strides.batch = view_.strides.depth * shape.depth;
    bytes_.assign(static_cast<std::size_t>(view_.strides.batch * shape.batch + (place.begin + 64) * element) + page, guard);
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    const std::uintptr_t from = place.behind_input ? reinterpret_cast<std::uintptr_t>(input) % page : 0;
    const std::uintptr_t places = place.behind_input ? page : 64;
    view_.data = bytes_.data() + (from + page - address % page) % places + place.begin * element;
  }
  const View& view() const { return view_; }

  /// Rows one after another; throws where something beside them was written.
  std::vector<std::byte> rows() const {
    std::vector<std::byte> rows;
    const std::byte* left = bytes_.data();
    const std::int64_t length = view_.shape.width * view_.shape.channels * static_cast<std::int64_t>(bytes_of(view_.pixel));
    const auto check = [](const std::byte* from, const std::byte* to) {
      for (; from < to; ++from) {
        if (*from != guard) throw std::runtime_error("written beside the output");
      }
    };
    for (std::int64_t row = 0; row < view_.shape.batch * view_.shape.depth * view_.shape.height; ++row) {
      const std::byte* begin = view_.data + row * view_.strides.height;
      check(left, begin);
      rows.insert(rows.end(), begin, begin + length);
      left = begin + length;
    }
    check(left, bytes_.data() + bytes_.size());
    return rows;
  }

 private:
  static constexpr std::byte guard{0xa5};
  std::vector<std::byte> bytes_;
  View view_;
};

std::mt19937 random_numbers(56);

std::vector<double> random_weights(std::int64_t count) {
  std::uniform_real_distribution<double> weight(-1, 1);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) weights.push_back(weight(random_numbers));
  return weights;
}

Image random_image(const Shape& shape, Pixel pixel) {
  Image image(shape, pixel);
  auto* bytes = image.view().data;
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    if (pixel == Pixel::f32) reinterpret_cast<float*>(bytes)[i] = static_cast<float>(random_numbers() % 1000) - 300;
    if (pixel == Pixel::f64) reinterpret_cast<double*>(bytes)[i] = static_cast<double>(random_numbers() % 1000) - 300;
    if (pixel == Pixel::u8) reinterpret_cast<std::uint8_t*>(bytes)[i] = static_cast<std::uint8_t>(random_numbers());
  }
  return image;
}

/// Whether rows hold the same bits, or numbers that differ by `most`.
bool are_alike(const std::vector<std::byte>& rows, const std::byte* expected, float most) {
  if (std::memcmp(rows.data(), expected, rows.size()) == 0) return true;
  const auto* a = reinterpret_cast<const float*>(rows.data());
  const auto* b = reinterpret_cast<const float*>(expected);
  for (std::size_t i = 0; i < rows.size() / sizeof(float); ++i) {
    if (!(std::fabs(a[i] - b[i]) < most)) return false;
  }
  return true;
}

/// The output by way of one whose samples lie apart, which is not made past the caches.
Image made_apart(const Plan& plan, const Image& in) {
  Shape wide = plan.output_shape();
  wide.width *= 2;
  Image apart(wide, plan.output_pixel());
  View every_second = apart.view();
  every_second.shape = plan.output_shape();
  every_second.strides.width *= 2;
  plan.run(in, every_second);
  Image made(plan.output_shape(), plan.output_pixel());
  copy(every_second, made.view());
  return made;
}

/// Filters an image of more than 8 MiB into outputs of several places, packed, and into one whose samples lie apart, which is not made
/// past the caches. `most`: where channels that lie apart are summed in another order.
void check(const Shape& shape, Pixel pixel, const Filter& filter, Method method, std::span<const Place> places, float most = 0,
           std::optional<Pixel> from = {}) {
  const Image in = random_image(shape, from.value_or(pixel));
  for (const int threads : {1, 3}) {
    const Plan plan(
        {.shape = shape, .pixel = in.pixel(), .filters = {filter}, .options = {.output = pixel, .method = method, .threads = threads}});
    ASSERT_EQ(plan.methods(), std::vector{method});
    const Image expected = made_apart(plan, in);
    const auto bytes = static_cast<std::size_t>(shape.elements()) * bytes_of(pixel);
    for (const Place& place : places) {
      const Buffer out(shape, pixel, place, in.view().data);
      plan.run(in, out.view());
      const std::vector<std::byte> rows = out.rows();
      ASSERT_EQ(rows.size(), bytes);
      EXPECT_TRUE(are_alike(rows, expected.view().data, most))
          << name_of(method) << " of " << shape.width << " pixels of " << shape.channels << " " << name_of(pixel) << ", from element "
          << place.begin << ", " << place.row_padding << " between rows, " << threads << " threads";
    }
  }
}

const std::vector<Place> all_places = {{0, 0}, {1, 0}, {5, 3}, {8, 8}, {15, 0}, {3, 16}, {0, 1}};

TEST(CpuOddRows, DirectFiltersOfAnyHeight) {
  for (std::int64_t k = 1; k <= 8; ++k) {
    const std::int64_t width = 1999 + 7 * k;
    check({.height = 1100, .width = width}, Pixel::f32, Filter::dense({1, k, k == 1 ? 3 : k}, random_weights(k * (k == 1 ? 3 : k))),
          Method::direct, all_places);
  }
}

TEST(CpuOddRows, RowsThatLieBehindTheInputWithinPages) {
  for (const std::int64_t width : {1023, 2045, 4099, 4110}) {
    for (const std::int64_t k : {2, 3, 4, 5}) {
      check({.height = (std::int64_t{9} << 18) / width, .width = width}, Pixel::f32, Filter::dense({1, k, k}, random_weights(k * k)),
            Method::direct, std::vector<Place>{{0, 0, true}, {13, 0, true}, {50, 3, true}, {61, 0, true}});
    }
  }
}

TEST(CpuOddRows, RowsOfPages) {
  for (const std::int64_t width : {1024, 2048, 2049, 4096}) {
    for (const std::int64_t k : {3, 4, 5, 6}) {
      check({.height = (std::int64_t{9} << 18) / width, .width = width}, Pixel::f32, Filter::dense({1, k, k}, random_weights(k * k)),
            Method::direct, std::vector<Place>{{0, 0}, {16, 0}, {7, 0}, {48, 0}});
    }
  }
}

// Rows of one tile that follow one another end and begin in one cache line.
TEST(CpuOddRows, NarrowRows) {
  for (const std::int64_t width : {256, 259, 511, 512, 768, 1023, 1027}) {
    const Shape shape{.height = (std::int64_t{9} << 18) / width, .width = width};
    const std::vector<Place> places = {{0, 0}, {1, 0}, {15, 0}, {8, 1}};
    check(shape, Pixel::f32, Filter::dense({1, 3, 3}, random_weights(9)), Method::direct, places);
    check(shape, Pixel::f32, Filter::dense({1, 4, 5}, random_weights(20)), Method::direct, places);
    check(shape, Pixel::f32, Filter::dense({1, 1, 5}, random_weights(5)), Method::direct, places);
    check(shape, Pixel::f32, Filter::dense({1, 5, 1}, random_weights(5)), Method::direct, places);
    check(shape, Pixel::f32, Filter::separable({.z = {1}, .y = random_weights(5), .x = random_weights(9)}), Method::separable, places);
  }
  check({.height = 4000, .width = 293, .channels = 3}, Pixel::f32, Filter::dense({1, 3, 3}, random_weights(9)), Method::direct, all_places, 0.01F);
  check({.height = 4000, .width = 301}, Pixel::f64, Filter::dense({1, 3, 3}, random_weights(9)), Method::direct, all_places);
}

TEST(CpuOddRows, ColumnsAndRows) {
  check({.height = 1200, .width = 2003}, Pixel::f32, Filter::dense({1, 5, 1}, random_weights(5)), Method::direct, all_places);
  check({.height = 1200, .width = 2003}, Pixel::f32, Filter::dense({1, 1, 9}, random_weights(9)), Method::direct, all_places);
  check({.height = 1200, .width = 2003}, Pixel::f32, Filter::separable({.z = {1}, .y = random_weights(7), .x = random_weights(5)}),
        Method::separable, all_places);
  check({.height = 1200, .width = 2003}, Pixel::f32, Filter::separable({.z = {1}, .y = random_weights(4), .x = random_weights(40)}),
        Method::separable, all_places);
}

TEST(CpuOddRows, Signals) {
  check({.width = 3'000'001}, Pixel::f32, Filter::dense({1, 1, 7}, random_weights(7)), Method::direct, all_places);
}

TEST(CpuOddRows, Channels) {
  for (const std::int64_t channels : {2, 3, 4, 5}) {
    const Shape shape{.height = 900, .width = 3001 / channels + 300, .channels = channels};
    check(shape, Pixel::f32, Filter::dense({1, 3, 3}, random_weights(9)), Method::direct, all_places);
    check(shape, Pixel::f32, Filter::separable({.z = {1}, .y = random_weights(3), .x = random_weights(7)}), Method::separable, all_places, 0.01F);
  }
}

TEST(CpuOddRows, Volumes) {
  const Shape shape{.depth = 8, .height = 260, .width = 1237};
  check(shape, Pixel::f32, Filter::dense({3, 3, 3}, random_weights(27)), Method::direct, all_places);
  check(shape, Pixel::f32, Filter::dense({2, 5, 3}, random_weights(30)), Method::direct, all_places);
  check(shape, Pixel::f32, Filter::separable({.z = random_weights(3), .y = random_weights(3), .x = random_weights(3)}), Method::separable,
        all_places);
}

TEST(CpuOddRows, BoxesAndSumsOfProducts) {
  const Shape shape{.height = 1200, .width = 2003};
  for (const std::int64_t k : {3, 9, 31}) {
    check(shape, Pixel::f32, box({.size = k}), Method::box, all_places);
    check({.height = 4000, .width = 601}, Pixel::f32, box({.size = k}), Method::box, all_places);
  }
  check({.height = 1000, .width = 801, .channels = 3}, Pixel::f32, box({.size = 5}), Method::box, all_places, 0.01F);
  std::vector<double> weights(81);
  const std::vector<double> y = random_weights(18), x = random_weights(18);
  for (std::size_t i = 0; i < 81; ++i) weights[i] = y[i / 9] * x[i % 9] + y[9 + i / 9] * x[9 + i % 9];
  check(shape, Pixel::f32, Filter::dense({1, 9, 9}, weights), Method::low_rank, all_places, 0, Pixel::u8);
}

TEST(CpuOddRows, SparseFiltersBesideNaN) {
  const Shape shape{.height = 1000, .width = 2112};  // whole cache lines, so that tiles begin where the output's do
  Image in = random_image(shape, Pixel::f32);
  for (const std::int64_t x : {0, 12, 30, 70, 1060}) in.view().at<float>({.y = 300 + x / 4, .x = x}) = std::numeric_limits<float>::quiet_NaN();
  std::vector<double> corners(9);
  for (const std::size_t i : {0U, 2U, 6U, 8U}) corners[i] = random_weights(1)[0];
  for (const Border& border : {Border::reflect101(), Border::wrap(), Border::constant(3)}) {
    const Plan plan({.shape = shape,
                     .pixel = Pixel::f32,
                     .filters = {Filter::dense({1, 3, 3}, corners)},
                     .options = {.border = border, .method = Method::direct}});
    const Image expected = made_apart(plan, in);
    for (const Place& place : {Place{0, 0}, Place{4, 0}, Place{9, 0}, Place{3, 16}, Place{5, 3}}) {
      const Buffer out(shape, Pixel::f32, place);
      plan.run(in, out.view());
      const std::vector<std::byte> rows = out.rows();
      EXPECT_EQ(std::memcmp(rows.data(), expected.view().data, rows.size()), 0)
          << "from element " << place.begin << ", " << place.row_padding << " between rows";
    }
  }
}

TEST(CpuOddRows, SeveralFilters) {
  const Shape shape{.height = 1100, .width = 2003};
  const Image in = random_image(shape, Pixel::f32);
  const std::vector<Filter> filters = {Filter::dense({1, 3, 3}, random_weights(9)), Filter::dense({1, 1, 1}, {1.0}), box({.size = 5}),
                                       Filter::separable({.z = {1}, .y = random_weights(5), .x = random_weights(3)})};
  for (const int threads : {1, 3}) {
    std::vector<std::vector<std::byte>> each;
    for (const Filter& filter : filters) {
      const Buffer out(shape, Pixel::f32, {3, 1});
      Plan({.shape = shape, .pixel = Pixel::f32, .filters = {filter}, .options = {.threads = threads}}).run(in, out.view());
      each.push_back(out.rows());
    }
    const Plan plan({.shape = shape, .pixel = Pixel::f32, .filters = filters, .options = {.threads = threads}});
    const Buffer outs[] = {{shape, Pixel::f32, {0, 0}}, {shape, Pixel::f32, {1, 0}}, {shape, Pixel::f32, {0, 13}}, {shape, Pixel::f32, {7, 2}}};
    const View views[] = {outs[0].view(), outs[1].view(), outs[2].view(), outs[3].view()};
    plan.run(in, views);
    for (std::size_t i = 0; i < filters.size(); ++i) EXPECT_TRUE(are_alike(outs[i].rows(), each[i].data(), 1e-2F)) << i;
  }
}

TEST(CpuOddRows, WideFiltersFromTheirEnd) {
  check({.height = 1100, .width = 2003}, Pixel::f32,
        Filter::separable({.z = {1}, .y = random_weights(3), .x = random_weights(41)}).with_anchor({.y = 1, .x = 0}), Method::separable, all_places);
}

TEST(CpuOddRows, FloatsOfEightBytes) {
  check({.height = 1100, .width = 1003}, Pixel::f64, Filter::dense({1, 3, 3}, random_weights(9)), Method::direct, all_places);
  check({.height = 1100, .width = 1003}, Pixel::f64, Filter::dense({1, 7, 5}, random_weights(35)), Method::direct, all_places);
  check({.height = 1100, .width = 1003}, Pixel::f64, Filter::separable({.z = {1}, .y = random_weights(5), .x = random_weights(5)}),
        Method::separable, all_places);
}

TEST(CpuOddRows, Bytes) {
  check({.height = 2100, .width = 4099}, Pixel::u8, Filter::dense({1, 5, 5}, std::vector<double>(25, 0.04)), Method::direct, all_places);
  check({.height = 2100, .width = 4099}, Pixel::u8, box({.size = 5}), Method::box, all_places);
  check({.height = 2100, .width = 4099}, Pixel::u8, gaussian({.sigma = 1}), Method::separable, all_places);
  check({.height = 2100, .width = 4096}, Pixel::u8, gaussian({.sigma = 2}), Method::separable, std::vector<Place>{{0, 0}, {64, 0}, {0, 7}, {63, 64}});
  check({.height = 9000, .width = 1000}, Pixel::u8, gaussian({.sigma = 1}), Method::separable, all_places);  // tiles of whole rows
  check({.height = 9000, .width = 1027}, Pixel::u8, Filter::dense({1, 3, 5}, std::vector<double>(15, 1.0 / 16)), Method::direct, all_places);
  check({.height = 3000, .width = 1001, .channels = 3}, Pixel::u8, gaussian({.sigma = 1}), Method::separable, all_places);
  check({.height = 1100, .width = 4099}, Pixel::i16, Filter::dense({1, 3, 3}, {-1, 0, 1, -2, 0, 2, -1, 0, 1}), Method::separable,
        all_places, 0, Pixel::u8);
}

}  // namespace
}  // namespace halation
