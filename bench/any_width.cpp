// any_width.cpp: whether filters on the CPU take the same time a pixel whatever the width of an image and
// wherever it begins: jobs drawn at random over many widths, the slowest beside the median, as a record.
#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/record.h"
#include "bench/weights.h"
#include "halation/halation.h"

namespace {

using namespace halation;
using bench::weights_of;

constexpr const char* usage =
    "usage: any_width [--target AVX2] [--seed 1] [--draws 1] [--threads 2] [--rounds 7] [--only f32] --json "
    "FILE\n"
    "Times direct filters, products and boxes of 3 to 9 taps along each axis over f32, u16 and u8 of one and "
    "three channels, by one thread\n"
    "and by so many: each over every width from 512 to 16,384 that is a multiple of 256, and over as many "
    "drawn from 4,000 to 4,200, input\n"
    "and output beginning at places of a page that are drawn too. Each time is the least of so many rounds; "
    "images are of 16 MiB.\n";

struct Settings {
  std::string target{}, json{}, only{};
  std::uint32_t seed = 1;
  int draws = 1;
  int threads = 2;
  int rounds = 7;
};

bool parse(int count, char** words, Settings& settings) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const std::string_view value = words[i + 1];
    const auto number = [&](auto& to) {
      return std::from_chars(value.data(), value.data() + value.size(), to).ec == std::errc{};
    };
    if (name == "--target")
      settings.target = value;
    else if (name == "--json")
      settings.json = value;
    else if (name == "--only")
      settings.only = value;
    else if (name == "--seed") {
      if (!number(settings.seed)) return false;
    } else if (name == "--draws") {
      if (!number(settings.draws)) return false;
    } else if (name == "--threads") {
      if (!number(settings.threads)) return false;
    } else if (name == "--rounds") {
      if (!number(settings.rounds)) return false;
    } else
      return false;
  }
  return count % 2 == 1 && !settings.json.empty();
}

constexpr std::int64_t page = 4096;
constexpr std::int64_t image_bytes = 16 << 20;

/// Memory from a page on, of huge pages where the system gives such.
std::byte* pages(std::int64_t bytes) {
  constexpr std::int64_t huge = 2 << 20;
  void* all = mmap(nullptr, static_cast<std::size_t>(bytes + huge), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw Error(ErrorCode::out_of_memory, "no memory for images");
  auto* begin = static_cast<std::byte*>(all);
  begin += huge - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(begin) % huge);
  madvise(begin, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
  return begin;
}

struct Group {
  Pixel pixel;
  std::int64_t channels;
  std::string kind;
  std::int64_t taps;
  int threads;
};

Filter filter_of(const Group& group) {
  if (group.kind == "direct")
    return Filter::dense({1, group.taps, group.taps}, weights_of(group.taps * group.taps));
  if (group.kind == "box") return box({.size = group.taps});
  return Filter::separable({.z = {1}, .y = weights_of(group.taps), .x = weights_of(group.taps)});
}

struct Run {
  std::int64_t width, in, out;  ///< pixels, and where images begin behind a page, in bytes
  double ns = 1e9;              ///< of a pixel
};

nlohmann::ordered_json json_of(const Run& run) {
  return {{"width", run.width}, {"in", run.in}, {"out", run.out}, {"ns", run.ns}};
}

nlohmann::ordered_json measure(const Group& group, const Settings& settings, std::mt19937& random,
                               std::byte* in, std::byte* out) {
  const auto element = static_cast<std::int64_t>(bytes_of(group.pixel));
  const auto below = [&](std::int64_t limit) { return static_cast<std::int64_t>(random()) % limit; };
  std::vector<Run> runs;
  const auto add = [&](std::int64_t width) {
    runs.push_back({width, below(page) / element * element, below(page) / element * element});
  };
  for (std::int64_t width = 512; width <= 16384; width += 256) add(width);
  for (std::size_t i = runs.size(); i > 0; --i) add(4000 + below(201));

  const auto shape_of = [&](std::int64_t width) -> Shape {
    return {
        .height = image_bytes / element / group.channels / width, .width = width, .channels = group.channels};
  };
  std::map<std::int64_t, Plan> plans;
  std::map<std::string, int> methods;
  for (const Run& run : runs) {
    if (plans.contains(run.width)) continue;
    const Plan& plan = plans
                           .emplace(run.width, Plan({.shape = shape_of(run.width),
                                                     .pixel = group.pixel,
                                                     .filters = {filter_of(group)},
                                                     .options = {.threads = group.threads}}))
                           .first->second;
    ++methods[std::string(name_of(plan.methods().front()))];
  }
  for (int round = 0; round < settings.rounds; ++round) {
    for (Run& run : runs) {
      const Shape shape = shape_of(run.width);
      const Strides strides = strides_of(shape, group.pixel);
      const ConstView from{in + run.in, shape, strides, group.pixel};
      const View to{out + run.out, shape, strides, group.pixel};
      const auto begin = std::chrono::steady_clock::now();
      plans.at(run.width).run(from, to);
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
      run.ns = std::min(run.ns, time.count() / static_cast<double>(shape.width * shape.height));
    }
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.ns < b.ns; });
  const double median = runs[runs.size() / 2].ns;
  nlohmann::ordered_json json = {
      {"pixel", name_of(group.pixel)}, {"channels", group.channels},
      {"filter", group.kind},          {"taps", group.taps},
      {"threads", group.threads},      {"methods", methods},
      {"runs", runs.size()},           {"fastest", json_of(runs.front())},
      {"median_ns", median},           {"slowest_over_median", runs.back().ns / median}};
  for (std::size_t i = 0; i < 8; ++i) json["slowest"].push_back(json_of(runs[runs.size() - 1 - i]));
  return json;
}

}  // namespace

int main(int count, char** words) try {
  Settings settings;
  if (!parse(count, words, settings)) {
    std::fputs(usage, stderr);
    return 2;
  }
  if (!settings.target.empty()) setenv("HALATION_TARGET", settings.target.c_str(), 1);
  std::string command = "any_width";
  for (int i = 1; i < count; ++i) command += std::string(" ") + words[i];
  const bench::Circumstances here = bench::circumstances(command);
  nlohmann::ordered_json record = {{"schema", "halation-any-width-1"},
                                   {"machine", here.machine},
                                   {"cores", here.cores},
                                   {"instruction_set", here.instruction_set},
                                   {"system", here.system},
                                   {"compiler", here.compiler},
                                   {"commit", here.commit},
                                   {"modified", here.modified},
                                   {"date", here.date},
                                   {"command", here.command},
                                   {"seed", settings.seed}};
  std::mt19937 random(settings.seed);
  std::byte* const in = pages(image_bytes + 2 * page);
  std::byte* const out = pages(image_bytes + 2 * page);
  for (std::int64_t i = 0; i < image_bytes / 4; ++i)
    reinterpret_cast<float*>(in)[i] = static_cast<float>(random() % 1000);
  std::fill_n(out, image_bytes + page, std::byte{0});
  double worst = 0;
  for (int draw = 0; draw < settings.draws; ++draw) {
    for (const Pixel pixel : {Pixel::f32, Pixel::u16, Pixel::u8}) {
      for (const std::int64_t channels : {1, 3}) {
        for (const char* kind : {"direct", "separable", "box"}) {
          const Group drawn{pixel, channels, kind, 3 + static_cast<std::int64_t>(random() % 7), 1};
          if (!settings.only.empty() && settings.only != name_of(pixel)) continue;
          for (const int threads : {1, settings.threads}) {
            Group group = drawn;
            group.threads = threads;
            record["groups"].push_back(measure(group, settings, random, in, out));
            const auto& done = record["groups"].back();
            worst = std::max(worst, done["slowest_over_median"].get<double>());
            std::printf(
                "%s %ld channels, %s of %ld taps, %d threads: %.3f ns, slowest %.2f times (%ld pixels)\n",
                name_of(pixel).data(), static_cast<long>(channels), kind, static_cast<long>(group.taps),
                threads, done["median_ns"].get<double>(), done["slowest_over_median"].get<double>(),
                done["slowest"][0]["width"].get<long>());
            std::fflush(stdout);
          }
        }
      }
    }
  }
  record["slowest_over_median"] = worst;
  std::ofstream(settings.json) << record.dump(1) << "\n";
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "any_width: %s\n", error.what());
  return 2;
}
