// images.h: noise and bits compared, all borders, plans by one family, and a stream of one's own, for tests
// that need a GPU.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/channels_apart.h"
#include "core/convert.h"
#include "core/only_family.h"
#include "cuda/device/gpu.h"
#include "halation/halation.h"

namespace halation::gpu_test {

inline constexpr std::array border_modes{Border::Mode::constant, Border::Mode::replicate, Border::Mode::reflect,
                                         Border::Mode::reflect101, Border::Mode::wrap};

/// Number `index` of an endless sequence of 64 random bits (the finaliser of MurmurHash3).
inline std::uint64_t random_bits(std::uint64_t index) {
  index = (index + 1) * 0x9e3779b97f4a7c15;
  index = (index ^ (index >> 33)) * 0xff51afd7ed558ccd;
  index = (index ^ (index >> 33)) * 0xc4ceb9fe1a85ec53;
  return index ^ (index >> 33);
}

/// A packed host image of noise: integers over their whole range, floats in [-1, 1).
inline Image noise(const Shape& shape, Pixel pixel, std::uint64_t seed, Layout layout = Layout::interleaved) {
  Image image(shape, pixel, layout);
  visit_pixel(pixel, [&](auto element) {
    using T = decltype(element);
    const double low = is_float(pixel) ? -1 : smallest(pixel);
    const double span = is_float(pixel) ? 2 : largest(pixel) - low + 1;
    auto* to = reinterpret_cast<T*>(image.view().data);
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      const double u =
          static_cast<double>(random_bits(seed << 40 ^ static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53;
      to[i] = to_element<T>(low + span * u, Rounding::truncate);
    }
  });
  return image;
}

/// Weights without symmetry, whole numbers in [-most, most].
inline Filter whole_filter(const FilterSize& size, std::uint64_t seed, std::uint64_t most = 4) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < size.taps(); ++i) {
    const std::uint64_t bits = random_bits(seed << 40 ^ static_cast<std::uint64_t>(i));
    weights.push_back(static_cast<double>(bits % (2 * most + 1)) - static_cast<double>(most));
  }
  weights.back() = 1;
  return Filter::dense(size, std::move(weights));
}

/// Whole numbers of 8 bits as pixels of another type.
inline Image whole_image(const Shape& shape, Pixel pixel, std::uint64_t seed, Layout layout = Layout::interleaved) {
  const Image bytes = noise(shape, Pixel::u8, seed);
  Image image(shape, pixel, layout);
  const Plan plan({.shape = shape,
                   .pixel = Pixel::u8,
                   .filters = {Filter::dense({}, {1.0})},
                   .device = cpu(),
                   .options = {.output = pixel}});
  plan.run(bytes, image);
  return image;
}

/// Every mode by turns, with a constant that all pixels hold.
inline Border border_of(std::uint64_t seed) {
  const Border::Mode mode = border_modes[seed % border_modes.size()];
  return Border{mode, mode == Border::Mode::constant ? 7.0 : 0.0};
}

/// What is filtered, for messages.
inline std::string text(const Image& image, const Filter& filter) {
  const auto [z, y, x] = filter.size().space();
  return std::to_string(z) + "x" + std::to_string(y) + "x" + std::to_string(x) + " over " + to_string(image.shape()) + " " +
         std::string(name_of(image.pixel()));
}

inline std::size_t bytes_in(const ConstView& view) {
  return static_cast<std::size_t>(view.shape.elements()) * bytes_of(view.pixel);
}

/// For packed host images.
inline bool same_bits(const ConstView& a, const ConstView& b) {
  return a.shape == b.shape && a.pixel == b.pixel && std::memcmp(a.data, b.data, bytes_in(a)) == 0;
}

/// The elements of a host image, in order, as numbers.
inline std::vector<double> values_of(const ConstView& view) {
  Image packed(view.shape, Pixel::f64);
  const Plan plan({.shape = view.shape, .pixel = view.pixel, .filters = {Filter::dense({}, {1.0})}, .options = {.output = Pixel::f64}});
  plan.run(view, packed);
  const auto* from = reinterpret_cast<const double*>(packed.view().data);
  return {from, from + view.shape.elements()};
}

/// Filters may be folded into others where an axis has less than two thirds of their taps
/// (plan/analysis/fold.h), and families of certain sizes then refuse them.
inline bool may_be_folded(const Image& image, const Filter& filter) {
  const auto taps = filter.size().space();
  const auto pixels = image.shape().space();
  for (std::size_t axis = 0; axis < taps.size(); ++axis) {
    if (2 * taps[axis] > 3 * pixels[axis]) return true;
  }
  return false;
}

/// Whether the GPU has a copy engine for shared memory, which some families need.
inline bool copies_in_bulk() { return cuda_backend::gpu_of(cuda()).copies_in_bulk(); }

inline Layout layout_of(const ConstView& image) {
  return channels_are_inside(image) ? Layout::interleaved : Layout::planar;
}

/// One filter over an image on the GPU, whose channels lie there as they do here.
inline PlanSpec spec_on_gpu(const Image& image, const Filter& filter, const Options& options) {
  return {.shape = image.shape(),
          .pixel = image.pixel(),
          .filters = {filter},
          .device = cuda(),
          .options = options,
          .layout = layout_of(image)};
}

/// The plan by one family, whatever is expected of others. Throws `Error` where it refuses the job over
/// packed images.
inline Plan plan_by(std::string_view family, const PlanSpec& spec) {
  const OnlyFamily only(family);
  Plan plan(spec);
  // It would do the job over other rows.
  if (!std::isfinite(plan.expected_seconds()))
    throw Error(ErrorCode::unsupported, "family " + std::string(family) + ": not of packed images");
  return plan;
}

/// The same, or none where the family refuses the job.
inline std::optional<Plan> plan_by_or_none(std::string_view family, const PlanSpec& spec) {
  try {
    return plan_by(family, spec);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return std::nullopt;
  }
}

/// The plan by one family; where the filter may be folded, and the family then refuses it, by whichever
/// should be quickest.
inline Plan plan_by_unless_folded(std::string_view family, const Image& image, const Filter& filter,
                                  const Options& options) {
  const PlanSpec spec = spec_on_gpu(image, filter, options);
  if (!may_be_folded(image, filter)) return plan_by(family, spec);
  const std::optional<Plan> plan = plan_by_or_none(family, spec);
  return plan ? *plan : Plan(spec);
}

/// Runs a plan of one output, over memory that is poisoned before, on a copy of a host image whose channels
/// lie as the image's do.
inline Image result_of(const Plan& plan, const Image& image) {
  const Layout layout = layout_of(image);
  Image there = allocate(image.shape(), image.pixel(), cuda(), layout);
  copy(image, there.view(), {});
  Image out = allocate(plan.output_shape(), plan.output_pixel(), cuda(), layout);
  EXPECT_EQ(cudaMemset(out.view().data, 0xff, bytes_in(out)), cudaSuccess);
  synchronise(cuda());
  plan.run(there, out.view());
  return to_device(out, cpu());
}

/// What the GPU makes of an image, by whichever family should be quickest.
inline Image on_gpu(const Image& image, const Filter& filter, const Options& options) {
  return result_of(Plan(spec_on_gpu(image, filter, options)), image);
}

/// Holds a small job, of which all sums are exact, to the reference, bit by bit.
inline void expect_working_device() {
  const Image image = noise({.height = 67, .width = 131, .channels = 3}, Pixel::u8, 1);
  const Filter filter = whole_filter({.height = 5, .width = 5}, 1);
  const Options options{.border = Border::replicate(), .scale = 0.0625, .offset = 100};
  const Image expected = convolve(image, filter, options, reference());
  const Image found = to_device(convolve(to_device(image, cuda()), filter, options), cpu());
  EXPECT_TRUE(same_bits(expected, found)) << "the device no longer filters rightly";
}

/// Bytes of the device that nobody has taken.
inline std::size_t free_bytes() {
  std::size_t available = 0;
  std::size_t total = 0;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaMemGetInfo(&available, &total), cudaSuccess);
  return available;
}

/// A stream that waits for no other.
class OwnStream {
 public:
  OwnStream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~OwnStream() { (void)cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

  operator Stream() const { return {stream_}; }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace halation::gpu_test
