// compare.cpp: the promises of plan.h as a test: outputs as promise.h has them, nothing written outside of them and of the workspace, the
// same errors.
#include "compare.h"

#include <string>
#include <utility>
#include <vector>

#include "arena.h"
#include "guarded.h"
#include "promise.h"
#include "values.h"

namespace halation::sweep {
namespace {

/// An arena's twin where the device under test can reach it: the arena itself, or a copy of all its bytes in device memory.
class Twin {
 public:
  Twin(Arena& arena, Device device) : arena_(arena), view_(arena.view) {
    view_.device = device;
    if (shares_memory(device, cpu())) return;
    memory_ = to_device(bytes(), device);
    view_.data = memory_.view().data + (arena.view.data - arena.bytes.data());
  }
  const View& view() const { return view_; }

  /// Brings back what was written.
  void finish() {
    if (memory_.empty()) return;
    copy(memory_.view(), bytes(), {});
    synchronise(view_.device);
  }

 private:
  View bytes() const {
    return view_of(reinterpret_cast<std::uint8_t*>(arena_.bytes.data()), {.width = static_cast<std::int64_t>(arena_.bytes.size())});
  }

  Arena& arena_;
  View view_;
  Image memory_;
};

/// The error that a plan of the case on `device` gives, and the plan where there is none.
std::pair<std::optional<Plan>, std::string> try_plan(PlanSpec spec, Device device) {
  spec.device = device;
  try {
    return {Plan(spec), ""};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

/// The same; by any method where the filter is none for the case's.
std::pair<std::optional<Plan>, std::string> try_any_method(PlanSpec& spec, Device device) {
  auto tried = try_plan(spec, device);
  const auto is_for = [&](const char* method) { return tried.second.starts_with("method " + std::string(method)); };
  if (!tried.first && (is_for("separable") || is_for("box") || is_for("fft") || is_for("banded") || is_for("low_rank") ||
                       is_for("multirate"))) {
    spec.options.method = Method::automatic;
    tried = try_plan(spec, device);
  }
  return tried;
}

}  // namespace

Outcome outcome_of(const JobCase& job_case, Device device) {
  PlanSpec spec = job_case.spec;
  spec.layout = job_case.in_layout;
  const auto [plan, error] = try_any_method(spec, device);
  if (!plan) return {error, 0};
  Random random(job_case.seed ^ 0x5bd1e995);
  Arena in(spec.shape, spec.pixel, job_case.in_layout, job_case.in_arrangement);
  fill(in, job_case.values, random);
  std::vector<Arena> outs;
  std::vector<Twin> twins;
  std::vector<View> views;
  outs.reserve(plan->outputs());
  twins.reserve(plan->outputs());
  for (std::size_t i = 0; i < plan->outputs(); ++i) {
    outs.emplace_back(plan->output_shape(), plan->output_pixel(), job_case.out_layout, job_case.out_arrangement);
    twins.emplace_back(outs.back(), device);
    views.push_back(twins.back().view());
  }
  plan->run(Twin(in, device).view(), views);
  for (Twin& twin : twins) twin.finish();
  Outcome outcome{plan->explain(), 0xcbf29ce484222325};
  if (!outcome.explain.empty()) outcome.explain.pop_back();
  outcome.explain.erase(0, outcome.explain.find_last_of('\n') + 1);
  for (const Method method : plan->methods()) outcome.explain += "; " + std::string(name_of(method));
  for (const Arena& out : outs) {
    for (const std::byte byte : out.bytes) outcome.checksum = (outcome.checksum ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
  }
  return outcome;
}

std::optional<std::string> find_fault(const JobCase& job_case, Device device, Coverage* coverage) {
  PlanSpec oracle_spec = job_case.spec;
  oracle_spec.options.output = Pixel::f64;
  oracle_spec.options.method = Method::automatic;
  oracle_spec.options.threads = 0;
  auto [oracle, oracle_error] = try_plan(oracle_spec, reference());
  PlanSpec spec = job_case.spec;
  spec.layout = job_case.in_layout;
  auto [plan, error] = try_any_method(spec, device);
  if (error != oracle_error) return "errors differ: '" + error + "' and '" + oracle_error + "'";
  if (!plan) return std::nullopt;
  if (coverage != nullptr) coverage->add(*plan, job_case);

  Random random(job_case.seed ^ 0x5bd1e995);
  Arena in(spec.shape, spec.pixel, job_case.in_layout, job_case.in_arrangement);
  const Filled filled = fill(in, job_case.values, random);
  const std::vector<std::byte> in_before = in.bytes;

  std::vector<Arena> outs;
  std::vector<Image> sums;
  std::vector<View> sum_views;
  outs.reserve(plan->outputs());
  for (std::size_t i = 0; i < plan->outputs(); ++i) {
    outs.emplace_back(plan->output_shape(), plan->output_pixel(), job_case.out_layout, job_case.out_arrangement);
    sums.emplace_back(oracle->output_shape(), Pixel::f64);
    sum_views.push_back(sums.back().view());
  }
  if (plan->output_shape() != oracle->output_shape()) return "output shapes differ";
  Twin in_twin(in, device);
  std::vector<Twin> out_twins;
  std::vector<View> twin_views;
  out_twins.reserve(outs.size());
  for (Arena& out : outs) {
    out_twins.emplace_back(out, device);
    twin_views.push_back(out_twins.back().view());
  }
  // Every other case brings a workspace, the others take one from the pool.
  std::optional<GuardedWorkspace> workspace;
  if (job_case.seed % 2 == 0) workspace.emplace(plan->workspace_bytes(), device);
  if (in_twin.view().data == in.view.data) in.forbid_surroundings(true);
  plan->run(in_twin.view(), twin_views, {.workspace = workspace ? workspace->bytes() : std::span<std::byte>{}});
  in.forbid_surroundings(false);
  in_twin.finish();
  for (Twin& twin : out_twins) twin.finish();
  oracle->run(in.view, sum_views);
  if (in.bytes != in_before) return "the input was written";
  if (workspace && !workspace->guards_intact()) return "bytes outside the workspace were written\n" + plan->explain();

  const Promise promise(job_case, *plan, *oracle, in, filled);
  for (std::size_t i = 0; i < outs.size(); ++i) {
    if (!outs[i].surroundings_intact()) return "bytes outside output " + std::to_string(i) + " were written";
    const auto* sum = reinterpret_cast<const double*>(sum_views[i].data);
    std::size_t wrong = 0;
    std::size_t index = 0;
    std::string first;
    const Pixel pixel = plan->output_pixel();
    outs[i].for_each([&, pixel](const std::byte* p) {
      const double got = read(p, pixel);
      if (!promise.accepts(i, index, got, sum[index]) && wrong++ == 0) {
        char text[160];
        std::snprintf(text, sizeof text, "element %zu of output %zu is %.9g, the sum is %.17g, bound %.3g", index, i, got, sum[index],
                      promise.bound(i, index));
        first = text;
      }
      ++index;
    });
    if (wrong > 0) return first + "; " + std::to_string(wrong) + " of " + std::to_string(index) + " wrong\n" + plan->explain();
  }
  return std::nullopt;
}

}  // namespace halation::sweep
