// sizes_test.cpp: images of every size and arrangement: beyond 31 bits, taller than a grid, one pixel wide,
// prime, parts of larger images.
//
// Right answers come from the reference: over whole small images, and over windows cut out of large ones,
// with as much around them as the filter reaches, so that the answer inside a window is that of the whole
// image. Data and weights are whole numbers, and scales powers of two, small enough that f32 holds every sum
// exactly: every pixel must be right to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "halation/error.h"
#include "images.h"

namespace halation::gpu_test {
namespace {

using Place = std::array<std::int64_t, 3>;  // depth, height, width

/// An endless sequence of elements that repeats after `period`, a prime beyond any row of the small tests:
/// the data of large images, which so need not lie on the host.
class Pattern {
 public:
  explicit Pattern(Pixel pixel) : once_(line(pixel)) {}

  /// Fills packed device memory.
  Image on_gpu(const Shape& shape) const {
    Image image = allocate(shape, once_.pixel(), cuda());
    const std::size_t total = bytes_in(image);
    const std::size_t period_bytes = std::min(total, bytes_in(once_));
    std::byte* data = image.view().data;
    EXPECT_EQ(cudaMemcpy(data, once_.view().data, period_bytes, cudaMemcpyHostToDevice), cudaSuccess);
    for (std::size_t filled = period_bytes; filled < total;) {  // whole periods, twice as many each time
      const std::size_t more = std::min(filled, total - filled);
      EXPECT_EQ(cudaMemcpy(data + filled, data, more, cudaMemcpyDeviceToDevice), cudaSuccess);
      filled += more;
    }
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return image;
  }

  /// The part of one image of the batch that `on_gpu` holds there.
  Image cut(const Shape& whole, std::int64_t batch, const Place& from, const Place& extent) const {
    Image part({.depth = extent[0], .height = extent[1], .width = extent[2], .channels = whole.channels},
               once_.pixel());
    const auto element = static_cast<std::int64_t>(bytes_of(once_.pixel()));
    std::byte* to = part.view().data;
    for (std::int64_t z = from[0]; z < from[0] + extent[0]; ++z) {
      for (std::int64_t y = from[1]; y < from[1] + extent[1]; ++y) {
        const std::int64_t row = ((batch * whole.depth + z) * whole.height + y) * whole.width;
        for (std::int64_t i = (row + from[2]) * whole.channels;
             i < (row + from[2] + extent[2]) * whole.channels; ++i, to += element) {
          std::memcpy(to, once_.view().data + i % period * element, static_cast<std::size_t>(element));
        }
      }
    }
    return part;
  }

 private:
  static constexpr std::int64_t period = 4'194'319;

  /// Whole numbers: integers over their range, floats in [-128, 128).
  static Image line(Pixel pixel) {
    if (!is_float(pixel)) return noise({.width = period}, pixel, 11);
    Image image({.width = period}, pixel);
    visit_pixel(pixel, [&](auto element) {
      using T = decltype(element);
      auto* to = reinterpret_cast<T*>(image.view().data);
      for (std::int64_t i = 0; i < period; ++i) {
        to[i] = to_element<T>(static_cast<double>(random_bits(static_cast<std::uint64_t>(i)) % 256) - 128,
                              Rounding::truncate);
      }
    });
    return image;
  }

  Image once_;
};

/// The plan of a job with exact sums: the filter as it is, scaled into the range of the output.
PlanSpec exact_spec(const Shape& shape, Pixel pixel, const Filter& filter, Border border,
                    Device device = cuda()) {
  Options options{.border = border, .extent = Extent::same};
  if (!is_float(pixel)) options.scale = 1.0 / 64;
  else if (!filter.factors()) options.method = Method::direct;  // transforms round what they do not know to be whole
  if (pixel == Pixel::u8) options.offset = 100;
  return {.shape = shape, .pixel = pixel, .filters = {filter}, .device = device, .options = options};
}

/// Binomial weights along each axis: whole numbers that are a product.
Filter binomial(int dims) {
  const std::vector<double> line{1, 4, 6, 4, 1};
  const std::vector<double> none;
  return Filter::separable({.z = dims >= 3 ? line : none, .y = dims >= 2 ? line : none, .x = line});
}

/// Where windows begin along an axis of n: at both ends, beside the places where 31 and 32 bits end (`per`
/// elements a step), and here and there.
std::vector<std::int64_t> starts(std::int64_t n, std::int64_t window, std::int64_t per, std::uint64_t seed) {
  std::vector<std::int64_t> list{0, n - window};
  for (const std::int64_t bits : {31, 32}) {
    const std::int64_t at = (std::int64_t{1} << bits) / per - window / 2;
    if (at > 0 && at < n - window) list.push_back(at);
  }
  for (std::uint64_t i = 0; i < 3 && n > window; ++i) {
    list.push_back(
        static_cast<std::int64_t>(random_bits(seed + i) % static_cast<std::uint64_t>(n - window + 1)));
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// Filters a large image on the GPU and holds windows of the output, and the bytes beside it, to what they
/// must be.
void compare_windows(const Shape& shape, Pixel pixel, const Filter& filter, Border border) {
  const PlanSpec spec = exact_spec(shape, pixel, filter, border);
  const Plan plan(spec);
  const Pattern pattern(pixel);
  constexpr std::int64_t guard = 4096;  // bytes
  Image in;
  Image canvas;
  try {
    in = pattern.on_gpu(shape);
    canvas = allocate({.width = static_cast<std::int64_t>(bytes_in(in)) + 2 * guard}, Pixel::u8, cuda());
  } catch (const Error& error) {
    GTEST_SKIP() << "this device is too small: " << error.what();
  }
  ASSERT_EQ(cudaMemset(canvas.view().data, 0xa5, bytes_in(canvas)), cudaSuccess);
  View out = in.view();
  out.data = canvas.view().data + guard;
  plan.run(in, out);
  synchronise(cuda());

  const Image ends[] = {
      to_device(canvas.view().crop({.x = 0, .width = guard}), cpu()),
      to_device(canvas.view().crop({.x = canvas.shape().width - guard, .width = guard}), cpu())};
  for (const Image& end : ends) {
    EXPECT_TRUE(std::all_of(end.view().data, end.view().data + guard,
                            [](std::byte b) { return b == std::byte{0xa5}; }))
        << "wrote beside the output: " << plan.explain();
  }

  const Place n = shape.space();
  const Place reach = filter.size().space();
  const Place window{std::min<std::int64_t>(n[0], 3), std::min<std::int64_t>(n[1], 37),
                     std::min<std::int64_t>(n[2], 91)};
  const std::int64_t row = shape.width * shape.channels;
  int wrong = 0;
  for (const std::int64_t b : starts(shape.batch, 1, row * shape.height * shape.depth, 1)) {
    for (const std::int64_t z : starts(n[0], window[0], row * shape.height, 2)) {
      for (const std::int64_t y : starts(n[1], window[1], row, 3)) {
        for (const std::int64_t x : starts(n[2], window[2], shape.channels, 4)) {
          const Place at{z, y, x};
          Place from{};
          Place extent{};
          for (std::size_t axis = 0; axis < 3; ++axis) {
            from[axis] = std::max<std::int64_t>(0, at[axis] - reach[axis]);
            extent[axis] = std::min(n[axis], at[axis] + window[axis] + reach[axis]) - from[axis];
          }
          const Image part = pattern.cut(shape, b, from, extent);
          Image whole(part.shape(), plan.output_pixel());
          Plan(exact_spec(part.shape(), pixel, filter, border, reference())).run(part, whole);
          const Region inside{.z = z - from[0],
                              .y = y - from[1],
                              .x = x - from[2],
                              .depth = window[0],
                              .height = window[1],
                              .width = window[2]};
          const Region there{
              .z = z, .y = y, .x = x, .depth = window[0], .height = window[1], .width = window[2]};
          const Image found = to_device(out.batch(b).crop(there), cpu());
          if (!same_bits(found, to_device(whole.view().crop(inside), cpu())) && wrong++ == 0) {
            ADD_FAILURE() << "window at batch " << b << ", z " << z << ", y " << y << ", x " << x
                          << " is wrong\n"
                          << plan.explain();
          }
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0) << "windows";
}

TEST(Sizes, MoreElementsThanThirtyOneBitsCount) {
  const Shape image{.height = 40'000, .width = 65'536};
  for (const Filter& filter :
       {whole_filter({.height = 3, .width = 3}, 1), whole_filter({.height = 5, .width = 5}, 2),
        whole_filter({.height = 9, .width = 9}, 3), binomial(2)}) {
    compare_windows(image, Pixel::u8, filter, Border::reflect101());
  }
  compare_windows({.height = 26'003, .width = 27'541, .channels = 3}, Pixel::u8,
                  whole_filter({.height = 3, .width = 3}, 4), Border::replicate());
  const Shape signal{.width = (std::int64_t{1} << 32) + 12'345};
  compare_windows(signal, Pixel::u8, whole_filter({.width = 5}, 5), Border::constant(7));
  compare_windows(signal, Pixel::u8, binomial(1), Border::reflect());
  const Shape volume{.depth = 1301, .height = 1291, .width = 1297};
  compare_windows(volume, Pixel::u8, whole_filter({.depth = 3, .height = 3, .width = 3}, 6),
                  Border::reflect101());
  compare_windows(volume, Pixel::u8, binomial(3), Border::constant(7));
}

TEST(Sizes, TallerWiderAndDeeperThanAGridOfBlocks) {
  // 4,300,001 rows are more than 65,535 blocks of 64.
  for (const std::int64_t side : {1, 3, 33}) {
    for (const Filter& filter :
         {whole_filter({.height = 3, .width = 3}, 1), whole_filter({.height = 7, .width = 5}, 2),
          whole_filter({.height = 15, .width = 15}, 3), binomial(2)}) {
      compare_windows({.height = 4'300'001, .width = side}, Pixel::f32, filter, Border::reflect101());
      compare_windows({.height = side, .width = 4'300'001}, Pixel::f32, filter, Border::constant(-5));
    }
  }
  for (const Filter& filter : {whole_filter({.depth = 3, .height = 3, .width = 3}, 4), binomial(3)}) {
    compare_windows({.depth = 600'011, .height = 3, .width = 5}, Pixel::f32, filter, Border::replicate());
    compare_windows({.depth = 3, .height = 600'011, .width = 5}, Pixel::u8, filter, Border::reflect());
  }
  for (const Filter& filter : {whole_filter({.height = 3, .width = 3}, 5), binomial(2)}) {
    compare_windows({.batch = 70'001, .height = 5, .width = 7, .channels = 3}, Pixel::u8, filter,
                    Border::reflect101());
    compare_windows({.batch = 300, .depth = 300, .height = 5, .width = 16}, Pixel::i16, filter,
                    Border::constant(3));
  }
}

/// How a view lies in the memory around it.
enum class Arrangement { packed, planar, pitched, inside, upside_down, mirrored, skipping, turned };
constexpr Arrangement all_arrangements[] = {
    Arrangement::packed,      Arrangement::planar,   Arrangement::pitched,  Arrangement::inside,
    Arrangement::upside_down, Arrangement::mirrored, Arrangement::skipping, Arrangement::turned};

/// Memory with a view in it, and room around the view, on the host and the same on the GPU.
struct Canvas {
  Image memory;
  View view;

  Canvas(const Shape& shape, Pixel pixel, Arrangement arrangement) {
    Shape outer = shape;
    outer.width += 7;
    outer.height += 5;
    if (arrangement == Arrangement::skipping) outer.width *= 2;
    if (arrangement == Arrangement::turned) std::swap(outer.width, outer.height);
    const Layout layout = arrangement == Arrangement::planar ? Layout::planar : Layout::interleaved;
    const auto element = static_cast<std::int64_t>(bytes_of(pixel));
    const std::int64_t row_bytes =
        arrangement == Arrangement::pitched ? (outer.width * shape.channels + 13) * element : 0;
    Strides strides = strides_of(outer, pixel, layout, row_bytes);
    memory = Image({.width = outer.batch * strides.batch}, Pixel::u8);
    const bool tight = arrangement == Arrangement::packed || arrangement == Arrangement::planar;
    if (tight) strides = strides_of(shape, pixel, layout);
    std::byte* data = memory.view().data;
    if (!tight) data += 2 * strides.height + 3 * strides.width;
    if (arrangement == Arrangement::upside_down) {
      data += (shape.height - 1) * strides.height;
      strides.height = -strides.height;
    }
    if (arrangement == Arrangement::mirrored) {
      data += (shape.width - 1) * strides.width;
      strides.width = -strides.width;
    }
    if (arrangement == Arrangement::skipping) strides.width *= 2;
    if (arrangement == Arrangement::turned) std::swap(strides.width, strides.height);
    view = {data, shape, strides, pixel, cpu()};
    std::memset(memory.view().data, 0xa5, bytes_in(memory));
  }

  /// The view's twin in a copy of the memory on the GPU.
  View twin_in(Image& there) const {
    return {there.view().data + (view.data - memory.view().data), view.shape, view.strides, view.pixel,
            cuda()};
  }
};

void compare_arranged(const PlanSpec& spec, const Image& image, const Image& expected, Arrangement from,
                      Arrangement to) {
  const Plan plan(spec);
  Canvas in(spec.shape, spec.pixel, from);
  copy(image, in.view);
  Canvas out(plan.output_shape(), plan.output_pixel(), to);
  Image in_there = to_device(in.memory, cuda());
  Image out_there = to_device(out.memory, cuda());
  plan.run(in.twin_in(in_there), out.twin_in(out_there));
  const Image found = to_device(out_there, cpu());
  copy(expected, out.view);  // around it all stays as it was
  EXPECT_TRUE(same_bits(found, out.memory))
      << "arrangements " << static_cast<int>(from) << " and " << static_cast<int>(to) << "\n"
      << plan.explain();
  EXPECT_TRUE(same_bits(to_device(in_there, cpu()), in.memory)) << "the input was written";
}

Image right_answer(PlanSpec spec, const Image& image) {
  spec.device = reference();
  const Plan plan(spec);
  Image out(plan.output_shape(), plan.output_pixel());
  plan.run(image, out);
  return out;
}

TEST(Sizes, PartsOfLargerImagesPlanesPitchesAndNegativeStrides) {
  std::uint64_t seed = 0;
  for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16}) {
    for (const std::int64_t channels : {1, 3, 4}) {
      const Shape shape{.batch = 2, .height = 211, .width = 331, .channels = channels};
      const Image image = noise(shape, pixel, ++seed);
      for (const Filter& filter : {whole_filter({.height = 5, .width = 5}, seed), binomial(2)}) {
        const PlanSpec spec =
            exact_spec(shape, pixel, filter, seed % 2 == 0 ? Border::wrap() : Border::constant(9));
        const Image expected = right_answer(spec, image);
        for (const Arrangement from : all_arrangements) {
          for (const Arrangement to : all_arrangements) compare_arranged(spec, image, expected, from, to);
        }
      }
    }
  }
}

TEST(Sizes, OnePixelWideOnePixelHighAndPrime) {
  const Border border_modes[] = {Border::constant(9), Border::replicate(), Border::reflect(), Border::reflect101(),
                            Border::wrap()};
  const std::int64_t sizes[][2] = {{1, 1},   {1, 2},   {2, 1},     {1, 1009}, {1009, 1},
                                   {3, 997}, {997, 3}, {127, 131}, {251, 257}};
  std::uint64_t seed = 0;
  for (const auto& [width, height] : sizes) {
    for (const Pixel pixel : {Pixel::u8, Pixel::u16, Pixel::i16}) {
      const Shape shape{
          .height = height, .width = width, .channels = 1 + static_cast<std::int64_t>(seed % 4)};
      const Image image = noise(shape, pixel, ++seed);
      for (const Border& border : border_modes) {
        for (const Filter& filter :
             {whole_filter({.height = 3, .width = 3}, seed), whole_filter({.height = 7, .width = 6}, seed),
              whole_filter({.height = 15, .width = 15}, seed, 1), binomial(2)}) {
          const PlanSpec spec = exact_spec(shape, pixel, filter, border);
          compare_arranged(spec, image, right_answer(spec, image), Arrangement::packed, Arrangement::packed);
        }
      }
    }
  }
}

TEST(Sizes, InputsWhoseRowsShareElements) {
  // Windows that slide over a signal: each row begins one element after the row above.
  const Image signal = noise({.width = 400}, Pixel::u8, 1);
  const Image there = to_device(signal, cuda());
  const Shape windows{.height = 137, .width = 264};
  const auto slide = [&](ConstView view) {
    view.shape = windows;
    view.strides.height = 1;
    return view;
  };
  for (const std::int64_t taps : {3, 9}) {
    const Filter filter = whole_filter({.height = taps, .width = taps}, 2);
    const Options options{.border = Border::reflect(), .output = Pixel::i16};
    const Image expected = convolve(slide(signal), filter, options, reference());
    EXPECT_TRUE(same_bits(expected, to_device(convolve(slide(there), filter, options), cpu())))
        << taps << " taps";
  }
}

TEST(Sizes, LargeImagesOfEverySquareFilter) {
  // From 2^23 outputs on, other kernels do squares of 8 to 15 taps than for the small images of the sweep. The answer is the
  // CPU's, which the sweep compares with the reference.
  for (const Shape& shape : {Shape{.height = 2053, .width = 4111}, Shape{.height = 2051, .width = 4112}}) {
    const Image image = noise(shape, Pixel::u8, 5);
    const Image there = to_device(image, cuda());
    for (std::int64_t taps = 7; taps <= 16; ++taps) {
      const Filter filter = whole_filter({.height = taps, .width = taps}, static_cast<std::uint64_t>(taps));
      for (const Pixel output : {Pixel::f32, Pixel::u8}) {
        const Border border{border_modes[static_cast<std::size_t>(taps) % border_modes.size()], 9};
        const Options options{.border = border, .output = output, .scale = 1.0 / 16, .offset = 3};
        const Image expected = convolve(image, filter, options);
        EXPECT_TRUE(same_bits(expected, to_device(convolve(there, filter, options), cpu())))
            << taps << " taps, " << name_of(output) << ", width " << shape.width;
      }
    }
  }
}

/// Equal weights that are whole, or that make a mean.
Filter equal_weights(std::int64_t height, std::int64_t width, bool mean) {
  const auto line = [&](std::int64_t n) {
    return std::vector<double>(static_cast<std::size_t>(n), mean ? 1 / static_cast<double>(n) : 1.0);
  };
  return Filter::separable({.y = line(height), .x = line(width)});
}

TEST(Sizes, LargeWindowsOfEqualWeights) {
  // Odd and even, within a block's columns and beyond, in one pass and in two. Whole numbers have exact sums; means keep to
  // the bound.
  constexpr std::int64_t sizes[][2] = {{11, 11}, {16, 16},   {18, 18}, {25, 25},  {31, 31},   {64, 64}, {101, 101},
                                       {255, 255}, {300, 300}, {1, 255}, {255, 1}, {7, 300}, {300, 8}, {601, 601}};
  std::size_t turn = 0;
  for (const Shape& shape : {Shape{.height = 1531, .width = 2053}, Shape{.height = 1024, .width = 2560},
                             Shape{.height = 701, .width = 997, .channels = 3}}) {
    const Image bytes = noise(shape, Pixel::u8, 7);
    const Image floats = noise(shape, Pixel::f32, 8);
    const Image bytes_there = to_device(bytes, cuda());
    const Image floats_there = to_device(floats, cuda());
    for (const auto& [height, width] : sizes) {
      const Border border{border_modes[turn++ % border_modes.size()], 9};
      const Filter whole = equal_weights(height, width, false);
      const double scale = 1.0 / 256;
      for (const Pixel output : {Pixel::f32, Pixel::u16}) {
        const Options options{.border = border, .output = output, .scale = scale};
        // Beyond 2^24 the sums of f32 are not exact.
        if (height * width * 255 >= 1 << 24) continue;
        EXPECT_TRUE(same_bits(convolve(bytes, whole, options), to_device(convolve(bytes_there, whole, options), cpu())))
            << height << " x " << width << ", " << name_of(output) << ", " << to_string(shape);
      }
      const Plan plan({.shape = shape,
                       .pixel = Pixel::f32,
                       .filters = {equal_weights(height, width, true)},
                       .device = cuda(),
                       .options = {.border = border}});
      Image there = allocate(plan.output_shape(), Pixel::f32, cuda());
      plan.run(floats_there, there);
      const Image found = to_device(there, cpu());
      const Image expected =
          convolve(floats, equal_weights(height, width, true), {.border = border, .output = Pixel::f64, .sum = Sum::f64});
      const auto* a = reinterpret_cast<const float*>(found.view().data);
      const auto* b = reinterpret_cast<const double*>(expected.view().data);
      const double most = border.mode == Border::Mode::constant ? 9 : 1;
      double difference = 0;
      for (std::int64_t i = 0; i < shape.elements(); ++i) difference = std::max(difference, std::fabs(a[i] - b[i]));
      EXPECT_LE(difference, plan.error_bound(most)) << height << " x " << width << ", " << to_string(shape) << "\n"
                                                    << plan.explain();
    }
  }
}

TEST(Sizes, NanAndInfinityStayInTheirWindows) {
  const Shape shape{.height = 900, .width = 1400};
  constexpr float huge = 0x1p127F;  // a mean of such does not overflow
  for (const auto& [bad, y, x] : {std::tuple{std::numeric_limits<float>::quiet_NaN(), 411, 703},
                                  std::tuple{std::numeric_limits<float>::infinity(), 0, 1399},
                                  std::tuple{-std::numeric_limits<float>::infinity(), 899, 8}}) {
    Image image(shape, Pixel::f32);
    auto* pixels = reinterpret_cast<float*>(image.view().data);
    std::fill(pixels, pixels + shape.elements(), huge);
    pixels[y * shape.width + x] = bad;
    const Image there = to_device(image, cuda());
    for (const std::int64_t taps : {18, 31, 64, 101, 255, 300, 601}) {
      const Filter filter = equal_weights(taps, taps, true).with_anchor({.y = 0, .x = 0});
      const Options options{.border = Border::replicate(), .operation = Operation::correlation};
      const Image found = to_device(convolve(there, filter, options), cpu());
      const auto* values = reinterpret_cast<const float*>(found.view().data);
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < shape.elements(); ++i) {
        // The window's pixels, of which those beyond the sides are the last of a row or column again.
        const std::int64_t row = i / shape.width;
        const std::int64_t column = i % shape.width;
        const bool has_bad = y >= row && y < row + taps && x >= column && x < column + taps;
        const bool is_bad = std::isnan(bad) ? std::isnan(values[i]) : values[i] == bad;
        const bool right = has_bad ? is_bad : std::fabs(values[i] / huge - 1) < 1e-4F;
        wrong += right ? 0 : 1;
      }
      EXPECT_EQ(wrong, 0) << taps << " taps";
    }
  }
}

}  // namespace
}  // namespace halation::gpu_test
