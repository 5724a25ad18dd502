// terms.cpp: how the families of the GPU cut seeded jobs, and what they expect, on the H200 that figures were
// measured on; no GPU is asked. fit_costs.py makes figures of that and of what speed_regret measured.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.h"
#include "cuda/families.h"
#include "measured_gpu.h"
#include "plan/backends.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "speed/choice_tool.h"
#include "speed/launch_text.h"
#include "sweep/job_case.h"
#include "sweep/seeded.h"

namespace {

using namespace halation;
using namespace halation::cuda_backend;

constexpr const char* usage =
    "usage: speed_terms [--cases 400] [--seed 1] [--filters usual|large|beside] [--figures FILE]\n"
    "A line of JSON for each seeded job: what each family of the GPU expects, and how it cuts the job.\n";

/// The CUDA backend as a plan's choice sees it, pricing on that GPU.
class Priced final : public Backend {
 public:
  explicit Priced(const Gpu& gpu) : gpu_(gpu) {}
  Device::Kind kind() const override { return Device::Kind::cuda; }
  std::vector<DeviceInfo> devices() const override { return {}; }
  std::span<const Form> forms() const override { return Families::forms(); }
  std::vector<Offer> offers(const Job& job, std::span<const Taps> filters, Device) const override {
    return families().offers(job, filters, gpu_);
  }
  TransformFacts transform_facts(const Job& job, const Taps& taps, Device) const override {
    return Families::transform_facts(job, taps, gpu_);
  }
  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job>, Device) const override { return nullptr; }

 private:
  const Gpu& gpu_;
};

void print_job(sweep::Filters filters, std::uint64_t seed, std::uint64_t index, const Figures& figures) {
  const Gpu gpu = h200(figures);
  const Priced backend(gpu);
  constexpr double times = 10;  // as regret.cpp
  const sweep::JobCase job_case = sweep::case_of(filters, seed, index, times);
  PlanSpec spec = job_case.spec;
  spec.layout = job_case.in_layout;
  spec.device = cpu();  // which every machine has
  const Choice automatic = choose(check(spec), spec.options, backend, spec.device);
  const Job& job = *automatic.job;
  const auto [in, out] = speed::views_without_memory(job, job_case);
  const RowLayout rows = row_layout_of(in, {&out, 1});
  std::printf("{\"case\": %llu, \"seed\": %llu, \"job\": \"%s\", \"ways\": [", static_cast<unsigned long long>(index),
              static_cast<unsigned long long>(seed), job_case.text.c_str());
  bool is_first = true;
  speed::for_each_method(spec, backend, [&](Method method, const Choice& choice) {
    const Request request{*choice.job, rows, gpu, families()};
    const Family* const cheapest = families().cheapest(request).family;
    for (const Family* family : families().list()) {
      if (family->refuses(request) != nullptr) continue;
      const bool chosen = method == speed::method_of(automatic) && family == cheapest;
      std::printf("%s{\"method\": \"%s\", \"family\": \"%s\", \"expected_us\": %.3f%s", is_first ? "" : ", ",
                  std::string(name_of(method)).c_str(), std::string(family->name).c_str(), 1e6 * family->seconds(request),
                  chosen ? ", \"chosen\": true" : "");
      if (family->shape != nullptr) std::fputs(speed::text_of(family->shape(request), gpu).c_str(), stdout);
      std::printf("}");
      is_first = false;
    }
  });
  std::printf("]}\n");
}

}  // namespace

int main(int count, char** words) try {
  sweep::Seeded asked{.cases = 400};
  sweep::Filters filters = sweep::Filters::usual;
  std::optional<Figures> own;
  for (int i = 1; i + 1 < count; i += 2) {
    if (words[i] == std::string_view("--figures")) {
      std::ifstream file(words[i + 1]);
      own = figures_from(std::string(std::istreambuf_iterator<char>(file), {}));
      continue;
    }
    if (const auto named = sweep::filters_named(words[i + 1]); named && std::string_view(words[i]) == "--filters") filters = *named;
    else if (!asked.take(words[i], words[i + 1])) return std::cerr << usage, 2;
  }
  for (std::uint64_t i = 0; i < asked.cases; ++i)
    print_job(filters, asked.seed, i, own ? *own : shipped_figures());
  return 0;
} catch (const std::exception& error) {
  std::cerr << "speed_terms: " << error.what() << "\n";
  return 2;
}
