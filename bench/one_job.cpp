// one_job.cpp: one job of the CPU and nothing else, run a number of times: for tools that count what it does (cachegrind, perf).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/weights.h"
#include "halation/halation.h"

namespace {

using namespace halation;
using bench::weights_of;

constexpr const char* usage =
    "usage: one_job [--method direct] [--taps 3] [--pixel f32] [--size 1024x1024] [--runs 1] [--threads 1]\n"
    "Runs a filter of so many taps along each axis of the image (1024, 1024x1024 or 64x256x256) over it, so many times. What "
    "two\n"
    "numbers of runs differ by is what the runs do, without what comes before.\n";

struct Settings {
  Method method = Method::direct;
  std::int64_t taps = 3;
  Pixel pixel = Pixel::f32;
  Shape shape = {.height = 1024, .width = 1024};
  int runs = 1;
  int threads = 1;
};

Shape shape_of(std::string_view text) {
  std::vector<std::int64_t> extents;
  for (const char* at = text.data(); extents.size() < 3;) {
    char* end = nullptr;
    extents.push_back(std::strtoll(at, &end, 10));
    if (*end != 'x') break;
    at = end + 1;
  }
  extents.insert(extents.begin(), 3 - extents.size(), 1);
  return {.depth = extents[0], .height = extents[1], .width = extents[2]};
}

bool parse(int count, char** words, Settings& settings) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const char* value = words[i + 1];
    if (name == "--method")
      settings.method = method_named(value);
    else if (name == "--taps")
      settings.taps = std::strtoll(value, nullptr, 10);
    else if (name == "--pixel")
      settings.pixel = pixel_named(value);
    else if (name == "--size")
      settings.shape = shape_of(value);
    else if (name == "--runs")
      settings.runs = static_cast<int>(std::strtol(value, nullptr, 10));
    else if (name == "--threads")
      settings.threads = static_cast<int>(std::strtol(value, nullptr, 10));
    else
      return false;
  }
  return count % 2 == 1 && settings.taps > 0;
}

/// Of a filter that is asked for as separable, the weights are the factor of each axis.
Filter filter_of(const Settings& settings) {
  const std::int64_t k = settings.taps;
  const int dims = settings.shape.dims();
  const FilterSize size{dims > 2 ? k : 1, dims > 1 ? k : 1, k};
  if (settings.method == Method::direct) return Filter::dense(size, weights_of(size.taps()));
  const auto factor = [&](std::int64_t taps) {
    if (settings.method == Method::box)
      return std::vector<double>(static_cast<std::size_t>(taps), 1.0 / static_cast<double>(taps));
    return weights_of(taps);
  };
  return Filter::separable({.z = factor(size.depth), .y = factor(size.height), .x = factor(size.width)});
}

}  // namespace

int main(int count, char** words) try {
  Settings settings;
  if (!parse(count, words, settings)) {
    std::fputs(usage, stderr);
    return 2;
  }
  const Plan plan({.shape = settings.shape,
                   .pixel = settings.pixel,
                   .filters = {filter_of(settings)},
                   .options = {.method = settings.method, .threads = settings.threads}});
  Image in(settings.shape, settings.pixel);
  Image out(settings.shape, settings.pixel);
  std::fill_n(in.view().data, settings.shape.elements() * static_cast<std::int64_t>(bytes_of(settings.pixel)), std::byte{1});
  std::fill_n(out.view().data, settings.shape.elements() * static_cast<std::int64_t>(bytes_of(settings.pixel)), std::byte{0});
  for (int run = 0; run < settings.runs; ++run) plan.run(in, out.view());
  std::fputs(plan.explain().c_str(), stdout);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "one_job: %s\n", error.what());
  return 2;
}
