// regret.cpp: how much time the choice of kernels costs: each of some seeded jobs is done by every method and
// family that does it, and the time of the one that the plan chooses is put beside that of the fastest. A
// line of JSON a job.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/channels_apart.h"
#include "core/memory.h"
#include "cpu/families.h"
#include "halation/transfer.h"
#include "plan/backends.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "speed/choice_tool.h"
#include "sweep/arena.h"
#include "sweep/job_case.h"
#include "sweep/seeded.h"
#ifdef HALATION_HAS_CUDA
#include "cuda/device/device.h"
#include "cuda/families.h"
#endif

namespace {

using namespace halation;

constexpr const char* usage =
    "usage: speed_regret [--device cpu] [--cases 400] [--seed 1] [--first 0] [--threads 0] [--filters "
    "usual|large|beside]\n"
    "                    [--clock wall|processor] [--turns 1] [--family NAME] [--figures FILE]\n"
    "Does seeded jobs by every method and family of kernels that takes them. A line of JSON for each: what "
    "each was expected to take, what it\n"
    "took, and which the plan chooses. By the processor's clock, that of all threads together, what else the "
    "machine does counts for "
    "little: for one thread. Of several turns over all jobs the least counts: what disturbs a machine for "
    "seconds disturbs no way in all "
    "of them.\n";

struct Settings : sweep::Seeded {
  std::uint64_t first = 0;
  int threads = 0;
  sweep::Filters filters = sweep::Filters::usual;
  bool by_processor = false;
  std::string family{};  ///< no others, where it is named
  int turns = 1;         ///< over all jobs
};

/// A family of the device's table that does a job.
struct Way {
  std::string name;
  double expected = 0;  // seconds, of one thread on the CPU
  std::function<std::unique_ptr<const Runner>()> make;
  bool chosen = false;
};

struct Ways {
  std::vector<Way> all;
  std::string cheapest;
};

Ways ways_on_cpu(const std::shared_ptr<const Job>& job, const ConstView& in, const View& out, int threads) {
  const speed::AsFiltered priced(*job, in, out);
  const cpu_backend::Request request{.job = priced.job, .filters = job->filters, .packed = priced.packed};
  Ways ways{{}, std::string(cpu_backend::families().cheapest(request).family->name)};
  for (const cpu_backend::Family* family : cpu_backend::families().list()) {
    if (family->refuses(request) != nullptr) continue;
    ways.all.push_back(
        {std::string(family->name), family->seconds(request), [=] { return family->make(job, threads); }});
  }
  return ways;
}

#ifdef HALATION_HAS_CUDA
Ways ways_on_gpu(const std::shared_ptr<const Job>& job, Device device, const ConstView& in, const View& out) {
  const cuda_backend::Families& families = cuda_backend::families();
  const cuda_backend::Gpu& gpu = cuda_backend::gpu_of(device);
  const cuda_backend::RowLayout rows = cuda_backend::row_layout_of(in, {&out, 1});
  const cuda_backend::Request request{*job, rows, gpu, families};
  Ways ways{{}, std::string(families.cheapest(*job, rows, gpu).family->name)};
  for (const cuda_backend::Family* family : families.list()) {
    if (family->refuses(request) != nullptr) continue;
    ways.all.push_back({std::string(family->name), family->seconds(request), [=, &families, &gpu] {
                          const cuda_backend::UseDevice use(device);
                          return family->make({*job, rows, gpu, families}, job);
                        }});
  }
  return ways;
}
#endif

std::string layout_name([[maybe_unused]] Device device, [[maybe_unused]] const ConstView& in,
                        [[maybe_unused]] const View& out) {
#ifdef HALATION_HAS_CUDA
  if (device.kind == Device::Kind::cuda)
    return std::string(words_for(cuda_backend::row_layout_of(in, {&out, 1})));
#endif
  return "";
}

/// Numbers that no arithmetic is slow with: whole ones of any size, floats between 1 and 2.
void fill(std::vector<std::byte>& bytes, Pixel pixel, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto mask = pixel == Pixel::f16   ? std::pair{0x03ff03ff03ff03ffU, 0x3c003c003c003c00U}
                    : pixel == Pixel::f32 ? std::pair{0x007fffff007fffffU, 0x3f8000003f800000U}
                    : pixel == Pixel::f64 ? std::pair{0x000fffffffffffffU, 0x3ff0000000000000U}
                                          : std::pair{~std::uint64_t{0}, std::uint64_t{0}};
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    const std::uint64_t word = (random() & mask.first) | mask.second;
    std::memcpy(bytes.data() + i, &word, 8);
  }
}

/// A way that is measured, and the seconds that a run took.
struct Timed {
  Method method;
  Way way;
  std::unique_ptr<const Runner> runner;
  int runs = 1;  ///< a reading
  double least = std::numeric_limits<double>::infinity();
};

/// A clock's seconds.
using Now = double (*)();
double by_the_wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double by_the_processor() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Seconds of a run: of several, the mean.
double reading_of(Now now, int runs, const std::function<void()>& run, const std::function<void()>& wait) {
  const double start = now();
  for (int i = 0; i < runs; ++i) run();
  wait();
  return (now() - start) / runs;
}

/// Readings of which the least counts, since what else the machine does only adds, after one that is not
/// counted. Ways take turns, so that a machine that is slower for a while is so for all of them; what takes
/// several times as long as the fastest in a few turns gets no more.
void time_by_turns(std::vector<Timed>& ways, Now now, const std::function<void(const Runner&)>& run,
                   const std::function<void()>& wait) {
  constexpr double least_seconds = 2e-3;
  constexpr int rounds = 11;
  constexpr int few_rounds = 3;
  constexpr double hopeless = 4;
  double fastest = std::numeric_limits<double>::infinity();
  for (Timed& timed : ways) {
    const auto once = [&] { run(*timed.runner); };
    reading_of(now, 1, once, wait);
    timed.least = std::max(1e-7, reading_of(now, 2, once, wait));
    timed.runs = static_cast<int>(std::clamp(least_seconds / timed.least, 1.0, 500.0));
  }
  for (int round = 0; round < rounds; ++round) {
    for (Timed& timed : ways) {
      if (round >= few_rounds && timed.least > hopeless * fastest) continue;
      timed.least = std::min(timed.least, reading_of(
                                              now, timed.runs, [&] { run(*timed.runner); }, wait));
      fastest = std::min(fastest, timed.least);
    }
  }
}

/// Memory of a device with numbers of a pixel's type in it, kept from job to job.
class Numbers {
 public:
  std::byte* of(std::int64_t bytes, Pixel pixel, Device device) {
    constexpr std::int64_t block = std::int64_t{1} << 24;
    if (memory_.empty() || memory_.shape().width < bytes) {
      std::vector<std::byte> host(block);
      fill(host, pixel, 1);
      memory_ = Image();  // whose bytes the next may have
      memory_ = allocate({.width = (bytes + block - 1) / block * block}, Pixel::u8, device);
      synchronise(device);
      const ConstView source = view_of(reinterpret_cast<const std::uint8_t*>(host.data()), {.width = block});
      for (std::int64_t at = 0; at < memory_.shape().width; at += block) {
        View part = memory_.view();
        part.data += at;
        part.shape.width = block;
        copy(source, part, {});
      }
      synchronise(device);
    }
    return memory_.view().data;
  }

 private:
  Image memory_;
};

/// A view on memory of a device, as arranged, whose bytes are numbers.
View on_device(const Shape& shape, Pixel pixel, Layout layout, sweep::Arrangement arrangement, Device device,
               bool is_input) {
  static std::map<std::pair<bool, Pixel>, Numbers> kept;
  const sweep::Place place(shape, pixel, layout, arrangement);
  return {kept[{is_input, pixel}].of(place.bytes, pixel, device) + place.start, shape, place.strides, pixel,
          device};
}

/// What is printed of a job.
struct Measured {
  std::string facts;
  struct Way {
    Method method;
    std::string family;
    double expected, took;
    bool chosen;
  };
  std::vector<Way> ways;
};

void print(const Measured& job) {
  std::printf("{%s, \"ways\": [", job.facts.c_str());
  const char* separator = "";
  for (const Measured::Way& way : job.ways) {
    std::printf("%s{\"method\": \"%s\", \"family\": \"%s\", \"expected_us\": %.3f, \"took_us\": %.3f%s}",
                separator, std::string(name_of(way.method)).c_str(), way.family.c_str(), 1e6 * way.expected,
                1e6 * way.took, way.chosen ? ", \"chosen\": true" : "");
    separator = ", ";
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

Measured measure(const Settings& settings, std::uint64_t index) {
  const double times = settings.device.kind == Device::Kind::cuda ? 10 : 1;  // as many samples as keep it busy
  const sweep::JobCase job_case = sweep::case_of(settings.filters, settings.seed, index, times);
  PlanSpec spec = job_case.spec;
  spec.device = settings.device;
  spec.options.threads = settings.threads;
  spec.layout = job_case.in_layout;
  const Backend& backend = backend_for(settings.device);
  const bool on_gpu = settings.device.kind == Device::Kind::cuda;
  std::optional<sweep::Arena> in_arena, out_arena;
  View in, out;
  const CheckedJob checked = check(spec);
  const Shape& out_shape = checked.job.out;
  const Pixel out_pixel = checked.job.out_pixel;
  if (on_gpu) {
    in =
        on_device(spec.shape, spec.pixel, job_case.in_layout, job_case.in_arrangement, settings.device, true);
    out = on_device(out_shape, out_pixel, job_case.out_layout, job_case.out_arrangement, settings.device,
                    false);
  } else {
    in = in_arena.emplace(spec.shape, spec.pixel, job_case.in_layout, job_case.in_arrangement).view;
    fill(in_arena->bytes, spec.pixel, index);
    out = out_arena.emplace(out_shape, out_pixel, job_case.out_layout, job_case.out_arrangement).view;
  }

  if (on_gpu) {  // as `convolve` does
    spec.input_alignment = alignment_of(in);
    spec.output_alignment = alignment_of(out);
  }
  const Choice automatic = choose(check(spec), spec.options, backend, settings.device);
  const Job& job = *automatic.job;
  const Space& taps = job.filters.front().size;
  const auto number = [](std::int64_t value) { return static_cast<long long>(value); };
  char facts[1024];
  std::snprintf(facts, sizeof facts,
                "\"case\": %llu, \"job\": \"%s\", \"in\": [%lld, %lld, %lld, %lld, %lld], \"pixels\": "
                "[\"%s\", \"%s\"], \"f64\": %s, "
                "\"taps\": [%lld, %lld, %lld], \"rows\": \"%s\", \"method\": \"%s\"",
                static_cast<unsigned long long>(index), job_case.text.c_str(), number(job.in.batch),
                number(job.in.depth), number(job.in.height), number(job.in.width), number(job.in.channels),
                std::string(name_of(job.in_pixel)).c_str(), std::string(name_of(job.out_pixel)).c_str(),
                job.sum_f64 ? "true" : "false", number(taps[0]), number(taps[1]), number(taps[2]),
                layout_name(settings.device, in, out).c_str(),
                std::string(name_of(speed::method_of(automatic))).c_str());
  std::vector<Timed> all;
  std::size_t bytes = 0;
  speed::for_each_method(spec, backend, [&](Method method, const Choice& choice) {
    if (method != speed::method_of(automatic) && would_be_passed_over(choice)) return;
    const int threads = settings.threads == 0 ? 2 : settings.threads;
#ifdef HALATION_HAS_CUDA
    Ways ways = settings.device.kind == Device::Kind::cuda ? ways_on_gpu(choice.job, settings.device, in, out)
                                                           : ways_on_cpu(choice.job, in, out, threads);
#else
    Ways ways = ways_on_cpu(choice.job, in, out, threads);
#endif
    for (Way& way : ways.all) {
      // What no kernel is good at takes too long to be the fastest.
      constexpr double longest = 0.5;
      if (way.expected > longest) continue;
      if (!settings.family.empty() && way.name.find(settings.family) == std::string::npos) continue;
      way.chosen = method == speed::method_of(automatic) && way.name == ways.cheapest;
      std::unique_ptr<const Runner> runner = way.make();
      bytes = std::max(bytes, runner->workspace_bytes());
      all.push_back({.method = method, .way = std::move(way), .runner = std::move(runner)});
    }
  });
  const Memory workspace = bytes == 0 ? Memory()
                           : on_gpu
                               ? memory_of(settings.device).allocate(bytes, settings.device, {}, "workspace")
                               : allocate_host(bytes, "workspace");
  time_by_turns(
      all, settings.by_processor ? by_the_processor : by_the_wall,
      [&](const Runner& runner) {
        runner.run(in, {&out, 1}, {workspace.get(), bytes}, {});
      },
      [&] {
        if (on_gpu) synchronise(settings.device);
      });
  // A family may do the same work for two methods, as where a filter has one axis: what makes their times differ is chance.
  for (Timed& one : all) {
    for (const Timed& other : all) {
      if (one.way.name == other.way.name && one.way.expected == other.way.expected) one.least = std::min(one.least, other.least);
    }
  }
  Measured measured{facts, {}};
  for (const Timed& timed : all) {
    measured.ways.push_back(
        {timed.method, timed.way.name, timed.way.expected, timed.least, timed.way.chosen});
  }
  return measured;
}

}  // namespace

int main(int count, char** words) try {
  Settings settings{{.cases = 400}};
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = words[i];
    const char* value = i + 1 < count ? words[i + 1] : "";
    if (settings.take(name, value)) continue;
    if (name == "--first")
      settings.first = std::strtoull(value, nullptr, 10);
    else if (name == "--threads")
      settings.threads = std::atoi(value);
    else if (const auto filters = sweep::filters_named(value); name == "--filters" && filters)
      settings.filters = *filters;
#ifdef HALATION_HAS_CUDA
    else if (name == "--figures") {
      static cuda_backend::Figures own;
      std::ifstream file(value);
      own = cuda_backend::figures_from(std::string(std::istreambuf_iterator<char>(file), {}));
      const_cast<cuda_backend::Gpu&>(cuda_backend::gpu_of(settings.device)).figures = &own;
    }
#endif
    else if (name == "--family")
      settings.family = value;
    else if (name == "--turns")
      settings.turns = std::max(1, std::atoi(value));
    else if (name == "--clock" && (value == std::string_view("wall") || value == std::string_view("processor")))
      settings.by_processor = value == std::string_view("processor");
    else {
      std::cerr << usage;
      return 2;
    }
  }
  std::vector<Measured> before;
  for (int turn = 1; turn <= settings.turns; ++turn) {
    for (std::uint64_t i = 0; i < settings.cases; ++i) {
      Measured job = measure(settings, settings.first + i);
      if (turn == 1) {
        before.push_back(job);
      } else {
        for (std::size_t w = 0; w < job.ways.size(); ++w) {
          double& least = before[i].ways[w].took;
          least = job.ways[w].took = std::min(least, job.ways[w].took);
        }
      }
      if (turn == settings.turns) print(job);
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << "speed_regret: " << error.what() << "\n";
  return 2;
}
