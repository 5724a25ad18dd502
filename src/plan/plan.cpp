// plan.cpp: a checked job, its methods chosen, ready on its backend.
#include "halation/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "core/memory.h"
#include "core/own_box.h"
#include "core/stopwatch.h"
#include "core/threads.h"
#include "halation/error.h"
#include "plan/backends.h"
#include "plan/choose.h"
#include "plan/timings/tune.h"

namespace halation {
namespace {

constexpr std::size_t workspace_alignment = 64;

/// Scratch for runs that bring none: the last block is kept for the thread's next run. It is taken while in use, because a thread
/// that waits for others may start another run meanwhile.
class PooledWorkspace {
 public:
  explicit PooledWorkspace(std::size_t bytes) {
    if (bytes == 0) return;
    std::swap(block_, kept());
    if (block_.bytes < bytes) block_ = {allocate_host(bytes, "workspace"), bytes};
  }
  ~PooledWorkspace() {
    if (block_.bytes > kept().bytes && block_.bytes <= most_kept_bytes) std::swap(block_, kept());
  }
  PooledWorkspace(const PooledWorkspace&) = delete;
  PooledWorkspace& operator=(const PooledWorkspace&) = delete;

  std::span<std::byte> bytes() const { return {block_.memory.get(), block_.bytes}; }

 private:
  struct Block {
    Memory memory;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;
  static Block& kept() {
    thread_local Block block;
    return block;
  }
  Block block_;
};

std::string text(const Border& border) {
  std::string name(name_of(border.mode));
  if (border.mode != Border::Mode::constant) return name;
  char value[32];
  std::snprintf(value, sizeof value, "(%g)", border.value);
  return name + value;
}

std::string text(const Borders& borders) {
  const auto& [z, y, x] = borders.axes();
  if (z == y && y == x) return text(x);
  return text(z) + ", " + text(y) + ", " + text(x) + " along depth, height, width";
}

/// Why a filter has its method; with the time known of it where the plan has not measured.
std::string headline(const Reason& reason, const Taps& taps, const RankedMethod& chosen) {
  const std::string text = to_string(reason, taps);
  const bool is_known = reason.timing.empty() && chosen.measured_seconds;
  return is_known ? text + ", measured " + time_text(*chosen.measured_seconds) : text;
}

}  // namespace

struct Plan::Impl {
  Device device;
  Choice choice;
  std::unique_ptr<const Runner> runner;
  std::vector<Method> methods;
  Operation operation;
  Extent extent;
  Borders border;
};

Plan::Plan(const PlanSpec& spec) {
  const HoldsForks held;  // backends make their tables meanwhile, and timings wait for each other
  const Backend& backend = backend_for(spec.device);
  auto impl = std::make_shared<Impl>();
  impl->device = spec.device;
  impl->choice = choose(check(spec), spec.options, backend, spec.device);
  impl->runner = backend.prepare(impl->choice.job, spec.device);
  for (const Reason& reason : impl->choice.reasons) impl->methods.push_back(reason.method->method);
  impl->operation = spec.options.operation;
  impl->extent = spec.options.extent;
  impl->border = spec.options.border;
  impl_ = std::move(impl);
}

const Shape& Plan::output_shape() const { return impl_->choice.job->out; }
Pixel Plan::output_pixel() const { return impl_->choice.job->out_pixel; }
std::size_t Plan::outputs() const { return impl_->choice.job->outputs(); }
std::size_t Plan::workspace_bytes() const { return impl_->runner->workspace_bytes(); }

std::size_t Plan::constant_bytes() const {
  std::size_t weights = 0;
  for (const Taps& taps : impl_->choice.job->filters) {
    weights += taps.weights.size();
    if (!taps.factors) continue;
    for (const std::vector<double>& factor : *taps.factors) weights += factor.size();
  }
  return weights * sizeof(double) + impl_->runner->constant_bytes();
}

const std::vector<Method>& Plan::methods() const { return impl_->methods; }

double Plan::expected_seconds() const {
  const Choice& choice = impl_->choice;
  double sum = 0;
  for (std::size_t i = 0; i < choice.reasons.size(); ++i) {
    sum += known_time(*choice.job, choice.job->filters[i], choice.layout, impl_->device)
               .value_or(choice.reasons[i].seconds);
  }
  return sum;
}

double Plan::error_bound(double max_abs) const {
  return impl_->choice.bound.at(std::fabs(max_abs));
}

void Plan::run(ConstView in, View out, RunOptions options) const {
  run(in, std::span<const View>(&out, 1), options);
}

void Plan::run(ConstView in, std::span<const View> outs, RunOptions options) const {
  check_views(*impl_->choice.job, impl_->device, in, outs);
  const std::size_t needed = workspace_bytes();
  if (options.workspace.empty() && impl_->device.kind == Device::Kind::cuda) {
    const Memory pooled = needed == 0 ? Memory() : memory_of(impl_->device).allocate(needed, impl_->device, options.stream, "workspace");
    impl_->runner->run(in, outs, {pooled.get(), needed}, options.stream);
    return;
  }
  if (options.workspace.empty()) {
    const PooledWorkspace pooled(needed);
    impl_->runner->run(in, outs, pooled.bytes().first(needed), options.stream);
    return;
  }
  if (options.workspace.size() < needed) {
    throw Error(ErrorCode::invalid_argument, "workspace must have at least " + std::to_string(needed) + " bytes, got " +
                                                 std::to_string(options.workspace.size()));
  }
  if (reinterpret_cast<std::uintptr_t>(options.workspace.data()) % workspace_alignment != 0) {
    throw Error(ErrorCode::invalid_argument, "workspace must begin on a 64-byte boundary");
  }
  impl_->runner->run(in, outs, options.workspace.first(needed), options.stream);
}

std::vector<std::vector<RankedMethod>> Plan::ranking() const {
  const HoldsForks held;
  const Backend& backend = backend_for(impl_->device);
  std::vector<std::vector<RankedMethod>> all;
  for (std::size_t i = 0; i < impl_->methods.size(); ++i)
    all.push_back(halation::ranking(impl_->choice, i, backend, impl_->device));
  return all;
}

std::string Plan::explain() const {
  const Job& job = *impl_->choice.job;
  std::string lines = to_string(job.in) + " " + std::string(name_of(job.in_pixel)) + " -> " + to_string(job.out) + " " +
                      std::string(name_of(job.out_pixel)) + ", " + std::string(name_of(impl_->operation)) + ", extent " +
                      std::string(name_of(impl_->extent)) + ", border " + text(impl_->border) + "\n";
  const std::vector<std::vector<RankedMethod>> ranked = ranking();
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    lines += headline(impl_->choice.reasons[i], job.filters[i], ranked[i].front()) + "\n";
    for (std::size_t other = 1; other < ranked[i].size(); ++other)
      lines += "  " + to_string(ranked[i][other]) + "\n";
  }
  const Options& options = impl_->choice.options;
  if (options.method == Method::automatic && options.tune == Tune::estimate)
    lines += "chosen by expected times; tune measure times the three best\n";
  if (const std::string machine = backend_for(impl_->device).figures_machine(impl_->device); !machine.empty())
    lines += "times expected by the figures of " + machine + "\n";
  if (job.combine == Combine::magnitude) lines += "one output: the root of the sum of squares\n";
  const ErrorBound& bound = impl_->choice.bound;
  char sums[256];
  int written = std::snprintf(sums, sizeof sums, "sums in %s, error before rounding at most %.3g times the largest input",
                              job.sum_f64 ? "f64" : "f32", bound.relative + bound.approximation);
  const auto add = [&](const char* format, double value) {
    written += std::snprintf(sums + written, sizeof sums - static_cast<std::size_t>(written), format, value);
  };
  constexpr double of_subnormals = 1e-30;  // less than this is what the smallest numbers of f32 lose
  if (bound.absolute > of_subnormals && std::isfinite(bound.absolute)) add(" plus %.3g", bound.absolute);
  const double most = bound.most + bound.absolute;
  if (std::isfinite(most)) add(", at most %.3g", most);
  const bool by_own_box = job.filters.front().form == Form::spectrum && is_bounded_by_own_box(job);
  if (by_own_box && bound.relative > 0 && std::isfinite(bound.relative))
    add(", of each output at most %.3g times the root of the sum of squares under its filter", own_box_factor * bound.relative);
  const std::vector<Offer> families = backend_for(impl_->device).offers(job, job.filters, impl_->device);
  return lines + sums + "\n" + name_of(impl_->device) + ": " + impl_->runner->explain() + "\n" +
         (families.size() < 2 ? "" : "family: " + to_string(families) + "\n");
}

}  // namespace halation
