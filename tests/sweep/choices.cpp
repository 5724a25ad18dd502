// choices.cpp: which kernels do each of some seeded jobs, and a checksum of what they give, a line a job: run
// before and after a change that should leave both alone, on one machine, and compared.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "compare.h"
#include "launches.h"

namespace {

using namespace halation;

constexpr const char* usage =
    "usage: choices [--device cpu] [--cases 1000] [--seed 1]\n"
    "A line for each job: its number, a checksum of its outputs, what the plan says of its kernels, the "
    "kernels that a GPU was given, the\n"
    "job. Half of the jobs are cases of the sweep, half such as people have.\n";

}  // namespace

int main(int count, char** words) try {
  Device device = cpu();
  std::uint64_t cases = 1000;
  std::uint64_t seed = 1;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = words[i];
    if (i + 1 < count && name == "--device") {
      device = device_named(words[i + 1]);
    } else if (i + 1 < count && name == "--cases") {
      cases = std::strtoull(words[i + 1], nullptr, 10);
    } else if (i + 1 < count && name == "--seed") {
      seed = std::strtoull(words[i + 1], nullptr, 10);
    } else {
      std::cerr << usage;
      return 2;
    }
  }
  for (std::uint64_t i = 0; i < cases; ++i) {
    constexpr double most_work = 1e7;
    const sweep::JobCase job_case = i % 2 == 0
                                        ? sweep::make_case(sweep::random_point(seed, i), seed + i, most_work)
                                        : sweep::usual_case(seed, i);
    sweep::Outcome outcome = sweep::outcome_of(job_case, device);
    std::replace(outcome.explain.begin(), outcome.explain.end(), '\n', ' ');
    std::printf("%llu\t%016llx\t%s\t%s\t%s\n", static_cast<unsigned long long>(i),
                static_cast<unsigned long long>(outcome.checksum), outcome.explain.c_str(),
                sweep::launches_since().c_str(), job_case.text.c_str());
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << "choices: " << error.what() << "\n";
  return 2;
}
