// gaussian.cpp: gaussian(sigma 2) on a 4096×4096 RGB image of 8 bits, beside OpenCV's GaussianBlur and a plain copy, with the same
// threads in one run.
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "bench/record.h"
#include "bench/stopwatch.h"
#include "halation/halation.h"

namespace {

using namespace halation;

constexpr double sigma_px = 2;
constexpr std::int64_t size_px = 4096;
constexpr int channels = 3;
constexpr int rounds = 15;
constexpr const char* usage =
    "usage: bench_gaussian [--json FILE]\n"
    "Verifies, then times gaussian(sigma 2) on 4096x4096x3 u8 with 1 and 2 threads: medians of 15 rounds, milliseconds.\n";

Image noise() {
  Image image({.height = size_px, .width = size_px, .channels = channels}, Pixel::u8);
  std::mt19937_64 random(1);
  auto* words = reinterpret_cast<std::uint64_t*>(image.view().data);
  for (std::int64_t i = 0; i < image.shape().elements() / 8; ++i) words[i] = random();
  return image;
}

/// The same pixels as OpenCV sees them; it has no type for what may only be read.
cv::Mat mat_of(const ConstView& view) {
  return {static_cast<int>(view.shape.height), static_cast<int>(view.shape.width), CV_8UC3, const_cast<std::byte*>(view.data),
          static_cast<std::size_t>(view.strides.height)};
}

/// Throws unless the corners and the centre of `out` are what the reference makes of that part of `in`, and every pixel is as near to
/// `peer` as its weights in steps of 1/256 allow: 2 passes · taps · 255 · half a step. Returns the largest difference found.
int verify(const Image& in, const Image& out, const Image& peer, const Filter& filter) {
  const std::int64_t part = 96;
  const std::int64_t reach = filter.with_dims(2).size().width / 2;
  for (const std::int64_t y : {std::int64_t{0}, size_px / 2, size_px - part}) {
    for (const std::int64_t x : {std::int64_t{0}, size_px / 2, size_px - part}) {
      const Image expected = convolve(in.view().crop({.x = x, .y = y, .width = part, .height = part}), filter, {}, reference());
      // Where the part ends inside the image, its own border is not the image's.
      const auto trusted = [&](std::int64_t at, std::int64_t i) {
        return (at == 0 || i >= reach) && (at + part == size_px || i < part - reach);
      };
      for (std::int64_t i = 0; i < part; ++i) {
        for (std::int64_t j = 0; j < part; ++j) {
          for (int c = 0; c < channels && trusted(y, i) && trusted(x, j); ++c) {
            const int difference = out.view().at<std::uint8_t>(y + i, x + j, c) - expected.view().at<std::uint8_t>(i, j, c);
            if (std::abs(difference) > 1) throw std::runtime_error("halation differs from the reference");
          }
        }
      }
    }
  }
  const auto* a = reinterpret_cast<const std::uint8_t*>(out.view().data);
  const auto* b = reinterpret_cast<const std::uint8_t*>(peer.view().data);
  int largest = 0;
  for (std::int64_t i = 0; i < out.shape().elements(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  const double taps = static_cast<double>(2 * reach + 1);
  if (largest > 2 * taps * 255 / 512 + 1) throw std::runtime_error("halation and OpenCV differ by more than fixed point explains");
  return largest;
}

}  // namespace

int main(int count, char** words) try {
  std::string json_path;
  if (count == 3 && std::strcmp(words[1], "--json") == 0) {
    json_path = words[2];
  } else if (count != 1) {
    std::cerr << usage;
    return 2;
  }
  const Image in = noise();
  Image out(in.shape(), Pixel::u8);
  Image peer(in.shape(), Pixel::u8);
  const Filter filter = gaussian({.sigma = sigma_px});
  const int taps = static_cast<int>(filter.with_dims(2).size().width);
  const cv::Mat cv_in = mat_of(in.view());
  cv::Mat cv_out = mat_of(peer.view());
  cv::Mat other(cv_out.size(), cv_out.type());

  nlohmann::ordered_json record =
      halation::bench::circumstances(json_path.empty() ? "bench_gaussian" : "bench_gaussian --json " + json_path);
  record["job"] = "gaussian sigma 2, " + std::to_string(taps) + " taps, 4096x4096x3 u8, border reflect101";
  record["peer"] = std::string("OpenCV ") + CV_VERSION + " GaussianBlur";
  for (const int threads : {1, 2}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    cv::setNumThreads(threads);
    const Plan plan({.shape = in.shape(), .pixel = Pixel::u8, .filters = {filter}, .options = {.threads = threads}});
    const std::vector<halation::bench::Contender> contenders{
        {"halation", [&] { plan.run(in, out.view()); }},
        {"OpenCV, same taps", [&] { cv::GaussianBlur(cv_in, cv_out, {taps, taps}, sigma_px, sigma_px, cv::BORDER_REFLECT_101); }},
        {"OpenCV, its default 13 taps",
         [&] { cv::GaussianBlur(cv_in, other, {0, 0}, sigma_px, sigma_px, cv::BORDER_REFLECT_101); }},
        {"copy",
         [&] {
           halation::bench::copy_in_parts(in.view().data, out.view().data, halation::bench::packed_bytes(in), threads);
         }}};
    contenders[0].run();
    contenders[1].run();
    record["largest_difference_from_peer_levels"] = verify(in, out, peer, filter);
    const std::vector<double> times = halation::bench::medians_ms(contenders, rounds);
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      record["rows"].push_back({{"threads", threads},
                                {"name", contenders[i].name},
                                {"median_ms", times[i]},
                                {"megapixels_per_s", size_px * size_px / times[i] / 1e3},
                                {"times_halation", times[i] / times[0]}});
      std::printf("%d thread%s  %-28s %7.2f ms  %6.2f x halation's time\n", threads, threads == 1 ? " " : "s",
                  contenders[i].name.c_str(), times[i], times[i] / times[0]);
    }
  }
  if (!json_path.empty()) halation::bench::write_record(json_path, record);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "bench_gaussian: " << error.what() << "\n";
  return 1;
}
