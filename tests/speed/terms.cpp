// terms.cpp: the terms that families of the GPU count of seeded jobs, and what they expect, on the H200 that costs were measured on;
// no GPU is asked. fit_costs.py makes figures of them and of what speed_regret measured.
#include <array>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.h"
#include "cuda/families.h"
#include "plan/backends.h"
#include "plan/check.h"
#include "plan/choose.h"
#include "speed/choice_tool.h"
#include "sweep/job_case.h"
#include "sweep/seeded.h"

namespace {

using namespace halation;
using namespace halation::cuda_backend;

constexpr const char* usage =
    "usage: speed_terms [--cases 400] [--seed 1] [--filters usual|large|beside]\n"
    "A line of JSON for each seeded job: what each family of the GPU expects, and the terms that it counts.\n";

/// The GPU that costs were measured on.
Gpu measured_gpu(const Costs& costs) {
  Gpu gpu;
  gpu.device = cuda(0);
  gpu.multiprocessors = 132;
  gpu.shared_limit = 232448;
  gpu.code = 90;
  gpu.cache_bytes = 60 << 20;
  gpu.costs = &costs;
  return gpu;
}

/// The figures of a cost as one list: waited, walked, then shared.
using Figures = std::vector<double*>;
template <std::size_t Waited, std::size_t Walked, std::size_t Shared>
Figures figures_of(Cost<Waited, Walked, Shared>& cost) {
  Figures list;
  for (double& figure : cost.waited) list.push_back(&figure);
  for (double& figure : cost.walked) list.push_back(&figure);
  for (double& figure : cost.shared) list.push_back(&figure);
  return list;
}

struct Row {
  std::string name;
  std::size_t waited, walked;
  Figures figures;
};

/// The cost that a family's launches have of a job; none of families of several passes.
std::optional<Row> row_of(std::string_view family, const Job& job, Costs& costs) {
  const auto row = [&](const char* name, auto& cost) {
    cost.memory = cost.cached = std::numeric_limits<double>::infinity();
    return Row{name, cost.waited.size(), cost.walked.size(), figures_of(cost)};
  };
  if (family == "shared tile")
    return job.sum_f64 ? row("shared_tile_f64", costs.shared_tile_f64) : row("shared_tile_f32", costs.shared_tile_f32);
  if (family == "shared tile, factored")
    return job.sum_f64 ? row("factored_f64", costs.factored_f64) : row("factored_f32", costs.factored_f32);
  if (family == "long rows") return row("long_rows", costs.long_rows);
  if (family == "long rows, in bulk") return row("long_rows_in_bulk", costs.long_rows_in_bulk);
  if (family == "warp strip") return row("warp_strip", costs.warp_strip);
  if (family == "warp strip, aligned") return row("warp_strip_aligned", costs.warp_strip_aligned);
  if (family == "register tile") return row("register_tile", costs.register_tile);
  if (family == "streaming by movers") return row("movers", costs.movers);
  if (family == "streaming") return row("streaming", costs.streaming);
  if (family == "whole images") return row("whole_images", costs.whole_images);
  if (family == "banded") return row("banded", costs.banded);
  if (family == "banded passes") return row("banded_passes", costs.banded_passes);
  if (family == "running box, x") return row("box_x", costs.box_x);
  if (family == "running box, y by a ring") return row("box_y", costs.box_y);
  if (family == "running box, y reread") return row("box_y_reread", costs.box_y_reread);
  return {};
}

/// Terms one by one: what is expected where all other figures are 0, and memory takes no time.
void print_terms(const Family& family, const Request& request) {
  Costs costs{};
  const Gpu gpu = measured_gpu(costs);
  const std::optional<Row> row = row_of(family.name, request.job, costs);
  if (!row) return;
  const Request priced{request.job, request.rows, gpu, request.families};
  std::printf(", \"cost\": \"%s\", \"waited\": %zu, \"walked\": %zu, \"bytes\": %.0f, \"terms\": [",
              row->name.c_str(), row->waited, row->walked, bytes_moved(request.job));
  for (std::size_t i = 0; i < row->figures.size(); ++i) {
    *row->figures[i] = 1;
    std::printf("%s%.6g", i == 0 ? "" : ", ", 1e6 * family.seconds(priced));
    *row->figures[i] = 0;
  }
  std::printf("]");
}

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
  std::unique_ptr<const Runner> prepare(std::shared_ptr<const Job>, Device) const override { return nullptr; }

 private:
  const Gpu& gpu_;
};

void print_job(sweep::Filters filters, std::uint64_t seed, std::uint64_t index) {
  const Gpu gpu = measured_gpu(costs_of(90));
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
      print_terms(*family, request);
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
  for (int i = 1; i + 1 < count; i += 2) {
    if (const auto named = sweep::filters_named(words[i + 1]); named && std::string_view(words[i]) == "--filters") filters = *named;
    else if (!asked.take(words[i], words[i + 1])) return std::cerr << usage, 2;
  }
  for (std::uint64_t i = 0; i < asked.cases; ++i) print_job(filters, asked.seed, i);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "speed_terms: " << error.what() << "\n";
  return 2;
}
