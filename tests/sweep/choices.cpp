// choices.cpp: which kernels do each of some seeded jobs, and a checksum of what they give, a line a job: run
// before and after a change that should leave both alone, on one machine, and compared.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "compare.h"
#include "launches.h"
#include "seeded.h"

namespace {

using namespace halation;

constexpr const char* usage =
    "usage: choices [--device cpu] [--cases 1000] [--seed 1]\n"
    "A line for each job: its number, a checksum of its outputs, what the plan says of its kernels, the "
    "kernels that a GPU was given, the\n"
    "job. Half of the jobs are cases of the sweep, half such as people have.\n";

}  // namespace

int main(int count, char** words) try {
  sweep::Seeded asked{.cases = 1000};
  for (int i = 1; i < count; i += 2) {
    if (i + 1 < count && asked.take(words[i], words[i + 1])) continue;
    std::cerr << usage;
    return 2;
  }
  const auto [cases, device, seed] = asked;
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
