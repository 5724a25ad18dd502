// cpu_tiles_test.cpp: images of several tiles on the CPU: those that are read where they lie, and outputs that go past the caches
// (src/cpu). The sweep's images are too small for either.
//
// Data and weights are whole numbers small enough for every sum to be exact, so that every pixel must be right to the bit.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "cpu/tiles/tiles.h"
#include "halation/halation.h"
#include "numbers.h"

namespace halation {
namespace {

template <class T>
Image whole_image(const Shape& shape, Pixel pixel, Layout layout = Layout::interleaved) {
  Image image(shape, pixel, layout);
  Numbers numbers(1);
  auto* to = reinterpret_cast<T*>(image.view().data);
  for (std::int64_t i = 0; i < shape.elements(); ++i) to[i] = static_cast<T>(numbers.below(256));
  return image;
}

Filter whole_filter(std::int64_t height, std::int64_t width, std::int64_t depth = 1) {
  Numbers numbers(2);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < depth * height * width; ++i) weights.push_back(static_cast<double>(numbers.below(9)) - 4);
  weights.back() = 1;
  return Filter::dense({.depth = depth, .height = height, .width = width}, std::move(weights));
}

void expect_same(const Image& image, const Filter& filter, Options options, Method method = Method::direct) {
  options.method = Method::direct;
  const Image expected = convolve(image, filter, options, reference());
  options.method = method;
  for (const int threads : {1, 2}) {
    options.threads = threads;
    const Image found = convolve(image, filter, options, cpu());
    const auto bytes = static_cast<std::size_t>(expected.shape().elements()) * bytes_of(expected.pixel());
    EXPECT_EQ(std::memcmp(expected.view().data, found.view().data, bytes), 0)
        << name_of(method) << " " << filter.size().depth << "x" << filter.size().height << "x" << filter.size().width << " over "
        << to_string(image.shape()) << " " << name_of(image.pixel()) << ", border "
        << name_of(options.border.x.mode) << ", " << threads << " threads";
  }
}

constexpr Border::Mode modes[] = {Border::Mode::constant, Border::Mode::replicate, Border::Mode::reflect, Border::Mode::reflect101,
                                  Border::Mode::wrap};

TEST(CpuTiles, AreOneForEachWorkerUnderTallFiltersToo) {
  const auto tiles_of = [](const Shape& out, const Space& taps, int workers) {
    Taps tall;
    tall.size = taps;
    const auto bytes = [](std::int64_t width, std::int64_t rows, std::int64_t step) { return 64 * (rows + 1) * width * step; };
    return cpu_backend::Tiles(out, 1, cpu_backend::FilterReach({&tall, 1}), workers, {.row_multiple = 6, .most_kept_rows = out.depth > 1 ? 128 : 0},
                              bytes);
  };
  EXPECT_EQ(tiles_of({.height = 512, .width = 345}, {1, 156, 1}, 1).count(), 1);
  EXPECT_EQ(tiles_of({.height = 512, .width = 345}, {1, 156, 1}, 2).count(), 2);
  EXPECT_GE(tiles_of({.height = 128, .width = 496}, {1, 138, 1}, 2).count(), 2);
  EXPECT_GE(tiles_of({.height = 512, .width = 345}, {1, 156, 1}, 4).count(), 4);
  EXPECT_EQ(tiles_of({.height = 2000, .width = 345}, {1, 156, 1}, 2).count(), 4);  // four times as many rows as taps
  EXPECT_GE(tiles_of({.depth = 48, .height = 27, .width = 16}, {20, 20, 1}, 2).count(), 2);
  expect_same(whole_image<double>({.height = 130, .width = 70}, Pixel::f64), whole_filter(90, 1), {});
  expect_same(whole_image<float>({.height = 130, .width = 70}, Pixel::f32), Filter::separable({.y = std::vector(90, 1.0), .x = {1, 2, 1}}), {},
              Method::separable);
  expect_same(whole_image<float>({.depth = 23, .height = 13, .width = 16}, Pixel::f32), whole_filter(9, 1, 20), {});
}

TEST(CpuTiles, RowsReadWhereTheyLie) {
  for (const std::int64_t width : {511, 513, 600, 1151, 1152, 1153, 2200}) {
    const Image f32 = whole_image<float>({.height = 23, .width = width}, Pixel::f32);
    const Image f64 = whole_image<double>({.height = 23, .width = width}, Pixel::f64);
    const Image three = whole_image<float>({.height = 23, .width = width, .channels = 3}, Pixel::f32);
    const Image planar = whole_image<float>({.height = 23, .width = width, .channels = 3}, Pixel::f32, Layout::planar);
    for (const std::int64_t taps : {2, 3, 5, 6, 7, 8, 11}) {
      for (const Border::Mode mode : modes) {
        const Options options{.border = Border{mode, mode == Border::Mode::constant ? 7.0 : 0.0}};
        for (const Image* image : {&f32, &f64, &three, &planar}) expect_same(*image, whole_filter(taps, taps + 1), options);
      }
    }
  }
}

Filter whole_factors(std::int64_t depth, std::int64_t height, std::int64_t width) {
  Numbers numbers(3);
  const auto factor = [&](std::int64_t taps) {
    std::vector<double> weights;
    for (std::int64_t i = 0; i < taps; ++i) weights.push_back(static_cast<double>(numbers.below(5)) - 2);
    weights.back() = 1;
    return weights;
  };
  if (depth == 1) return Filter::separable({.y = factor(height), .x = factor(width)});
  return Filter::separable({.z = factor(depth), .y = factor(height), .x = factor(width)});
}

TEST(CpuTiles, SeparableWhereRowsLie) {
  for (const std::int64_t width : {700, 1153}) {
    const Image f32 = whole_image<float>({.height = 23, .width = width}, Pixel::f32);
    const Image f64 = whole_image<double>({.height = 23, .width = width}, Pixel::f64);
    const Image u8 = whole_image<std::uint8_t>({.height = 23, .width = width}, Pixel::u8);
    const Image three = whole_image<float>({.height = 23, .width = width, .channels = 3}, Pixel::f32);
    for (const auto& [height, taps] : {std::pair{3, 7}, {2, 16}, {8, 17}, {12, 40}, {1, 9}, {9, 1}, {1, 1}}) {
      for (const Border::Mode mode : modes) {
        const Options options{.border = Border{mode, mode == Border::Mode::constant ? 7.0 : 0.0}};
        for (const Image* image : {&f32, &f64, &u8, &three}) {
          expect_same(*image, whole_factors(1, height, taps), options, Method::separable);
        }
      }
    }
  }
}

TEST(CpuTiles, SeparableVolumes) {
  const Image f32 = whole_image<float>({.depth = 5, .height = 11, .width = 700}, Pixel::f32);
  const Image u16 = whole_image<std::uint16_t>({.depth = 5, .height = 11, .width = 700}, Pixel::u16);
  for (const auto& size : {std::array{3, 3, 3}, {2, 1, 1}, {3, 1, 5}, {4, 7, 1}, {7, 5, 33}}) {
    for (const Border::Mode mode : modes) {
      const Options options{.border = Border{mode, mode == Border::Mode::constant ? 7.0 : 0.0}};
      const Filter filter = whole_factors(size[0], size[1], size[2]);
      for (const Image* image : {&f32, &u16}) expect_same(*image, filter, options, Method::separable);
    }
  }
}

// Tiles of volumes that keep staged rows from plane to plane: several of them along y (300 rows) and along z.
TEST(CpuTiles, VolumesThatKeepPlanes) {
  const Image tall = whole_image<float>({.depth = 15, .height = 300, .width = 40}, Pixel::f32);
  const Image deep = whole_image<float>({.depth = 61, .height = 20, .width = 70}, Pixel::f32);
  const Image bytes = whole_image<std::uint8_t>({.depth = 30, .height = 20, .width = 70, .channels = 3}, Pixel::u8);
  for (const Border::Mode mode : modes) {
    const Options options{.border = Border{mode, mode == Border::Mode::constant ? 7.0 : 0.0}};
    for (const Image* image : {&tall, &deep, &bytes}) {
      for (const auto& size : {std::array{2, 1, 1}, {3, 3, 3}, {4, 2, 5}, {5, 7, 3}}) {
        expect_same(*image, whole_filter(size[1], size[2], size[0]), options);
      }
    }
  }
}

// Taps that stand whole vectors apart share what they load: 2, 4, 8 or 16 samples a vector, 1 to 4 of them beside one another.
TEST(CpuTiles, LongRows) {
  for (const std::int64_t taps : {2, 5, 8, 9, 15, 16, 17, 31, 32, 33, 48, 49, 63, 64, 65, 66, 130, 200}) {
    const Options options{.border = Border::reflect101()};
    const Filter filter = whole_filter(1, taps);
    for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
      expect_same(whole_image<float>({.width = 3000, .channels = channels}, Pixel::f32), filter, options);
      expect_same(whole_image<double>({.width = 1100, .channels = channels}, Pixel::f64), filter, options);
    }
    for (const std::int64_t width : {1, 15, 17, 255, 20000}) {
      expect_same(whole_image<float>({.width = width}, Pixel::f32), filter, options);
    }
  }
}

TEST(CpuTiles, FoldedRowsAboveAndBelow) {
  const Image image = whole_image<float>({.height = 2, .width = 700}, Pixel::f32);
  for (const Border::Mode mode : modes) expect_same(image, whole_filter(7, 7), {.border = Border{mode, 0}});
}

TEST(CpuTiles, ScaledAndOffset) {
  const Image image = whole_image<float>({.height = 31, .width = 1300}, Pixel::f32);
  for (const double offset : {0.0, 3.0})
    expect_same(image, whole_filter(5, 5), {.border = Border::reflect(), .scale = 0.25, .offset = offset});
}

TEST(CpuTiles, SumsThatNoIntegerHolds) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> sums = {nan,   -nan,  inf,     -inf,    0,     -0.0,         -0.4, -0.5, -0.6,          0.5,  1.5,
                                    2.5,   0.99,  127.5,   254.5,   255.5, 255.9,        256,  4e9,  32767.5,       5e9,  32768,
                                    -5e9,  1e30,  65534.5, 65535.5, 65536, 2147483648.0, -1e30, -32768.5, -2147483649.0};
  for (const Pixel pixel : {Pixel::f32, Pixel::f64}) {
    for (const std::int64_t width : {7, 33, 64, 129, 4200}) {
      Image image({.height = 3, .width = width}, pixel);
      for (std::int64_t i = 0; i < 3 * width; ++i) {
        const double sum = sums[static_cast<std::size_t>(i) % sums.size()];
        if (pixel == Pixel::f32) {
          reinterpret_cast<float*>(image.view().data)[i] = static_cast<float>(sum);
        } else {
          reinterpret_cast<double*>(image.view().data)[i] = sum;
        }
      }
      for (const Pixel output : {Pixel::u8, Pixel::u16, Pixel::i16})
        for (const Rounding rounding : {Rounding::half_even, Rounding::truncate})
          for (const std::int64_t height : {1, 3})  // three rows of which one counts
            expect_same(image, height == 1 ? Filter::dense({.width = 1}, {1.0}) : Filter::dense({.height = 3}, {0.0, 1.0, 0.0}),
                        {.output = output, .rounding = rounding});
    }
  }
}

TEST(CpuTiles, OutputsPastTheCaches) {
  for (const std::int64_t width : {2048, 2051}) {
    const Image image = whole_image<float>({.height = 1100, .width = width}, Pixel::f32);
    for (const std::int64_t taps : {3, 9}) expect_same(image, whole_filter(taps, taps), {.border = Border::reflect101()});
  }
}

TEST(CpuTiles, OutputsThatBeginWithinCacheLines) {
  const Shape shape{.height = 1200, .width = 2048};  // past the caches, rows of whole cache lines
  const Image image = whole_image<float>(shape, Pixel::f32);
  const Filter box = Filter::separable({.y = std::vector<double>(3, 1.0), .x = std::vector<double>(4, 1.0)});
  for (const auto& [filter, method] : {std::pair{whole_filter(3, 3), Method::direct}, std::pair{whole_filter(1, 9), Method::direct},
                                       std::pair{whole_filter(2, 40), Method::direct}, std::pair{box, Method::separable},
                                       std::pair{box, Method::box}}) {
    const Image expected = convolve(image, filter, {.method = Method::direct}, reference());
    for (const std::int64_t threads : {1, 2}) {
      const Plan plan({.shape = shape,
                       .pixel = Pixel::f32,
                       .filters = {filter},
                       .options = {.method = method, .threads = static_cast<int>(threads)}});
      for (const std::int64_t offset : {1, 3, 4, 9, 15}) {
        Image room({.height = 1, .width = shape.elements() + 32}, Pixel::f32);
        auto* elements = reinterpret_cast<float*>(room.view().data);
        std::fill_n(elements, shape.elements() + 32, -1.0F);
        const View out = view_of(elements + offset, shape);
        plan.run(image, out);
        const auto bytes = static_cast<std::size_t>(shape.elements()) * sizeof(float);
        EXPECT_EQ(std::memcmp(expected.view().data, elements + offset, bytes), 0) << name_of(method) << ", offset " << offset;
        EXPECT_EQ(elements[offset - 1], -1.0F);
        EXPECT_EQ(elements[offset + shape.elements()], -1.0F);
      }
    }
  }
}

/// Memory that ends where the process may read no more.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes) : bytes_(bytes), mapped_((bytes / page + 2) * page) {
    void* mapped = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(mapped);
    mprotect(memory_ + mapped_ - page, page, PROT_NONE);
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(memory_, mapped_); }
  std::byte* data() const { return memory_ + mapped_ - page - bytes_; }

 private:
  static constexpr std::size_t page = 4096;
  std::size_t bytes_;
  std::size_t mapped_;
  std::byte* memory_ = nullptr;
};

TEST(CpuTiles, NothingBehindImagesIsReadOrWritten) {
  const auto alike = [](std::int64_t taps, double weight) { return std::vector<double>(static_cast<std::size_t>(taps), weight); };
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::f32, Pixel::f64}) {
    for (std::int64_t width = 769; width < 786; ++width) {
      const Shape shape{.height = 20, .width = width};
      const std::size_t element = bytes_of(pixel);
      const GuardedMemory from(static_cast<std::size_t>(shape.elements()) * element);
      std::memset(from.data(), 0, static_cast<std::size_t>(shape.elements()) * element);
      const ConstView in{.data = from.data(), .shape = shape, .strides = strides_of(shape, pixel), .pixel = pixel};
      for (const auto& [height, taps] : {std::pair{13, 1}, {3, 3}, {1, 9}, {9, 9}, {30, 2}}) {
        for (const Method method : {Method::direct, Method::separable, Method::box}) {
          const double weight = method == Method::box ? 1 / static_cast<double>(height * taps) : 1;
          for (const Extent extent : {Extent::same, Extent::valid}) {
            if (extent == Extent::valid && height > shape.height) continue;
            const Plan plan({.shape = shape,
                             .pixel = pixel,
                             .filters = {Filter::separable({.y = alike(height, 1), .x = alike(taps, weight)})},
                             .options = {.extent = extent, .method = method, .threads = 1}});
            const Shape result = plan.output_shape();
            // Longer rows: outputs that begin anywhere in a cache line, of which the last ends at the end.
            for (const std::int64_t more : {0, 1, 6}) {
              const Shape room{.height = result.height, .width = result.width + more};
              const GuardedMemory to(static_cast<std::size_t>(room.elements()) * element);
              View out{.data = to.data(), .shape = result, .strides = strides_of(room, pixel), .pixel = pixel};
              out.data += static_cast<std::size_t>(more) * element;
              plan.run(in, out);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace halation
