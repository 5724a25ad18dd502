// sweep.cpp: the oracle sweep as a program: every value, every pair of values, then random cases.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "compare.h"
#include "seeded.h"

namespace {

using namespace halation;

constexpr const char* usage =
    "usage: sweep [--device cpu] [--cases 20000] [--seed 1] [--most-work 300000] [--only INDEX]\n"
    "             [--target AVX2] [--faults 20] [--count 0]\n"
    "Compares a device with the reference over the pairwise set, then over random cases. --only repeats one random case; "
    "--target uses one instruction set of the CPU; --faults ends it after so many. --count 1 prints how "
    "often each way of computing has met each kind of values. Exits with 77 where the machine lacks that or the device.\n";

struct Settings : sweep::Seeded {
  double most_work = 3e5;
  std::int64_t only = -1;
  std::string target{};
  std::uint64_t most_faults = 20;
  bool counts = false;
};

constexpr int skipped = 77;

bool is_present(Device device) {
  const std::vector<DeviceInfo> all = devices();
  return std::any_of(all.begin(), all.end(), [&](const DeviceInfo& info) { return info.device == device; });
}

bool parse(int count, char** words, Settings& settings) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const char* value = words[i + 1];
    if (settings.take(name, value)) continue;
    if (name == "--most-work")
      settings.most_work = std::strtod(value, nullptr);
    else if (name == "--only") settings.only = std::strtoll(value, nullptr, 10);
    else if (name == "--target") settings.target = value;
    else if (name == "--faults") settings.most_faults = std::strtoull(value, nullptr, 10);
    else if (name == "--count") settings.counts = std::strcmp(value, "0") != 0;
    else return false;
  }
  return count % 2 == 1;
}

}  // namespace

int main(int count, char** words) try {
  Settings settings{{.cases = 20000}};
  if (!parse(count, words, settings)) {
    std::cerr << usage;
    return 2;
  }
  if (!settings.target.empty()) {
    setenv("HALATION_TARGET", settings.target.c_str(), 1);
    try {
      devices();
    } catch (const Error& error) {
      std::cout << "skipped: " << error.what() << "\n";
      return skipped;
    }
  }
  if (!is_present(settings.device)) {
    std::cout << "skipped: this machine has no device " << name_of(settings.device) << "\n";
    return skipped;
  }
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t faults = 0;
  sweep::Coverage coverage;
  const auto run = [&](const sweep::JobCase& job_case, const std::string& repeat) {
    std::optional<std::string> fault;
    try {
      fault = sweep::find_fault(job_case, settings.device, settings.counts ? &coverage : nullptr);
    } catch (const std::exception& error) {
      // A device may be lost by it, so that no later case says anything.
      throw std::runtime_error(repeat + ": " + error.what() + "\n  " + job_case.text);
    }
    if (fault) {
      std::cerr << repeat << ": " << *fault << "\n  " << job_case.text << "\n";
      ++faults;
    }
  };
  const auto random_case = [&](std::uint64_t index) {
    run(sweep::random_case(settings.seed, index, settings.most_work),
        "--seed " + std::to_string(settings.seed) + " --only " + std::to_string(index));
  };
  std::uint64_t cases = 0;
  std::size_t pairwise = 0;
  if (settings.only >= 0) {
    random_case(static_cast<std::uint64_t>(settings.only));
    cases = 1;
  } else {
    const std::vector<sweep::Point> points = sweep::pairwise_points();
    pairwise = points.size();
    for (std::size_t i = 0; i < points.size() && faults < settings.most_faults; ++i) run(sweep::make_case(points[i], i, settings.most_work), "pairwise case " + std::to_string(i));
    for (; cases < settings.cases && faults < settings.most_faults; ++cases) random_case(cases);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (settings.counts) coverage.print(std::cout);
  std::cout << "{\"device\": \"" << name_of(settings.device) << "\", \"target\": \"" << settings.target << "\", \"pairwise_cases\": " << pairwise
            << ", \"random_cases\": " << cases << ", \"seed\": " << settings.seed << ", \"most_work\": " << settings.most_work
            << ", \"faults\": " << faults << ", \"seconds\": " << seconds << "}\n";
  return faults == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "sweep: " << error.what() << "\n";
  return 2;
}
